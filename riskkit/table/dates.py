"""Columns of dates: the format they are written in, and what to say of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from riskkit.core import Bools, Floats, Kind
from riskkit.errors import Gravity, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.figures import numeric_column
from riskkit.table.forms import plain
from riskkit.table.parse import (
    DATE_FORMATS,
    TWINS,
    day,
    days,
    has_zone,
    is_serial,
    is_since_1970,
    may_be_dates,
)
from riskkit.table.pool import TextPool
from riskkit.table.verdict import TOKENS, ColumnChoice, ColumnVerdict

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
    dates = good & ~_serials(texts)
    return any(counts[dates].sum() >= _ALMOST_ALL * max(counts[~is_word].sum(), 1) for counts in texts.counts.values())


def _serials(texts: TextPool) -> Bools:
    """(n_texts,) whether each is a number that may stand for a time."""
    return _which(texts, lambda text: is_serial(text) or is_since_1970(text))


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
