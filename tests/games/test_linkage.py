"""Whose halves are linked: the likelihood and the assignment against slow counts, and answers that are known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Table
from riskkit.games import linkage
from riskkit.games.linkage import Linking, splits, together
from riskkit.games.mixture import mix
from riskkit.seeds import stream
from tests.tables import from_frame, mixed


def thirds(n: int, seed: int) -> tuple[Table, Table, Table]:
    """A real table, a release and a holdout of one schema, of so many rows each."""
    whole = mixed(3 * n, seed)
    first, second, third = (whole.rows(np.arange(index * n, (index + 1) * n)) for index in range(3))
    return first, second, third


def names(table: Table) -> list[str]:
    return [column.name for column in table.schema.modelled]


def test_the_likelihood_is_that_of_adding_up_kernels() -> None:
    rng = np.random.default_rng(1)
    first, other = (rng.integers(0, 4, (n, 9)).astype(np.float32) / 2 for n in (3, 5))
    likelihoods = together(first, other)
    for i, j in itertools.product(range(3), range(5)):
        total = 0.0
        for width in (0.3, 0.15):
            a, b = ([math.exp(-float(away) / width) for away in half] for half in (first[i], other[j]))
            total += math.log(sum(x * y for x, y in zip(a, b, strict=True))) - math.log(sum(a)) - math.log(sum(b))
        assert likelihoods[i, j] == pytest.approx(total / 2, abs=1e-3)


def test_differences_are_those_of_a_loop_over_cells() -> None:
    table, release, holdout = thirds(40, 3)
    mixture = mix(table, release, holdout, max_rows=100, seed=1)
    link = Linking.split(mixture, names(table), 10)
    half = [0, 1, 2, 3]
    ours, theirs = link._half(mixture.people, half), link._half(mixture.release, half)
    away = linkage._apart(ours, tuple(np.ascontiguousarray(part.T) for part in theirs), np.arange(12))
    unit = [column.sd for column in table.schema.numeric]
    for i, r in itertools.product(range(12), range(40)):
        right = float((mixture.people.codes[i] != mixture.release.codes[r]).sum())
        for index in range(2):
            a, b = mixture.people.numbers[i, index], mixture.release.numbers[r, index]
            if math.isnan(a) or math.isnan(b):
                right += math.isnan(a) != math.isnan(b)
            else:
                right += min(abs(a - b) / unit[index], 1.0)
        assert away[i, r] == pytest.approx(right, abs=1e-4)


def test_the_assignment_is_the_likeliest_of_all() -> None:
    real, release, holdout = thirds(40, 2)
    mixture = mix(real.rows(np.arange(6)), release, holdout.rows(np.arange(6)), max_rows=3, seed=2)
    link = Linking.split(mixture, names(mixture.people), 6)
    split = ((0, 1), (2, 3))
    hit = link.link(split)
    halves = [
        linkage._apart(
            link._half(mixture.people.rows(mixture.asked), half),
            tuple(np.ascontiguousarray(part.T) for part in link._half(mixture.release, half)),
            np.arange(6),
        )
        for half in split
    ]
    likely = together(*halves)
    totals = {order: sum(likely[i, j] for i, j in enumerate(order)) for order in itertools.permutations(range(6))}
    best = [order for order, total in totals.items() if total >= max(totals.values()) - 1e-4]
    assert hit.tolist() in [[i == j for i, j in enumerate(order)] for order in best]
    assert len(best) < len(totals) / 10, "few are as likely as the likeliest"


def test_a_release_of_the_people_themselves_links_nearly_everybody_who_was_in() -> None:
    digits = np.random.default_rng(1).integers(0, 10, (800, 12)).astype(str)
    whole = from_frame(pd.DataFrame(digits, columns=[f"c{index}" for index in range(12)]))
    real, holdout = whole.rows(np.arange(400)), whole.rows(np.arange(400, 800))
    mixture = mix(real, real, holdout, max_rows=400, seed=1)
    hit = Linking.split(mixture, names(real), 50).link((tuple(range(6)), tuple(range(6, 12))))
    inside = mixture.is_in[mixture.asked]
    assert hit[inside].mean() > 0.98
    assert hit[~inside].mean() < 0.1


def test_where_everything_is_alike_one_of_so_many_is_linked() -> None:
    """Ties: a place in the file must be nobody's advantage. 2,000 people in groups of 20; a hit has the chance 1/20."""
    same = mixed(10, 1).rows(np.zeros(1_000, dtype=np.int64))
    mixture = mix(same, same, same, max_rows=1_000, seed=1)
    share = Linking.split(mixture, names(same), 20).link(((0, 1), (2, 3))).mean()
    assert share == pytest.approx(1 / 20, abs=4 * (0.05 * 0.95 / 2_000) ** 0.5 * 1.1)


def test_independent_columns_link_one_of_so_many() -> None:
    rng = np.random.default_rng(1)
    base = mixed(3_000, 1, missing=False)
    drawn = Table(
        base.schema,
        np.column_stack([rng.permutation(column) for column in base.codes.T]),
        np.column_stack([rng.permutation(column) for column in base.numbers.T]),
    )
    mixture = mix(
        *(drawn.rows(np.arange(number, number + 1_000)) for number in (0, 1_000, 2_000)), max_rows=1_000, seed=1
    )
    share = Linking.split(mixture, names(base), 20).link(((0, 1), (2, 3))).mean()
    assert share == pytest.approx(1 / 20, abs=4 * (0.05 * 0.95 / 2_000) ** 0.5 * 1.1)


def test_splits_are_even_first_each_once_and_of_all_columns() -> None:
    assert len(splits(2, 10, stream(1, "s"))) == 1
    every = splits(5, 100, stream(1, "s"))
    assert len({frozenset(map(frozenset, split)) for split in every}) == len(every) == 2**4 - 1
    assert all(sorted((*first, *other)) == list(range(5)) for first, other in every)
    assert [len(half) for half, _ in every] == [2] * 10 + [1] * 5
    many = splits(16, 6, stream(1, "s"))
    assert len({frozenset(map(frozenset, split)) for split in many}) == 6
    assert all(len(first) == len(other) == 8 for first, other in many)
