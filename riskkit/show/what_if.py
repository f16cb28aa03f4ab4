"""The labels of what-ifs: questions about something that is not known to have made this release."""

from __future__ import annotations

from riskkit.language import counted, say


def if_made_by(method: str) -> str:
    """The label of a what-if: ``If it had been made by Bayesian network``."""
    return say("If it had been made by {method}", method=method)


def if_released(releases: int) -> str:
    """The label of a game with another number of releases of the table than there are, or from other fits."""
    return counted(
        releases,
        "If this table had been released once",
        "If this table had been released {n:,} times, from fits as in this game",
    )


IF_OTHERS = say("If other people had been in the table")
"""The label of a game with the method of the release on tables that are drawn."""


def if_explained(model: str) -> str:
    """The label of a what-if on explanations, which no release holds."""
    return say("If a service published explanations of {model}", model=model)
