"""What a measure of usefulness is given, and the shape every such measure has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, TypeVar

from riskkit.core import Role, Schema, Table
from riskkit.errors import DesignError
from riskkit.table.encode import Scale

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class TreeQuestion:
    """What trees are asked: is ``column`` at ``level``? Trees are ``depth`` questions deep at most."""

    column: str
    level: str
    depth: int


OFFICIAL = (TreeQuestion("income", ">50K", 5), TreeQuestion("relationship", "Husband", 3))
"""What the PWS Cup 2020 asked of census rows."""


def tree_questions(schema: Schema) -> tuple[TreeQuestion, ...]:
    """The contest's questions where the table has their columns and levels, else one of each of two categories.

    Those are the columns with the role secret, or the last ones, of two levels or more; the level asked about is the
    last in the schema. The first question may be 5 deep, the second 3, as the contest's.
    """
    there = [question for question in OFFICIAL if _has(schema, question)]
    if len(there) == len(OFFICIAL):
        return tuple(there)
    wide = [column for column in schema.categorical if len(column.levels) > 1]
    wanted = sorted(wide, key=lambda column: (column.role is not Role.SECRET, -wide.index(column)))[:2]
    return tuple(TreeQuestion(c.name, c.levels[-1], depth) for c, depth in zip(wanted, (5, 3), strict=False))


def _has(schema: Schema, question: TreeQuestion) -> bool:
    return any(column.name == question.column and question.level in column.levels for column in schema.categorical)


@dataclass(frozen=True, slots=True, eq=False)
class ComparedTables:
    """A release beside the real rows it is compared with, all under one schema.

    Parameters
    ----------
    release
        The released rows, as many as the method made.
    sample
        The real rows that the release was made from; other people, where it is asked how it stands for them.
    test
        Real rows that no release was made from, for what is learnt from a release.
    questions
        What trees are asked about the test rows; none where there is nothing to ask.
    scale
        How numbers enter a measure that depends on their unit: ``raw``, or in standard deviations of the schema.
    """

    release: Table
    sample: Table
    test: Table
    questions: tuple[TreeQuestion, ...] = ()
    scale: Scale = "raw"
    _done: dict[Callable[[ComparedTables], Any], Any] = field(default_factory=dict, init=False, repr=False)

    def once(self, work: Callable[[ComparedTables], T]) -> T:
        """What that function makes of these tables, worked out once for all measures that ask for it."""
        if work not in self._done:
            self._done[work] = work(self)
        result: T = self._done[work]
        return result


def check_comparable(release: Table, sample: Table) -> None:
    """Refuse tables that cannot be compared: :class:`DesignError` for other schemas, no row, or no column."""
    if release.schema != sample.schema:
        raise DesignError.phrase("The release and the real rows have different schemas. Load both files together.")
    if not len(release) or not len(sample):
        raise DesignError.phrase("There is nothing to compare: one of the two tables has no row.")
    if not sample.schema.modelled:
        raise DesignError.phrase("No column is left to compare. Give at least one column a role on the Data page.")


class Measure(Protocol):
    """One number of a release's usefulness: a frozen dataclass in a file of its own in ``riskkit/utility``.

    ``card`` says in plain words what the number means. ``place`` is where it stands among the others, the lowest first.
    ``ends`` are the least and the largest value it can have. Of ``more_is_better`` false the least is the best.
    ``thresholds`` names the rules of a contest that ask this measure, and the value each asks for: at least, or at most
    where less is better. ``frontier`` is its place among the measures that a frontier is drawn for, 0 where none is.
    ``of_others`` says whether it tells anything where the sample are people whom the release was not made from.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    place: ClassVar[int]
    ends: ClassVar[tuple[float, float]] = (0.0, 1.0)
    more_is_better: ClassVar[bool] = True
    thresholds: ClassVar[Mapping[str, float]] = {}
    frontier: ClassVar[int] = 0
    of_others: ClassVar[bool] = True

    def measure(self, compared: ComparedTables) -> float | None:
        """The number; None where there is nothing to ask of these tables.

        Raises
        ------
        DesignError
            The tables cannot be compared.
        """
