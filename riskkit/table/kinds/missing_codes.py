"""Numbers that probably stand for missing, such as -99: far from all others, or written where another file has blanks.

A release that leaves blank what the real table calls -99 shares no row with it, whoever was copied. Nobody but the
steward knows what a number means, so it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Column, Floats, Ints, Table
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.kinds.dates import write_day
from riskkit.table.kinds.numbers import number_text

LEAST = 5
"""Rows that must have a number for it to be a code."""
ROWS = 20_000
"""Rows of a file that are looked at, evenly over it."""
_CODE = re.compile(r"-[1-9]|-?(?:9*[789]|8+|7+)(?:\.9+)?", re.ASCII)
"""How codes for missing are written: nines, with a last digit that says why, and small numbers below nought."""
_TWO_DIGITS = 10
"""A smaller number above nought may as well be a rare answer: it is asked about only where the files differ."""
_FAR, _APART = 0.5, 0.05
"""By how much of the range of all others a code lies beyond them, and where it is also far more frequent than these."""
_TIMES, _NEAR, _SHARE = 3, 5, 0.01
"""How many times as frequent as each of so many neighbours it then is, and its share where no digit speaks for it."""
_CHANCE = 1e-5
"""The chance below which a number that is in one file alone is not there by chance."""
_BLANK = (0.5, 2.0)
"""How many more blanks than the one file the other has, for each row with the code."""


@dataclass(frozen=True, slots=True)
class MissingCode:
    """A number that probably means missing.

    ``times`` is how often it stands in the file of ``slot``. ``other`` is the slot of a file that has blanks, or
    another code, where this one has it; empty where all files write missing alike, so that rows meet all the same.
    """

    value: float
    slot: str
    times: int
    other: str = ""

    def text(self, column: Column) -> str:
        """The number, or the date, as the missing token of its column."""
        return write_day(self.value, column.date_format) if column.date_format else number_text(self.value)


@dataclass(frozen=True, slots=True)
class _OfFile:
    """The different numbers of one file, ascending, with their shares of its rows, and the share of blanks."""

    rows: int
    values: Floats
    times: Ints
    blank: float

    def count(self, value: float) -> int:
        """How many rows have it."""
        place = int(np.searchsorted(self.values, value))
        return int(self.times[place]) if place < len(self.values) and self.values[place] == value else 0


def missing_codes(files: Mapping[str, Floats]) -> list[MissingCode]:
    """The numbers of a column that probably mean missing, those first that files write otherwise.

    ``files`` are (n,) numbers by slot, NaN where blank.
    """
    counts = {
        slot: _counts(values[:: max(-(-len(values) // ROWS), 1)]) for slot, values in files.items() if len(values)
    }
    likely = {slot: {value for value in _frequent(own) if _is_apart(value, own)} for slot, own in counts.items()}
    out: dict[float, MissingCode] = {}
    for slot, own in counts.items():
        for value in {*likely[slot], *_most_frequent(own)}:
            other = next((file for file in counts if _is_otherwise(value, slot, file, counts, likely)), "")
            if other or (value in likely[slot] and _is_plain(value, own)):
                code = MissingCode(value, slot, int((files[slot] == value).sum()), other)
                if value not in out or (other and not out[value].other):
                    out[value] = code
    return sorted(out.values(), key=lambda code: (not code.other, code.value))


def code_problems(column: Column, files: Mapping[str, Floats], names: Mapping[str, str]) -> list[Problem]:
    """What to ask about them; ``names`` are what the files are called."""
    return [_problem(column, code, names) for code in missing_codes(files) if code.other or not column.date_format]


def asked_tokens(problems: Sequence[Problem], tables: Sequence[Table | None]) -> dict[str, tuple[str, ...]]:
    """By column, the numbers that were asked about because files write missing in different ways, as missing tokens."""
    known = [table for table in tables if table is not None]
    schema = known[0].schema
    names = {problem.column for problem in problems if problem.code == "missing_code"} & schema.places.keys()
    return {
        column.name: tuple(
            code.text(column)
            for code in missing_codes({str(side): table.column(column) for side, table in enumerate(known)})
            if code.other
        )
        for column in map(schema.column, sorted(names))
    }


def _problem(column: Column, code: MissingCode, names: Mapping[str, str]) -> Problem:
    do = phrase("Name it as a missing token if it means missing, or choose the kind numeric if it is a number.")
    if not code.other:
        what = phrase(
            "{number} stands {times:,} times, far from all other numbers; it was read as a number.",
            number=code.text(column),
            times=code.times,
        )
        return Problem(Gravity.QUESTION, "sentinel", what, do, column=column.name, count=code.times)
    what = phrase(
        "{number} stands {times:,} times here and may mean missing: {file} has blanks, or another code, instead.",
        number=code.text(column),
        times=code.times,
        file=names[code.other],
    )
    return Problem(Gravity.QUESTION, "missing_code", what, do, names[code.slot], column.name, count=code.times)


def _counts(values: Floats) -> _OfFile:
    known = values[~np.isnan(values)]
    different, times = np.unique(known, return_counts=True)
    return _OfFile(len(values), different, times.astype(np.int64), 1.0 - len(known) / len(values))


def _frequent(own: _OfFile) -> list[float]:
    """The numbers written as codes are that stand often enough."""
    often: list[float] = own.values[own.times >= LEAST].tolist()
    return [value for value in often if _CODE.fullmatch(number_text(value))]


def _most_frequent(own: _OfFile) -> list[float]:
    """The most frequent number, whatever its digits, where it stands often; none where several are."""
    if not len(own.times) or own.times.max() < max(LEAST, _SHARE * own.rows):
        return []
    best = own.values[own.times == own.times.max()]
    return best.tolist() if len(best) == 1 else []


def _others(value: float, own: _OfFile) -> tuple[Floats, Ints]:
    """The numbers that are no codes of the same side, with how often each stands."""
    codes = [code for code in _frequent(own) if code == value or _is_beyond(code, value, own)]
    keep = ~np.isin(own.values, codes)
    return own.values[keep], own.times[keep]


def _is_beyond(code: float, value: float, own: _OfFile) -> bool:
    """Whether it stands at the same end as ``value`` with no number but codes beyond it: -98 beside -99."""
    middle = float(np.median(own.values))
    return (code > middle) == (value > middle) and abs(code - middle) >= 0.5 * abs(value - middle)


def _is_plain(value: float, own: _OfFile) -> bool:
    """Whether it looks like a code by itself: far beyond all others, and no small number above nought."""
    return (value < 0 or value >= _TWO_DIGITS) and _is_far(value, own)


def _is_far(value: float, own: _OfFile) -> bool:
    """Whether it lies far beyond all other numbers."""
    rest, _ = _others(value, own)
    return len(rest) >= LEAST - 2 and float(np.abs(rest - value).min()) > _FAR * float(np.ptp(rest))


def _is_apart(value: float, own: _OfFile) -> bool:
    """Whether it lies far beyond all other numbers, or somewhat and far more frequent than those next to it."""
    if _is_far(value, own):
        return True
    rest, times = _others(value, own)
    if len(rest) < LEAST - 2:
        return False
    nearest = np.argsort(np.abs(rest - value), kind="stable")[:_NEAR]
    is_often = own.count(value) >= _TIMES * int(times[nearest].max())
    is_outside = value < rest[0] or value > rest[-1]
    below_nought = value < 0 <= rest[0]
    gap = float(np.abs(rest - value).min())
    return bool(
        is_often
        and ((is_outside and (below_nought or gap > _APART * np.ptp(rest))) or own.count(value) >= _SHARE * own.rows)
    )


def _is_otherwise(
    value: float, slot: str, other: str, counts: Mapping[str, _OfFile], likely: Mapping[str, set[float]]
) -> bool:
    """Whether the other file has blanks, or another code, where this one has the number."""
    own, their = counts[slot], counts[other]
    share = own.count(value) / own.rows
    if other == slot or their.count(value) or share * their.rows < LEAST:
        return False
    by_chance = (own.rows / (own.rows + their.rows)) ** own.count(value)  # that all of them stand in this file
    if by_chance > _CHANCE and not (value in likely[slot] and _is_plain(value, own)):
        return False
    more = (their.blank - own.blank) / share
    if value not in likely[slot]:
        return _BLANK[0] <= more <= _BLANK[1]
    return more >= _BLANK[0] or any(not own.count(code) for code in likely[other])
