"""What the measures of attribute inference are called and mean, and what a page says before anything is guessed."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.report import words
from riskkit.stats.records import level_of_each
from riskkit.stats.sides import detectable_residual

GLOSSARY: Mapping[str, str] = {
    "accuracy": "The share of people whose secret is guessed rightly.",
    "within": "The share of people whose number is guessed within the tolerance.",
    "balanced_accuracy": "The share guessed rightly of each level, then the mean: rare levels count like common ones.",
    "macro_f1": "How well naming a level hits those who have it and spares those who do not; mean over the levels.",
    "auc": (
        "Shown one person who has a level and one who has not, how often the right one gets the higher probability; "
        "mean over the levels. 0.50 is guessing."
    ),
    "log_loss": "How surprised the attacker is by the truth (natural logarithm). Less is better for the attacker.",
    "r2": "The share of the spread of the number that is explained. 0 is no better than its mean.",
    "mae": "How far off a guess is on average, in the unit of the column. Less is better for the attacker.",
    "delta": "How much better guesses from the release are than the baseline, on the same people. 0.00 is no better.",
    "residual": (
        "Of what is not guessed about people who were not in, the share that is guessed because one was in. 0.00: "
        "people in the data are no easier to guess than others; 1.00: all that could leak does."
    ),
    "difference": "How many more of the people who were in are guessed rightly than of those who were not.",
    "attributable": "Of the right guesses about members, the share that would not be right had they not been in.",
    "leakage_ratio": (
        "How much of what a model of the real data adds to the baseline a model of the release adds too. Near 1.00 is "
        "usefulness; it is the same with and without a leak about people."
    ),
    "record": "One person asked about; equal rows are one record. Intervals count records: the release stays as it is.",
    "baseline": "What is guessed without any known column: the most frequent level, or the median, of the release.",
    "exposed": (
        "Guessed rightly and surely from the release, but neither by the baseline nor by a model of real people that "
        "never saw this one."
    ),
}
"""The plain meaning of every number of these results."""

TITLES: Mapping[str, str] = {
    "accuracy": "Guessed rightly",
    "within": "Within the tolerance",
    "balanced_accuracy": "Balanced accuracy",
    "macro_f1": "Macro F1",
    "auc": "AUC",
    "log_loss": "Log loss",
    "r2": "R²",
    "mae": "Mean error",
}
"""What people call a measure, in the order of a table."""
CONTRASTS: Mapping[str, str] = {
    "delta": "Gain over the baseline",
    "residual": "Residual risk of being in",
    "attributable": "Owed to having been in",
    "leakage_ratio": "Leakage ratio",
    "difference": "Members minus control",
}
"""What people call a comparison, in the order of a table."""
SAID: Mapping[str, str] = {
    "baseline": "Baseline: without known columns",
    "control": "Control: people who were not in",
    "members": "Members: people who were in",
    "ceiling": "Ceiling: learnt from the real data",
    "prior draws": "Draws from the release",
    "never in": "Members, by a model that never saw them",
}
"""What a side is, in a few words."""

MARKED: Mapping[str, str] = {
    "delta": "▲: the interval lies wholly above 0, for one look each.",
    "residual": "▲: the interval lies wholly above 0, also when it is allowed for that every field was looked at.",
}
"""What the sign in a field of the sweep says."""

LIMITS = (
    "It speaks of this one file and of the models that were played. A stronger model may guess more.",
    (
        "A gain over the baseline that control and members share is a fact about the population: it holds of people "
        "who were never in, and whoever takes it away takes the use of the data away with it."
    ),
    "The residual averages over people: a few may be exposed where the average is not.",
    "It holds only where the holdout was drawn like the real table.",
    "It takes the known columns to be known exactly. An attacker who knows them roughly guesses less.",
)
"""What such a result does not show."""

WITHOUT_HOLDOUT = (
    "No holdout is loaded. What the release lets anyone guess about the people in it can be shown beside the baseline, "
    "but not whether they are easier to guess for having been in: that takes people who were not."
)
"""What can be done before a holdout is there."""

BEST_TITLE = "The strongest on the release"
BEST = (
    "Every model guesses released rows it has not seen; the one that does best asks about people. Nothing is chosen by "
    "the answers. It takes as long as all models together, and the best guess of the population is not always the one "
    "that remembers most."
)
"""The entry of the menu of models that is none of them."""


def could_show(n_in: int, n_out: int, looks: int, level: float) -> str:
    """What so many people can show, before anything is run."""
    if not n_out:
        return f"{words.plural(n_in, 'record')} that were in, and nobody who was not: the residual cannot be had."
    found = detectable_residual(n_in, n_out, 0.5, alpha=(1 - level_of_each(level, looks)) / 2)
    return (
        f"{_people(n_in, n_out, looks)}: a residual of {found:.2f} or more shows itself in 8 of 10 audits where half "
        "of the people are guessed rightly anyway; where more are, it takes a larger one."
    )


def shows(n_in: int, n_out: int, looks: int, residual: float) -> str:
    """The same where a trial has told how many are guessed rightly anyway."""
    if residual >= 1:
        return (
            f"{_people(n_in, n_out, looks)}: no residual can be shown. Too many are guessed rightly anyway, or there "
            "are too few records."
        )
    return (
        f"{_people(n_in, n_out, looks)}: a residual of {residual:.2f} or more shows itself in 8 of 10 audits, if as "
        "many are guessed rightly anyway as in a trial on a few rows."
    )


def _people(n_in: int, n_out: int, looks: int) -> str:
    told = f"{n_in:,} records that were in and {n_out:,} that were not"
    return told + (f", asked about {looks:,} secrets and known sets" if looks > 1 else "")


def asks(columns: int, sets: int) -> str:
    """What a sweep asks, before it is chosen."""
    return (
        f"{words.plural(columns, 'column')} × {words.plural(sets, 'known set')}: "
        f"{words.plural(columns * sets, 'question')} in all"
    )
