"""What a differentially private method promises against what is seen of it: one block, for pages and papers alike."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import Readings, phrase, say
from riskkit.show.model import Bar, Chart
from riskkit.stats.epsilon import BOUNDS, epsilon_ceiling
from riskkit.wording import EXACT_BOUND, SHOWN_AS_NOTHING, describe_bound, epsilon

# What is said of lower bounds of epsilon, before and beside them.


def most(trainings: int) -> str:
    """The sentence of the largest bound that so many trainings can show, before they are played."""
    side = trainings // 2
    ceiling = epsilon_ceiling(side, trainings - side)
    if ceiling < SHOWN_AS_NOTHING:
        reads = epsilon(0.0, ceiling, trainings)
        return say("A bound on ε: {reads}, even if every answer were right.", reads=reads)
    return say(
        "If every answer were right, they would show that ε is at least {most:.2f}, and never more.", most=ceiling
    )


def with_readings(result: Mapping[str, Any]) -> dict[str, Any]:
    """The same result for JSON, in which every bound on epsilon says in words how it reads (``reads``).

    A program that reads value and high end alone would take 0 for the epsilon and the ceiling for its upper limit.
    """
    out = dict(result)
    for name in ("estimates", "bounds"):
        if name in out:
            out[name] = [_estimate(stored) for stored in out[name]]
    if "records" in out:
        out["records"] = [_record(row) for row in out["records"]]
    return out


def _estimate(kept: Mapping[str, Any]) -> dict[str, Any]:
    if kept["name"] not in BOUNDS:
        return dict(kept)
    return {**kept, "reads": describe_bound(kept["name"], kept["value"], kept["high"], kept["n"])}


def _record(row: Mapping[str, Any]) -> dict[str, Any]:
    if "epsilon" not in row:
        return dict(row)
    value, ceiling = row["epsilon"]
    return {**row, "epsilon_reads": epsilon(value, ceiling, row["n"])}


RELATIONS = Readings(
    {
        "add-one": phrase("one person more or less"),
        "replace-one": phrase("another person in one person's place"),
    }
)
"""For which two tables a promise is made."""
EVEN = 0.005
"""A bound on epsilon below this is shown as none."""
LARGE = 15.0
"""From here on a factor is written as a power of ten."""


@dataclass(frozen=True, slots=True)
class Promised:
    """One method that promises epsilon (and delta) for tables that differ by ``relation``.

    ``is_played``: the games were about such tables. ``allowed`` is the best AUC that the promise allows on them, None
    where it is not about them; ``certificate`` the best that the noise the method adds allows in the tables that were
    played, None where that is not known. ``auc`` is the strongest attack, ``shown`` the largest lower bound of epsilon
    at that delta, both at a level that allows for all that was looked at; None where there are too few trainings.
    ``by_one_run`` is the lower bound from one single training, None where that was not asked; ``has_games`` says
    whether games of many trainings were played beside it. Where the releases come from several ``fits``, epsilon and
    delta are those of all of them.
    """

    method: str
    epsilon: float
    delta: float
    relation: str
    is_played: bool
    allowed: float | None
    certificate: float | None
    auc: Estimate | None
    shown: float | None
    by_one_run: float | None = None
    has_games: bool = True
    fits: int = 1

    @property
    def largest(self) -> float | None:
        """The largest lower bound of epsilon, whichever way it was shown; None where nothing was."""
        return max((bound for bound in (self.shown, self.by_one_run) if bound is not None), default=None)

    @property
    def most(self) -> float:
        """The best AUC there can be, by whichever says more; 1 where nothing is known."""
        return min(1.0 if limit is None else limit for limit in (self.allowed, self.certificate))

    @property
    def is_contradicted(self) -> bool:
        """Whether what was seen cannot be, were the promise kept."""
        above = self.auc is not None and self.auc.low > self.most
        return above or self._is_exceeded

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """What is promised, allowed, added and seen, each a term and its sentence."""
        return (
            (say("Promised"), self._promise()),
            (say("Allowed by the promise"), self._allows()),
            (say("Allowed by the noise that is added"), self._certificate()),
            (say("Seen"), self._seen() if self.has_games else ""),
            (say("Seen in one training"), self._seen_once()),
        )

    def chart(self) -> Chart | None:
        """What it allows, what the noise allows, and the strongest attack, on one axis; None of fewer than two."""
        bounds = (
            (say("Allowed by the promise"), self.allowed),
            (say("Allowed by the noise that is added"), self.certificate),
        )
        bars = [
            Bar(name, Estimate("auc", value, value, value, 1.0, EXACT_BOUND, 0))
            for name, value in bounds
            if value is not None
        ]
        if self.auc is not None:
            bars.append(Bar(say("Strongest attack"), self.auc))
        if len(bars) < 2:
            return None
        return Chart(self._sentence(), say("AUC (0.50 is guessing)"), tuple(bars), 0.5, (0.4, 1.0))

    def _sentence(self) -> str:
        if self.auc is None:
            return say("What {method} allows", method=self.method)
        if self.is_contradicted:
            return say("What is seen cannot be, were the promise of {method} kept", method=self.method)
        return say(
            "No attack may have more than {most:.3f}; the strongest seen has {auc}", most=self.most, auc=self.auc
        )

    @property
    def verdict(self) -> str:
        """Whether the two agree."""
        if not self.is_contradicted:
            return say(
                "What is seen does not contradict what {method} promises. That does not prove the promise.",
                method=self.method,
            )
        if self._is_exceeded:
            return say(
                "{method} promises ε = {epsilon:g} and shows at least {shown:.2f}: as it is run here, it does not keep "
                "its promise.",
                method=self.method,
                epsilon=self.epsilon,
                shown=self.largest,
            )
        return say(
            "{method} allows an AUC of {most:.2f} at most, and an attack has {auc}: as it is run here, it does not "
            "keep its promise.",
            method=self.method,
            most=self.most,
            auc=self.auc,
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "method": self.method,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "relation": self.relation,
            "played": self.is_played,
            "allowed_auc": self.allowed,
            "certificate_auc": self.certificate,
            "auc": None if self.auc is None else self.auc.as_dict(),
            "epsilon_shown": self.shown,
            "epsilon_by_one_run": self.by_one_run,
            "contradicted": self.is_contradicted,
            **({"fits": self.fits} if self.fits > 1 else {}),
        }

    @property
    def _is_exceeded(self) -> bool:
        """Whether epsilon is shown to be larger than it is promised to be."""
        return self.is_played and self.largest is not None and self.largest > self.epsilon

    def _promise(self) -> str:
        if self.fits == 1:
            return self._of_all()
        return say(
            "{promise} These are the promises of {fits:,} fits to one table together.",
            promise=self._of_all(),
            fits=self.fits,
        )

    def _of_all(self) -> str:
        about = RELATIONS.get(self.relation, self.relation)
        factor = f"{math.exp(self.epsilon):,.3g}" if self.epsilon < LARGE else f"10^{self.epsilon / math.log(10):.0f}"
        if self.delta:
            return say(
                "ε = {epsilon:g}, δ = {delta:g}: {about} changes the chance of any outcome by a factor of {factor} at "
                "most, except with a chance of {delta:g}.",
                epsilon=self.epsilon,
                delta=self.delta,
                about=about,
                factor=factor,
            )
        return say(
            "ε = {epsilon:g}: {about} changes the chance of any outcome by a factor of {factor} at most.",
            epsilon=self.epsilon,
            about=about,
            factor=factor,
        )

    def _allows(self) -> str:
        if self.allowed is None:
            return say("Nothing can be said: the promise is about other pairs of tables than these games.")
        return say("No attack has an AUC above {most:.3f} (0.5 is guessing).", most=self.allowed)

    def _certificate(self) -> str:
        if self.certificate is None:
            return ""
        if self.fits > 1:
            return say(
                "No attack has an AUC above {most:.3f} on releases of {fits:,} fits, however many releases are "
                "drawn from each (optimal-attack bound).",
                most=self.certificate,
                fits=self.fits,
            )
        return say(
            "No attack has an AUC above {most:.3f}, however many releases are drawn from one fit "
            "(optimal-attack bound).",
            most=self.certificate,
        )

    def _seen(self) -> str:
        if self.auc is None:
            return say("There are too few trainings for a number.")
        if self.shown is None or self.shown < EVEN:
            return say("The strongest attack has an AUC of {auc}. No ε above 0 is shown.", auc=self.auc)
        return say(
            "The strongest attack has an AUC of {auc}. The attacks show that ε is at least {shown:.2f}.",
            auc=self.auc,
            shown=self.shown,
        )

    def _seen_once(self) -> str:
        if self.by_one_run is None:
            return ""
        if self.by_one_run < EVEN:
            return say("Right guesses in one training show no ε above 0.")
        return say("Right guesses in one training show that ε is at least {shown:.2f}.", shown=self.by_one_run)
