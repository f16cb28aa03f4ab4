"""The histogram generator: exact marginals, no dependence, and the leak that even marginals have."""

import math
from itertools import product

import numpy as np
import pytest

from riskkit.core import MISSING, Brief, Column, Kind, Schema, Table
from riskkit.generators.histogram import Histogram
from tests.oracles import ExactMatch
from tests.tables import mixed, numeric


def six_rows() -> Table:
    """Six rows of two categories (one level unused, one missing) and a number with a missing value."""
    size = np.array([1.0, 1.0, 3.0, 2.0, np.nan, 3.0])
    columns = (
        Column("colour", Kind.CATEGORICAL, levels=("blue", "green", "red")),
        numeric("size", size),
        Column("shape", Kind.CATEGORICAL, levels=("round", "square", MISSING), has_missing=True),
    )
    codes = np.array([[0, 0], [0, 1], [0, 2], [2, 0], [2, 1], [2, 0]])
    return Table(Schema(columns), codes.astype(np.int32), size[:, None])


def every_row(table: Table) -> Table:
    """Every row of the frozen domain of :func:`six_rows`."""
    rows = list(product(range(3), range(3), [1.0, 2.0, 3.0, np.nan]))
    return Table(
        table.schema,
        np.array([row[:2] for row in rows], dtype=np.int32),
        np.array([row[2:] for row in rows]),
    )


def test_a_row_has_the_product_of_its_shares() -> None:
    table = six_rows()
    fitted = Histogram().fit(table, np.random.default_rng(0))
    # blue 3/6, round 3/6, size 1 2/6; red 3/6, square 2/6, size missing 1/6; green never
    asked = Table(table.schema, np.array([[0, 0], [2, 1], [1, 0]], dtype=np.int32), np.array([[1.0], [np.nan], [1.0]]))
    log_prob = fitted.log_prob(asked)
    np.testing.assert_allclose(log_prob[:2], [math.log(1 / 12), math.log(1 / 36)])
    assert log_prob[2] == -np.inf


def test_probabilities_of_the_whole_domain_sum_to_one() -> None:
    table = six_rows()
    total = np.exp(Histogram().fit(table, np.random.default_rng(0)).log_prob(every_row(table))).sum()
    assert total == pytest.approx(1.0, abs=1e-12)


def test_marginals_are_the_tables_and_dependence_is_gone() -> None:
    table, n = mixed(), 40_000
    release = Histogram().fit(table, np.random.default_rng(0)).sample(n, np.random.default_rng(1))
    for j, column in enumerate(table.schema.categorical):
        share = np.bincount(table.codes[:, j], minlength=len(column.levels)) / len(table)
        seen = np.bincount(release.codes[:, j], minlength=len(column.levels)) / n
        assert np.all(np.abs(seen - share) <= 4.5 * np.sqrt(share * (1 - share) / n))
    missing = np.isnan(table.numbers).mean(axis=0)
    assert np.all(
        np.abs(np.isnan(release.numbers).mean(axis=0) - missing) <= 4.5 * np.sqrt(missing * (1 - missing) / n)
    )
    low, high = np.nanmean(table.numbers, axis=0), np.nanstd(table.numbers, axis=0)
    assert np.all(np.abs(np.nanmean(release.numbers, axis=0) - low) <= 4.5 * high / math.sqrt(n * 0.8))
    # ward and age lean on each other in the table (r about .5) and must not in the release
    assert abs(np.corrcoef(table.codes[:, 0], table.numbers[:, 0])[0, 1]) > 0.3
    assert abs(np.corrcoef(release.codes[:, 0], release.numbers[:, 0])[0, 1]) < 4.5 / math.sqrt(n)


def test_only_values_of_the_table_are_released() -> None:
    table = six_rows()
    release = Histogram().fit(table, np.random.default_rng(0)).sample(2_000, np.random.default_rng(1))
    assert 1 not in release.codes[:, 0]  # green is in the domain, in no row
    assert set(release.numbers[~np.isnan(release.numbers)]) == {1.0, 2.0, 3.0}


def present(release: Table, level: int) -> float:
    """1 where the level occurs in the first category of the release."""
    return float((release.codes[:, 0] == level).any())


def auc(inside: list[float], outside: list[float]) -> float:
    """Share of pairs that are ordered right, ties one half."""
    gap = np.subtract.outer(np.array(inside), np.array(outside))
    return float((gap > 0).mean() + (gap == 0).mean() / 2)


def test_a_unique_category_leaks_as_the_closed_form_says() -> None:
    """KA9: marginals alone are no null; a target with a category of its own shows with AUC .816."""
    n = n_syn = 200
    rng = np.random.default_rng(9)
    everyone = Table(
        Schema((Column("country", Kind.CATEGORICAL, levels=("here", "there", "only x")),)),
        np.array([*rng.integers(2, size=n - 1), 2], dtype=np.int32)[:, None],
        np.empty((n, 0)),
    )
    with_x, without_x = Histogram().fit(everyone, rng), Histogram().fit(everyone.without(n - 1), rng)
    games = 3_000
    inside = [with_x.sample(n_syn, rng) for _ in range(games)]
    outside = [without_x.sample(n_syn, rng) for _ in range(games)]
    measured = auc([present(release, 2) for release in inside], [present(release, 2) for release in outside])

    miss = (1 - 1 / n) ** n_syn
    tolerance = 4 * 0.5 * math.sqrt(miss * (1 - miss) / games)  # no release without x holds it: only one side varies
    assert abs(measured - (1 - 0.5 * miss)) <= tolerance
    assert abs(0.5 - measured) > tolerance
    # x's category is its whole record, so the exact-match attack must see the same
    match = ExactMatch().fit(Brief(everyone.rows([n - 1])), rng)
    exact = auc([match.score(release)[0] for release in inside], [match.score(release)[0] for release in outside])
    assert exact == measured
