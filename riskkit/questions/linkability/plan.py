"""How halves of people's records are linked by a release: a frozen plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit import plans
from riskkit.parameters import Option, parameter
from riskkit.phrases import counted_phrase, phrase
from riskkit.plans import Plan


@dataclass(frozen=True, slots=True)
class LinkabilityPlan(Plan):
    """Two files hold different columns of the same people: how many people the release links rightly.

    Parameters
    ----------
    columns
        The columns of both files together; none named: every column in use.
    half
        The columns of one file; the other one has the rest. None named: the columns are split in several ways.
    splits
        How many ways to split them, at most.
    group
        People whose halves are linked at a time. One who guesses links one of so many rightly.
    """

    question: ClassVar[str] = "linkability"
    unit: ClassVar[str] = "step"
    needs: ClassVar[frozenset[str]] = frozenset({"synthetic", "holdout"})

    columns: tuple[str, ...] = parameter(
        (),
        label="Columns",
        names_columns=True,
        help="The columns of both files together; if none is named, every column in use.",
        option=Option(flag="column", metavar="COLUMN"),
        words={(): "every column in use"},
    )
    half: tuple[str, ...] = parameter(
        (),
        label="Columns of one file",
        names_columns=True,
        help="The other file has the rest. If none is named, the columns are split in several ways.",
        option=Option(metavar="COLUMN"),
        words={(): "several ways are tried"},
    )
    splits: int = parameter(
        4,
        label="Ways to split the columns, at most",
        help=("The halves of each split have about the same number of columns."),
        low=1,
        high=1000,
    )
    group: int = parameter(
        100,
        label="People linked at a time",
        help="Guessing links one in this many people rightly.",
        low=2,
        high=1000,
        option=Option(is_stated=True),
    )
    max_rows: int = plans.people_asked(2_000)
    seed: int = plans.seed()
    level: float = plans.level("How often all intervals hold the true value, although several splits are tested.")
    by: tuple[str, ...] = plans.groups(flag="by")

    @property
    def label(self) -> str:
        """The plan in a few words."""
        if self.half:
            return phrase("{half} and the rest", half=tuple(self.half))
        return counted_phrase(self.splits, "up to {n} split", "up to {n} splits")
