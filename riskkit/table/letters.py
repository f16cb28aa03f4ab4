"""Categories that are the same but for the encoding a file was saved or read in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from riskkit.errors import SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.pool import TextPool

_ENCODINGS = (
    "utf-8",
    "cp1252",
    "latin-1",
    "cp1250",
    "cp1251",
    "cp1253",
    "cp1254",
    "cp1257",
    "iso8859_2",
    "cp437",
    "cp850",
    "cp852",
    "cp866",
    "koi8_r",
    "mac_roman",
    "cp932",
    "euc_jp",
    "gb18030",
    "euc_kr",
    "big5",
)
_DOUBTFUL = {"guess": 0, "chosen": 1}
"""Which file has the wrong letters more likely: one that shows its encoding itself has the right ones."""
_MOST = 5000
"""How many categories with letters beyond ASCII are looked at."""


def refuse_mangled(texts: TextPool) -> None:
    """Raise where a category of one file is that of another read in a wrong encoding, or with its letters lost.

    Raises
    ------
    SchemaError
        Says in which file the letters are wrong, on which line first, and how many categories are.
    """
    if len(texts.files) < 2 or all(map(str.isascii, texts.texts)):
        return
    own = texts.own()
    last_first = list(own)[::-1]
    for slot in sorted(last_first, key=lambda slot: _DOUBTFUL.get(texts.files[slot].encoding_from, len(_DOUBTFUL))):
        for other in own:
            bad = _mangled(own[slot] - own[other], own[other] - own[slot]) if slot != other else []
            if bad:
                _, line = texts.within(slot, bad)
                raise SchemaError.of(
                    "encoding_differs",
                    counted_phrase(
                        len(bad),
                        "{n:,} category is that of {file} with its letters lost, or read in another encoding.",
                        "{n:,} categories are those of {file} with their letters lost, or read in another encoding.",
                        file=texts.files[other].name,
                    ),
                    phrase(
                        "Choose the encoding in which the words look right (on the page Data, or with --encoding), or "
                        "save both files as UTF-8."
                    ),
                    file=texts.files[slot].name,
                    column=texts.name,
                    line=line,
                    count=len(bad),
                )


def _mangled(here: Iterable[str], there: Iterable[str]) -> list[str]:
    """The texts here that are a spoilt form of a text there: as long or longer in the same bytes, or with ? in it."""
    right = sorted(text for text in there if not text.isascii())[:_MOST]
    lost = {form for text in right for form in _lost(text)}
    read = {form: len(text) for text in right for form in _bytes(text)}
    odd = sorted(text for text in here if not text.isascii() or "?" in text)[:_MOST]
    return [
        text
        for text in odd
        if text.replace("\ufffd", "?") in lost
        or (not text.isascii() and any(read.get(form, len(text) + 1) <= len(text) for form in _bytes(text)))
    ]


def _bytes(text: str) -> Iterator[bytes]:
    """The text in each encoding that can write it."""
    for encoding in _ENCODINGS:
        try:
            yield text.encode(encoding)
        except UnicodeEncodeError:
            continue


def _lost(text: str) -> Iterator[str]:
    """The text with a question mark for each letter beyond ASCII, or for each of its bytes."""
    if any(letter.isascii() and letter.isalnum() for letter in text):
        yield "".join(letter if letter.isascii() else "?" for letter in text)
        yield "".join(letter if letter.isascii() else "?" * len(letter.encode()) for letter in text)
