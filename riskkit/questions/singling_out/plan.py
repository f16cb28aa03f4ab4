"""By which columns people are looked for in a release: a frozen plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit import plans
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Plan


@dataclass(frozen=True, slots=True)
class SinglingOutPlan(Plan):
    """Sets of columns by which people are alone, and whether the release holds their values.

    Parameters
    ----------
    columns
        What is known of people; none named: every column in use.
    size
        The most columns that are known together. Every set of up to so many is looked at.
    groups
        A number column of more different values is looked at twice: as it is, and in so many groups of about as many
        people each.
    sets
        The most sets of columns that are looked at; where there are more, smaller ones come first and the rest is
        drawn.
    """

    question: ClassVar[str] = "singling-out"
    unit: ClassVar[str] = "step"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic", "holdout"})

    columns: tuple[str, ...] = parameter(
        (),
        label="Known columns",
        names_columns=True,
        help="What may be known of a person; if none is named, every column in use.",
        option=Option(flag="column", metavar="COLUMN"),
        words={(): "every column in use"},
    )
    size: int = parameter(
        3,
        label="Columns known together, at most",
        help="Every set of up to this many columns is tested.",
        low=1,
        high=10,
        option=Option(is_stated=True),
    )
    groups: int = parameter(
        20,
        label="Groups of a numeric column",
        help="A numeric column with more different values is used as it is, and also in this many groups.",
        low=2,
        high=1000,
    )
    sets: int = parameter(
        1000,
        label="Sets of columns, at most",
        help="Where there are more, smaller sets come first and the rest are drawn.",
        low=1,
        high=20_000,
    )
    max_rows: int = plans.people_asked(
        10_000, "Whether somebody is unique is judged among everybody; the release is never cut."
    )
    seed: int = plans.seed()
    level: float = plans.level("How often all intervals hold the true value, although so many sets are tested.")
    by: tuple[str, ...] = plans.groups(flag="by")

    @property
    def label(self) -> str:
        """The plan in a few words."""
        if not self.columns:
            return phrase("up to {size} of all columns", size=self.size)
        return phrase("up to {size} of {n} columns", size=self.size, n=len(self.columns))
