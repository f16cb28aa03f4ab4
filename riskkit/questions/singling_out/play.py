"""Singling people out: the plan, and every set of columns in the crowd and in that with the planted leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np
import numpy.typing as npt

from riskkit import plans
from riskkit.base.threads import single_thread
from riskkit.core import Ints
from riskkit.games.singling_out import CodedRows, Key, keys, single_out
from riskkit.jobs.pool import Pool, Steering
from riskkit.parameters import Option, parameter
from riskkit.phrases import phrase
from riskkit.plans import Plan
from riskkit.questions.compared import (
    ATTACK,
    ComparedResult,
    Crowds,
    Look,
    LookMarks,
    columns_of,
    grouped_names,
    result_of,
    shorten_names,
)
from riskkit.table.load import Tables


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


STEP = 100
"""Sets of columns in one unit of work."""

Game = tuple[CodedRows, Ints]
Unit = tuple[str, tuple[Key, ...]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SinglingOutResult(ComparedResult):
    """A finished plan: who is singled out."""

    plan: SinglingOutPlan


def run_singling_out(tables: Tables, plan: SinglingOutPlan, **steering: Unpack[Steering]) -> SinglingOutResult:
    """The result of that plan.

    Raises
    ------
    DesignError
        A file is missing or has no row, or a column that is named is not in use.
    """
    names = columns_of(tables, plan.columns)
    with single_thread():
        crowds = Crowds.mix(tables, plan)
        games = {what: (CodedRows.code(crowd, names, plan.groups), crowd.asked) for what, crowd in crowds.by.items()}
        wanted = keys(games[ATTACK][0], plan.size, plan.sets, crowds.attack.rng("keys"))
        units = [(what, tuple(wanted[start : start + STEP])) for what in games for start in range(0, len(wanted), STEP)]
        pool = Pool.open(len(units), **steering)
        parts = list(pool.map(phrase("Singling people out"), _count_sets, games, units))
        marks = {what: LookMarks(_join_parts(parts, units, what, len(asked))) for what, (_, asked) in games.items()}
        looks = [_look(key, names, plan.groups) for key in wanted]
        return result_of(SinglingOutResult, "singled_out", plan, tables, crowds, looks, marks)


def _count_sets(games: Mapping[str, Game], units: Sequence[Unit]) -> list[npt.NDArray[np.uint8]]:
    """For each unit (sets, n_asked / 8) whom each of its sets singles out, eight people a byte."""
    out = []
    for what, wanted in units:
        readings, asked = games[what]
        out.append(np.packbits(np.array([hit[asked] for hit in single_out(readings, wanted)]), axis=1))
    return out


def _join_parts(
    parts: Sequence[npt.NDArray[np.uint8]], units: Sequence[Unit], what: str, people: int
) -> npt.NDArray[np.bool_]:
    """(n_looks, n_asked) the parts of one game, unpacked."""
    own = np.concatenate([part for part, (of, _) in zip(parts, units, strict=True) if of == what])
    return np.unpackbits(own, axis=1, count=people).astype(np.bool_)


def _look(key: Key, names: Sequence[str], groups: int) -> Look:
    """What a set of columns is called."""
    columns = tuple(names[column] for column in key.columns)
    text = str(grouped_names(columns, groups) if key.is_coarse else shorten_names(columns))
    return Look(text, columns, len(columns))
