"""Files of translations as babel reads them, for the tests that hold them to the texts of the code."""

import re
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

VALUE = re.compile(r"(?<!\{)\{([^{}:!]+)[^{}]*\}(?!\})")
"""A value that is filled in, by its name."""


def entries(file: Path) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Every text with its translations, of counted things one a form."""
    with file.open("rb") as source:
        yield from ((_forms(entry.id), _forms(entry.string)) for entry in read_po(source) if entry.id)


def _forms(entry: str | tuple[str, ...] | list[str]) -> tuple[str, ...]:
    return (entry,) if isinstance(entry, str) else tuple(entry)
