"""What explanations gave away, read back from what was kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from riskkit.core import Estimate
from riskkit.language import again, counted, say
from riskkit.questions.explanations import outcome as said
from riskkit.questions.explanations.outcome import Against, Reference, Told, Tried, holding, named
from riskkit.questions.explanations.words import METHODS
from riskkit.show.estimates import estimate

OVERALL, NONE = "overall", "none"
MEDIAN, MODE = "constant_median", "constant_mode"
HARDEST: Mapping[str, str] = {"success_rate": MODE, "mae": MEDIAN}
"""The constant guess that is hardest to beat in each measure."""
PRIVATE = ("records",)
"""What is kept for the page and is no part of a result that is passed on."""
HIDDEN = "•••"
"""What stands where a person's value would."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """A whole result.

    ``against`` is every attacker beside the constant guesses, at the level that allows for ``looks``; ``holds`` says
    what each has, ``stopped`` of every defence whether no attacker is shown to be successful any more.
    """

    model: str
    features: tuple[str, ...]
    against: tuple[Against, ...]
    holds: Mapping[str, str]
    looks: int
    sizes: tuple[int, ...]
    estimates: tuple[Estimate, ...]
    associations: Mapping[str, Estimate]
    tried: tuple[Tried, ...]
    reference: Reference | None
    notes: tuple[str, ...]
    records: Mapping[str, Any]
    library: Mapping[str, Any] | None
    explainer: str

    @property
    def attackers(self) -> tuple[str, ...]:
        """Everybody who attacked, in the order of the plan."""
        return tuple(one.attacker for one in self.against)

    @property
    def attacker(self) -> str:
        """The attacker that the sentence names."""
        return named(self.against).attacker

    @property
    def recovered(self) -> dict[str, tuple[str, ...]]:
        """The inputs each attacker recovers."""
        return {one.attacker: one.recovered for one in self.against}

    @property
    def successful(self) -> dict[str, bool]:
        """Whether each attacker is successful over all inputs."""
        return {one.attacker: one.is_successful() for one in self.against}

    @property
    def stopped(self) -> dict[str, bool]:
        """Whether each defence stops every attacker."""
        return {one.defence: not one.is_successful for one in self.tried}

    @property
    def is_shown(self) -> bool:
        """Whether an attacker is shown to recover something."""
        best = named(self.against)
        return best.is_successful() or bool(best.recovered)

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
        for each in self.estimates:
            rates = each.labels.get("rates")
            if rates and each.name == "mae" and each.labels["feature"] == OVERALL:
                out.setdefault(rates, []).append(each.labels["attacker"])
        return out

    def best_under(self, defence: str) -> tuple[str, Estimate] | None:
        """The attacker that recovers most under a defence, with its rate."""
        found = [(name, self.of("success_rate", name, defence=defence)) for name in self.attackers]
        there = [(name, rate) for name, rate in found if rate is not None]
        return max(there, key=lambda pair: pair[1].value, default=None)


def read(result: Mapping[str, Any]) -> Finding:
    """A kept result."""
    settings, alone = result["settings"], result["reference"]
    tied = {one["feature"]: one["association"] for one in result["features"]}
    return Finding(
        model=str(settings["model"]),
        features=tuple(tied),
        against=tuple(
            Against(
                str(one["attacker"]),
                {feature: tuple(map(estimate, gains)) for feature, gains in one["gains"].items()},
                bool(one["planted"]),
            )
            for one in result["attackers"]
        ),
        holds={str(one["attacker"]): str(one["holds"]) for one in result["attackers"]},
        looks=int(settings["looks"]),
        sizes=tuple(settings["sizes"]),
        estimates=tuple(estimate(one) for one in result["estimates"]),
        associations={feature: estimate(one) for feature, one in tied.items() if one is not None},
        tried=tuple(
            Tried(str(one["defence"]), estimate(one["success"]), bool(one["successful"]), estimate(one["top_three"]))
            for one in result["defences"]
        ),
        reference=None if alone is None else _reference(alone),
        notes=tuple(map(again, result["notes"])),
        records=result.get("records", {}),
        library=result["library"],
        explainer=str(settings["explainer"]),
    )


def _reference(given: Mapping[str, Any]) -> Reference:
    precision, recall, lift, planted = (
        None if given[name] is None else estimate(given[name]) for name in ("precision", "recall", "lift", "planted")
    )
    assert precision is not None
    assert lift is not None
    return Reference(precision, recall, lift, planted)


def shareable(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result without the values of people."""
    return {name: value for name, value in result.items() if name not in PRIVATE}


def sentence(found: Finding, model: str, called: Callable[[str], str]) -> str:
    """What was found; ``model`` is what the model is called, ``called`` names an attacker."""
    best = named(found.against)
    success = found.of("success_rate", best.attacker)
    constant = found.of("success_rate", HARDEST["success_rate"])
    if success is None or constant is None:
        return say("What the explanations give away could not be measured.")
    told = Told(
        len(found.features),
        model,
        called(best.attacker),
        holding(found.sizes[-1], of_people=found.holds[best.attacker] == "auxiliary"),
        success,
        constant,
        len(best.recovered),
        best.is_successful(),
    )
    return said.sentence(told)


def beside(near: Mapping[str, Any] | None) -> str:
    """How far the shap library's values lie from ours; empty where ours are published."""
    if near is None:
        return ""
    return say(
        "The values are those of the shap library ({explainer}, version {version}). On {people} they differ from ours, "
        "found {how}, by {mean:.2g} on average and by {largest:.2g} at most; a value is {usual:.2g} on average.",
        explainer=near["explainer"],
        version=near["version"],
        people=counted(int(near["rows"]), "{n:,} victim", "{n:,} victims"),
        how=METHODS[near["ours"]],
        mean=float(near["mean"]),
        largest=float(near["largest"]),
        usual=float(near["usual"]),
    )


def defended(found: Finding, called: Callable[[str], str]) -> str:
    """Which defence stops the attack, and what it keeps; empty where none was tried or nothing is to be stopped."""
    if not found.is_shown:
        return ""
    return said.defences([replace(one, defence=called(one.defence)) for one in found.tried])


def headline(sentence: str) -> tuple[str, str]:
    """The clause to be read first, and the rest."""
    first, colon, rest = sentence.partition(": ")
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
