"""Copies under any renumbering: real rows that stand in a release once each of its values is read as the right one.

What released values mean is worked out from the real table and the holdout together, so nothing of it knows who was
in: people who were in and people who were not are as likely to have a copy by chance, and are counted as copies are
(:mod:`riskkit.games.give_aways`).

A release whose answers are numbered in another order, or whose numbers are mirrored, moved or bent, shares no value
with the rows it was copied from. But a renumbering cannot change how often each value stands in its column, nor which
values of other columns stand beside it; and of a copy far more cells agree with its row than chance would have it,
which teaches the rest.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from riskkit.core import MISSING, Bools, Column, Floats, Ints, Kind, Schema, Table
from riskkit.games.give_aways import Copied, count_copies
from riskkit.table.people.persons import Persons

FEW = 60
"""Different numbers up to which they may stand in any order; more keep theirs, or have it reversed."""
MOST = 200
"""Categories beyond which a column is left out."""
RELEASED, KNOWN, LOOKED = 1_000, 5_000, 20_000
"""Rows of the release that are compared with known ones one by one, and how many of these; and of how many rows of
either it is looked at what stands beside what. They are drawn at random."""
AGREE = 0.9
"""How often a cell of a copy agrees, as far as its meaning is known."""
NEAR = (0.04, 0.025, 0.0125, 0.004, 0.004)
"""How far numbers may lie apart to agree, in ranks, step by step: each teaches more of what they mean."""
ENOUGH = 5
"""Pairs of rows below which they teach nothing."""
IN_ORDER = 0.1
"""The share of the matched numbers of a column that must be in one order, beyond the most that chance has, else it has
none. (Of n numbers in any order the longest rising chain has about 2 √n: Vershik and Kerov 1977.)"""
BESIDE = 50
"""Columns that the values of each are looked at beside."""
_BINS = 12
_ROUNDS = 8


def count_recoded(
    real: Table, release: Table, holdout: Table | None, rng: np.random.Generator, persons: Persons | None = None
) -> Copied | None:
    """Count the copies under the renumbering that fits best; None where no column can be matched.

    Columns that cannot be are left out of all tables, so a row stands in the release where all others are met.
    """
    read = read_as(real if holdout is None else real.plus(holdout), release, rng)
    if read is None:
        return None
    known, released = map(_table, read)
    members, others = np.arange(len(real)), np.arange(len(real), len(known))
    beside = None if holdout is None else known.rows(others)
    return count_copies(known.rows(members), released, beside, rng, persons)


def _table(places: Ints) -> Table:
    """Rows of places as a table of numbers."""
    schema = Schema(tuple(Column(str(place), Kind.NUMERIC) for place in range(places.shape[1])))
    return Table(schema, np.empty((len(places), 0), dtype=np.int32), places.astype(np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class _Values:
    """A column: the place of each known row's value (n,), and of each released row's (m,), among the different ones.

    ``known_rank`` and ``released_rank`` are the middle ranks of the different values, from 0 to 1; a missing value has
    the place behind the last. ``same`` (released, known) says which categories are written alike. Values ``in_order``
    are numbers that keep their order or have it reversed.

    A *meaning* says of each different released value (and last of a missing one) which known value it is: the rank
    of it where values are in order, else its place, or -1 where there is none.
    """

    known: Ints
    released: Ints
    known_rank: Floats
    released_rank: Floats
    same: Bools
    in_order: bool

    def known_share(self) -> Floats:
        """(known + 1,) of known rows, the last the missing ones; never 0."""
        return _shares(self.known, len(self.known_rank) + 1)

    def bins(self) -> tuple[Ints, int]:
        """A coarse value of each known row that is looked at, the last a missing one, and how many there are."""
        return self._coarse(self.known[:LOOKED], np.append(self.known_rank, np.nan)), self.last + 1

    def bins_of(self, meaning: Floats) -> Ints:
        """The same of each released row under that meaning; -1 where it has none."""
        if self.in_order:
            return self._coarse(self.released[:LOOKED], meaning)
        return meaning[self.released[:LOOKED]].astype(np.int64)

    def in_no_order(self) -> _Values | None:
        """The same with its numbers in any order; None where they are too many for that, or hardly any stands twice."""
        most = min(MOST, len(self.known) // 2)
        return replace(self, in_order=False) if max(len(self.known_rank), len(self.released_rank)) <= most else None

    @property
    def last(self) -> int:
        return _BINS if self.in_order else len(self.known_rank)

    def _coarse(self, places: Ints, ranks: Floats) -> Ints:
        if not self.in_order:
            return places
        coarse = np.clip(np.nan_to_num(ranks) * _BINS, 0, _BINS - 1).astype(np.int64)
        return np.where(np.isnan(ranks), _BINS, coarse)[places]


Meanings = list[Floats]
Singles = npt.NDArray[np.float32]
Bins = tuple[Ints, int]
"""A coarse value of each row, and how many there are."""
Pairs = tuple[Ints, Ints]
"""Released rows and known rows, pair by pair; or places of two values."""


@dataclass(frozen=True, slots=True, eq=False)
class _Reading:
    """What the released values of columns mean, and how much evidence of copies there is if they do."""

    columns: Sequence[_Values]
    meanings: Meanings
    evidence: float


def read_as(known: Table, release: Table, rng: np.random.Generator) -> tuple[Ints, Ints] | None:
    """What each value means: places of values of known rows (n, c), and those that released ones (m, c) mean.

    A place is -1 where a released value means nothing known. Columns of more different values than :data:`MOST` that
    are in no order are left out; None where none is left. Nothing depends on the order of the known rows but by chance.
    """
    order = rng.permutation(len(known))
    places = rng.permutation(len(release))
    columns = list(_columns(known.rows(order), release.rows(places)))
    reading = _best(columns)
    if any(column.in_order for column in columns):
        reading = max(reading, _in_no_order(columns), key=lambda own: own.evidence)
    if not reading.columns:
        return None
    meant = [_places(*own)[own[0].released] for own in zip(reading.columns, reading.meanings, strict=True)]
    sides = np.column_stack([column.known for column in reading.columns]), np.column_stack(meant)
    own, their = (side[np.argsort(row, kind="stable")] for side, row in zip(sides, (order, places), strict=True))
    return own, their


def _best(columns: Sequence[_Values]) -> _Reading:
    """The reading that finds most evidence of copies, of the few that one can begin with."""
    readings = [_refine(columns, start) for start in _starts(columns)] if columns else []
    return max(readings, key=lambda own: own.evidence, default=_Reading((), [], 0.0))


def _in_no_order(columns: Sequence[_Values]) -> _Reading:
    """The best reading if numbers stand in any order, but for those that keep one in the pairs of rows it finds."""
    few = [column.in_no_order() for column in columns]
    reading = _best([column for column in few if column is not None])
    if not reading.columns:
        return reading
    released, known, _ = _pairs(reading.columns, reading.meanings, NEAR[-1])
    keep = [column.in_order and _is_in_order(column.released[released], column.known[known]) for column in columns]
    if not any(keep):
        return reading
    every = [column if kept else other for column, other, kept in zip(columns, few, keep, strict=True)]
    again = _best([column for column in every if column is not None])
    return max(reading, again, key=lambda own: own.evidence)


def _is_in_order(new: Ints, old: Ints) -> bool:
    """Whether pairs of values rise together, or fall, more than chance has it."""
    longest = max(len(_chain(new, old)[0]), len(_chain(new, -old)[0]))
    different = len(np.unique(new))
    return longest >= max(ENOUGH, float(2 * np.sqrt(different) + IN_ORDER * different))


def _columns(known: Table, release: Table) -> Iterator[_Values]:
    """The columns that are looked at."""
    for column, own, their in zip(known.schema.categorical, known.codes.T, release.codes.T, strict=True):
        is_missing = np.array([level == MISSING for level in column.levels])
        values = _values(*(np.where(is_missing[codes], np.nan, codes) for codes in (own, their)), may_keep_order=False)
        if 2 <= len(values.known_rank) <= MOST and len(values.released_rank) <= MOST:
            yield values
    for own, their in zip(known.numbers.T, release.numbers.T, strict=True):
        values = _values(own + 0.0, their + 0.0, may_keep_order=True)
        if min(len(values.known_rank), len(values.released_rank)) >= 2:
            yield values


def _values(known: Floats, released: Floats, *, may_keep_order: bool) -> _Values:
    sides = []
    for side in (known, released):
        is_there = ~np.isnan(side)
        different, place = np.unique(side[is_there], return_inverse=True)
        places = np.full(len(side), len(different), dtype=np.int64)
        places[is_there] = place
        count = np.bincount(place, minlength=len(different))
        rank: Floats = (np.cumsum(count) - count / 2) / max(count.sum(), 1)
        sides.append((different, places, rank))
    (own, known_place, known_rank), (their, released_place, released_rank) = sides
    in_order = may_keep_order and min(len(own), len(their)) > FEW
    same = np.zeros((0, 0), dtype=bool) if max(len(own), len(their)) > MOST else their[:, None] == own
    return _Values(known_place, released_place, known_rank, released_rank, same, in_order)


def _shares(places: Ints, many: int) -> Floats:
    count = np.bincount(places, minlength=many)
    return np.asarray((count + 0.5) / (len(places) + 0.5 * many), dtype=np.float64)


def _starts(columns: Sequence[_Values]) -> list[Meanings]:
    """Meanings to begin with, refined by dependence; those that come to the same are one."""
    starts: list[Meanings] = []
    for begin in (_by_shares, _as_written, _reverse):
        meanings = _by_dependence(columns, [begin(column) for column in columns])
        if not any(_equal(meanings, other) for other in starts):
            starts.append(meanings)
    return starts


def _equal(first: Meanings, second: Meanings) -> bool:
    return all(bool(np.array_equal(*both, equal_nan=True)) for both in zip(first, second, strict=True))


def _by_shares(column: _Values) -> Floats:
    return np.append(column.released_rank, np.nan) if column.in_order else _assign(column, -_likeness(column))


def _as_written(column: _Values) -> Floats:
    if column.in_order:
        return _by_shares(column)
    return _assign(column, -(_likeness(column) / 1e6 + (column.same if column.same.size else 0.0)))


def _reverse(column: _Values) -> Floats:
    if column.in_order:
        return np.append(1 - column.released_rank, np.nan)
    return _assign(column, np.abs(column.released_rank[:, None] - (1 - column.known_rank)))


def _likeness(column: _Values) -> Floats:
    """(released, known) how well the shares of two values agree, as a logarithm of likelihoods."""
    m, n = len(column.released), len(column.known)
    own, their = _shares(column.released, len(column.released_rank) + 1)[:-1], column.known_share()[:-1]
    gap: Floats = np.sqrt(own)[:, None] - np.sqrt(their)
    return -2.0 * m / (1 + m / n) * gap**2


def _assign(column: _Values, cost: Floats) -> Floats:
    """The meaning of least cost (released, known) in which no known value is meant twice; missing means missing."""
    from scipy.optimize import linear_sum_assignment  # not at the top: it takes long to load

    meaning = np.full(len(column.released_rank) + 1, -1.0)
    new, old = linear_sum_assignment(cost)
    meaning[new], meaning[-1] = old, len(column.known_rank)
    return meaning


def _by_dependence(columns: Sequence[_Values], meanings: Meanings) -> Meanings:
    """Meanings under which values stand beside those of other columns as known ones do, column by column in turn.

    Of many columns each is looked at beside :data:`BESIDE` that lie evenly among them, so that time grows with the
    columns and not with their square.
    """
    known = [column.bins() for column in columns]
    chosen = sorted({int(place) for place in np.linspace(0, len(columns) - 1, BESIDE)})
    ends = np.cumsum([0, *(known[place][1] for place in chosen)]).tolist()
    parts = {place: slice(*end) for place, end in zip(chosen, pairwise(ends), strict=True)}
    counts = [np.bincount(places, minlength=many) for places, many in known]
    shares = np.concatenate([counts[place] / len(known[place][0]) for place in chosen])
    joint = [_beside(*own, [known[place] for place in chosen]) for own in known]
    meanings = list(meanings)
    seen = {place: (columns[place].bins_of(meanings[place]), known[place][1]) for place in chosen}
    for _ in range(_ROUNDS):
        is_settled = True
        for place, column in enumerate(columns):
            beside = np.log((joint[place] + 0.5 * shares + 1e-9) / (counts[place][:, None] + 0.5))
            if place in seen:
                beside[:, parts[place]] = 0.0
            meaning = _likeliest(column, meanings[place], [*seen.values()], beside)
            if not np.array_equal(meaning, meanings[place], equal_nan=True):
                is_settled, meanings[place] = False, meaning
                if place in seen:
                    seen[place] = column.bins_of(meaning), known[place][1]
        if is_settled:
            break
    return meanings


def _likeliest(column: _Values, meaning: Floats, seen: Sequence[Bins], beside: Floats) -> Floats:
    """The meaning of a column by what stands ``beside`` its known values (values, D) and its released ones."""
    if column.in_order:
        ways = (meaning, 1 - meaning)
        each = (_beside(column.bins_of(way), _BINS + 1, seen) for way in ways)
        return ways[int(np.argmax([float((counts * beside).sum()) for counts in each]))]
    counts = _beside(column.released[:LOOKED], len(column.released_rank) + 1, seen)
    likelihood = counts[:-1] @ beside[:-1].T
    return _assign(column, -(likelihood / np.sqrt(max(len(seen) - 1, 1)) + _likeness(column)))


def _beside(places: Ints, many: int, every: Sequence[Bins]) -> Floats:
    """(many, D) how many rows have each place of a column and each bin of ``every`` one; a place or bin -1 is none."""
    out = []
    for bins, wide in every:
        both = places * wide + bins
        is_there = (places >= 0) & (bins >= 0)
        out.append(np.bincount(both if is_there.all() else both[is_there], minlength=many * wide).reshape(many, wide))
    return np.hstack(out).astype(np.float64)


def _refine(columns: Sequence[_Values], meanings: Meanings) -> _Reading:
    """What pairs teach, step by step."""
    for near in NEAR:
        released, known, _ = _pairs(columns, meanings, near)
        if len(released) < ENOUGH:
            break
        before, meanings = meanings, [_by_pairs(*own, released, known) for own in zip(columns, meanings, strict=True)]
        if not any(column.in_order for column in columns) and _equal(before, meanings):
            break
    return _Reading(columns, meanings, _pairs(columns, meanings, NEAR[-1])[2])


def _pairs(columns: Sequence[_Values], meanings: Meanings, near: float) -> tuple[Ints, Ints, float]:
    """Released rows, each with the known row most like it, where that is more than chance; and how much more in all.

    Cells that agree count by how rare that is, as logarithms of likelihoods (Fellegi and Sunter, JASA 64, 1969).
    """
    from riskkit.games._kernels import most_like  # not at the top: it compiles

    released, known = min(RELEASED, len(columns[0].released)), min(KNOWN, len(columns[0].known))
    best, score = np.empty(released, dtype=np.int64), np.empty(released, dtype=np.float32)
    every = list(zip(columns, meanings, strict=True))
    codes = [_Codes.weigh(*own, released, known) for own in every if not own[0].in_order]
    numbers = [_Near.weigh(*own, released, known, near) for own in every if own[0].in_order]
    most_like(
        _stack([own.known for own in codes], known),
        _stack([own.released for own in codes], released).T,
        _stack([own.rarity for own in codes], released).T,
        _stack([own.anyway for own in codes], known).sum(axis=0),
        _stack([own.known for own in numbers], known),
        _stack([own.released for own in numbers], released).T,
        np.float32(near),
        _stack([own.yes for own in numbers], released).T,
        _stack([own.no for own in numbers], released).T,
        best,
        score,
    )
    score -= np.log(max(known, 1))
    pairs = np.flatnonzero(score > 0)
    return pairs, best[pairs], float(score[pairs].sum())


def _weights(chance: Floats) -> tuple[Singles, Singles]:
    """How much likelier cells of a copy are to agree, and not to, than cells of two people, as logarithms.

    In steps of 1/256, so that their sums are exact whatever their order.
    """
    yes, no = np.log(AGREE / chance), np.log((1 - AGREE) / np.maximum(1 - chance, 0.05))
    return _single(np.round(256 * yes) / 256), _single(np.round(256 * no) / 256)


def _single(values: Floats) -> Singles:
    return values.astype(np.float32)


def _stack(rows: Sequence[Ints | Singles], many: int) -> Singles:
    """(rows, many) these rows, also where there are none; places of values are small enough to be exact."""
    return np.array(rows, dtype=np.float32).reshape(len(rows), many)


@dataclass(frozen=True, slots=True, eq=False)
class _Codes:
    """Categories of compared rows: what released ones mean (m,), which is -1 where there is none, and known ones (n,).

    A pair that agrees adds ``rarity`` (m,) to what the known row has ``anyway`` (n,).
    """

    released: Ints
    known: Ints
    rarity: Singles
    anyway: Singles

    @classmethod
    def weigh(cls, column: _Values, meaning: Floats, released: int, known: int) -> _Codes:
        """Of the first ``released`` and ``known`` rows."""
        yes, no = _weights(column.known_share())
        means, own = meaning[column.released[:released]].astype(np.int64), column.known[:known]
        return cls(means, own, (yes - no)[means], no[own])


@dataclass(frozen=True, slots=True, eq=False)
class _Near:
    """Numbers as ranks: those of released rows (m,) and of known ones (n,) agree where they lie near each other."""

    released: Singles
    known: Singles
    yes: Singles
    no: Singles

    @classmethod
    def weigh(cls, column: _Values, meaning: Floats, released: int, known: int, near: float) -> _Near:
        """Of the first ``released`` and ``known`` rows, where ``near`` is how far apart they may lie."""
        ranks, means = np.append(column.known_rank, 9.0), np.nan_to_num(meaning, nan=9.0)
        every = np.sort(ranks[column.known])
        within = np.searchsorted(every, means + near, "right") - np.searchsorted(every, means - near)
        yes, no = _weights((within + 0.5) / (len(every) + 1))
        rows = column.released[:released]
        return cls(_single(means)[rows], _single(ranks)[column.known[:known]], yes[rows], no[rows])


def _by_pairs(column: _Values, meaning: Floats, released: Ints, known: Ints) -> Floats:
    """The meaning that pairs of rows teach."""
    new, old = column.released[released], column.known[known]
    many, there = len(column.released_rank), len(column.known_rank)
    is_known = (new < many) & (old < there)
    new, old = new[is_known], old[is_known]
    if not column.in_order:
        together = np.zeros((many, there))
        np.add.at(together, (new, old), 1.0)
        before = np.flatnonzero((meaning[:-1] >= 0) & (meaning[:-1] < there))
        together[before, meaning[before].astype(np.int64)] += 0.5
        return _assign(column, -together)
    rising, falling = _chain(new, old), _chain(new, -old)
    does_rise = len(rising[0]) >= len(falling[0])
    new, old = rising if does_rise else (falling[0], -falling[1])
    if len(new) < ENOUGH:
        return meaning
    known_at = [0.0, *column.known_rank[old], 1.0] if does_rise else [1.0, *column.known_rank[old], 0.0]
    bent = np.interp(column.released_rank, [-1e-9, *column.released_rank[new], 1 + 1e-9], known_at)
    return np.append(bent, np.nan)


def _chain(first: Ints, second: Ints) -> Pairs:
    """The longest chain of pairs that rises strictly in both."""
    pairs = np.unique(np.column_stack([first, -second]), axis=0)
    ends: list[int] = []
    last: list[int] = []
    before = np.full(len(pairs), -1)
    for place, value in enumerate((-pairs[:, 1]).tolist()):
        length = bisect_left(ends, value)
        ends[length:], last[length:] = [value, *ends[length + 1 :]], [place, *last[length + 1 :]]
        before[place] = last[length - 1] if length else -1
    chain, place = [], last[-1] if last else -1
    while place >= 0:
        chain.append(place)
        place = int(before[place])
    return pairs[chain[::-1], 0], -pairs[chain[::-1], 1]


def _places(column: _Values, meaning: Floats) -> Ints:
    """The place of the known value that each released one means, -1 where none; of ranks the nearest."""
    there = len(column.known_rank)
    if not column.in_order:
        return meaning.astype(np.int64)
    ranks = np.nan_to_num(meaning)
    above = np.clip(np.searchsorted(column.known_rank, ranks), 1, there - 1)
    nearest = above - (ranks - column.known_rank[above - 1] <= column.known_rank[above] - ranks)
    return np.where(np.isnan(meaning), there, nearest)
