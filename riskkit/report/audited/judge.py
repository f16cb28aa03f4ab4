"""Verdicts from measurements and limits, again and again without running anything."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from riskkit.language import counted, forms, say
from riskkit.report import words
from riskkit.report.audited.limits import ON, SCALES
from riskkit.report.audited.model import Answer, Judgement, Limit, Measured, RunFinding
from riskkit.stats.verdict import Verdict
from riskkit.stats.verdict import judge as _judge

FEWEST = {"training": 10}
"""Trainings without which there is no interval: five with and five without."""
TELLING = 0.7
"""An AUC that a game of the advised length tells from guessing in 8 of 10 audits."""
TOO_MANY = 100
"""Times the trainings there were, beyond which no number of trainings is in reach."""
BOUND = say(
    "A stronger attack may show it. No number of trainings rules it out: a method or a setting that leaks less would."
)
"""What would decide a question whose best attack there can be reaches the limit."""
MORE: Mapping[str, tuple[str, str]] = {
    "training": forms("{n:,} more training", "{n:,} more trainings"),
    "record": forms("{n:,} more record", "{n:,} more records"),
    "victim": forms("{n:,} more victim", "{n:,} more victims"),
    "named row": forms("{n:,} more named row", "{n:,} more named rows"),
}
"""How many more of what a run counts."""
ORDER = (Verdict.LEAK, Verdict.UNDECIDED, Verdict.NO_LEAK)


def judge(found: Measured, limit: Limit | None) -> Judgement:
    """What these measurements say of a leak above the limit; without one, of any leak above guessing.

    * Leak shown: the interval of the strongest attack lies wholly above.
    * No leak above the limit shown: every interval lies wholly below, everything that was asked has one, and the
      planted leak was found. Why something has none makes no difference: who reads the list of what was asked takes
      all of it as looked at. Whoever asks again without it has the verdict on the rest.
    * Undecided: everything else, and always where the measurement is ``blocked``.
    """
    if found.strongest is None or found.widest is None:
        return _undecided(limit, found.blocked or _no_number(found), "" if found.blocked else _settle_number(found))
    if found.blocked:
        return _undecided(
            limit, found.blocked, say("Load another holdout, drawn from the same people in the same way.")
        )
    bar = found.guess if limit is None else limit.value
    verdict = _judge(found.strongest, bar, positive_control_found=None)
    if verdict is Verdict.LEAK:
        above = say("guessing") if limit is None else say("the limit")
        why = say(
            "{number} lies wholly above {above} ({bar:.2f}).",
            number=words.number(found.strongest),
            above=above,
            bar=bar,
        )
        return Judgement(verdict, limit, why)
    if limit is None and found.no_absence:
        return _undecided(None, found.no_absence, "")
    if limit is None:
        above = say("No leak above guessing is shown ({number})", number=words.number(found.strongest))
        why = say("{above}. Whether what may be left is tolerable nobody has said: no limit is set.", above=above)
        return _undecided(None, why, say("Set a limit: then it can be told whether a leak above it is ruled out."))
    return _below(found, limit)


def _below(found: Measured, limit: Limit) -> Judgement:
    """Whether the absence of a leak above the limit is shown."""
    assert found.strongest is not None
    assert found.widest is not None
    if found.no_absence:
        return _undecided(limit, found.no_absence, say("Settle what stands in the way, then run again."))
    if found.widest.high >= limit.value:
        why = say(
            "A leak above {value:.2f} is neither shown nor ruled out: {reach}.", value=limit.value, reach=_reach(found)
        )
        return _undecided(limit, f"{why}{_shown_anyway(found)}", BOUND if found.is_bound else more(found, limit.value))
    if found.lowest is not None and found.lowest <= 2 * found.guess - limit.value:
        why = say("An attack may be wrong more often than a coin, which tells of people too once it is turned round.")
        return _undecided(limit, why, more(found, limit.value))
    if not found.is_complete:
        return _undecided(limit, _silent(found), _settle_silent(found))
    if not found.control.is_there:
        remedy = found.control.remedy or say("Run again with the planted leak.")
        return _undecided(limit, found.control.missed or words.NO_CONTROL, remedy)
    if limit.value >= found.control.found_below:
        return _undecided(limit, _missed(found, limit), _settle_control(found, limit))
    why = say("Every interval ends at {high:.2f} or below, and the planted leak was found.", high=found.widest.high)
    if found.is_bound:
        why = say("No leak above {value:.2f} is possible here: {reach}.", value=limit.value, reach=_reach(found))
    return Judgement(Verdict.NO_LEAK, limit, f"{why}{_shown_anyway(found)}")


def _reach(found: Measured) -> str:
    """How high what was looked at reaches."""
    assert found.widest is not None
    if found.is_bound:
        return say("the best attack there can be reaches {high:.2f} on the most exposed record", high=found.widest.high)
    return say("intervals reach {high:.2f}", high=found.widest.high)


def _shown_anyway(found: Measured) -> str:
    """That a leak is shown, though not one above the limit."""
    assert found.strongest is not None
    return say(" A leak above guessing is shown.") if found.strongest.low > found.guess else ""


def _missed(found: Measured, limit: Limit) -> str:
    if found.control.missed:
        return found.control.missed
    if math.isinf(found.control.found_below):
        return words.MISSED
    return say(
        "The planted leak was not shown to be above {value:.2f}, so silence below it says nothing.", value=limit.value
    )


def _no_number(found: Measured) -> str:
    if found.unit == "training":
        return say("There are too few trainings for any interval: at least 5 with the record and 5 without.")
    return say("Nothing that was run gave a number; the notes of the run say why.")


def _silent(found: Measured) -> str:
    return say(
        "{what} gave no number, so what would have been found there is not known.",
        what=found.silent or say("Some attacks"),
    )


def _settle_silent(found: Measured) -> str:
    if found.unit == "training":
        return say("Run again with more trainings, or without the attacks that give no number.")
    return say("Mend what the notes of the run say of it, or run again without: the verdict is then on the rest alone.")


def _settle_control(found: Measured, limit: Limit) -> str:
    """How many more units would show the planted leak, if what was seen of it stays."""
    weakest = found.control.weakest
    bar = found.guess if math.isinf(found.control.found_below) else limit.value
    if found.control.remedy:
        return found.control.remedy
    if weakest is None or weakest.value <= bar:
        return say("Run again with other attacks, or with other settings of these: they do not see the planted leak.")
    extra = _extra(_needed(weakest.value, weakest.low, weakest.high, weakest.n, bar), weakest.n)
    if extra is None:
        return say("Run again with other attacks: no number in reach would show the planted leak to these.")
    return say(
        "If the planted leak is found as well as it was so far, {so_many} would show it{from_}.",
        so_many=_so_many(extra, found),
        from_=_from(found),
    )


def _settle_number(found: Measured) -> str:
    fewest = FEWEST.get(found.unit)
    if fewest is None:
        return say("See the notes of the run.")
    least, good = max(fewest - found.made, 1), max(words.trainings_needed(TELLING) - found.made, 1)
    return say(
        "{so_many} give an interval, if every game has 5 a side; {so_many2} tell an AUC "
        "of {telling:.2f} from guessing in 8 of 10 audits.",
        so_many=_so_many(least, found),
        so_many2=_so_many(good, found),
        telling=TELLING,
    )


def _so_many(extra: int, found: Measured) -> str:
    """``40 more trainings (about 6 minutes)``."""
    told = counted(extra, *MORE[found.unit])
    return f"{told} ({words.duration(extra * found.seconds_each)})" if found.seconds_each > 0 else told


def _from(found: Measured) -> str:
    """Where more of them have to come from, if they cannot be made."""
    return "" if found.seconds_each > 0 else say("; they have to come from a larger holdout")


def _extra(needed: float, n: int) -> int | None:
    """How many more that is than there were; None where it is out of reach."""
    return None if not math.isfinite(needed) or needed > TOO_MANY * max(n, 1) else max(math.ceil(needed) - n, 1)


def _undecided(limit: Limit | None, why: str, settle: str) -> Judgement:
    return Judgement(Verdict.UNDECIDED, limit, why, settle)


def more(found: Measured, limit: float) -> str:
    """How many more units would take the interval off the limit if the value stays, and how long they take."""
    if found.strongest is None or found.widest is None:
        return _settle_number(found)
    needed = max(_needed(one.value, one.low, one.high, one.n, limit) for one in (found.strongest, found.widest))
    extra = _extra(needed, max(found.strongest.n, 1))
    if extra is None:
        return say(
            "The value lies so near the limit that no number of {units} in reach would settle it.",
            units=words.UNCOUNTED[found.unit],
        )
    return say(
        "If the value stays where it is, {so_many} would settle it{from_}.",
        so_many=_so_many(extra, found),
        from_=_from(found),
    )


def _needed(value: float, low: float, high: float, n: int, limit: float) -> float:
    """Units for which the end on the limit's side comes to lie on the limit; a width goes with one over their root."""
    gap = abs(limit - value)
    reach = high - value if value < limit else value - low
    return math.inf if gap == 0 else n * (reach / gap) ** 2


def decisive(found: Sequence[RunFinding], limit: Limit | None) -> tuple[RunFinding, Judgement]:
    """The run a question is judged by: one that shows a leak, else the one with most behind it.

    A run that shows a leak is never outvoted by another that does not. Of several the strongest counts.
    """
    judged = [(one, judge(one.measured, limit)) for one in found]
    leaks = [pair for pair in judged if pair[1].verdict is Verdict.LEAK]

    def low(pair: tuple[RunFinding, Judgement]) -> float:
        strongest = pair[0].measured.strongest
        return -math.inf if strongest is None else strongest.low

    def weight(pair: tuple[RunFinding, Judgement]) -> int:
        strongest = pair[0].measured.strongest
        return -1 if strongest is None else strongest.n

    return max(leaks, key=low) if leaks else max(judged, key=weight)


def overall(answers: Iterable[Answer]) -> Judgement:
    """The gravest verdict of the questions that were asked of the release."""
    every = list(answers)
    judged = [answer for answer in every if answer.judgement is not None]
    if not judged:
        return Judgement(
            Verdict.UNDECIDED,
            None,
            say("No question has been answered yet."),
            say("Run at least one question to its end."),
        )
    worst = min(judged, key=lambda answer: ORDER.index(_verdict(answer)))
    verdict = _verdict(worst)
    same = [answer.title for answer in judged if _verdict(answer) is verdict]
    left = [answer.title for answer in every if not answer.is_answered and answer.judgement is None]
    why = {
        Verdict.LEAK: say("A leak is shown by: {same}.", same=", ".join(same)),
        Verdict.UNDECIDED: say("Undecided: {same}.", same=", ".join(same)),
        Verdict.NO_LEAK: say("No leak above its limit is shown by any question asked: {same}.", same=", ".join(same)),
    }[verdict]
    if left:
        why += say(" Not asked: {left}.", left=", ".join(left))
    settle = " ".join(dict.fromkeys(_settle(answer) for answer in judged)).strip()
    return Judgement(verdict, None, why, settle if verdict is Verdict.UNDECIDED else "")


def _verdict(answer: Answer) -> Verdict:
    assert answer.judgement is not None
    return answer.judgement.verdict


def _settle(answer: Answer) -> str:
    assert answer.judgement is not None
    settle = answer.judgement.settle
    return f"{answer.title}: {settle}" if settle else ""


def check(limits: Mapping[str, Limit]) -> list[str]:
    """What is wrong with limits that a user set: one sentence each; empty where nothing is."""
    wrong = []
    for question, limit in limits.items():
        if question not in ON:
            wrong.append(
                say(
                    "There is no limit to set for {question!r}; there is for {on}.", question=question, on=", ".join(ON)
                )
            )
            continue
        scale = SCALES[ON[question]]
        if not scale.low < limit.value < scale.high:
            wrong.append(
                say(
                    "The limit of {question} is {value:g}; it must lie between {low:g} (guessing) and {high:g}.",
                    question=question,
                    value=limit.value,
                    low=scale.low,
                    high=scale.high,
                )
            )
    return wrong
