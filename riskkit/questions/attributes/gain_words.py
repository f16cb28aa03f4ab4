"""What the release adds to a constant guess by each measure, beside what the real data add, and how that is read.

The reading of train-on-synthetic, test-on-real (TSTR): guesses from the release near those from the real data are a
high risk, near the constant guess a low one. It comes out the same whether or not the release was made from the very
people it is asked about, so no verdict stands on it: verdicts stand on members beside people who were not in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from riskkit.core import Estimate
from riskkit.language import joined, kept, say
from riskkit.questions.attributes import words
from riskkit.questions.attributes.findings import SecretAnswer, summarise
from riskkit.questions.attributes.result import AttributesResult
from riskkit.show.names import Names
from riskkit.wording import share

# How many people the release exposes beyond chance, in words: for the page, which may see rows, and for the report.


def title(answer: SecretAnswer) -> str:
    """How many people are exposed beyond chance, with the interval; empty where there is no number."""
    counts = _counts(answer)
    return "" if counts is None else say("People exposed beyond chance: {beyond}", beyond=_count_of_people(counts[2]))


def rule(answer: SecretAnswer) -> str:
    """What the rule is, whom it names, and what is left of that when luck is taken off."""
    counts = _counts(answer)
    if counts is None:
        return ""
    named, by_chance, beyond = map(_count_of_people, counts)
    whole = say(
        "A person is named who is guessed rightly and with confidence from the release, but neither by the most "
        "frequent value in it nor by a model that never saw the person: {named} of members. Of as many people "
        "outside the data, the same rule names {by_chance} by luck. What is left are people exposed because they "
        "are in the data: {beyond}.",
        named=named,
        by_chance=by_chance,
        beyond=beyond,
    )
    if counts[2].low > 0:
        meaning = say("At least {low:,.0f} people are. The rule cannot tell which of those named.", low=counts[2].low)
    else:
        meaning = say("Nobody is shown to be: whoever is named may be named by luck.")
    looks = ""
    if answer.looks > 1:
        looks = say("This interval is for one test, and {looks} were made.", looks=answer.looks)
    return " ".join(filter(None, (whole, meaning, looks)))


def report_sentences(answers: Sequence[SecretAnswer], names: Names) -> tuple[str, ...]:
    """A sentence for each secret; where a count is of few people, none from which it could be had again."""
    out = []
    for answer in answers:
        counts = _counts(answer)
        if counts is None:
            continue
        named, by_chance, beyond = counts
        out.append(
            say(
                "{column}: people guessed rightly and with confidence only because of the release: {count}; among "
                "as many people outside the data: {by_chance}.",
                column=names.column(answer.secret),
                count=names.count(named.value),
                by_chance=names.count(by_chance.value),
            )
        )
        if beyond in tuple(names.countable(counts)):
            out.append(
                say(
                    "{column}: people exposed beyond chance: {beyond}.",
                    column=names.column(answer.secret),
                    beyond=_count_of_people(beyond),
                )
            )
    return tuple(out)


def _counts(answer: SecretAnswer) -> tuple[Estimate, Estimate, Estimate] | None:
    """Those named, those named by chance, and the one less the other."""
    named, by_chance, beyond = map(answer.contrast, ("exposed", "exposed_by_chance", "exposed_beyond_chance"))
    return None if named is None or by_chance is None or beyond is None else (named, by_chance, beyond)


def _count_of_people(count: Estimate) -> str:
    """A count with its interval; below 0 where luck named more of those who were not in."""
    return f"{count.value:,.0f} [{count.low:,.0f}, {count.high:,.0f}]"


HALF = 0.5
"""The leakage ratio halfway between the constant guess and the real data."""

LIFTED_BY_LUCK = "macro_f1"
"""The measure in which guesses that know nothing gain over a constant one."""


class Risk(StrEnum):
    """How a leakage ratio is read."""

    HIGH = "high"
    LOW = "low"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Gain:
    """One measure: what a constant guess, the release and the real data reach, and the gains of the latter two.

    ``over`` is what the gains are over: the most frequent level of the ``tested`` or the ``released``, or ``chance``.
    """

    measure: str
    over: str
    baseline: Estimate | None
    release: Estimate | None
    real: Estimate | None
    delta: Estimate
    below: Estimate | None
    ratio: Estimate | None

    @property
    def risk(self) -> Risk | None:
        """The reading: which of the two the whole interval of the ratio is nearer to.

        None without a ratio; and of macro F1, in which guesses drawn at random gain over a constant one too, from the
        release as from the real data: where nothing is to be learnt the ratio would be near 1.
        """
        if self.ratio is None or self.measure == LIFTED_BY_LUCK:
            return None
        if self.ratio.low > HALF:
            return Risk.HIGH
        return Risk.LOW if self.ratio.high < HALF else Risk.OPEN


def gains(answer: SecretAnswer) -> tuple[Gain, ...]:
    """Every measure whose gain is known, the share of right guesses first."""
    sentences = []
    asked = "control" if answer.bar("control", answer.measure) is not None else "members"
    for measure in words.TITLES:
        delta = answer.contrast("delta", metric=measure)
        if delta is not None:
            sentences.append(
                Gain(
                    measure,
                    delta.labels.get("baseline", answer.baseline),
                    answer.bar("baseline", measure),
                    answer.bar(asked, measure),
                    answer.bar("ceiling" if asked == "control" else "never in", measure),
                    delta,
                    answer.contrast("delta", "real", metric=measure),
                    answer.contrast("leakage_ratio", metric=measure),
                )
            )
    return tuple(sentences)


def reading(answer: SecretAnswer) -> str:
    """How the ratios read, measure by measure; empty where there is none."""
    sentences = [
        say(READ[gain.risk], measure=words.TITLES[gain.measure], ratio=share(gain.ratio))
        for gain in gains(answer)
        if gain.ratio is not None and gain.risk is not None
    ]
    return f"{say(TSTR)} {' '.join(sentences)} {say(NO_VERDICT)}" if sentences else ""


def no_ratio(answer: SecretAnswer) -> str:
    """Why measures have no leakage ratio, in one sentence; empty where each has one, or there is nothing to tell."""
    without = [
        gain for gain in gains(answer) if gain.ratio is None and gain.below is not None and gain.measure in words.RATIOS
    ]
    if not without:
        return ""
    refused = joined(say("{measure} {below}", measure=words.TITLES[gain.measure], below=gain.below) for gain in without)
    return say(
        "no ratio can be had for these measures (gain of a model of the real data over the baseline): {told}. "
        "Such a model is itself not clearly better than the baseline there, so by these measures the release has "
        "nothing to reveal.",
        told=refused,
    )


def readings(result: AttributesResult) -> list[dict[str, Any]]:
    """The same of every secret and known set for programs: what each gain is over, the ratio and how it is read."""
    return [
        {
            "secret": answer.secret,
            "known": answer.known,
            "model": answer.model,
            "metric": gain.measure,
            "baseline": gain.over,
            "leakage_ratio": None if gain.ratio is None else gain.ratio.value,
            "risk": None if gain.risk is None else gain.risk.value,
        }
        for answer in summarise(result)
        for gain in gains(answer)
    ]


TSTR = kept(
    "Guesses from the release beside guesses from the real data (train on synthetic, test on real), read by themselves:"
)
READ: Mapping[Risk, str] = {
    Risk.HIGH: kept("{measure}: high risk, the release adds {ratio} of what the real data would add."),
    Risk.LOW: kept("{measure}: low risk, the release adds {ratio} of what the real data would add."),
    Risk.OPEN: kept(
        "{measure}: neither high nor low is shown, the release adds {ratio} of what the real data would add."
    ),
}
NO_VERDICT = kept(
    "A ratio above one half is high, a ratio below it low. The ratio is the same with and without a leak about "
    "people, so the verdict rests on members compared with people outside the data."
)
