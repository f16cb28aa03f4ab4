"""What explanations gave away, read back from what was kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riskkit.core import Estimate
from riskkit.language import say
from riskkit.report import words
from riskkit.stats.verdict import Verdict

OVERALL, NONE = "overall", "none"
MEDIAN, MODE = "constant_median", "constant_mode"
HARDEST: Mapping[str, str] = {"success_rate": MODE, "mae": MEDIAN}
"""The constant guess that is hardest to beat in each measure."""
PRIVATE = ("records",)
"""What is kept for the page and is no part of a result that is passed on."""
HIDDEN = "•••"
"""What stands where a person's value would."""


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """What a value of 0 says against a single reference row."""

    verdict: Verdict
    sentence: str


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A whole result.

    ``recovered`` are the inputs each attacker recovers, at the level that allows for all looks; ``successful`` whether
    it does overall. ``stopped`` says of every defence whether no attacker is shown to be successful any more.
    """

    verdict: Verdict
    limit: float
    attacker: str
    sentences: tuple[str, ...]
    features: tuple[str, ...]
    attackers: tuple[str, ...]
    sizes: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    recovered: Mapping[str, tuple[str, ...]]
    successful: Mapping[str, bool]
    associations: Mapping[str, Estimate]
    stopped: Mapping[str, bool]
    reference: Reference | None
    notes: tuple[str, ...]
    records: Mapping[str, Any]

    @property
    def is_leak(self) -> bool:
        """Whether an attacker is shown to recover something."""
        return self.verdict is Verdict.LEAK

    def of(
        self, name: str, attacker: str, feature: str = OVERALL, *, rows: int | None = None, defence: str = NONE
    ) -> Estimate | None:
        """That estimate of an attacker or a guess; of the most rows it holds unless said otherwise."""
        wanted = {
            "attacker": attacker,
            "feature": feature,
            "rows": str(self.sizes[-1] if rows is None else rows),
            "defence": defence,
        }
        return next((e for e in self.estimates if e.name == name and wanted.items() <= e.labels.items()), None)

    def kept(self, name: str, defence: str = NONE) -> Estimate | None:
        """What readers keep of the exact values under a defence."""
        return next((e for e in self.estimates if e.name == name and e.labels.get("defence") == defence), None)

    def compared(self) -> dict[str, list[str]]:
        """The attackers that compare optimisers, by where their rates come from."""
        out: dict[str, list[str]] = {}
        for estimate in self.estimates:
            rates = estimate.labels.get("rates")
            if rates and estimate.name == "mae" and estimate.labels["feature"] == OVERALL:
                out.setdefault(rates, []).append(estimate.labels["attacker"])
        return out

    def best_under(self, defence: str) -> tuple[str, Estimate] | None:
        """The attacker that recovers most under a defence, with its rate."""
        found = [(name, self.of("success_rate", name, defence=defence)) for name in self.attackers]
        there = [(name, rate) for name, rate in found if rate is not None]
        return max(there, key=lambda pair: pair[1].value, default=None)


def read(result: Mapping[str, Any]) -> Finding:
    """A kept result."""
    verdict, settings, alone = result["verdict"], result["settings"], result["reference"]
    tied = {one["feature"]: one["association"] for one in result["features"]}
    return Finding(
        verdict=Verdict(verdict["word"]),
        limit=float(verdict["limit"]),
        attacker=str(verdict["attacker"]),
        sentences=tuple(result["sentences"]),
        features=tuple(tied),
        attackers=tuple(one["attacker"] for one in result["attackers"]),
        sizes=tuple(settings["sizes"]),
        estimates=tuple(_estimate(one) for one in result["estimates"]),
        recovered={one["attacker"]: tuple(one["recovered"]) for one in result["attackers"]},
        successful={one["attacker"]: bool(one["successful"]) for one in result["attackers"]},
        associations={feature: _estimate(one) for feature, one in tied.items() if one is not None},
        stopped={one["defence"]: not one["successful"] for one in result["defences"]},
        reference=None if alone is None else Reference(Verdict(alone["word"]), str(alone["sentence"])),
        notes=tuple(result["notes"]),
        records=result.get("records", {}),
    )


def _estimate(given: Mapping[str, Any]) -> Estimate:
    own = ("name", "value", "low", "high", "level", "method", "n")
    labels = {name: str(text) for name, text in given.items() if name not in own}
    return Estimate(**{name: given[name] for name in own}, labels=labels)


def shareable(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result without the values of people."""
    return {name: value for name, value in result.items() if name not in PRIVATE}


def verdict(found: Finding) -> str:
    """Icon and words of the verdict, with its limit where it has one."""
    return words.judgement(found.verdict, say("a gain of {limit:g}", limit=found.limit))


def headline(found: Finding) -> tuple[str, str]:
    """The clause to be read first, and the rest."""
    first, colon, rest = found.sentences[0].partition(": ")
    return (f"{first}.", f"{rest[0].upper()}{rest[1:]}") if colon else (first, "")


def victim(found: Finding, at: int, attacker: str, *, revealed: bool) -> list[dict[str, str]]:
    """One line for each input of one victim: true, recovered, and whether that is right; masked unless asked for."""
    truth, said = found.records["truth"][at], found.records["recovered"][attacker][at]
    right = found.records["right"][attacker][at]
    marks = {True: say("✓ recovered"), False: say("✗ missed"), None: say("– no true value")}
    return [
        {
            "input": feature,
            "true": (true or say("(missing)")) if revealed else HIDDEN,
            "recovered": (guess or say("(missing)")) if revealed else HIDDEN,
            "right": marks[is_right],
        }
        for feature, true, guess, is_right in zip(found.features, truth, said, right, strict=True)
    ]


def of_victim(found: Finding, at: int, attacker: str) -> str:
    """How much of one victim is recovered, over models drawn anew, as a sentence."""
    share = found.records["shares"][attacker][at]
    if share is None:
        return say("What another model would give away of this person is not known: that takes at least five models.")
    value, low, high = (f"{share[end]:.0%}".replace("%", " %") for end in ("value", "low", "high"))
    return say(
        "Over {n:,} models, {value} [{low}, {high}] of this person's values are recovered.",
        n=share["n"],
        value=value,
        low=low,
        high=high,
    )
