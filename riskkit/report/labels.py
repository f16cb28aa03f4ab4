"""What labels and settings of the engine are called on paper, where people read them; files keep its own words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from riskkit import questions
from riskkit.core import Estimate
from riskkit.language import Readings, again, counted, kept, phrase, say
from riskkit.questions.attributes.plan import GREEDY, known_words
from riskkit.questions.contest import points
from riskkit.report import texts
from riskkit.report.compare import setting_in_words
from riskkit.show.model import Findings, RunFinding
from riskkit.show.names import known_set_title, plugin_title

# A report is itself a release: how many shareable ones there are about one real table, and what several tell.

MANY = phrase(
    "Whoever has several reports about the same people learns more than from any one of them: what differs between two "
    "can be about one person (ReconSyn, arXiv 2312.05114). Share one, and withdraw those that are not needed."
)


def sentences(findings: Findings) -> tuple[str, ...]:
    """The count, and the warning where there were others before; nothing for a restricted report."""
    if findings.is_restricted:
        return ()
    if findings.reports is None:
        return (
            say(
                "It is not counted how many shareable reports there are about this real table, because this report "
                "is not kept."
            ),
        )
    number = say("This is shareable report no. {number:,} about this real table.", number=findings.reports.number)
    others = warning(findings)
    return (f"{number} {others}",) if others else (number,)


def warning(findings: Findings) -> str:
    """What is to be said of others that were made before; empty where there are none, or nobody counted."""
    if findings.is_restricted or findings.reports is None or not findings.reports.before:
        return ""
    many = counted(
        findings.reports.before,
        "{n:,} other was made before, with other settings or of another release.",
        "{n:,} others were made before, with other settings or of other releases.",
    )
    return f"{many} {again(MANY)}"


ROOMS: Mapping[str, str] = {
    "generator": "generators",
    "anonymiser": "generators",
    "model": "inference",
    "defence": "defences",
}
"""The room of the plug-in that a label names, where another room may have one of the same name."""
TABLES: Mapping[str, str] = Readings(
    {
        "release": kept("the release"),
        "real": kept("the real table"),
        "real_without": kept("the real table without the people asked about"),
        "rerun": kept("a release made anew"),
    }
)
"""What a model of attributes learnt from."""
BASELINES: Mapping[str, str] = Readings(
    {
        "baseline_tested": kept("the most frequent guess of the people tested"),
        "baseline_majority": kept("the most frequent guess of the release"),
        "baseline_draw": kept("guesses drawn from the release"),
    }
)
"""What is guessed of attributes without a model."""
PEOPLE: Mapping[str, str] = Readings(
    {
        "members": kept("members"),
        "control": kept("people outside the data"),
        "holdout": kept("people outside the data"),
    }
)
KINDS: Mapping[str, str] = Readings(
    numeric=phrase("number"),
    categorical=phrase("category"),
    date=phrase("date"),
    id=phrase("identifier"),
    text=phrase("free text"),
    constant=phrase("constant"),
)
ROLES: Mapping[str, str] = Readings(
    {
        "known": kept("known"),
        "secret": kept("secret"),
        "text": kept("free text"),
        "id": kept("identifier"),
        "person": kept("names the person"),
        "household": kept("names the household"),
        "ignored": kept("not used"),
    }
)
"""What the kind of a column is called, and what it is to an attacker."""
METRICS: Mapping[str, str] = Readings(
    {
        "accuracy": kept("right guesses"),
        "within": kept("guesses within the tolerance"),
        "balanced_accuracy": kept("balanced accuracy"),
        "macro_f1": kept("macro F1"),
        "auc": kept("AUC"),
        "log_loss": kept("log loss"),
        "r2": kept("R²"),
        "mae": kept("mean error"),
    }
)
"""What a comparison of attributes is a comparison of."""
OVERALL = "overall"
"""What the engine calls all inputs of an explanation together."""
ABOUT: Mapping[str, Callable[[str], str]] = {
    "attack": str,
    "generator": lambda text: say("on {generator}", generator=text),
    "target": lambda text: say("{rule} target", rule=text),
    "record": lambda text: say("record {record}", record=text),
    "secret": str,
    "known": lambda text: say("from {known}", known=known_set_title(text)),
    "model": str,
    "metric": lambda text: METRICS.get(text, text),
    "trained_on": lambda text: BASELINES.get(text) or say("trained on {table}", table=TABLES.get(text, text)),
    "tested_on": lambda text: say("tested on {people}", people=PEOPLE.get(text, text)),
    "attacker": str,
    "anonymiser": lambda text: say("on {generator}", generator=text),
    "feature": lambda text: say("all inputs together") if text == OVERALL else text,
    "defence": lambda text: say("with {defence}", defence=text),
    "group": lambda text: say("group {group}", group=text),
    "limit": lambda text: say("above {limit}", limit=text),
}
"""Labels of a number that are printed, and how."""
PLUGINS = (*ROOMS, "attack", "attacker", "target")


def about(estimate: Estimate, titles: Mapping[str, str]) -> list[str]:
    """What a number is about, each thing in a few words; plug-ins by what people call them."""
    labels = {
        name: plugin_title(titles, text, ROOMS.get(name, "")) if name in PLUGINS else text
        for name, text in estimate.labels.items()
    }
    parts = [ABOUT[name](text) for name, text in labels.items() if name in ABOUT and text and text != "none"]
    if "fpr" in labels:
        fpr = say("{share} %", share=f"{100 * float(labels['fpr']):g}")
        parts.append(say("at {fpr} false alarms", fpr=fpr))
    return parts


def measure(question: str, estimate: Estimate, titles: Mapping[str, str]) -> str:
    """What a number is called: by its question, else by what all questions call it.

    The accuracy of a model, of usefulness, is called by the title of the model.
    """
    known = questions.questions().get(question)
    own = {} if known is None else known.measures
    part, _, model = estimate.name.partition(" ")
    if model and part in points.LEARNT:
        return again(points.about(f"{part} {plugin_title(titles, model, 'inference')}", "").title)
    return own.get(estimate.name) or texts.MEASURES.get(estimate.name, estimate.name.replace("_", " "))


def settings(finding: RunFinding, titles: Mapping[str, str]) -> list[tuple[str, str]]:
    """The plan of a run as its form calls it; what was left empty is left out."""
    filled = {name: value for name, value in finding.settings.items() if value not in ("", [], (), None)}
    return plan_settings(finding.question, filled, lambda room, spelled: plugin_title(titles, spelled, room))


def plan_settings(question: str, values: Mapping[str, Any], called: Callable[[str, str], str]) -> list[tuple[str, str]]:
    """The settings of a plan, each with its value, as the form of that question calls both.

    ``called`` says what people call a plug-in, of its room and how it is spelled.
    """
    asked = questions.questions().get(question)
    declared = {} if asked is None else {field.name: field.metadata for field in fields(asked.plan) if field.metadata}
    return [
        (say(str(declared[name]["label"])), setting_in_words(_in_words(value, declared[name], called)))
        if name in declared
        else (name.replace("_", " "), setting_in_words(value))
        for name, value in values.items()
    ]


def _in_words(value: Any, declared: Mapping[str, Any], called: Callable[[str, str], str]) -> Any:
    """A choice, or several, in words; a plug-in by its title; any other value as it is."""
    if isinstance(value, list | tuple):
        return [_in_words(part, declared, called) for part in value]
    if isinstance(value, str | int | float) and not isinstance(value, bool) and value in declared["words"]:
        return say(declared["words"][value])
    if not isinstance(value, str):
        return value
    if value and declared["room"]:
        return called(declared["room"], value)
    return known_set_title(known_words(value)) if value.startswith(GREEDY) else value
