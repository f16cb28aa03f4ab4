"""A table drawn from the real one: the same person among other people, to see how much of a risk is the table's."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from riskkit.core import Ints
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.records.people import as_group, at_play_of_people, crowd_of
from riskkit.questions.records.plan import RecordsPlan
from riskkit.seeds import stream
from riskkit.table.load import Tables


def at_play(tables: Tables, plan: RecordsPlan) -> tuple[Tables, Ints]:
    """The tables that the plan is played on, and for each row of theirs which row of the real table it is.

    A group of rows is one person in them. Where the plan draws a table, the named records come first, and the rows that
    were not drawn are the holdout. Nobody who is drawn equals one of the named.

    Raises
    ------
    DesignError
        There are too few rows to draw from, or a named one is not there.
    """
    tables, real = as_group(tables, plan), tables.real
    if not plan.people:
        return tables, np.arange(len(real))
    if crowd_of(tables) is not None:
        return at_play_of_people(tables, plan)
    named = plan.choose(real, np.zeros(len(real)))
    keys = real.keys()
    others = np.flatnonzero(~np.isin(keys, keys[named]))
    wanted = plan.people - len(named)
    if not 0 < wanted < len(others):
        raise DesignError(
            phrase(
                "A table of {people:,} people is to be drawn, {named:,} of them named, and the real table has "
                "{others:,} others. Draw a table with more people than are named and fewer than there are.",
                people=plan.people,
                named=len(named),
                others=len(others),
            )
        )
    order = stream(plan.seed, "records", "table", plan.draw).permutation(others)
    rows = np.concatenate([named, np.sort(order[:wanted])])
    return replace(tables, real=real.rows(rows), holdout=real.rows(np.sort(order[wanted:]))), rows


def drawn_note(plan: RecordsPlan, total: int) -> tuple[str, ...]:
    """What must be said of a table that was drawn from one of so many rows."""
    if not plan.people:
        return ()
    sentence = phrase(
        "Played on table {table} of {people:,} people drawn from the {rows:,} rows of the real table, "
        "the named among them; the others were the holdout. Another table gives another risk.",
        table=plan.draw,
        people=plan.people,
        rows=total,
    )
    return (sentence,)
