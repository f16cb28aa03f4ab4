"""What the measures of attribute inference are called and mean, and what a page says before anything is guessed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import Readings, again, counted, english, kept, say
from riskkit.phrases import counted_phrase, phrase
from riskkit.show import glossary
from riskkit.stats.inference import detectable_residual
from riskkit.stats.records import level_of_each
from riskkit.wording import in_thousandths, share

# CAP, DCAP and TCAP in words: what they are, what counts where nothing matches, and what was found.

ALONE = ("matched", "cap", "dcap", "agreed", "tcap")
"""What is said of one side, in the order of a table."""
APART = {"dcap": "dcap_apart", "tcap": "tcap_apart"}
"""Of what is said of one side, the difference of members and control."""
NAMES = (*ALONE, *APART.values())
"""Every estimate of the family."""

MATCH_TITLES: Readings[str, str] = Readings(
    matched=phrase("Have a matching row"),
    cap=phrase("CAP"),
    dcap=phrase("DCAP"),
    agreed=phrase("Matching rows all agree"),
    tcap=phrase("TCAP"),
)
"""What people call what looking up shows."""
NO_MATCH: Mapping[str, str] = {
    "prior": phrase(
        "Where no row matches, the shares of the whole release count, as for somebody who looks up nothing."
    ),
    "nothing": phrase("Where no row matches, the CAP of that record is 0, which pulls CAP and DCAP down."),
}
"""What counts where no released row matches; notes of results hold it."""
EXACT = phrase(
    "CAP takes known numbers as they stand, without bins: rows match only where they are equal. With fine numbers "
    "hardly any row does, and CAP, DCAP and TCAP then say little; the share that matches says how little."
)


def beside(no_match: str, *, has_numbers: bool) -> Sequence[str]:
    """What must stand beside the numbers."""
    return [phrase("CAP: {told}", told=NO_MATCH[no_match])] + [EXACT] * has_numbers


def handling(estimates: Sequence[Estimate]) -> str:
    """What counted where nothing matches, by the name of the model that looked up."""
    way = "nothing" if any("nothing" in estimate.labels.get("model", "") for estimate in estimates) else "prior"
    return again(NO_MATCH[way])


def match_sentence(estimates: Sequence[Estimate]) -> str:
    """What looking up gives away of members, beside people who were not in; empty where nothing was looked up."""
    by_name = {(estimate.name, estimate.labels.get("tested_on", "")): estimate for estimate in estimates}
    matched, dcap = (by_name.get((name, "members")) for name in ("matched", "dcap"))
    if matched is None or dcap is None:
        return ""
    start = say(
        "{matched} of the members have a released row that agrees in all known columns. Looking the secret up "
        "there gains {dcap} over drawing from the release (DCAP)",
        matched=share(matched),
        dcap=in_thousandths(dcap),
    )
    control, apart = by_name.get(("dcap", "control")), by_name.get(("dcap_apart", ""))
    if control is None or apart is None:
        return say(
            "{told}. Whether people gain risk by being in the data cannot be said without people outside the data.",
            told=start,
        )
    return say(
        "{told}; for people outside the data, {dcap}. {owed}",
        told=start,
        dcap=in_thousandths(control),
        owed=_owed_sentence(apart, control),
    )


def _owed_sentence(apart: Estimate, control: Estimate) -> str:
    beside = say("(difference {difference})", difference=in_thousandths(apart))
    if apart.low > 0:
        return say(
            "By this measure alone, not corrected for the number of looks, looking up gains more about members "
            "{beside}.",
            beside=beside,
        )
    if apart.high < 0:
        return say("Looking up gains less about members {beside}.", beside=beside)
    fact = say(" What looking up tells is a fact about the population.") if control.low > 0 else ""
    return say("Looking up is not shown to gain more about members {beside}.{fact}", beside=beside, fact=fact)


# Secrets that were drawn at random before the training, in words.

RANDOMISED_TITLES: Readings[str, str] = Readings(
    randomised_success=phrase("Random secrets guessed rightly"),
    randomised_chance=phrase("By chance"),
    randomised_gain=phrase("Gain over chance"),
)
"""What people call the estimates of a category, in the order of a table."""
OF_NUMBERS: Mapping[str, str] = Readings(randomised_gain=phrase("Nearer than by chance (standard deviations)"))
"""What they are called for a number."""
WHAT = kept(
    "Before each training, some people get a secret drawn at random from those of all. No fact about the population "
    "can tell the draw: whoever guesses it more often than chance has learnt it from the person's own row."
)
"""What the test does, before it is chosen."""
NO_GENERATOR = kept(
    "Without a generator no secrets are drawn anew. Choose the one that made the release, if you can run it: this "
    "separates what leaks from a person's own row from what is true of everybody."
)
"""The state of the test without a generator."""


def cost_in_trainings(generator: str, trainings: int, targets: int, questions: int) -> str:
    """What the test costs, in trainings."""
    in_all = say(
        "{trainings} of {generator}",
        trainings=counted(trainings * questions, "{n:,} training", "{n:,} trainings"),
        generator=generator,
    )
    each = say(", {trainings:,} for each secret and known set", trainings=trainings) if questions > 1 else ""
    return say(
        "{in_all}{each}, each with {secrets} drawn anew.",
        in_all=in_all,
        each=each,
        secrets=counted(targets, "{n:,} secret", "{n:,} secrets"),
    )


def randomised_sentence(
    secret: str, generator: str, estimates: Sequence[Estimate], *, targets: int, is_category: bool, is_shown: bool
) -> str:
    """What was guessed of drawn secrets, and what that means. ``is_shown`` allows for all that were looked at."""
    gain = estimates[-1]
    drawn = counted_phrase(
        gain.n,
        "In {n:,} new training of {generator}, {targets:,} people had their “{secret}” drawn at random before.",
        "In {n:,} new trainings of {generator}, {targets:,} people had their “{secret}” drawn at random before.",
        generator=generator,
        targets=targets,
        secret=secret,
    )
    start = phrase("{drawn} {found}", drawn=drawn, found=_guess_sentence(estimates) if is_category else _nearer(gain))
    if is_shown:
        return phrase(
            "{told} No fact about the population can tell a draw: what leaks is a person's own row.", told=start
        )
    if gain.high <= 0:
        return phrase("{told} That a person's own row leaks is not shown.", told=start)
    if is_category:
        return phrase(
            "{told} That a person's own row leaks is not shown; a gain of up to {high:.3f} cannot be ruled out.",
            told=start,
            high=gain.high,
        )
    return phrase(
        "{told} That a person's own row leaks is not shown; a gain of up to {high:.3f} standard deviations cannot be "
        "ruled out.",
        told=start,
        high=gain.high,
    )


def _guess_sentence(estimates: Sequence[Estimate]) -> str:
    success, chance, gain = estimates
    with english():
        right, by_chance = share(success), wording.percent(chance.value)
    return phrase(
        "The draw is guessed rightly in {right} of the cases, where chance gives {by_chance} (difference {gain}).",
        right=right,
        by_chance=by_chance,
        gain=in_thousandths(gain),
    )


def _nearer(gain: Estimate) -> str:
    return phrase(
        "Guesses come nearer to the draw than chance allows by {gain} standard deviations.", gain=in_thousandths(gain)
    )


GLOSSARY: Mapping[str, str] = glossary.glossary_of("attributes")
"""The plain meaning of every number of these results."""

TITLES: Readings[str, str] = Readings(
    accuracy=phrase("Guessed rightly"),
    within=phrase("Within the tolerance"),
    balanced_accuracy=phrase("Balanced accuracy"),
    macro_f1=phrase("Macro F1"),
    auc=phrase("AUC"),
    log_loss=phrase("Log loss"),
    r2=phrase("R²"),
    mae=phrase("Mean error"),
)
"""What people call a measure, in the order of a table."""
CONTRASTS: Readings[str, str] = Readings(
    delta=phrase("Gain over the baseline (Δ)"),
    residual=phrase("Residual risk of being in the data"),
    attributable=phrase("Due to being in the data"),
    leakage_ratio=phrase("Leakage ratio"),
    difference=phrase("Members minus control"),
)
"""What people call a comparison, in the order of a table."""
SAID: Mapping[str, str] = Readings(
    {
        "baseline": kept("Baseline: one guess for everybody"),
        "control": kept("Others: people outside the data (control)"),
        "members": kept("Members"),
        "ceiling": kept("Ceiling: learnt from the real data"),
        "other baseline": kept("The other baseline"),
        "prior draws": kept("Draws from the release"),
        "never in": kept("Members, by a model that never saw them"),
    }
)
"""What a side is, in a few words."""

RATIOS = ("accuracy", "within", "auc", "balanced_accuracy", "macro_f1")
"""Measures that have a leakage ratio, those a gain by chance cannot lift first."""
OVER: Mapping[str, str] = Readings(
    {
        "tested": kept("most frequent (or median) of the people tested"),
        "released": kept("most frequent (or median) of the released rows"),
        "chance": kept("chance"),
    }
)
"""What a gain is over."""
RISK: Mapping[str, str] = Readings(
    {
        "high": phrase("more than half"),
        "low": phrase("less than half"),
        "open": phrase("neither is shown"),
        "luck": phrase("not read: guesses drawn at random gain too"),
        "": phrase("no ratio"),
    }
)
"""How a leakage ratio reads by itself."""
CONSTANT: Mapping[tuple[str, str], str] = Readings(
    {
        ("tested", "accuracy"): kept("the most frequent level of the people tested"),
        ("released", "accuracy"): kept("the most frequent level of the released rows"),
        ("tested", "within"): kept("the median of the people tested"),
        ("released", "within"): kept("the median of the released rows"),
    }
)
"""The constant guess of a category and of a number, in a sentence."""

MARKED: Mapping[str, str] = Readings(
    delta=phrase("▲: the whole interval lies above 0; it is not corrected for several tests."),
    residual=phrase("▲: the whole interval lies above 0, even corrected for testing every field."),
)
"""What the sign in a field of the sweep says."""

LIMITS = (
    kept("The result is about this one file and the models that were used. A stronger model may guess more."),
    kept(
        "A gain that control and members share is a fact about the population: it also holds for people who were never "
        "in."
    ),
    kept("The residual averages over people: a few may be exposed where the average is not."),
    kept("The result holds only if the holdout was drawn like the real table."),
    kept("The attacker is taken to know the known columns exactly. An attacker who knows them roughly guesses less."),
)
"""What such a result does not show."""

WITHOUT_HOLDOUT = kept(
    "No holdout is loaded. What the release lets anyone guess about the people in it can be shown beside the "
    "baseline, but not whether they are easier to guess because they are in the data: that takes people outside "
    "the data."
)
"""What can be done before a holdout is there."""

BEST_TITLE = phrase("The best model")
BEST = kept(
    "Every model guesses. For each fifth of the people the model counts that tells members from others best in the "
    "fifths before it; the first fifth only chooses. So nobody has a say in the choice of their own model. It takes as "
    "long as all models together. Without a holdout it is the model that guesses released rows best."
)
"""The entry of the menu of models that is none of them."""


def could_show(n_in: int, n_out: int, looks: int, level: float) -> str:
    """What so many people can show, before anything is run."""
    if not n_out:
        return say(
            "{records} of members, and none of others: the residual cannot be measured.",
            records=counted(n_in, "{n:,} record", "{n:,} records"),
        )
    detectable = detectable_residual(n_in, n_out, 0.5, alpha=(1 - level_of_each(level, looks)) / 2)
    return say(
        "{people}: 8 of 10 audits detect a residual of {found:.2f} or more if half of the people are guessed rightly "
        "anyway; if more are, only a larger residual is detected.",
        people=_people(n_in, n_out, looks),
        found=detectable,
    )


def shows(n_in: int, n_out: int, looks: int, residual: float) -> str:
    """The same where a trial has told how many are guessed rightly anyway."""
    if residual >= 1:
        return say(
            "{people}: no residual can be shown. Too many are guessed rightly anyway, or there are too few records.",
            people=_people(n_in, n_out, looks),
        )
    return say(
        "{people}: 8 of 10 audits detect a residual of {residual:.2f} or more, if as many are guessed rightly anyway "
        "as in a trial on a few rows.",
        people=_people(n_in, n_out, looks),
        residual=residual,
    )


def _people(n_in: int, n_out: int, looks: int) -> str:
    people = say("{n_in:,} members' records and {n_out:,} of others", n_in=n_in, n_out=n_out)
    return people + (say(", asked about {looks:,} secrets and known sets", looks=looks) if looks > 1 else "")


def asks(columns: int, sets: int) -> str:
    """What a sweep asks, before it is chosen."""
    return say(
        "{columns} × {sets}: {questions} in all",
        columns=counted(columns, "{n:,} column", "{n:,} columns"),
        sets=counted(sets, "{n:,} known set", "{n:,} known sets"),
        questions=counted(columns * sets, "{n:,} question", "{n:,} questions"),
    )
