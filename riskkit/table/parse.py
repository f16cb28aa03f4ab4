"""Texts to numbers and dates, value by value, the same for every file.

These work on the distinct texts of a column, or on whole columns where all of them are plain numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.core import Floats
from riskkit.table.arrow import EMPTY, NO_TEXT, values
from riskkit.table.forms import plain

LARGEST = 1e150
"""The square of a larger number is none any more, so its column has no spread."""
EXACT = 2**53
"""Whole numbers beyond this lose digits as floating-point numbers."""

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]?\.\d+(?:[eE][+-]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[+-]?(?:inf|infinity)", re.IGNORECASE)
_CODE = re.compile(r"\d+[eE]\d+", re.ASCII)
_PLAIN = b"0123456789.-"
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DIGITS_FIRST = frozenset("0123456789.-+")
_SERIAL = re.compile(r"[1-7]\d{4}(?:\.\d+)?", re.ASCII)
_SERIAL_EPOCH = 25569
"""Excel's number of 1970-01-01 in its calendar of 1900."""
_DECIMAL_COMMA = re.compile(r"[+-]?(?:0|[1-9]\d*),\d+", re.ASCII)


_SIGN = "[$€£¥￥₩₹]"
_UNIT = (
    f"%|‰|{_SIGN}|円|元|원|歳|岁|세|USD|EUR|GBP|JPY|kg|mg|µg|lbs?|oz|km|cm|mm|ft|ml|mL|dl|dL|mg/dL|mmol/L|mmHg|bpm|°C|°F"
    "|years?|yrs?|months?|weeks?|days?|hours?|hrs?|mins?|secs?"
)
_WITH_UNIT = re.compile(rf"([+-]?)(?:({_SIGN}|USD|EUR|GBP|JPY) ?)?([+-]?[\d.,]+)(?: ?({_UNIT})| ([gmlLhs]))?", re.ASCII)


def split_unit(text: str) -> tuple[str, str]:
    """A number and the sign or unit beside it; the text as it is, and nothing, where it is not so written."""
    if text[-1:].isdecimal() and text[:1] in _DIGITS_FIRST:
        return text, ""
    match = _WITH_UNIT.fullmatch(text)
    if match is None:
        return text, ""
    plus, before, digits, after, letter = match.groups()
    return plus + digits, before or after or letter or ""


def number(text: str, commas: str = "") -> float:
    """The text as a number; NaN where it is none, infinite where it is written as infinite or too large.

    Whole numbers that lose digits, numbers with leading zeros and codes such as 1E5 are no numbers.
    """
    text, _ = split_unit(plain(text))
    if commas == "decimal" and _DECIMAL_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    elif commas == "thousands" and _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    if _INFINITE.fullmatch(text):
        return math.inf
    if not _NUMBER.fullmatch(text):
        return math.nan
    value = float(text)
    if abs(value) > LARGEST and not _CODE.fullmatch(text):
        return math.copysign(math.inf, value)
    if _CODE.fullmatch(text) and math.isfinite(value):
        return math.nan
    return math.nan if abs(value) > EXACT and "." not in text and "e" not in text.lower() else value


def numbers(texts: Sequence[str], commas: str = "") -> Floats:
    """(n,) each text as a number; see :func:`number`."""
    return np.fromiter((number(text, commas) for text in texts), dtype=np.float64, count=len(texts))


def comma_reading(texts: Sequence[str], delimiter: str) -> str:
    """What commas in these numbers mean: ``decimal``, ``thousands``, or nothing where they are not such numbers."""
    with_comma = [split_unit(text)[0] for text in texts if "," in text]
    if not with_comma:
        return ""
    if all(map(_THOUSANDS.fullmatch, with_comma)) and not (delimiter == ";" and not any("." in t for t in texts)):
        return "thousands"
    return "decimal" if all(map(_DECIMAL_COMMA.fullmatch, with_comma)) else ""


def plain_numbers(column: pa.ChunkedArray) -> Floats | None:
    """(n,) a column of plain decimal numbers, NaN where empty; None where any text needs a closer look."""
    texts = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if not len(texts) or not _all_plain(texts):
        return None
    try:
        read = pc.cast(pc.if_else(pc.equal(texts, EMPTY), NO_TEXT, texts), pa.float64())
    except pa.ArrowInvalid:
        return None
    out: Floats = values(read)
    smallest, biggest = pc.min_max(read).as_py().values()
    return out if smallest is None or max(-smallest, biggest) <= EXACT else None


def _all_plain(texts: pa.Array) -> bool:
    """Whether the texts hold digits, points and minus signs alone, and none begins with a zero before a digit."""
    _, offsets_buffer, bytes_buffer = texts.buffers()
    if bytes_buffer is None or not bytes_buffer.size:
        return True
    offsets = np.frombuffer(offsets_buffer, dtype=np.int32)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(bytes_buffer, dtype=np.uint8)[: offsets[-1]]  # more may follow that is not of this column
    if data[offsets[0] : offsets[0] + 4096].tobytes().translate(None, _PLAIN):
        return False
    whole = data[offsets[0] : offsets[-1]].tobytes()
    if whole.translate(None, _PLAIN):
        return False
    starts, lengths = offsets[:-1], np.diff(offsets)
    if b"-" in whole:
        signed = (lengths > 1) & (data[np.minimum(starts, len(data) - 1)] == ord("-"))
        starts, lengths = starts + signed, lengths - signed
    starts = starts[lengths > 1]
    zero_first = starts[data[starts] == ord("0")]
    return not (data[zero_first + 1] != ord(".")).any()


def decimals_of(values: Floats) -> int:
    """How many decimals these numbers (n,) are written with, at most 15."""
    known = values[~np.isnan(values)]
    for decimals in range(16):
        kept = np.round(known, decimals) == known
        if kept.all():
            return decimals
        known = known[~kept]
    return 15


# --------------------------------------------------------------------------------------------------------------
# Dates: days since 1970-01-01, by a fixed list of formats

_DATES = {
    "%Y-%m-%d": r"(?P<Y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
    "%Y/%m/%d": r"(?P<Y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})",
    "%Y.%m.%d": r"(?P<Y>\d{4})\.(?P<m>\d{1,2})\.(?P<d>\d{1,2})",
    "%Y年%m月%d日": r"(?P<Y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日",
    "%Y-%m-%d %H:%M:%S": r"(?P<Y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2}) (?P<H>\d{2}):(?P<M>\d{2}):(?P<S>\d{2})(?:\.0+)?",
    "%Y-%m-%d %H:%M": r"(?P<Y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2}) (?P<H>\d{2}):(?P<M>\d{2})",
    "%Y-%m-%dT%H:%M": r"(?P<Y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})T(?P<H>\d{2}):(?P<M>\d{2})",
    "%Y-%m-%dT%H:%M:%S": r"(?P<Y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})T(?P<H>\d{2}):(?P<M>\d{2}):(?P<S>\d{2})(?:\.0+)?",
    "%d.%m.%Y": r"(?P<d>\d{1,2})\.(?P<m>\d{1,2})\.(?P<Y>\d{4})",
    "%d/%m/%Y": r"(?P<d>\d{1,2})/(?P<m>\d{1,2})/(?P<Y>\d{4})",
    "%m/%d/%Y": r"(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<Y>\d{4})",
    "%d-%m-%Y": r"(?P<d>\d{1,2})-(?P<m>\d{1,2})-(?P<Y>\d{4})",
    "%m-%d-%Y": r"(?P<m>\d{1,2})-(?P<d>\d{1,2})-(?P<Y>\d{4})",
    "%Y%m%d": r"(?P<Y>\d{4})(?P<m>\d{2})(?P<d>\d{2})",
    "%d %b %Y": r"(?P<d>\d{1,2}) (?P<b>[A-Za-z]{3,9})\.? (?P<Y>\d{4})",
    "%d-%b-%Y": r"(?P<d>\d{1,2})-(?P<b>[A-Za-z]{3,9})-(?P<Y>\d{4})",
    "%d%b%Y": r"(?P<d>\d{2})(?P<b>[A-Za-z]{3})(?P<Y>\d{4})",
    "%b %d, %Y": r"(?P<b>[A-Za-z]{3,9})\.? (?P<d>\d{1,2}), (?P<Y>\d{4})",
}
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_MONTH = {name[:letters].lower(): month for month, name in enumerate(_MONTHS, 1) for letters in (3, 4, len(name))}
_PATTERNS = {written: re.compile(pattern, re.ASCII) for written, pattern in _DATES.items()}
_EPOCH = date(1970, 1, 1).toordinal()
TWINS = {"%d/%m/%Y": "%m/%d/%Y", "%m/%d/%Y": "%d/%m/%Y", "%d-%m-%Y": "%m-%d-%Y", "%m-%d-%Y": "%d-%m-%Y"}
"""Formats that can be taken for each other."""
DATE_FORMATS = tuple(_DATES)
_SHORTEST = len("1/1/2020")


def day(text: str, written: str) -> float:
    """A plain text as days since 1970-01-01 (with a time: and a part of a day); NaN where it is no date."""
    match = _PATTERNS[written].fullmatch(text)
    if match is None:
        return math.nan
    parts = match.groupdict()
    parts["m"] = parts.get("m") or _MONTH.get(parts.pop("b", "").lower(), 0)
    part = {key: int(value) for key, value in parts.items()}
    try:
        whole = date(part["Y"], part["m"], part["d"]).toordinal() - _EPOCH
        if "H" not in part:
            return float(whole)
        clock = datetime(2000, 1, 1, part["H"], part["M"], part.get("S", 0), tzinfo=UTC)
    except ValueError:
        return math.nan
    return whole + round((clock.hour * 3600 + clock.minute * 60 + clock.second) / 86400, 5)


def days(texts: Sequence[str], written: str) -> Floats:
    """(n,) each text as days; NaN where it is none.

    By that format, else by another that cannot be taken for it, else as Excel's number of the day.
    """
    others = [other for other in DATE_FORMATS if other != written and other not in TWINS]
    texts = [plain(text) for text in texts]
    out = np.fromiter((day(text, written) for text in texts), dtype=np.float64, count=len(texts))
    for row in np.flatnonzero(np.isnan(out)).tolist():
        fits = (day(texts[row], other) for other in others)
        serial = float(texts[row]) - _SERIAL_EPOCH if is_serial(texts[row]) else math.nan
        out[row] = next((value for value in fits if not math.isnan(value)), serial)
    return out


def may_be_dates(texts: Sequence[str]) -> list[str]:
    """These texts as a keyboard writes them, without those that are too short for a date or have no digits."""
    return [text for text in map(plain, texts) if len(text) >= _SHORTEST and (text[0].isdigit() or text[-1].isdigit())]


def is_serial(text: str) -> bool:
    """Whether the text can be Excel's number for a day between 1927 and 2118."""
    return _SERIAL.fullmatch(text) is not None


def write_day(value: float, written: str) -> str:
    """The date as text in that format."""
    whole = math.floor(value + 1e-9)
    seconds = round((value - whole) * 86400)
    moment = date.fromordinal(_EPOCH + whole)
    return (
        written.replace("%Y", f"{moment.year:04d}")
        .replace("%m", f"{moment.month:02d}")
        .replace("%b", _MONTHS[moment.month - 1][:3])
        .replace("%d", f"{moment.day:02d}")
        .replace("%H", f"{seconds // 3600:02d}")
        .replace("%M", f"{seconds // 60 % 60:02d}")
        .replace("%S", f"{seconds % 60:02d}")
    )
