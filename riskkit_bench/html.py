"""Pieces of the page: numbers with their intervals, and tables that can be sorted."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from riskkit_bench.results import BenchCell, Three

Shown = tuple[str, float | None, str]
"""What a place of a table shows, as HTML; the number that it is sorted by; its class, or the id of its row."""
Row = list[Shown]
LONGEST = 200
"""Letters of a note that are shown."""


def three(ends: Three | None, *, only: bool = False) -> str:
    """``.71 [.65, .76]``; of a bound that is exact the value alone; empty where there is none."""
    if ends is None:
        return ""
    value, low, high = (f"{end:.2f}".removeprefix("0") if end < 1 else "1" for end in ends)
    return value if only else f"{value} [{low}, {high}]"


def cell_id(cell: BenchCell) -> str:
    """Where a link to a cell leads."""
    return f"c{cell.key[:12]}"


def alike(note: str) -> str:
    """The note, cut where it is long."""
    return note if len(note) <= LONGEST else f"{note[:LONGEST]}…"


def sortable(about: str, heads: Sequence[tuple[str, bool]], rows: Sequence[Row], label: str) -> str:
    """A table with a button over each column, and ``about`` above it, as HTML.

    ``heads`` say whether a column holds numbers, which begin with the largest. The class of a first place
    names its row.
    """
    head = "".join(
        f'<th scope="col" data-first="{"falls" if numbers else "rises"}">'
        f'<button type="button">{escape(name)}</button></th>'
        for name, numbers in heads
    )
    return (
        f'<p class="small muted">{about}</p>\n'
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(label)}"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n"
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
