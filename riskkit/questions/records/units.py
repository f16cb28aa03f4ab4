"""The units of work of an audit of every record: releases that all records share, and one record's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.games import fits
from riskkit.games.records import FixedTable, OtherPeople, WordWeights, words_of
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.table.agreeing import Agreement, CountSums, Places, Words

FIXED, TRADITIONAL, AUXILIARY = "fixed", "traditional", "auxiliary"
SHADOW, FIRST, FRESH = "shadow", "first", "fresh"

Sides = tuple[tuple[Words, ...], tuple[Words, ...]]
"""The words of releases with the record, and of those without it."""
Shelf = Mapping[tuple[str, str], Places]
"""(releases, d, n) the releases that all records share, by game and stage."""


@dataclass(frozen=True, slots=True)
class ReleaseCounts:
    """So many releases of a game and a stage: ``shared`` by all records, and each record's ``own``."""

    game: str
    stage: str
    shared: int
    own: int


@dataclass(frozen=True, slots=True)
class Release:
    """One release of one training: the shared one of that number, or the own one of the record at ``position``."""

    game: str
    stage: str
    number: int
    position: int = -1


@dataclass(frozen=True, eq=False)
class Field:
    """Everything a unit of work needs: who is asked about, and the games.

    ``rows`` (m,) are the rows of the table, in the order of the agreement's records. Where people have several rows,
    ``people`` are all rows of each, ``rows`` the first of them, and the agreement's records are the rows of one person
    after another's. ``ends`` are the released rows up to each count of releases but the last, after which the attack
    is played too; none of one release.
    """

    rows: Ints
    agreement: Agreement
    games: Mapping[str, FixedTable | OtherPeople]
    people: tuple[Ints, ...] | None = None
    ends: tuple[int, ...] = ()

    @property
    def at_once(self) -> int:
        """How many trainings belong side by side."""
        return fits.at_once(self.fixed.deal.generator)

    @property
    def fixed(self) -> FixedTable:
        """The game on this very table."""
        game = self.games[FIXED]
        assert isinstance(game, FixedTable)
        return game

    def shadows(self, own: int) -> ReleaseCounts:
        """What the attacker learns from."""
        return ReleaseCounts(AUXILIARY if AUXILIARY in self.games else FIXED, SHADOW, own, own)

    @cached_property
    def _starts(self) -> Ints:
        """(m + 1,) where each person's rows begin among the records of the agreement, and where the last one's end."""
        return np.cumsum([0, *map(len, self.people or ())])

    def records(self, position: int) -> tuple[int, int]:
        """The first record of the agreement that is asked about at that position, and how many there are."""
        if self.people is None:
            return position, 1
        return int(self._starts[position]), len(self.people[position])

    def groups(self, position: int) -> tuple[tuple[int, ...], ...]:
        """The columns that are looked at together, for each row that is asked about at that position."""
        return self.agreement.groups * self.records(position)[1]

    def own(self, game: str, position: int, stage: str, numbers: Sequence[int]) -> tuple[Words, ...]:
        """The words of own releases of one record, or of one person."""
        row = int(self.rows[position]) if self.people is None else self.people[position]
        first, rows = self.records(position)
        return words_of(self.agreement, first, self.games[game].own(row, stage, numbers), rows)

    def shown(self, position: int, places: Places) -> tuple[Words, ...]:
        """The words that shared releases have for one record, or for one person."""
        first, rows = self.records(position)
        return tuple(words for block in range(first, first + rows) for words in self.agreement.words(block, places))

    def words(self, ask: ReleaseCounts, position: int) -> tuple[Words, ...]:
        """The words of the own releases of one record."""
        return self.own(ask.game, position, ask.stage, range(ask.own))


def shared(field: Field, units: Sequence[Release]) -> list[Places]:
    """The releases of these numbers as places."""
    made = [
        release
        for (game, stage, _), numbers in _runs(units)
        for release in field.games[game].shared_each(stage, numbers)
    ]
    return [field.agreement.places(release) for release in made]


def own(field: Field, units: Sequence[Release]) -> list[tuple[Words, ...]]:
    """For each release of one record the words of its rows."""
    return [
        words
        for (game, stage, position), numbers in _runs(units)
        for words in zip(*field.own(game, position, stage, numbers), strict=True)
    ]


def _runs(units: Sequence[Release]) -> Iterator[tuple[tuple[str, str, int], list[int]]]:
    """The numbers of releases that differ in nothing else and follow one another, with what they share."""
    for same, run in groupby(units, key=lambda unit: (unit.game, unit.stage, unit.position)):
        yield same, [unit.number for unit in run]


def whole(
    field: Field, positions: Sequence[int], shelf: Shelf, shadows: ReleaseCounts, asks: Sequence[ReleaseCounts]
) -> list[tuple[Floats, ...]]:
    """For each record what :func:`judged` says, its own releases made here."""
    return [judged(field, position, shelf, field.words, shadows, asks) for position in positions]


def judged(
    field: Field,
    position: int,
    shelf: Shelf,
    own_words: Callable[[ReleaseCounts, int], tuple[Words, ...]],
    shadows: ReleaseCounts,
    asks: Sequence[ReleaseCounts],
) -> tuple[Floats, ...]:
    """The scores of the releases with the record and of those without it, for each ask in turn.

    The attacker learns from the shadows first; nothing that is counted is among them. Of several releases two arrays
    stand behind the first look's: (counts, trainings) scores of one who sees fewer of them, and learnt from as many.
    """

    def both(ask: ReleaseCounts) -> Sides:
        """The words of the releases with the record, and of those without it."""
        of_all, of_one = field.shown(position, shelf[ask.game, ask.stage]), own_words(ask, position)
        return (of_all, of_one) if ask.game == FIXED else (of_one, of_all)

    learnt, counted = both(shadows), [both(ask) for ask in asks]
    line = WordWeights.learn(*(CountSums.of(words, field.groups(position)) for words in learnt))
    scores = tuple(line.scores(words) for pair in counted for words in pair)
    if not field.ends or not asks or asks[0].stage == FRESH:
        return scores
    return (*scores, *_of_fewer(field, position, learnt, counted[0]))


def _of_fewer(field: Field, position: int, learnt: Sides, counted: Sides) -> tuple[Floats, Floats]:
    """(counts, trainings) the scores with the record, and without, of an attacker who sees the first releases alone."""
    inside: list[Floats] = []
    outside: list[Floats] = []
    for end in field.ends:
        line = WordWeights.learn(*(CountSums.of(_first(words, end), field.groups(position)) for words in learnt))
        for out, words in zip((inside, outside), counted, strict=True):
            out.append(line.scores(_first(words, end)))
    return np.array(inside), np.array(outside)


def _first(words: tuple[Words, ...], rows: int) -> tuple[Words, ...]:
    """The words of so many rows of every release, the first."""
    return tuple(np.ascontiguousarray(group[:, :rows]) for group in words)


def fill(field: Field, pool: Pool, asks: Sequence[ReleaseCounts]) -> dict[tuple[str, str], Places]:
    """Make the releases that all records share.

    Those of a fit that is made once take so little that they are no units of their own.
    """
    units = [Release(ask.game, ask.stage, number) for ask in asks for number in range(ask.shared)]
    if field.fixed.settled is not None:
        made = iter(shared(field, units))
    else:
        made = pool.map(phrase("Releases that all records share"), shared, field, units)
    return {(ask.game, ask.stage): np.stack([next(made) for _ in range(ask.shared)]) for ask in asks}


def play(
    field: Field,
    pool: Pool,
    positions: Sequence[int],
    shelf: Shelf,
    shadows: ReleaseCounts,
    asks: Sequence[ReleaseCounts],
    stage: str,
) -> Iterator[tuple[Floats, ...]]:
    """What :func:`judged` says of each of these records, in order.

    Where a training is quick a record is a unit of work; else every training is one, and is there again after an
    interruption.
    """
    if field.fixed.settled is not None:
        yield from pool.map(stage, whole, field, list(positions), shelf, shadows, asks)
        return
    every = (shadows, *asks)
    units = [
        Release(ask.game, ask.stage, number, position)
        for position in positions
        for ask in every
        for number in range(ask.own)
    ]
    made = pool.map(stage, own, field, units)
    for position in positions:
        scores = {ask: _stacked([next(made) for _ in range(ask.own)]) for ask in every}
        yield judged(field, position, shelf, lambda ask, _, own_scores=scores: own_scores[ask], shadows, asks)  # type: ignore[misc]
    for _ in made:  # lets the pool tidy up
        pass


def _stacked(each: Sequence[tuple[Words, ...]]) -> tuple[Words, ...]:
    return tuple(np.stack(words) for words in zip(*each, strict=True))


def units_of(
    field: Field, records: int, shadows: ReleaseCounts, asks: Sequence[ReleaseCounts], *, fills: bool = True
) -> int:
    """How many units of work :func:`fill` and :func:`play` come to."""
    if field.fixed.settled is not None:
        return records
    shelves = sum(ask.shared for ask in (shadows, *asks)) if fills else 0
    return shelves + records * sum(ask.own for ask in (shadows, *asks))
