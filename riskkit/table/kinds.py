"""What a column is, judged by its texts in all files at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from riskkit.core import MISSING, Column, Floats, Kind, Role
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.table.figures import is_id_name, is_number_id, number_problems, numeric_column
from riskkit.table.parse import DATE_FORMATS, TWINS, comma_reading, day, days, numbers, plain_numbers
from riskkit.table.pool import Pool, pool, spelling_problems
from riskkit.table.spellings import missing_problem, missing_words, unified
from riskkit.table.text import TextTable

TOKENS = (
    "NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "null", "NULL", "None", "none", "?", ".", "-", "--", "N",
    "unknown", "Unknown", "missing", "Missing", "不明", "欠損", "未知", "모름",
)  # fmt: skip
"""Texts that often mean missing. They are values until the user says otherwise."""
FEW = 20
"""A column of numbers and a word for missing stays categorical up to this many different numbers."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What the user decided about a column; what is None or empty is left to riskkit."""

    kind: Kind | None = None
    role: Role | None = None
    missing_tokens: tuple[str, ...] = ()


@dataclass(slots=True)
class Verdict:
    """A column as it was judged, and what the user should know of it."""

    column: Column
    problems: list[Problem] = field(default_factory=list)


def judge(name: str, files: Mapping[str, TextTable], choice: Choice) -> Verdict:
    """The column of that name, with its domain, over all files that have it.

    Raises
    ------
    SchemaError
        The kind the user chose cannot hold, or a number is infinite; says in which file and on which line.
    """
    plain = _plain(name, files) if choice.kind in (None, Kind.NUMERIC) and not choice.missing_tokens else None
    if plain is not None:
        verdict = _of_numbers(name, plain, choice)
    else:
        texts = pool(name, files, choice.missing_tokens)
        words = missing_words(texts, TOKENS) if choice.kind is None else []
        found = [missing_problem(texts, words)] if words else []
        if words:
            choice = replace(choice, missing_tokens=(*choice.missing_tokens, *words))
            texts = pool(name, files, choice.missing_tokens)
        verdict = _chosen(texts, choice) if choice.kind is not None else _of_texts(texts, choice)
        verdict.problems += [*found, *spelling_problems(texts)]
    if choice.role is not None:
        verdict.column = replace(verdict.column, role=choice.role)
    return verdict


def _plain(name: str, files: Mapping[str, TextTable]) -> dict[str, Floats] | None:
    """The numbers of each file where all texts are plain numbers; None where a closer look is needed."""
    out = {}
    for slot, file in files.items():
        values = plain_numbers(file.data.column(name))
        if values is None:
            return None
        out[slot] = values
    return out


def _of_numbers(name: str, files: Mapping[str, Floats], choice: Choice) -> Verdict:
    """The verdict on a column of plain numbers."""
    known = _known(*files.values())
    if not len(known):
        return _empty(name)
    has_missing = len(known) < sum(map(len, files.values()))
    if known.min() == known.max() and not has_missing and choice.kind is None:
        return Verdict(Column(name, Kind.CONSTANT, Role.IGNORED, reason="one value only"), [_constant(name)])
    written = _known(*(own for slot, own in files.items() if slot != "synthetic")) if "synthetic" in files else known
    column = numeric_column(name, known, None, written=written, has_missing=has_missing)
    if choice.kind is None and is_number_id(name, files["real"], column):
        return Verdict(Column(name, Kind.ID, Role.ID, reason="all values different"), [_id_problem(name)])
    return Verdict(column, number_problems(column, known))


def _known(*files: Floats) -> Floats:
    """The numbers that are not missing, of all these files."""
    values = np.concatenate(files) if len(files) > 1 else files[0]
    holes = np.isnan(values)
    return values[~holes] if holes.any() else values


def _empty(name: str) -> Verdict:
    column = Column(name, Kind.CONSTANT, Role.IGNORED, has_missing=True, reason="no values")
    what = "The column has no values in any file; it was left out."
    return Verdict(column, [Problem(Gravity.REPAIR, "all_missing", what, "", column=name)])


def _constant(name: str) -> Problem:
    return Problem(Gravity.REPAIR, "constant", "The column has one value only; it was left out.", "", column=name)


def _id_problem(name: str) -> Problem:
    what = "The column seems to identify records; attacks do not use it."
    return Problem(Gravity.QUESTION, "id_column", what, "Change its kind if it describes people.", column=name)


# --------------------------------------------------------------------------------------------------------------
# Columns that need a look at each different text


def _of_texts(texts: Pool, choice: Choice) -> Verdict:
    """The verdict on a column that is not plain numbers throughout."""
    if not texts.texts:
        return _empty(texts.name)
    if len(texts.texts) == 1 and not texts.has_missing:
        return Verdict(
            Column(texts.name, Kind.CONSTANT, Role.IGNORED, reason="one value only"), [_constant(texts.name)]
        )
    for attempt in (_numeric, _date):
        verdict = attempt(texts, choice)
        if verdict is not None:
            return verdict
    return _text_or_category(texts, choice)


def _numeric(texts: Pool, choice: Choice) -> Verdict | None:
    """Numeric where all texts are numbers, or all but words for missing; None otherwise."""
    head = numbers(texts.texts[:2000], "thousands")
    commas = comma_reading([t for t in texts.texts if t not in TOKENS], _delimiter(texts)) if _any_comma(texts) else ""
    if np.isnan(head).mean() > 0.5 and len(texts.texts) > 50 and not commas:
        return None
    values = numbers(texts.texts, commas)
    good = np.isfinite(values)
    words = [text for text, value in zip(texts.texts, values, strict=True) if np.isnan(value)]
    if not good.any() or any(word not in TOKENS for word in words):
        return None
    _refuse_infinite(texts, values)
    if words and len(np.unique(values[good])) <= FEW:
        return None
    tokens = (*choice.missing_tokens, *words)
    column = numeric_column(
        texts.name,
        values[good],
        texts.total[good].astype(float),
        written=values[good & texts.is_real],
        has_missing=texts.has_missing or bool(words),
        reason=f"numbers and {len(words)} words for missing" if words else "",
        tokens=tokens,
    )
    column = replace(column, commas=commas)
    real = np.repeat(values[good], texts.counts["real"][good])
    if not words and not commas and is_number_id(texts.name, real, column):
        return Verdict(Column(texts.name, Kind.ID, Role.ID, reason="all values different"), [_id_problem(texts.name)])
    problems = number_problems(column, np.repeat(values[good], texts.total[good]))
    if commas:
        what = f"The commas in the numbers were read as {commas} signs."
        problems.append(texts.problem(Gravity.QUESTION, "number_commas", what, "Choose the kind categorical if not."))
    if words:
        problems.append(_tokens_problem(texts, words, "they were read as missing", "Choose categorical to keep them."))
    return Verdict(column, problems)


def _any_comma(texts: Pool) -> bool:
    return any("," in text for text in texts.texts[:2000])


def _delimiter(texts: Pool) -> str:
    return texts.files["real"].delimiter if "real" in texts.files else ","


def _refuse_infinite(texts: Pool, values: Floats) -> None:
    bad = [text for text, value in zip(texts.texts, values, strict=True) if np.isinf(value)]
    if bad:
        file, line = texts.find(bad)
        count = int(texts.total[np.isinf(values)].sum())
        raise SchemaError.of(
            "infinite",
            f"{count:,} values are infinite or too large to be numbers.",
            "Correct them, or leave them empty if they are missing.",
            file=file,
            column=texts.name,
            line=line,
            count=count,
        )


def _tokens_problem(texts: Pool, words: Sequence[str], happened: str, do: str) -> Problem:
    total = dict(zip(texts.texts, texts.total.tolist(), strict=True))
    told = ", ".join(f"{word!r} ({total[word]:,} times)" for word in words)
    count = sum(total[word] for word in words)
    return texts.problem(Gravity.QUESTION, "missing_token", f"{told} may mean missing; {happened}.", do, count=count)


def _date(texts: Pool, choice: Choice) -> Verdict | None:
    """A date where at least 98 % of the records are dates of one known format; None otherwise."""
    likely = [written for written in DATE_FORMATS if _share(texts, written, 200)]
    if not likely:
        return None
    words = [text for text in texts.texts if text in TOKENS]
    shares = {written: _share(texts, written) for written in likely}
    written = max(shares, key=lambda key: shares[key])
    twin = TWINS.get(written)
    if twin is not None and shares.get(twin) == shares[written]:
        what = "The dates can be read day first or month first; they were kept as text."
        verdict = _text_or_category(texts, choice)
        do = "Write them as year-month-day in the files."
        verdict.problems.append(texts.problem(Gravity.QUESTION, "ambiguous_dates", what, do))
        return verdict
    values = days(texts.texts, written)
    good, weight = ~np.isnan(values), texts.total.astype(float)
    is_word = np.isin(np.array(texts.texts, dtype=object), words)
    if weight[good].sum() < 0.98 * weight[~is_word].sum():
        return None
    return _date_column(texts, written, values, choice, shares)


def _share(texts: Pool, written: str, first: int | None = None) -> float:
    """The share of the records that are dates in that format."""
    some = texts.texts[:first]
    weight = texts.total[: len(some)].astype(float)
    good = ~np.isnan([day(text, written) for text in some])
    return float(weight[good].sum() / max(weight.sum(), 1))


def _date_column(texts: Pool, written: str, values: Floats, choice: Choice, shares: Mapping[str, float]) -> Verdict:
    good = ~np.isnan(values)
    bad = [text for text, value in zip(texts.texts, values, strict=True) if np.isnan(value)]
    column = numeric_column(
        texts.name,
        values[good],
        texts.total[good].astype(float),
        written=values[good & texts.is_real],
        has_missing=texts.has_missing or bool(bad),
        reason=f"dates written as {written}",
        tokens=choice.missing_tokens,
    )
    column = replace(column, kind=Kind.DATE, date_format=written)
    problems = []
    if bad:
        file, line = texts.find(bad)
        count = int(texts.total[~good].sum())
        what = f"{count:,} values are not dates (the first in {file}, line {line:,}); they were read as missing."
        do = "Correct them, or choose categorical."
        problems.append(texts.problem(Gravity.QUESTION, "not_a_date", what, do, count=count))
    if shares[written] < texts.total[good].sum() / texts.total.sum():
        what = "The dates are written in different formats; they were read as the same dates."
        problems.append(texts.problem(Gravity.QUESTION, "date_formats_differ", what, "Check the dates in the preview."))
    return Verdict(column, problems)


def _text_or_category(texts: Pool, choice: Choice) -> Verdict:
    """An identifier, a free text or a category."""
    total, real = texts.total, texts.counts["real"]
    known, different = int(real.sum()), int((real > 0).sum())
    length = float(np.average([len(text) for text in texts.texts], weights=total))
    spaced = float(np.average([" " in text for text in texts.texts], weights=total))
    many = known >= 20
    nearly = different >= 0.95 * known
    if many and ((different == known and length <= 40 and spaced < 0.5) or (nearly and is_id_name(texts.name))):
        return Verdict(
            Column(
                texts.name,
                Kind.ID,
                Role.ID,
                reason="all values different" if different == known else "named and nearly unique",
            ),
            [_id_problem(texts.name)],
        )
    if many and ((length >= 30 and different >= 0.5 * known) or different >= 0.9 * known):
        return Verdict(
            Column(texts.name, Kind.TEXT, Role.IGNORED, reason="mostly different texts"), [text_problem(texts)]
        )
    return category(texts, choice)


def text_problem(texts: Pool) -> Problem:
    """What to say of a column of free text."""
    what = "The column holds free text; it was left out. Free text is often the most revealing part of a release."
    return texts.problem(Gravity.QUESTION, "free_text", what, "Drop it from the release, or choose categorical.")


def category(texts: Pool, choice: Choice) -> Verdict:
    """A category with its levels."""
    aliases, problems = unified(texts)
    levels = sorted({aliases.get(text, text) for text in texts.texts})
    reason = f"{len(levels):,} different texts"
    if any(re.fullmatch(r"[+-]?0\d+", text) for text in levels):
        reason = "leading zeros: kept as text"
    column = Column(
        texts.name,
        Kind.CATEGORICAL,
        levels=(*levels, MISSING) if texts.has_missing else tuple(levels),
        has_missing=texts.has_missing,
        missing_tokens=choice.missing_tokens,
        reason=reason,
    )
    words = [level for level in levels if level in TOKENS]
    if words:
        do = "Name them as missing tokens if they mean missing."
        problems.append(_tokens_problem(texts, words, "they were kept as values", do))
    return Verdict(column, problems)


# --------------------------------------------------------------------------------------------------------------
# Kinds the user chose


def _chosen(texts: Pool, choice: Choice) -> Verdict:
    """The column as the kind the user chose."""
    name, kind = texts.name, choice.kind
    if kind in (Kind.ID, Kind.TEXT, Kind.CONSTANT):
        return Verdict(Column(name, kind, Role.ID if kind is Kind.ID else Role.IGNORED, reason="chosen"))
    if not texts.texts:
        return _empty(name)
    if kind is Kind.CATEGORICAL:
        verdict = category(texts, choice)
        verdict.column = replace(verdict.column, reason=f"chosen, {verdict.column.reason}")
        return verdict
    if kind is Kind.DATE:
        return _chosen_date(texts, choice)
    commas = comma_reading(texts.texts, _delimiter(texts))
    values = numbers(texts.texts, commas)
    _refuse_infinite(texts, values)
    _refuse_kind(texts, np.isnan(values), "numbers")
    column = numeric_column(
        name,
        values,
        texts.total.astype(float),
        written=values[texts.is_real],
        has_missing=texts.has_missing,
        reason="chosen",
        tokens=choice.missing_tokens,
    )
    return Verdict(replace(column, commas=commas))


def _chosen_date(texts: Pool, choice: Choice) -> Verdict:
    shares = {written: _share(texts, written) for written in DATE_FORMATS}
    written = max(shares, key=lambda key: shares[key])
    values = days(texts.texts, written)
    _refuse_kind(texts, np.isnan(values), "dates")
    verdict = _date_column(texts, written, values, choice, shares)
    verdict.column = replace(verdict.column, reason=f"chosen, {verdict.column.reason}")
    return verdict


def _refuse_kind(texts: Pool, bad: np.ndarray[tuple[int], np.dtype[np.bool_]], wanted: str) -> None:
    if not bad.any():
        return
    file, line = texts.find([text for text, is_bad in zip(texts.texts, bad, strict=True) if is_bad])
    count = int(texts.total[bad].sum())
    raise SchemaError.of(
        "kind_does_not_hold",
        f"{count:,} values are not {wanted}.",
        "Choose another kind, or name the missing tokens.",
        file=file,
        column=texts.name,
        line=line,
        count=count,
    )
