"""The blocks of a report: plain values that the PDF and the HTML page set alike."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from riskkit.errors import sentence_of
from riskkit.language import again, say
from riskkit.report import texts

Block = dict[str, Any]
SHOWN = 40
"""Lines of a table on paper; the CSV has them all."""


def heading(text: str, level: int = 1, *, new_page: bool = False, fits: bool = False) -> Block:
    """A title in the text. What ``fits`` is set so small, up to the next such title, that it takes a page at most."""
    return {"kind": "heading", "text": text, "level": level, "new_page": new_page, "fits": fits}


def paragraph(text: str, *, style: str = "") -> Block:
    """A paragraph.

    ``lead`` is larger, ``small`` smaller and grey, ``asks`` too and kept with what follows, ``note`` a little smaller,
    ``contradiction`` red and heavy.
    """
    return {"kind": "p", "text": text, "style": style}


def table(
    head: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[float], title: str, *, on_paper: bool = True
) -> Iterator[Block]:
    """A table cut to what fits on paper, saying so."""
    if not rows:
        return
    kept = [[str(cell) for cell in row] for row in rows[:SHOWN]]
    yield {"kind": "table", "head": list(head), "rows": kept, "widths": list(widths), "title": title}
    if len(rows) > SHOWN:
        yield paragraph(texts.cut_sentence(SHOWN, len(rows), on_paper=on_paper), style="small")


def terms(pairs: Sequence[tuple[str, str]]) -> Block:
    """Terms with their texts; those without a text are left out."""
    return {"kind": "terms", "pairs": [[name, text] for name, text in pairs if text]}


def drawing(svg: str, title: str, alt: str) -> Block:
    """A picture under the sentence it shows; ``alt`` has its numbers for those who do not see it."""
    return {"kind": "image", "svg": svg, "alt": alt, "title": title}


def whole_blocks(section: Iterable[Block]) -> Iterator[Block]:
    """A section; where the rest of it cannot be written a sentence says so, and the report goes on without it."""
    try:
        yield from section
    except Exception as error:  # noqa: BLE001  no picture takes a verdict with it
        yield paragraph(say("The rest of this part could not be written. {error}", error=again(sentence_of(error))))
