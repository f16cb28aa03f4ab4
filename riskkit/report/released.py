"""What the attacks on one released file come to: one verdict over all of them, and the sentences beside it.

What it says is kept with results, so it is English in every language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate, Scores
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


@dataclass(frozen=True, slots=True, eq=False)
class Attacked:
    """What one attack did: its scores and its AUC at the plan's level, and whether it found the planted leak.

    ``is_distance`` says that it measures how near released rows lie and nothing else.
    """

    attack: str
    scores: Scores
    found_planted: bool
    is_distance: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """``leak``: an AUC above it is a leak. ``rule_out``: the smallest AUC whose absence is worth stating."""

    leak: float
    rule_out: float


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict on a release. ``auc`` has the level that allows for ``looks`` attacks; ``limit`` is the one it is
    judged by."""

    verdict: Verdict
    limit: float
    why: str
    looks: int = 0
    attack: str = ""
    auc: Estimate | None = None

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        auc = None if self.auc is None else {end: getattr(self.auc, end) for end in ("value", "low", "high", "level")}
        return {
            "word": str(self.verdict),
            "attack": self.attack,
            "auc": auc,
            "looks": self.looks,
            "limit": self.limit,
            "why": self.why,
        }


@english()
def decide(
    attacked: Sequence[Attacked], *, limits: Limits, level: float, blocked: bool, silent: Sequence[str] = ()
) -> Decision:
    """One verdict over all attacks, each interval at the level that allows for having looked at them all.

    * Leak: the interval of one attack lies above ``limits.leak``.
    * No leak above ``limits.rule_out``: every interval lies below it, and above one minus it (an attack that is wrong
      more often than a coin is right when turned round), no attack that was asked for is ``silent`` (gave no number,
      for whatever reason), and an attack found the leak planted in this very release that does not only measure
      distances: those pass a release that moves every real row by the same step.
    * Undecided: everything else, and whenever the sides can be told apart without the release (``blocked``).
    """
    if not attacked:
        return Decision(Verdict.UNDECIDED, limits.leak, "No attack gave a number; the notes say why.")
    each = records.level_of_each(level, len(attacked))
    found = [records.auc(one.scores, level=each) for one in attacked]
    at = records.strongest(found)
    verdict, limit = judge(found[at], limits.leak, positive_control_found=None), limits.leak
    if blocked:
        verdict, why = Verdict.UNDECIDED, BLOCKED
    elif verdict is Verdict.LEAK:
        why = _leak(found[at], limits)
    else:
        limit, why = limits.rule_out, _doubt(found, attacked, limits, silent)
        if not why:
            at = max((i for i, one in enumerate(attacked) if one.found_planted), key=lambda i: found[i].high)
            verdict = judge(found[at], limit, positive_control_found=True)
            why = _no_leak(found, attacked, limits)
    return Decision(verdict, limit, why, len(attacked), attacked[at].attack, found[at])


BLOCKED = (
    "The real table and the holdout can be told apart without the release, so an attack that tells them apart shows no "
    "leak. Load a holdout drawn from the same people at the same time and in the same way."
)


ONLY_DISTANCES = (
    "No leak shows, but of the attacks that found the planted leak all measure the distance to the nearest rows, and "
    "that describes a release without judging it: one that moves every real row by the same step passes."
)
ADD_OTHERS = "Add attacks of another kind."


def _leak(auc: Estimate, limits: Limits) -> str:
    above = "guessing (0.50)" if limits.leak == 0.5 else f"the limit of {limits.leak:.2f}"
    return (
        f"The strongest attack tells people who were in from people who were not with an AUC of {auc}, wholly above "
        f"{above}; {plural(auc.n, 'record')}."
    )


def _doubt(found: Sequence[Estimate], attacked: Sequence[Attacked], limits: Limits, silent: Sequence[str]) -> str:
    """Why the absence of a leak is not shown; empty where it is."""
    high, low = max(auc.high for auc in found), min(auc.low for auc in found)
    if low < 1 - limits.rule_out and any(auc.high < 0.5 for auc in found):
        return (
            "An attack is wrong more often than a coin: it scores people who were in lower than others. The release "
            "may keep away from real rows, which tells of them too once it is known, or the two sides differ."
        )
    if high >= limits.rule_out or low <= 1 - limits.rule_out:
        return (
            f"No leak shows, but an AUC of up to {max(high, 1 - low):.2f} cannot be ruled out, and "
            f"{limits.rule_out:.2f} was to be. More records narrow this: there are {found[0].n:,}."
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


def _no_leak(found: Sequence[Estimate], attacked: Sequence[Attacked], limits: Limits) -> str:
    those = [one.attack for one in attacked if one.found_planted]
    return (
        f"No attack reaches more than an AUC of {max(auc.high for auc in found):.2f}, below {limits.rule_out:.2f}. Of "
        f"{plural(len(attacked), 'attack')} {len(those)} found a leak planted in this release ({', '.join(those)}). "
        "Attacks that were not run may reach more."
    )


@english()
def blind(auc: Estimate, *, blocked: bool) -> str:
    """The sentence of the baseline without the release."""
    told = f"Without the release, a classifier tells the real table from the holdout with an AUC of {auc}"
    if blocked:
        return f"{told}. {BLOCKED}"
    return f"{told}: not told from guessing (0.50), as it should be."


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
