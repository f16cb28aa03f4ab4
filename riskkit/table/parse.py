"""Texts to numbers and dates, value by value, the same for every file.

These work on the distinct texts of a column, or on whole columns where all of them are plain numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
_SINCE = re.compile(r"[1-3]\d{9}(?:\d{3})?(?:\.\d+)?", re.ASCII)
_MOST_AHEAD = 14 * 3600
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
    if abs(value) > LARGEST:
        return math.copysign(math.inf, value)
    if _CODE.fullmatch(text):
        return math.nan
    return math.nan if abs(value) > EXACT and "." not in text and "e" not in text.lower() else value


def is_infinite(text: str) -> bool:
    """Whether it is written as infinite; else a text that :func:`number` reads so is a number that is too large."""
    return _INFINITE.fullmatch(split_unit(plain(text))[0]) is not None


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

_DAYS = {
    "%Y-%m-%d": r"(?P<Y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})",
    "%Y/%m/%d": r"(?P<Y>\d{4})/(?P<m>\d{1,2})/(?P<d>\d{1,2})",
    "%Y.%m.%d": r"(?P<Y>\d{4})\.(?P<m>\d{1,2})\.(?P<d>\d{1,2})",
    "%Y年%m月%d日": r"(?P<Y>\d{4})年(?P<m>\d{1,2})月(?P<d>\d{1,2})日",
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
_CLOCK = r"(?P<H>\d{1,2}):(?P<M>\d{2})(?::(?P<S>\d{2})(?:[.,]\d+)?)?(?: ?(?P<p>[AaPp])\.?[Mm]\.?)?"
_BARE = r"(?P<H>\d{2})(?P<M>\d{2})(?P<S>\d{2})(?:[.,]\d+)?"
_ZONE = r" ?(?P<z>[+-]\d{2}(?::?\d{2})?|[A-Za-z]{1,5}|[A-Z]\w+(?:/[\w+-]+)+)(?:\[[\w/+-]+\])?"
_ZONED = re.compile(r":\d{2}(?:[.,]\d+)?(?: ?[AaPp]\.?[Mm]\.?)? ?(?![AaPp]\.?[Mm])[A-Za-z+-]|\dT\d{4,6}[Z+-]", re.ASCII)
_DATES = {
    **_DAYS,
    "%Y-%m-%d %H:%M": _DAYS["%Y-%m-%d"] + r" (?P<H>\d{2}):(?P<M>\d{2})",
    "%Y-%m-%dT%H:%M": _DAYS["%Y-%m-%d"] + r"T(?P<H>\d{2}):(?P<M>\d{2})",
    "%Y-%m-%dT%H:%M:%S": _DAYS["%Y-%m-%d"] + "T" + _CLOCK,
    "%Y-%m-%dT%H:%M:%S%z": _DAYS["%Y-%m-%d"] + "T" + _CLOCK + _ZONE,
    "%Y%m%dT%H%M%S": _DAYS["%Y%m%d"] + "T" + _BARE,
    "%Y%m%dT%H%M%S%z": _DAYS["%Y%m%d"] + "T" + _BARE + _ZONE,
    "%a, %d %b %Y %H:%M:%S %z": "[A-Za-z]{3}, " + _DAYS["%d %b %Y"] + " " + _CLOCK + _ZONE,
    **{f"{written} %H:%M:%S": f"{pattern}(?:,? |:){_CLOCK}" for written, pattern in _DAYS.items()},
    **{f"{written} %H:%M:%S%z": f"{pattern}(?:,? |:){_CLOCK}{_ZONE}" for written, pattern in _DAYS.items()},
}
_HOURS = {
    "z": 0, "utc": 0, "gmt": 0, "wet": 0, "west": 1, "bst": 1, "cet": 1, "cest": 2, "eet": 2, "eest": 3, "msk": 3,
    "jst": 9, "kst": 9, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
}  # fmt: skip
"""By how many hours clocks of these zones are ahead."""
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
_CLOCKS = ("", " %H:%M:%S", " %H:%M:%S%z")
_PAIRS = (("%d/%m/%Y", "%m/%d/%Y"), ("%d-%m-%Y", "%m-%d-%Y"))
TWINS = {
    **{f"{first}{clock}": f"{other}{clock}" for first, other in _PAIRS for clock in _CLOCKS},
    **{f"{other}{clock}": f"{first}{clock}" for first, other in _PAIRS for clock in _CLOCKS},
}
"""Formats that can be taken for each other."""
DATE_FORMATS = tuple(_DATES)
_SHORTEST = len("1/1/2020")


def day(text: str, written: str) -> float:
    """A plain text as days since 1970-01-01 (with a time: and a part of a day); NaN where it is no date.

    A time with a zone is the instant: what the clock of Greenwich says then. Others are taken as they stand.
    """
    match = _PATTERNS[written].fullmatch(text)
    if match is None:
        return math.nan
    parts = match.groupdict()
    month = parts.get("m") or _MONTH.get((parts.get("b") or "").lower(), 0)
    try:
        whole = date(int(parts["Y"]), int(month), int(parts["d"]))
        days = float(whole.toordinal() - _EPOCH)
        if "H" not in parts:
            return days
        clock = time(_hour(parts), int(parts["M"]), int(parts.get("S") or 0))
        zone = parts.get("z")
        ahead = 0.0 if zone is None else _ahead(zone, datetime.combine(whole, clock, UTC))
    except ValueError:
        return math.nan
    seconds = clock.hour * 3600 + clock.minute * 60 + clock.second - ahead
    return days + seconds // 86400 + round(seconds % 86400 / 86400, 5)


def _hour(parts: Mapping[str, str | None]) -> int:
    """The hour of 24."""
    hour, half = int(parts["H"] or 0), (parts.get("p") or "").lower()
    if half and not 1 <= hour <= 12:
        raise ValueError
    return hour % 12 + 12 * (half == "p") if half else hour


def _ahead(zone: str, moment: datetime) -> float:
    """By how many seconds the clock of a zone is ahead of Greenwich at that time; raises ValueError for no zone."""
    if zone[0] in "+-":
        digits = zone[1:].replace(":", "").ljust(4, "0")
        seconds = int(digits[:2]) * 3600 + int(digits[2:]) * 60
        if seconds > _MOST_AHEAD:
            raise ValueError
        return -seconds if zone[0] == "-" else seconds
    if zone.lower() in _HOURS:
        return _HOURS[zone.lower()] * 3600
    try:
        ahead = moment.replace(tzinfo=ZoneInfo(zone)).utcoffset()
    except (ZoneInfoNotFoundError, OSError):
        raise ValueError from None
    return 0.0 if ahead is None else ahead.total_seconds()


def has_zone(text: str) -> bool:
    """Whether a plain text, which is a date, is a time with its zone."""
    return _ZONED.search(text) is not None


def days(texts: Sequence[str], written: str) -> Floats:
    """(n,) each text as days; NaN where it is none.

    By that format, else by another that cannot be taken for it, else as Excel's number of the day.
    """
    others = [other for other in DATE_FORMATS if other != written and other not in TWINS]
    texts = [plain(text) for text in texts]
    out = np.fromiter((day(text, written) for text in texts), dtype=np.float64, count=len(texts))
    for row in np.flatnonzero(np.isnan(out)).tolist():
        fits = (day(texts[row], other) for other in others)
        out[row] = next((value for value in fits if not math.isnan(value)), _counted(texts[row]))
        if not math.isnan(out[row]):  # files are written in one way: the next text probably is as this one
            others.sort(key=lambda other: math.isnan(day(texts[row], other)))
    return out


def _counted(text: str) -> float:
    """The day that a number says: Excel's number of the day, or seconds or thousandths since 1970; NaN for none."""
    if is_serial(text):
        seconds = round((float(text) - _SERIAL_EPOCH) * 86400)
    elif is_since_1970(text):
        seconds = int(float(text) / (1000 if len(text.split(".")[0]) == 13 else 1))
    else:
        return math.nan
    return seconds // 86400 + round(seconds % 86400 / 86400, 5)


def may_be_dates(texts: Sequence[str]) -> list[str]:
    """These texts as a keyboard writes them, without those that are too short for a date or have no digits."""
    return [text for text in map(plain, texts) if len(text) >= _SHORTEST and (text[0].isdigit() or text[-1].isdigit())]


def is_since_1970(text: str) -> bool:
    """Whether the text can be a time as the seconds, or their thousandths, since 1970: of the years 2001 to 2096."""
    return _SINCE.fullmatch(text) is not None


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
        .replace("%a", moment.strftime("%a"))
        .replace("%z", "+00:00")
    )
