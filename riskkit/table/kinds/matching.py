"""Values of the other files as the real file writes them: one meaning, one text.

An audit compares texts. Where the real table says ``True`` and the release ``1.0`` for the same thing, a verbatim copy
shares no value with the table it was copied from, and no attack sees it. Before columns are typed, every file is
therefore brought to the writing of the real one where it is certain what is meant. Different values of one file are
never made one here; what stays uncertain is asked (:mod:`riskkit.table.evidence.overlap`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from riskkit.base import stages
from riskkit.core import Column, Floats, Ints, Kind, Role
from riskkit.errors import Gravity, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.forms import plain, tidy
from riskkit.table.kinds import alike
from riskkit.table.kinds.choice import TOKENS, ColumnChoice
from riskkit.table.kinds.dates import DATE_FORMATS, TWINS, day, day_text, may_be_dates
from riskkit.table.kinds.numbers import number, number_text, split_unit
from riskkit.table.kinds.recoding import convert, is_whole, nearest_real
from riskkit.table.kinds.spellings import Levels, pair_of, spellings_of, translate_words, truth_word
from riskkit.table.text import TextTable, texts_of

_FIRST, _ALMOST_ALL = 20, 0.98
"""Rows whose texts must all be objects before others are looked at, and the share of all texts that must be."""
_TRUTH = 24
"""Different texts that a column of yes and no may have at most in a file, missing ones among them."""


Counted = Mapping[str, int]
"""The different texts of a column in one file, tidied and none empty, and how many rows have each."""
Renamed = Mapping[str, Mapping[str, str]]
"""By slot, tidied texts with the text each is replaced by."""


_SENTENCES: Mapping[str, Callable[[int], str]] = {
    "booleans_matched": lambda n: counted_phrase(
        n,
        "{n:,} value says yes or no in another word than the real file; it was read as its word.",
        "{n:,} values say yes and no in other words than the real file; they were read as its words.",
    ),
    "numbers_matched": lambda n: counted_phrase(
        n,
        "{n:,} number is written in another way than a plain 1234.5; it was read as such a number.",
        "{n:,} numbers are written in another way than a plain 1234.5; they were read as such numbers.",
    ),
    "dates_matched": lambda n: counted_phrase(
        n,
        "{n:,} date names day, month and year in another order than other files do; it was read as the same date.",
        "{n:,} dates name day, month and year in another order than other files do; they were read as the same dates.",
    ),
    "objects_matched": lambda n: counted_phrase(
        n,
        "{n:,} object or list, as in JSON, was read with its keys in order, so that equal ones are found.",
        "{n:,} objects or lists, as in JSON, were read with their keys in order, so that equal ones are found.",
    ),
    "labels_read": lambda n: counted_phrase(
        n,
        "{n:,} code was read by its label, or its label as the code, as another file holds it.",
        "{n:,} codes were read by their labels, or their labels as the codes, as another file holds them.",
    ),
    "missing_codes_read": lambda n: counted_phrase(
        n,
        "{n:,} value is a code for missing, as a file of a statistics program says; it was read as missing.",
        "{n:,} values are codes for missing, as a file of a statistics program says; they were read as missing.",
    ),
    "values_read_as": lambda n: counted_phrase(
        n,
        "{n:,} released value was read as the real value that you said it means.",
        "{n:,} released values were read as the real values that you said they mean.",
    ),
    "values_converted": lambda n: counted_phrase(
        n,
        "{n:,} released number was brought to the unit of the real ones, as you said.",
        "{n:,} released numbers were brought to the unit of the real ones, as you said.",
    ),
    "rounding_matched": lambda n: counted_phrase(
        n,
        "{n:,} number differs from a real one in its last digits alone, as a sum or a number of single precision does; "
        "it was read as the real one.",
        "{n:,} numbers differ from real ones in their last digits alone, as sums and numbers of single precision do; "
        "they were read as the real ones.",
    ),
}
"""What is said of so many values that were replaced, by code."""


def match_values(
    files: Mapping[str, TextTable], choices: Mapping[str, ColumnChoice]
) -> tuple[dict[str, TextTable], list[Problem]]:
    """The files with every value written as in the real file, where its meaning is certain, and what was replaced.

    What the user said that released values mean is done first. Columns that the user said really differ, or are no
    numbers, dates or categories, are left as they are. Files that write alike come back as they are.
    """
    out, problems = dict(files), []
    shared = set(files["real"].columns).intersection(*(file.columns for file in files.values()))
    for name in stages.parts(phrase("How the files write their values"), files["real"].columns):
        choice = choices.get(name, ColumnChoice())
        if name in shared and len(files) > 1 and not choice.differs:
            problems += _objects(out, name)
        if choice.differs or choice.role is Role.TEXT or choice.kind in (Kind.ID, Kind.TEXT, Kind.CONSTANT):
            continue
        if name not in shared:
            continue
        if choice.read_as and "synthetic" in out:
            problems += replace_texts(out, name, {"synthetic": _as_said(out, name, choice)}, "values_read_as")
        if choice.has_unit and "synthetic" in out:
            problems += _convert_units(out, name, choice)
        if len(files) < 2:
            continue
        if all(file.plain(name) is not None for file in out.values()):
            problems += _undo_rounding(out, name) if choice.kind in (None, Kind.NUMERIC) else []
            continue
        problems += _match(out, name, choice)
    return out, problems


def _as_said(files: Mapping[str, TextTable], name: str, choice: ColumnChoice) -> dict[str, str]:
    """The texts of the release with the real ones that the user said they mean, in any spelling of theirs.

    A text that stands in the real file is replaced only where it is named itself.
    """
    read_as = dict(choice.read_as)
    known = Levels(Column(name, Kind.CATEGORICAL, levels=tuple(read_as)))
    real = {tidy(text) for text in files["real"].encode(name).dictionary.to_pylist()}
    out = {}
    for text in map(tidy, files["synthetic"].encode(name).dictionary.to_pylist()):
        place = None if text in real and text not in read_as else known.find(text)
        if place is not None:
            out[text] = read_as[list(read_as)[place]]
    return out


def _objects(files: dict[str, TextTable], name: str) -> list[Problem]:
    """Write the objects and lists of a column in one way, where nearly all of its texts in every file are such."""
    words, renamed = frozenset(("", *TOKENS)), dict[str, dict[str, str]]()
    for file in files.values():
        first = map(tidy, texts_of(file.data.column(name).slice(0, _FIRST)).to_pylist())
        if not all(alike.is_nested(text) for text in first if text not in words):
            return []
    for slot, file in files.items():
        texts = _without(file.texts(name), words)
        if not texts:
            return []
        values = {text: alike.parse_nested(text) if alike.is_nested(text) else None for text in texts}
        new = {text: alike.spell_nested(own) for text, own in values.items() if own is not None}
        if len(new) < _ALMOST_ALL * len(texts):
            return []
        renamed[slot] = new
    return replace_texts(files, name, renamed, "objects_matched")


def _convert_units(files: dict[str, TextTable], name: str, choice: ColumnChoice) -> list[Problem]:
    """Bring numbers or dates of the release to the unit that the user said; other texts stay."""
    ways = {slot: _usual_way(file, name, choice) for slot, file in files.items()}
    released = ways.pop("synthetic")
    if released is None:
        return []
    known = np.concatenate([own.values for own in ways.values() if own is not None] or [np.empty(0)])
    values = convert(released.values, choice.scale, choice.offset, known[~np.isnan(known)])
    write = day_text if released.way in DATE_FORMATS else number_text
    new = zip(_without(files["synthetic"].texts(name), _missing_texts(choice)), values.tolist(), strict=True)
    renamed = {"synthetic": {text: write(value) for text, value in new if not math.isnan(value)}}
    return replace_texts(files, name, renamed, "values_converted")


def _usual_way(file: TextTable, name: str, choice: ColumnChoice) -> Reading | None:
    """The numbers or dates of a file, in the most usual way of writing them; None where it holds others too."""
    texts = _without(file.texts(name), _missing_texts(choice))
    if not texts:
        return None
    ways = number_readings(texts, may_be_padded=True) if choice.kind is not Kind.DATE else []
    return next(iter(ways or date_readings(texts)), None)


def _missing_texts(choice: ColumnChoice) -> frozenset[str]:
    """The texts that mean missing in a column of numbers, beside the empty one."""
    return frozenset((*spellings_of(choice.missing_tokens), *TOKENS))


def _match(files: dict[str, TextTable], name: str, choice: ColumnChoice) -> list[Problem]:
    """Bring one column of the other files to the writing of the real one."""
    different = {slot: set(file.count(name)[0]) for slot, file in files.items()}
    if all(different["real"].issuperset(own) for own in different.values()):
        return []
    gone = frozenset(spellings_of(choice.missing_tokens))
    texts = {slot: _without(file.texts(name), gone) for slot, file in files.items()}
    if all(texts["real"].keys() >= own.keys() for own in texts.values()):
        return []
    if choice.kind in (None, Kind.CATEGORICAL):
        renamed = _truths(texts)
        if renamed:
            return replace_texts(files, name, renamed, "booleans_matched")
    words = frozenset(TOKENS)
    texts = {slot: _without(own, words) for slot, own in texts.items()}
    if not all(texts.values()):
        return []
    if choice.kind in (None, Kind.NUMERIC):
        renamed = _numbers(texts)
        if renamed:
            return replace_texts(files, name, renamed, "numbers_matched")
    if choice.kind in (None, Kind.DATE):
        renamed = _dates(texts)
        if renamed:
            return replace_texts(files, name, renamed, "dates_matched")
    return []


def _undo_rounding(files: dict[str, TextTable], name: str) -> list[Problem]:
    """Bring numbers of the other files that arithmetic has moved in their last digits back to the real ones."""
    real = files["real"].plain(name)
    if real is None or is_whole(real):
        return []
    real = np.unique(real[~np.isnan(real)])
    renamed: dict[str, Mapping[str, str]] = {}
    for slot, file in files.items():
        values = file.plain(name)
        if slot == "real" or values is None:
            continue
        meant = nearest_real(np.unique(values[~np.isnan(values)]), real)
        if meant:
            renamed[slot] = {
                text: number_text(meant[value]) for text in file.texts(name) if (value := float(text)) in meant
            }
    return replace_texts(files, name, renamed, "rounding_matched") if renamed else []


def _without(texts: Counted, words: frozenset[str]) -> Counted:
    """Those that are none of these words."""
    return {text: rows for text, rows in texts.items() if text not in words}


def replace_texts(files: dict[str, TextTable], name: str, renamed: Renamed, code: str) -> list[Problem]:
    """Put these texts in place of others in a column of each file; a problem for each file in which any was.

    Texts are found as they are when tidied; the files are replaced in place.
    """
    problems = []
    for slot, new in renamed.items():
        values = files[slot].column(name)
        raw = pc.unique(values)
        texts = [new.get(tidy(text), text) for text in raw.to_pylist()]
        changed = pc.take(pa.array(texts, pa.string()), pc.index_in(values, value_set=raw))
        count = int(pc.sum(pc.not_equal(changed, values)).as_py() or 0)
        if count:
            files[slot] = files[slot].with_column(name, changed)
            what = _SENTENCES[code](count)
            problems.append(Problem(Gravity.REPAIR, code, what, "", files[slot].name, name, count=count))
    return problems


# --------------------------------------------------------------------------------------------------------------
# Yes and no


def _truths(texts: Mapping[str, Counted]) -> Renamed | None:
    """Words for yes and no as the real file writes them; None where any value is something else."""
    if any(len(own) > _TRUTH for own in texts.values()):
        return None
    missing = frozenset(word for word in TOKENS if pair_of([truth_word(word)]) is None)
    texts = {slot: _without(own, missing) for slot, own in texts.items()}
    words = {slot: {text: truth_word(text) for text in own} for slot, own in texts.items()}
    if any(len(set(own.values())) < len(own) for own in words.values()):
        return None  # a file tells two spellings of one word apart
    meant = translate_words({slot: set(own.values()) for slot, own in words.items()}, "real")
    if meant is None:
        return None
    real = {word: text for text, word in words["real"].items()}
    style = next(iter(real.values()))
    target = {word: real.get(own, _copy_case(own, style)) for word, own in meant.items()}
    return {
        slot: {text: target[word] for text, word in own.items() if text != target[word]}
        for slot, own in words.items()
        if slot != "real"
    }


def _copy_case(word: str, like: str) -> str:
    """The word in capitals or small letters, as another one is."""
    if like.isupper() and len(like) > 1:
        return word.upper()
    return word.capitalize() if like[:1].isupper() else word


# --------------------------------------------------------------------------------------------------------------
# Numbers and dates


def _numbers(texts: Mapping[str, Counted]) -> Renamed | None:
    """Numbers of all files as plain ones, where files write them in ways that cannot be read together."""
    if not _has_unit(texts):
        return None
    ways = {slot: number_readings(own, may_be_padded=slot != "real") for slot, own in texts.items()}
    chosen = _choose_readings(ways)
    if chosen is None:
        return None
    used = {own.way for own in chosen.values()}
    if len(used) == 1 and used <= POOLED:
        return None
    if not used <= POOLED and any(len(set(own.values.tolist())) < len(own.values) for own in chosen.values()):
        return None  # codes of one file that differ would become one number
    return _replacements(texts, chosen, lambda way: way != "plain", number_text)


def _has_unit(texts: Mapping[str, Counted]) -> bool:
    """Whether a few texts of each file stand beside one sign or unit, or none."""
    units = {split_unit(plain(text))[1] for own in texts.values() for text in list(own)[:200]}
    return len(units - {""}) <= 1


def _dates(texts: Mapping[str, Counted]) -> Renamed | None:
    """Dates with the day before the month, or after it, as year-month-day, where files differ in it."""
    chosen = _choose_readings({slot: date_readings(own) for slot, own in texts.items()})
    if chosen is None or len({own.way for own in chosen.values()}) == 1:
        return None
    return _replacements(texts, chosen, lambda way: way in TWINS, day_text)


def _choose_readings(ways: Mapping[str, list[Reading]]) -> dict[str, Reading] | None:
    """The way of each file; None where one has none, or nobody can tell."""
    if not all(ways.values()):
        return None
    return best(ways, "real", "synthetic" if "synthetic" in ways else "holdout")


def _replacements(
    texts: Mapping[str, Counted],
    chosen: Mapping[str, Reading],
    is_rewritten: Callable[[str], bool],
    write: Callable[[float], str],
) -> Renamed:
    """The texts of each file whose way of writing is replaced."""
    return {
        slot: {
            text: new
            for text, value in zip(own, chosen[slot].values.tolist(), strict=True)
            if not math.isnan(value) and (new := write(value)) != text
        }
        for slot, own in texts.items()
        if is_rewritten(chosen[slot].way)
    }


_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d+)?|[+-]?(?:0|[1-9]\d*)(?:,\d+)?", re.ASCII)
_APART = {sign: re.compile(rf"[+-]?[1-9]\d{{0,2}}(?:{sign}\d{{3}})+(?:[.,]\d+)?", re.ASCII) for sign in " '_"}
_SIGNED = re.compile(r"\(([^()]+)\)|(.+)-", re.ASCII)
_CODE = re.compile(r"[+-]?\d+[eE][+-]?\d+", re.ASCII)
_PADDED = re.compile(r"([+-]?)0+(\d+(?:\.\d*)?)", re.ASCII)
_NEARLY_ALL = 0.98
_CLEARLY = 0.25
"""By how much a reading must make more values meet than the next one, to be taken where a file bears both."""
_MOSTLY = 0.5
"""The share of values that must be values of a real row before texts such as 1E5, which may be codes, are numbers."""


def _points(text: str) -> float:
    """1.234,5"""
    return number(text.replace(".", "").replace(",", ".")) if _POINTS.fullmatch(text) else math.nan


def _spread(text: str) -> float:
    """1 234.5, 1'234,5 or 1_234, and whatever has no thousands to set apart."""
    for sign, pattern in _APART.items():
        if pattern.fullmatch(text):
            return number(text.replace(sign, "").replace(",", "."))
    return number(text, "decimal")


def _padded_number(text: str) -> float:
    """007, -01.5 and whatever has no zeros before it."""
    match = _PADDED.fullmatch(text)
    return number(text if match is None else match[1] + match[2])


def _codes(text: str) -> float:
    """1e0, which alone may as well be a code."""
    return float(text) if _CODE.fullmatch(text) else number(text)


def _signed_number(text: str) -> float:
    """(12.5) and 12.5-, as bookkeepers write what is below nought, and whatever is not."""
    match = _SIGNED.fullmatch(text)
    return number(text) if match is None else -number(match[1] or match[2])


NUMBERS: Mapping[str, Callable[[str], float]] = {
    "plain": number,
    "thousands": lambda text: number(text, "thousands"),
    "decimal": lambda text: number(text, "decimal"),
    "points": _points,
    "spread": _spread,
    "padded": _padded_number,
    "signed": _signed_number,
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


def number_readings(counted: Counted, *, may_be_padded: bool) -> list[Reading]:
    """The ways in which all these texts are numbers; a way that changes nothing against an earlier one is left out."""
    texts, rows = list(counted), np.array(list(counted.values()), dtype=np.int64)
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


def date_readings(counted: Counted) -> list[Reading]:
    """The formats in which almost all these texts are dates."""
    texts, rows = list(counted), np.array(list(counted.values()), dtype=np.int64)
    some, out = [plain(text) for text in texts[:50]], []
    if len(may_be_dates(some)) < _NEARLY_ALL * len(some):
        return []
    for written in DATE_FORMATS:
        if sum(not math.isnan(day(text, written)) for text in some) < _NEARLY_ALL * len(some):
            continue
        values = np.fromiter((day(plain(text), written) for text in texts), dtype=np.float64, count=len(texts))
        if rows[~np.isnan(values)].sum() >= _NEARLY_ALL * rows.sum():
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
