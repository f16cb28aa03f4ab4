"""What explanations gave away, in sentences and lines for one victim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from riskkit.games.explanation_library import LibraryDistance
from riskkit.language import counted, say
from riskkit.questions.explanations import outcome
from riskkit.questions.explanations.outcome import Headline, holding
from riskkit.questions.explanations.result import HARDEST, ExplanationsResult
from riskkit.questions.explanations.words import METHODS

HIDDEN = "•••"
"""What stands where a person's value would."""


def sentence(result: ExplanationsResult, model: str, called: Callable[[str], str]) -> str:
    """What was found; ``model`` is what the model is called, ``called`` names an attacker."""
    best = result.best
    success = result.of_attacker("success_rate", best.attacker)
    constant = result.of_attacker("success_rate", HARDEST["success_rate"])
    if success is None or constant is None:
        return say("What the explanations give away could not be measured.")
    figures = Headline(
        len(result.inputs),
        model,
        called(best.attacker),
        holding(result.counts.sizes[-1], of_people=best.holds == "auxiliary"),
        success,
        constant,
        len(best.recovered),
        best.successful,
    )
    return outcome.sentence(figures)


def beside(library: LibraryDistance | None) -> str:
    """How far the shap library's values lie from ours; empty where ours are published."""
    if library is None:
        return ""
    return say(
        "The values are those of the shap library ({explainer}, version {version}). On {people} they differ from ours, "
        "found {how}, by {mean:.2g} on average and by {largest:.2g} at most; a value is {usual:.2g} on average.",
        explainer=library.explainer,
        version=library.version,
        people=counted(library.rows, "{n:,} victim", "{n:,} victims"),
        how=METHODS[library.ours],
        mean=library.mean,
        largest=library.largest,
        usual=library.usual,
    )


def defended(result: ExplanationsResult, called: Callable[[str], str]) -> str:
    """Which defence stops the attack, and what it keeps; empty where none was tried or nothing is to be stopped."""
    if not result.is_shown:
        return ""
    return outcome.defences([replace(tried, defence=called(tried.defence)) for tried in result.tried])


def headline(sentence: str) -> tuple[str, str]:
    """The clause to be read first, and the rest."""
    first, colon, rest = sentence.partition(": ")
    return (f"{first}.", f"{rest[0].upper()}{rest[1:]}") if colon else (first, "")


def victim(result: ExplanationsResult, number: int, attacker: str, *, revealed: bool) -> list[dict[str, str]]:
    """One line for each input of one victim: true, recovered, and whether that is right; masked unless asked for."""
    people = result.records
    cells = people.truth[number], people.recovered[attacker][number], people.right[attacker][number]
    marks = {True: say("✓ recovered"), False: say("✗ missed"), None: say("– no true value")}
    return [
        {
            "input": feature,
            "true": (truth or say("(missing)")) if revealed else HIDDEN,
            "recovered": (guess or say("(missing)")) if revealed else HIDDEN,
            "right": marks[is_right],
        }
        for feature, truth, guess, is_right in zip(result.features, *cells, strict=True)
    ]


def of_victim(result: ExplanationsResult, number: int, attacker: str) -> str:
    """How much of one victim is recovered, over models drawn anew, as a sentence."""
    share = result.records.shares[attacker][number]
    if share is None:
        return say("What another model would give away of this person is not known: that takes at least five models.")
    value, low, high = (f"{end:.0%}".replace("%", " %") for end in (share.value, share.low, share.high))
    return say(
        "Over {n:,} models, {value} [{low}, {high}] of this person's values are recovered.",
        n=share.n,
        value=value,
        low=low,
        high=high,
    )
