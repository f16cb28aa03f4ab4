"""Linking halves of records: every split of the columns, in the crowd and in that with the planted leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from riskkit.base.threads import single_thread
from riskkit.errors import DesignError, nearest
from riskkit.games.linkage import Linking, Split, splits
from riskkit.games.mixture import MixedCrowd
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.questions.compared import ComparedResult, Crowds, Look, LookMarks, columns_of, halves, result_of
from riskkit.questions.linkability.plan import LinkabilityPlan
from riskkit.table.load import Tables

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
