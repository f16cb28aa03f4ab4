"""The different texts of a column, gathered over all files and tidied."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from riskkit.core import MISSING, Bools, Column, Floats, Ints
from riskkit.errors import Gravity, Problem
from riskkit.phrases import counted_phrase, phrase
from riskkit.table.forms import common_spaces, plain, seen, tidy
from riskkit.table.text import TextTable


@dataclass(frozen=True, slots=True, eq=False)
class TextPool:
    """The different texts of one column over all files, tidied, with how often each stands in each file.

    ``texts`` hold neither the empty text nor the chosen missing tokens; those are counted in ``missing``.
    """

    name: str
    files: Mapping[str, TextTable]
    texts: list[str]
    counts: Mapping[str, Ints]
    missing: Mapping[str, int]
    spellings: Mapping[str, str]
    told_apart: int = 0
    """Texts of which one file has a second that differs in letters that cannot be seen."""

    @property
    def total(self) -> Ints:
        """(n_texts,) how often each text stands in all files together."""
        out: Ints = np.sum(list(self.counts.values()), axis=0, dtype=np.int64)
        return out

    @property
    def is_real(self) -> Bools:
        """(n_texts,) whether each text stands in the real table or the holdout: whether a person had it."""
        real = [counts for slot, counts in self.counts.items() if slot != "synthetic"]
        out: Bools = np.asarray(np.sum(real, axis=0, dtype=np.int64) > 0)
        return out

    @property
    def has_missing(self) -> bool:
        """Whether any value is missing in any file."""
        return any(self.missing.values())

    def each(self, values: Floats) -> dict[str, Floats]:
        """The values of each file's rows, for values (n_texts,) of the texts; NaN where missing."""
        return {
            slot: np.concatenate([np.repeat(values, counts), np.full(self.missing[slot], np.nan)])
            for slot, counts in self.counts.items()
        }

    def own(self) -> dict[str, set[str]]:
        """The texts that stand in each file."""
        return {
            slot: {text for text, count in zip(self.texts, counts.tolist(), strict=True) if count}
            for slot, counts in self.counts.items()
        }

    def times(self, slot: str, texts: Iterable[str]) -> int:
        """How often these texts stand in that file, all together."""
        wanted = set(texts)
        counts = self.counts[slot].tolist()
        return sum(count for text, count in zip(self.texts, counts, strict=True) if text in wanted)

    def find(self, texts: Sequence[str]) -> tuple[str, int]:
        """File and line on which any of these (tidied) texts stands first."""
        for slot in self.files:
            name, line = self.within(slot, texts)
            if line:
                return name, line
        return next(iter(self.files.values())).name, 0

    def within(self, slot: str, texts: Sequence[str]) -> tuple[str, int]:
        """That file's name, and the line on which any of these (tidied) texts stands first; 0 where none does."""
        file, lines = self.files[slot], []
        for text in texts:
            row = pc.index(file.column(self.name), self.spellings.get(text, text)).as_py()
            lines += [file.line(row)] if row >= 0 else []
        return file.name, min(lines, default=0)

    def problem(self, gravity: Gravity, code: str, what: str, do: str = "", *, count: int = 0) -> Problem:
        """A problem of this column."""
        return Problem(gravity, code, what, do, column=self.name, count=count)


def pool(name: str, files: Mapping[str, TextTable], tokens: Sequence[str] = ()) -> TextPool:
    """Gather the different texts of a column."""
    place: dict[str, int] = {}
    spellings: dict[str, str] = {}
    gathered: dict[str, tuple[list[int], Ints]] = {}
    gone = {MISSING, *spellings_of(tokens)}
    missing: dict[str, int] = {}
    told_apart = 0
    for slot, file in files.items():
        raw, times = file.counted(name)
        positions = []
        for text in raw:
            clean = tidy(text)
            positions.append(-1 if clean in gone else place.setdefault(clean, len(place)))
            if clean != text:
                spellings.setdefault(clean, text)
        gathered[slot] = positions, times
        told_apart += _told_apart_unseen(raw)
        missing[slot] = int(
            sum(count for position, count in zip(positions, times.tolist(), strict=True) if position < 0)
        )
    counts = {}
    for slot, (positions, times) in gathered.items():
        where = np.array(positions, dtype=np.int64)
        counts[slot] = np.bincount(where[where >= 0], weights=times[where >= 0], minlength=len(place)).astype(np.int64)
    return TextPool(name, files, list(place), counts, missing, spellings, told_apart)


def _told_apart_unseen(raw: Sequence[str]) -> int:
    """How many texts of a file stand there a second time with letters that cannot be seen."""
    odd = {tidy(text) for text in raw if not text.isascii() and seen(text) != common_spaces(text)}
    if not odd:
        return 0
    spelled = {(clean, common_spaces(text).strip()) for text in raw if (clean := tidy(text)) in odd}
    return sum(times > 1 for times in Counter(clean for clean, _ in spelled).values())


def spellings_of(tokens: Sequence[str]) -> set[str]:
    """The tokens, and for a whole number also its spelling with a decimal point, and the other way round."""
    whole = {token.split(".")[0] for token in tokens if re.fullmatch(r"-?\d+(\.0)?", token)}
    return {*tokens, *whole, *(f"{token}.{'0' * decimals}" for token in whole for decimals in (1, 2))}


def spelling_problems(texts: TextPool, column: Column) -> list[Problem]:
    """What to say of spaces, accents and odd letters in the values, and in numbers and dates of letters' forms."""
    problems = []
    trimmed = sum(raw != raw.strip() for raw in texts.spellings.values())
    unseen = sum(seen(raw) != raw for raw in texts.spellings.values())
    composed = sum(seen(raw).strip() != clean for clean, raw in texts.spellings.items())
    if trimmed:
        what = counted_phrase(
            trimmed,
            "{n:,} different value has spaces at an end; the spaces were taken off.",
            "{n:,} different values have spaces at an end; the spaces were taken off.",
        )
        problems.append(
            texts.problem(Gravity.QUESTION, "spaces_in_values", what, phrase("Say so if they matter."), count=trimmed)
        )
    if unseen:
        what = counted_phrase(
            unseen,
            "{n:,} different value holds letters that cannot be seen, or spaces that do not break; they were taken off "
            "or read as common spaces.",
            "{n:,} different values hold letters that cannot be seen, or spaces that do not break; they were taken off "
            "or read as common spaces.",
        )
        gravity, do = Gravity.REPAIR, ""
        if texts.told_apart:
            gravity, do = Gravity.QUESTION, phrase("Say so if they matter.")
            what = phrase(
                "{what} One file has {both:,} of them both with and without such letters.",
                what=what,
                both=texts.told_apart,
            )
        problems.append(texts.problem(gravity, "invisible_letters", what, do, count=unseen))
    if composed:
        what = counted_phrase(
            composed,
            "The accents of {n:,} different value were written in two ways and unified.",
            "The accents of {n:,} different values were written in two ways and unified.",
        )
        problems.append(texts.problem(Gravity.REPAIR, "accents_unified", what, count=composed))
    formed = sum(plain(text) != text for text in texts.texts) if column.is_numeric else 0
    if formed:
        what = counted_phrase(
            formed,
            "{n:,} different value is written in another form of the same letters, as digits of another script or "
            "width, or with Excel's marks for a text; it was read as common digits.",
            "{n:,} different values are written in another form of the same letters, as digits of another script or "
            "width, or with Excel's marks for a text; they were read as common digits.",
        )
        problems.append(texts.problem(Gravity.REPAIR, "letter_forms_unified", what, count=formed))
    return problems
