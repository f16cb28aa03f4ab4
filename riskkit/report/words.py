"""Estimates as sentences: the number, its interval, its reference and how many trainings stand behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from riskkit.core import Estimate, Knowledge
from riskkit.report.findings import LIMIT, Headline, Planted
from riskkit.stats import power
from riskkit.stats.epsilon import BOUNDS, epsilon_ceiling
from riskkit.stats.verdict import Verdict

GLOSSARY: Mapping[str, str] = {
    "accuracy": (
        "How often the attacker's answer is right when a fair coin decides whether the record was in. 0.50 is "
        "guessing, 1.00 is always right."
    ),
    "auc": (
        "Shown one release made with the record and one made without it, how often the attacker scores the right one "
        "higher. 0.50 is guessing, 1.00 is always."
    ),
    "advantage": (
        "How much more often the attacker says “in” of releases made with the record than of releases made without it. "
        "0.00 is guessing, 1.00 is always right."
    ),
    "tpr_at_fpr": (
        "The share of releases made with the record that the attacker names, while it may accuse this share of the "
        "releases made without it."
    ),
    "epsilon_lower": (
        "The game shows that the method is not ε-differentially private for any ε below this. 0.00 shows nothing. The "
        "ceiling is what would have been shown had every answer been right."
    ),
    "training": (
        "One fit of the generator. Trainings are independent of each other, so intervals count trainings and nothing "
        "else."
    ),
    "generation": (
        "One release drawn from a training. Releases of one training resemble each other, so more of them add little."
    ),
    "interval": "The range that holds the true value in 95 of 100 audits like this one (at the usual level of 95 %).",
    "control": (
        "The same game with a method that is known to leak, and how much. An attack that cannot find that leak says "
        "nothing by finding none elsewhere."
    ),
    "chance": "What an attacker reaches who has not seen the release and guesses.",
}
"""The plain meaning of every number and word a page shows."""

TITLES: Mapping[str, str] = {
    "accuracy": "Right answers",
    "auc": "AUC",
    "advantage": "Advantage",
    "tpr_at_fpr": "Named at 10 % false alarms",
    "epsilon_lower": "ε is at least",
}
"""What people call a measure, in the order of a table."""

KNOWING: Mapping[Knowledge, str] = {
    Knowledge.EXACT: "Knowing every other row of the data",
    Knowledge.AUXILIARY: "Knowing other people of the same population",
    Knowledge.NONE: "From the release alone",
}
"""How a sentence begins that says what the attacker has."""

VERDICTS: Mapping[Verdict, str] = {
    Verdict.LEAK: "▲ Leak shown",
    Verdict.NO_LEAK: "● No leak above the limit shown",
    Verdict.UNDECIDED: "◌ Undecided",
}
"""Icon and word of a verdict; a page may add a colour, never leave these out."""

UNDECIDED = VERDICTS[Verdict.UNDECIDED]

NO_CONTROL = (
    "That no leak shows is not the same as no leak: no leak was planted here on purpose to see whether these attacks "
    "would have found one, so “no leak above a limit” cannot be claimed."
)

ABSENCE = "So this attack can show a leak here, but not its absence."

MISSED = (
    "That no leak shows is not the same as no leak: a leak that was planted on purpose was not found, so this audit "
    "can show a leak but not its absence."
)


def reference(estimate: Estimate) -> float:
    """What guessing reaches on the scale of that estimate."""
    by_name = {"accuracy": 0.5, "auc": 0.5, "tpr_at_fpr": float(estimate.labels.get("fpr", "0.1"))}
    return by_name.get(estimate.name, 0.0)


def number(estimate: Estimate) -> str:
    """``0.78 [0.71, 0.84]``; for a bound on epsilon ``0.52 (ceiling 1.20)``, because its high end bounds nothing."""
    if estimate.name in BOUNDS:
        return f"{estimate.value:.2f} (ceiling {estimate.high:.2f})"
    return str(estimate)


def share(estimate: Estimate) -> str:
    """``86 % [79 %, 91 %]``."""
    return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"


def percent(value: float) -> str:
    """A share in whole per cent; never ``0 %`` or ``100 %`` of what is not quite none or all."""
    if 0.995 <= value < 1:
        return "over 99 %"
    if 0 < value < 0.005:
        return "under 1 %"
    return f"{100 * value:.0f} %"


def record(labels: Mapping[str, str]) -> str:
    """What a finding is about: ``record 17``, ``records 3, 17 and 20 as one group`` or a made-up one."""
    named = labels["record"].split("+")
    if named == ["made up"]:
        return f"made-up record {int(labels.get('position', '0')) + 1}"
    if len(named) == 1:
        return f"record {named[0]}"
    if len(named) > 5:
        return f"{len(named)} records as one group"
    return f"records {', '.join(named[:-1])} and {named[-1]} as one group"


def attacker(knowledge: Knowledge, own: int) -> str:
    """What an attack takes: what its attacker must know, and how often it trains the method itself in each game."""
    knows = {
        Knowledge.EXACT: "The attacker knows every other row of the data, unless chosen otherwise below",
        Knowledge.AUXILIARY: "The attacker knows other people of the population",
        Knowledge.NONE: "The attacker has only the release",
    }[knowledge]
    costs = f"It trains the method {own:,} times itself in every game" if own else "It trains nothing itself"
    return f"{knows}. {costs}."


def membership(accuracy: Estimate, knowledge: Knowledge) -> str:
    """The sentence of an accuracy: how often the attacker is right about that record, and what guessing reaches."""
    who = f"{KNOWING[knowledge]}, an attacker"
    told = f"{who} tells in {share(accuracy)} of releases whether {record(accuracy.labels)} was in"
    if not is_above_chance(accuracy):
        told = f"{who} was right about {record(accuracy.labels)} in {share(accuracy)} of releases"
    return f"{told} {_beside(accuracy)}."


def auc(estimate: Estimate, knowledge: Knowledge) -> str:
    """The sentence of an AUC: picking the release with the record out of two."""
    told = (
        f"{KNOWING[knowledge]}, an attacker who sees one release with {record(estimate.labels)} and one without picks "
        f"the right one in {share(estimate)} of cases"
    )
    return f"{told} {_beside(estimate)}."


def judged(estimate: Estimate, looks: int) -> str:
    """On what the verdict stands: the AUC, at the level that allows for all findings that were looked at."""
    told = f"AUC {estimate}, chance 0.50, {plural(estimate.n, 'training')}"
    if looks == 1:
        return f"The verdict stands on {told}."
    at = f"interval at {100 * estimate.level:.4g} %"
    return f"The strongest of {looks} findings; the verdict allows for that: {told} ({at})."


def verdict(found: Headline, limit: float = LIMIT) -> str:
    """Icon and words of the verdict, with its limit where it has one."""
    told = VERDICTS[found.verdict]
    return told.replace("the limit", f"an AUC of {limit:.2f}") if found.verdict is Verdict.NO_LEAK else told


def beside_verdict(found: Headline, limit: float = LIMIT) -> str:
    """What a verdict other than a leak means, and why it is no stronger; empty beside a leak."""
    if found.verdict is Verdict.LEAK:
        return ""
    if found.verdict is Verdict.NO_LEAK:
        return (
            f"All intervals end at {found.high:.2f} or below, and every attack found the leak that was planted for it. "
            "This speaks of these records and attacks alone."
        )
    if found.missed is None:
        return NO_CONTROL
    if found.missed:
        return MISSED
    return (
        f"The attacks found the leaks that were planted for them, but a leak above an AUC of {limit:.2f} may still "
        f"have gone unseen here: the intervals reach {found.high:.2f}. More trainings make them narrower."
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
    told = f"Planted leak found by {attack} on {found:,} of {len(own):,} records"
    return f"{told}." if found == len(own) else f"{told}. On the others it can show a leak, but not its absence."


def _control(planted: Planted, attack: str) -> str:
    """Whether one planted leak was found, with what the attack reached and what there was to find."""
    who = f"{attack} on {record(planted.labels)}"
    if planted.auc is None:
        return f"Planted leak not found by {who}: {' '.join(planted.notes)} {ABSENCE}"
    there = f"up to {planted.best_auc:.2f} was planted and chance is 0.50"
    told = f"by {who}: AUC {planted.auc}, where {there}; {plural(planted.auc.n, 'training')}."
    return f"Planted leak found {told}" if planted.is_found else f"Planted leak not found {told} {ABSENCE}"


def is_above_chance(estimate: Estimate) -> bool:
    """Whether the whole interval lies above guessing."""
    return estimate.low > reference(estimate)


def _beside(estimate: Estimate) -> str:
    """What stands beside every number: chance, trainings, and a word where the interval does not lie above chance."""
    parts = [f"chance {percent(reference(estimate))}", f"{estimate.n:,} trainings"]
    if estimate.high < reference(estimate):
        parts.append("worse than guessing")
    elif not is_above_chance(estimate):
        parts.append("not told from guessing")
    return f"({'; '.join(parts)})"


def most_epsilon(trainings: int) -> str:
    """The largest bound on epsilon that so many trainings can show."""
    side = trainings // 2
    most = epsilon_ceiling(side, trainings - side)
    return f"Were every answer right, they would show that ε is at least {most:.2f}, and never more."


def published(value: float | None, supported: Estimate | None) -> str:
    """The figure of a source, and whether its trainings could tell it from guessing; empty where it has none."""
    if value is None or supported is None:
        return ""
    can = "could" if not supported.low <= 0.5 <= supported.high else "could not"
    ends = f"[{supported.low:.2f}, {supported.high:.2f}]"
    return f"{value:g}; its {plural(supported.n, 'training')} {can} tell it from guessing {ends}"


def plural(count: int, word: str) -> str:
    """``1 training``, ``20 trainings``."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def duration(seconds: float) -> str:
    """``about 12 seconds``, ``about 4 minutes``, ``about 2 h 10 min``."""
    if seconds < 1.5:
        return "about a second"
    if seconds < 90:
        return f"about {seconds:.0f} seconds"
    if seconds < 90 * 60:
        return f"about {seconds / 60:.0f} minutes"
    return f"about {int(seconds // 3600)} h {int(seconds % 3600 // 60):02d} min"


def trainings_needed(auc: float) -> int:
    """Trainings that show a true AUC with 80 % power, one-sided at 5 %."""
    return power.trainings_for_auc(auc)


def detectable(trainings: int) -> str:
    """What so many trainings can show, before they are played.

    Raises
    ------
    ParameterError
        They can show nothing at all; the sentence says so.
    """
    found = power.detectable_auc(trainings)
    return (
        f"{plural(trainings, 'training')} tell a true AUC of {found:.2f} or more from guessing (0.50) in 8 of 10 "
        "audits. A smaller leak will mostly go unseen."
    )
