"""Sequential trees as a function of their table: the rule for ties, the chance of a row, the table less a row."""

import math
from dataclasses import fields, is_dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from riskkit.core import Column, Kind, LeaveOneOut, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines import cart
from riskkit.generators.engines.cart import Tree
from riskkit.generators.synthpop import SettledSynthpop, Synthpop
from tests.generators.nasty import nasty
from tests.generators.plain_trees import PlainTrees, plain_rows
from tests.tables import mixed, numeric

SMOOTHINGS = ("none", "gap", "density")


def fitted(table: Table, **settings: Any) -> SettledSynthpop:
    """A fit that is a function of the table."""
    made = Synthpop(**settings).fit(table, np.random.default_rng(0))
    assert isinstance(made, SettledSynthpop)
    return made


def settings(seed: int) -> dict[str, Any]:
    """Settings that go with a nasty table."""
    visit = ("file", "few_levels_first")[seed % 2]
    return {"minimum_leaf": (1, 2, 3, 5)[seed % 4], "smoothing": SMOOTHINGS[seed % 3], "visit": visit}


def differences(left: Any, right: Any, where: str = "fit") -> list[str]:
    """What of two fits differs in any bit, by name."""
    if isinstance(left, np.ndarray):
        same = left.dtype == right.dtype and left.shape == right.shape and left.tobytes() == right.tobytes()
        return [] if same else [where]
    if type(left) is not type(right):
        return [where]
    if is_dataclass(left):
        pairs = [(getattr(left, spec.name), getattr(right, spec.name), f"{where}.{spec.name}") for spec in fields(left)]
        return [difference for pair in pairs for difference in differences(*pair)]
    if isinstance(left, tuple):
        if len(left) != len(right):
            return [where]
        return [
            difference
            for i, (a, b) in enumerate(zip(left, right, strict=True))
            for difference in differences(a, b, f"{where}.{i}")
        ]
    return [] if left == right else [where]


def refits_that_differ(seeds: range, rows: int) -> list[tuple[int, int, list[str]]]:
    """Of so many rows of each nasty table those whose leaving out is no refit, with what differs."""
    out = []
    for seed in seeds:
        table = nasty(seed)
        whole = fitted(table, **settings(seed))
        for row in range(0, len(table), max(1, len(table) // rows)):
            again = fitted(table.without(row), **settings(seed))
            if differing := differences(whole.without(row), again):
                out.append((seed, row, differing))
    return out


# --- a function of the table ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_a_fit_draws_nothing_and_is_the_same_for_every_seed(smoothing: str) -> None:
    """Thirty nasty tables, full of ties, and twenty seeds: one fit, and so one law of releases."""
    for number in range(30):
        table = nasty(number)
        first = fitted(table, smoothing=smoothing)
        for seed in range(20):
            rng = np.random.default_rng(seed)
            before = rng.bit_generator.state
            again = Synthpop(smoothing=smoothing).fit(table, rng)
            assert rng.bit_generator.state == before
            assert differences(first, again) == []


def test_a_fit_that_resamples_draws_and_gives_no_row_up() -> None:
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    made = Synthpop(proper=True).fit(mixed(60), rng)
    assert rng.bit_generator.state != before
    assert not isinstance(made, LeaveOneOut)


def test_of_equal_splits_the_first_column_and_the_lowest_cut_are_taken() -> None:
    """The second column is the first one turned round: both part the rows as well, and so do two cuts of each."""
    first = np.array([0.0, 1.0, 2.0, 3.0])
    answer = np.array([0, 1, 0, 1], dtype=np.int32)  # cut after 0 and cut after 2 leave the same impurity
    columns = (numeric("first", first), numeric("second", first), Column("last", Kind.CATEGORICAL, levels=("a", "b")))
    numbers = np.column_stack([first, 3.0 - first])
    trees = fitted(Table(Schema(columns), answer[:, None], numbers), minimum_leaf=1).steps[2].leaves
    assert trees is not None
    assert (trees.feature[0], trees.below[0], trees.above[0]) == (0, 0.0, 1.0)
    turned = fitted(Table(Schema(columns), answer[:, None], numbers[:, ::-1].copy()), minimum_leaf=1).steps[2].leaves
    assert turned is not None
    assert (turned.feature[0], turned.below[0], turned.above[0]) == (0, 0.0, 1.0)


def leaves_of(tree: Tree) -> set[frozenset[int]]:
    """The training rows of each leaf."""
    return {
        frozenset(tree.rows[first:end].tolist())
        for first, end, feature in zip(tree.first, tree.end, tree.feature, strict=True)
        if feature < 0
    }


@pytest.mark.parametrize("seed", range(6))
def test_where_no_splits_are_equal_the_trees_are_those_of_scikit_learn(seed: int) -> None:
    """Normal numbers: no ties, but for the mirror of two cuts at the ends, which a lowest leaf of seven leaves out."""
    rng = np.random.default_rng(seed)
    numbers = np.round(rng.standard_normal((300, 4)), 6)
    numbers[:, 3] += np.round(np.sin(2 * numbers[:, 0]) * numbers[:, 1], 6)
    numbers = np.round(numbers, 6)
    code = (numbers[:, 0] * numbers[:, 2] + rng.standard_normal(300) > 0) + (rng.random(300) < 0.2)
    columns = [numeric(f"n{index}", numbers[:, index], 6) for index in range(4)]
    table = Table(
        Schema((*columns, Column("class", Kind.CATEGORICAL, levels=("a", "b", "c")))),
        code.astype(np.int32)[:, None],
        numbers,
    )
    steps = fitted(table, minimum_leaf=7).steps
    for place, grower in ((3, DecisionTreeRegressor), (4, DecisionTreeClassifier)):
        answer = numbers[:, 3] if place == 3 else code
        places = numbers[:, :place].argsort(axis=0).argsort(axis=0)
        other = grower(min_samples_leaf=7, random_state=seed).fit(places, answer).apply(places)
        own = steps[place].leaves
        assert own is not None
        shared = leaves_of(own) & {frozenset(np.flatnonzero(other == leaf).tolist()) for leaf in np.unique(other)}
        if place == 3:
            assert shared == leaves_of(own)
        else:  # classes do tie: the purities of two cuts can be the same ratio
            assert len(shared) > 0.6 * len(leaves_of(own))


# --- the chance of a row --------------------------------------------------------------------------------------------


def asked_of(table: Table, made: SettledSynthpop, seed: int) -> Table:
    """Rows that are released, rows of the table, and the same with their values mixed."""
    rng = np.random.default_rng(seed)
    asked = made.sample(6, rng).plus(table.rows(rng.integers(len(table), size=4)))
    codes, numbers = (rng.permuted(part, axis=0) for part in (asked.codes, asked.numbers))
    return asked.plus(Table(table.schema, codes, numbers))


def chances_that_differ(seeds: range) -> tuple[list[int], float]:
    """Nasty tables of which a row has another chance than in plain Python; and the share of rows that have one."""
    wrong, possible = [], []
    for seed in seeds:
        table, smoothing, minimum = nasty(seed), ("none", "gap")[seed % 2], (1, 2, 3, 5)[seed % 4]
        made = fitted(table, minimum_leaf=minimum, smoothing=smoothing)
        plain = PlainTrees(plain_rows(table), table.schema.modelled, minimum, smoothing)
        asked = asked_of(table, made, seed)
        chances = [float(plain.chance(row)) for row in plain_rows(asked)]
        logs = np.array([math.log(chance) if chance else -np.inf for chance in chances])
        own = made.log_prob(asked)
        with np.errstate(invalid="ignore"):
            if not ((own == logs) | (np.abs(own - logs) < 1e-9)).all():
                wrong.append(seed)
        possible += np.isfinite(logs).tolist()
    return wrong, float(np.mean(possible))


def test_the_chance_of_a_row_is_that_of_plain_fractions() -> None:
    wrong, possible = chances_that_differ(range(16))
    assert wrong == []
    assert 0.5 < possible < 0.95  # rows of both kinds were asked about


@pytest.mark.slow
def test_the_chance_of_a_row_is_that_of_plain_fractions_in_many_tables() -> None:
    assert chances_that_differ(range(1_000, 2_000))[0] == []


def test_a_cut_at_the_lower_neighbour_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: numbers and levels between the neighbours of a cut all go to the right."""
    monkeypatch.setattr(Tree, "cut", lambda self, rank_at: self.below)
    assert chances_that_differ(range(16))[0]


def everything(table: Table) -> Table:
    """Every row that the schema allows."""
    values: list[list[float]] = []
    for column in table.schema.modelled:
        if column.is_numeric:
            unit = 10.0**-column.decimals
            count = round((column.high - column.low) / unit) + 1
            values.append([column.low + index * unit for index in range(count)] + [np.nan] * column.has_missing)
        else:
            values.append([float(index) for index in range(len(column.levels))])
    rows = np.array(list(product(*values)))
    is_number = np.array([column.is_numeric for column in table.schema.modelled])
    return Table(table.schema, rows[:, ~is_number].astype(np.int32), np.round(rows[:, is_number], 1))


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_the_chances_of_all_rows_sum_to_one(smoothing: str) -> None:
    """Numbers with a heap, with missing values and with gaps; with and without one row."""
    rng = np.random.default_rng(4)
    heaped = np.where(rng.random(60) < 0.75, 0.0, rng.integers(1, 12, 60).astype(float))
    gaps = rng.choice([0.0, 0.1, 0.4, 1.5, 1.6], 60)
    gaps[rng.random(60) < 0.2] = np.nan
    codes = (rng.random(60) < 0.3 + 0.4 * (heaped > 0)).astype(np.int32)
    columns = (
        numeric("heaped", heaped),
        Column("c", Kind.CATEGORICAL, levels=("a", "b", "none")),
        numeric("g", gaps, 1),
    )
    table = Table(Schema(columns), codes[:, None], np.column_stack([heaped, gaps]))
    for made in (fitted(table, smoothing=smoothing), fitted(table, smoothing=smoothing).without(7)):
        assert np.exp(made.log_prob(everything(table))).sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_rows_are_released_as_often_as_they_should(smoothing: str) -> None:
    """Pearson's chi-squared over all rows that come at least five times; its 99.99 % point by Wilson and Hilferty."""
    rng = np.random.default_rng(9)
    numbers = rng.choice([0.0, 1.0, 4.0, 5.0], 50)
    codes = (numbers > 2).astype(np.int32)
    codes[:5] = 2
    table = Table(
        Schema((numeric("x", numbers), Column("c", Kind.CATEGORICAL, levels=("a", "b", "c")))),
        codes[:, None],
        numbers[:, None],
    )
    made, domain, n = fitted(table, smoothing=smoothing), everything(table), 40_000
    wanted = n * np.exp(made.log_prob(domain))
    drawn = made.sample(n, np.random.default_rng(1))
    own = domain.keys()
    seen = np.array([np.count_nonzero(drawn.keys() == key) for key in own])
    often = wanted >= 5
    assert seen[wanted == 0].sum() == 0
    statistic, degrees = ((seen - wanted) ** 2 / np.maximum(wanted, 1e-300))[often].sum(), often.sum() - 1
    assert statistic < degrees * (1 - 2 / (9 * degrees) + 3.72 * math.sqrt(2 / (9 * degrees))) ** 3


# --- the table less a row -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tables", "rows"), [(range(60), 4), pytest.param(range(100, 600), 60, marks=pytest.mark.slow)]
)
def test_a_row_left_out_is_a_refit_to_the_last_bit(tables: range, rows: int) -> None:
    assert refits_that_differ(tables, rows) == []


def test_a_row_left_out_of_a_longer_table_is_a_refit() -> None:
    table = mixed(400)
    whole = fitted(table)
    for row in range(0, 400, 40):
        assert differences(whole.without(row), fitted(table.without(row))) == []


def test_an_order_of_levels_taken_for_the_old_one_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: what grows where the row is not is taken over though levels have changed places."""
    monkeypatch.setattr(cart, "_is_moved", lambda *_: False)
    assert refits_that_differ(range(60), 4)


def test_a_row_that_still_counts_in_the_order_of_levels_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: levels are ordered by all rows, the one left out among them."""
    scores = cart.level_scores
    monkeypatch.setattr(cart, "level_scores", lambda *arguments: scores(*arguments[:4]))
    assert refits_that_differ(range(60), 4)


def test_two_rows_can_be_left_out_one_after_the_other() -> None:
    table = nasty(12)
    twice = fitted(table).without(5)
    assert isinstance(twice, SettledSynthpop)
    assert differences(twice.without(2), fitted(table.without(5).without(2))) == []


def test_the_only_row_cannot_be_left_out() -> None:
    with pytest.raises(DesignError, match=r"at least one row.*\.$"):
        fitted(nasty(1).rows([0])).without(0)
