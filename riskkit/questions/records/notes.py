"""What must be said beside the numbers of many records."""

from __future__ import annotations

import numpy as np

from riskkit.core import Ints
from riskkit.phrases import phrase
from riskkit.questions import second_table
from riskkit.questions.records.plan import RecordsPlan
from riskkit.stats.campaign import Many
from riskkit.stats.intervals import hoeffding


def bound_note(plan: RecordsPlan, bound: float | None) -> tuple[str, ...]:
    """What stands in the place of certificates, where nobody has one."""
    if bound is None:
        return ()
    return (
        phrase(
            "What the best attack on each record reaches is not known for {generator!r}. What its noise allows is: no "
            "attack on any record has an AUC above {bound:.3f}. This bound is the same for every record.",
            generator=plan.generator,
            bound=bound,
        ),
    )


def notes_of(plan: RecordsPlan, first: Many, copies: Ints, rows_each: Ints | None = None) -> tuple[str, ...]:
    """The sentences, in their order."""
    notes: list[str] = [second_table.NOTE] * plan.second_table
    if rows_each is not None and plan.together:
        notes.append(
            phrase(
                "{rows:,} rows were played as one group, in or out together. It is named by the number of its first "
                "row, and stands out by the sum over its rows.",
                rows=int(rows_each.sum()),
            )
        )
    elif rows_each is not None:
        notes.append(
            phrase(
                "{people:,} people were played, each in or out with all of their rows, {most} at most. A person is "
                "named by the number of the first of their rows, and stands out by the sum of theirs.",
                people=len(rows_each),
                most=int(rows_each.max()),
            )
        )
    if copies.any() and rows_each is not None:
        notes.append(
            phrase(
                "{equal:,} of {people:,} people have the same rows as somebody who stays in both worlds. The game then "
                "asks whether one person more was there, not whether this one was.",
                equal=int(np.count_nonzero(copies)),
                people=len(copies),
            )
        )
    elif copies.any():
        notes.append(
            phrase(
                "{equal:,} of {records:,} records have an equal row that stays in both worlds. The game then "
                "asks whether one row more was there, not whether the person was.",
                equal=int(np.count_nonzero(copies)),
                records=len(copies),
            )
        )
    if silent := int((~first.decided()).sum()):
        notes.append(
            phrase(
                "Of {silent:,} records every release gave the same score, so nothing is said of them: neither a "
                "leak nor its absence.",
                silent=silent,
            )
            if rows_each is None
            else phrase(
                "Of {silent:,} people every release gave the same score, so nothing is said of them: neither a "
                "leak nor its absence.",
                silent=silent,
            )
        )
    if first.inside.shape[1] and first.outside.shape[1]:
        notes.append(
            phrase(
                "Of one record, the rate of misses lies within {misses:.4f} of the true one and the rate of false "
                "alarms within {alarms:.4f}, in {level:.0%} of games each, from {inside:,} counted trainings with it "
                "and {outside:,} without (half-width of Propositions 1 and 2 of Krčo and others).",
                misses=hoeffding(first.inside.shape[1], plan.level),
                alarms=hoeffding(first.outside.shape[1], plan.level),
                level=plan.level,
                inside=first.inside.shape[1],
                outside=first.outside.shape[1],
            )
        )
    if plan.screen:
        notes.append(
            phrase(
                "Everyone was looked at with {trainings} trainings a side; whoever was not shown to be below "
                "{limit:g} was played on, and has numbers from fresh trainings alone.",
                trainings=plan.screen,
                limit=plan.screen_limit,
            )
        )
    return tuple(notes)
