"""Are minimal uniques the people whom attacks find? What runs of other questions on the same tables kept of rows.

Read as they are kept, by the names of their entries: ``row`` and ``auc`` of *records*, ``row`` of *singling-out*.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit.base import distributions as stats
from riskkit.core import Bools, Floats, Ints
from riskkit.show.model import Played


@dataclass(frozen=True, slots=True)
class AttackAgreement:
    """What attacks found of rows that are minimal uniques, and of all other rows they looked at.

    ``question`` is that of the attack. ``uniques`` and ``others`` are how many rows either side has; the figures are
    their mean AUCs (*records*), or the shares of them that are named (*singling-out*). ``agreement`` is the rank
    correlation of SUDA scores and AUCs, None where nothing is ranked.
    """

    question: str
    uniques: int
    others: int
    of_uniques: float
    of_others: float
    agreement: float | None = None


def compare_attacks(scores: Floats, runs: Iterable[Played]) -> tuple[AttackAgreement, ...]:
    """The same by every finished run on these tables; ``scores`` (rows,) are above 0 of minimal uniques."""
    readers = {"records": _records, "singling-out": _singling_out}
    done = (run for run in runs if run.is_current and run.state == "finished" and run.result is not None)
    read = (readers[run.question](scores, run.result or {}) for run in done if run.question in readers)
    return tuple(figures for figures in read if figures is not None)


def _records(scores: Floats, result: Mapping[str, Any]) -> AttackAgreement | None:
    """How surely the game told each of the people it asked about."""
    people = [own for own in result.get("records", ()) if own["auc"] and not own.get("group")]
    auc = np.array([float(own["auc"][0]) for own in people])
    rows = np.array([int(own["row"]) for own in people], dtype=np.int64)
    if (rows >= len(scores)).any():
        return None
    return _compare("records", auc, scores[rows] > 0, _rank_correlation(scores[rows], auc)) if people else None


def _singling_out(scores: Floats, result: Mapping[str, Any]) -> AttackAgreement | None:
    """Whom any look that is shown names."""
    rows: Ints = np.array([row for look in result.get("records", ()) for row in look.get("row", ())], dtype=np.int64)
    if "records" not in result or (rows >= len(scores)).any():
        return None
    is_named = np.zeros(len(scores))
    is_named[rows] = 1.0
    return _compare("singling-out", is_named, scores > 0, None)


def _compare(question: str, value: Floats, is_unique: Bools, agreement: float | None) -> AttackAgreement | None:
    if is_unique.all() or not is_unique.any():
        return None
    means = float(value[is_unique].mean()), float(value[~is_unique].mean())
    return AttackAgreement(question, int(is_unique.sum()), int((~is_unique).sum()), *means, agreement)


def _rank_correlation(first: Floats, second: Floats) -> float | None:
    """Spearman's; None where either has one value alone."""
    ranks = [stats.rankdata(values) for values in (first, second)]
    if any(np.ptp(own) == 0 for own in ranks):
        return None
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])
