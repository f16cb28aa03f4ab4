"""For whom an attack works best, of targets that were drawn by lot: only they stand for anybody."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from riskkit import registry
from riskkit.core import Table
from riskkit.questions.for_whom import of_targets
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import Finding
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom


def for_whom(table: Table, plan: MembershipPlan, findings: Sequence[Finding]) -> ForWhom | None:
    """The targets of the first method by groups, under the attack with the highest mean AUC over them.

    Every target has a game of its own, whose releases it shares with nobody. A target whose game says nothing is left
    out. None where targets were picked, or are played as one, or where there is a single one.
    """
    drawn = [rule for rule in plan.targets if getattr(registry.parse("targets", rule), "by_lot", False)]
    if plan.together or plan.k == 1 or not drawn:
        return None
    risk: dict[str, dict[int, float]] = {}
    for finding in findings:
        auc = next((each for each in finding.estimates if each.name == "auc"), None)
        if auc is not None and finding.labels["generator"] == plan.generators[0] and finding.labels["target"] in drawn:
            risk.setdefault(finding.labels["attack"], {})[int(finding.labels["record"])] = auc.value
    if not risk:
        return None
    attack = max(risk, key=lambda name: float(np.mean(list(risk[name].values()))))
    rows, values = (np.array(list(part)) for part in (risk[attack], risk[attack].values()))
    rng = stream(plan.seed, "membership", "groups")
    return of_targets(table, rows, values, attack, plan.groups, rng, plan.level)
