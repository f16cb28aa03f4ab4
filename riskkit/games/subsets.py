"""Everybody from a few trainings: each training has a random part of the people, and every attack scores all of them.

Who is in which training is dealt for each person alone: in so many of the trainings, all choices alike. No coin of
a person depends on those of others, so nothing that another person leaks can pass for this one's leak; the price is
that trainings differ in size by chance. Were they made equally large, a person's coin would follow from everybody
else's, and a method that tells how many people of a kind were in would seem to tell that of each.

A person is in or out with all of their rows. Each training makes one release. An attack on a released file scores every
person on it, compared with rows of other people who fall into parts without a look at who was in. The scores of one
person are then compared over trainings, never with another person's: a person who is like a released row by chance is
so whether in or out.

Trainings are dealt in blocks, everybody in equally many of each block. So a run of many trainings begins with those of
a run of fewer, and what the smaller one trained serves the larger one too.

To see whether a leak would be found, a few people are planted: copies of them, slightly changed, are put into releases
that are there already, by coins of their own, whoever was in the training. What the attacks then say of these people
depends on the copies alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from riskkit.base.distributions import rankdata
from riskkit.core import Bools, Fitted, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.bags import records_of
from riskkit.games.crowd import Crowd, rows_in_order
from riskkit.games.one_run import know
from riskkit.games.planted_copies import change_rows, with_rows
from riskkit.games.records import Deal
from riskkit.games.released import MOST_OF_RELEASE, LeftOut, ReleasedAttack, ReleasedGame
from riskkit.games.released_deal import cross_references, rows_as_records
from riskkit.table.points import RowPoints, points_of

FEWEST_ROWS = 2
"""Rows without which nothing is trained."""
MOST_COMPARED = 10_000
"""Rows that a person is compared with, at most."""
PLANTED, PLANTED_IN = 20, 32
"""People who are planted, at most, and the trainings into whose releases: half of these have a copy of each."""
FOLDS = 8
"""Parts of the trainings, each judged by what was learnt from the others."""
RIDGE = 1e-3
"""What is added to each variance, so that attacks which say the same can be told weights."""


def deal_subsets(people: int, trainings: int, inside: int, rng: np.random.Generator) -> Bools:
    """(people, trainings) who is in which training: each person ``inside`` so many of them, all choices alike."""
    return rng.permuted(np.tile(np.arange(trainings) < inside, (people, 1)), axis=1)


@dataclass(frozen=True, eq=False)
class Subsets:
    """The game: everybody's rows, who is in which training, and the attacks by name.

    ``crowd`` are the people of the table, each of one row where a row is a person. ``blocks`` says of each block of
    trainings how many they are, and in how many of them each person is. ``asked`` are the people whom attacks score,
    ascending; all others are in the worlds, and among those who are compared with.
    """

    deal: Deal
    table: Table
    crowd: Crowd
    blocks: tuple[tuple[int, int], ...]
    asked: Ints
    attacks: tuple[tuple[str, ReleasedAttack], ...]

    @property
    def at_once(self) -> int:
        """How many trainings belong side by side."""
        return fits.batch_size(self.deal.generator)

    @property
    def trainings(self) -> int:
        """Trainings of all blocks."""
        return sum(trainings for trainings, _ in self.blocks)

    @cached_property
    def is_in(self) -> Bools:
        """(people, trainings) who is in which training."""
        dealt = [
            deal_subsets(len(self.crowd), *block, self.deal.rng("who", *[number] * (number > 0)))
            for number, block in enumerate(self.blocks)
        ]
        return np.hstack(dealt)

    def name(self, training: int) -> str:
        """What the release of that training follows from, beside the table: it is the same in a longer run."""
        deal, block, before = self.deal, 0, 0
        while training >= before + self.blocks[block][0]:
            before, block = before + self.blocks[block][0], block + 1
        return f"{deal.generator!r} {deal.n_syn} {deal.seed} {deal.labels} {block} {self.blocks[block]} {training}"

    def world(self, training: int) -> Table:
        """The rows of the people of that training, in the order of the table.

        Raises
        ------
        DesignError
            They are too few.
        """
        rows = self.crowd.rows(np.flatnonzero(self.is_in[:, training]))
        if len(rows) < FEWEST_ROWS:
            raise DesignError.phrase(
                "A training would have {rows} rows. Load a table of more people, or let each be in a larger share "
                "of the trainings.",
                rows=len(rows),
            )
        return self.table.rows(rows)

    def releases(self, trainings: Sequence[int]) -> list[Table]:
        """The release of each of these trainings."""
        return [release for _, release in self._fits(trainings)]

    def _fits(self, trainings: Sequence[int]) -> Iterator[tuple[Fitted, Table]]:
        rngs = [self.deal.rng("training", training) for training in trainings]
        return self.deal.fit_each([self.world(training) for training in trainings], rngs)

    def models(self, trainings: Sequence[int]) -> list[tuple[Table, Floats]]:
        """The same releases, and (asked,) how well each trained method knows everybody asked, of their rows the mean.

        Raises
        ------
        DesignError
            The method can say of no row how well it knows it.
        """
        rows, owner = self._order
        own = np.isin(owner, self.asked)
        asked, whose = self.table.rows(rows[own]), np.searchsorted(self.asked, owner[own])
        out = []
        for training, (fitted, release) in zip(trainings, self._fits(trainings), strict=True):
            known = know(fitted, asked, self.deal.rng("inside", training))
            out.append((release, np.bincount(whose, known) / np.bincount(whose)))
        return out

    def scores(self, release: Table, training: int) -> Floats:
        """(asked, attacks) what each attack says of everybody asked; missing where it cannot work on such tables."""
        return self._answers(self._game(*self._points(release)), f"training {training}")

    def _answers(self, game: ReleasedGame, labels: str) -> Floats:
        """(asked, attacks) what each attack says in that game."""
        answers: dict[str, Any] = {}
        for name, attack in self.attacks:
            try:
                if all(part in answers for part in getattr(attack, "parts", (name,))):
                    answers[name] = game.join(attack, [answers[part] for part in attack.parts])  # type: ignore[arg-type, attr-defined]
                else:
                    answers[name] = game.scores(attack, labels, name)
            except DesignError:
                continue
        missing = np.full(len(self.asked), np.nan)
        return np.column_stack([answers[name].value if name in answers else missing for name, _ in self.attacks])

    @cached_property
    def canaries(self) -> Ints:
        """Places among those asked about of the people who are planted, ascending; their rows find room in a release.

        None where fewer than two do: nothing could be learnt of the one from the other.
        """
        order = self.deal.rng("planted").permutation(len(self.asked))[:PLANTED]
        room = np.cumsum(self.crowd.sizes[self.asked[order]]) <= MOST_OF_RELEASE * self.deal.n_syn
        return np.sort(order[room]) if room.sum() > 1 else np.empty(0, dtype=np.int64)

    @cached_property
    def canary_coins(self) -> Bools:
        """(planted, trainings) into which releases each of them is put: half of the first :data:`PLANTED_IN`."""
        trainings = min(PLANTED_IN, self.trainings) if len(self.canaries) else 0
        return deal_subsets(len(self.canaries), trainings, trainings // 2, self.deal.rng("planted in"))

    def canary_scores(self, release: Table, training: int) -> Floats:
        """The same scores of everybody, had that release held copies of the people who are planted in it."""
        released, pool = self._points(release)
        game, rng = self._game(released, pool), self.deal.rng("planted", training)
        rows = np.flatnonzero(np.isin(game.owner, self.canaries[self.canary_coins[:, training]]))
        places = np.sort(rng.choice(len(released), len(rows), replace=False))
        copies = change_rows(game.targets.rows(rows), pool, released, rng)
        return self._answers(replace(game, release=with_rows(released, places, copies)), f"planted {training}")

    @cached_property
    def _order(self) -> tuple[Ints, Ints]:
        """The rows person by person, and whose they are."""
        people = np.arange(len(self.crowd))
        rows = rows_in_order(self.crowd, people)
        return rows, np.repeat(people, self.crowd.sizes)

    def _points(self, release: Table) -> tuple[RowPoints, RowPoints]:
        """The release, and the rows of everybody, person by person."""
        released, pool = points_of((release, self.table.rows(self._order[0])))
        return released, pool

    def _game(self, released: RowPoints, pool: RowPoints) -> ReleasedGame:
        """The game on that release, with the people of other parts to compare with."""
        owner = self._order[1]
        record = records_of(rows_as_records(pool), owner)
        own = np.flatnonzero(np.isin(owner, self.asked))
        rng = self.deal.rng("compared")  # the same parts in every training: only the release differs
        reference = cross_references(pool, record, own, MOST_COMPARED, rng)
        first = np.searchsorted(owner, self.asked)
        return ReleasedGame(
            release=released,
            targets=pool.rows(own),
            references=(reference,),
            owner=np.searchsorted(self.asked, owner[own]),
            is_in=np.zeros(len(self.asked), dtype=bool),  # no attack may see it
            record=record[first],
            row=self.crowd.first[self.asked],
            left_out=LeftOut(0, 0, 0, 0),
            seed=self.deal.seed,
        )


# What is made of the scores of all people in all trainings: nothing of it is said by the coin of the person it judges.


def standardise(scores: Floats) -> Floats:
    """(..., people, trainings) scores in standard units of each person over all trainings, less each release's mean.

    No coin is looked at. A person whose scores never differ has zeros.
    """
    own = scores - scores.mean(axis=-1, keepdims=True)
    spread = own.std(axis=-1, keepdims=True)
    own = np.divide(own, spread, out=np.zeros_like(own), where=spread > 0)
    moved = spread > 0
    common = own.sum(axis=-2, keepdims=True) / np.maximum(moved.sum(axis=-2, keepdims=True), 1)
    return np.where(moved, own - common, 0.0)


def rmia(scores: Floats) -> Floats:
    """(people, trainings) the share of others beside whom a release speaks for a person: RMIA from few references.

    A score is set against the person's own mean over all trainings, half of which hold the person as reference models
    do, and then against every other person on the same release. No coin is looked at.

    References
    ----------
    .. [1] Zarifzadeh, Liu and Shokri 2024, Low-cost high-power membership inference attacks, ICML.
    """
    ratio = standardise(scores)
    return np.asarray((rankdata(ratio, axis=0) - 1) / max(len(ratio) - 1, 1))


def lira(scores: Floats, is_in: Bools, rng: np.random.Generator) -> Floats:
    """(people, trainings) how much likelier a score is with the person in than out, by two normal laws of their own.

    The laws are fitted to the person's trainings in other parts than the one that is judged, with one spread for all
    people, as of few reference models. A person's own coins in those other trainings are looked at, so labels may not
    be dealt anew here; such scores are for numbers over all people. What a training adds to its side is missing where
    it is judged, so the AUC of one person lies below one half on average if nobody leaks: .465 of 32 trainings, .476 of
    64. Beside other people no such error shows: at 1 % false alarms it names .9 to 1 %.

    References
    ----------
    .. [1] Carlini, Chien, Nasr, Song, Terzis and Tramer 2022, Membership inference attacks from first principles, IEEE
       Symposium on Security and Privacy.
    """
    fold = rng.permutation(scores.shape[1]) % min(FOLDS, scores.shape[1])
    out = np.zeros(scores.shape)
    for number in range(int(fold.max()) + 1):
        learnt, judged = fold != number, fold == number
        means, left = [], 0.0
        for side in (is_in[:, learnt], ~is_in[:, learnt]):
            many = np.maximum(side.sum(axis=1, keepdims=True), 1)
            mean = np.where(side, scores[:, learnt], 0.0).sum(axis=1, keepdims=True) / many
            left += float((np.where(side, scores[:, learnt] - mean, 0.0) ** 2).sum())
            means.append(mean)
        variance = left / max(scores[:, learnt].size - 2 * len(scores), 1)
        far = [(scores[:, judged] - mean) ** 2 for mean in means]
        out[:, judged] = (far[1] - far[0]) / (2 * variance) if variance > 0 else 0.0
    return out


def combine(scores: Floats, is_in: Bools, rng: np.random.Generator) -> Floats:
    """(people, trainings) one score from those of several attacks, (attacks, people, trainings).

    The weights are those of a linear discriminant of standardised scores. Those that judge a person are learnt from
    other people, and from trainings other than the one that is judged: so no coin of a person has a part in that
    person's scores, and labels may be dealt anew as if the weights had been fixed beforehand.
    """
    own = standardise(scores)
    _, people, trainings = own.shape
    half = rng.permutation(people) % 2
    fold = rng.permutation(trainings) % min(FOLDS, trainings)
    out = np.zeros((people, trainings))
    for side in range(2):
        for number in range(int(fold.max()) + 1):
            learnt, judged = np.ix_(half != side, fold != number), np.ix_(half == side, fold == number)
            weights = discriminant(own[:, *learnt], is_in[learnt])
            out[judged] = np.tensordot(weights, own[:, *judged], 1)
    return out


def discriminant(scores: Floats, is_in: Bools) -> Floats:
    """(attacks,) weights of unit variance that part those who are in from those who are not (Fisher)."""
    inside, outside = scores[:, is_in], scores[:, ~is_in]
    if not inside.size or not outside.size:
        return np.zeros(len(scores))
    within = np.atleast_2d(np.cov(np.hstack([inside, outside]))) + RIDGE * np.eye(len(scores))
    weights = np.linalg.solve(within, inside.mean(axis=1) - outside.mean(axis=1))
    size = np.sqrt(weights @ within @ weights)
    return np.asarray(weights / size if size > 0 else weights)
