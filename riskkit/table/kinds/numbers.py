"""Texts to numbers, and a column of numbers: its domain, and whether it identifies, singles out or holds codes."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

import numpy as np

from riskkit.core import Column, Floats, Kind, Table
from riskkit.errors import Gravity, Problem
from riskkit.phrases import Value, counted_phrase, phrase
from riskkit.table.forms import plain
from riskkit.table.text import EXACT

LARGEST = 1e150
"""The square of a larger number is none any more, so its column has no spread."""

_NUMBER = re.compile(r"[+-]?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]?\.\d+(?:[eE][+-]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[+-]?(?:inf|infinity)", re.IGNORECASE)
_CODE = re.compile(r"\d+[eE]\d+", re.ASCII)
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DIGITS_FIRST = frozenset("0123456789.-+")
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


def decimals_of(values: Floats) -> int:
    """How many decimals these numbers (n,) are written with, at most 15."""
    known = values[~np.isnan(values)]
    for decimals in range(16):
        kept = np.round(known, decimals) == known
        if kept.all():
            return decimals
        known = known[~kept]
    return 15


def number_text(value: float) -> str:
    """A number with a point and no exponent, in as few digits as tell it from all others."""
    return np.format_float_positional(value, trim="-")


FEW_CODES = 20
"""Different whole numbers up to which a column may hold codes."""

_ID_NAME = re.compile(
    r"(^|[\W_])(id|ids|uuid|guid|key|no|nr|number|e-?mail)($|[\W_])|番号|编号|번호|[a-z]ID$|^ID", re.IGNORECASE
)

_GROUP_NAME = re.compile(
    r"(^|[\W_])(hh|household|family|dwelling|cluster|psu|世帯|家庭|가구)[\W_]?(id|no|nr|num|number|key|番号|编号|번호)?$",
    re.IGNORECASE,
)
_WEIGHT_NAME = re.compile(
    r"(^|[\W_])(fnlwgt|wgt|pwgtp?|hhwt|perwt|wtfinl|(sample|sampling|survey|person|final)[\W_]?weight)", re.IGNORECASE
)


_CODE_NAME = re.compile(
    r"(^|[\W_])(zip|plz|fips|naics|isco|postnr|postnummer|cap|codes?|kod|kode|código|codigo|cp)($|[\W_])"
    r"|zip[\W_]?code|post(al|leit)?[\W_]?(code|zahl)|郵便|邮编|邮政|우편",
    re.IGNORECASE,
)
"""Names of columns of codes, such as those of places."""
_DIGITS, _NAMED_DIGITS = 5, 3
"""Digits that all numbers of a column have where they may be codes; fewer are enough where its name says so."""
_REPEATED, _SPARSE, _TENS = 0.5, 0.1, 0.3
"""At most so many of the numbers differ, so many of those between the least and the largest are there, and so many are
multiples of ten, where nothing but how they are written says that they are codes: what is measured repeats less."""


def numeric_column(
    name: str,
    values: Floats,
    weights: Floats | None,
    *,
    written: Floats,
    has_missing: bool,
    reason: str = "",
    tokens: Sequence[str] = (),
) -> Column:
    """A numeric column whose domain is that of these values, each counted ``weights`` times (once where None).

    ``written`` are the values whose decimals count: those of the real table and the holdout. Generators round by
    them, and a release that writes 15 decimals says nothing of how real values are written.
    """
    decimals = decimals_of(written if len(written) else values)
    mean, sd = _mean_and_sd(values, weights)
    return Column(
        name,
        Kind.NUMERIC,
        low=float(values.min()),
        high=float(values.max()),
        mean=mean,
        sd=sd,
        decimals=decimals,
        has_missing=has_missing,
        missing_tokens=tuple(tokens),
        reason=reason or (phrase("decimal numbers") if decimals else phrase("whole numbers")),
    )


def _mean_and_sd(values: Floats, weights: Floats | None) -> tuple[float, float]:
    """Both, summed in the order of the values: the order of the rows in the file leaves no trace in the last bits."""
    if weights is None:
        values = np.sort(values)
    else:
        order = np.lexsort((weights, values))
        values, weights = values[order], weights[order]
    mean = float(np.average(values, weights=weights))
    return mean, float(np.sqrt(np.average((values - mean) ** 2, weights=weights)))


def is_number_id(name: str, values: Floats, column: Column) -> bool:
    """Whether whole numbers (n,) only number the records: all different, and named, closely packed or of one length."""
    known = values[~np.isnan(values)]
    if column.decimals or len(known) < 20 or known.min() < 0:
        return False
    span = known.max() - known.min() + 1
    packed = 0.95 * len(known) <= span <= 2 * len(known)
    long = known.min() >= 10_000 and len(str(int(known.min()))) == len(str(int(known.max())))
    named = is_id_name(name)
    return bool(named or packed or long) and len(np.unique(known)) >= (0.95 if named else 1.0) * len(known)


def is_id_name(name: str) -> bool:
    """Whether a column is named as identifiers are."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return _ID_NAME.search(words) is not None


def group_problems(column: Column, real: Floats) -> list[Problem]:
    """What to say of whole numbers that seem to number households or visits, and of sampling weights.

    ``real`` are the numbers of the real table.
    """
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", column.name)
    if _WEIGHT_NAME.search(words):
        what = phrase("The column seems to hold sampling weights, which say how many people a row stands for.")
        do = phrase("Give it the role weight, and drop it from the release if it is there.")
        return [Problem(Gravity.QUESTION, "sampling_weights", what, do, column=column.name)]
    if column.decimals or not is_group_name(column.name):
        return []
    known = real[~np.isnan(real)]
    return group_problem(column.name, known.size, len(np.unique(known)))


def is_group_name(name: str) -> bool:
    """Whether a column is named as numbers of households or people are."""
    return _GROUP_NAME.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)) is not None or is_id_name(name)


def group_problem(name: str, rows: int, different: int) -> list[Problem]:
    """What to say of a column so named, where each of its values stands in up to ten rows on average."""
    if not (rows >= 20 and 0.1 * rows <= different < 0.95 * rows):
        return []
    what = phrase(
        "Is this a person or a household? {different:,} values stand in {rows:,} rows, so each has several.",
        different=different,
        rows=rows,
    )
    do = phrase(
        "A game on single rows then says too little: keep one row of each, or give the column the role ignored."
    )
    return [Problem(Gravity.QUESTION, "group_id", what, do, column=name, count=different)]


def number_problems(column: Column, known: Floats) -> list[Problem]:
    """What to say of a column of numbers of which almost all are different."""
    problems = []
    if column.decimals and len(known) >= 50 and _nearly_unique(known):
        what = phrase("Almost every number is different, so a number alone can single a record out.")
        problems.append(Problem(Gravity.WARNING, "near_unique_numbers", what, "", column=column.name))
    return problems


def code_problems(real: Table, chosen: Collection[str], file: str) -> list[Problem]:
    """One question about all columns of few whole numbers, and one about those of one length: perhaps codes.

    They are numbers to a program. Two numbers are as far from each other as two codes are, so columns of two are left
    out; so are those ``chosen``.
    """
    whole = {
        column.name: real.numbers[:, position]
        for position, column in enumerate(real.schema.numeric)
        if column.kind is Kind.NUMERIC and not column.decimals and column.name not in chosen
    }
    few = {name: _different(values, FEW_CODES) for name, values in whole.items()}
    problems = []
    if columns := [name for name, different in few.items() if 2 < different <= FEW_CODES]:
        what = counted_phrase(
            len(columns),
            "Is {names} a count or a code? It was read as a count.",
            "Are {names} counts or codes? They were read as counts.",
            names=_first_names(columns),
        )
        do = phrase("For codes, choose categorical.")
        problems.append(Problem(Gravity.QUESTION, "few_numbers", what, do, file, count=len(columns)))
    if columns := [name for name, different in few.items() if different > FEW_CODES and _are_codes(name, whole[name])]:
        what = counted_phrase(
            len(columns),
            "Is {names} a code, like a postal code? All its numbers have as many digits. It was read as numbers.",
            "Are {names} codes, like postal codes? All their numbers have as many digits. They were read as numbers.",
            names=_first_names(columns),
        )
        do = phrase("For codes, choose categorical; for what is measured or counted, numeric.")
        problems.append(Problem(Gravity.QUESTION, "code_numbers", what, do, file, count=len(columns)))
    return problems


def _first_names(columns: Sequence[str]) -> Value:
    """The first of these names, and how many more there are."""
    names: Value = tuple(map(repr, columns[:5]))
    return names if len(columns) <= 5 else phrase("{names} and {more:,} more", names=names, more=len(columns) - 5)


def _are_codes(name: str, values: Floats) -> bool:
    """Whether whole numbers (n,), some of them missing, may be codes: all of one length, and so named or repeated."""
    known = values[~np.isnan(values)]
    low, high = known.min(), known.max()
    digits = len(f"{low:.0f}")
    if low <= 0 or digits != len(f"{high:.0f}"):
        return False
    if _CODE_NAME.search(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)):
        return digits >= _NAMED_DIGITS
    different = np.unique(known)
    return bool(
        digits >= _DIGITS
        and len(different) <= _REPEATED * len(known)
        and len(different) <= _SPARSE * (high - low)
        and (different % 10 == 0).mean() <= _TENS
    )


def _different(values: Floats, most: int) -> int:
    """How many different numbers there are; a first look spares the count where they are more than that."""
    some = values[:1000]
    first = len(np.unique(some[~np.isnan(some)]))
    return first if first > most else len(np.unique(values[~np.isnan(values)]))


def _nearly_unique(known: Floats) -> bool:
    """Whether more than 95 % of the numbers are different; a sample spares most columns the count."""
    some = known[:: max(len(known) // 1000, 1)]
    return len(np.unique(some)) > 0.95 * len(some) and len(np.unique(known)) > 0.95 * len(known)
