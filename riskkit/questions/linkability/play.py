"""Linking halves of records: the plan, and every split of the columns in the crowd and with the planted leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from riskkit import plans
from riskkit.base.threads import single_thread
from riskkit.errors import DesignError, nearest
from riskkit.games.linkage import Linking, Split, splits
from riskkit.games.mixture import MixedCrowd
from riskkit.jobs.pool import Pool, Steering
from riskkit.parameters import Option, parameter
from riskkit.phrases import counted_phrase, phrase
from riskkit.plans import Plan
from riskkit.questions.compared import ComparedResult, Crowds, Look, LookMarks, columns_of, halves, result_of
from riskkit.table.load import Tables


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


Unit = tuple[str, Split]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class LinkabilityResult(ComparedResult):
    """A finished plan: who is linked."""

    plan: LinkabilityPlan


def run_linkability(tables: Tables, plan: LinkabilityPlan, **steering: Unpack[Steering]) -> LinkabilityResult:
    """The result of that plan.

    Raises
    ------
    DesignError
        A file is missing or has no row, a column that is named is not in use, or there is nothing to split.
    """
    names = columns_of(tables, plan.columns)
    with single_thread():
        crowds = Crowds.mix(tables, plan)
        wanted = _splits(plan, names, crowds.attack)
        games = {what: Linking.split(crowd, names, plan.group) for what, crowd in crowds.by.items()}
        units = [(what, split) for what in games for split in wanted]
        pool = Pool.open(len(units), **steering)
        parts = list(pool.map(phrase("Linking halves"), _link, games, units))
        marks = {
            what: LookMarks(np.array([part for part, (own, _) in zip(parts, units, strict=True) if own == what]))
            for what in games
        }
        looks = [_look(split, names) for split in wanted]
        return result_of(LinkabilityResult, "linked", plan, tables, crowds, looks, marks)


def _splits(plan: LinkabilityPlan, names: Sequence[str], crowd: MixedCrowd) -> list[Split]:
    """The splits that are asked, by the places of the columns."""
    if len(names) < 2:
        raise DesignError.phrase(
            "There is one column alone, so two files cannot hold different ones; use more columns."
        )
    if not plan.half:
        return splits(len(names), plan.splits, crowd.rng("splits"))
    if strangers := [name for name in plan.half if name not in names]:
        raise DesignError.phrase(
            "Column {name!r} is not among the columns that both files hold together{near}.",
            name=strangers[0],
            near=nearest(strangers[0], names),
        )
    half = tuple(position for position, name in enumerate(names) if name in plan.half)
    other = tuple(position for position, name in enumerate(names) if name not in plan.half)
    if not other:
        raise DesignError.phrase("One file has every column, so nothing is left for the other; name fewer.")
    return [(half, other)]


def _link(games: Mapping[str, Linking], units: Sequence[Unit]) -> list[npt.NDArray[np.bool_]]:
    return [games[what].link(split) for what, split in units]


def _look(split: Split, names: Sequence[str]) -> Look:
    """What a split is called: the columns of one file, and those of the other."""
    first, other = (tuple(names[position] for position in half) for half in split)
    return Look(str(halves(first, other)), (*first, *other), split)
