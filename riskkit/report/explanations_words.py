"""What the figures of explanation audits are called and mean, and what a page says before anything is run."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit.report import words
from riskkit.stats.power import detectable_gain
from riskkit.stats.records import level_of_each

GLOSSARY: Mapping[str, str] = {
    "success_rate": (
        "The share of values that are recovered: the very category, or a number within the tolerance of its column's "
        "range, after decoding to valid values."
    ),
    "mae": "How far off an answer is on average, as a share of the column's range. 0.00 is exact; less is better for "
    "the attacker.",
    "acceptance": (
        "The share of answers the attacker without data stands by. Luo and others print it as “success rate”; it says "
        "nothing of being right."
    ),
    "accepted_mae": "The mean error of the answers the attacker stands by.",
    "rank_correlation": "How alike the published values rank the inputs of a person to the exact ones. 1.00: the same.",
    "top_three": "Of the three inputs that weigh most, the share that readers still see among their three.",
    "constant": (
        "The same guess for everybody: the median, best for the error, or the most frequent value, best for the rate. "
        "An attack that does not beat it recovers nothing from the explanations."
    ),
    "association": "How much a column has to do with the target, from 0 (nothing) to 1 (it decides it).",
    "rows": "Other people's rows with their explanations, or made-up rows the attacker sends to the service itself.",
    "references": "Rows that every answer is compared with. With a single one, a value of 0 means equal to that row.",
}
"""The plain meaning of every number of these results."""

MEASURES: Mapping[str, str] = {"success_rate": "Recovered", "mae": "Mean error"}
"""What people call a measure."""
GUESSES: Mapping[str, str] = {
    "constant_median": "The median for everybody",
    "constant_mode": "The most frequent value for everybody",
    "empirical": "Drawn from other people (RG-E)",
    "uniform": "Drawn from the whole range (RG-U)",
    "normal": "Drawn around the middle (RG-N)",
}
"""Guesses that look at no explanation."""
ASSOCIATIONS: Mapping[str, str] = {
    "correlation_ratio": "correlation ratio η²",
    "cramers_v": "Cramér's V",
    "squared_correlation": "squared correlation",
}
"""How association is measured, by the kinds of the two columns."""
RATES: Mapping[str, str] = {
    "papers": "The papers' rates",
    "equal": "Equal rates (0.001)",
    "tuned": "Tuned rates",
}
"""Where the learning rates of compared optimisers come from."""
LIMITS = (
    "It speaks of this service and of the attackers that were played. A stronger attacker may recover more.",
    "The victims were not among the rows the model learnt from; those may be easier to recover.",
    "Attackers with data hold rows of the same population, drawn at random from yours.",
    "The constant guess is that of the attacker's own rows. What population figures alone tell is part of it.",
    "An attacker is taken to know the columns, their ranges and how they are encoded.",
)
"""What such a result does not show."""


def could_show(victims: int, looks: int, level: float) -> str:
    """What so many victims can show, before they are attacked."""
    gain = detectable_gain(victims, alpha=(1 - level_of_each(level, looks)) / 2)
    return (
        f"{words.plural(victims, 'victim')}: a gain of {gain:.2f} or more over the constant guess in one input shows "
        "itself in 8 of 10 audits, allowing for all inputs and attackers. Where models differ much it takes more."
    )
