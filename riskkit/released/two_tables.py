"""Attacks on two tables: how near is the nearest released person, by the first table, the second, or both?

``weight`` times the Gower distance of the parents, plus the rest times the symmetric Chamfer distance of the children
(the mean of both directions, each the mean distance of a child to the nearest of the other bag), plus a tenth of how
far the logarithms of 1 and the numbers of children are apart, but where the parent is looked at alone: it would hide a
parent who was copied and given the children of somebody else. All but the last lie between 0 and 1; an empty bag is at
1 from any other. A number's difference is a share of its range in the release, and at most 1. Where the order of rows
is kept, the best way through both bags in their order (dynamic time warping) stands in place of the Chamfer distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Codes, Floats, Ints
from riskkit.errors import DesignError
from riskkit.parameters import parameter
from riskkit.phrases import phrase
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.points import Bags, RowPoints

PARENT, MIXED, CHILDREN = 1.0, 0.3, 0.0
"""The weights of the parent in the three looks; no single one finds every leak."""
APART, FLOOR = 0.1, 0.01
"""How much the numbers of children count, and what keeps a ratio of distances finite."""
PEOPLE = 200
"""People that are looked up in one go; in between, a signal to stop is heard."""


def against_others(card: str) -> str:
    """What a look says of itself where the distance is a share of that to the nearest person of the reference."""
    nearer, by, rest = card.partition(" is: by ")
    share = " is, as a share of the distance to the nearest other person of the population: by "
    return (
        nearer
        + share * bool(by)
        + rest.replace(" key, and nothing but the release.", " key, the release, and reference people.")
    )


@dataclass(frozen=True)
class ParentAlone(FileAttack):
    """Less the distance to the nearest released person, by parent alone; the shape that all looks at two tables have.

    With a reference it is a share of the distance to the nearest of its people. ``weight`` is that of the first table.

    References
    ----------
    .. [1] Membership inference on relational synthetic data (MT-MIA, arXiv 2602.07126, 2026): that the children of a
       person tell what the person alone does not. The distance here is simpler and learns nothing.
    """

    name: ClassVar[str] = "parent-alone"
    title: ClassVar[str] = "Parent alone"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by the row of the first table alone. "
        "Needs a second table joined by a key, and nothing but the release. Finds people whose row of the first "
        "table was copied, whatever became of their rows in the second; blind to a leak that lives in those."
    )
    weight: ClassVar[float] = PARENT
    needs_children: ClassVar[bool] = True
    is_distance: ClassVar[bool] = True
    in_all: ClassVar[bool] = False
    """Most audits have one table; one that has two asks it."""

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) at most 0, higher means nearer. Draws nothing at random."""
        release, targets = sight.release, sight.targets
        is_ordered = bool(getattr(self, "ordered", False))
        away = _distance(self.weight, release, targets, release, self.title, is_ordered)
        if self.needs_reference:
            away = away / (_distance(self.weight, sight.others, targets, release, self.title, is_ordered) + FLOOR)
        return -away


@dataclass(frozen=True)
class ChildrenAlone(ParentAlone):
    """By children alone, whose rows may have an order."""

    name: ClassVar[str] = "children-alone"
    title: ClassVar[str] = "Children alone"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by the rows of the second table and "
        "how many they are. Needs a second table joined by a key, and nothing but the release. Finds people whose "
        "rows of the second table were copied as a whole, whoever they were given to; blind to a leak that lives "
        "in the first table."
    )
    weight: ClassVar[float] = CHILDREN

    ordered: bool = parameter(
        False,
        label="Keep the order of rows",
        help="Compare the rows of two people one after the other, by the first column of dates of the second table.",
    )


@dataclass(frozen=True)
class Mixed(ChildrenAlone):
    """By parent and children."""

    name: ClassVar[str] = "mixed"
    title: ClassVar[str] = "Mixed"
    card: ClassVar[str] = (
        "Scores a person higher the nearer the nearest released person is: by parent and children together, the "
        "children for most of it. Needs a second table joined by a key, and nothing but the release. Finds people "
        "whose rows of both tables were copied together; weaker than an attack on one table where the leak lives "
        "in that one."
    )
    weight: ClassVar[float] = MIXED


@dataclass(frozen=True)
class ParentAloneRatio(ParentAlone):
    """By parent alone, over the distance to the nearest of the reference."""

    name: ClassVar[str] = "parent-alone-ratio"
    title: ClassVar[str] = "Parent alone, against others"
    card: ClassVar[str] = against_others(ParentAlone.card)
    needs_reference: ClassVar[bool] = True


@dataclass(frozen=True)
class ChildrenAloneRatio(ChildrenAlone):
    """By children alone, over the distance to the nearest of the reference."""

    name: ClassVar[str] = "children-alone-ratio"
    title: ClassVar[str] = "Children alone, against others"
    card: ClassVar[str] = against_others(ChildrenAlone.card)
    needs_reference: ClassVar[bool] = True


@dataclass(frozen=True)
class MixedRatio(Mixed):
    """By parent and children, over the distance to the nearest of the reference."""

    name: ClassVar[str] = "mixed-ratio"
    title: ClassVar[str] = "Mixed, against others"
    card: ClassVar[str] = against_others(Mixed.card)
    needs_reference: ClassVar[bool] = True


def bags_of(points: RowPoints, title: str, *, ordered: bool = False) -> Bags:
    """The rows of each in the second table; :class:`DesignError` where there is none, or no date to order them by."""
    if points.children is None:
        raise DesignError.phrase(
            "{title} reads a second table with several rows a person, and none is loaded; load one, or leave the "
            "attack out.",
            title=phrase(title),
        )
    if ordered and not points.children.ordered:
        raise DesignError.phrase(
            "{title} keeps the order of rows here, and no column of the second table holds dates; give one the "
            "form of dates, or leave the order out.",
            title=phrase(title),
        )
    return points.children


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
    def scale(cls, people: RowPoints, bags: Bags, scale: Floats, child_scale: Floats) -> _Scaled:
        rows = bags.pack()
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
    from riskkit.released import _kernels

    asked, there, own = (bags_of(points, title, ordered=ordered) for points in (targets, among, release))
    order = np.argsort(there.size, kind="stable")
    scale, child_scale = _scale(release.numbers), _scale(own.rows.numbers[np.unique(own.places)])
    people = _Scaled.scale(targets, asked, scale, child_scale)
    others = _Scaled.scale(among.rows(order), there.take(order), scale, child_scale)
    counts, begin = np.unique(others.size, return_index=True)
    out = np.empty(len(targets))
    for start in range(0, len(out), PEOPLE):
        some = slice(start, start + PEOPLE)
        _kernels.nearest_person(
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


PLUGIN = ParentAlone, ChildrenAlone, Mixed, ParentAloneRatio, ChildrenAloneRatio, MixedRatio
