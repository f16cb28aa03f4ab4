"""What a column is, judged by its texts in all files at once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from riskkit.core import MISSING, Column, Floats, Kind, Role, Schema
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.kinds.choice import TOKENS, ColumnChoice, ColumnVerdict
from riskkit.table.kinds.dates import DATE_FORMATS, date_column, date_verdict, days, share, unclear_problems
from riskkit.table.kinds.letters import refuse_mangled
from riskkit.table.kinds.missing_codes import code_problems as missing_code_problems
from riskkit.table.kinds.numbers import (
    LARGEST,
    comma_reading,
    group_problem,
    group_problems,
    is_group_name,
    is_id_name,
    is_infinite,
    is_number_id,
    number_problems,
    numbers,
    numeric_column,
    split_unit,
)
from riskkit.table.kinds.spellings import (
    TextPool,
    missing_problem,
    missing_words,
    pool,
    spelling_problems,
    spellings_of,
    unify_spellings,
)
from riskkit.table.text import TextTable

FEW = 20
"""A column of numbers and a word for missing stays categorical up to this many different numbers."""


def judge(name: str, files: Mapping[str, TextTable], choice: ColumnChoice) -> ColumnVerdict:
    """The column of that name, with its domain, over all files that have it.

    Raises
    ------
    SchemaError
        The kind the user chose cannot hold, or a number is infinite; says in which file and on which line.
    """
    if choice.role is not None and choice.role.names_unit:
        return ColumnVerdict(Column(name, Kind.ID, choice.role, reason=phrase("chosen")))
    if choice.role is Role.WEIGHT:
        return ColumnVerdict(Column(name, Kind.NUMERIC, choice.role, reason=phrase("chosen")))
    if choice.role is Role.TEXT:
        choice = replace(choice, kind=Kind.TEXT)
    plain = _plain(name, files) if choice.kind in (None, Kind.NUMERIC) and not choice.missing_tokens else None
    if plain is not None:
        verdict = _judge_numbers(name, plain, choice)
        verdict.problems += _codes(verdict.column, plain, files, choice)
    else:
        texts = pool(name, files, choice.missing_tokens)
        words = missing_words(texts, TOKENS) if choice.kind is None else []
        problems = [missing_problem(texts, words)] if words else []
        if words:
            choice = replace(choice, missing_tokens=(*choice.missing_tokens, *words))
            texts = pool(name, files, choice.missing_tokens)
        verdict = _judge_chosen(texts, choice) if choice.kind is not None else _judge_texts(texts, choice)
        verdict.problems += [*problems, *spelling_problems(texts, verdict.column)]
    if choice.role is not None:
        verdict.column = replace(verdict.column, role=choice.role)
    return verdict


def _plain(name: str, files: Mapping[str, TextTable]) -> dict[str, Floats] | None:
    """The numbers of each file where all texts are plain numbers; None where a closer look is needed."""
    out = {}
    for slot, file in files.items():
        values = file.plain(name)
        if values is None:
            return None
        out[slot] = values
    return out


def _judge_numbers(name: str, files: Mapping[str, Floats], choice: ColumnChoice) -> ColumnVerdict:
    """The verdict on a column of plain numbers."""
    known = _present_numbers(*files.values())
    if not len(known):
        return _empty(name)
    has_missing = len(known) < sum(map(len, files.values()))
    if known.min() == known.max() and not has_missing and choice.kind is None:
        return ColumnVerdict(
            Column(name, Kind.CONSTANT, Role.IGNORED, reason=phrase("one value only")), [_constant(name)]
        )
    written = (
        _present_numbers(*(own for slot, own in files.items() if slot != "synthetic"))
        if "synthetic" in files
        else known
    )
    column = numeric_column(name, known, None, written=written, has_missing=has_missing)
    if choice.kind is None and is_number_id(name, files["real"], column):
        return ColumnVerdict(Column(name, Kind.ID, Role.ID, reason=phrase("all values different")), [_id_problem(name)])
    return ColumnVerdict(column, [*number_problems(column, known), *group_problems(column, files["real"])])


def _codes(
    column: Column, numbers: Mapping[str, Floats], files: Mapping[str, TextTable], choice: ColumnChoice
) -> list[Problem]:
    """What to ask about numbers that probably mean missing, unless the user said what the column holds."""
    if not column.is_numeric or choice.kind is not None or choice.differs:
        return []
    return missing_code_problems(column, numbers, {slot: file.name for slot, file in files.items()})


def _present_numbers(*files: Floats) -> Floats:
    """The numbers that are not missing, of all these files."""
    values = np.concatenate(files) if len(files) > 1 else files[0]
    holes = np.isnan(values)
    return values[~holes] if holes.any() else values


def _empty(name: str) -> ColumnVerdict:
    column = Column(name, Kind.CONSTANT, Role.IGNORED, has_missing=True, reason=phrase("no values"))
    what = phrase("The column has no values in any file; it was left out.")
    return ColumnVerdict(column, [Problem(Gravity.REPAIR, "all_missing", what, "", column=name)])


def _constant(name: str) -> Problem:
    return Problem(
        Gravity.REPAIR, "constant", phrase("The column has one value only; it was left out."), "", column=name
    )


def _id_problem(name: str) -> Problem:
    what = phrase("The column seems to identify records; attacks do not use it.")
    return Problem(Gravity.QUESTION, "id_column", what, phrase("Change its kind if it describes people."), column=name)


# --------------------------------------------------------------------------------------------------------------
# Columns that need a look at each different text


def _judge_texts(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict:
    """The verdict on a column that is not plain numbers throughout."""
    if not texts.texts:
        return _empty(texts.name)
    if len(texts.texts) == 1 and not texts.has_missing:
        return ColumnVerdict(
            Column(texts.name, Kind.CONSTANT, Role.IGNORED, reason=phrase("one value only")), [_constant(texts.name)]
        )
    verdict = _numeric(texts, choice)
    if verdict is not None:
        return verdict
    verdict = date_verdict(texts, choice)
    if verdict is not None:
        numbers = texts.each(days(texts.texts, verdict.column.date_format))
        verdict.problems += _codes(verdict.column, numbers, texts.files, choice)
        return verdict
    verdict = _text_or_category(texts, choice)
    verdict.problems += [*unclear_problems(texts), *unit_problems(texts, verdict.column)]
    return verdict


def _numeric(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict | None:
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
    if len({unit for _, unit in map(split_unit, texts.texts)} - {""}) > 1:
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
        reason=counted_phrase(len(words), "numbers and {n} word for missing", "numbers and {n} words for missing")
        if words
        else "",
        tokens=tokens,
    )
    column = replace(column, commas=commas)
    real = np.repeat(values[good], texts.counts["real"][good])
    if not words and not commas and is_number_id(texts.name, real, column):
        return ColumnVerdict(
            Column(texts.name, Kind.ID, Role.ID, reason=phrase("all values different")), [_id_problem(texts.name)]
        )
    problems = [*number_problems(column, np.repeat(values[good], texts.total[good])), *group_problems(column, real)]
    problems += unit_problems(texts, column)
    problems += _codes(column, texts.each(values), texts.files, choice)
    if commas:
        what = phrase("The commas in the numbers were read as thousands signs.")
        if commas == "decimal":
            what = phrase("The commas in the numbers were read as decimal signs.")
        problems.append(
            texts.problem(Gravity.QUESTION, "number_commas", what, phrase("Choose the kind categorical if not."))
        )
    if words:
        what = phrase("{words} may mean missing; they were read as missing.", words=_words(texts, words))
        problems.append(_tokens_problem(texts, words, what, phrase("Choose categorical to keep them.")))
    return ColumnVerdict(column, problems)


def _units(texts: TextPool) -> set[str]:
    """The signs and units beside the numbers, where most texts of a file have one."""
    for own in texts.own().values():
        units = [split_unit(text)[1] for text in sorted(own)[:200]]
        if 2 * sum(map(bool, units)) > len(units):
            return {unit for _, unit in map(split_unit, texts.texts) if unit}
    return set()


def unit_problems(texts: TextPool, column: Column) -> list[Problem]:
    """What to say of numbers with a sign or unit beside them."""
    if not (any(split_unit(text)[1] for text in texts.texts) if column.is_numeric else _units(texts)):
        return []
    what = phrase(
        "The numbers stand beside a sign or unit (such as %, $ or kg); they were kept as text, for it is not the same "
        "throughout."
    )
    if column.is_numeric:
        what = phrase("The numbers stand beside a sign or unit (such as %, $ or kg); it was taken off.")
    return [
        texts.problem(Gravity.QUESTION, "number_units", what, phrase("Write numbers alone, in one unit in all files."))
    ]


def _any_comma(texts: TextPool) -> bool:
    return any("," in text for text in texts.texts[:2000])


def _delimiter(texts: TextPool) -> str:
    return texts.files["real"].delimiter if "real" in texts.files else ","


def _refuse_infinite(texts: TextPool, values: Floats) -> None:
    """Refuse what is written as infinite; where nothing is, numbers that are too large to calculate with."""
    bad = [text for text, value in zip(texts.texts, values, strict=True) if np.isinf(value)]
    if not bad:
        return
    infinite = [text for text in bad if is_infinite(text)]
    bad = infinite or bad
    file, line = texts.find(bad)
    count = int(texts.total[np.isin(texts.texts, bad)].sum())
    what = counted_phrase(count, "{n:,} value is infinite.", "{n:,} values are infinite.")
    if not infinite:
        what = counted_phrase(
            count,
            "{n:,} number is further from 0 than {largest}, the largest that riskkit calculates with.",
            "{n:,} numbers are further from 0 than {largest}, the largest that riskkit calculates with.",
            largest=f"{LARGEST:.0e}".replace("+", ""),
        )
    raise SchemaError.of(
        "infinite",
        what,
        phrase("Correct them, or leave them empty if they are missing."),
        file=file,
        column=texts.name,
        line=line,
        count=count,
    )


def _tokens_problem(texts: TextPool, words: Sequence[str], what: str, do: str) -> Problem:
    total = dict(zip(texts.texts, texts.total.tolist(), strict=True))
    return texts.problem(Gravity.QUESTION, "missing_token", what, do, count=sum(total[word] for word in words))


def _words(texts: TextPool, words: Sequence[str]) -> tuple[str, ...]:
    """Each word with how often it stands in all files."""
    total = dict(zip(texts.texts, texts.total.tolist(), strict=True))
    return tuple(
        counted_phrase(total[word], "{word!r} ({n:,} time)", "{word!r} ({n:,} times)", word=word) for word in words
    )


def _text_or_category(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict:
    """An identifier, a free text or a category."""
    refuse_mangled(texts)
    total, real = texts.total, texts.counts["real"]
    known, different = int(real.sum()), int((real > 0).sum())
    length = float(np.average([len(text) for text in texts.texts], weights=total))
    spaced = float(np.average([" " in text for text in texts.texts], weights=total))
    many = known >= 20
    nearly = different >= 0.95 * known
    if many and ((different == known and length <= 40 and spaced < 0.5) or (nearly and is_id_name(texts.name))):
        return ColumnVerdict(
            Column(
                texts.name,
                Kind.ID,
                Role.ID,
                reason=phrase("all values different") if different == known else phrase("named and nearly unique"),
            ),
            [_id_problem(texts.name)],
        )
    if many and ((length >= 30 and different >= 0.5 * known) or different >= 0.9 * known):
        return free_text(texts, choice, length)
    verdict = category(texts, choice)
    verdict.problems += nested_problems(texts)
    if is_group_name(texts.name):
        verdict.problems += group_problem(texts.name, known, different)
    return verdict


def category(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict:
    """A category with its levels."""
    aliases: dict[str, str] = {}
    problems: list[Problem] = []
    if not choice.differs:
        aliases, problems = unify_spellings(texts, keep_capitals=choice.kind is Kind.CATEGORICAL)
    levels = sorted({aliases.get(text, text) for text in texts.texts})
    reason = counted_phrase(len(levels), "{n:,} different text", "{n:,} different texts")
    if any(re.fullmatch(r"[+-]?0\d+", text) for text in levels):
        reason = phrase("leading zeros: kept as text")
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
        do = phrase("If so, enter them as missing.")
        what = phrase("{words} may mean missing; kept as values.", words=_words(texts, words))
        problems.append(_tokens_problem(texts, words, what, do))
    return ColumnVerdict(column, problems)


# --------------------------------------------------------------------------------------------------------------
# Kinds the user chose


def _judge_chosen(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict:
    """The column as the kind the user chose."""
    name, kind = texts.name, choice.kind
    refuse_mangled(texts)
    if kind is Kind.TEXT:
        return ColumnVerdict(kept_text(texts, choice, phrase("chosen")))
    if kind in (Kind.ID, Kind.CONSTANT):
        return ColumnVerdict(Column(name, kind, Role.ID if kind is Kind.ID else Role.IGNORED, reason=phrase("chosen")))
    if not texts.texts:
        return _empty(name)
    if kind is Kind.CATEGORICAL:
        verdict = category(texts, choice)
        verdict.column = replace(verdict.column, reason=phrase("chosen, {reason}", reason=verdict.column.reason))
        return verdict
    if kind is Kind.DATE:
        return _chosen_date(texts, choice)
    commas = comma_reading(texts.texts, _delimiter(texts))
    values = numbers(texts.texts, commas)
    _refuse_infinite(texts, values)
    _refuse_kind(texts, np.isnan(values), Kind.NUMERIC)
    column = numeric_column(
        name,
        values,
        texts.total.astype(float),
        written=values[texts.is_real],
        has_missing=texts.has_missing,
        reason=phrase("chosen"),
        tokens=choice.missing_tokens,
    )
    return ColumnVerdict(replace(column, commas=commas))


def _chosen_date(texts: TextPool, choice: ColumnChoice) -> ColumnVerdict:
    shares = {written: share(texts, written) for written in DATE_FORMATS}
    if choice.date_format and choice.date_format not in shares:
        raise SchemaError.of(
            "no_date_format",
            phrase("No dates are known that are written in the format that was said of the column."),
            phrase("Say one of {formats}.", formats=DATE_FORMATS),
            column=texts.name,
        )
    written = choice.date_format or max(shares, key=lambda key: shares[key])
    values = days(texts.texts, written)
    _refuse_kind(texts, np.isnan(values), Kind.DATE)
    verdict = date_column(texts, written, values, choice, shares)
    verdict.column = replace(verdict.column, reason=phrase("chosen, {reason}", reason=verdict.column.reason))
    return verdict


def _refuse_kind(texts: TextPool, bad: np.ndarray[tuple[int], np.dtype[np.bool_]], kind: Kind) -> None:
    if not bad.any():
        return
    file, line = texts.find([text for text, is_bad in zip(texts.texts, bad, strict=True) if is_bad])
    count = int(texts.total[bad].sum())
    what = counted_phrase(count, "{n:,} value is not a number.", "{n:,} values are not numbers.")
    if kind is Kind.DATE:
        what = counted_phrase(count, "{n:,} value is not a date.", "{n:,} values are not dates.")
    raise SchemaError.of(
        "kind_does_not_hold",
        what,
        phrase("Choose another kind, or enter the texts that mean missing."),
        file=file,
        column=texts.name,
        line=line,
        count=count,
    )


LONG = 20
"""Letters that texts must have on average to be kept as text without being asked for; most names are shorter."""


def text_columns(schema: Schema) -> tuple[Column, ...]:
    """The columns that are kept as text: no table holds them, and attacks on the released file may read them."""
    return tuple(column for column in schema.columns if column.kind is Kind.TEXT and column.role is Role.TEXT)


def free_texts(schema: Schema, texts: Mapping[str, TextTable]) -> dict[str, dict[str, list[str]]]:
    """The texts of every column that is kept as text, by column and slot, as they stand; a missing one is empty."""
    return {
        column.name: {slot: _without(text.column(column.name).to_pylist(), column) for slot, text in texts.items()}
        for column in text_columns(schema)
    }


def _without(values: Sequence[str], column: Column) -> list[str]:
    gone = spellings_of(column.missing_tokens)
    return ["" if text in gone else text for text in values]


def free_text(texts: TextPool, choice: ColumnChoice, length: float) -> ColumnVerdict:
    """The verdict on a column of mostly different texts of so many letters on average."""
    if length >= LONG:
        column = kept_text(texts, choice, phrase("long and mostly different texts"))
        return ColumnVerdict(column, [text_problem(texts), *nested_problems(texts)])
    column = Column(texts.name, Kind.TEXT, Role.IGNORED, reason=phrase("mostly different texts"))
    return ColumnVerdict(column, [short_text_problem(texts), *nested_problems(texts)])


def kept_text(texts: TextPool, choice: ColumnChoice, reason: str) -> Column:
    """A column of free text that is kept as it is."""
    return Column(
        texts.name,
        Kind.TEXT,
        Role.TEXT,
        has_missing=texts.has_missing,
        missing_tokens=choice.missing_tokens,
        reason=reason,
    )


def text_problem(texts: TextPool) -> Problem:
    """What to say of a column of free text that was kept."""
    what = phrase(
        "The column holds free text. Only attacks on the released file that read texts use it; all others leave it "
        "out. Free text is often the most revealing part of a release."
    )
    do = phrase("Confirm the role text on the Data page, choose categorical, or drop the column from the release.")
    return texts.problem(Gravity.QUESTION, "free_text", what, do)


def short_text_problem(texts: TextPool) -> Problem:
    """What to say of a column of short texts, nearly all different, that was left out."""
    what = phrase("The column holds short texts that nearly all differ, such as names; it was left out.")
    do = phrase("Drop it from the release, or choose the role text or the kind categorical.")
    return texts.problem(Gravity.QUESTION, "free_text", what, do)


def nested_problems(texts: TextPool) -> list[Problem]:
    """What to say of lists or objects within cells."""
    if 2 * _count_nested(texts.texts[:200]) <= len(texts.texts[:200]):
        return []
    count = _count_nested(texts.texts)
    what = counted_phrase(
        count,
        "{n:,} different value is a list or an object, as in JSON; it was read as one text.",
        "{n:,} different values are lists or objects, as in JSON; each was read as one text.",
    )
    return [
        texts.problem(
            Gravity.WARNING, "nested_values", what, phrase("Give each part a column of its own."), count=count
        )
    ]


def _count_nested(texts: Sequence[str]) -> int:
    return sum(text[0] in "{[" and text[-1] in "}]" for text in texts)
