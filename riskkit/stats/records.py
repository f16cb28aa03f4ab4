"""What an attack achieved on one released file. Here the interval counts **records**.

One release exists and stays as it is; what is drawn from the population are the records asked about. Scores have one
number in ``training`` for each record: rows that are exact copies of one another share it and count as one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riskkit.core import Estimate, Scores
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.stats import summary
from riskkit.stats.arms import FEWEST_TRAININGS
from riskkit.stats.intervals import auc_limits

FEWEST_RECORDS = FEWEST_TRAININGS
"""Records that each side needs before an interval, and so a number, is given."""


def auc(scores: Scores, *, level: float = 0.95) -> Estimate:
    """The chance that the attack scores a record that was in above one that was not; .5 is guessing.

    Raises
    ------
    TooFewTrainings
        A side has fewer than five records.
    ScoreError
        All records have the same score.
    """
    check(scores)
    return _per_record(summary.auc(scores, level=level))


def tpr_at_fpr(scores: Scores, fpr: float, *, level: float = 0.95) -> Estimate:
    """The share of the records that were in which the attack names while it accuses ``fpr`` of the others.

    Raises
    ------
    ParameterError
        ``fpr`` is not between 0 and 1.
    TooFewTrainings
        Fewer than five records a side, or fewer than ``3 / fpr`` that were not in.
    ScoreError
        All records have the same score.
    """
    if not 0 < fpr < 1:
        raise ParameterError(f"The false positive rate is {fpr}; it must lie between 0 and 1.")
    fewest = int(np.ceil(round(3 / fpr, 9)))
    check(scores)
    if scores.trainings(False) < fewest:
        raise TooFewTrainings.phrase(
            "The TPR at {percent:g} % FPR needs at least {fewest:,} records from outside the data; there are "
            "{there:,}.",
            percent=100 * fpr,
            fewest=fewest,
            there=scores.trainings(False),
        )
    return _per_record(summary.tpr_at_fpr(scores, fpr, level=level))


def upper_if_half(n_in: int, n_out: int, *, level: float = 0.95) -> float:
    """The upper end of the interval if the observed AUC is one half: no smaller leak can be ruled out beforehand."""
    return float(auc_limits(0.5, n_in, n_out, level)[1])


def level_of_each(level: float, looks: int) -> float:
    """The level of each of ``looks`` intervals at which all of them together hold at ``level`` (Bonferroni)."""
    return 1 - (1 - level) / looks


def check_enough(n_in: int, n_out: int) -> None:
    """Raise :class:`TooFewTrainings` where an interval needs more different records on a side."""
    if min(n_in, n_out) < FEWEST_RECORDS:
        raise TooFewTrainings.phrase(
            "There are {n_in:,} different records of members and {n_out:,} of others; an interval needs at "
            "least {fewest} of each. Load more records.",
            n_in=n_in,
            n_out=n_out,
            fewest=FEWEST_RECORDS,
        )


def check(scores: Scores) -> None:
    """Raise what :func:`auc` raises where these scores have no number; it takes no time."""
    check_enough(scores.trainings(True), scores.trainings(False))
    if np.ptp(scores.value) == 0:
        raise ScoreError.phrase(
            "It gave every record the same score, so it decides nothing: neither a leak nor its absence. "
            "Choose another attack or another setting of it."
        )


def _per_record(estimate: Estimate) -> Estimate:
    """The estimate with the method named after what it counts here."""
    return replace(estimate, method=estimate.method.replace("by training", "by record"))
