"""Summary figures against numpy's own and numbers counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.attacks.groundhog import correlations, figures, histograms
from riskkit.core import Column, Kind, Schema, Table
from riskkit.generators.stat import Stat
from riskkit.table.encode import onehot
from tests.tables import adult, mixed, needs_adult

SCHEMA = Schema(
    (
        Column("age", Kind.NUMERIC, low=0.0, high=9.0, mean=5.0, sd=2.0, has_missing=True),
        Column("ward", Kind.CATEGORICAL, levels=("east", "north", "south")),
    )
)
TINY = Table(SCHEMA, np.array([[2], [1], [2], [1], [2]]), np.array([[1.0], [2.0], [9.0], [np.nan], [0.0]]))


def by_numpy(table: Table) -> np.ndarray:
    """Pearson's correlations above the diagonal, 0 where one does not vary."""
    matrix = onehot(table, scale="standard")
    with np.errstate(invalid="ignore", divide="ignore"):
        full = np.asarray(np.corrcoef(matrix.T))
    flat = matrix.min(axis=0) == matrix.max(axis=0)
    return np.where(flat[:, None] | flat, 0.0, full)[np.triu_indices(matrix.shape[1], 1)]


def test_figures_counted_by_hand() -> None:
    """Ages 0, 1, 2, 9: mean 3, median 1.5, variance 50 / 3. South 3 times, north twice, east never."""
    np.testing.assert_allclose(figures(TINY), [3.0, 1.5, 50 / 3, 2, 1, 2])


def test_histograms_counted_by_hand() -> None:
    """Five bins of two whole numbers, one of missing ones, then the wards."""
    assert histograms(TINY, 5).tolist() == [2, 1, 0, 0, 1, 1, 0, 2, 3]


def test_bins_are_those_of_the_domain_whatever_the_rows() -> None:
    for part in (TINY, TINY.rows([0, 1]), TINY.rows([2])):
        one_by_one = [histograms(part.rows([row]), 5) for row in range(len(part))]
        assert histograms(part, 5).tolist() == np.sum(one_by_one, axis=0).tolist()


def test_correlations_counted_by_hand() -> None:
    """Ages 0 and 2 against north and south: -1 and 1 with the rest; nothing with a flag that never changes."""
    table = Table(SCHEMA, np.array([[1], [2]]), np.array([[0.0], [2.0]]))
    np.testing.assert_allclose(correlations(table), [0, -1, 1, 0, 0, -1], atol=1e-12)


@pytest.mark.parametrize("missing", [True, False])
def test_correlations_are_those_of_numpy(missing: bool) -> None:
    table = mixed(200, missing=missing)
    np.testing.assert_allclose(correlations(table), by_numpy(table), atol=1e-12)


def test_a_relaxed_release_is_seen_as_it_was_published() -> None:
    rng = np.random.default_rng(0)
    table = Stat(post="none").fit(mixed(200, missing=False), rng).sample(150, rng)
    assert table.relaxed is not None
    np.testing.assert_allclose(correlations(table), by_numpy(table), atol=1e-9)


@needs_adult
def test_features_of_adult_are_those_of_the_obvious_loops() -> None:
    table = adult(1_000)
    np.testing.assert_allclose(correlations(table), by_numpy(table), atol=1e-12)
    counts, naive, start = histograms(table), figures(table), 0
    for position, column in enumerate(table.schema.modelled):
        if column.is_numeric:
            values = table.numbers[:, [c.name for c in table.schema.numeric].index(column.name)]
            wanted = [values.mean(), np.median(values), values.var(ddof=1)]
            bins = min(10, int(column.high - column.low) + 1)
            assert counts[start : start + bins].sum() == 1_000
            if (column.high - column.low + 1) % bins == 0:  # bins of whole numbers that numpy lays the same way
                edges = np.linspace(column.low - 0.5, column.high + 0.5, bins + 1)
                assert counts[start : start + bins].tolist() == np.histogram(values, edges)[0].tolist()
            start += bins
        else:
            codes = table.codes[:, [c.name for c in table.schema.categorical].index(column.name)]
            seen = np.array([(codes == code).sum() for code in range(len(column.levels))])
            least = min((count, code) for code, count in enumerate(seen) if count)[1]
            wanted = [seen.argmax(), least, (seen > 0).sum()]
            assert counts[start : start + len(seen)].tolist() == seen.tolist()
            start += len(seen)
        np.testing.assert_allclose(naive[3 * position : 3 * position + 3], wanted)
    assert start == len(counts)


def test_no_rows_have_no_correlation() -> None:
    assert not correlations(TINY.rows([])).any()
