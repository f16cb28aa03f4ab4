"""The model-seeded game for many records of one table: was this one of them in?

Two worlds for every record: the table with everyone, and the table without that record. The first is the same for all
records, so its releases are made once and shown to all; only the other side is made for each. A generator whose fit
draws nothing and can give a row up is fitted once for all worlds: then the seed of a release is the training.

The traditional game asks the same of other people around the record, drawn anew in every training; there the releases
without the record are the ones that all records share.

The attacker counts how many released rows agree with the record on every set of columns and weighs the counts as its
own releases, none of them counted, tell it to. It is one line in all counts, and so a sum over released rows.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from riskkit.core import Fitted, Floats, Generator, Ints, LeaveOneOut, Table
from riskkit.games import fits
from riskkit.games.crowd import Crowd
from riskkit.seeds import stream
from riskkit.table.agreements import Agreement, CountSums, Words, answers, worth_of_words

POWER = 5
"""Weights are this power of a count's correlation with the truth: of thousands of counts a handful move."""
FEWEST_MOVED = 1e-9
"""A count whose variance is below this has never differed."""
KEPT_ROWS = 700_000
"""Rows of releases whose random numbers a process keeps for the next record; what is beyond is drawn again."""

_drawn = threading.local()


@runtime_checkable
class SharedNoise(Protocol):
    """Optional: a fit whose releases need the same random numbers whichever rows of the table were fitted.

    ``sample(n, rng)`` is ``sample_from(noise(n, rng))``, and what ``noise`` gives may be used by many fits. The game
    draws it once for all records: releases of one record are as independent as ever, those of two records are not, no
    more than the releases with everyone, which all records share anyway.
    """

    def noise(self, n: int, rng: np.random.Generator) -> Any:
        """What a release of ``n`` rows draws at random."""

    def sample_from(self, noise: Any) -> Table:
        """The release of this fit with these random numbers."""


@dataclass(frozen=True, eq=False)
class Deal:
    """What every world of a game shares: who makes releases, how long they are, and the game's random streams."""

    generator: Generator
    n_syn: int
    seed: int
    labels: tuple[str, ...]

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "records", *self.labels, *labels)

    def release(self, fitted: Fitted, rng: np.random.Generator) -> Table:
        """A release of the public size."""
        return fits.check_size(self.generator, fitted.sample(self.n_syn, rng), self.n_syn)

    def fit_each(self, worlds: Sequence[Table], rngs: Sequence[np.random.Generator]) -> Iterator[tuple[Fitted, Table]]:
        """One training on each of these worlds, with one release of it."""
        for fitted, rng in zip(fits.fit_worlds(self.generator, worlds, rngs), rngs, strict=True):
            yield fitted, self.release(fitted, rng)

    def trained_each(self, worlds: Sequence[Table], rngs: Sequence[np.random.Generator]) -> list[Table]:
        """The release alone of each."""
        return [release for _, release in self.fit_each(worlds, rngs)]


@dataclass(frozen=True, eq=False)
class FixedTable:
    """The game on this very table. ``stand_in`` are the rows that take the place of whoever is left out, or None."""

    deal: Deal
    table: Table
    stand_in: Table | None = None

    @cached_property
    def everyone(self) -> Table:
        """The table, and after it whoever stands in."""
        return self.table if self.stand_in is None else self.table.plus(self.stand_in)

    @cached_property
    def settled(self) -> LeaveOneOut | None:
        """The fit to :attr:`everyone` that gives up any row; None where a fit is random or has to be made anew."""
        rng = self.deal.rng("settled")
        before = copy.deepcopy(rng.bit_generator.state)
        fitted = self.deal.generator.fit(self.everyone, rng)
        is_random = rng.bit_generator.state != before
        return None if is_random or not isinstance(fitted, LeaveOneOut) else fitted

    @cached_property
    def _with_all(self) -> Fitted | None:
        """The settled fit to the table."""
        settled = self.settled
        if settled is None or self.stand_in is None:
            return settled  # type: ignore[return-value]  # what a generator fits can be sampled
        return settled.without(np.arange(len(self.table), len(self.everyone)))

    def shared(self, stage: str, numbers: Sequence[int]) -> list[Table]:
        """The releases of these numbers with everyone, the same for all records."""
        rngs = [self.deal.rng(stage, "in", number) for number in numbers]
        if self._with_all is not None:
            return [self.deal.release(self._with_all, rng) for rng in rngs]
        return self.deal.trained_each([self.table] * len(rngs), rngs)

    def own(self, row: int | Ints, stage: str, numbers: Sequence[int]) -> Iterator[Table]:
        """Releases without the record of that row, or without a person of (k,) rows."""
        settled: Any = None if self.settled is None else self.settled.without(row)
        first = int(np.min(row))
        if isinstance(settled, SharedNoise):
            for number in numbers:
                release = settled.sample_from(self._noise(settled, stage, number))
                yield fits.check_size(self.deal.generator, release, self.deal.n_syn)
            return
        rngs = [self.deal.rng(stage, "out", first, number) for number in numbers]
        if settled is None:
            yield from self.deal.trained_each([self.everyone.without(row)] * len(rngs), rngs)
        else:
            for rng in rngs:
                yield self.deal.release(settled, rng)

    def _noise(self, fitted: SharedNoise, stage: str, number: int) -> Any:
        """The random numbers of the releases of that number without a record, the same for all records."""
        kept = self._kept()
        if (stage, number) not in kept:
            noise = fitted.noise(self.deal.n_syn, self.deal.rng(stage, "out", number))
            if (len(kept) + 1) * self.deal.n_syn > KEPT_ROWS:
                return noise
            kept[stage, number] = noise
        return kept[stage, number]

    def _kept(self) -> dict[tuple[str, int], Any]:
        """Random numbers by stage and number, of the game that this thread played last.

        A process that helps is handed the game anew with every few records; what it has drawn must outlive that.
        """
        game = self.deal.seed, self.deal.labels, self.deal.n_syn, self.deal.generator, self.table.schema
        if getattr(_drawn, "game", None) != game:
            _drawn.game, _drawn.kept = game, {}
        kept: dict[tuple[str, int], Any] = _drawn.kept
        return kept


@dataclass(frozen=True, eq=False)
class OtherPeople:
    """The traditional game: people of ``pool`` around a record of ``table``, drawn anew in every training.

    ``crowd`` are the people of the pool; a world with the record has so many ``people``. Without it the world is one
    person shorter, or with ``stands_in`` another person is in its place.
    """

    deal: Deal
    table: Table
    pool: Table
    stands_in: bool
    crowd: Crowd
    people: int

    def shared(self, stage: str, numbers: Sequence[int]) -> list[Table]:
        """The releases of these numbers without any record of the table, the same for all."""
        rngs = [self.deal.rng(stage, "out", number) for number in numbers]
        people = self.people - 1 + self.stands_in
        return self.deal.trained_each([self._people(people, stage, "out", number) for number in numbers], rngs)

    def own(self, row: int | Ints, stage: str, numbers: Sequence[int]) -> Iterator[Table]:
        """Releases with the record of that row, or with a person of (k,) rows."""
        record, first = self.table.rows(np.atleast_1d(row)), int(np.min(row))
        worlds = [self._people(self.people - 1, stage, "in", number).plus(record) for number in numbers]
        yield from self.deal.trained_each(worlds, [self.deal.rng(stage, "in", first, number) for number in numbers])

    def _people(self, count: int, *labels: str | int) -> Table:
        drawn = self.deal.rng("people", *labels).permutation(len(self.crowd))[:count]
        return self.pool.rows(self.crowd.rows(drawn))


@dataclass(frozen=True, slots=True, eq=False)
class WordWeights:
    """What the attacker learnt of one record: ``worth`` of a row of each word, and the cut above which it says "in"."""

    worth: tuple[Floats, ...]
    cut: float

    @classmethod
    def learn(cls, inside: CountSums, outside: CountSums) -> WordWeights:
        """Weigh every count by what the attacker's own releases with and without the record say of it.

        The weight of a count in standard scores is the :data:`POWER`-th power of its correlation with the truth.
        """
        n_in, n_out = inside.releases, outside.releases
        n, weights, means = n_in + n_out, [], []
        for index in range(len(inside.total)):
            mean = (inside.total[index] + outside.total[index]) / n
            variance = (inside.squares[index] + outside.squares[index]) / n - mean**2
            moved = variance > FEWEST_MOVED * np.maximum(mean, 1.0) ** 2
            sd = np.sqrt(np.where(moved, variance, 1.0))
            gap = np.where(moved, inside.total[index] / n_in - outside.total[index] / n_out, 0.0)
            weights.append((gap / sd * np.sqrt(n_in * n_out) / n) ** POWER / sd)
            means.append((inside.total[index] / n_in + outside.total[index] / n_out) / 2)
        size = max(sum(float(np.abs(weight).sum()) for weight in weights), np.finfo(np.float64).tiny)
        weights = [weight / size for weight in weights]
        cut = sum(float(weight @ mean) for weight, mean in zip(weights, means, strict=True))
        return cls(tuple(worth_of_words(weight) for weight in weights), cut)

    def scores(self, words: tuple[Words, ...]) -> Floats:
        """(releases,) above 0 where the counts look as with the record."""
        return answers(words, self.worth) - self.cut


def words_of(agreement: Agreement, record: int, releases: Iterator[Table], rows: int = 1) -> tuple[Words, ...]:
    """For each group (releases, n) the words of releases that only this record is asked about.

    Of a person with several ``rows``, which follow each other among the records, the groups of each row in turn.
    """
    records = range(record, record + rows)
    each = [[words for own in records for words in agreement.words_of_rows(own, release)] for release in releases]
    return tuple(np.stack([words[index] for words in each]) for index in range(rows * len(agreement.groups)))
