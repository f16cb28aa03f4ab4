"""What the measures of attribute inference are called and mean, and what a page says before anything is guessed."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.language import Readings, counted, kept, say
from riskkit.show import glossary
from riskkit.stats.inference import detectable_residual
from riskkit.stats.records import level_of_each

GLOSSARY: Mapping[str, str] = glossary.of("attributes")
"""The plain meaning of every number of these results."""

TITLES: Mapping[str, str] = {
    "accuracy": say("Guessed rightly"),
    "within": say("Within the tolerance"),
    "balanced_accuracy": say("Balanced accuracy"),
    "macro_f1": say("Macro F1"),
    "auc": say("AUC"),
    "log_loss": say("Log loss"),
    "r2": say("R²"),
    "mae": say("Mean error"),
}
"""What people call a measure, in the order of a table."""
CONTRASTS: Mapping[str, str] = {
    "delta": say("Gain over the baseline (Δ)"),
    "residual": say("Residual risk of being in the data"),
    "attributable": say("Due to being in the data"),
    "leakage_ratio": say("Leakage ratio"),
    "difference": say("Members minus control"),
}
"""What people call a comparison, in the order of a table."""
SAID: Mapping[str, str] = Readings(
    {
        "baseline": kept("Baseline: without known columns"),
        "control": kept("Control: people who were not in"),
        "members": kept("Members: people who were in"),
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
RISK: Mapping[str, str] = {
    "high": say("high risk"),
    "low": say("low risk"),
    "open": say("neither is shown"),
    "luck": say("not read: guesses drawn at random gain too"),
    "": say("no ratio"),
}
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

MARKED: Mapping[str, str] = {
    "delta": say("▲: the whole interval lies above 0; it does not allow for several looks."),
    "residual": say("▲: the whole interval lies above 0, even if it allows for a look at every field."),
}
"""What the sign in a field of the sweep says."""

LIMITS = (
    kept("The result is about this one file and the models that were played. A stronger model may guess more."),
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
    "No holdout is loaded. What the release lets anyone guess about the people in it can be shown beside the baseline, "
    "but not whether they are easier to guess because they were in: that takes people who were not."
)
"""What can be done before a holdout is there."""

BEST_TITLE = say("The best model")
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
            "{records} that were in, and nobody who was not: the residual cannot be measured.",
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
    people = say("{n_in:,} records that were in and {n_out:,} that were not", n_in=n_in, n_out=n_out)
    return people + (say(", asked about {looks:,} secrets and known sets", looks=looks) if looks > 1 else "")


def asks(columns: int, sets: int) -> str:
    """What a sweep asks, before it is chosen."""
    return say(
        "{columns} × {sets}: {questions} in all",
        columns=counted(columns, "{n:,} column", "{n:,} columns"),
        sets=counted(sets, "{n:,} known set", "{n:,} known sets"),
        questions=counted(columns * sets, "{n:,} question", "{n:,} questions"),
    )
