"""What must be said beside the numbers of one secret and known set."""

from __future__ import annotations

from collections.abc import Sequence

from riskkit.games.attribute import MEMBERS, RELEASE, AttributeArms
from riskkit.phrases import phrase
from riskkit.questions.attributes.groups import ByColumn

MOST_LEVELS = 200
"""Secrets with more levels get no figure that is a mean over levels."""


def _left_out(name: str, count: int) -> str:
    """So many rows of the release, of the members or of the control."""
    if name == RELEASE:
        return phrase("{count:,} of the release", count=count)
    return (
        phrase("{count:,} of the members", count=count)
        if name == MEMBERS
        else phrase("{count:,} of the control", count=count)
    )


def beside_numbers(answers: AttributeArms, groups: Sequence[ByColumn]) -> list[str]:
    """What else a reader must know."""
    notes: list[str] = []
    if any(answers.left_out.values()):
        counts = tuple(_left_out(name, count) for name, count in answers.left_out.items() if count)
        notes.append(
            phrase(
                "Rows without a value of {secret!r} were neither learnt from nor asked about: {counts}.",
                secret=answers.secret,
                counts=counts,
            )
        )
    matched = answers.arm(RELEASE, MEMBERS).matched
    if matched is not None and not matched.all():
        notes.append(
            phrase(
                "Of {members:,} members {unmatched:,} have no row in the release that agrees in all known "
                "columns when {secret!r} is guessed.",
                members=len(matched),
                unmatched=int((~matched).sum()),
                secret=answers.secret,
            )
        )
    if answers.n_levels > MOST_LEVELS:
        notes.append(
            phrase(
                "{secret!r} has more than {most} levels; figures that are means over levels are left out.",
                secret=answers.secret,
                most=MOST_LEVELS,
            )
        )
    small = [(group.by, group.refused) for group in groups if group.refused]
    notes += [
        phrase(
            "{count:,} groups by {by!r} have too few people for an estimate of {secret!r}.",
            count=count,
            by=by,
            secret=answers.secret,
        )
        for by, count in small
    ]
    return notes
