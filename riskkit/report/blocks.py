"""The blocks of a report: plain values that the PDF and the HTML page set alike."""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from riskkit.errors import sentence_of
from riskkit.language import again, say
from riskkit.report import texts

# What the bundled font can print. A sign it cannot is printed as its number, ``[U+0E01]``: never lost in silence.


FONTS = Path(__file__).parent / "fonts"
FONT = FONTS / "NotoSansCJKjp-riskkit.otf"
BESIDE = (
    (0x100, 0x2AF),
    (0x370, 0x3FF),
    (0x400, 0x4FF),
    (0x1E00, 0x1FFF),
    (0x20A0, 0x20BF),
    (0x2190, 0x22FF),
    (0x531, 0x58F),
)
"""More Latin, Greek, Cyrillic and signs, and Armenian: in DejaVu Sans Mono, which the typesetter brings along."""
RUN = 18
"""Letters without a place to break a line, after which one is put."""
WORD = 8
"""Letters after which a sign that joins words is a good place for one."""
JAPANESE = "\u2e80"
"""The first sign of the scripts in which a line may end after every sign."""
BREAK = "\u200b"
BREAKS_AFTER = "/_.:;,|=&?#"


@cache
def covered_characters() -> frozenset[int]:
    """The characters of the bundled font, read from its own table."""
    data = FONT.read_bytes()
    count = struct.unpack(">H", data[4:6])[0]
    for place in range(12, 12 + 16 * count, 16):
        tag, _, start, _ = struct.unpack(">4sIII", data[place : place + 16])
        if tag == b"cmap":
            offset = start + struct.unpack(">I", data[start + 8 : start + 12])[0]
            if struct.unpack(">H", data[offset : offset + 2])[0] != 12:
                raise ValueError("The font's first table of characters is not of format 12.")
            groups = struct.unpack(">I", data[offset + 12 : offset + 16])[0]
            characters: set[int] = set()
            for group in range(groups):
                here = offset + 16 + 12 * group
                first, last, _ = struct.unpack(">III", data[here : here + 12])
                characters.update(range(first, last + 1))
            return frozenset(characters)
    return frozenset()


@cache
def beside() -> str:
    """The signs that the second font prints, as a class of a regular expression.

    They have to be named: the typesetter would put a letter with its accent together from two signs of the first font,
    which has no place for the second. Greek is printed whole by the second, so that no word is of two fonts.
    """
    codes = [
        code
        for first, last in BESIDE
        for code in range(first, last + 1)
        if (code not in covered_characters() or 0x370 <= code <= 0x3FF) and _is_beside(chr(code))
    ]
    codes.sort()
    starts = [code for position, code in enumerate(codes) if not position or codes[position - 1] != code - 1]
    ends = [
        code for position, code in enumerate(codes) if position == len(codes) - 1 or codes[position + 1] != code + 1
    ]
    return "".join(rf"\u{{{start:x}}}-\u{{{end:x}}}" for start, end in zip(starts, ends, strict=True))


def visible(text: str) -> str:
    """The text with every sign that cannot be printed replaced by its number; Japanese sets no space after a stop."""
    return "".join(map(_sign, unicodedata.normalize("NFC", text.replace("。 ", "。"))))


def printable(text: str) -> str:
    """The same, with places where long words may break."""
    return _breakable(visible(text))


def _sign(sign: str) -> str:
    if sign in "\n\t":
        return " "
    hidden = unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return sign if not hidden and (ord(sign) in covered_characters() or _is_beside(sign)) else f"[U+{ord(sign):04X}]"


def _is_beside(sign: str) -> bool:
    return any(first <= ord(sign) <= last for first, last in BESIDE) and unicodedata.category(sign)[0] not in "MC"


def _breakable(text: str) -> str:
    out, run = [], 0
    for sign, after in zip(text, f"{text[1:]} ", strict=False):
        out.append(sign)
        run = 0 if sign in " -" or sign >= JAPANESE else run + 1
        if after not in " \u3000" and (run >= RUN or (sign in BREAKS_AFTER and run >= WORD)):
            out.append(BREAK)
            run = 0
    return "".join(out)


def everywhere(value: Any) -> Any:
    """The same plain value with every text in it made printable; drawings are left as they are."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {name: each if name == "svg" else everywhere(each) for name, each in value.items()}
    return [everywhere(each) for each in value] if isinstance(value, list | tuple) else value


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


# Blocks of a report as lines of text, for a terminal: a picture by its numbers, a table in columns.


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
