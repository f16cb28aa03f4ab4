"""The randomised-secret game: chance where nothing leaks, certainty where rows are repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games import randomised_secret
from riskkit.games.attribute import AttributeQuestion
from riskkit.games.randomised_secret import RandomisedSecret, Trials, gather
from riskkit.registry import parse
from riskkit.table.features import Encoded, Secret
from tests.tables import mixed

TABLE = mixed(400)
TARGETS = np.arange(0, 400, 10)
SMOKER = "smoker"


@dataclass(frozen=True)
class Others:
    """Rows drawn with replacement from all but the targets: knows the population, and nothing of the targets."""

    fitted: Any = None

    def fit(self, table: Table, rng: np.random.Generator) -> Others:
        return Others(table.rows(np.setdiff1d(np.arange(len(table)), TARGETS)))

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        return self.fitted.rows(rng.integers(0, len(self.fitted), n))


def game(generator: Any, secret: str = SMOKER, model: str = "tree:leaf=1", **settings: Any) -> RandomisedSecret:
    known = tuple(column.name for column in TABLE.schema.modelled if column.name != secret)
    question = AttributeQuestion(secret, known, parse("inference", model))
    return RandomisedSecret(TABLE, generator, question, TARGETS, 400, **{"seed": 1, **settings})


def played(generator: Any, secret: str, model: str, trainings: int = 40) -> Trials:
    dealt = game(generator, secret, model)
    return gather([dealt.trial(number) for number in range(trainings)])


def by_training(trials: Trials) -> tuple[float, float]:
    """The mean gain and its standard error, counting trainings."""
    means = np.array([trials.gain[trials.training == number].mean() for number in np.unique(trials.training)])
    return float(means.mean()), float(means.std(ddof=1) / np.sqrt(len(means)))


def check_chance_without_leakage(secret: str) -> None:
    """The release tells much of the population (``age`` goes with ``ward``), nothing of the targets."""
    mean, error = by_training(played(Others(), secret, "tree:leaf=5"))
    assert abs(mean) < 4 * error


@pytest.mark.parametrize("secret", ["smoker", "ward", "age", "score"])
def test_without_leakage_success_is_chance(secret: str) -> None:
    check_chance_without_leakage(secret)


@pytest.mark.parametrize("secret", ["ward", "age"])
def test_asking_for_the_true_secret_would_call_the_population_a_leak(
    secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: the secret that is graded is the person's own, which people like them give away."""

    def own(dealt: RandomisedSecret, rng: np.random.Generator) -> tuple[Table, Any]:
        truth = Secret.take(dealt.table, dealt.question.secret).truth
        return dealt.table, truth[dealt.targets]

    monkeypatch.setattr(RandomisedSecret, "redraw", own)
    with pytest.raises(AssertionError):
        check_chance_without_leakage(secret)


def test_a_majority_as_chance_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = randomised_secret.grade

    def majority(guess: Any, drawn: Any, secret: Any) -> Any:
        success, chance = honest(guess, drawn, secret)
        return success, np.full_like(chance, np.bincount(secret.codes).max() / len(secret))

    monkeypatch.setattr(randomised_secret, "grade", majority)
    with pytest.raises(AssertionError):
        check_chance_without_leakage("ward")


@pytest.mark.parametrize("secret", ["smoker", "ward", "age", "score"])
def test_a_release_that_repeats_its_rows_gives_every_draw_away(secret: str) -> None:
    """Targets that nobody equals in what is known: the row found is their own, and says what was drawn."""
    known = tuple(column.name for column in TABLE.schema.modelled if column.name != secret)
    _, first, count = np.unique(Encoded(TABLE).features(known).keys(), return_index=True, return_counts=True)
    question = AttributeQuestion(secret, known, parse("inference", "copy"))
    alone = np.sort(first[count == 1])[:40]
    dealt = RandomisedSecret(TABLE, parse("generators", "identity"), question, alone, len(TABLE), 1)
    trials = gather([dealt.trial(number) for number in range(3)])
    assert len(trials) == 120
    column = TABLE.schema.column(secret)
    if column.is_numeric:
        np.testing.assert_allclose(trials.success, 0.0, atol=1e-9)  # no error at all
        assert (trials.chance < -0.3).all()
    else:
        share = np.bincount(TABLE.codes[:, TABLE.schema.categorical.index(column)]) / len(TABLE)
        assert (trials.success == 1).all()
        np.testing.assert_allclose(trials.chance, share[trials.drawn])
    assert trials.gain.mean() > 0.3


def test_only_the_targets_secrets_are_replaced() -> None:
    table, drawn = game(Others()).redraw(np.random.default_rng(0))
    np.testing.assert_array_equal(table.codes[TARGETS, 1], drawn)
    kept = np.setdiff1d(np.arange(400), TARGETS)
    np.testing.assert_array_equal(table.codes[kept], TABLE.codes[kept])
    np.testing.assert_array_equal(table.codes[:, 0], TABLE.codes[:, 0])
    np.testing.assert_array_equal(table.numbers, TABLE.numbers)
    gaps, drawn = game(Others(), "score").redraw(np.random.default_rng(0))
    assert not np.isnan(drawn).any()
    np.testing.assert_array_equal(gaps.numbers[TARGETS, 1], drawn)


def test_a_training_is_the_same_whatever_else_is_run() -> None:
    first, alone = game(Others()), game(Others())
    first.trial(0)
    third, again = first.trial(3), alone.trial(3)
    assert (third.guess == again.guess).all()
    assert (third.drawn == again.drawn).all()
    assert (third.drawn != game(Others(), seed=2).trial(3).drawn).any()
    assert (third.drawn != alone.trial(4).drawn).any()


def test_no_guess_is_never_right_and_has_no_chance() -> None:
    trials = played(parse("generators", "independent"), "smoker", "cap:no_match=nothing", trainings=1)
    silent = trials.guess == -1
    assert silent.any()
    assert (trials.chance[silent] == 0).all()
    assert (trials.success[silent] == 0).all()


@pytest.mark.parametrize("targets", [[], [0, 0], [-1], [400]])
def test_targets_that_are_no_rows_are_refused(targets: list[int]) -> None:
    question = AttributeQuestion("smoker", ("age",), parse("inference", "cap"))
    with pytest.raises(DesignError, match=r"each once, by its row: 0 to 399\.$"):
        RandomisedSecret(TABLE, Others(), question, np.array(targets), 400, 1)
    with pytest.raises(DesignError, match="tells nothing"):
        RandomisedSecret(TABLE, Others(), question, TARGETS, 0, 1)
