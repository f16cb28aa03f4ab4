"""What an attacker may believe of a person once it has said "in": Bayes' rule on a share named and a base rate."""

from __future__ import annotations

from riskkit.core import Estimate

PRIORS = (0.5, 0.1, 0.01)
"""How likely the attacker held membership before it saw the release."""


def posteriors(tpr_at_fpr: Estimate) -> list[tuple[float, Estimate]]:
    """How likely a record is in when the attacker says so, for each of :data:`PRIORS` (the base rate).

    ``tpr_at_fpr`` is the share named at a fixed share of false alarms. Its interval carries over, because the answer
    only rises with it.
    """
    fpr = float(tpr_at_fpr.labels["fpr"])
    named = tpr_at_fpr
    answers = []
    for prior in PRIORS:
        value, low, high = (_posterior(prior, tpr, fpr) for tpr in (named.value, named.low, named.high))
        answers.append((prior, Estimate("posterior", value, low, high, named.level, named.method, named.n)))
    return answers


def _posterior(prior: float, tpr: float, fpr: float) -> float:
    rightly = prior * tpr
    return rightly / (rightly + (1 - prior) * fpr)
