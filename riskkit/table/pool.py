"""The different texts of a column, gathered over all files and tidied."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from riskkit.core import MISSING, Bools, Ints
from riskkit.errors import Gravity, Problem
from riskkit.table.parse import seen, tidy
from riskkit.table.text import TextTable


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """The different texts of one column over all files, tidied, with how often each stands in each file.

    ``texts`` hold neither the empty text nor the chosen missing tokens; those are counted in ``missing``.
    """

    name: str
    files: Mapping[str, TextTable]
    texts: list[str]
    counts: Mapping[str, Ints]
    missing: Mapping[str, int]
    spellings: Mapping[str, str]

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
            row = pc.index(file.data.column(self.name), self.spellings.get(text, text)).as_py()
            lines += [file.line(row)] if row >= 0 else []
        return file.name, min(lines, default=0)

    def problem(self, gravity: Gravity, code: str, what: str, do: str = "", *, count: int = 0) -> Problem:
        """A problem of this column."""
        return Problem(gravity, code, what, do, column=self.name, count=count)


def pool(name: str, files: Mapping[str, TextTable], tokens: Sequence[str] = ()) -> Pool:
    """Gather the different texts of a column."""
    place: dict[str, int] = {}
    spellings: dict[str, str] = {}
    gathered: dict[str, tuple[list[int], Ints]] = {}
    gone = {MISSING, *spellings_of(tokens)}
    missing: dict[str, int] = {}
    for slot, file in files.items():
        encoded = pc.dictionary_encode(file.data.column(name).combine_chunks())
        raw: list[str] = encoded.dictionary.to_pylist()
        times = np.bincount(encoded.indices.to_numpy(), minlength=len(raw))
        at = []
        for text in raw:
            clean = tidy(text)
            at.append(-1 if clean in gone else place.setdefault(clean, len(place)))
            if clean != text:
                spellings.setdefault(clean, text)
        gathered[slot] = at, times
        missing[slot] = int(sum(count for position, count in zip(at, times.tolist(), strict=True) if position < 0))
    counts = {}
    for slot, (at, times) in gathered.items():
        where = np.array(at, dtype=np.int64)
        counts[slot] = np.bincount(where[where >= 0], weights=times[where >= 0], minlength=len(place)).astype(np.int64)
    return Pool(name, files, list(place), counts, missing, spellings)


def spellings_of(tokens: Sequence[str]) -> set[str]:
    """The tokens, and for a whole number also its spelling with a decimal point, and the other way round."""
    whole = {token.split(".")[0] for token in tokens if re.fullmatch(r"-?\d+(\.0)?", token)}
    return {*tokens, *whole, *(f"{token}.0" for token in whole)}


def spelling_problems(texts: Pool) -> list[Problem]:
    """What to say of spaces, accents and odd letters in the values."""
    problems = []
    trimmed = sum(raw != raw.strip() for raw in texts.spellings.values())
    unseen = sum(seen(raw) != raw for raw in texts.spellings.values())
    composed = sum(seen(raw).strip() != clean for clean, raw in texts.spellings.items())
    if trimmed:
        what = f"{trimmed:,} different values have spaces at an end; the spaces were taken off."
        problems.append(
            texts.problem(Gravity.QUESTION, "spaces_in_values", what, "Say so if they matter.", count=trimmed)
        )
    if unseen:
        what = f"{unseen:,} different values hold letters that cannot be seen, or spaces that do not break; they were "
        what += "taken off or read as common spaces."
        problems.append(texts.problem(Gravity.REPAIR, "invisible_letters", what, count=unseen))
    if composed:
        what = f"The accents of {composed:,} different values were written in two ways and unified."
        problems.append(texts.problem(Gravity.REPAIR, "accents_unified", what, count=composed))
    return problems
