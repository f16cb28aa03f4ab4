"""The game on a released file: real rows were in, holdout rows were not, the release is the one that lies there.

The game deals and collects scores; it computes no statistic. Five things would tell the sides apart without any leak
and are closed here:

* A row that stands in both tables was in, and is no member that an attack could be asked about: all its copies are
  left out on both sides (they may serve as reference).
* If one table is larger, a record of several equal rows is more likely to stand wholly in the larger one. There it is
  kept only as often as evens this out.
* Rows that are equal within a table are one record and count as one.
* Where a column names the person of a row, a person's rows are one thing: they are in or out together, fall into one
  part, are one record with those of whoever has equal rows, and get one score.
* Rows are in an order, and columns and codes have names, that follow from their content alone, the sides mixed.
* Whom attacks compare with is dealt without a look at the sides. All records fall into parts, and those of one part are
  compared with rows of the others, real and holdout alike: no score depends on who was in, so the labels may be
  exchanged. Were each part of the holdout compared with the rest of the holdout, a label would decide whose scores its
  record helps to make; the errors of the parts would go together, and too many innocent releases be called a leak.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import ClassVar, Protocol

import numpy as np

from riskkit.base.distributions import ranks
from riskkit.core import Bools, Floats, Ints, Scores
from riskkit.errors import DesignError, ScoreError
from riskkit.games.bags import OfPerson, rows_of, score_of_people, starts
from riskkit.games.planted_copies import (
    LEAST_TELLING,
    PlantedKind,
    change_rows,
    scatter_values,
    with_own_value,
    with_rows,
)
from riskkit.seeds import stream
from riskkit.table.neighbours import nearest, remember
from riskkit.table.points import RowPoints

PARTS, DEALS = 2, 1
"""Parts that all records fall into, and how often they are dealt; the scores of several deals are averaged."""
PLANTED_SHARE = 0.5
"""Share of the control's "in" records that are copied into the release; one who finds them all reaches AUC .75."""
MOST_OF_RELEASE = 0.2
"""At most that share of the release is replaced by planted copies."""
Piece = tuple[int, ...]
"""What is asked of an attack in one call: everybody, or the people of one part, as deal and part."""
EVERYBODY: Piece = ()


class ComparisonGroup(StrEnum):
    """Whom attacks that compare may compare with."""

    CROSS = "cross"
    """Those of the other parts: everybody is asked about, and nobody is compared with himself."""
    ASIDE = "aside"
    """A share of the holdout that nobody is asked about, as the attacks were published."""


class ReleasedAttack(Protocol):
    """A method that guesses membership from the released file alone: a frozen dataclass, its fields its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    needs_reference: ClassVar[bool]

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        """(n_targets,) finite scores, higher means "in"; there is no cut of its own."""


class Joined(ReleasedAttack, Protocol):
    """An attack whose scores follow from those of others: ``parts`` names them, each with its own settings.

    An audit asks these once, for themselves and for all that are made of them.
    """

    parts: ClassVar[tuple[str, ...]]

    def join(self, scores: Sequence[Floats]) -> Floats:
        """(n_targets,) from what each of its parts says of the same targets."""


def ask(
    attack: ReleasedAttack,
    release: RowPoints,
    targets: RowPoints,
    reference: RowPoints | None,
    rng: np.random.Generator,
) -> Floats:
    """(n_targets,) what an attack says of these rows.

    Raises
    ------
    DesignError
        The attack cannot work on these tables.
    ScoreError
        It did not give one finite number for each of them.
    """
    value = np.asarray(attack.score(release, targets, reference, rng), dtype=np.float64)
    if value.shape != (len(targets),) or not np.isfinite(value).all():
        raise ScoreError.phrase("The attack {attack} did not give one finite number for each row.", attack=attack.name)
    return value


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Rows that nobody is asked about, and why: ``real`` and ``holdout`` equal a row of the other table; ``evened`` are
    repeated records of the larger table (see the top of the file); ``spared`` are over the maximum."""

    real: int
    holdout: int
    evened: int
    spared: int


@dataclass(frozen=True, slots=True, eq=False)
class ReferenceRows:
    """Whom the targets are compared with: ``part`` (n_targets,) names the part of each, ``rows`` the rows for it."""

    part: Ints
    rows: tuple[RowPoints, ...]

    def take(self, targets: Ints) -> ReferenceRows:
        """That of these targets alone: (k,) places."""
        return replace(self, part=self.part[targets])

    @property
    def fewest(self) -> int:
        """Rows that a target is compared with, at least."""
        return min(map(len, self.rows))


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedGame:
    """Everything an attack may see, and the truth beside it.

    ``references`` holds whom to compare with, by deal; none where there is nobody. ``owner`` (n_targets,) is the place
    of each target's person among all people asked about, whose rows stand side by side. ``is_in``, ``record`` and
    ``row`` are (n_people,): the truth; which record it is (equal people share it); the first row in the real table
    where they were in and in the holdout where not. ``copies`` people were planted in ``replaced`` rows of the release.
    ``near`` are the distances and positions of the released rows nearest to each target, where they were looked up
    beforehand; ``near_people`` those of the rows that each is compared with, by deal. ``within`` says which targets of
    the game that a leak was planted in these are.
    """

    release: RowPoints
    targets: RowPoints
    references: tuple[ReferenceRows, ...]
    owner: Ints
    is_in: Bools
    record: Ints
    row: Ints
    left_out: LeftOut
    seed: int
    of_person: OfPerson = OfPerson.MEAN
    copies: int = 0
    replaced: int = 0
    near: tuple[Floats, Ints] | None = None
    near_people: tuple[tuple[Floats, Ints], ...] = ()
    within: Ints | None = None

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "released", *labels)

    def records(self, is_in: bool) -> int:
        """How many different records that side has."""
        return len(np.unique(self.record[self.is_in == is_in]))

    @property
    def n_reference(self) -> int:
        """Rows that a target is compared with, at least; 0 where there are none."""
        return min((reference.fewest for reference in self.references), default=0)

    def pieces(self, attack: ReleasedAttack) -> tuple[Piece, ...]:
        """What the attack is asked in, a call each.

        Raises
        ------
        DesignError
            The attack needs a reference and there is none.
        """
        if not attack.needs_reference:
            return (EVERYBODY,)
        if not self.references:
            raise DesignError.phrase(
                "It compares with reference rows, and no share of the holdout was set aside for them."
            )
        deals = enumerate(self.references)
        return tuple((deal, part) for deal, each in deals for part in range(len(each.rows)) if part in each.part)

    def piece(self, attack: ReleasedAttack, piece: Piece, *labels: str) -> Floats:
        """What the attack says of the targets of that piece.

        Raises
        ------
        DesignError
            The attack cannot work on these tables.
        ScoreError
            It did not give one finite number for each target.
        """
        if piece == EVERYBODY:
            return self._ask(attack, piece, *labels)
        deal, part = piece
        if len(self.references[deal].rows) == 1:
            return self._ask(attack, piece, *labels)
        return self._ask(attack, piece, *labels, deal, part)

    def whole(self, attack: ReleasedAttack, values: Sequence[Floats]) -> Scores:
        """The scores of everybody from what the attack says of the people of each of its pieces, in their order.

        Where people of several parts were compared with different rows, a score is the mean rank within its part, from
        0 to 1, and the mean over the deals.
        """
        value = values[0]
        if attack.needs_reference:
            of_deal = np.empty((len(self.references), len(self.is_in)))
            for (deal, part), own in zip(self.pieces(attack), values, strict=True):
                is_parted = len(self.references[deal].rows) > 1
                of_deal[deal, self._people((deal, part))] = (ranks(own) - 0.5) / len(own) if is_parted else own
            value = np.mean(of_deal, axis=0)
        return Scores(value, self.is_in, self.record, np.zeros(len(value), dtype=np.int64), attack.name)

    def join(self, attack: Joined, parts: Sequence[Scores]) -> Scores:
        """The scores of an attack that is made of others, from theirs."""
        pieces = [self._people(piece) for piece in self.pieces(attack)]
        return self.whole(attack, [attack.join([each.value[own] for each in parts]) for own in pieces])

    def scores(self, attack: ReleasedAttack, *labels: str) -> Scores:
        """What the attack says of everybody; one that is made of others, as it says it by itself.

        Raises
        ------
        DesignError, ScoreError
            As :meth:`pieces` and :meth:`piece` say.
        """
        return self.whole(attack, [self.piece(attack, each, *labels) for each in self.pieces(attack)])

    def _targets(self, piece: Piece) -> Ints:
        """Where the targets of that piece stand."""
        if piece == EVERYBODY:
            return np.arange(len(self.targets))
        deal, part = piece
        return np.flatnonzero(self.references[deal].part == part)

    def _people(self, piece: Piece) -> Ints:
        """Where the people of that piece stand."""
        owner = self.owner[self._targets(piece)]
        return owner[starts(owner)]

    def _ask(self, attack: ReleasedAttack, piece: Piece, *labels: str | int) -> Floats:
        """One finite number for each of these people, from what the attack gives their rows."""
        chosen = self._targets(piece)
        targets, owner = self.targets.rows(chosen), self.owner[chosen]
        reference = None if piece == EVERYBODY else self.references[piece[0]].rows[piece[1]]
        if self.near is not None:
            distances, positions = self.near
            remember(targets, self.release, distances[chosen], positions[chosen])
        if reference is not None and self.near_people:
            distances, positions = self.near_people[piece[0]]
            remember(targets, reference, distances[chosen], positions[chosen])
        value = ask(attack, self.release, targets, reference, self.rng(*labels))
        return score_of_people(value, owner, self.of_person)

    def nearest(self, k: int, people: slice, threads: int) -> tuple[Floats, Ints]:
        """(n, k) distances and positions of the released rows nearest to these targets, by so many threads."""
        chosen = self.targets.rows(np.arange(len(self.targets))[people])
        return nearest(chosen, self.release, min(k, len(self.release)), threads=threads)

    def nearest_people(self, k: int, deal: int, people: slice, threads: int) -> tuple[Floats, Ints]:
        """(n, k) the same of the rows that each of these targets is compared with in that deal."""
        chosen, of_deal = np.arange(len(self.targets))[people], self.references[deal]
        k = min(k, of_deal.fewest)
        distances, positions = np.empty((len(chosen), k)), np.empty((len(chosen), k), dtype=np.int64)
        for part, rows in enumerate(of_deal.rows):
            own = np.flatnonzero(of_deal.part[chosen] == part)
            if len(own):
                targets = self.targets.rows(chosen[own])
                distances[own], positions[own] = nearest(targets, rows, k, threads=threads)
        return distances, positions

    def sample(self, rows: int, rng: np.random.Generator) -> ReleasedGame:
        """The same game with at most so many rows of release, targets and reference: to see how long it takes."""

        def some(points: RowPoints) -> RowPoints:
            return points.rows(np.sort(rng.permutation(len(points))[:rows]))

        order = rng.permutation(len(self.is_in))
        chosen = order[: max(int((np.cumsum(np.bincount(self.owner)[order]) <= rows).sum()), 1)]
        own = self._among(np.sort(chosen))
        references = tuple(replace(each, rows=tuple(map(some, each.rows))) for each in own.references)
        return replace(own, release=some(self.release), references=references, within=None)

    def _among(self, people: Ints) -> ReleasedGame:
        """The game of these people alone, with whom they are compared and the whole release."""
        rows = rows_of(self.owner, people)
        return replace(
            self,
            targets=self.targets.rows(rows),
            references=tuple(reference.take(rows) for reference in self.references),
            owner=np.repeat(np.arange(len(people)), np.bincount(self.owner)[people]),
            is_in=self.is_in[people],
            record=self.record[people],
            row=self.row[people],
            near=None,
            near_people=(),
            within=rows,
        )

    def plant(self, what: PlantedKind = PlantedKind.ROWS) -> ReleasedGame:
        """A game of known answer: records that were *not* in, copies of some of them planted in this very release.

        All its targets come from the holdout, so nothing tells its sides apart but what was planted, however much the
        release itself leaks. Half of the "in" records have a copy, slightly changed, in place of a release row; or, of
        the same records, each value is put somewhere in these rows.

        Raises
        ------
        DesignError
            There are too few records to play it, or values name too few of them.
        """
        if what is PlantedKind.VALUES and with_own_value(self.targets, self.owner) < LEAST_TELLING:
            raise DesignError.phrase(
                "Too few people have a value that nobody else has: values alone would not tell who was planted."
            )
        rng = self.rng("planted")
        others = rng.permutation(np.unique(self.record[~self.is_in]))
        n_in = min(len(others) // 2, int(len(self.release) * MOST_OF_RELEASE / PLANTED_SHARE))
        n_copied = int(n_in * PLANTED_SHARE)
        number, first = np.unique(self.record, return_index=True)
        people = first[np.searchsorted(number, others)]  # of equal people one
        room = np.cumsum(np.bincount(self.owner)[people]) <= len(self.release) * MOST_OF_RELEASE + 1e-9
        if room.sum() < n_copied:  # people of many rows
            n_copied = int(room.sum())
            n_in = int(n_copied / PLANTED_SHARE)
        if n_copied < 1:
            raise DesignError.phrase(
                "There are too few records from outside the data to plant some of them in the release."
            )
        own = self._among(np.flatnonzero(np.isin(self.record, others[: n_in + len(others) // 2])))
        copied = self.targets.rows(rows_of(self.owner, np.sort(people[:n_copied])))
        replaced = np.sort(rng.choice(len(self.release), len(copied), replace=False))
        if what is PlantedKind.ROWS:
            rows = change_rows(copied, self.targets, self.release, rng)
        else:
            rows = scatter_values(copied, self.targets, self.release.rows(replaced), self.release, rng)
        return replace(
            own,
            release=with_rows(self.release, replaced, rows),
            is_in=np.isin(own.record, others[:n_in]),
            copies=n_copied,
            replaced=len(copied),
        )
