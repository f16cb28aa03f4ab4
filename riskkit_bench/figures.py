"""The numbers of a cell: what an attack reached, over all who were asked about and of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskkit.core import Estimate, Scores
from riskkit.errors import DesignError, ScoreError, TooFewTrainings, message_of
from riskkit.questions.records.result import PLANTED_AUC, RecordsResult
from riskkit.stats import records, summary
from riskkit.stats.intervals import critical
from riskkit.stats.subsets import PARTS
from riskkit.stats.summary import mean_auc
from riskkit_bench.desk import Desk
from riskkit_bench.plan import BenchPlan
from riskkit_bench.results import PersonAuc, Three

FPR = 0.01
"""The share of false alarms at which the share named is given."""
DIGITS = 6
"""Decimals that are kept of a number."""


def people_figures(plan: BenchPlan, desk: Desk, named: Sequence[tuple[int, Scores]]) -> dict[str, Any]:
    """The figures of an attack over all people, and of each; those of whom nothing can be said are left out."""
    people, games = [], []
    for row, scores in named:
        try:
            people.append(PersonAuc(int(desk.rows[row]), three(summary.auc(scores, level=plan.sure))))
            games.append(scores)
        except (ScoreError, TooFewTrainings):
            games.append(scores)
    figures: dict[str, Any] = {"people": tuple(people)}
    try:
        figures |= {"auc": three(auc := mean_auc(games, level=plan.level)), "n": auc.n}
        figures["sure"] = three(mean_auc(games, level=plan.sure))
        figures["tpr"] = three(summary.tpr_at_fpr(_pool(games), FPR, level=plan.level))
    except (ScoreError, TooFewTrainings) as error:
        figures["why"] = message_of(error)
    return figures


def _pool(games: Sequence[Scores]) -> Scores:
    """All games as one: an attacker with a single cut for everybody."""
    first = np.cumsum([0, *(int(scores.training.max()) + 1 for scores in games)])
    return Scores(
        value=np.concatenate([scores.value for scores in games]),
        is_in=np.concatenate([scores.is_in for scores in games]),
        training=np.concatenate([scores.training + offset for scores, offset in zip(games, first, strict=False)]),
        target=np.concatenate([np.full(len(scores), number) for number, scores in enumerate(games)]),
        attack=games[0].attack,
    )


def record_figures(plan: BenchPlan, scores: Scores) -> dict[str, Any]:
    """The figures of an attack on a file."""
    figures: dict[str, Any] = {}
    try:
        figures |= {"auc": three(auc := records.auc(scores, level=plan.level)), "n": auc.n}
        figures["sure"] = three(records.auc(scores, level=plan.sure))
        figures["tpr"] = three(records.tpr_at_fpr(scores, FPR, level=plan.level))
    except DesignError as error:
        figures["why"] = message_of(error)
    return figures


def pooled_figures(plan: BenchPlan, result: RecordsResult, attack: str) -> dict[str, Any]:
    """The figures of an attack that scored everybody on releases of random halves of the people."""
    own = {
        (estimate.name, estimate.labels.get("fpr")): estimate
        for estimate in result.overall
        if estimate.labels.get("attack") == attack
    }
    if (auc := own.get(("mean_auc", None))) is None:
        return {"why": "the attack has no number here"}
    # ends lie so many errors away, of Student's law: a surer interval is the same one, longer
    parts = min(PARTS, auc.n)
    longer = critical(plan.sure, parts) / critical(auc.level, parts)
    sure = [auc.value, *(min(max(auc.value + longer * (end - auc.value), 0.0), 1.0) for end in (auc.low, auc.high))]
    figures: dict[str, Any] = {"auc": three(auc), "sure": round_ends(sure), "n": auc.n}
    if (named := own.get(("tpr_at_fpr", f"{FPR:g}"))) is not None:
        figures["tpr"] = three(named)
    if (planted := own.get((PLANTED_AUC, None))) is not None:
        figures["control"] = round(planted.value, DIGITS)
    return figures


def three(estimate: Estimate) -> Three:
    """Value and ends of an estimate, with the decimals that are kept."""
    return round_ends((estimate.value, estimate.low, estimate.high))


def round_ends(ends: Sequence[float]) -> Three:
    """A value with its ends, with the decimals that are kept."""
    value, low, high = (round(float(part), DIGITS) for part in ends)
    return value, low, high
