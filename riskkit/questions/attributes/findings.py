"""What was guessed, secret by secret, and the sentences a page shows of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from riskkit.core import Estimate
from riskkit.judging.reasons import Reason
from riskkit.language import again, joined, kept, say
from riskkit.questions.attributes import outcome, play, words
from riskkit.questions.attributes import words as attributes_matches
from riskkit.questions.attributes.outcome import About, Sides
from riskkit.questions.attributes.result import AttributesResult, ControlComparison
from riskkit.questions.attributes.words import CONSTANT, TITLES
from riskkit.show.names import Names
from riskkit.show.names import known_set_title as known_set
from riskkit.stats.gains import CHANCE
from riskkit.wording import in_thousandths, share, share_in_tenths, tenths

SIDES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "members": (("release", "members"),),
    "control": (("release", "control"),),
    "baseline": (("baseline_tested", "control"), ("baseline_tested", "members")),
    "other baseline": (("baseline_majority", "control"), ("baseline_majority", "members")),
    "ceiling": (("real", "control"),),
    "never in": (("real", "members"),),
    "prior draws": (("baseline_draw", "control"), ("baseline_draw", "members")),
}
"""What each side was trained on and tested on; of several the first there is. The two baselines change places where
the result was asked for gains over that of the released rows."""
BARS = ("members", "control", "baseline", "ceiling")
"""The four bars: members above others, then what anyone can say and what the real data allows."""


@dataclass(frozen=True, slots=True)
class Exposed:
    """One member whom the release lets guess and nothing else would; ``confidence`` of the guess."""

    row: int
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class SecretAnswer:
    """What was guessed about one secret from one set of known columns.

    ``compared`` is what the judge takes of it: members beside the control at the level that allows for ``looks``.
    ``measure`` is the share of right guesses: ``within`` a tolerance for a number, which ``right`` puts in words, else
    ``accuracy``. ``columns`` are those known; ``again`` is the sentence on secrets drawn anew. ``baseline`` says whose
    most frequent level gains are over: that of the ``tested`` people or of the ``released`` rows. ``chosen`` are the
    best models and for how many parts of the people each was chosen; empty where one model was asked of everybody.
    """

    secret: str
    known: str
    model: str
    estimates: tuple[Estimate, ...]
    compared: Sides
    measure: str = "accuracy"
    right: str = ""
    columns: tuple[str, ...] = ()
    looks: int = 1
    exposed: tuple[Exposed, ...] = ()
    again: str = ""
    baseline: str = "tested"
    chosen: tuple[tuple[str, int], ...] = ()

    @property
    def is_shown(self) -> bool:
        """Whether people in the data are shown to be easier to guess for having been in."""
        residual = self.compared.residual
        return residual is not None and residual.low > 0 and not self.compared.is_easier_anyway

    @property
    def group(self) -> str:
        """Who was asked: ``control``, or ``members`` where there is none."""
        return "members" if self.bar("control", self.measure) is None else "control"

    @property
    def shares(self) -> dict[str, str]:
        """How many members and others are guessed, in words; empty where one is missing or they compare unfairly."""
        inside, outside = self.bar("members", self.measure), self.bar("control", self.measure)
        if inside is None or outside is None or self.compared.is_easier_anyway or self.compared.is_harder:
            return {}
        return {"members": tenths(inside.value), "others": tenths(outside.value)}

    @property
    def lookups(self) -> tuple[Estimate, ...]:
        """CAP, DCAP and TCAP, with the shares they stand on; empty for a number."""
        return tuple(estimate for estimate in self.estimates if estimate.name in attributes_matches.NAMES)

    @property
    def rerun(self) -> tuple[Estimate, ...]:
        """What was guessed of secrets drawn anew; empty where no generator was run again."""
        return tuple(estimate for estimate in self.estimates if estimate.labels.get("trained_on") == "rerun")

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures there are, in the order of :data:`TITLES`."""
        there = {estimate.name for estimate in self.estimates}
        return tuple(name for name in TITLES if name in there)

    @property
    def sides(self) -> tuple[str, ...]:
        """The sides that have a number, in the order of :data:`SIDES`."""
        return tuple(side for side in SIDES if any(self.bar(side, measure) for measure in self.measures))

    def contrast(self, name: str, trained_on: str = "release", metric: str = "") -> Estimate | None:
        """That estimate of a training, in the share of right guesses or another measure, on the control if there is."""
        wanted = metric or self.measure
        contrasts = [
            estimate
            for estimate in self.estimates
            if estimate.name == name
            and estimate.labels.get("trained_on") == trained_on
            and estimate.labels.get("metric", self.measure) == wanted
        ]
        return min(contrasts, key=lambda estimate: estimate.labels.get("tested_on") == "members", default=None)

    def bar(self, side: str, measure: str) -> Estimate | None:
        """That measure of one side."""
        for trained_on, tested_on in SIDES[self._place(side, measure)]:
            for each in self.estimates:
                about = each.labels.get("trained_on"), each.labels.get("tested_on")
                if each.name == measure and about == (trained_on, tested_on):
                    return each
        return None

    def _place(self, side: str, measure: str) -> str:
        """Which entry of :data:`SIDES` that side is; chance is what the constant of the tested reaches."""
        both = ("baseline", "other baseline")
        if side not in both or self.baseline == "tested" or measure in CHANCE:
            return side
        return both[1 - both.index(side)]

    def bars(self, measure: str) -> list[tuple[str, Estimate]]:
        """The bars there are, in the order of :data:`BARS`."""
        bars = [(side, self.bar(side, measure)) for side in BARS]
        return [(side, estimate) for side, estimate in bars if estimate is not None]


def summarise(result: AttributesResult) -> tuple[SecretAnswer, ...]:
    """What a page and a report show of a result: one answer a secret and known set."""
    return tuple(_answer(compared, result) for compared in result.compared)


def _answer(compared: ControlComparison, result: AttributesResult) -> SecretAnswer:
    about = compared.about
    guessed = [members.guessed for members in result.records if members.about == about]
    return SecretAnswer(
        about.secret,
        about.known,
        about.model,
        estimates=tuple(estimate for estimate in result.estimates if _belongs(estimate, about)),
        compared=compared.sides,
        again=" ".join(
            again(drawn.sentence).replace(f"*{about.secret}*", f"“{about.secret}”")
            for drawn in result.randomised
            if drawn.about == about
        ),
        measure=compared.share,
        right=play.again(compared.right),
        columns=compared.columns,
        looks=result.counts.looks,
        baseline=result.plan.baseline,
        chosen=tuple(compared.chosen.items()),
        exposed=tuple(
            Exposed(int(row), float(confidence))
            for each in guessed
            for row, confidence in zip(each.row[each.exposed], each.confidence[each.exposed], strict=True)
        ),
    )


def foremost(answers: Sequence[SecretAnswer]) -> int:
    """The place of the answer whose residual has the highest lower end; of those that are not easier anyway if any."""
    there = [place for place, answer in enumerate(answers) if answer.compared.residual is not None]
    free = [place for place in there if not answers[place].compared.is_easier_anyway]
    return max(free or there, key=lambda place: _low(answers[place]), default=0)


def _low(answer: SecretAnswer) -> float:
    residual = answer.compared.residual
    return -math.inf if residual is None else residual.low


def _belongs(estimate: Estimate, about: About) -> bool:
    """Whether an estimate is about that answer; rows are looked up whatever the model of the answer."""
    labels = estimate.labels
    same = (labels.get("secret"), labels.get("known")) == (about.secret, about.known)
    return same and (estimate.name in attributes_matches.NAMES or labels["model"] == about.model)


# --------------------------------------------------------------------------------------------------------------
# Sentences


def sentence(answer: SecretAnswer, *, secret: str = "", known: str = "") -> str:
    """Whether members are easier to guess, what the release adds, what the real data would, and what that means.

    The verdict stands on members beside others, so that comes first where there is one. ``secret`` and ``known`` are
    what these are called where not by their own names. Where a figure is missing, it says that what the release adds
    could not be measured.
    """
    secret, known, figures = secret or answer.secret, known or known_set(answer.known), _figures(answer)
    if figures is None:
        return say(
            "Knowing {known}, what the release adds for {secret} could not be measured.", known=known, secret=secret
        )
    ranked = "" if figures[2].low > 0 else _ranking_sentence(answer)
    gain = _gain(answer, secret, *figures)
    first, *rest = filter(None, (_sides(secret, answer.compared), gain, ranked, _ceiling(answer), _ratio(answer)))
    clauses = say("; ").join([say("Knowing {known}, {gain}", known=known, gain=first), *rest])
    return say("{clauses}. {meaning}", clauses=clauses, meaning=meaning(answer))


def _figures(answer: SecretAnswer) -> tuple[Estimate, Estimate, Estimate] | None:
    """What is reached without the release and with it, and the gain; None where one is missing."""
    baseline, release = answer.bar("baseline", answer.measure), answer.bar(answer.group, answer.measure)
    delta = answer.contrast("delta")
    return None if baseline is None or release is None or delta is None else (baseline, release, delta)


def _gain(answer: SecretAnswer, secret: str, baseline: Estimate, release: Estimate, delta: Estimate) -> str:
    """What the release does to the chance of a right guess."""
    what = say("the chance of guessing “{secret}”", secret=secret)
    if answer.right:
        what = say("{what} {within}", what=what, within=answer.right)
    before, after, constant = tenths(baseline.value), tenths(release.value), CONSTANT[answer.baseline, answer.measure]
    numbers = {"what": what, "before": before, "after": after, "constant": constant}
    difference = share_in_tenths(delta)
    if delta.low > 0:
        return say(
            "the release raises {what} from {before}, {constant}, to {after} (gain Δ {difference})",
            **numbers,
            difference=difference,
        )
    if delta.high < 0:
        return say(
            "guesses from the release are worse than guesses without it: {what} falls from {before}, {constant}, to "
            "{after} (gain Δ {difference})",
            **numbers,
            difference=difference,
        )
    return say(
        "the release is not shown to raise {what}: {before} without it, {constant}, and {after} with it (gain Δ "
        "{difference})",
        **numbers,
        difference=difference,
    )


def _ranking(answer: SecretAnswer) -> tuple[str, Estimate, Estimate, Estimate] | None:
    """The first measure over chance that is shown to be better than it, with what chance and the release reach by it.

    No constant guess lifts it, and it ranks people: the AUC or the balanced accuracy. Macro F1 is lifted by luck as
    well.
    """
    for measure in CHANCE:
        chance, release = answer.bar("baseline", measure), answer.bar(answer.group, measure)
        delta = answer.contrast("delta", metric=measure)
        if chance is not None and release is not None and delta is not None and delta.low > 0:
            return measure, chance, release, delta
    return None


def _ranking_sentence(answer: SecretAnswer) -> str:
    """Where the share of right guesses hides it: whether the release tells who is likelier to have a level."""
    if (ranking := _ranking(answer)) is None:
        return ""
    measure, chance, release, delta = ranking
    return say(
        "but the release raises {measure} from {before}, which is chance, to {after} (gain Δ {difference})",
        measure=TITLES[measure],
        before=f"{chance.value:.3f}",
        after=f"{release.value:.3f}",
        difference=in_thousandths(delta),
    )


def _ratio(answer: SecretAnswer) -> str:
    """How much of what the real data would add the release adds."""
    if (ratio := answer.contrast("leakage_ratio")) is not None:
        return say("the release adds {ratio} of what the real data would add (leakage ratio)", ratio=share(ratio))
    if (ranking := _ranking(answer)) is None:
        return ""
    if (ratio := answer.contrast("leakage_ratio", metric=ranking[0])) is None:
        return ""
    return say(
        "by {measure}, the release adds {ratio} of what the real data would add (leakage ratio)",
        measure=TITLES[ranking[0]],
        ratio=share(ratio),
    )


def _ceiling(answer: SecretAnswer) -> str:
    """What a model of the real data reaches."""
    ceiling = answer.bar("ceiling" if answer.group == "control" else "never in", answer.measure)
    if ceiling is None:
        return ""
    reached = tenths(ceiling.value)
    if answer.group == "members":
        return say("a model trained on the real data reaches {reached} on records it has not seen", reached=reached)
    return say("a model trained on the real data reaches {reached}", reached=reached)


def _sides(secret: str, sides: Sides) -> str:
    """Whether people who were in are easier to guess, with the number that the verdict stands on."""
    if sides.residual is None:
        return ""
    about = {"secret": secret, "residual": sides.residual}
    if sides.is_easier_anyway:
        return say(
            "“{secret}” is easier to guess of people in the data than of others, but not because of the release "
            "(residual {residual})",
            **about,
        )
    if sides.residual.low > 0:
        return say(
            "the release makes “{secret}” easier to guess of people in the data than of others (residual {residual})",
            **about,
        )
    if sides.is_harder:
        return say("“{secret}” is harder to guess of people in the data than of others (residual {residual})", **about)
    return say(
        "the release is not shown to make “{secret}” easier to guess of people in the data than of others (residual "
        "{residual})",
        **about,
    )


def meaning(answer: SecretAnswer) -> str:
    """What kind of thing leaks, without a number; empty where a figure is missing."""
    figures, sides = _figures(answer), answer.compared
    if figures is None:
        return ""
    if sides.residual is None:
        return again(outcome.NO_HOLDOUT) if answer.group == "members" else Reason("not_compared").why
    if sides.is_easier_anyway:
        return Reason("members_easier_anyway").why
    if sides.is_harder:
        return Reason("members_harder").why
    if sides.residual.low > 0:
        return say("What leaks is about the very people in the data.")
    if figures[2].low > 0 or _ranking(answer) is not None:
        return say("As far as this audit shows, what leaks is a fact about the population, not about these people.")
    return say("This audit shows no leak of this secret, neither about the population nor about these people.")


def plain(answer: SecretAnswer, *, secret: str, known: str) -> str:
    """What is owed to having been in, which is what the verdict stands on; the number stands beside it."""
    if answer.compared.residual is None:
        return ""
    if answer.is_shown:
        return say(
            "Knowing {known}, an attacker guesses “{secret}” right more often for members than for others.",
            known=known,
            secret=secret,
        )
    shares = answer.shares
    if not shares or answer.compared.residual.high < 0:
        return no_leak(secret)
    return say(
        "Knowing {known}, an attacker guesses “{secret}” {right} for {members} of members and {others} of others.",
        known=known,
        secret=secret,
        right=answer.right or say("right"),
        **shares,
    )


def no_leak(secret: str) -> str:
    """That none was found, without a number."""
    return say("No leak of “{secret}” is shown.", secret=secret)


def headline(answer: SecretAnswer) -> tuple[str, str]:
    """The clause to be read first, the reason of the verdict, and the rest."""
    whole = sentence(answer)
    end = say("{clauses}. {meaning}", clauses="", meaning="")
    if end == say("; "):  # in this language every clause is a sentence
        first, _, rest = whole.partition(end)
        return f"{first}{end}", rest
    first, _, rest = whole.partition("; ")
    return (f"{first}.", f"{rest[0].upper()}{rest[1:]}") if rest else (whole, "")


def stands_on(answer: SecretAnswer) -> str:
    """What the verdict rests on beside its residual: the planted leak, and how many were looked at."""
    planted = answer.compared.planted
    sentences = []
    if planted is not None:
        sentences.append(say("A leak planted as a control has a residual of {planted}.", planted=planted))
    if answer.looks > 1:
        sentences.append(
            say("The verdict is corrected for testing {looks} secrets and known sets.", looks=answer.looks)
        )
    return " ".join(sentences)


def models(answer: SecretAnswer, called: Callable[[str], str]) -> str:
    """Which model guessed; of several, for how many parts of the people each was chosen by the parts before."""
    if not answer.chosen:
        return called(answer.model)
    parts = sum(times for _, times in answer.chosen)
    each = (say("{model} ({times} of {parts})", model=called(name), times=n, parts=parts) for name, n in answer.chosen)
    return say("best model for each part of the people, chosen by the parts before: {models}", models=joined(each))


# What the release adds to a constant guess by each measure, beside what the real data add, and how that is read.
#
# The reading of train-on-synthetic, test-on-real (TSTR): guesses from the release near those from the real data are a
# high risk, near the constant guess a low one. It comes out the same whether or not the release was made from the very
# people it is asked about, so no verdict stands on it: verdicts stand on members beside people who were not in.


# How many people the release exposes beyond chance, in words: for the page, which may see rows, and for the report.


def title(answer: SecretAnswer) -> str:
    """How many people are exposed beyond chance, with the interval; empty where there is no number."""
    counts = _counts(answer)
    if counts is None:
        return ""
    beyond = counts[2]
    if beyond.value <= 0 <= beyond.high:
        return say("Guessed with confidence, beyond chance: at most {high:,.0f} people", high=beyond.high)
    return say("Guessed with confidence, beyond chance: {beyond} people", beyond=_count_of_people(beyond))


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
    Risk.HIGH: kept("{measure}: the release adds more than half of what the real data would add ({ratio})."),
    Risk.LOW: kept("{measure}: the release adds less than half of what the real data would add ({ratio})."),
    Risk.OPEN: kept(
        "{measure}: it is not shown whether the release adds more than half of what the real data would add ({ratio})."
    ),
}
NO_VERDICT = kept(
    "The ratio is the same with and without a leak about people, so no verdict rests on it: the verdict rests on "
    "members compared with people outside the data."
)
