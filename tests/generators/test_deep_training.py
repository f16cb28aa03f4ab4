"""Training against the package's own, from the same seeds: the same networks and releases."""

import sys
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ctgan", reason="PyTorch and the ctgan package are not installed: pip install 'riskkit[deep]'")

import torch
from ctgan import CTGAN, TVAE

from riskkit.core import Table
from riskkit.generators.ctgan import Ctgan
from riskkit.generators.engines import ctgan_training, deep, tvae_training
from riskkit.generators.engines.ctgan_training import CtganModel
from riskkit.generators.engines.deep import chance_from, has_cuda, train
from riskkit.generators.engines.mixture import RowSpan
from riskkit.generators.engines.stack import Spans, Streams, stream
from riskkit.generators.engines.tvae_training import TvaeModel
from riskkit.generators.tabddpm import TabDdpm
from riskkit.generators.tvae import Tvae
from tests.generators.by_package import ByPackage
from tests.generators.test_deep import odd_tables
from tests.tables import adult, mixed, needs_adult

pytestmark = pytest.mark.second
NEEDS_CUDA = pytest.mark.skipif(not has_cuda(), reason="no CUDA device is here")
LEARN: dict[Any, Any] = {CtganModel: ctgan_training.learn, TvaeModel: tvae_training.learn}
WITHIN = 2e-5
"""How far weights may be apart; a step moves one by some 2e-4 (CTGAN) or 1e-3 (TVAE)."""


def tables() -> dict[str, Table]:
    """Wards with a missing one and numbers with gaps, and tables that lack a sort of column."""
    return {"mixed": mixed(230), **odd_tables()}


def weights(network: Any) -> dict[str, torch.Tensor]:
    """What a release depends on: not the biases before a normalisation, which takes them away again."""
    kept = network.state_dict()
    return {name: value for name, value in kept.items() if not name.endswith((".fc.bias", "running_mean"))}


def compare(package: Any, ours: Any, network: str, table: Table, epochs: int, batch: int) -> None:
    """Train both from the same seeds and assert that networks and releases are the same."""
    theirs = ByPackage(package, table, np.random.default_rng(3), epochs=epochs, batch_size=batch)
    release = theirs.frame(80, np.random.default_rng(4))
    mine = ours(epochs, batch, "cpu")
    train([mine], [table], [np.random.default_rng(3)], LEARN[ours])
    with chance_from(np.random.default_rng(4), mine), torch.no_grad():
        released = mine.sample(80)
    there, here = weights(getattr(theirs.model, network)), weights(mine.network)
    assert there.keys() == here.keys()
    for name, value in there.items():
        torch.testing.assert_close(here[name], value, atol=WITHIN, rtol=1e-4, msg=f"{name} differs")
    discrete = [column for column in release if not str(column).startswith("number")]
    assert released[discrete].equals(release[discrete])
    numbers = release.drop(columns=discrete)
    np.testing.assert_allclose(released.drop(columns=discrete), numbers, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("what", tables())
def test_ctgan_comes_to_the_networks_of_the_package(what: str) -> None:
    compare(CTGAN, CtganModel, "_generator", tables()[what], epochs=5, batch=50)


@pytest.mark.parametrize("what", tables())
def test_tvae_comes_to_the_networks_of_the_package(what: str) -> None:
    compare(TVAE, TvaeModel, "decoder", tables()[what], epochs=3, batch=60)


@needs_adult
@pytest.mark.slow
def test_after_a_hundred_steps_on_census_rows_the_networks_are_still_the_same() -> None:
    compare(CTGAN, CtganModel, "_generator", adult(500), epochs=50, batch=250)


LAID_OUT = [(RowSpan(1, "tanh"), RowSpan(3, "softmax")), (RowSpan(2, "softmax"),), (RowSpan(4, "softmax"),)]
"""A number with three modes, and two columns of two and four levels."""


class Empty(Streams):
    """Draws whose first try of the second model is nought everywhere: its softmax is no number."""

    def exponential(self, *size: int) -> torch.Tensor:
        values = super().exponential(*size)
        values[1] = 0
        return values


def test_a_draw_that_is_no_number_is_drawn_again_and_given_up_in_the_end() -> None:
    spans, made = Spans(LAID_OUT, "cpu"), torch.zeros(2, 5, 10)
    plain, again = (
        spans.activate(made, kind([torch.Generator().manual_seed(seed) for seed in (1, 2)], "cpu"))
        for kind in (Streams, Empty)
    )
    assert torch.equal(plain[0], again[0]), "of a model whose draws are numbers nothing is drawn anew"
    assert torch.isfinite(again).all()
    assert not torch.equal(plain[1], again[1])
    with pytest.raises(ValueError, match="no numbers"):
        spans.activate(torch.full_like(made, torch.nan), Streams([stream("cpu")] * 2, "cpu"))


def several() -> tuple[list[Table], list[int]]:
    """Worlds of three lengths and two layouts of a row, and their seeds."""
    people, numbers = mixed(131), odd_tables()["numbers only"]
    return [people, people.without(4), numbers, people, people.without(9), numbers], [5, 6, 7, 8, 9, 10]


@pytest.mark.parametrize(
    "generator",
    [
        Ctgan(epochs=8, batch_size=50),
        Tvae(epochs=3, batch_size=50),
        TabDdpm(training_steps=9, batch_size=50),
    ],
    ids=["ctgan", "tvae", "tabddpm"],
)
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=NEEDS_CUDA)])
def test_models_that_train_together_learn_what_each_learns_alone(
    generator: Any, device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: device == "cuda")
    tables, seeds = several()
    together = generator.fit_together(tables, [np.random.default_rng(seed) for seed in seeds])
    for table, seed, fitted in zip(tables, seeds, together, strict=True):
        alone = generator.fit(table, np.random.default_rng(seed))
        assert {weight.device.type for weight in fitted.model.network.parameters()} == {device}
        there, here = weights(alone.model.network), weights(fitted.model.network)
        for name, value in there.items():
            torch.testing.assert_close(here[name], value, atol=WITHIN, rtol=1e-4, msg=f"{name} differs")
        release, other = (fit.sample(80, np.random.default_rng(seed)) for fit in (fitted, alone))
        assert (release.codes == other.codes).all()
        np.testing.assert_allclose(release.numbers, other.numbers, rtol=1e-3, atol=1e-3)
    same_world = [weights(together[place].model.network) for place in (0, 3)]
    assert not torch.allclose(*(next(iter(each.values())) for each in same_world), atol=WITHIN)


def test_models_of_one_shape_share_their_products(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    class Counted(ctgan_training.Training):
        def __init__(self, together: Any, **how: bool) -> None:
            sizes.append(len(together))
            super().__init__(together, **how)

    monkeypatch.setattr(ctgan_training, "Training", Counted)
    tables, seeds = several()
    Ctgan(epochs=1, batch_size=50).fit_together(tables, [np.random.default_rng(seed) for seed in seeds])
    assert sorted(sizes) == [2, 4]


@pytest.mark.parametrize("generator", [Ctgan(), Tvae()], ids=["ctgan", "tvae"])
def test_without_the_library_it_is_the_training_that_says_so(generator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert generator.at_once() == 1


@pytest.mark.parametrize("generator", [Ctgan(), Tvae()], ids=["ctgan", "tvae"])
def test_several_train_side_by_side_where_a_device_is(generator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "has_cuda", lambda: False)
    assert generator.at_once() == 1
    monkeypatch.setattr(deep, "has_cuda", lambda: True)
    assert generator.at_once() == deep.TOGETHER > 1


@pytest.mark.parametrize("kind", [Ctgan, Tvae], ids=["ctgan", "tvae"])
def test_short_products_move_the_weights_by_more_than_rounding_and_by_less_than_a_step(kind: Any) -> None:
    """One step: with 8 bits most weights move as with 24, some the other way."""
    table = mixed(100)
    step = 2e-4 if kind is Ctgan else 1e-3

    def learnt(precision: str) -> dict[str, torch.Tensor]:
        fitted = kind(epochs=1, batch_size=100, precision=precision).fit(table, np.random.default_rng(3))
        return weights(fitted.model.network)

    long, short = learnt("float32"), learnt("bfloat16")
    off = torch.cat([(long[name] - short[name]).abs().ravel() for name in long if name.endswith("weight")])
    assert off.max() > WITHIN
    assert off.max() < 2.1 * step
    assert (off < step / 10).float().mean() > 0.9
