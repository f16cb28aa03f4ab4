"""TabDDPM: noise against matrices and joint normal laws, the loss written plainly, and what a training learns."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'riskkit[deep]'")

import torch
from torch import Tensor
from torch.nn import functional

from riskkit.core import Column, Kind, Schema, Table
from riskkit.generators.engines.deep import chance_from, from_frame, to_frame
from riskkit.generators.engines.diffusion import (
    NEVER,
    RATE,
    Denoising,
    Diffusion,
    DiffusionPlan,
    LevelPlaces,
    NoiseSteps,
    NormalScores,
    learn,
    noise_of_steps,
    waves_of,
)
from riskkit.generators.engines.stack import Streams
from riskkit.generators.tabddpm import TabDdpm
from tests.generators.test_deep import odd_tables
from tests.tables import mixed, numeric

SCHEDULES = ("linear", "cosine")
SIZES = (2, 5, 1, 3)


def chance(seed: int = 1) -> Streams:
    """Draws of one model."""
    return Streams([torch.Generator().manual_seed(seed)], "cpu")


def one_step(noise: float, size: int) -> np.ndarray:
    """From which level a step leads to which: as it was, or any."""
    return (1 - noise) * np.eye(size) + noise / size


def chains(schedule: str, steps: int, size: int) -> list[np.ndarray]:
    """From which level so many steps lead to which, multiplied out; of no step first."""
    made = [np.eye(size)]
    for noise in noise_of_steps(schedule, steps).tolist():
        made.append(made[-1] @ one_step(noise, size))
    return made


def test_noise_grows_from_almost_none_until_nothing_is_left() -> None:
    thousand = noise_of_steps("linear", 1000).numpy()
    np.testing.assert_allclose(thousand[[0, -1]], [1e-4, 0.02])
    np.testing.assert_allclose(np.diff(thousand), (0.02 - 1e-4) / 999)
    for schedule in SCHEDULES:
        for steps in (25, 200, 1000):
            noise = NoiseSteps(schedule, steps, "cpu")
            assert 0.95 < noise.left[0] < 1, "almost all is left after the first"
            assert noise.left[-1] < 2e-4, "nearly nothing after the last"
            assert (noise.left.diff() < 0).all()
    left = NoiseSteps("cosine", 100, "cpu").left[49]
    assert math.isclose(left, (math.cos(0.508 / 1.008 * math.pi / 2) / math.cos(0.008 / 1.008 * math.pi / 2)) ** 2,
                        rel_tol=1e-5)  # fmt: skip


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_levels_after_some_steps_follow_the_chain_multiplied_out(schedule: str) -> None:
    noise, levels, draws = NoiseSteps(schedule, 30, "cpu"), LevelPlaces(SIZES, "cpu"), 40_000
    codes = torch.tensor([1, 3, 0, 2]).expand(1, draws, 4)
    for step in (0, 12, 29):
        got = noise.on_levels(levels, codes, torch.full((1, draws), step), chance(step))[0].numpy()
        for column, size in enumerate(SIZES):
            law = chains(schedule, 30, size)[step + 1][codes[0, 0, column]]
            seen = np.bincount(got[:, column], minlength=size) / draws
            assert (abs(seen - law) <= 4.5 * np.sqrt(law * (1 - law) / draws) + 1e-6).all(), (step, column, seen, law)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_levels_before_a_step_follow_bayes_over_every_path(schedule: str) -> None:
    steps, levels, rng = 30, LevelPlaces(SIZES, "cpu"), np.random.default_rng(3)
    noise = NoiseSteps(schedule, steps, "cpu")
    for step in (0, 1, 7, 29):
        shares = np.concatenate([rng.dirichlet(np.ones(size)) for size in SIZES])
        codes = np.array([rng.integers(size) for size in SIZES])
        got = noise.levels_before(
            levels,
            torch.tensor(shares, dtype=torch.float32)[None, None],
            torch.tensor(codes)[None, None],
            torch.full((1, 1), step),
        )[0, 0].numpy()
        for span, size, code in zip(levels.spans, SIZES, codes, strict=True):
            before = shares[span] @ chains(schedule, steps, size)[step]
            law = before * one_step(float(noise_of_steps(schedule, steps)[step]), size)[:, code]
            np.testing.assert_allclose(got[span], law / law.sum(), rtol=2e-4, atol=1e-6)


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_numbers_before_a_step_have_the_mean_of_the_joint_normal_law(schedule: str) -> None:
    """Given a start, what was before a step and what is after it are jointly normal: regressed by their covariance."""
    steps, start, normal = 30, 0.7, -0.4
    noise, each = NoiseSteps(schedule, steps, "cpu"), noise_of_steps(schedule, steps).numpy()
    for step in (1, 7, 28):
        before, left = np.prod(1 - each[:step]), np.prod(1 - each[: step + 1])
        now = math.sqrt(left) * start + math.sqrt(1 - left) * normal
        slope = math.sqrt(1 - each[step]) * (1 - before) / (1 - left)
        mean = math.sqrt(before) * start + slope * (now - math.sqrt(left) * start)
        reached = torch.full((1, 1), step)
        value = noise.on_numbers(torch.full((1, 1, 1), start), reached, torch.full((1, 1, 1), normal))
        assert math.isclose(float(value), now, rel_tol=1e-4)
        still, moved = (
            noise.numbers_before(value, step, torch.full((1, 1, 1), normal), torch.full((1, 1, 1), drawn))
            for drawn in (0.0, 2.0)
        )
        assert math.isclose(float(still), mean, rel_tol=1e-3, abs_tol=1e-4)
        assert math.isclose(float(moved - still), 2 * math.sqrt(each[step]), rel_tol=1e-3)
    value = torch.full((1, 1, 1), 0.3)
    first = [float(noise.numbers_before(value, 0, value, torch.full((1, 1, 1), drawn))) for drawn in (0.0, 9.0)]
    assert first[0] == first[1], "nothing is added in the last step back"


def test_a_law_is_drawn_from_as_it_says() -> None:
    levels, rng, draws = LevelPlaces(SIZES, "cpu"), np.random.default_rng(5), 40_000
    law = np.concatenate([rng.dirichlet(np.ones(size)) for size in SIZES])
    got = levels.draw(torch.tensor(law, dtype=torch.float32).expand(1, draws, -1), chance())[0].numpy()
    alike = levels.any(chance(2), draws)[0].numpy()
    for column, (span, size) in enumerate(zip(levels.spans, SIZES, strict=True)):
        for drawn, wanted in ((got, law[span]), (alike, np.full(size, 1 / size))):
            seen = np.bincount(drawn[:, column], minlength=size) / draws
            assert (abs(seen - wanted) <= 4.5 * np.sqrt(wanted * (1 - wanted) / draws) + 1e-6).all()


def loss(parts: dict[str, Tensor], training: Any, rows: tuple[Tensor, ...]) -> Tensor:
    """The loss of one model written plainly, by chains of matrices."""
    numbers, codes, reached, normal, noisy = rows
    noise, levels = training.noise, training.networks.levels
    each = noise.noise.double()
    shown = zip(noisy.T, levels.sizes.tolist(), strict=True)
    seen = torch.cat([torch.empty(len(reached), 0)] + [functional.one_hot(column, size) for column, size in shown], 1)
    seen = torch.log(seen.double().clamp(min=1e-30)) if levels.is_logarithm else seen.double()
    left = noise.left.double()[reached][:, None]
    row = torch.cat([left.sqrt() * numbers + (1 - left).sqrt() * normal, seen], 1)
    step = waves_of(noise.steps).double()[reached] @ parts["step.0.weight"].T + parts["step.0.bias"]
    inner = row @ parts["enter.weight"].T + parts["enter.bias"]
    inner = inner + functional.silu(step) @ parts["step.1.weight"].T + parts["step.1.bias"]
    for layer in range(4):
        inner = inner @ parts[f"tower.{layer}.weight"].T + parts[f"tower.{layer}.bias"]
        inner = inner.relu() if layer < 3 else inner
    wide = numbers.shape[1]
    of_numbers = (inner[:, :wide] - normal).square().mean() if wide else torch.zeros(())
    costs = []
    for place, span in enumerate(levels.spans):
        size = int(levels.sizes[place])
        guess = inner[:, wide:][:, span].softmax(1)
        for row_number, t in enumerate(reached.tolist()):
            chain = torch.eye(size, dtype=torch.float64)
            for earlier in each[:t]:
                chain = chain @ ((1 - earlier) * torch.eye(size, dtype=torch.float64) + earlier / size)
            came = ((1 - each[t]) * torch.eye(size, dtype=torch.float64) + each[t] / size)[:, noisy[row_number, place]]
            true, guessed = (chain[codes[row_number, place]] * came, guess[row_number] @ chain * came)
            true, guessed = true / true.sum(), guessed / guessed.sum()
            costs.append(torch.special.xlogy(true, true).sum() - (true * guessed.log()).sum())
    of_levels = (
        torch.stack(costs).sum() * noise.steps / (len(reached) * len(levels.sizes)) if costs else torch.zeros(())
    )
    return of_numbers + of_levels


PLAN = DiffusionPlan(training_steps=5, batch_size=50, noise_steps=25, schedule="linear", is_logarithm=False)


def starts(table: Table, seeds: range, **how: Any) -> list[Any]:
    """Models whose training may begin."""
    made = []
    for seed in seeds:
        model = Diffusion(replace(PLAN, **how), "cpu")
        with chance_from(np.random.default_rng(seed), model):
            made.append(model.begin(*to_frame(table)))
    return made


@pytest.mark.parametrize("is_logarithm", [False, True], ids=["ones", "logarithms"])
@pytest.mark.parametrize("what", ["mixed", *odd_tables()])
def test_every_gradient_is_that_of_the_loss_written_plainly(what: str, is_logarithm: bool) -> None:
    """Of two models that are trained together; the first and the last step of noise are among the drawn ones."""
    table = {"mixed": mixed(40), **odd_tables()}[what]
    together = starts(table, range(2), is_logarithm=is_logarithm, schedule="cosine")
    training = Denoising(together)
    numbers, codes = (torch.stack([getattr(each, name)[:9] for each in together]) for name in ("numbers", "codes"))
    reached = torch.tensor([[0, 0, 24, 1, 3, 9, 12, 20, 23], [24, 2, 0, 5, 5, 6, 17, 0, 11]])
    normal = training.chance.normal(*numbers.shape[1:])
    noisy = training.noise.on_levels(training.networks.levels, codes, reached, training.chance)
    weights = training.networks.stack.weights
    made = torch.autograd.grad(training.loss(numbers, codes, reached, normal, noisy), list(weights.values()))
    for model in range(2):
        parts = {name: values[model].detach().double().requires_grad_() for name, values in weights.items()}
        rows = (numbers[model].double(), codes[model], reached[model], normal[model].double(), noisy[model])
        plain = torch.autograd.grad(loss(parts, training, rows), list(parts.values()))
        for name, got, wanted in zip(weights, made, plain, strict=True):
            off = (got[model].double() - wanted).abs().max() / max(float(wanted.abs().max()), 1e-6)
            assert off < 2e-3, f"{name} is off by {float(off):.1e} of its greatest gradient"


def test_every_row_is_seen_as_often_and_the_last_steps_are_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    table, seen, rates = mixed(64), [], []

    def step(_: object, numbers: Tensor, codes: Tensor, rate: float) -> None:
        seen.append(numbers[0])
        rates.append(rate)

    monkeypatch.setattr(Denoising, "step", step)
    begun = starts(table, range(1), training_steps=32, batch_size=10)
    learn(begun)
    assert {len(batch) for batch in seen} == {10}
    counts = (torch.cat(seen)[:, None] == begun[0].numbers[None]).all(2).sum(0)
    assert counts.sum() == 320
    assert counts.tolist() == [5] * 64
    np.testing.assert_allclose(rates, RATE * (1 - np.arange(32) / 32))


def test_a_row_more_or_less_is_no_other_amount_of_training(monkeypatch: pytest.MonkeyPatch) -> None:
    for rows in (60, 61, 100, 101):
        taken: list[int] = []
        monkeypatch.setattr(Denoising, "step", lambda _, numbers, *rest, to=taken: to.append(numbers.shape[1]))
        learn(starts(mixed(rows), range(1), training_steps=7, batch_size=60))
        assert taken == [60] * 7, "neither more steps nor larger ones"


@pytest.mark.parametrize("what", ["mixed", *odd_tables()])
def test_what_is_encoded_comes_back(what: str) -> None:
    table = {"mixed": mixed(400), **odd_tables()}[what]
    frame, discrete = to_frame(table)
    scores = NormalScores(frame, discrete)
    back = from_frame(pd.DataFrame(scores.back(scores.numbers, scores.codes)), table.schema)
    assert back.codes.tobytes() == table.codes.tobytes()
    np.testing.assert_array_equal(np.isnan(back.numbers), np.isnan(table.numbers))
    spread = np.array([column.sd for column in table.schema.numeric])
    assert (np.nan_to_num(abs(back.numbers - table.numbers)) <= 0.5 * spread).all(), "within a few ranks"
    assert (abs(scores.numbers) < 5.3).all()


def test_levels_are_shown_as_shares_or_as_the_logarithms_of_the_authors() -> None:
    codes = torch.tensor([[[1, 0, 0, 2]]])
    ones = LevelPlaces(SIZES, "cpu").view(codes)[0, 0]
    assert ones.tolist() == [0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 1]
    logs = LevelPlaces(SIZES, "cpu", is_logarithm=True).view(codes)[0, 0]
    torch.testing.assert_close(logs, torch.where(ones == 1, 0.0, NEVER))
    assert math.isclose(NEVER, -69.0776, rel_tol=1e-5)


@pytest.mark.parametrize("weight", [1e6, math.nan])
def test_guesses_that_run_away_end_at_the_ends_of_ranges_or_are_said(weight: float) -> None:
    begun = starts(mixed(60), range(1), schedule="cosine")[0]
    with torch.no_grad():
        begun.model.network.tower[-1].weight.fill_(weight)
        if math.isnan(weight):
            with pytest.raises(ValueError, match="no numbers"):
                begun.model.sample(20)
            return
        made = from_frame(begun.model.sample(20), mixed(60).schema)
    low, high = (np.array([getattr(column, end) for column in made.schema.numeric]) for end in ("low", "high"))
    numbers = made.numbers[~np.isnan(made.numbers).any(1)]
    assert np.isin(numbers, np.concatenate([low, high])).mean() > 0.9


def known() -> Table:
    """A ward that has half of the people, a test that follows the ward, and a number that follows both."""
    rng = np.random.default_rng(8)
    ward = rng.choice(3, 600, p=[0.5, 0.3, 0.2]).astype(np.int32)
    test = np.where(rng.random(600) < 0.95, ward == 0, ward != 0).astype(np.int32)
    age = 20 + 20 * ward + 5 * rng.standard_normal(600)
    schema = Schema(
        (
            Column("ward", Kind.CATEGORICAL, levels=("a", "b", "c")),
            Column("test", Kind.CATEGORICAL, levels=("no", "yes")),
            numeric("age", age, decimals=2),
        )
    )
    return Table(schema, np.stack([ward, test], 1), age[:, None])


@pytest.mark.second
def test_a_training_learns_shares_and_what_hangs_together() -> None:
    table = known()
    made = TabDdpm(training_steps=800).fit(table, np.random.default_rng(1)).sample(4000, np.random.default_rng(2))
    ward, test = made.codes.T
    np.testing.assert_allclose(np.bincount(ward, minlength=3) / 4000, [0.5, 0.3, 0.2], atol=0.08)
    assert abs(((ward == 0) == (test == 1)).mean() - 0.95) < 0.04
    for level in range(3):
        ages = made.numbers[ward == level, 0]
        assert abs(np.median(ages) - (20 + 20 * level)) < 3
        assert 3 < np.subtract(*np.percentile(ages, [84, 16])) / 2 < 8
    short = TabDdpm(training_steps=20).fit(table, np.random.default_rng(1)).sample(4000, np.random.default_rng(2))
    ward, test = short.codes.T
    assert ((ward == 0) == (test == 1)).mean() < 0.9, "the planted fault: a training that has hardly begun is seen"
