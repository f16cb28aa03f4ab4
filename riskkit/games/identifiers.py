"""Identifiers that a release carries over: more of them are those of real people than chance explains.

Identifiers are compared as texts, for no column of them is ever modelled. That some agree means nothing by itself: two
files that number their rows from 1 share every number. So each released identifier is set beside others that are
nearly the same: the next numbers, or the same text with one letter or one word of another. Where identifiers were made
anew, those stand in the real table as often as it does itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from riskkit import distributions as stats
from riskkit.core import Floats, Ints, Table
from riskkit.table.load import Tables

ASKED = 4_000
"""Released identifiers that are looked at, drawn evenly over the file; all where there are fewer."""
LEAST = 50
"""Texts nearly the same without which chance is not known."""
NEAR = 8
"""Identifiers nearly the same that each is set beside."""
SURE = 0.001
"""The p-value at which identifiers are told to be carried over, and rows to be linked by them."""
SHUFFLES = 999
LINKED_LEAST = 20
"""Rows with an identifier of their own in both files, below which no link is looked for."""
_WORDS = re.compile(r"(\w+)")


@dataclass(frozen=True, slots=True)
class Carried:
    """One column of identifiers of both files.

    Of ``of`` different released identifiers looked at, ``shared`` are those of real people; ``expected`` would be if
    they had been made anew, and ``p`` bounds the chance of so many then. ``holdout_share`` is how large a part of the
    holdout's identifiers stands in the release beside ``real_share`` of the real ones, None without a holdout.

    ``linked`` rows have an identifier that leads to one real row; ``here`` is the share of cells in which such a pair
    of rows agrees and ``elsewhere`` that of other pairs, ``link_p`` the share of shuffled pairs that agree as much.
    """

    column: str
    shared: int
    of: int
    expected: float
    p: float
    real_share: float
    holdout_share: float | None
    linked: int
    here: float
    elsewhere: float
    link_p: float

    @property
    def is_beyond_chance(self) -> bool:
        """Whether more identifiers of real people stand in the release than chance explains."""
        return self.p <= SURE

    @property
    def is_link(self) -> bool:
        """Whether identifiers lead from released rows to the real rows they resemble."""
        return self.link_p <= SURE

    @property
    def is_shown(self) -> bool:
        """Whether the column gives people away."""
        return self.is_beyond_chance or self.is_link


def carried_over(tables: Tables, rng: np.random.Generator) -> tuple[Carried, ...]:
    """Every column of identifiers that real and released file both have, of the first table and of the second."""
    release = tables.synthetic
    if release is None:
        return ()
    carried = [_columns(tables.identifiers, tables.real, release, rng)]
    children = tables.children
    if children is not None and "synthetic" in children.tables:
        carried.append(_columns(children.identifiers, children.tables["real"], children.tables["synthetic"], rng))
    return tuple(chain.from_iterable(carried))


def _columns(
    identifiers: Mapping[str, Mapping[str, Sequence[str]]], real: Table, release: Table, rng: np.random.Generator
) -> list[Carried]:
    """Those of one table; ``rng`` draws nothing where there are none."""
    return [_column(name, own, real, release, rng) for name, own in identifiers.items() if "synthetic" in own]


def _column(
    name: str, own: Mapping[str, Sequence[str]], table: Table, release: Table, rng: np.random.Generator
) -> Carried:
    real = {text for text in own["real"] if text}
    released = [text for text in dict.fromkeys(own["synthetic"]) if text]
    asked = released[:: max(-(-len(released) // ASKED), 1)]
    shared = sum(text in real for text in asked)
    rates = [rate for rate in (_rate(near, real) for near in _nearly(asked, rng)) if rate[1] >= LEAST]
    of_holdout = max(rates, default=(0, 0), key=_upper)
    p = float(stats.binom.sf(shared - 1, len(asked), _upper(of_holdout))) if shared else 1.0
    real_share, holdout_share, beside = _beside_holdout(real, own.get("holdout"), set(released))
    link = _link(own, table, release, rng)
    expected = len(asked) * of_holdout[0] / max(of_holdout[1], 1)
    return Carried(name, shared, len(asked), expected, max(p, beside), real_share, holdout_share, *link)


# --------------------------------------------------------------------------------------------------------------
# Chance


def _rate(texts: Iterator[str], real: set[str]) -> tuple[int, int]:
    """How many of these texts stand in the real table, and how many there are."""
    hits = total = 0
    for text in texts:
        total += 1
        hits += text in real
    return hits, total


def _upper(rate: tuple[int, int]) -> float:
    """The most that such a rate may truly be, but for one chance in a thousand (Clopper and Pearson)."""
    hits, total = rate
    return 1.0 if hits >= total else float(stats.beta.isf(SURE, hits + 1, total - hits))


def _nearly(asked: Sequence[str], rng: np.random.Generator) -> list[Iterator[str]]:
    """Texts nearly the same as these, one kind after the other; only kinds that these texts allow."""
    if not asked:
        return []
    kinds = [_letters(asked, rng)]
    if all(text.isdecimal() and len(text) < 19 for text in asked):
        kinds.append(_numbers(asked))
    if any(len(_WORDS.findall(text)) > 1 for text in asked):
        kinds.append(_words(asked, rng))
    return kinds


def _numbers(asked: Sequence[str]) -> Iterator[str]:
    """The numbers around each."""
    for text in asked:
        for step in range(1, NEAR // 2 + 1):
            yield str(int(text) + step)
            yield str(abs(int(text) - step))


def _letters(asked: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Each with one sign changed into that of another text of its length."""
    same: dict[int, list[str]] = {}
    for text in asked:
        same.setdefault(len(text), []).append(text)
    for text in asked:
        others = same[len(text)]
        for _ in range(NEAR):
            other, position = others[int(rng.integers(len(others)))], int(rng.integers(len(text)))
            if other[position] != text[position]:
                yield text[:position] + other[position] + text[position + 1 :]


def _words(asked: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Each with one word changed into that of another text in its place, as first names go with other last names.

    What comes out and is asked about itself is left out: where one word alone differs, it would be an identifier again.
    """
    known = set(asked)
    parts = [_WORDS.split(text) for text in asked]
    for own in parts:
        for _ in range(NEAR):
            other = parts[int(rng.integers(len(parts)))]
            position = 1 + 2 * int(rng.integers(max(len(own) // 2, 1)))
            if len(other) == len(own) > 3 and other[position] != own[position]:
                changed = "".join((*own[:position], other[position], *own[position + 1 :]))
                if changed not in known:
                    yield changed


def _beside_holdout(
    real: set[str], holdout: Sequence[str] | None, released: set[str]
) -> tuple[float, float | None, float]:
    """The shares of real and holdout identifiers that stand in the release; Fisher's p-value, 0 without a holdout."""
    hits = len(real & released)
    share = hits / max(len(real), 1)
    others = {text for text in holdout or () if text} - real
    if not others:
        return share, None, 0.0
    of_holdout = len(others & released)
    p = float(stats.hypergeom.sf(hits - 1, len(real) + len(others), hits + of_holdout, len(real)))
    return share, of_holdout / len(others), p


# --------------------------------------------------------------------------------------------------------------
# Links


def _link(
    own: Mapping[str, Sequence[str]], table: Table, release: Table, rng: np.random.Generator
) -> tuple[int, float, float, float]:
    """How many released rows an identifier leads to one real row from, and how much such pairs agree."""
    real, released = _places(own["real"]), _places(own["synthetic"])
    both = [text for text in released if text in real]
    both = both[:: max(-(-len(both) // ASKED), 1)]
    if len(both) < LINKED_LEAST:
        return len(both), 0.0, 0.0, 1.0
    theirs = table.rows(np.array([real[text] for text in both]))
    mine = release.rows(np.array([released[text] for text in both]))
    here = _agreement(theirs, mine, np.arange(len(both)))
    moved = np.array([_agreement(theirs, mine, rng.permutation(len(both))) for _ in range(SHUFFLES)])
    return len(both), here, float(moved.mean()), float((1 + (moved >= here - 1e-12).sum()) / (1 + SHUFFLES))


def _places(identifiers: Sequence[str]) -> dict[str, int]:
    """The row of each identifier that stands in one row alone."""
    place: dict[str, int] = {}
    again: set[str] = set()
    for row, text in enumerate(identifiers):
        if text and text in place:
            again.add(text)
        elif text:
            place[text] = row
    return {text: row for text, row in place.items() if text not in again}


def _agreement(real: Table, release: Table, order: Ints) -> float:
    """The share of cells in which these rows agree with the released rows in that order."""
    same: list[Floats] = [
        (mine == other[order]).mean(axis=0)
        for mine, other in ((real.codes, release.codes), (real.numbers, release.numbers))
    ]
    return float(np.concatenate(same).mean())
