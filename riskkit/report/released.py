"""What the attacks on one released file come to: one verdict over all of them, and the sentences beside it.

What it says is kept with results, so it is English in every language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import english
from riskkit.report.words import percent, plural
from riskkit.stats import records
from riskkit.stats.verdict import Verdict, judge

NO_HOLDOUT = (
    "Without a holdout nothing can be said of membership: whatever an attack reaches on people who were in, people who "
    "were not must be attacked beside them to tell what it would have reached without any leak. What can be said is "
    "descriptive: exact copies, near copies against the table's own spacing, and the order of the rows. Load rows of "
    "people who were not in the real table as the holdout."
)
"""What stands in place of a verdict where no holdout was loaded."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """What one attack did, and whether it found the planted leak.

    ``auc`` and ``p`` allow for all attacks together (:func:`riskkit.stats.joint.joint_aucs`). ``beyond`` is what is
    left of the AUC where the sides are told apart without the release: one half plus what the attack reaches above the
    one who never saw it; None where they are not told apart. ``is_distance`` says that the attack measures how near
    released rows lie and nothing else.
    """

    attack: str
    auc: Estimate
    p: float
    found_planted: bool
    is_distance: bool = False
    beyond: Estimate | None = None

    @property
    def counted(self) -> Estimate:
        """The AUC that a verdict may count as a leak."""
        return self.auc if self.beyond is None or self.auc.low < self.beyond.low else self.beyond

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        beyond = None if self.beyond is None else self.beyond.as_dict()
        return {"attack": self.attack, "auc": self.auc.as_dict(), "p": self.p, "beyond": beyond}


@dataclass(frozen=True, slots=True)
class Limits:
    """``leak``: an AUC above it is a leak. ``rule_out``: the smallest AUC whose absence is worth stating."""

    leak: float
    rule_out: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on a release, by ``attack``; ``auc`` and ``p`` allow for all that were ``attacked``.

    ``limit`` is the one it is judged by; ``permutations`` is how often the labels were dealt anew for ``p``.
    ``blocked`` says that the sides are told apart without the release and that no attack goes beyond that.
    """

    verdict: Verdict
    limit: float
    why: str
    attacked: tuple[Attacked, ...] = ()
    attack: str = ""
    auc: Estimate | None = None
    p: float | None = None
    permutations: int = 0
    blocked: bool = False

    @property
    def looks(self) -> int:
        """How many attacks it allows for."""
        return len(self.attacked)

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        auc = None if self.auc is None else {end: getattr(self.auc, end) for end in ("value", "low", "high", "level")}
        return {
            "word": str(self.verdict),
            "attack": self.attack,
            "auc": auc,
            "p": self.p,
            "permutations": self.permutations,
            "looks": self.looks,
            "limit": self.limit,
            "why": self.why,
            "each": [one.as_dict() for one in self.attacked],
        }


@english()
def decide(
    attacked: Sequence[Attacked], *, limits: Limits, permutations: int, apart: bool, silent: Sequence[str] = ()
) -> Decision:
    """One verdict over all attacks, by intervals that hold for all of them together.

    * Leak: the interval of one attack lies above ``limits.leak``, and where the sides are told ``apart`` without the
      release, so does what it reaches beyond that.
    * No leak above ``limits.rule_out``: the sides are not told apart, every interval lies below the limit, and above
      one minus it (an attack that is wrong more often than a coin is right when turned round), no attack that was asked
      for is ``silent`` (gave no number, for whatever reason), and an attack found the leak planted in this very release
      that does not only measure distances: those pass a release that moves every real row by the same step.
    * Undecided: everything else.
    """
    if not attacked:
        return Decision(Verdict.UNDECIDED, limits.leak, "No attack gave a number; the notes say why.", blocked=apart)
    at = records.strongest([one.counted for one in attacked])
    strongest, limit = attacked[at], limits.leak
    blocked = apart and strongest.counted.low <= 0.5
    verdict = judge(strongest.counted, limits.leak, positive_control_found=None)
    if verdict is Verdict.LEAK:
        why = _leak(strongest, limits)
    elif apart:
        why = BLOCKED if blocked else _beyond(strongest, limits)
    else:
        limit, why = limits.rule_out, _doubt(attacked, limits, silent)
        if not why:
            strongest = max((one for one in attacked if one.found_planted), key=lambda one: one.auc.high)
            verdict = judge(strongest.auc, limit, positive_control_found=True)
            why = _no_leak(attacked, limits)
    return Decision(
        verdict, limit, why, tuple(attacked), strongest.attack, strongest.auc, strongest.p, permutations, blocked
    )


BLOCKED = (
    "The real table and the holdout can be told apart without the release, and no attack is shown to tell them apart "
    "better, so none shows a leak. Load a holdout drawn from the same people at the same time and in the same way."
)
NO_ABSENCE = (
    "The real table and the holdout can be told apart without the release, so the absence of a leak cannot be shown. "
    "Load a holdout drawn from the same people at the same time and in the same way."
)


ONLY_DISTANCES = (
    "No leak shows, but of the attacks that found the planted leak all measure the distance to the nearest rows, and "
    "that describes a release without judging it: one that moves every real row by the same step passes."
)
ADD_OTHERS = "Add attacks of another kind."


def _leak(strongest: Attacked, limits: Limits) -> str:
    above = "guessing (0.50)" if limits.leak == 0.5 else f"the limit of {limits.leak:.2f}"
    why = (
        f"The strongest attack tells people who were in from people who were not with an AUC of {strongest.auc}, "
        f"wholly above {above}; {plural(strongest.auc.n, 'record')}."
    )
    if strongest.beyond is None:
        return why
    return (
        f"{why} The two can be told apart without the release too, but less well: {strongest.beyond} is left if that "
        "is taken off (0.50 would be nothing)."
    )


def _beyond(strongest: Attacked, limits: Limits) -> str:
    """Why a leak beyond the difference of the sides is none above the limit."""
    return (
        "The real table and the holdout can be told apart without the release. An attack tells them apart better: of "
        f"its AUC, {strongest.counted} is left if that is taken off (0.50 would be nothing), not shown to be above the "
        f"limit of {limits.leak:.2f}."
    )


def _doubt(attacked: Sequence[Attacked], limits: Limits, silent: Sequence[str]) -> str:
    """Why the absence of a leak is not shown; empty where it is."""
    aucs = [one.auc for one in attacked]
    high, low = max(auc.high for auc in aucs), min(auc.low for auc in aucs)
    if low < 1 - limits.rule_out and any(auc.high < 0.5 for auc in aucs):
        return (
            "An attack is wrong more often than a coin: it scores people who were in lower than others. The release "
            "may keep away from real rows, which tells of them too once it is known, or the two sides differ."
        )
    if high >= limits.rule_out or low <= 1 - limits.rule_out:
        return (
            f"No leak shows, but an AUC of up to {max(high, 1 - low):.2f} cannot be ruled out, and "
            f"{limits.rule_out:.2f} was to be. More records narrow this: there are {aucs[0].n:,}."
        )
    if silent:
        return (
            f"No leak shows, but {', '.join(silent)} gave no number, so what would have been found there is not known. "
            "Mend what the notes say of it, or run again without."
        )
    if not any(one.found_planted for one in attacked):
        return (
            "No leak shows, but no attack found the leak that was planted to see whether it would: the attacks lack "
            "power on this data, so their silence says nothing."
        )
    if all(one.is_distance for one in attacked if one.found_planted):
        return f"{ONLY_DISTANCES} {ADD_OTHERS}"
    return ""


def _no_leak(attacked: Sequence[Attacked], limits: Limits) -> str:
    those = [one.attack for one in attacked if one.found_planted]
    return (
        f"No attack reaches more than an AUC of {max(one.auc.high for one in attacked):.2f}, below "
        f"{limits.rule_out:.2f}. Of {plural(len(attacked), 'attack')} {len(those)} found a leak planted in this "
        f"release ({', '.join(those)}). Attacks that were not run may reach more."
    )


@english()
def blind(auc: Estimate, p: float, *, apart: bool, blocked: bool) -> str:
    """The sentence of the baseline without the release."""
    told = f"Without the release, a classifier tells the real table from the holdout with an AUC of {auc}"
    if blocked:
        return f"{told} (p = {p:.2g}). {BLOCKED}"
    if apart:
        return f"{told} (p = {p:.2g}); an attack tells them apart better. {NO_ABSENCE}"
    return f"{told}: not told from guessing (0.50; p = {p:.2g}), as it should be."


@english()
def control(attack: str, auc: Estimate, planted: str, *, found: bool, limits: Limits) -> str:
    """The sentence of a planted leak."""
    if found:
        return f"{attack} finds a leak planted in this release: AUC {auc} ({planted})."
    return (
        f"{attack} lacks power on this data: of a leak planted in this release it finds an AUC of {auc}, not shown to "
        f"be above {limits.rule_out:.2f} ({planted}). Where it finds nothing, that says nothing."
    )


@english()
def planted(copies: int, rows: int, n_in: int) -> str:
    """What was planted, in a few words."""
    return (
        f"{percent(copies / rows)} of its rows replaced by slightly changed copies of {copies:,} of {n_in:,} records "
        "that were not in; one who finds them all reaches 0.75"
    )
