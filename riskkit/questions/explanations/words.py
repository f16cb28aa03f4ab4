"""What the figures of explanation audits are called and mean, and what a page says before anything is run."""

from __future__ import annotations

from collections.abc import Mapping

from riskkit import wording
from riskkit.explain import local
from riskkit.language import Readings, counted, phrase, say
from riskkit.questions.explanations.plan import NONE, SYNTHETIC, ExplanationPlan
from riskkit.show import glossary
from riskkit.stats.power import detectable_gain
from riskkit.stats.records import level_of_each

GLOSSARY: Mapping[str, str] = glossary.glossary_of("explanations")
"""The plain meaning of every number of these results."""

MEASURES: Readings[str, str] = Readings(success_rate=phrase("Recovered"), mae=phrase("Mean error"))
"""What people call a measure."""
GAINS: Readings[str, str] = Readings(
    success_rate_gain=phrase("Recovered beyond guessing"),
    mae_gain=phrase("Mean error beyond guessing"),
)
"""And what an attacker reaches beyond a guess."""
GUESSES: Mapping[str, str] = Readings(
    constant_median=phrase("The median for everybody"),
    constant_mode=phrase("The most frequent value for everybody"),
    empirical=phrase("Drawn from other people (RG-E)"),
    uniform=phrase("Drawn from the whole range (RG-U)"),
    normal=phrase("Drawn around the middle (RG-N)"),
)
"""Guesses that look at no explanation."""
ASSOCIATIONS: Mapping[str, str] = Readings(
    correlation_ratio=phrase("correlation ratio η²"),
    cramers_v=phrase("Cramér's V"),
    squared_correlation=phrase("squared correlation"),
)
"""How association is measured, by the kinds of the two columns."""
RATES = wording.choices(ExplanationPlan, "optimisers")
"""Where the learning rates of compared optimisers come from."""
EXPLAINERS = wording.choices(ExplanationPlan, "explainer")
"""How the published values are found."""
OFFERED = ("permutation", "auto", "shap", "shap-permutation", "shap-kernel", *local.EXPLAINERS)
"""Those of the page: one that says nothing of the chosen model is refused there."""
METHODS: Mapping[str, str] = Readings(
    linear=phrase("in closed form"),
    trees=phrase("exactly, from the trees"),
    exact=phrase("exactly, by every set of inputs"),
    permutation=phrase("from sampled orders"),
)
"""How our own values are found."""
LIMITS = (
    phrase("The result is about this service and the attackers that were used. A stronger attacker may recover more."),
    phrase("The victims were not among the rows the model learnt from; those may be easier to recover."),
    phrase("Attackers with data hold rows of the same population, drawn at random from yours."),
    phrase("The constant guess is that of the attacker's own rows. What population figures alone tell is part of it."),
    phrase("An attacker is taken to know the columns, their ranges and how they are encoded."),
)
"""What such a result does not show."""


def change_title(defence: str) -> str:
    """What people call no defence, or a service that was set up otherwise; empty for a defence of its own."""
    if defence == NONE:
        return say("no defence")
    if defence == SYNTHETIC:
        return say("the model trained on the release")
    setting, _, count = defence.partition("=")
    if setting == "references":
        return counted(int(count), "{n:,} reference row", "{n:,} reference rows")
    if setting == "permutations":
        return counted(int(count), "{n:,} sampled order", "{n:,} sampled orders")
    return ""


def could_show(victims: int, looks: int, level: float) -> str:
    """What so many victims can show, before they are attacked."""
    gain = detectable_gain(victims, alpha=(1 - level_of_each(level, looks)) / 2)
    return say(
        "{victims}: 8 of 10 audits detect a gain of {gain:.2f} or more over the constant guess in one input, allowing "
        "for all inputs and attackers. Where models differ much, only a larger gain is detected.",
        victims=counted(victims, "{n:,} victim", "{n:,} victims"),
        gain=gain,
    )
