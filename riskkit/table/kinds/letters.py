"""Categories that are the same but for the encoding a file was saved or read in."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import accumulate

from riskkit.errors import SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.kinds.spellings import TextPool

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
_LETTERS = 200_000
"""Of how many letters together the texts are that are looked at, on either side."""
_ALNUM, _BEYOND_ASCII, _ODD = re.compile("[0-9A-Za-z]"), re.compile(r"[^\0-\x7f]+"), re.compile(r"[^\0->@-\x7f]")
_EAST = re.compile("[\u2e80-\uffef\U00020000-\U0010ffff]")


def refuse_mangled(texts: TextPool) -> None:
    """Raise where a category of one file is that of another read in a wrong encoding, or with its letters lost.

    Raises
    ------
    SchemaError
        Says in which file the letters are wrong, on which line first, and how many categories are.
    """
    if len(texts.files) < 2 or all(map(str.isascii, texts.texts)):
        return
    own = {slot: {text for text in own if "?" in text or not text.isascii()} for slot, own in texts.own().items()}
    last_first = list(own)[::-1]
    for slot in sorted(last_first, key=lambda slot: _DOUBTFUL.get(texts.files[slot].encoding_from, len(_DOUBTFUL))):
        for other in own:
            bad = _spoilt_texts(own[slot] - own[other], own[other] - own[slot]) if slot != other else []
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


def _spoilt_texts(here: set[str], there: set[str]) -> list[str]:
    """The texts here that are a spoilt form of a text there: as long or longer in the same bytes, or with ? in it."""
    right = _some(text for text in _like(there, here) if not text.isascii())
    lost = {form for text in right for form in _lossy_forms(text)}
    read = {form: len(text) for text in right for form in _bytes(text)}
    odd = _some(_like(here, there))
    return [
        text
        for text in odd
        if text.replace("\ufffd", "?") in lost
        or (not text.isascii() and any(read.get(form, len(text) + 1) <= len(text) for form in _bytes(text)))
    ]


def _like(texts: set[str], others: set[str]) -> Iterator[str]:
    """Those that one of the others may have been, by what a wrong encoding leaves as it is: few of many free texts.

    That are the letters of ASCII. Encodings of East Asia write letters with bytes that are others' ASCII; there it is
    only what stands before the first letter beyond it.
    """
    plain, heads = set(map(_plain, others)), {_head(text) for text in others}
    eastern = {_head(text) for text in others if _EAST.search(text)}
    for text in texts:
        if _plain(text) in plain or _head(text) in (heads if _EAST.search(text) else eastern):
            yield text


def _plain(text: str) -> bytes:
    return text.encode("ascii", "ignore").replace(b"?", b"")


def _head(text: str) -> str:
    return text[: _ODD.search(text).start()]  # type: ignore[union-attr]  # there is one in each


def _some(texts: Iterable[str]) -> list[str]:
    """As many of the texts, in order, as have so many letters together."""
    ordered = sorted(texts)
    return ordered[: 1 + bisect_left(list(accumulate(map(len, ordered))), _LETTERS)]


def _bytes(text: str) -> Iterator[bytes]:
    """The text in each encoding that can write it."""
    for encoding in _ENCODINGS:
        try:
            yield text.encode(encoding)
        except UnicodeEncodeError:
            continue


def _lossy_forms(text: str) -> Iterator[str]:
    """The text with a question mark for each letter beyond ASCII, or for each of its bytes."""
    if _ALNUM.search(text):
        yield text.encode("ascii", "replace").decode()
        yield _BEYOND_ASCII.sub(lambda letters: "?" * len(letters[0].encode()), text)
