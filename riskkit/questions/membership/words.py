"""Estimates as sentences: the number, its interval, its reference and how many trainings stand behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riskkit import wording
from riskkit.core import Estimate, Knowledge
from riskkit.language import Readings, again, counted, phrase, say
from riskkit.questions.membership.result import PlantedControl, Sweep
from riskkit.show import glossary
from riskkit.show.run_finding import HOUSEHOLD, PERSON
from riskkit.stats import power

# A setting that an attack chose on releases of its own, told in sentences.


def sentence(sweep: Sweep, called: str) -> str:
    """What became of the choice; ``called`` is what people call the setting."""
    here = sweep.counted[sweep.at]
    sentences = say("The attack chose {called} = {value:g}", called=called, value=sweep.values[sweep.at])
    if sweep.own:
        there = sweep.own[sweep.at]
        sentences += say(
            ", right in {there} of {releases} of its own",
            there=wording.share(there),
            releases=counted(there.n, "{n:,} release", "{n:,} releases"),
        )
    return say(
        "{told}; on the {trainings} that count it is right in {here}",
        told=sentences,
        trainings=counted(here.n, "{n:,} training", "{n:,} trainings"),
        here=wording.share(here),
    )


def hindsight(sweep: Sweep, called: str) -> str:
    """What picking the value on the counted releases would have said, and why that does not count."""
    best = max(range(len(sweep.values)), key=lambda place: sweep.counted[place].value)
    if sweep.counted[best].value <= sweep.counted[sweep.at].value:
        return say("No other {called} would have been right more often on the releases that count.", called=called)
    return say(
        "In hindsight {called} = {best:g} would have been right in {share} of the releases that count. That is the "
        "best of {values} values picked on the very releases it is judged by, so it flatters and is no result.",
        called=called,
        best=sweep.values[best],
        share=wording.percent(sweep.counted[best].value),
        values=len(sweep.values),
    )


GLOSSARY: Mapping[str, str] = glossary.glossary_of("membership")
"""The plain meaning of every number and word a page shows."""

TITLES: Readings[str, str] = Readings(
    accuracy=phrase("Right answers"),
    auc=phrase("AUC"),
    advantage=phrase("Advantage"),
    tpr_at_fpr=phrase("TPR at 10 % FPR"),
    epsilon_lower=phrase("ε is at least"),
)
"""What people call a measure, in the order of a table."""

KNOWING: Mapping[Knowledge, str] = Readings(
    {
        Knowledge.EXACT: phrase("Knowing every other row of the data"),
        Knowledge.AUXILIARY: phrase("Knowing other people of the same population"),
        Knowledge.NONE: phrase("From the release alone"),
    }
)
"""How a sentence begins that says what the attacker has."""

ABSENCE = phrase("So this attack can show a leak here, but not its absence.")


def reference(estimate: Estimate) -> float:
    """What guessing reaches on the scale of that estimate."""
    by_name = {"accuracy": 0.5, "auc": 0.5, "tpr_at_fpr": float(estimate.labels.get("fpr", "0.1"))}
    return by_name.get(estimate.name, 0.0)


def record(labels: Mapping[str, str]) -> str:
    """What a finding is about: ``record 17``, ``records 3, 17 and 20 as one group`` or a made-up one."""
    named = labels["record"].split("+")
    if named == ["made up"]:
        return say("made-up record {position}", position=int(labels.get("position", "0")) + 1)
    if labels.get("unit") in (PERSON, HOUSEHOLD):
        return _people(named)
    if len(named) == 1:
        return say("record {record}", record=named[0])
    if len(named) > 5:
        return say("{records} records as one group", records=len(named))
    return say("records {first} and {last} as one group", first=say(", ").join(named[:-1]), last=named[-1])


def _people(named: Sequence[str]) -> str:
    """``person 17``, by the first of their rows, or several as one group."""
    if len(named) == 1:
        return say("person {row}", row=named[0])
    if len(named) > 5:
        return say("{people} people as one group", people=len(named))
    return say("people {first} and {last} as one group", first=say(", ").join(named[:-1]), last=named[-1])


def attacker(knowledge: Knowledge, own: int) -> str:
    """What an attack takes: what its attacker must know, and how often it trains the method itself in each game."""
    knows = {
        Knowledge.EXACT: say("The attacker knows every other row of the data, unless chosen otherwise below"),
        Knowledge.AUXILIARY: say("The attacker knows other people of the population"),
        Knowledge.NONE: say("The attacker has only the release"),
    }[knowledge]
    costs = (
        say("It trains the method {own:,} times itself in every game", own=own)
        if own
        else say("It trains nothing itself")
    )
    return say("{knows}. {costs}.", knows=knows, costs=costs)


def auc(estimate: Estimate, knowledge: Knowledge) -> str:
    """The sentence of an AUC: picking the release with the record out of two."""
    start = say(
        "{knowing}, an attacker who sees one release with {record} and one without picks "
        "the right one in {share} of cases",
        knowing=KNOWING[knowledge],
        record=record(estimate.labels),
        share=wording.share(estimate),
    )
    return say("{told} {beside}.", told=start, beside=_beside(estimate))


def controls(planted: Sequence[PlantedControl], called: Callable[[str], str] = str) -> list[str]:
    """One line for each attack: whether it found the leaks that were planted for it. ``called`` names an attack."""
    out = []
    for attack in dict.fromkeys(control.labels["attack"] for control in planted):
        own = [control for control in planted if control.labels["attack"] == attack]
        out.append(_control(own[0], called(attack)) if len(own) == 1 else _controls(own, called(attack)))
    return out


def _controls(own: Sequence[PlantedControl], attack: str) -> str:
    """How many of the leaks that were planted on several records an attack found."""
    leaks = sum(control.is_found for control in own)
    start = say(
        "Planted leak found by {attack} on {found:,} of {all:,} records", attack=attack, found=leaks, all=len(own)
    )
    return (
        say("{told}.", told=start)
        if leaks == len(own)
        else say("{told}. On the others it can show a leak, but not its absence.", told=start)
    )


def _control(planted: PlantedControl, attack: str) -> str:
    """Whether one planted leak was found, with what the attack reached and what there was to find."""
    who = say("{attack} on {record}", attack=attack, record=record(planted.labels))
    if planted.auc is None:
        return say(
            "Planted leak not found by {who}: {notes} {absence}",
            who=who,
            notes=" ".join(map(again, planted.notes)),
            absence=ABSENCE,
        )
    there = say("up to {best_auc:.2f} was planted and chance is 0.50", best_auc=planted.best_auc)
    start = say(
        "by {who}: AUC {auc}, where {there}; {trainings}.",
        who=who,
        auc=planted.auc,
        there=there,
        trainings=counted(planted.auc.n, "{n:,} training", "{n:,} trainings"),
    )
    return (
        say("Planted leak found {told}", told=start)
        if planted.is_found
        else say("Planted leak not found {told} {absence}", told=start, absence=ABSENCE)
    )


def is_above_chance(estimate: Estimate) -> bool:
    """Whether the whole interval lies above guessing."""
    return estimate.low > reference(estimate)


def _beside(estimate: Estimate) -> str:
    """What stands beside every number: chance, trainings, and a word where the interval does not lie above chance."""
    beside = say("chance {share}; {n:,} trainings", share=wording.percent(reference(estimate)), n=estimate.n)
    if estimate.high < reference(estimate):
        beside = say("{told}; {verdict}", told=beside, verdict=say("worse than guessing"))
    elif not is_above_chance(estimate):
        beside = say("{told}; {verdict}", told=beside, verdict=say("not distinguishable from guessing"))
    return say("({told})", told=beside)


def published_figure(value: float | None, supported: Estimate | None) -> str:
    """The figure of a source, and whether its trainings could tell it from guessing; empty where it has none."""
    if value is None or supported is None:
        return ""
    trainings = counted(supported.n, "{n:,} training", "{n:,} trainings")
    ends = f"[{supported.low:.2f}, {supported.high:.2f}]"
    if supported.low <= 0.5 <= supported.high:
        return say(
            "{value:g}; its {trainings} could not tell it from guessing {ends}",
            value=value,
            trainings=trainings,
            ends=ends,
        )
    return say(
        "{value:g}; its {trainings} could tell it from guessing {ends}", value=value, trainings=trainings, ends=ends
    )


def setting_choice(setting: str, value: float, among: int, *, in_hindsight: bool) -> str:
    """How an attack came by a setting: chosen on releases of its own, or on the very releases that are counted."""
    if in_hindsight:
        return say(
            "{setting} = {value:g}, the best of {among} in hindsight: chosen on the releases that are counted, so too "
            "high",
            setting=setting,
            value=value,
            among=among,
        )
    return say("{setting} = {value:g}, chosen from {among} on own releases", setting=setting, value=value, among=among)


def trainings_needed(auc: float, *, level: float = 0.95, looks: int = 1, trials: int = 1) -> int:
    """Trainings with which the verdict finds a true AUC in 8 of 10 audits.

    ``looks`` findings make the verdict, and ``trials`` releases are made of each training.
    """
    return power.trainings_for_auc(auc, level=level, looks=looks, trials=trials)


def detectable(trainings: int, *, level: float = 0.95, looks: int = 1, trials: int = 1) -> str:
    """What so many trainings can show, before they are played. The settings are those of :func:`trainings_needed`.

    Raises
    ------
    ParameterError
        They can show nothing at all; the sentence says so.
    """
    least = power.detectable_auc(trainings, level=level, looks=looks, trials=trials)
    many = counted(trainings, "{n:,} training", "{n:,} trainings")
    if looks == 1:
        return say(
            "{trainings} tell a true AUC of {least:.2f} or more from guessing (0.50) in 8 of 10 audits. A smaller leak "
            "will mostly go unseen.",
            trainings=many,
            least=least,
        )
    return say(
        "{trainings} tell a true AUC of {least:.2f} or more from guessing (0.50) in 8 of 10 audits, corrected for "
        "{looks:,} findings. A smaller leak will mostly go unseen.",
        trainings=many,
        least=least,
        looks=looks,
    )
