"""What a release keeps of its real table: each column, pairs of columns, a model; beside what other people have alike.

Whoever says nothing is always safe, so the risks of a release stand beside its use. The measures are those of
``riskkit/utility``; 1 is all that there is to keep. People who were drawn like the real ones have less, by chance.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from riskkit import registry
from riskkit.core import Estimate, Table
from riskkit.errors import RiskkitError
from riskkit.language import Readings, joined, phrase, say
from riskkit.seeds import stream
from riskkit.show.blocks import Axis, Dots, Series
from riskkit.table.load import Tables
from riskkit.table.usefulness import ComparedTables, TreeQuestion
from riskkit.utility.trees import tree_agreement
from riskkit.wording import COUNTED

ROWS: Mapping[str, str] = Readings(
    histogram=phrase("Each column"),
    pairs=phrase("Pairs of columns"),
    trees=phrase("A decision tree"),
)
"""The measures, and what people call what they measure."""
MOST = 10_000
"""Rows of a table that are compared: more change no digit that is shown."""
DEPTH, TRIED, LEAST = 5, 12, 0.05
"""How deep a tree is, among how many columns its question is chosen, and what it must have learnt."""
SIDES = 2
"""The release and other people, where both are measured."""
LESS = 0.02
"""From how much less than other people have the release is said to have less."""
Kept = dict[str, list[float | None]]
"""By measure what the release has, and what other people have, None where it is not known."""


def measure_usefulness(tables: Tables) -> Kept:
    """The numbers of the release and of the holdout, each beside the real table; none without a release."""
    if tables.synthetic is None:
        return {}
    real, release = _some(tables.real), _some(tables.synthetic)
    if tables.holdout is None or len(tables.holdout) < SIDES:  # nobody is left whom a tree could be tried on
        return {name: [_number(name, ComparedTables(release, real, real))] for name in ROWS}
    others = _some(tables.holdout)
    learn, test = (others.rows(np.arange(start, len(others), 2)) for start in (0, 1))
    asked = _questions(real, learn, test)
    return {
        name: [
            _number(name, ComparedTables(table, real, test, asked))
            for table in (release, learn if name == "trees" else others)
        ]
        for name in ROWS
    }


def _questions(real: Table, learn: Table, test: Table) -> tuple[TreeQuestion, ...]:
    """What a tree learns best of the real table: is somebody at that level of that column?

    Trees of the real table and of other people then answer alike, and one of columns that were shuffled apart does
    not. Of each column the level that the most nearly half of the people have is tried; none where nothing is learnt.
    """
    rng = stream(0, "usefulness")
    apart = Table(real.schema, rng.permuted(real.codes, axis=0), rng.permuted(real.numbers, axis=0))
    best: tuple[TreeQuestion, ...] = ()
    most = LEAST
    for place, column in enumerate(real.schema.categorical[:TRIED]):
        shares = np.bincount(real.codes[:, place], minlength=len(column.levels)) / len(real)
        asked = TreeQuestion(column.name, column.levels[int(np.abs(shares - 0.5).argmin())], DEPTH)
        alike, torn = (tree_agreement(table, real, test, asked).f for table in (learn, apart))
        if alike - torn > most:
            best, most = (asked,), alike - torn
    return best


def _some(table: Table) -> Table:
    """Its rows; of very many so many, evenly spread over it."""
    return table if len(table) <= MOST else table.rows(np.linspace(0, len(table) - 1, MOST).astype(np.int64))


def _number(name: str, compared: ComparedTables) -> float | None:
    try:
        value = registry.make("utility", name).measure(compared)
    except RiskkitError:  # nothing to compare by it: another column or level than it asks about
        return None
    return None if value is None else float(value)


def draw_usefulness(kept: Kept) -> Dots | None:
    """The numbers as one picture; None where nothing could be compared."""
    there = [name for name in ROWS if any(value is not None for value in kept.get(name, ()))]
    if not there:
        return None
    sides = [
        Series(who, kind, tuple(_estimate(name, kept[name][place]) for name in there))
        for place, (who, kind) in enumerate(((say("the release"), "measured"), (say("other people"), "compared")))
        if place < len(kept[there[0]])
    ]
    axis = Axis(say("agreement with the real table"), (0.0, 1.0))
    rows = tuple(ROWS[name] for name in there)
    return Dots("usefulness", _sentence({name: kept[name] for name in there}), axis, rows, tuple(sides))


def _sentence(kept: Kept) -> str:
    """Whether the release is as like the real table as a table of other people is, and else in what it is less so."""
    sides = {name: values for name, values in kept.items() if len(values) == SIDES}
    gaps = {name: own - other for name, (own, other) in sides.items() if own is not None and other is not None}
    if not gaps:
        return say("What the release keeps of the real table")
    less = [ROWS[name] for name, gap in gaps.items() if gap < -LESS]
    if less:
        return say("The release is less like the real table than a table of other people is: {less}", less=joined(less))
    return say("On average, the release is as much like the real table as a table of other people is")


def _estimate(name: str, value: float | None) -> Estimate | None:
    return None if value is None else Estimate(name, value, value, value, 0.95, COUNTED, 1)
