"""How near people of two tables are to released ones: what the three looks at parents and children share.

``weight`` times the Gower distance of the parents, plus the rest times the symmetric Chamfer distance of the children
(the mean of both directions, each the mean distance of a child to the nearest of the other bag), plus a tenth of how
far the logarithms of 1 and the numbers of children are apart, but where the parent is looked at alone: it would hide a
parent who was copied and given the children of somebody else. All but the last lie between 0 and 1; an empty bag is at
1 from any other. A number's difference is a share of its range in the release, and at most 1. Where the order of rows
is kept, the best way through both bags in their order (dynamic time warping) stands in place of the Chamfer distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from riskkit.core import Codes, Floats, Ints
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.released._distances import RELEASED, at_least, needed
from riskkit.table.points import Bags, RowPoints

PARENT, MIXED, CHILDREN = 1.0, 0.3, 0.0
"""The weights of the parent in the three looks; no single one finds every leak."""
APART, FLOOR = 0.1, 0.01
"""How much the numbers of children count, and what keeps a ratio of distances finite."""
PEOPLE = 200
"""People that are looked up in one go; in between, a signal to stop is heard."""


def bags_of(points: RowPoints, title: str, *, ordered: bool = False) -> Bags:
    """The rows of each in the second table; :class:`DesignError` where there is none, or no date to order them by."""
    if points.children is None:
        raise DesignError(
            phrase(
                "{title} reads a second table with several rows a person, and none is loaded; load one, or leave the "
                "attack out.",
                title=phrase(title),
            )
        )
    if ordered and not points.children.ordered:
        raise DesignError(
            phrase(
                "{title} keeps the order of rows here, and no column of the second table holds dates; give one the "
                "form of dates, or leave the order out.",
                title=phrase(title),
            )
        )
    return points.children


def near(weight: float, release: RowPoints, targets: RowPoints, title: str, *, ordered: bool = False) -> Floats:
    """(n_targets,) less the distance to the nearest released person."""
    at_least(1, release, RELEASED, title)
    return -_distance(weight, release, targets, release, title, ordered)


def nearer(
    weight: float,
    release: RowPoints,
    targets: RowPoints,
    reference: RowPoints | None,
    title: str,
    *,
    ordered: bool = False,
) -> Floats:
    """(n_targets,) less the distance to the nearest released person over that to the nearest of the reference."""
    at_least(1, release, RELEASED, title)
    others = needed(reference, title)
    here, there = (_distance(weight, among, targets, release, title, ordered) for among in (release, others))
    ratio: Floats = here / (there + FLOOR)
    return -ratio


@dataclass(frozen=True, slots=True, eq=False)
class _Scaled:
    """People as the kernel takes them: numbers in ranges of the release, children of a person side by side."""

    number: Floats
    code: Codes
    first: Ints
    size: Ints
    child: Floats
    child_code: Codes

    @classmethod
    def of(cls, people: RowPoints, bags: Bags, scale: Floats, child_scale: Floats) -> _Scaled:
        rows = bags.packed()
        return cls(
            np.ascontiguousarray(people.numbers * scale),
            np.ascontiguousarray(people.codes),
            rows.first,
            rows.size,
            np.ascontiguousarray(rows.rows.numbers * child_scale),
            np.ascontiguousarray(rows.rows.codes),
        )


def _distance(
    weight: float, among: RowPoints, targets: RowPoints, release: RowPoints, title: str, ordered: bool
) -> Floats:
    """(n_targets,) the distance to the nearest of these people."""
    from riskkit.released import _bag_kernels

    asked, there, own = (bags_of(points, title, ordered=ordered) for points in (targets, among, release))
    order = np.argsort(there.size, kind="stable")
    scale, child_scale = _scale(release.numbers), _scale(own.rows.numbers[np.unique(own.at)])
    people = _Scaled.of(targets, asked, scale, child_scale)
    others = _Scaled.of(among.rows(order), there.of_people(order), scale, child_scale)
    counts, begin = np.unique(others.size, return_index=True)
    out = np.empty(len(targets))
    for start in range(0, len(out), PEOPLE):
        some = slice(start, start + PEOPLE)
        _bag_kernels.nearest(
            weight,
            APART * (weight < PARENT),
            ordered,
            people.number[some],
            people.code[some],
            people.first[some],
            people.size[some],
            people.child,
            people.child_code,
            others.number,
            others.code,
            others.first,
            others.child,
            others.child_code,
            counts,
            np.append(begin, len(others.size)),
            out[some],
        )
    return out


def _scale(numbers: Floats) -> Floats:
    """(columns,) one over the range of each; of a column of one value so large that any other value is at 1."""
    if not len(numbers):
        return np.ones(numbers.shape[1])
    span = numbers.max(axis=0) - numbers.min(axis=0)
    return np.where(span > 0, 1 / np.where(span > 0, span, 1.0), 1e12)
