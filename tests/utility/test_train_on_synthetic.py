"""What trees learn from a release: counted by hand where it can be, and as in the literature on Adult."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks import utility, utility_models
from benchmarks.train_on_synthetic import LEVELS, Learnt, train_on_synthetic
from riskkit.core import MISSING, Column, Kind, Role, Schema, Table
from riskkit.errors import DesignError
from tests.tables import mixed, needs_adult, numeric


def learnt(release: Table, test: Table, column: str = "smoker") -> Learnt:
    """What is learnt, with a fixed chance."""
    return train_on_synthetic(release, test, column, np.random.default_rng(0))


def signs(n: int, seed: int, *, levels: int = 3) -> Table:
    """A sort that tells the answer, a number that does not; in the last column the answer."""
    rng = np.random.default_rng(seed)
    sort, x = rng.integers(levels, size=n), np.round(100 * rng.random(n))
    columns = (
        Column("sort", Kind.CATEGORICAL, levels=tuple(f"l{i}" for i in range(levels))),
        Column("x", Kind.NUMERIC, high=100.0, mean=50.0, sd=29.0),
        Column("answer", Kind.CATEGORICAL, levels=("no", "yes"), role=Role.SECRET),
    )
    return Table(Schema(columns), np.column_stack([sort, sort % 2]), x[:, None])


def test_what_a_column_says_for_sure_is_learnt() -> None:
    """From the same law nothing is told wrong; from its opposite everything is."""
    release, test = signs(400, 1), signs(300, 2)
    reached = learnt(release, test, "answer")
    ones = test.codes[:, 1].mean()
    assert reached == Learnt(1.0, 1.0, pytest.approx(1 - ones), 300)
    turned = Table(release.schema, np.column_stack([release.codes[:, 0], 1 - release.codes[:, 1]]), release.numbers)
    reached = learnt(turned, test, "answer")
    assert reached == Learnt(0.0, 0.0, pytest.approx(ones), 300)


def test_what_is_not_in_the_release_is_not_learnt() -> None:
    """Answers shuffled in both: right half the time, within four standard errors; the secret itself is no feature."""
    release, test = (
        Table(each.schema, np.column_stack([each.codes[:, 0], rng.permutation(each.codes[:, 1])]), each.numbers)
        for each, rng in ((signs(2_000, seed, levels=2), np.random.default_rng([3, seed])) for seed in (1, 2))
    )
    assert abs(learnt(release, test, "answer").accuracy - 0.5) < 4 * 0.5 / np.sqrt(2_000)


def test_the_majority_is_the_releases_and_not_the_tests() -> None:
    """Three of four say no in the release, one of four in the test rows."""
    schema = signs(4, 0).schema
    release = Table(schema, [[0, 0], [0, 0], [0, 0], [1, 1]], np.zeros((4, 1)))
    test = Table(schema, [[0, 0], [1, 1], [1, 1], [1, 1]], np.zeros((4, 1)))
    assert learnt(release, test, "answer").majority == 0.25


def test_a_release_with_one_answer_teaches_that_answer() -> None:
    release, test = signs(50, 1), signs(200, 2)
    same = Table(release.schema, np.column_stack([release.codes[:, 0], np.ones(50, dtype=int)]), release.numbers)
    share = float(test.codes[:, 1].mean())
    assert learnt(same, test, "answer") == Learnt(share, 0.5, share, 200)


def test_a_release_without_other_columns_teaches_the_majority() -> None:
    schema = Schema((signs(1, 0).schema.column("answer"),))
    release = Table(schema, [[1], [1], [0]], np.empty((3, 0)))
    test = Table(schema, [[1], [0], [0], [0]], np.empty((4, 0)))
    assert learnt(release, test, "answer") == Learnt(0.25, 0.5, 0.25, 4)


def test_a_level_that_the_release_does_not_hold_is_no_error() -> None:
    """Its people are told by their other columns; the others are told as before."""
    release, test = signs(400, 1, levels=4), signs(400, 2, levels=4)
    seen = release.rows(release.codes[:, 0] < 3)
    reached = learnt(seen, test, "answer")
    known = test.codes[:, 0] < 3
    assert learnt(seen, test.rows(known), "answer").accuracy == 1.0
    assert reached.accuracy >= known.mean()


def test_missing_numbers_and_categories_are_learnt_from() -> None:
    """The answer is whether both are missing, which no value of either tells."""
    rng = np.random.default_rng(4)
    gone, n = rng.random((2, 800)) < 0.5, 800
    number = np.where(gone[0], np.nan, np.round(10 * rng.random(n)))
    columns = (
        Column("ward", Kind.CATEGORICAL, levels=("a", "b", MISSING), has_missing=True),
        numeric("x", number),
        Column("answer", Kind.CATEGORICAL, levels=("no", "yes")),
    )
    codes = np.column_stack([np.where(gone[1], 2, rng.integers(2, size=n)), gone[0] & gone[1]])
    table = Table(Schema(columns), codes, number[:, None])
    reached = learnt(table.rows(slice(0, 400)), table.rows(slice(400, 800)), "answer")
    assert reached.accuracy == 1.0
    assert reached.majority < 0.85


def test_more_levels_than_the_trees_can_tell_apart() -> None:
    """The frequent ones still are."""
    rng = np.random.default_rng(5)
    levels, n = 3 * LEVELS, 4_000
    sort = np.where(rng.random(n) < 0.5, rng.integers(20, size=n), rng.integers(levels, size=n))
    columns = (
        Column("sort", Kind.CATEGORICAL, levels=tuple(f"l{i}" for i in range(levels))),
        Column("answer", Kind.CATEGORICAL, levels=("no", "yes")),
    )
    table = Table(Schema(columns), np.column_stack([sort, sort % 2]), np.empty((n, 0)))
    often = table.rows(table.codes[:, 0] < 20)
    reached = learnt(table.rows(slice(0, 3_000)), often, "answer")
    assert reached.accuracy > 0.95


def test_one_chance_gives_one_answer() -> None:
    release, test = mixed(200, 1), mixed(200, 2)
    test = Table(release.schema, test.codes, np.clip(test.numbers, 18, 99))
    assert learnt(release, test) == learnt(release, test)


def test_what_cannot_be_learnt_is_refused() -> None:
    table = mixed(60)
    with pytest.raises(DesignError, match="no column named"):
        learnt(table, table, "income")
    with pytest.raises(DesignError, match="'age' is not a category"):
        learnt(table, table, "age")
    ignored = table.schema.with_column(replace(table.schema.column("smoker"), role=Role.IGNORED))
    without = Table(ignored, table.codes[:, :1], table.numbers)
    with pytest.raises(DesignError, match="'smoker' is not a category"):
        learnt(without, without)
    with pytest.raises(DesignError, match="different schemas"):
        learnt(table, without)
    for release, test in ((table.rows([]), table), (table, table.rows([]))):
        with pytest.raises(DesignError, match="no rows"):
            learnt(release, test)


def test_where_one_more_training_would_lie_by_hand() -> None:
    """Of 1, 2 and 3 the mean is 2 and the SD 1; Student's 4.3027 on 2 degrees of freedom, times the root of 4 / 3."""
    low, high = utility_models.next_one(np.array([1.0, 2.0, 3.0]))
    assert (low, high) == pytest.approx((2 - 4.9683, 2 + 4.9683), abs=1e-4)
    assert utility_models.cell(np.array([1.0, 2.0, 3.0]), 7.0) == "2.000 [-2.968, 6.968] | 7.000, above"
    assert utility_models.cell(np.array([1.0, 2.0, 3.0]), -3.0).endswith("below")
    assert utility_models.cell(np.array([1.0, 2.0, 3.0]), 6.9).endswith("inside")
    assert utility_models.cell(np.array([1.0, 2.0, 3.0]), None).endswith("| ")


def test_models_learn_what_a_column_says_for_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret itself is no column that a model sees: from a release without a sign each says the most frequent."""
    monkeypatch.setattr(utility, "SECRET", "answer")
    monkeypatch.setattr(utility_models, "SECRET", "answer")
    release, test = signs(400, 1), signs(300, 2)
    for learn in utility_models.models().values():
        assert learn(release, test, 0) == 1.0
    rows, secrets = utility_models.parted(release)
    assert rows.shape == (400, 4), "three sorts and one number"
    assert secrets.tolist() == release.codes[:, 1].tolist()


@needs_adult
@pytest.mark.slow
def test_networks_and_moments_of_adult_are_as_useful_as_in_the_literature() -> None:
    """Table 4 of Miura and others: .837 from the network, .793 from mean and covariance; noise teaches nothing."""
    useful: dict[str, list[float]] = {"stat": [], utility.NETWORK: [], "independent": []}
    for seed in range(utility.SEEDS):
        train, test = utility.halves(seed)
        for name, accuracies in useful.items():
            accuracies.append(utility.learnt(utility.released(name, train, seed), test, seed).accuracy)
    assert min(useful[utility.NETWORK]) >= 0.82
    assert 0.76 <= min(useful["stat"]) <= max(useful["stat"]) <= 0.82
    assert min(np.array(useful[utility.NETWORK]) - useful["stat"]) > 0.02
    assert max(useful["independent"]) < 0.76
