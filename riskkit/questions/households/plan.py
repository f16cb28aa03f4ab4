"""What to ask about households: a frozen plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit import plans
from riskkit.parameters import Option, parameter
from riskkit.plans import Called, Plan
from riskkit.questions import opponents


@dataclass(frozen=True, slots=True)
class HouseholdsPlan(Plan):
    """Every anonymiser against every attacker, who says of each household how surely it was in.

    Parameters
    ----------
    household
        Rows that share a value of this column were in or out together; nobody else sees it. Empty: the column that has
        the role *household*.
    anonymisers, attackers
        As those of a contest are written: a setting in braces stands for each of its values, ``default`` for
        :data:`riskkit.questions.opponents.SUITE`, ``all`` for every attack on a released file.
    sample
        Rows of the real table that a release is made from; 0 takes half of them.
    release
        Rows of a release; 0 takes as many as the sample has.
    asked, least
        So many households of ``least`` rows or more are asked about, half of them in.
    control
        Whether the sample itself is released once more, as a planted leak: who does not find it is blind here.
    """

    question: ClassVar[str] = "households"
    unit: ClassVar[str] = "release"

    household: str = parameter(
        "",
        label="Household",
        help="The column that says who lives together; if it is empty, the one whose role is household.",
        names_columns=True,
        option=Option(metavar="COLUMN"),
    )
    anonymisers: tuple[str, ...] = opponents.anonymisers()
    attackers: tuple[str, ...] = opponents.attackers()
    sample: int = parameter(
        0,
        label="Sample",
        help="How many rows of the real table are in: the people of the households that are in, filled up with others. "
        "0: half of the rows.",
        low=0,
        words={0: "half of the rows"},
    )
    release: int = opponents.release()
    asked: int = parameter(
        100,
        label="Households",
        help="How many households are asked about. Half of them are in the sample with all their people, half with "
        "none.",
        low=2,
    )
    least: int = parameter(
        5, label="Rows of a household", help="How many rows a household has at least that is asked about.", low=1
    )
    control: bool = opponents.control()
    seed: int = plans.seed()
    level: float = plans.level()

    def in_words(self, called: Called) -> str:
        """The plan in a few words."""
        return plans.several("generators", self.anonymisers, called)
