"""The looks at parents and children: distances counted pair by pair, by a program that shares no line."""

from collections.abc import Callable

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.released.two_tables import (
    APART,
    ChildrenAlone,
    ChildrenAloneRatio,
    Mixed,
    MixedRatio,
    ParentAlone,
    ParentAloneRatio,
)
from riskkit.table.points import Bags, RowPoints

Rows = list[tuple[list[float], list[int]]]
Pairs = Callable[[Rows, Rows, list[float]], float]


def people(n: int, rng: np.random.Generator, most: int = 4) -> RowPoints:
    """People with ties, doubles, a constant column and up to so many children, some none."""
    numbers = np.column_stack([rng.integers(0, 4, n), np.full(n, 7.0)]).astype(float)
    owner = np.repeat(np.arange(n), rng.integers(0, most + 1, n))
    rows = RowPoints(
        rng.integers(0, 5, (len(owner), 2)).astype(float), rng.integers(0, 3, (len(owner), 1)).astype(np.int32), (3,)
    )
    bags = Bags.build(rows, owner, n, rows.numbers[:, 0])
    return RowPoints(numbers, rng.integers(0, 2, (n, 2)).astype(np.int32), (2, 2), children=bags)


def bag(points: RowPoints, person: int) -> Rows:
    """The children of one person."""
    assert points.children is not None
    bags = points.children
    places = range(int(bags.first[person]), int(bags.first[person] + bags.size[person]))
    return [(bags.rows.numbers[row].tolist(), bags.rows.codes[row].tolist()) for row in places]


def spans(rows: Rows) -> list[float]:
    return [max(column) - min(column) for column in zip(*(numbers for numbers, _ in rows), strict=True)]


def gower(first: tuple[list[float], list[int]], second: tuple[list[float], list[int]], span: list[float]) -> float:
    away = [
        min(abs(a - b) / width, 1.0) if width else float(a != b)
        for a, b, width in zip(first[0], second[0], span, strict=True)
    ]
    away += [float(a != b) for a, b in zip(first[1], second[1], strict=True)]
    return sum(away) / len(away)


def chamfer(first: Rows, second: Rows, span: list[float]) -> float:
    there = [min(gower(a, b, span) for b in second) for a in first]
    back = [min(gower(a, b, span) for a in first) for b in second]
    return (sum(there) / len(there) + sum(back) / len(back)) / 2


def warped(first: Rows, second: Rows, span: list[float]) -> float:
    """The cheapest way by trying all of them."""

    def onward(i: int, j: int) -> float:
        away = gower(first[i], second[j], span)
        if i == j == 0:
            return 2 * away
        ways = []
        if i:
            ways.append(onward(i - 1, j) + away)
        if j:
            ways.append(onward(i, j - 1) + away)
        if i and j:
            ways.append(onward(i - 1, j - 1) + 2 * away)
        return min(ways)

    return onward(len(first) - 1, len(second) - 1) / (len(first) + len(second))


def plain(
    weight: float,
    among: RowPoints,
    targets: RowPoints,
    release: RowPoints,
    bags: Pairs,
) -> Floats:
    """(n_targets,) the distance to the nearest of these, pair by pair."""

    def rows(points: RowPoints) -> Rows:
        return [(points.numbers[row].tolist(), points.codes[row].tolist()) for row in range(len(points))]

    parent, child = spans(rows(release)), spans([row for person in range(len(release)) for row in bag(release, person)])
    out = []
    for person, own in enumerate(rows(targets)):
        each = []
        for beside, other in enumerate(rows(among)):
            mine, theirs = bag(targets, person), bag(among, beside)
            apart = bags(mine, theirs, child) if mine and theirs else float(len(mine) != len(theirs))
            away = weight * gower(own, other, parent) + (1 - weight) * apart
            beyond = APART * abs(np.log(1 + len(mine)) - np.log(1 + len(theirs)))
            each.append(away + (0 if weight == 1 else beyond))
        out.append(min(each))
    return np.array(out)


@pytest.mark.parametrize(
    ("look", "ratio", "bags"),
    [
        (ParentAlone(), ParentAloneRatio(), chamfer),
        (Mixed(), MixedRatio(), chamfer),
        (ChildrenAlone(), ChildrenAloneRatio(), chamfer),
        (Mixed(ordered=True), MixedRatio(ordered=True), warped),
        (ChildrenAlone(ordered=True), ChildrenAloneRatio(ordered=True), warped),
    ],
    ids=lambda part: getattr(part, "name", ""),
)
def test_distances_are_those_counted_pair_by_pair(look: ParentAlone, ratio: ParentAlone, bags: Pairs) -> None:
    for seed in range(4):
        rng = np.random.default_rng([seed, 3])
        release, targets, reference = people(17, rng), people(13, rng), people(9, rng)
        here = plain(look.weight, release, targets, release, bags)
        np.testing.assert_allclose(look.score(release, targets, None, rng), -here, atol=1e-12)
        there = plain(look.weight, reference, targets, release, bags)
        np.testing.assert_allclose(ratio.score(release, targets, reference, rng), -here / (there + 0.01), atol=1e-9)


@pytest.mark.parametrize("look", [ParentAlone(), Mixed(), ChildrenAlone()], ids=lambda look: look.name)
def test_a_copied_person_is_at_no_distance_in_every_look(look: ParentAlone) -> None:
    release = people(20, np.random.default_rng(1))
    assert look.score(release, release, None, np.random.default_rng(0)).tolist() == [0.0] * 20


def test_order_tells_people_apart_whose_rows_are_the_same() -> None:
    """One was ill and then well, the other well and then ill."""
    owner, days = np.array([0, 0, 1, 1]), np.array([1.0, 2.0, 1.0, 2.0])
    ill = RowPoints(np.empty((4, 0)), np.array([[0], [1], [1], [0]], dtype=np.int32), (2,))
    both = RowPoints(np.empty((2, 0)), np.empty((2, 0), dtype=np.int32), (), children=Bags.build(ill, owner, 2, days))
    first, second = both.rows([0]), both.rows([1])
    rng, ordered = np.random.default_rng(0), ChildrenAlone(ordered=True)
    assert ChildrenAlone().score(first, second, None, rng).tolist() == [0.0]
    assert ordered.score(first, second, None, rng)[0] < 0
    assert ordered.score(first, first, None, rng).tolist() == [0.0]


def test_one_table_or_no_dates_get_a_sentence() -> None:
    rng = np.random.default_rng(2)
    points = people(5, rng)
    bare = RowPoints(points.numbers, points.codes, points.sizes)
    with pytest.raises(DesignError, match=r"a second table with several rows a person, and none is loaded.*\.$"):
        Mixed().score(points, bare, None, rng)
    undated = RowPoints(
        points.numbers,
        points.codes,
        points.sizes,
        children=Bags.build(points.rows(np.arange(5)), np.arange(5), 5),
    )
    with pytest.raises(DesignError, match=r"no column of the second table holds dates.*\.$"):
        Mixed(ordered=True).score(undated, undated, None, rng)
