"""Files of the same tables read together: where none says how its letters are written, one encoding for all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pyarrow.compute as pc

from riskkit.errors import EncodingError
from riskkit.table.encodings import candidates, words_in
from riskkit.table.reader import read_path
from riskkit.table.sniff import guess_problem
from riskkit.table.text import Limits, TextTable

GUESS = "guess"
_LETTERS = 20_000
"""Letters of the texts of a file that are looked at."""
NOTHING: Mapping[str, str] = {}
NO_TEXTS: Mapping[str, TextTable] = {}


def read_together(
    paths: Mapping[str, Path],
    *,
    limits: Limits | None = None,
    encodings: Mapping[str, str] = NOTHING,
    beside: Mapping[str, TextTable] = NO_TEXTS,
) -> dict[str, TextTable]:
    """The files by slot, each as :func:`~riskkit.table.reader.read_path` reads it.

    ``encodings`` are those that a person says, by slot; under ``""`` that of every file that does not show its own.
    ``beside`` are tables of the same people that are read already.

    Raises
    ------
    InputError
        A file cannot be used as it is.
    """

    def read(slot: str, encoding: str | None) -> TextTable:
        return read_path(paths[slot], limits=limits, encoding=encoding)

    usual, texts = encodings.get(""), {}
    for slot in paths:
        try:
            texts[slot] = read(slot, encodings.get(slot))
        except EncodingError:
            if slot in encodings or not usual:
                raise
            texts[slot] = read(slot, usual)
    if usual:
        return {slot: read(slot, usual) if text.encoding_from == GUESS else text for slot, text in texts.items()}
    return texts | again({**beside, **texts}, read)


def again(texts: Mapping[str, TextTable], read: Callable[[str, str], TextTable]) -> dict[str, TextTable]:
    """The files whose encoding was guessed and is another one beside the others, read in it.

    ``read`` reads the file of a slot in an encoding. What cannot be read so stays as it is.
    """
    out = {}
    for slot, encoding in agreed(texts).items():
        try:
            out[slot] = as_guess(read(slot, encoding))
        except EncodingError:
            continue
    return out


def agreed(texts: Mapping[str, TextTable]) -> dict[str, str]:
    """The encodings, by slot, of files that were guessed to have another one before all were looked at together."""
    guessed = {slot: text for slot, text in texts.items() if text.encoding_from == GUESS}
    if not guessed or len(texts) < 2:
        return {}
    words = {
        word for slot, text in texts.items() if slot not in guessed for cell in _cells(text) for word in words_in(cell)
    }
    raw = {
        slot: b"\n".join(cell.encode(text.encoding, "ignore") for cell in _cells(text))
        for slot, text in guessed.items()
    }
    out = {}
    for slot, text in guessed.items():
        beside = [other for own, other in raw.items() if own != slot]
        first = candidates(raw[slot], words, beside)[0]
        if raw[slot] and first != text.encoding:
            out[slot] = first
    return out


def as_guess(text: TextTable) -> TextTable:
    """A file that was read in an encoding that nobody chose."""
    return replace(text, encoding_from=GUESS, problems=(guess_problem(text.encoding, text.name), *text.problems))


def _cells(text: TextTable) -> Iterator[str]:
    """Different texts of a file that hold letters beyond ASCII, and such names, as far as there is room."""
    room = _LETTERS
    yield from (name for name in text.columns if not name.isascii())
    for name in text.columns:
        different = text.encoded(name).dictionary
        for cell in different.filter(pc.invert(pc.string_is_ascii(different))).to_pylist():
            if (room := room - len(cell)) < 0:
                return
            yield cell
