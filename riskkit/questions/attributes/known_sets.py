"""What an attacker knows of a person beside a secret: sets of columns, as they are written, read and named."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from riskkit.core import Schema
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.refusals import no_known_set
from riskkit.table.features import beside
from riskkit.table.load import Tables
from riskkit.table.people.folded import folded, values_of

KnownSet = str | tuple[str, ...]
"""``others``, ``greedy:3``, all columns of one of two tables, or the columns by name."""
OTHERS, GREEDY = "others", "greedy:"
FIRST, SECOND = "first-table", "second-table"
"""What is known are all columns of the first table, or all summaries of the second."""
WHOLE = {
    OTHERS: phrase("all other columns"),
    FIRST: phrase("all other columns of the first table"),
    SECOND: phrase("all summaries of the second table"),
}
"""Known sets that name no column, and what they are called."""
MOST_LEVELS = 20
"""A form offers a row with a value of the second table where its column has at most so many."""
_SHORT = 6


def known_from(text: str) -> KnownSet:
    """The known set in ``others``, ``greedy:3`` or ``age,sex,"a, b"`` (a column with a comma stands in quotes).

    Raises
    ------
    DesignError
        No column is named.
    """
    if text.strip() in WHOLE or text.strip().startswith(GREEDY):
        return _readable(text.strip())
    names = next(csv.reader([text], skipinitialspace=True), [])
    return _readable(tuple(name.strip() for name in names if name.strip()))


def _readable(known: KnownSet) -> KnownSet:
    """The known set, each column once; :class:`DesignError` where it is none."""
    if isinstance(known, str):
        if known not in WHOLE and not re.fullmatch(rf"{GREEDY}[1-9][0-9]?", known):
            raise DesignError(no_known_set(known))
        return known
    if not known:
        raise DesignError(phrase("A known set names no column; name at least one, or write 'others'."))
    return tuple(dict.fromkeys(known))


def columns_read(plan: Mapping[str, Any]) -> list[str] | None:
    """The columns that a plan, as it is kept, looks at: what is known and what is guessed; None where those are all."""
    if not plan["secrets"] or any(isinstance(known, str) for known in plan["known"]):
        return None
    return [*plan["secrets"], *(name for known in plan["known"] for name in known)]


def written(known: KnownSet) -> str:
    """What :func:`known_from` reads."""
    if isinstance(known, str):
        return known
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(known)
    alone = out.getvalue()
    return f"{alone}," if len(known) == 1 and (alone in WHOLE or alone.startswith(GREEDY)) else alone


def known_sets(known: tuple[KnownSet, ...]) -> tuple[KnownSet, ...]:
    """Every set as it is kept."""
    return tuple(_readable(known_set) for known_set in known)


def known_words(known: KnownSet) -> str:
    """A known set in a few words."""
    if isinstance(known, str) and known in WHOLE:
        return str(WHOLE[known])
    if isinstance(known, str):
        return f"the worst {known.removeprefix(GREEDY)}"
    if len(known) > _SHORT:
        return f"{', '.join(known[: _SHORT - 2])} and {len(known) - _SHORT + 2} more"
    return ", ".join(known)


def greedy_size(known: KnownSet) -> int:
    """How many columns a greedy set has; 0 for another."""
    return int(known.removeprefix(GREEDY)) if isinstance(known, str) and known.startswith(GREEDY) else 0


def columns_of(schema: Schema, secret: str, known: KnownSet) -> KnownSet:
    """The columns that are known beside a secret; a greedy set as it is, for these are chosen on the release."""
    if isinstance(known, tuple):
        return tuple(name for name in known if name != secret)
    if known not in WHOLE:
        return known
    of_table = {OTHERS: (True, False), FIRST: (False,), SECOND: (True,)}[known]
    return tuple(name for name in beside(schema, secret) if bool(schema.column(name).source) in of_table)


def offered(tables: Tables) -> Tables:
    """The tables with every summary that a form offers: those with a value in their name too, where values are few.

    Raises
    ------
    DesignError
        There is no second table, or not that of every file.
    """
    return folded(tables, () if tables.children is None else values_of(tables.children, MOST_LEVELS))
