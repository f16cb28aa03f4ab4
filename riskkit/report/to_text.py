"""Blocks of a report as lines of text, for a terminal: a picture by its numbers, a table in columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from riskkit.report.blocks import Block


def to_text(blocks: Iterable[Block]) -> Iterator[str]:
    """The lines of a section; an empty one stands before a title, and a title is not repeated."""
    before = ""
    for title, lines in map(_lines, blocks):
        if title and title != before:
            yield f"\n{title}" if before else title
        yield from lines
        before = lines[-1] if lines else title or before


def _lines(block: Block) -> tuple[str, list[str]]:
    """The title of a block, where it has one, and what stands under it."""
    match block["kind"]:
        case "heading":
            return block["text"], []
        case "terms":
            return "", [f"{name}: {text}" for name, text in block["pairs"]]
        case "list":
            return "", [f"- {item}" for item in block["items"]]
        case "image":
            return block["title"], [block["alt"]]
        case "table":
            return block["title"], [*in_columns([block["head"], *block["rows"]])]
        case _:
            return "", [block["text"]]


def in_columns(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Rows with their cells below each other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ("  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows)
