"""What a game says of differential privacy and of many records, read from its scores.

Beside the bound at the attack's own cut, which every result holds: the bound at the best of several cuts, a Bayesian
interval and, of methods declared Gaussian, the bound which that allows; whether a method's own promise is refuted;
which records may be listed after looking at all; and which attack does better on the same releases.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.questions.membership.result import ABOUT, Outcome
from riskkit.questions.promises import Claim
from riskkit.show.promise import with_readings
from riskkit.stats.epsilon import epsilon_any_cut, epsilon_bayesian, epsilon_gaussian, epsilon_lower
from riskkit.stats.multiplicity import benjamini_hochberg, corrected_p, p_value
from riskkit.stats.power import auc_standard_error
from riskkit.stats.privacy import auc_cap
from riskkit.stats.same import auc_difference

FDR = 0.05
"""At most that share of the listed records is there by chance, on average."""
TOLERANCE = 3.0
"""Standard errors above the most that a promise allows, from which on it counts as refuted."""
GAUSSIAN_DELTA = 1e-5
"""The delta at which the epsilon of a Gaussian method is given."""


@dataclass(frozen=True, slots=True)
class Promise:
    """An attack's AUC beside the most that the method's own epsilon allows."""

    labels: Mapping[str, str]
    auc: Estimate
    epsilon: float
    most: float
    margin: float

    @property
    def is_refuted(self) -> bool:
        """Whether the AUC lies above the most by more than its margin: the promise is not kept as it is run."""
        return self.auc.value > self.most + self.margin

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            **self.labels,
            "auc": self.auc.as_dict(),
            "epsilon": self.epsilon,
            "most": self.most,
            "margin": self.margin,
            "refuted": self.is_refuted,
        }


@dataclass(frozen=True, slots=True)
class Listed:
    """The records of one method and rule that an audit exposes, after looking at all records with all attacks.

    In the order of ``records``: ``attacks`` is the one that is least likely by chance against each, ``p`` its p-value
    times the number of attacks that looked, ``is_listed`` who may be named.
    """

    generator: str
    target: str
    records: tuple[str, ...]
    attacks: tuple[str, ...]
    p: tuple[float, ...]
    is_listed: tuple[bool, ...]

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "generator": self.generator,
            "target": self.target,
            "fdr": FDR,
            "records": [
                {"record": record, "attack": attack, "p": p, "listed": listed}
                for record, attack, p, listed in zip(self.records, self.attacks, self.p, self.is_listed, strict=True)
            ],
        }


def bounds(outcome: Outcome, claim: Claim, level: float = 0.95) -> tuple[Estimate, ...]:
    """The bounds on epsilon, at the delta of the claim, that these scores carry; none where trainings are too few."""
    wanted: list[Callable[[], Estimate]] = [
        lambda: epsilon_lower(outcome.scores, delta=claim.delta, level=level),
        lambda: epsilon_any_cut(outcome.scores, delta=claim.delta, level=level),
        lambda: epsilon_bayesian(outcome.scores, delta=claim.delta, level=level),
    ]
    if claim.is_gaussian:
        wanted.append(lambda: epsilon_gaussian(outcome.scores, delta=GAUSSIAN_DELTA, level=level))
    try:
        return tuple(make().label(**outcome.labels) for make in wanted)
    except (ScoreError, TooFewTrainings):
        return ()


def promise(outcome: Outcome, claim: Claim, relation: str) -> Promise | None:
    """The AUC beside what the method promises; None where it promises nothing of such worlds, or there is no AUC."""
    auc = outcome.estimates.get("auc")
    if auc is None or claim.epsilon is None or not claim.holds_for(relation):
        return None
    most = auc_cap(claim.epsilon, claim.delta)
    n_in, n_out = outcome.scores.trainings(True), outcome.scores.trainings(False)
    return Promise(outcome.labels, auc, claim.epsilon, most, TOLERANCE * auc_standard_error(most, n_in, n_out))


def listed_people(outcomes: Sequence[Outcome]) -> tuple[Listed, ...]:
    """Who may be named, for every method and rule that looked at several records.

    Every attack that looked at a record is a look at it: its p-values are corrected for them (Bonferroni), however the
    attacks hang together. All records of the audit then make one list (Benjamini and Hochberg), so that where nothing
    leaks anybody is named in as few audits as :data:`FDR` says, and not once in as many for each attack and method.
    """
    looks: dict[tuple[str, str, str], list[tuple[float, str]]] = {}
    for outcome in outcomes:
        p = _p(outcome)
        if p is not None:
            looks.setdefault(outcome.game, []).append((p, outcome.labels["attack"]))
    records = {outcome.game: outcome.labels["record"] for outcome in outcomes}
    best = {game: (corrected_p(p for p, _ in tried), min(tried)[1]) for game, tried in looks.items()}
    named = dict(zip(best, benjamini_hochberg([p for p, _ in best.values()], FDR).tolist(), strict=True))
    groups = dict.fromkeys(game[:2] for game in best)
    return tuple(
        Listed(
            *group,
            tuple(records[game] for game in own),
            tuple(best[game][1] for game in own),
            tuple(best[game][0] for game in own),
            tuple(named[game] for game in own),
        )
        for group in groups
        if len(own := [game for game in best if game[:2] == group]) > 1
    )


def _p(outcome: Outcome) -> float | None:
    try:
        return p_value(outcome.scores)
    except (ScoreError, TooFewTrainings):
        return None


def compare_attacks(outcomes: Sequence[Outcome], level: float = 0.95) -> tuple[tuple[Outcome, Outcome, Estimate], ...]:
    """Of outcomes of one game: the attack with the highest AUC against each of the others, on the same releases.

    The level allows for all comparisons; that the first was picked for its AUC is for the words beside it to say.
    """
    judged = [outcome for outcome in outcomes if "auc" in outcome.estimates]
    if len(judged) < 2:
        return ()
    best = max(judged, key=lambda outcome: outcome.estimates["auc"].value)
    others = [outcome for outcome in judged if outcome is not best]
    each = 1 - (1 - level) / len(others)
    return tuple((best, other, auc_difference(best.scores, other.scores, level=each)) for other in others)


def as_dict(
    outcomes: Sequence[Outcome], claims: Mapping[str, Claim], relation: str, level: float = 0.95
) -> dict[str, Any]:
    """All of this as plain values for JSON. ``claims`` are by generator."""
    promises = [promise(outcome, claims[outcome.labels["generator"]], relation) for outcome in outcomes]
    games: dict[tuple[str, str, str], list[Outcome]] = {}
    for outcome in outcomes:
        games.setdefault(outcome.game, []).append(outcome)
    return with_readings(
        {
            "bounds": [e.as_dict() for o in outcomes for e in bounds(o, claims[o.labels["generator"]], level)],
            "promises": [kept.as_dict() for kept in promises if kept is not None],
            "listed": [names.as_dict() for names in listed_people(outcomes)],
            "compared": [
                {**{name: best.labels[name] for name in ABOUT}, "than": other.labels["attack"], **gap.as_dict()}
                for game in games.values()
                for best, other, gap in compare_attacks(game, level)
            ],
        }
    )
