"""The ways in which one file can write numbers or dates, and which of them make two files meet."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.table.forms import plain
from riskkit.table.parse import DATE_FORMATS, day, may_be_dates, number, split_unit, write_day

_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|[+-]?(?:0|[1-9]\d*)(?:,\d+)?", re.ASCII)
_APART = {sign: re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{sign}\d{{3}})+(?:[.,]\d+)?", re.ASCII) for sign in " '_"}
_SIGNED = re.compile(r"\(([^()]+)\)|(.+)-", re.ASCII)
_CODE = re.compile(r"[+-]?\d+[eE][+-]?\d+", re.ASCII)
_PADDED = re.compile(r"([+-]?)0+(\d+(?:\.\d*)?)", re.ASCII)
_ALMOST_ALL = 0.98
_CLEARLY = 0.25
"""By how much a reading must make more values meet than the next one, to be taken where a file bears both."""
_MOSTLY = 0.5
"""The share of values that must be values of a real row before texts such as 1E5, which may be codes, are numbers."""
ISO = "%Y-%m-%d"


def _points(text: str) -> float:
    """1.234,5"""
    return number(text.replace(".", "").replace(",", ".")) if _POINTS.fullmatch(text) else math.nan


def _spread(text: str) -> float:
    """1 234.5, 1'234,5 or 1_234, and whatever has no thousands to set apart."""
    for sign, pattern in _APART.items():
        if pattern.fullmatch(text):
            return number(text.replace(sign, "").replace(",", "."))
    return number(text, "decimal")


def _padded(text: str) -> float:
    """007, -01.5 and whatever has no zeros before it."""
    match = _PADDED.fullmatch(text)
    return number(text if match is None else match[1] + match[2])


def _codes(text: str) -> float:
    """1e0, which alone may as well be a code."""
    return float(text) if _CODE.fullmatch(text) else number(text)


def _signed(text: str) -> float:
    """(12.5) and 12.5-, as bookkeepers write what is below nought, and whatever is not."""
    match = _SIGNED.fullmatch(text)
    return number(text) if match is None else -number(match[1] or match[2])


NUMBERS: Mapping[str, Callable[[str], float]] = {
    "plain": number,
    "thousands": lambda text: number(text, "thousands"),
    "decimal": lambda text: number(text, "decimal"),
    "points": _points,
    "spread": _spread,
    "padded": _padded,
    "signed": _signed,
    "codes": _codes,
}
"""Ways to write numbers, the usual ones first."""
POOLED = frozenset(("plain", "thousands", "decimal"))
"""Ways that are known of a column once all files have them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The different texts of a file as numbers in one way of writing, and how many rows each has."""

    way: str
    values: Floats
    rows: Ints


def of_numbers(texts: Sequence[str], rows: Ints, *, may_be_padded: bool) -> list[Reading]:
    """The ways in which all these texts are numbers; a way that changes nothing against an earlier one is left out."""
    some = [split_unit(plain(text))[0] for text in texts[:100]]
    if not any(all(map(math.isfinite, map(read, some))) for read in NUMBERS.values()):
        return []  # so other texts are not looked at letter by letter
    bare = [*some, *(split_unit(plain(text))[0] for text in texts[100:])]
    out: list[Reading] = []
    for way, read in NUMBERS.items():
        if way == "padded" and (not may_be_padded or len(set(map(len, texts))) == 1):
            continue  # codes of one width get their zeros back instead
        if way == "signed" and all(map(_SIGNED.fullmatch, bare)):
            continue  # numbers of footnotes or of answers
        if not all(map(math.isfinite, map(read, bare[:100]))):
            continue
        values = np.fromiter(map(read, bare), dtype=np.float64, count=len(bare))
        if np.isfinite(values).all() and not any(np.array_equal(values, other.values) for other in out):
            out.append(Reading(way, values, rows))
    return out


def of_dates(texts: Sequence[str], rows: Ints) -> list[Reading]:
    """The formats in which almost all these texts are dates."""
    some, out = [plain(text) for text in texts[:50]], []
    if len(may_be_dates(some)) < _ALMOST_ALL * len(some):
        return []
    for written in DATE_FORMATS:
        if sum(not math.isnan(day(text, written)) for text in some) < _ALMOST_ALL * len(some):
            continue
        values = np.fromiter((day(plain(text), written) for text in texts), dtype=np.float64, count=len(texts))
        if rows[~np.isnan(values)].sum() >= _ALMOST_ALL * rows.sum():
            out.append(Reading(written, values, rows))
    return out


def best(readings: Mapping[str, Sequence[Reading]], real: str, other: str) -> dict[str, Reading] | None:
    """The way of each file that makes most released values meet real ones; None where two do about as well.

    The file ``other`` is compared with the file ``real``; any more files are read in the way of the real one where they
    can be.
    """
    pairs = list(product(readings[real], readings[other]))
    if not pairs:
        return None
    scores = [_meet(own, their) for own, their in pairs]
    first, *rest = sorted(range(len(pairs)), key=lambda place: -scores[place])
    if any(scores[first] - scores[place] < _CLEARLY for place in rest):
        return None
    chosen = {real: pairs[first][0], other: pairs[first][1]}
    if any(own.way == "codes" for own in pairs[first]) and _same(*pairs[first]) < _MOSTLY:
        return None
    for slot, ways in readings.items():
        if slot not in chosen:
            if not ways:
                return None
            chosen[slot] = max(ways, key=lambda own: (own.way == chosen[real].way, _meet(chosen[real], own)))
    return chosen


def _meet(real: Reading, other: Reading) -> float:
    """The share of the other's rows that lie within the range of the real ones, and that of values a real row has."""
    known = ~np.isnan(other.values)
    values, rows = other.values[known], other.rows[known]
    inside = (values >= np.nanmin(real.values)) & (values <= np.nanmax(real.values))
    return float(rows[inside].sum()) / max(float(rows.sum()), 1.0) + _same(real, other)


def _same(real: Reading, other: Reading) -> float:
    """The share of the other's rows whose value some real row has."""
    known = ~np.isnan(other.values)
    same = np.isin(other.values, real.values) & known
    return float(other.rows[same].sum()) / max(float(other.rows[known].sum()), 1.0)


def number_text(value: float) -> str:
    """A number with a point and no exponent, in as few digits as tell it from all others."""
    return np.format_float_positional(value, trim="-")


def day_text(value: float) -> str:
    """A date as year-month-day, with its time where it has one."""
    return write_day(value, ISO if value == math.floor(value) else f"{ISO} %H:%M:%S")
