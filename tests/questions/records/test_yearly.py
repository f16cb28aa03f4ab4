"""A growing table, released every year: against every sequence of releases of small tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.records.certificate import Terms, certify
from riskkit.questions.records.yearly import yearly
from tests.questions.records.enumeration import MOST, fits_of, judged, listed, possible, releases_of
from tests.questions.records.fuzzed import method, small

CLOSE = 1e-3


def grown(seed: int) -> tuple[Table, Table]:
    """A small table, and the same with up to as many people more, who are like others with two columns mixed up."""
    first, rng = small(seed), np.random.default_rng([seed, 5])
    more = rng.integers(len(first), size=int(rng.integers(1, len(first) + 1)))
    codes, numbers = first.codes[more].copy(), first.numbers[more].copy()
    if codes.shape[1]:
        codes[:, 0] = rng.permutation(codes[:, 0])
    return first, first.plus(Table(first.schema, codes, numbers))


def truth(tables: tuple[Table, Table], generator: Any, row: int, n: int) -> tuple[float, int] | None:
    """The best attack on the two releases of so many rows, or fewer, by listing all pairs of them."""
    fits = [fits_of(generator, table, row) for table in tables]
    sizes = [possible(*pair) for pair in fits]
    while n > 1 and releases_of(sizes[0], n) * releases_of(sizes[1], n) > MOST:
        n -= 1
    if releases_of(sizes[0], n) * releases_of(sizes[1], n) > 20 * MOST:
        return None
    (chances, ratios), (others, more) = (listed(*pair, n) for pair in fits)
    both = (chances[:, :, None] * others[:, None, :]).reshape(2, -1)
    with np.errstate(invalid="ignore"):
        sums: Floats = np.add.outer(ratios, more).ravel()
    seen = both.any(axis=0)
    return judged(both[0, seen], both[1, seen], np.round(sums[seen], 9)).auc, n


def compared(seeds: range) -> tuple[int, int, float]:
    """Tables that were compared, those without an exact certificate in both years, and the largest difference."""
    exact, others, worst = 0, 0, 0.0
    for seed in seeds:
        tables, (generator, n) = grown(seed), method(seed)
        found = truth(tables, generator, 0, n)
        if found is None:
            continue
        auc, n = found
        try:
            ((_, told),) = yearly(tables, generator, [[0], [0]], [n, n], seed)
        except DesignError:
            others += 1
            continue
        exact += 1
        worst = max(worst, abs(told.auc - auc))
    return exact, others, worst


def test_two_years_against_every_pair_of_releases() -> None:
    exact, _, worst = compared(range(16))
    assert exact > 8
    assert worst < CLOSE


@pytest.mark.slow
def test_a_thousand_growing_tables() -> None:
    exact, _, worst = compared(range(8_000, 9_000))
    assert exact > 600
    assert worst < CLOSE


def test_the_second_year_counts_its_own_table() -> None:
    """The fault that it would see: the law of the first year for both."""
    off = 0
    for seed in range(12):
        tables, (generator, n) = grown(seed), method(seed)
        found = truth(tables, generator, 0, n)
        if found is None:
            continue
        try:
            ((_, told),) = yearly((tables[0], tables[0]), generator, [[0], [0]], [found[1]] * 2, seed)
        except DesignError:
            continue
        off += abs(told.auc - found[0]) > CLOSE
    assert off > 4


def test_of_one_table_it_is_the_certificate_of_several_releases() -> None:
    table = small(7)
    ((first, second),) = yearly([table, table], BayesNet(), [[0], [0]], [3, 3], 1)
    (found,) = certify(table, BayesNet(), [0], Terms(6, releases=2), 1)
    assert [first.auc, second.auc] == pytest.approx([one.auc for one in found.after], abs=1e-6)


def test_a_method_without_a_certificate_is_refused() -> None:
    with pytest.raises(DesignError, match="no certificate"):
        yearly([small(7)], registry.parse("generators", "privbayes"), [[0]], [3], 1)


def test_years_that_do_not_fit_are_refused() -> None:
    with pytest.raises(DesignError, match="Every year"):
        yearly([small(7)], BayesNet(), [[0], [1]], [3, 3], 1)
