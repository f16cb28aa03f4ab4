"""Estimates as sentences: the number, its interval, its reference and how many trainings stand behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riskkit.core import Estimate, Knowledge
from riskkit.language import counted, forms, say
from riskkit.report import epsilon_words
from riskkit.report.findings import LIMIT, Headline, Planted
from riskkit.stats import power
from riskkit.stats.epsilon import BOUNDS
from riskkit.stats.verdict import Verdict

GLOSSARY: Mapping[str, str] = {
    "accuracy": say(
        "How often the attacker's answer is right when a fair coin decides whether the record was in. 0.50 is "
        "guessing, 1.00 is always right."
    ),
    "auc": say(
        "Shown one release made with the record and one made without it, how often the attacker scores the right one "
        "higher. 0.50 is guessing, 1.00 is always."
    ),
    "advantage": say(
        "How much more often the attacker says “in” of releases made with the record than of releases made without it. "
        "0.00 is guessing, 1.00 is always right."
    ),
    "tpr_at_fpr": say(
        "The share of releases made with the record that the attacker names, while it may accuse this share of the "
        "releases made without it."
    ),
    "epsilon_lower": say(
        "The game shows that the method is not ε-differentially private for any ε below this. Where it cannot be "
        "shown, nothing is known of ε. The ceiling is what would have been shown had every answer been right."
    ),
    "training": say(
        "One fit of the generator. Trainings are independent of each other, so intervals count trainings and nothing "
        "else."
    ),
    "generation": say(
        "One release drawn from a training. Releases of one training resemble each other, so more of them add little."
    ),
    "interval": say(
        "The range that holds the true value in 95 of 100 audits like this one (at the usual level of 95 %)."
    ),
    "control": say(
        "The same game with a method that is known to leak, and how much. An attack that cannot find that leak says "
        "nothing by finding none elsewhere."
    ),
    "chance": say("What an attacker reaches who has not seen the release and guesses."),
}
"""The plain meaning of every number and word a page shows."""

TITLES: Mapping[str, str] = {
    "accuracy": say("Right answers"),
    "auc": say("AUC"),
    "advantage": say("Advantage"),
    "tpr_at_fpr": say("Named at 10 % false alarms"),
    "epsilon_lower": say("ε is at least"),
}
"""What people call a measure, in the order of a table."""

KNOWING: Mapping[Knowledge, str] = {
    Knowledge.EXACT: say("Knowing every other row of the data"),
    Knowledge.AUXILIARY: say("Knowing other people of the same population"),
    Knowledge.NONE: say("From the release alone"),
}
"""How a sentence begins that says what the attacker has."""

VERDICTS: Mapping[Verdict, str] = {
    Verdict.LEAK: say("▲ Leak shown"),
    Verdict.NO_LEAK: say("● No leak above the limit shown"),
    Verdict.UNDECIDED: say("◌ Undecided"),
}
"""Icon and word of a verdict; a page may add a colour, never leave these out."""

UNDECIDED = VERDICTS[Verdict.UNDECIDED]

UNITS: Mapping[str, tuple[str, str]] = {
    "training": forms("{n:,} training", "{n:,} trainings"),
    "release": forms("{n:,} release", "{n:,} releases"),
    "attack": forms("{n:,} attack", "{n:,} attacks"),
    "inference": forms("{n:,} inference", "{n:,} inferences"),
    "model": forms("{n:,} model", "{n:,} models"),
    "record": forms("{n:,} record", "{n:,} records"),
    "victim": forms("{n:,} victim", "{n:,} victims"),
    "named row": forms("{n:,} named row", "{n:,} named rows"),
    "step": forms("{n:,} step", "{n:,} steps"),
    "unit": forms("{n:,} unit", "{n:,} units"),
}
"""What runs are counted in."""
UNCOUNTED: Mapping[str, str] = {
    "training": say("trainings"),
    "release": say("releases"),
    "attack": say("attacks"),
    "inference": say("inferences"),
    "model": say("models"),
    "record": say("records"),
    "victim": say("victims"),
    "named row": say("named rows"),
    "step": say("steps"),
    "unit": say("units"),
}
"""The same without a number."""

NO_CONTROL = say(
    "That no leak shows is not the same as no leak: no leak was planted here on purpose to see whether these attacks "
    "would have found one, so “no leak above a limit” cannot be claimed."
)

ABSENCE = say("So this attack can show a leak here, but not its absence.")

MISSED = say(
    "That no leak shows is not the same as no leak: a leak that was planted on purpose was not found, so this audit "
    "can show a leak but not its absence."
)


def reference(estimate: Estimate) -> float:
    """What guessing reaches on the scale of that estimate."""
    by_name = {"accuracy": 0.5, "auc": 0.5, "tpr_at_fpr": float(estimate.labels.get("fpr", "0.1"))}
    return by_name.get(estimate.name, 0.0)


def number(estimate: Estimate) -> str:
    """``0.78 [0.71, 0.84]``; of a bound on epsilon with its ceiling, because its high end bounds nothing."""
    return epsilon_words.bound(estimate.value, estimate.high, estimate.n) if estimate.name in BOUNDS else str(estimate)


def share(estimate: Estimate) -> str:
    """``86 % [79 %, 91 %]``."""
    return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"


def percent(value: float) -> str:
    """A share in whole per cent; never ``0 %`` or ``100 %`` of what is not quite none or all."""
    if 0.995 <= value < 1:
        return say("over 99 %")
    if 0 < value < 0.005:
        return say("under 1 %")
    return f"{100 * value:.0f} %"


def record(labels: Mapping[str, str]) -> str:
    """What a finding is about: ``record 17``, ``records 3, 17 and 20 as one group`` or a made-up one."""
    named = labels["record"].split("+")
    if named == ["made up"]:
        return say("made-up record {position}", position=int(labels.get("position", "0")) + 1)
    if len(named) == 1:
        return say("record {record}", record=named[0])
    if len(named) > 5:
        return say("{records} records as one group", records=len(named))
    return say("records {first} and {last} as one group", first=", ".join(named[:-1]), last=named[-1])


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
    return f"{knows}. {costs}."


def membership(accuracy: Estimate, knowledge: Knowledge) -> str:
    """The sentence of an accuracy: how often the attacker is right about that record, and what guessing reaches."""
    who = say("{knowing}, an attacker", knowing=KNOWING[knowledge])
    told = say(
        "{who} tells in {share} of releases whether {record} was in",
        who=who,
        share=share(accuracy),
        record=record(accuracy.labels),
    )
    if not is_above_chance(accuracy):
        told = say(
            "{who} was right about {record} in {share} of releases",
            who=who,
            record=record(accuracy.labels),
            share=share(accuracy),
        )
    return f"{told} {_beside(accuracy)}."


def auc(estimate: Estimate, knowledge: Knowledge) -> str:
    """The sentence of an AUC: picking the release with the record out of two."""
    told = say(
        "{knowing}, an attacker who sees one release with {record} and one without picks "
        "the right one in {share} of cases",
        knowing=KNOWING[knowledge],
        record=record(estimate.labels),
        share=share(estimate),
    )
    return f"{told} {_beside(estimate)}."


def judged(estimate: Estimate, looks: int) -> str:
    """On what the verdict stands: the AUC, at the level that allows for all findings that were looked at."""
    told = say(
        "AUC {estimate}, chance 0.50, {trainings}",
        estimate=estimate,
        trainings=counted(estimate.n, "{n:,} training", "{n:,} trainings"),
    )
    if looks == 1:
        return say("The verdict stands on {told}.", told=told)
    at = say("interval at {level:.4g} %", level=100 * estimate.level)
    return say(
        "The strongest of {looks} findings; the verdict allows for that: {told} ({at}).", looks=looks, told=told, at=at
    )


def verdict(found: Headline, limit: float = LIMIT) -> str:
    """Icon and words of the verdict, with its limit where it has one."""
    return judgement(found.verdict, say("an AUC of {limit:.2f}", limit=limit))


def judgement(found: Verdict, limit: str) -> str:
    """Icon and words of a verdict; of an absence above what."""
    return say("● No leak above {limit} shown", limit=limit) if found is Verdict.NO_LEAK else VERDICTS[found]


def beside_verdict(found: Headline, limit: float = LIMIT) -> str:
    """What a verdict other than a leak means, and why it is no stronger; empty beside a leak."""
    if found.verdict is Verdict.LEAK:
        return ""
    if found.verdict is Verdict.NO_LEAK:
        return say(
            "All intervals end at {high:.2f} or below, and every attack found the leak that was planted for it. "
            "This speaks of these records and attacks alone.",
            high=found.high,
        )
    if found.missed is None:
        return NO_CONTROL
    if found.missed:
        return MISSED
    return say(
        "The attacks found the leaks that were planted for them, but a leak above an AUC of {limit:.2f} may still "
        "have gone unseen here: the intervals reach {high:.2f}. More trainings make them narrower.",
        limit=limit,
        high=found.high,
    )


def controls(planted: Sequence[Planted], called: Callable[[str], str] = str) -> list[str]:
    """One line for each attack: whether it found the leaks that were planted for it. ``called`` names an attack."""
    out = []
    for attack in dict.fromkeys(one.labels["attack"] for one in planted):
        own = [one for one in planted if one.labels["attack"] == attack]
        out.append(_control(own[0], called(attack)) if len(own) == 1 else _controls(own, called(attack)))
    return out


def _controls(own: Sequence[Planted], attack: str) -> str:
    """How many of the leaks that were planted on several records an attack found."""
    found = sum(one.is_found for one in own)
    told = say(
        "Planted leak found by {attack} on {found:,} of {all:,} records", attack=attack, found=found, all=len(own)
    )
    return (
        f"{told}."
        if found == len(own)
        else say("{told}. On the others it can show a leak, but not its absence.", told=told)
    )


def _control(planted: Planted, attack: str) -> str:
    """Whether one planted leak was found, with what the attack reached and what there was to find."""
    who = say("{attack} on {record}", attack=attack, record=record(planted.labels))
    if planted.auc is None:
        return say(
            "Planted leak not found by {who}: {notes} {absence}",
            who=who,
            notes=" ".join(planted.notes),
            absence=ABSENCE,
        )
    there = say("up to {best_auc:.2f} was planted and chance is 0.50", best_auc=planted.best_auc)
    told = say(
        "by {who}: AUC {auc}, where {there}; {trainings}.",
        who=who,
        auc=planted.auc,
        there=there,
        trainings=counted(planted.auc.n, "{n:,} training", "{n:,} trainings"),
    )
    return (
        say("Planted leak found {told}", told=told)
        if planted.is_found
        else say("Planted leak not found {told} {absence}", told=told, absence=ABSENCE)
    )


def is_above_chance(estimate: Estimate) -> bool:
    """Whether the whole interval lies above guessing."""
    return estimate.low > reference(estimate)


def _beside(estimate: Estimate) -> str:
    """What stands beside every number: chance, trainings, and a word where the interval does not lie above chance."""
    parts = [say("chance {share}", share=percent(reference(estimate))), say("{n:,} trainings", n=estimate.n)]
    if estimate.high < reference(estimate):
        parts.append(say("worse than guessing"))
    elif not is_above_chance(estimate):
        parts.append(say("not told from guessing"))
    return f"({'; '.join(parts)})"


def published(value: float | None, supported: Estimate | None) -> str:
    """The figure of a source, and whether its trainings could tell it from guessing; empty where it has none."""
    if value is None or supported is None:
        return ""
    trainings = counted(supported.n, "{n:,} training", "{n:,} trainings")
    ends = f"[{supported.low:.2f}, {supported.high:.2f}]"
    if supported.low <= 0.5 <= supported.high:
        return say(
            "{value:g}; its {trainings} could not tell it from guessing {ends}",
            value=value, trainings=trainings, ends=ends,
        )  # fmt: skip
    return say(
        "{value:g}; its {trainings} could tell it from guessing {ends}", value=value, trainings=trainings, ends=ends
    )


def plural(count: int, word: str) -> str:
    """``1 training``, ``20 trainings``, for a word that is data: what runs count (:data:`UNITS`)."""
    if word in UNITS:
        return counted(count, *UNITS[word])
    return counted(count, "{n:,} {word}", "{n:,} {word}s", word=word)


def duration(seconds: float) -> str:
    """``about 12 seconds``, ``about 4 minutes``, ``about 2 h 10 min``."""
    if seconds < 1.5:
        return say("about a second")
    if seconds < 90:
        return say("about {seconds:.0f} seconds", seconds=seconds)
    if seconds < 90 * 60:
        return say("about {minutes:.0f} minutes", minutes=seconds / 60)
    return say("about {hours} h {minutes:02d} min", hours=int(seconds // 3600), minutes=int(seconds % 3600 // 60))


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
        "{trainings} tell a true AUC of {least:.2f} or more from guessing (0.50) in 8 of 10 audits, allowing for "
        "{looks:,} findings that are looked at. A smaller leak will mostly go unseen.",
        trainings=many,
        least=least,
        looks=looks,
    )
