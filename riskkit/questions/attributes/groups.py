"""The same question asked of groups of people, by the values of any column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE, AttributeArms
from riskkit.games.attribute_deal import AttributeDeal
from riskkit.questions.attributes.gains import MEASURES, Gains
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.stats.groups import ByGroup, delta_by_group, residual_by_group
from riskkit.stats.guesses import Guesses
from riskkit.table.features import group_column, group_names


@dataclass(frozen=True, slots=True, eq=False)
class ByColumn:
    """One measure (``delta`` or ``residual``) in each group by one column; ``refused`` counts groups too small.

    ``worst`` has the interval that allows for having looked at all.
    """

    by: str
    measure: str
    each: tuple[Estimate, ...]
    worst: Estimate | None
    refused: int


def by_columns(
    plan: AttributePlan,
    gains: Gains,
    beside: Mapping[tuple[str, str], Guesses],
    answers: AttributeArms,
    deal: AttributeDeal,
) -> tuple[ByColumn, ...]:
    """What the release adds in each group, and the residual where there is a control.

    ``gains`` are about everybody, ``beside`` the guesses that the two sides are compared by.
    """
    tables = {MEMBERS: deal.members.table} | ({} if deal.control is None else {CONTROL: deal.control.table})
    asked = CONTROL if CONTROL in tables else MEMBERS
    out = []
    for by in plan.groups:
        groups = group_column(by, tables, MEMBERS)
        group = {side: group_names(groups, side)[answers.arm(RELEASE, side).rows] for side in tables}
        baseline, _ = gains.baseline(MEASURES[answers.kind][0], asked)
        by_group = delta_by_group(gains.sides[RELEASE, asked], baseline, _list(group[asked]), level=plan.level)
        out.append(_column_gains(by, "delta", by_group))
        if deal.apart is not None:
            inside, outside = beside[RELEASE, MEMBERS], beside[RELEASE, CONTROL]
            stays = {MEMBERS: deal.apart.members, CONTROL: deal.apart.control}
            stay = {side: group[side][stays[side][answers.arm(RELEASE, side).rows]] for side in stays}
            names = _list(stay[MEMBERS]), _list(stay[CONTROL])
            out.append(_column_gains(by, "residual", residual_by_group(inside, outside, *names, level=plan.level)))
    return tuple(out)


def _column_gains(by: str, measure: str, group: ByGroup) -> ByColumn:
    return ByColumn(by, measure, group.each, group.worst, len(group.refused))


def _list(names: Any) -> list[str]:
    out: list[str] = names.tolist()
    return out
