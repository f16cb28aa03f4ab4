"""Texts to days, and a column of dates: the format it is written in, and what to say of it.

Dates are days since 1970-01-01, read by a fixed list of formats.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from riskkit.core import Bools, Floats, Kind
from riskkit.errors import Gravity, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.forms import plain
from riskkit.table.kinds.choice import TOKENS, ColumnChoice, ColumnVerdict
from riskkit.table.kinds.numbers import numeric_column
from riskkit.table.kinds.spellings import TextPool

_SERIAL = re.compile(r"[1-7]\d{4}(?:\.\d+)?", re.ASCII)
_SINCE = re.compile(r"[1-3]\d{9}(?:\d{3})?(?:\.\d+)?", re.ASCII)
_MOST_AHEAD = 14 * 3600
_SERIAL_EPOCH = 25569
"""Excel's number of 1970-01-01 in its calendar of 1900."""


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
        out[row] = next((value for value in fits if not math.isnan(value)), _day_of_number(texts[row]))
        if not math.isnan(out[row]):  # files are written in one way: the next text probably is as this one
            others.sort(key=lambda other: math.isnan(day(texts[row], other)))
    return out


def _day_of_number(text: str) -> float:
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


ISO = "%Y-%m-%d"


def day_text(value: float) -> str:
    """A date as year-month-day, with its time where it has one."""
    return write_day(value, ISO if value == math.floor(value) else f"{ISO} %H:%M:%S")


_ALMOST_ALL = 0.98
_UNCLEAR = re.compile(
    r"(\d{1,2}[./-]\d{1,2}[./-]\d{2}|\d{2}[./-]\d{1,2}[./-]\d{1,2})([T ]+\d{1,2}:\d{2}.*)?"
    r"|\d{4}[./-]\d{1,2}[./-]\d{1,2}[T ]+\d{1,2}:\d{2}.*",
    re.ASCII,
)


def date_verdict(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict | None:
    """A date where almost all records are dates of one known format, or Excel's numbers for them; None otherwise."""
    some = may_be_dates((*texts.texts[:200], *texts.texts[-200:]))  # so some of each file
    likely = [written for written in DATE_FORMATS if any(not np.isnan(day(text, written)) for text in some)]
    if not likely:
        return None
    shares = {written: share(texts, written) for written in likely}
    written = max(shares, key=lambda key: shares[key])
    if shares.get(TWINS.get(written, "")) == shares[written]:
        return None
    values = days(texts.texts, written)
    good, weight = ~np.isnan(values), texts.total.astype(float)
    is_word = np.isin(np.array(texts.texts, dtype=object), [text for text in texts.texts if text in TOKENS])
    if weight[good].sum() < _ALMOST_ALL * weight[~is_word].sum() or not _has_a_file_of_dates(texts, good, is_word):
        return None
    return date_column(texts, written, values, choice, shares)


def share(texts: TextPool, written: str) -> float:
    """The share of the records that are dates in that format."""
    weight = texts.total.astype(float)
    good = ~np.isnan([day(plain(text), written) for text in texts.texts])
    return float(weight[good].sum() / max(weight.sum(), 1))


def _has_a_file_of_dates(texts: TextPool, good: Bools, is_word: Bools) -> bool:
    """Whether one file is written in dates, so that another's five-digit numbers can be Excel's for them."""
    dates = good & ~_which(texts, lambda text: is_serial(text) or is_since_1970(text))
    return any(counts[dates].sum() >= _ALMOST_ALL * max(counts[~is_word].sum(), 1) for counts in texts.counts.values())


def _which(texts: TextPool, holds: Callable[[str], bool]) -> Bools:
    return np.fromiter((holds(plain(text)) for text in texts.texts), dtype=np.bool_, count=len(texts.texts))


def date_column(
    texts: TextPool, written: str, values: Floats, choice: ColumnChoice, shares: Mapping[str, float]
) -> ColumnVerdict:
    """The column of these days, and what to say of texts that are no dates or of another format."""
    good = ~np.isnan(values)
    bad = [text for text, value in zip(texts.texts, values, strict=True) if np.isnan(value)]
    column = numeric_column(
        texts.name,
        values[good],
        texts.total[good].astype(float),
        written=values[good & texts.is_real],
        has_missing=texts.has_missing or bool(bad),
        reason=phrase("dates written as {form}", form=written),
        tokens=choice.missing_tokens,
    )
    column = replace(column, kind=Kind.DATE, date_format=written)
    problems = _serial_problems(texts)
    others = _zone_problems(texts) if choice.kind is None else []
    if bad:
        file, line = texts.find(bad)
        count = int(texts.total[~good].sum())
        what = counted_phrase(
            count,
            "{n:,} value is not a date (in {file}, line {line:,}); it was read as missing.",
            "{n:,} values are not dates (the first in {file}, line {line:,}); they were read as missing.",
            file=file,
            line=line,
        )
        do = phrase("Correct them, or choose categorical.")
        problems.append(texts.problem(Gravity.QUESTION, "not_a_date", what, do, count=count))
    if not problems and shares[written] < texts.total[good].sum() / texts.total.sum():
        what = phrase("The dates are written in different formats; they were read as the same dates.")
        problems.append(
            texts.problem(Gravity.QUESTION, "date_formats_differ", what, phrase("Check the dates in the preview."))
        )
    return ColumnVerdict(column, [*problems, *others])


def _serial_problems(texts: TextPool) -> list[Problem]:
    """What to say of dates written as numbers of days or seconds, file by file."""
    do = phrase("Check them in the preview, or write them as year-month-day.")
    kinds = (("excel_dates", _serial, is_serial), ("seconds_since_1970", _since, is_since_1970))
    return [
        Problem(Gravity.WARNING, code, what(count), do, file.name, texts.name, count=count)
        for code, what, holds in kinds
        for which in (_which(texts, holds),)
        for slot, file in texts.files.items()
        if (count := int(texts.counts[slot][which].sum()))
    ]


def _zone_problems(texts: TextPool) -> list[Problem]:
    """What to say of times with zones: read as instants, and asked about where another file has times without."""
    zoned = _which(texts, has_zone) | _which(texts, is_since_1970)
    if not zoned.any():
        return []
    bare = _which(texts, lambda text: ":" in text) & ~zoned
    with_zone = {slot for slot, counts in texts.counts.items() if counts[zoned].any()}
    without = {slot for slot, counts in texts.counts.items() if counts[bare].any()}
    if not without:
        what = phrase("The times have zones; they were read as the instants that they are.")
        return [texts.problem(Gravity.REPAIR, "zones_matched", what, count=int(texts.total[zoned].sum()))]
    what = phrase("Some times have a zone, and some have none; those without were read as times of UTC.")
    if with_zone.isdisjoint(without):
        what = phrase(
            "The times of one file have zones and those of another have none; these were read as times of UTC."
        )
    do = phrase("Write all with their zone; or say the offset in days, or that the column is a date, if this is right.")
    return [texts.problem(Gravity.QUESTION, "zones_differ", what, do, count=int(texts.total[bare].sum()))]


def _since(count: int) -> str:
    return counted_phrase(
        count,
        "{n:,} time is written as the seconds since 1970, or their thousandths; it was read as that instant.",
        "{n:,} times are written as the seconds since 1970, or their thousandths; they were read as those instants.",
    )


def _serial(count: int) -> str:
    return counted_phrase(
        count,
        "{n:,} date is written as a number of days, as Excel does; it was read as a date from its calendar of 1900.",
        "{n:,} dates are written as numbers of days, as Excel does; they were read as dates from its calendar of 1900.",
    )


def unclear_problems(texts: TextPool) -> list[Problem]:
    """What to say of texts that seem to be dates and were not read as such."""
    some = [plain(text) for text in texts.texts[:200]]
    do = phrase("Write them as year-month-day in the files.")
    for written, twin in TWINS.items():
        if _share_of([not np.isnan(day(text, written)) for text in some]) and share(texts, written) == share(
            texts, twin
        ):
            what = phrase("The dates can be read day first or month first; they were kept as text.")
            return [texts.problem(Gravity.QUESTION, "ambiguous_dates", what, do)]
    if _share_of([_UNCLEAR.fullmatch(text) is not None for text in some]):
        what = phrase(
            "The dates have years of two digits, or times in a way that is not known; they were kept as text."
        )
        return [texts.problem(Gravity.QUESTION, "unclear_dates", what, do)]
    return []


def _share_of(are: list[bool]) -> bool:
    return sum(are) >= _ALMOST_ALL * len(are) > 0
