"""The same question asked of groups of people, by the values of any column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from riskkit.core import Column, Estimate, Floats, Kind, Table
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE, Answers
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.questions.attributes.gains import MEASURES, Gains
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.stats.groups import ByGroup, delta_by_group, residual_by_group
from riskkit.stats.guesses import Guesses
from riskkit.table.features import Secret

BANDS = (0.25, 0.5, 0.75)
"""A number is cut into four groups at these shares of its members."""


@dataclass(frozen=True, slots=True, eq=False)
class ByColumn:
    """One measure (``delta`` or ``residual``) in each group by one column; ``refused`` counts groups too small."""

    by: str
    measure: str
    each: tuple[Estimate, ...]
    worst: Estimate | None
    refused: int


def by_columns(
    plan: AttributePlan,
    gains: Gains,
    beside: Mapping[tuple[str, str], Guesses],
    answers: Answers,
    deal: AttributeDeal,
) -> tuple[ByColumn, ...]:
    """What the release adds in each group, and the residual where there is a control.

    ``gains`` are about everybody, ``beside`` the guesses that the two sides are compared by.
    """
    tables = {MEMBERS: deal.members.table} | ({} if deal.control is None else {CONTROL: deal.control.table})
    asked = CONTROL if CONTROL in tables else MEMBERS
    out = []
    for by in plan.groups:
        named = group_names(by, tables)
        group = {side: names[answers.arm(RELEASE, side).rows] for side, names in named.items()}
        baseline, _ = gains.baseline(MEASURES[answers.kind][0], asked)
        found = delta_by_group(gains.sides[RELEASE, asked], baseline, _list(group[asked]), level=plan.level)
        out.append(_of(by, "delta", found))
        if deal.apart is not None:
            inside, outside = beside[RELEASE, MEMBERS], beside[RELEASE, CONTROL]
            stays = {MEMBERS: deal.apart.members, CONTROL: deal.apart.control}
            stay = {side: group[side][stays[side][answers.arm(RELEASE, side).rows]] for side in stays}
            names = _list(stay[MEMBERS]), _list(stay[CONTROL])
            out.append(_of(by, "residual", residual_by_group(inside, outside, *names, level=plan.level)))
    return tuple(out)


def group_names(by: str, tables: Mapping[str, Table]) -> dict[str, npt.NDArray[np.str_]]:
    """The name of the group of every row: the level of a category, the band of a number."""
    members = Secret.of(tables[MEMBERS], by)
    column = members.column
    if not column.is_numeric:
        levels = np.asarray([level or "missing" for level in column.levels], dtype=np.str_)
        return {side: levels[Secret.of(table, by).codes] for side, table in tables.items()}
    there = members.values[members.present]
    cuts = np.unique(np.quantile(there, BANDS)) if len(there) else np.empty(0)
    return {side: _bands(Secret.of(table, by).values, cuts, column) for side, table in tables.items()}


def _bands(values: Floats, cuts: Floats, column: Column) -> npt.NDArray[np.str_]:
    """The name of the band of each number."""
    ends = [_written(cut, column) for cut in cuts]
    middle = [f"above {low} to {high}" for low, high in pairwise(ends)]
    names = np.asarray([f"up to {ends[0]}", *middle, f"above {ends[-1]}"] if ends else ["any"], dtype=np.str_)
    return np.where(np.isnan(values), "missing", names[np.searchsorted(cuts, np.nan_to_num(values), side="left")])


def _written(cut: float, column: Column) -> str:
    """The end of a band as its column is read."""
    if column.kind is Kind.DATE:
        return str(np.datetime64(round(cut), "D"))
    return f"{cut:.{column.decimals}f}"


def _of(by: str, measure: str, found: ByGroup) -> ByColumn:
    return ByColumn(by, measure, found.each, found.worst, len(found.refused))


def _list(names: npt.NDArray[np.str_]) -> list[str]:
    out: list[str] = names.tolist()
    return out
