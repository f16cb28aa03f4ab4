"""Singling people out: every set of columns in the crowd, and in that with the planted leak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np
import numpy.typing as npt

from riskkit.base.threads import single_thread
from riskkit.core import Ints
from riskkit.games.singling_out import CodedRows, Key, keys, single_out
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
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
from riskkit.questions.singling_out.plan import SinglingOutPlan
from riskkit.table.load import Tables

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
