"""Pieces of the page: numbers with their intervals, and tables that can be sorted."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from html import escape

from riskkit_bench.orders import GUESS
from riskkit_bench.results import CERTIFICATE, BenchCell, Three

Shown = tuple[str, float | None, str]
"""What a place of a table shows, as HTML; the number that it is sorted by; its class, or the id of its row."""
Row = list[Shown]
LONGEST = 200
"""Letters of a note that are shown."""


def value(number: float) -> str:
    """``.71``, and 1 for whatever is 1 to two decimals or more."""
    return f"{number:.2f}".removeprefix("0") if number < 1 else "1"


def three(ends: Three | None) -> str:
    """``.71 [.65, .76]``; empty where there is none."""
    if ends is None:
        return ""
    reached, low, high = map(value, ends)
    return f"{reached} [{low}, {high}]"


def shade(cell: BenchCell) -> str:
    """The class of a number that shows a leak, by the attack's answers or by their opposite."""
    if cell.sure is None or cell.kind == CERTIFICATE:
        return ""
    return "leak" if cell.sure[1] > GUESS else "turned" if cell.sure[2] < GUESS else ""


def heat(auc: float) -> str:
    """How strong the ground of a number is, from 0 at guessing to 1."""
    return f"{max(0.0, 2 * (auc - GUESS)):.2f}"


def cell_id(cell: BenchCell) -> str:
    """Where a link to a cell leads."""
    return f"c{cell.key[:12]}"


def method_id(spelling: str) -> str:
    """Where a link to a method or a published release leads."""
    return f"m{sha256(spelling.encode()).hexdigest()[:12]}"


def alike(note: str) -> str:
    """The note, cut where it is long."""
    return note if len(note) <= LONGEST else f"{note[:LONGEST]}…"


def sortable(
    about: str,
    heads: Sequence[tuple[str, bool]],
    rows: Sequence[Row],
    label: str,
    *,
    groups: Sequence[tuple[str, int]] = (),
    name: str = "",
) -> str:
    """A table with a button over each column, and ``about`` above it, as HTML.

    ``heads`` say whether a column holds numbers, which begin with the largest; ``groups`` are names over several of
    them, with how many. The class of a first place names its row; ``name`` is what scripts call the table.
    """
    head = "".join(
        f'<th scope="col" data-first="{"falls" if numbers else "rises"}">'
        f'<button type="button">{escape(title)}</button></th>'
        for title, numbers in heads
    )
    over = "".join(
        f'<th scope="colgroup" colspan="{wide}">{escape(title)}</th>' if title else f'<td colspan="{wide}"></td>'
        for title, wide in groups
    )
    return (
        f'<p class="small muted">{about}</p>\n'
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}">'
        f"<table{f' id={chr(34)}{name}{chr(34)}' if name else ''}>\n"
        f"<thead>{f'<tr>{over}</tr>' if over else ''}<tr>{head}</tr></thead>\n<tbody>\n"
        + "\n".join(_row(row, heads) for row in rows)
        + "\n</tbody></table></div>\n"
    )


def _row(row: Row, heads: Sequence[tuple[str, bool]]) -> str:
    """A row; its first place may give it a name."""
    named = row[0][2]
    places = []
    for index, ((shown, number, kind), (_, numbers)) in enumerate(zip(row, heads, strict=True)):
        by = f' data-v="{"" if number is None else f"{number:g}"}"' if numbers else ""
        places.append(f"<td{by}{f' class={chr(34)}{kind}{chr(34)}' if kind and index else ''}>{shown}</td>")
    return f"<tr{f' id={chr(34)}{named}{chr(34)}' if named else ''}>{''.join(places)}</tr>"
