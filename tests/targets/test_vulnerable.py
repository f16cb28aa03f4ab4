"""Achilles' score against the obvious loop, against numbers counted by hand, and against the published records."""

from functools import cache

import numpy as np
import pytest

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.errors import DesignError, ParameterError
from riskkit.table.neighbours import nearest
from riskkit.targets.vulnerable import Vulnerable, _points, isolation
from tests.tables import adult, mixed, needs_adult

RNG = np.random.default_rng(0)
PUBLISHED = {
    39435: 0.2812, 36838: 0.2767, 6066: 0.2725, 1678: 0.2711, 27566: 0.2611, 43082: 0.2580, 35988: 0.2533,
    16525: 0.2507, 5918: 0.2502, 16249: 0.2489,
}  # fmt: skip
"""The ten records of the authors' notebook on Adult's 45,222 complete rows, and their scores."""


def cosine(first: Floats, second: Floats) -> float:
    """The cosine of two vectors; one without length has it with its like alone."""
    if not first.any() or not second.any():
        return float(not first.any() and not second.any())
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def obvious(table: Table, neighbours: int) -> Floats:
    """The mean distance to the nearest other rows, pair by pair from the definition."""
    numeric, n_codes = table.schema.numeric, table.codes.shape[1]
    columns = len(table.schema.modelled)
    shares = np.column_stack(
        [
            (np.where(np.isnan(values), column.mean, values) - column.low) / (column.high - column.low)
            for column, values in zip(numeric, table.numbers.T, strict=True)
        ]
        or [np.zeros((len(table), 0))]
    )
    out = []
    for row in range(len(table)):
        gaps = [
            (table.codes[row] != table.codes[other]).sum() / columns
            + len(numeric) / columns * (1 - cosine(shares[row], shares[other]) if n_codes < columns else 0.0)
            for other in range(len(table))
            if other != row
        ]
        out.append(np.sort(gaps)[:neighbours].mean())
    return np.array(out)


def categories(n: int = 40) -> Table:
    schema = Schema(tuple(Column(f"c{index}", Kind.CATEGORICAL, levels=("a", "b", "c")) for index in range(4)))
    return Table(schema, np.random.default_rng(2).integers(0, 3, (n, 4)), np.empty((n, 0)))


def lowest() -> Table:
    """A table in which two rows have no number above the lowest."""
    table = mixed(60, missing=False)
    numbers = table.numbers.copy()
    numbers[:2] = [column.low for column in table.schema.numeric]
    return Table(table.schema, table.codes, numbers)


@pytest.mark.parametrize("neighbours", [1, 5])
@pytest.mark.parametrize("table", [mixed(70), lowest(), categories()], ids=["mixed", "no length", "no numbers"])
def test_the_score_is_that_of_the_obvious_loop(table: Table, neighbours: int) -> None:
    np.testing.assert_allclose(isolation(table, neighbours), obvious(table, neighbours), atol=1e-7)


def test_counted_by_hand() -> None:
    """Of four categories, differing in 1, 2 and 4: the two nearest others of the first row are at 1/4 and 2/4."""
    schema = categories(1).schema
    table = Table(schema, np.array([[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]]), np.empty((4, 0)))
    assert isolation(table, 2)[0] == pytest.approx(3 / 8)


def test_the_records_with_the_largest_score_are_chosen_in_order() -> None:
    table = mixed(60)
    assert Vulnerable().choose(table, 5, RNG).index.tolist() == np.argsort(-isolation(table))[:5].tolist()


def test_copies_hide_in_one_another() -> None:
    table = mixed(60)
    twice = table.plus(table.rows([7, 7, 7, 7, 7]))
    assert isolation(twice)[7] == pytest.approx(0, abs=1e-9)
    assert 7 not in Vulnerable().choose(twice, 20, RNG).index


def test_no_more_rows_than_neighbours_are_refused_with_a_sentence() -> None:
    with pytest.raises(DesignError, match=r"5 nearest other rows.*has 5 rows.*\.$"):
        Vulnerable().choose(mixed(5), 1, RNG)
    with pytest.raises(ParameterError, match="vulnerable: neighbours is 0"):
        Vulnerable(neighbours=0)


@cache
def scores() -> Floats:
    return isolation(adult(45_222))


@needs_adult
def test_the_ten_published_records_of_adult() -> None:
    assert np.argsort(-scores())[:10].tolist() == list(PUBLISHED)
    np.testing.assert_allclose(scores()[list(PUBLISHED)], list(PUBLISHED.values()), atol=5e-4)
    assert np.sort(scores())[-11] == pytest.approx(0.2438, abs=5e-4)


@needs_adult
def test_a_score_that_counts_the_record_itself_would_be_seen() -> None:
    """The fault of a published library: one of the ten is another record then."""
    table = adult(45_222)
    top = np.argsort(-scores())[:30]
    points = _points(table)
    faulty = (nearest(points.rows(top), points, 5)[0] ** 2).sum(axis=1) / 5 / 15
    wrong = set(top[np.argsort(-faulty)[:10]].tolist())
    assert len(wrong & set(PUBLISHED)) == 9
    assert 14731 in wrong
