"""The judge: one limit, used in both directions, and one rule for every question and every surface.

* **Above the limit**: the interval of the strongest attack lies wholly above it.
* **Within the limit**: every interval lies wholly below it, everything that was asked gave a number, and every planted
  control was found. Where the interval of the strongest lies above guessing, a small leak is shown, within the limit.
* **Undecided**: everything else, with what would decide it.
* **Described**: figures on no scale of a limit, whatever they are; they are no part of the verdict on a release.

Without a limit: **leak shown** where the strongest lies wholly above guessing, else undecided. A limit is one on the
scale of its question (:data:`riskkit.judging.measurement.SCALES`); what is measured on another scale is judged without
one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from riskkit import wording
from riskkit.core import Estimate, Floats
from riskkit.judging.measurement import (
    DESCRIPTION,
    EPSILON,
    EXCESS,
    SCALES,
    SHARES,
    Judgement,
    Limit,
    Measured,
    Verdict,
)
from riskkit.judging.reasons import Bars, Reason
from riskkit.language import again, counted, forms, phrase, say
from riskkit.stats import power
from riskkit.stats.multiplicity import holm

DESCRIBES = phrase("No attack was run: these figures describe the table. Low ones prove nothing.")
"""Why figures that describe have no verdict."""
FEWEST = {"training": 10}
"""Trainings without which there is no interval: five with and five without."""
TELLING = 0.7
"""An AUC that a game of the advised length tells from guessing in 8 of 10 audits."""
TOO_MANY = 100
"""Times the trainings there were, beyond which no number of trainings is in reach."""
NO_CONTROL = phrase(
    "No control was planted: without a leak that we planted ourselves it is not known whether these attacks would find "
    "one."
)
MISSED = phrase("A planted leak was not found, so finding no leak elsewhere proves nothing.")
BOUND = phrase(
    "A stronger attack may show such a leak. More trainings cannot rule it out; a method or a setting that "
    "leaks less can."
)
"""What would decide a question whose best attack there can be reaches the limit."""
MORE: Mapping[str, tuple[str, str]] = {
    "training": forms("{n:,} more training", "{n:,} more trainings"),
    "record": forms("{n:,} more record", "{n:,} more records"),
    "victim": forms("{n:,} more victim", "{n:,} more victims"),
    "named row": forms("{n:,} more named row", "{n:,} more named rows"),
    "household": forms("{n:,} more household", "{n:,} more households"),
    "person": forms("{n:,} more person", "{n:,} more people"),
}
"""How many more of what a run counts."""


def judge(measured: Measured, limit: Limit | None) -> Judgement:
    """What these measurements say of a leak above the limit; without one, of any leak above guessing.

    Why something that was asked gave no number makes no difference: who reads the list of what was asked takes all of
    it as looked at. Whoever asks again without it has the verdict on the rest.

    Where no leak is shown, the reason says how large a leak would have shown itself, and how high intervals reach.
    """
    if measured.scale == DESCRIPTION:
        return Judgement(Verdict.DESCRIBED, None, again(DESCRIBES), code=DESCRIPTION)
    judged = _judge(measured, limit)
    if judged.shows_leak or _first(measured, Bars.EVERYTHING) is not None:
        return judged
    return replace(judged, why=" ".join(filter(None, (judged.why, _could_show(measured)))), reason=judged.why)


def _judge(measured: Measured, limit: Limit | None) -> Judgement:
    """The judgement by the rules at the top of the file."""
    everything = _first(measured, Bars.EVERYTHING)
    if measured.strongest is None or measured.widest is None:
        if everything is not None:
            return _barred_judgement(limit, everything)
        return _undecided_judgement(limit, "no_number", _no_number(measured), _settle_number(measured))
    if everything is not None:
        return _barred_judgement(limit, everything)
    strongest = measured.strongest
    if strongest.low > (measured.guess if limit is None else max(limit.value, measured.guess)):
        barred = _first(measured, Bars.LEAK)
        return _leak(measured, strongest, limit) if barred is None else _barred_judgement(limit, barred)
    if limit is not None:
        return _below(measured, strongest, measured.widest, limit)
    barred = _first(measured, Bars.ABSENCE)
    if barred is not None:
        return _barred_judgement(None, barred)
    why = say("No leak above guessing is shown ({number}).", number=wording.number(strongest, measured.guess))
    why += " " + say("No limit is set, so nobody has said how much leak is tolerable.")
    settle = say("Set a limit: the audit can then say whether a leak above it is ruled out.")
    return _undecided_judgement(None, "no_limit", why, settle)


def _could_show(measured: Measured) -> str:
    """What a verdict that shows no leak is worth: the smallest leak that would have shown, the highest that may be."""
    if measured.strongest is None or measured.widest is None:
        return ""
    strongest, scale = measured.strongest, SCALES[measured.scale]
    if measured.scale == EPSILON:
        return say(
            "Had every guess been right, it would have shown that ε is at least {most:.2f}, and never more.",
            most=measured.widest.high,
        )
    reach = strongest.value - strongest.low
    least = power.detectable_beside(measured.guess, reach, level=strongest.level)
    ends = counted(
        max(measured.looks, 1),
        "the interval ends at {high}",
        "the highest interval of all {n:,} comparisons ends at {high}",
        high=_in_unit(measured, measured.widest.high),
    )
    if least >= scale.high:
        return say(
            "The intervals are so wide that even the largest leak would be shown in fewer than 8 of 10 audits; {ends}.",
            ends=ends,
        )
    return say(
        "In 8 of 10 audits like this one, a leak of {least} or more ({scale}) would be found; {ends}.",
        scale=scale.title,
        least=_in_unit(measured, least),
        ends=ends,
    )


def _in_unit(measured: Measured, value: float) -> str:
    """A value as the number beside it is written, to two decimals where that is no share of people."""
    return measured.level_in_words(value) if measured.scale in (*SHARES, EXCESS) else f"{value:.2f}"


def _leak(measured: Measured, strongest: Estimate, limit: Limit | None) -> Judgement:
    limit_set = None if limit is None else limit.value
    number, is_epsilon = replace(measured, strongest=strongest).in_words(limit_set), measured.scale == EPSILON
    if limit is None:
        if is_epsilon:
            why = say("ε is at least {number}; of a method that says nothing of anybody it is 0.", number=number)
        else:
            bar = measured.level_in_words(measured.guess)
            why = say("{number} lies wholly above guessing ({bar}).", number=number, bar=bar)
        return Judgement(Verdict.LEAK, None, why, code="above_guessing")
    if is_epsilon:
        why = say("ε is at least {number}, above the limit ({bar}).", number=number, bar=wording.level(limit.value))
    else:
        why = say(
            "{number} lies wholly above the limit ({bar}).", number=number, bar=measured.level_in_words(limit.value)
        )
    return Judgement(Verdict.ABOVE, limit, why, code="above_limit")


def _below(measured: Measured, strongest: Estimate, widest: Estimate, limit: Limit) -> Judgement:
    """Whether the absence of a leak above the limit is shown."""
    if limit.value <= measured.guess:
        why = say(
            "The limit ({value}) does not lie above what guessing reaches without any release ({guess}).",
            value=measured.level_in_words(limit.value),
            guess=measured.level_in_words(measured.guess),
        )
        return _undecided_judgement(limit, "limit_below_guessing", why, say("Set a limit above guessing."))
    if (reason := _first(measured, Bars.ABSENCE)) is not None:
        return _barred_judgement(limit, reason)
    small = strongest.low > measured.guess and _first(measured, Bars.LEAK) is None
    shown_anyway = " " + say("A leak above guessing is shown.") if small else ""
    if widest.high >= limit.value:
        why = say(
            "A leak above {value} is neither shown nor ruled out: {reach}.",
            value=measured.level_in_words(limit.value),
            reach=_reach(measured, widest),
        )
        settle = again(BOUND) if measured.is_bound else more(measured, limit.value)
        return _undecided_judgement(limit, "interval_holds_limit", why + shown_anyway, settle)
    if measured.lowest is not None and (turned := _mirror(measured.lowest, measured.guess)).high >= limit.value:
        why = say(
            "An attack may be wrong more often than guessing; with its answers reversed it would reveal people too."
        )
        return _undecided_judgement(limit, "wrong_way_round", why, _settle_turned(measured, turned, limit))
    if not measured.is_complete:
        return _undecided_judgement(limit, "silent", _silent(measured), _settle_silent(measured))
    control = measured.control
    if not control.is_there:
        remedy = control.remedy or say("Run again with the planted leak.")
        return _undecided_judgement(limit, "no_control", control.missed or again(NO_CONTROL), remedy)
    # Where it was found beyond every interval, there is silence up to there, whatever higher limit is asked about.
    if min(limit.value, widest.high) >= control.found_below:
        return _undecided_judgement(
            limit, "control_missed", _missed_sentence(measured, limit), _settle_control(measured, limit)
        )
    if measured.is_bound:
        why = say(
            "No leak above {value} is possible here: {reach}.",
            value=measured.level_in_words(limit.value),
            reach=_reach(measured, widest),
        )
    else:
        why = say(
            "Every interval ends at {high} or below, and the planted leak was found.",
            high=wording.below(widest.high, limit.value),
        )
    if small:
        why += " " + say("A small leak is shown, within the limit.")
    return Judgement(Verdict.WITHIN, limit, why, code="within_limit")


def _first(measured: Measured, bars: Bars) -> Reason | None:
    """The first reason that stands in the way of such verdicts."""
    return next((reason for reason in measured.reasons if reason.bars is bars), None)


def _barred_judgement(limit: Limit | None, reason: Reason) -> Judgement:
    return _undecided_judgement(limit, reason.code, reason.why, reason.settle)


def _undecided_judgement(limit: Limit | None, code: str, why: str, settle: str) -> Judgement:
    return Judgement(Verdict.UNDECIDED, limit, why, settle, code)


def _mirror(estimate: Estimate, guess: float) -> Estimate:
    """What an attack would reach with its answers turned round."""
    value, low, high = (2 * guess - end for end in (estimate.value, estimate.high, estimate.low))
    return replace(estimate, value=value, low=low, high=high)


def _settle_turned(measured: Measured, turned: Estimate, limit: Limit) -> str:
    if turned.low <= limit.value:
        return more(replace(measured, strongest=turned, widest=turned), limit.value)
    return say(
        "Add attacks of another kind: this one is wrong by more than chance, so more of the same would not settle it."
    )


def _reach(measured: Measured, widest: Estimate) -> str:
    """How high what was looked at reaches."""
    if measured.is_bound:
        return say("no attack can reach more than {high} on any record", high=_in_unit(measured, widest.high))
    return say("intervals reach {high}", high=_in_unit(measured, widest.high))


def _missed_sentence(measured: Measured, limit: Limit) -> str:
    control = measured.control
    if control.missed:
        return control.missed
    if math.isinf(control.found_below):
        return again(MISSED)
    return say(
        "The planted leak was not shown to be above {value}, so silence below it says nothing.",
        value=measured.level_in_words(limit.value),
    )


def _no_number(measured: Measured) -> str:
    if measured.unit == "training":
        return say("There are too few trainings for any interval: at least 5 with the record and 5 without.")
    return say("Nothing that was run gave a number; the notes of the run say why.")


def _silent(measured: Measured) -> str:
    return say(
        "{what} gave no number, so what would have been found there is not known.",
        what=measured.silent or say("Some attacks"),
    )


def _settle_silent(measured: Measured) -> str:
    if measured.unit == "training":
        return say("Run again with more trainings, or without the attacks that give no number.")
    return say(
        "Correct what the notes of the run name, or run again without it: the verdict then covers the rest alone."
    )


def _settle_control(measured: Measured, limit: Limit) -> str:
    """How many more units would show the planted leak, if what was seen of it stays."""
    control = measured.control
    weakest = control.weakest
    reach = limit.value if measured.widest is None else min(limit.value, measured.widest.high)
    bar = measured.guess if math.isinf(control.found_below) else reach
    if control.remedy:
        return control.remedy
    if weakest is None or weakest.value <= bar:
        return say("Run again with other attacks, or with other settings of these: they do not see the planted leak.")
    extra = _extra(_units_needed(weakest, bar), weakest.n)
    if extra is None:
        return say("Run again with other attacks: with these, no feasible number would show the planted leak.")
    return say(
        "If the planted leak is found as well as it was so far, {so_many} would show it{from_}.",
        so_many=_so_many(extra, measured),
        from_=_from(measured),
    )


def _settle_number(measured: Measured) -> str:
    fewest = FEWEST.get(measured.unit)
    if fewest is None:
        return say("See the notes of the run.")
    least = max(fewest - measured.made, 1)
    good = max(power.trainings_for_auc(TELLING, looks=max(measured.looks, 1)) - measured.made, 1)
    return say(
        "{so_many} give an interval, if every game has 5 a side; {so_many2} tell an AUC "
        "of {telling:.2f} from guessing in 8 of 10 audits.",
        so_many=_so_many(least, measured),
        so_many2=_so_many(good, measured),
        telling=TELLING,
    )


def _so_many(extra: int, measured: Measured) -> str:
    """``40 more trainings (about 6 minutes)``."""
    units = counted(extra, *MORE[measured.unit])
    each = measured.seconds_each
    return f"{units} ({wording.duration(extra * each)})" if each > 0 else units


def _from(measured: Measured) -> str:
    """Where more of them have to come from, if they cannot be made."""
    can_be_made = measured.seconds_each > 0 or measured.unit == "training"
    return "" if can_be_made else say("; they have to come from a larger holdout")


def _extra(needed: float, n: int) -> int | None:
    """How many more that is than there were; None where it is out of reach."""
    return None if not math.isfinite(needed) or needed > TOO_MANY * max(n, 1) else max(math.ceil(needed) - n, 1)


def more(measured: Measured, limit: float) -> str:
    """How many more units would take the interval off the limit if the value stays, and how long they take."""
    if measured.strongest is None or measured.widest is None:
        return _settle_number(measured)
    needed = max(_units_needed(estimate, limit) for estimate in (measured.strongest, measured.widest))
    extra = _extra(needed, max(measured.strongest.n, 1))
    if extra is None:
        return say(
            "The value lies so near the limit that no feasible number of {units} would settle it.",
            units=wording.UNCOUNTED[measured.unit],
        )
    return say(
        "If the value stays where it is, {so_many} would settle it{from_}.",
        so_many=_so_many(extra, measured),
        from_=_from(measured),
    )


def _units_needed(estimate: Estimate, limit: float) -> float:
    """Units for which the end on the limit's side comes to lie on the limit; a width goes with one over their root."""
    value = estimate.value
    gap = abs(limit - value)
    reach = estimate.high - value if value < limit else value - estimate.low
    return math.inf if gap == 0 else estimate.n * (reach / gap) ** 2


# What the verdict on a whole release allows for: each of several questions may show a leak by luck.
#
# Every question holds its own level, and so do all give-aways together. Whoever takes the gravest of all of them says
# "leak shown" more often where nobody leaked, and the more often the more was asked. So the verdict on the release
# needs a leak that is shown with all runs of all questions allowed for (Holm), at half of its error; the give-aways
# have the other half. What a question shows by itself stays as it is, and whatever a question shows stands in the way
# of "within the limit". That needs every question, so it needs no allowance.

ERROR = 0.05
"""In how many audits the verdict on a release may show a leak where there is none."""
OF_QUESTIONS = ERROR / 2
"""What all questions together have of it; the give-aways, one-sided at 95 % together, have the rest."""


def together(runs: Sequence[tuple[Measured, Limit | None]]) -> Floats:
    """(n,) the error of saying that this run shows its leak, with all of them allowed for.

    A run that shows no leak above its limit by itself, or without a limit above guessing, has 1.
    """
    return holm([_alone(measured, limit) for measured, limit in runs])


def _alone(measured: Measured, limit: Limit | None) -> float:
    """The same for one run as if it were the only one."""
    judged = judge(measured, limit)
    if not judged.shows_leak:
        return 1.0
    return measured.p(measured.guess if judged.limit is None else max(judged.limit.value, measured.guess))


def amount_in_words(questions: int, runs: int) -> str:
    """How much was asked, in words."""
    words = counted(questions, "{n:,} question", "{n:,} questions")
    if runs == questions:
        return words
    return say("{questions} in {runs}", questions=words, runs=counted(runs, "{n:,} run", "{n:,} runs"))


def allowance(questions: int, runs: int) -> str:
    """The sentence that says how the verdict on a release allows for so much."""
    return say(
        "This verdict is corrected for {asked} and for the check of the file itself: without such a leak, it "
        "shows one in at most {error} of audits.",
        asked=amount_in_words(questions, runs),
        error=wording.percent(ERROR),
    )


def by_luck(same: str, chance: float, questions: int, runs: int) -> str:
    """Why the verdict on a release is undecided although a question shows a leak by itself."""
    return say(
        "Taken alone, a leak is shown by: {same}. With {asked}, luck would show as much in up to {chance} of audits of "
        "a release without such a leak; for a verdict on the release that must be at most {most}.",
        same=same,
        asked=amount_in_words(questions, runs),
        chance=wording.tenths(chance),
        most=wording.tenths(OF_QUESTIONS),
    )


def settle_of_luck(same: str) -> str:
    """What would decide it then."""
    return say(
        "Ask again with more people or more trainings: {same}. A leak that is there then shows more clearly.", same=same
    )
