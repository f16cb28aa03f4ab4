"""Texts that say the same and are spelled otherwise: the form in which two spellings are one.

An identifier is the same with dashes and without, in capitals and in small letters, with zeros before it; a text is
the same whatever its spaces and signs and the order of its parts, as an object is whose keys were sorted. Such forms
are for comparing alone: what is shown and what attacks read stays as it is written.
"""

from __future__ import annotations

import ast
import html
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from riskkit.table.forms import plain

_ACCENTS = re.compile("[\u0300-\u036f]")
_SIGNS = re.compile(r"[\W_]+")
_ZEROS = re.compile(r"(?<!\d)0+(?=\d)", re.ASCII)
_NUMBER = re.compile(r"([+-]?)0*(\d+)(?:\.(\d*))?(?:e\+?(\d{1,2}))?", re.ASCII)
_PARTS = re.compile(r"[\s,;]+")
_WORD = re.compile(r"\d+\.\d+(?![\w.])|[^\W_]+")
_CLOSING = re.compile(r"</[^<>]*>")


def identifier(text: str, *, keeps_zeros: bool = False) -> str:
    """The letters and digits of an identifier in small letters without accents; of a number its value: 0042, 42, 42.0.

    Words that begin with a letter may stand in any order, as first and last names do. Empty where it has no letter or
    digit. Without signs and zeros P0-21 and P2-1 are one; where that may not be, it ``keeps_zeros`` within.
    """
    if is_nested(text) and parse_nested(text) is not None:
        return words(text)
    text = fold_text(text)
    value = number(text)
    if value:
        return value
    parts = [part for part in _PARTS.split(text) if part]
    if len(parts) > 1 and all(part[0].isalpha() for part in parts):
        text = "".join(sorted(parts))
    bare = _SIGNS.sub("", text)
    return bare if keeps_zeros else _ZEROS.sub("", bare)


def words(text: str) -> str:
    """The words and numbers of a text in small letters without accents, in the order of the alphabet.

    Of an object or a list, as in JSON, they are its keys and values; what is null there is left out.
    """
    text = plain(text)
    values = parse_nested(text) if is_nested(text) else None
    if values is not None:
        text = " ".join(_leaves(values))
    elif "<" in text or "&" in text:
        text = html.unescape(_CLOSING.sub(" ", text))
    return " ".join(sorted(number(word) or word for word in _WORD.findall(fold_text(text))))


def is_nested(text: str) -> bool:
    """Whether a text is written as a list or an object is."""
    return text[:1] in ("{", "[") and text[-1:] in ("}", "]")


def parse_nested(text: str) -> Any:
    """The list or object that a text writes as JSON or as Python does; None where it writes neither."""
    for read in (json.loads, ast.literal_eval):
        try:
            values = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return values if isinstance(values, dict | list) else None
    return None


def spell_nested(values: Any) -> str:
    """A list or an object as JSON in one way: keys in order and none whose value is null, no spaces, 1.0 as 1."""
    return json.dumps(_plainly(values), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _plainly(values: Any) -> Any:
    if isinstance(values, dict):
        return {str(key): _plainly(own) for key, own in values.items() if own is not None}
    if isinstance(values, list | tuple):
        return [_plainly(own) for own in values]
    if isinstance(values, float) and values.is_integer():
        return int(values)
    return values if isinstance(values, str | int | float | bool | None) else str(values)


def fold_text(text: str) -> str:
    """The text as a keyboard writes it, in small letters without accents."""
    text = plain(text)
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text.casefold())))


def number(text: str) -> str:
    """The text of a number without what does not change its value; empty where the text is none."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return ""
    sign, whole, part, power = match.groups()
    part = (part or "").rstrip("0")
    if power:
        moved = int(power)
        whole, part = whole + part[:moved].ljust(moved, "0"), part[moved:]
    whole = whole.lstrip("0") or "0"
    sign = "-" if sign == "-" and whole + part != "0" else ""
    return f"{sign}{whole}.{part}" if part else f"{sign}{whole}"


def _leaves(values: Any) -> Iterator[str]:
    """The keys and values of an object or a list, level by level, without those that are null."""
    waiting = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            for key, own in value.items():
                if own is not None:
                    yield str(key)
                    waiting.append(own)
        elif isinstance(value, list | tuple | set):
            waiting += [own for own in value if own is not None]
        else:
            yield str(value)
