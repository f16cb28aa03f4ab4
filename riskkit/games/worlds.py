"""Where the two worlds of a membership game come from, and whom the attacker knows beside the targets.

Two sources, one game. *Fixed* worlds are two tables, the same in every training: only the coin and the generator's seed
are random, so the game speaks of this very table. *Resampled* worlds hold other people around the targets in every
training, as in the traditional game: it speaks of an average over tables, and a record at risk in this one can hide in
it.

Two relations. *add-one*: the world without the targets is shorter by them. *replace-one*: other people stand in their
place, so that both worlds have the same number of rows, as generators with a public number of rows assume.

People who are known to the attacker are in no world that is counted, and equal rows are one record: all its rows lie on
one side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from riskkit.core import Bools, Floats, Ints, Table, Targets
from riskkit.errors import DesignError

RELATIONS = ("add-one", "replace-one")
"""How the two worlds of a game differ."""


class GroupedScores(Protocol):
    """How the scores of rows become that of the people who are in or out as one."""

    def scores(self, values: Floats) -> Floats:
        """(trainings, generations) from (trainings, generations, rows)."""


class WorldSource(Protocol):
    """What a game needs of its worlds."""

    @property
    def targets(self) -> Table:
        """The records asked about."""

    @property
    def copies(self) -> int:
        """Further rows that equal one of them; they are in no world."""

    @property
    def rows(self) -> int:
        """The length of a world with the targets."""

    @property
    def shared(self) -> Table | None:
        """The rows that every world holds, None where they are drawn anew."""

    @property
    def grouped(self) -> GroupedScores | None:
        """How scores of rows become those of people; None where a row is a person."""

    def draw(self, is_in: bool, rng: np.random.Generator) -> Table:
        """A world with the targets, or one without; all that is random in it comes from ``rng``."""


class Redrawn(WorldSource, Protocol):
    """Worlds that are drawn anew each time."""

    @property
    def pool(self) -> Table:
        """The rows they are drawn from."""


@dataclass(frozen=True, slots=True, eq=False)
class Worlds:
    """The two training tables of a fixed game and what was done to make them.

    ``copies`` counts further rows of the real table that equal a target. They are in neither world: a game in which
    a copy stays behind would not ask whether the person was in. ``common`` are the rows of both worlds, None where
    those of ``neg`` are. ``grouped`` makes the scores of rows those of people, where people have several.
    """

    pos: Table
    neg: Table
    targets: Table
    copies: int = 0
    common: Table | None = None
    grouped: GroupedScores | None = None

    @property
    def rows(self) -> int:
        """The length of the world with the targets."""
        return len(self.pos)

    @property
    def shared(self) -> Table:
        """The rows of both worlds."""
        return self.neg if self.common is None else self.common

    def world(self, is_in: bool) -> Table:
        """The world with the targets, or the one without."""
        return self.pos if is_in else self.neg

    def draw(self, is_in: bool, rng: np.random.Generator) -> Table:  # noqa: ARG002  nothing of a fixed world is random
        """The same as :meth:`world`. Draws nothing."""
        return self.world(is_in)


@dataclass(frozen=True, slots=True, eq=False)
class Resampled:
    """Worlds of ``rows`` people, drawn anew each time from ``pool``, which holds no target and no copy of one."""

    pool: Table
    targets: Table
    rows: int
    relation: str = "add-one"
    copies: int = 0

    @property
    def shared(self) -> None:
        """No row is in every world."""
        return

    @property
    def grouped(self) -> None:
        """A row is a person."""
        return

    def draw(self, is_in: bool, rng: np.random.Generator) -> Table:
        """``rows - k`` people of the pool and the ``k`` targets; or the people alone, or ``k`` more of them."""
        stand_ins = self.relation == "replace-one" and not is_in
        others = self.rows if stand_ins else self.rows - len(self.targets)
        drawn = self.pool.rows(np.sort(rng.permutation(len(self.pool))[:others]))
        return drawn.plus(self.targets) if is_in else drawn


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Everyone there is: the real table, and those of whom the attacker has the rows.

    ``known`` (n,) says which rows of the real table the attacker has, None where it has none of them; ``others`` are
    people beside the real table that it has.
    """

    real: Table
    known: Bools | None = None
    others: Table | None = None

    def around(self, targets: Targets) -> tuple[Table, Table | None]:
        """The rows that worlds are made of, those of the targets among them, and the attacker's own without them."""
        keys = targets.table.keys()
        if self.known is not None:
            target = np.isin(self.real.keys(), keys)
            return self.real.rows(~self.known | target), self.real.rows(self.known & ~target)
        if self.others is not None:
            return self.real, self.others.rows(~np.isin(self.others.keys(), keys))
        return self.real, None


def population(real: Table, holdout: Table | None, share: float, rng: np.random.Generator) -> Population:
    """Settle whom the attacker knows: the holdout, or where there is none that share of the real table's records.

    Holdout rows that also stand in the real table are nobody's: they may be in a world.

    Raises
    ------
    DesignError
        The share leaves the attacker, or the worlds, without a record.
    """
    if holdout is not None:
        return Population(real, others=holdout.rows(~np.isin(holdout.keys(), real.keys())))
    record = np.unique(real.keys(), return_inverse=True)[1]
    count = int(record.max(initial=-1)) + 1
    taken = np.zeros(count, dtype=bool)
    taken[rng.permutation(count)[: round(share * count)]] = True
    if not taken.any() or taken.all():
        raise DesignError.phrase(
            "A share of {share:g} of {count:,} records leaves nobody on one side. Give the attacker a "
            "share between 0 and 1, or load a holdout.",
            share=share,
            count=count,
        )
    return Population(real, known=taken[record])


def fixed_worlds(
    data: Table,
    targets: Targets,
    *,
    rows: int = 0,
    relation: str = "add-one",
    rng: np.random.Generator | None = None,
) -> Worlds:
    """D with the targets, each exactly once, and without: shorter by them, or with other people in their place.

    Parameters
    ----------
    rows
        Length of the world with the targets; 0 takes all the data. Fewer are drawn from it, once.
    relation
        One of :data:`RELATIONS`. Stand-ins are drawn from the data, and nobody else is left out for them.
    rng
        Draws people; only needed where people are drawn.

    Raises
    ------
    DesignError
        Two targets are the same record, nothing is left without them, or there are too few rows.
    """
    others, copies = _without(data, targets)
    if not rows and relation == "add-one":
        return Worlds(others.plus(targets.table), others, targets.table, copies)
    assert rng is not None, "people are drawn"
    k = len(targets)
    stand_ins = k if relation == "replace-one" else 0
    rows = rows or len(others) - stand_ins + k
    _check_rows(len(others), rows, k, stand_ins)
    order = rng.permutation(len(others))
    common = others.rows(np.sort(order[stand_ins : stand_ins + rows - k]))
    neg = common.plus(others.rows(order[:stand_ins])) if stand_ins else common
    return Worlds(common.plus(targets.table), neg, targets.table, copies, common)


def resampled_worlds(data: Table, targets: Targets, *, rows: int, relation: str = "add-one") -> Resampled:
    """Worlds of so many rows, with other people of the data around the targets each time.

    Raises
    ------
    DesignError
        Two targets are the same record, or there are too few rows to draw from.
    """
    others, copies = _without(data, targets)
    stand_ins = len(targets) if relation == "replace-one" else 0
    _check_rows(len(others), rows, len(targets), stand_ins)
    return Resampled(others, targets.table, rows, relation, copies)


def _without(data: Table, targets: Targets) -> tuple[Table, int]:
    """The data without the targets and their copies, and how many copies there were beside the targets' own rows."""
    keys = targets.table.keys()
    if len(np.unique(keys)) < len(keys):
        raise DesignError.phrase("Two of the targets are the same record; choose different ones.")
    same = np.isin(data.keys(), keys)
    others = data.rows(~same)
    if not len(others):
        raise DesignError.phrase("No row is left without the targets; choose fewer targets.")
    own: Ints = targets.index[targets.index >= 0]
    return others, max(int(same.sum()) - len(own), 0)


def _check_rows(others: int, rows: int, targets: int, stand_ins: int) -> None:
    """Refuse worlds that hold nobody but the targets, or more people than there are."""
    if rows <= targets:
        raise DesignError.phrase(
            "Data sets of {rows:,} rows have no room for anybody but {targets:,} targets; ask for more rows "
            "or fewer targets.",
            rows=rows,
            targets=targets,
        )
    needed = rows - targets + stand_ins
    if others < needed:
        raise DesignError.phrase(
            "Data sets of {rows:,} rows need {needed:,} people beside the targets, and {others:,} are there "
            "to draw from. Ask for fewer rows, or for another share of people who are known to the attacker.",
            rows=rows,
            needed=needed,
            others=others,
        )
