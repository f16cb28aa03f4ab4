"""The letters of a text: those that cannot be seen, and those that are one letter written in two ways."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_INVISIBLE = "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
"""Letters of no width that change no meaning: soft hyphens, marks of direction, joiners of words, byte-order marks."""
_JOINERS = "\u200c\u200d\ufe00-\ufe0f"
"""Letters of no width that some scripts and pictures are told apart by."""
_BLANKS = "\u00a0\u2000-\u200a\u202f\u205f"
"""Spaces that do not break, or have a width of their own."""
_ODD = re.compile(f"[{_INVISIBLE}{_BLANKS}]")
_BLANK = re.compile(f"[{_BLANKS}]")
_HIDDEN = re.compile(f"[{_INVISIBLE}{_JOINERS}]")
_SAME_LETTER = frozenset(
    ("<wide>", "<narrow>", "<small>", "<square>", "<noBreak>", "<initial>", "<medial>", "<final>", "<isolated>")
)
"""Unicode's compatible forms that differ in the place or the width of a letter alone; a raised 2 is no 2."""
_ALIKE = {
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u02bc", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    "\u066b": ".",
    "\u066c": ",",
    "\u2103": "°C",
    "\u2109": "°F",
}
"""Dashes, quotes and Arabic signs in numbers, as a keyboard writes them."""
_SPACES = re.compile(r"[ \t\v\f\n]{2,}|[\t\v\f\n]")
_EXCEL = re.compile(r'="([^"]*)"|\'([\d+\-=@].*)', re.DOTALL)


def tidy(text: str) -> str:
    """The text without spaces at its ends, without letters that cannot be seen, and with composed accents."""
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", visible_text(text).strip())


def visible_text(text: str) -> str:
    """The text without letters of no width, and with common spaces for those that do not break."""
    return _ODD.sub(_blank, text)


def common_spaces(text: str) -> str:
    """The text with common spaces for those that do not break; letters of no width stay."""
    return _BLANK.sub(" ", text)


def _blank(match: re.Match[str]) -> str:
    return " " if match[0].isspace() else ""


def plain(text: str) -> str:
    """A tidied text as a keyboard would write it.

    Letters of full or half width, Arabic letters by their place in a word, digits of all scripts, dashes, quotes and
    ligatures become the common letters; several spaces, tabs and line breaks become one space; Excel's marks for a
    text, ``="01"`` and ``'01``, are taken off. Letters that Unicode calls compatible and that mean something else, as
    raised digits do, stay.
    """
    if text[:1] in "='":
        excel = _EXCEL.fullmatch(text)
        text = text if excel is None else excel[1] if excel[1] is not None else excel[2]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.isascii():
        text = unicodedata.normalize("NFC", "".join(map(_letter, _HIDDEN.sub("", text))))
    return _SPACES.sub(" ", text.strip())


def fold_name(name: str) -> str:
    """What two names have in common that a reader takes for one: the same letters whatever their case and form."""
    return unicodedata.normalize("NFKC", plain(name)).casefold()


@lru_cache(maxsize=4096)
def _letter(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if letter in _ALIKE:
        return _ALIKE[letter]
    if unicodedata.decomposition(letter).split(" ")[0] in _SAME_LETTER or "\ufb00" <= letter <= "\ufb06":
        return unicodedata.normalize("NFKC", letter)
    return letter
