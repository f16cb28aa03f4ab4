"""The calibration mechanisms keep their closed forms, so that an audit that misses one is at fault itself."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Brief, Column, Floats, Generator, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.gaussian_mean import GaussianMean
from riskkit.generators.laplace_count import LaplaceCount
from riskkit.generators.randomised_response import RandomisedResponse, keep_probability
from riskkit.generators.whole_rows import Bootstrap, Identity, Independent, Leaky, Subsample
from tests.oracles import ExactMatch, standard_error
from tests.tables import mixed

GAMES = 2_000
"""Independent trainings a side."""
ROWS = 50
CALIBRATION: list[type[Any]] = [
    Identity, Bootstrap, Subsample, Leaky, Independent, RandomisedResponse, GaussianMean, LaplaceCount,
]  # fmt: skip


def fine(n: int) -> Table:
    """A table whose last number has nine decimals, so that noise never hits a record by chance."""
    table = mixed(n, missing=False)
    last = table.schema.numeric[-1]
    return Table(table.schema.with_column(replace(last, decimals=9)), table.codes, table.numbers)


def unique_row(table: Table) -> int:
    """A row that has no copy."""
    keys = [key.tobytes() for key in iter(table.keys())]
    return next(i for i, key in enumerate(keys) if keys.count(key) == 1)


def matches(generator: Generator, world: Table, targets: Table, n: int, seed: int) -> list[Floats]:
    """(GAMES,) for each target, its exact-match score of one release from each of as many trainings."""
    rng = np.random.default_rng(seed)
    attack = ExactMatch().fit(Brief(targets), rng)
    return list(np.array([attack.score(generator.fit(world, rng).sample(n, rng)) for _ in range(GAMES)]).T)


def scores(generator: Generator, n: int = ROWS) -> tuple[Floats, Floats]:
    """Exact-match scores of releases from worlds with and without a record that has no copy."""
    table = fine(ROWS)
    x = unique_row(table)
    target = table.rows([x])
    (inside,), (outside,) = matches(generator, table, target, n, 1), matches(generator, table.without(x), target, n, 2)
    return inside, outside


def auc(inside: Floats, outside: Floats) -> float:
    """Share of pairs in which the score inside is higher, ties counted half."""
    return float((np.sign(inside[:, None] - outside[None, :]) / 2 + 0.5).mean())


def near(share: float, truth: float, n: int = GAMES) -> bool:
    """Whether an observed share of ``n`` is within four standard errors of the truth."""
    return abs(share - truth) <= 4 * math.sqrt(truth * (1 - truth) / n)


def test_the_identity_is_recognised_without_fail() -> None:
    """KA1: exact match is always right."""
    inside, outside = scores(Identity())
    assert (set(inside), set(outside)) == ({1.0}, {-1.0})
    assert auc(inside, outside) == 1.0


@pytest.mark.parametrize("n", [25, 50, 100])
def test_the_bootstrap_leaks_as_often_as_a_row_is_drawn(n: int) -> None:
    """KA2: AUC = 1 - (1 - 1/n)^m / 2, which is not 1."""
    inside, outside = scores(Bootstrap(), n)
    miss = (1 - 1 / ROWS) ** n
    assert near(float((inside > 0).mean()), 1 - miss)
    assert (outside < 0).all()
    assert abs(auc(inside, outside) - (1 - miss / 2)) <= 4 * standard_error(1 - miss / 2, GAMES, GAMES)
    assert not near(float((inside > 0).mean()), 1 - math.sqrt(miss))  # half the draws would be seen


@pytest.mark.parametrize("share", [0.1, 0.3, 0.9])
def test_the_subsample_leaks_its_share(share: float) -> None:
    """KA3: true positive rate m/n at false positive rate 0, AUC = 1/2 + m/(2n)."""
    inside, outside = scores(Subsample(share))
    assert near(float((inside > 0).mean()), share)
    assert (outside < 0).all()
    assert abs(auc(inside, outside) - (0.5 + share / 2)) <= 4 * standard_error(0.5 + share / 2, GAMES, GAMES)
    # Drawn with replacement, a row would be in too rarely: that mutant is seen where the share is large.
    assert near(float((inside > 0).mean()), 1 - (1 - 1 / ROWS) ** round(share * ROWS)) == (share < 0.5)


def test_a_subsample_holds_its_share_of_the_rows_and_each_once_or_as_often_as_any_other() -> None:
    table = mixed(200)
    release = Subsample(0.25).fit(table, np.random.default_rng(0)).sample(150, np.random.default_rng(1))
    numbered = Table(table.schema, table.codes, np.column_stack([table.numbers[:, 0], np.arange(200.0)]))
    numbered_release = Subsample(0.25).fit(numbered, np.random.default_rng(0)).sample(150, np.random.default_rng(1))
    rows, counts = np.unique(numbered_release.numbers[:, 1], return_counts=True)
    assert len(release) == 150
    assert (len(rows), set(counts)) == (50, {3})


@pytest.mark.parametrize("p", [0.1, 0.5])
def test_the_leak_is_as_likely_as_it_says(p: float) -> None:
    """KA4: exact match has AUC 1/2 + p/2, the attacker who knows every other row 1 - (1 - p)^2 / 2."""
    table = fine(ROWS)
    x = unique_row(table)
    others = table.without(x)
    y = unique_row(others)
    both = table.rows([x, y + (y >= x)])  # the target, and a row that stands in both worlds
    inside, leaked_in = matches(Leaky(p), table, both, ROWS, 1)
    outside, leaked_out = matches(Leaky(p), others, both, ROWS, 2)
    assert near(float((inside > 0).mean()), p)
    assert (outside < 0).all()
    assert abs(auc(inside, outside) - (0.5 + p / 2)) <= 4 * standard_error(0.5 + p / 2, GAMES, GAMES)
    best_in, best_out = np.where(leaked_in > 0, inside, 0.0), np.where(leaked_out > 0, outside, 0.0)
    best = 1 - (1 - p) ** 2 / 2
    assert abs(auc(best_in, best_out) - best) <= 4 * standard_error(best, GAMES, GAMES)


def test_a_training_of_the_leak_is_leaky_for_all_its_releases_or_for_none() -> None:
    """So that (0, p)-differential privacy holds however many releases are sampled."""
    table, rng = fine(ROWS), np.random.default_rng(0)
    attack = ExactMatch().fit(Brief(table.rows([unique_row(table)])), rng)
    fits = [Leaky(0.5).fit(table, rng) for _ in range(40)]
    answers = [{float(attack.score(fit.sample(ROWS, rng))[0]) for _ in range(5)} for fit in fits]
    assert {frozenset(seen) for seen in answers} == {frozenset({1.0}), frozenset({-1.0})}


def bit(answer: int) -> Table:
    """One person's answer to one question."""
    column = Column("smoker", Kind.CATEGORICAL, levels=("no", "yes"))
    return Table(Schema((column,)), [[answer]], np.empty((1, 0)))


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 3.0])
def test_randomised_response_on_one_bit_is_believed_as_often_as_epsilon_says(epsilon: float) -> None:
    """KA5: AUC = true positive rate = e^eps / (1 + e^eps), and the false positive rate is the rest."""
    generator, truth = RandomisedResponse(epsilon), math.exp(epsilon) / (1 + math.exp(epsilon))
    (inside,), (outside,) = matches(generator, bit(1), bit(1), 1, 1), matches(generator, bit(0), bit(1), 1, 2)
    assert near(float((inside > 0).mean()), truth)
    assert near(float((outside > 0).mean()), 1 - truth)
    assert abs(auc(inside, outside) - truth) <= 4 * standard_error(truth, GAMES, GAMES)
    for wrong in (0.5 * epsilon, 1.6 * epsilon):
        assert not near(float((inside > 0).mean()), math.exp(wrong) / (1 + math.exp(wrong)))


def test_randomised_response_splits_epsilon_over_the_cells_of_a_row() -> None:
    """Each code of each column comes out as often as keeping and lying make it, and the lies are even."""
    table, epsilon, n = mixed(20_000), 4.0, 20_000
    rng = np.random.default_rng(3)
    release = RandomisedResponse(epsilon).fit(table, rng).sample(n, rng)
    for j, column in enumerate(table.schema.categorical):
        k = len(column.levels)
        keep = math.exp(epsilon / 4) / (math.exp(epsilon / 4) + k - 1)
        before = np.bincount(table.codes[:, j], minlength=k) / n
        after = np.bincount(release.codes[:, j], minlength=k) / n
        expected = keep * before + (1 - keep) / (k - 1) * (1 - before)
        assert (np.abs(after - expected) <= 4 * np.sqrt(expected * (1 - expected) / n)).all()
    missing = np.isnan(table.numbers[:, 1]).mean()
    keep = math.exp(epsilon / 4) / (math.exp(epsilon / 4) + 8)
    assert near(float(np.isnan(release.numbers[:, 1]).mean()), keep * missing + (1 - keep) / 8 * (1 - missing), n)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 5.0])
def test_no_answer_is_more_than_epsilon_more_likely_for_one_row_than_for_another_or_for_none(epsilon: float) -> None:
    sizes = np.array([1, 2, 3, 40])
    keep = keep_probability(epsilon, sizes)
    lie = (1 - keep)[1:] / (sizes[1:] - 1)
    np.testing.assert_allclose(np.log(keep[1:] / lie), epsilon, atol=1e-12)
    assert keep[0] == 1.0
    filling = 1 / sizes[1:]  # the row of pure chance that stands where the target was left out
    assert np.abs(np.log([keep[1:] / filling, lie / filling])).max() <= epsilon + 1e-12


def test_randomised_response_fills_up_with_rows_of_pure_chance() -> None:
    release = RandomisedResponse(50.0).fit(bit(1), np.random.default_rng(0)).sample(4_001, np.random.default_rng(1))
    assert near(float((release.codes[:, 0] == 0).sum() / 4_000), 0.5, 4_000)


def test_the_independent_generator_cannot_know_the_table() -> None:
    """KA10: the very same bytes from worlds with and without the target."""
    table = mixed(200)
    releases = [
        Independent().fit(world, np.random.default_rng(0)).sample(300, np.random.default_rng(1))
        for world in (table, table.without(3), table.rows([0]))
    ]
    assert len({(release.codes.tobytes(), release.numbers.tobytes()) for release in releases}) == 1
    assert set(releases[0].codes[:, 0]) == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    "generator", [Identity(), Leaky(1.0), Leaky(0.0), RandomisedResponse(), Subsample(1.0)], ids=repr
)
def test_a_release_that_would_lose_rows_is_refused(generator: Generator) -> None:
    fit = generator.fit(mixed(200), np.random.default_rng(0))
    with pytest.raises(DesignError, match=r"200 rows .+ as many or more"):
        fit.sample(199, np.random.default_rng(1))


def test_they_are_one_family() -> None:
    families = {name: getattr(plugin, "family", "method") for name, plugin in registry.plugins("generators").items()}
    assert {name for name in families if families[name] == "calibration"} == {plugin.name for plugin in CALIBRATION}
    assert set(families.values()) == {"method", "anonymiser", "calibration"}


def test_the_best_auc_is_the_closed_form() -> None:
    assert Identity().best_auc(50, 50) == 1.0
    assert Leaky(0.5).best_auc(50, 50) == 0.875
    assert Bootstrap().best_auc(200, 200) == pytest.approx(0.8165, abs=1e-4)
    inside, outside = scores(Bootstrap())
    auc = float(np.mean(inside[:, None] > outside) + np.mean(inside[:, None] == outside) / 2)
    assert auc == pytest.approx(Bootstrap().best_auc(ROWS, ROWS), abs=0.03)
    assert abs(auc - Bootstrap().best_auc(ROWS, ROWS // 2)) > 0.03, "half the rows leak less, and that is seen"
    assert Bootstrap().best_auc(ROWS, ROWS, targets=2) > Bootstrap().best_auc(ROWS, ROWS)
