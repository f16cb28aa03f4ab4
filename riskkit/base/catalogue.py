"""Translations as they stand in a ``.po`` file, the form that translators write; it is read as it is, not compiled."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from gettext import NullTranslations, c2py
from pathlib import Path

_ENTRY = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d+)\])?\s*)?("(?:[^"\\]|\\.)*")$')
"""One line of a file: what it begins, which form of a plural, and its text in quotes."""
_PLURALS = re.compile(r"^Plural-Forms:.*?plural\s*=\s*([^;]+)", re.MULTILINE)


class CatalogueError(Exception):
    """A file of translations that cannot be read; the message says which line and why."""


class Catalogue(NullTranslations):
    """The translations of a file; a text that is not translated, or only by a guess (``fuzzy``), stays as it is."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._forms: dict[str, tuple[str, ...]] = {}
        self._plural: Callable[[int], int] = lambda n: int(n != 1)
        for english, translated in _entries(file):
            if english:
                self._forms[english] = translated
            elif plurals := _PLURALS.search(translated[0]):
                try:
                    rule: Callable[[int], int] = c2py(plurals[1].strip())
                except ValueError as error:
                    raise CatalogueError(f"{file.name}: its Plural-Forms cannot be read.") from error
                self._plural = rule

    def gettext(self, message: str) -> str:
        """The translation of a text, or the text."""
        return self._forms.get(message, ("",))[0] or message

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """The form for ``n`` things, or the English one."""
        forms, form = self._forms.get(msgid1, ()), self._plural(n)
        return (forms[form] if form < len(forms) else "") or (msgid1 if n == 1 else msgid2)


def _entries(file: Path) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every text with its translated forms; the empty text has the head of the file."""
    parts: dict[str, str] = {}
    key, is_guess = "", False
    for number, line in enumerate(_lines(file), 1):
        text = line.strip()
        if text.startswith("#") or not text:
            if parts and not text.startswith("#~"):
                yield from _entry(parts, is_guess=is_guess)
                parts, is_guess = {}, False
            is_guess = is_guess or (text.startswith("#,") and "fuzzy" in text)
            continue
        read = _ENTRY.match(text)
        if read is None or not (read[1] or parts):
            raise CatalogueError(f"{file.name}, line {number}: it is no msgid, msgstr or text in double quotes.")
        if read[1]:
            key = read[1] + (read[2] or "")
            if key in ("msgid", "msgctxt") and "msgid" in parts:  # no empty line between two entries
                yield from _entry(parts, is_guess=is_guess)
                parts, is_guess = {}, False
        try:
            parts[key] = parts.get(key, "") + str(ast.literal_eval(read[3]))
        except (SyntaxError, ValueError) as error:
            raise CatalogueError(f"{file.name}, line {number}: what follows a backslash has no meaning.") from error


def _lines(file: Path) -> list[str]:
    """The lines of a file, and an empty one that ends its last entry."""
    try:
        return [*file.read_text(encoding="utf-8-sig").split("\n"), ""]
    except UnicodeDecodeError as error:
        raise CatalogueError(f"{file.name} is not in UTF-8. Save it so.") from error


def _entry(parts: dict[str, str], *, is_guess: bool) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The entry, unless it is a guess that nobody has looked at; the head of a file may be marked as one."""
    english = parts.get("msgid", "")
    if is_guess and english:
        return
    forms = [parts[key] for key in sorted(parts, key=_form) if key.startswith("msgstr")]
    if forms:
        yield english, tuple(forms)


def _form(key: str) -> int:
    return int(key.removeprefix("msgstr") or 0) if key.startswith("msgstr") else -1
