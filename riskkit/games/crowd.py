"""The people of a table in games that train again and again: a world holds a person with all of their rows, or none.

Where everybody has one row, a person is a row.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from riskkit.core import Bools, Floats, Ints, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.bags import OfPerson, Whose, in_order, rows_of, score_of_people, starts
from riskkit.phrases import phrase

# The worlds of a membership game, by the two sources and two relations of :mod:`riskkit.games.worlds`.
#
# Whole people are drawn, and people of equal rows are one: all of them lie on one side. A world of so many rows holds
# as many whole people as fit into it. In the place of a target who is left out stands somebody with as many rows, or
# nearly so.


@dataclass(frozen=True, slots=True, eq=False)
class TargetPeople(Targets):
    """The people who are attacked, each with all of their rows, which stand side by side.

    ``owner`` (n,) is the place of each row's person among the targets.
    """

    owner: Ints

    @classmethod
    def take(cls, targets: Targets) -> TargetPeople:
        """These, each row a person where they are not people already."""
        if isinstance(targets, TargetPeople):
            return targets
        return cls(targets.index, targets.table, np.arange(len(targets)))

    @property
    def first(self) -> Ints:
        """(people,) the first row of each in the real table, -1 of a made-up person."""
        return self.index[starts(self.owner)]

    def single(self, position: int) -> TargetPeople:
        """The single person at that position."""
        rows = np.flatnonzero(self.owner == position)
        return TargetPeople(self.index[rows], self.table.rows(rows), np.zeros(len(rows), dtype=np.int64))


@dataclass(frozen=True, slots=True, eq=False)
class AskedWorlds:
    """Whom the worlds of a game are about: people who are in or out as one, and ``how`` their rows make one score.

    ``copies`` counts further people who are like one of them. They are in no world: a game in which a copy stays behind
    would not ask whether the person was in.
    """

    asked: TargetPeople
    how: OfPerson
    copies: int

    @property
    def targets(self) -> Table:
        """The rows asked about."""
        return self.asked.table

    @property
    def has_several_rows(self) -> bool:
        """Whether somebody who is asked about has several rows."""
        return len(np.unique(self.asked.owner)) < len(self.asked.owner)

    def scores(self, values: Floats) -> Floats:
        """(trainings, generations) from (trainings, generations, rows): each person's score, then the mean of them."""
        if not self.has_several_rows:
            return np.asarray(values.mean(axis=2))
        flat = values.reshape(-1, values.shape[2])
        each = [float(score_of_people(row, self.asked.owner, self.how).mean()) for row in flat]
        return np.array(each).reshape(values.shape[:2])


@dataclass(frozen=True, slots=True, eq=False)
class FixedWorlds(AskedWorlds):
    """Two tables, the same in every training: with the targets, and without. ``common`` are the rows of both."""

    pos: Table
    neg: Table
    common: Table

    @property
    def rows(self) -> int:
        """The length of the world with the targets."""
        return len(self.pos)

    def draw(self, is_in: bool, rng: np.random.Generator) -> Table:  # noqa: ARG002  nothing of a fixed world is random
        """The world with the targets, or the one without."""
        return self.pos if is_in else self.neg


@dataclass(frozen=True, slots=True, eq=False)
class PeopleResampled(AskedWorlds):
    """Worlds of at most ``rows`` rows, of whole people drawn anew each time from ``pool``, which holds no target."""

    pool: Table
    crowd: Crowd
    rows: int
    relation: str

    @property
    def common(self) -> None:
        """No row is in every world."""
        return

    def draw(self, is_in: bool, rng: np.random.Generator) -> Table:
        """People of the pool with the targets; or the people alone, or with others of as many rows in their place."""
        order = rng.permutation(len(self.crowd))
        stand_ins = order[:0]
        if self.relation == "replace-one":  # drawn on either side, so that the others are drawn alike
            stand_ins = stand_ins_of(self.crowd, order, self.asked.owner)
            order = order[~np.isin(order, stand_ins)]
        others = fitting(self.crowd, order, self.rows - len(self.targets))
        if is_in:
            return self.pool.rows(self.crowd.rows(others)).plus(self.targets)
        return self.pool.rows(self.crowd.rows(np.concatenate([others, stand_ins])))


WorldSource = FixedWorlds | PeopleResampled
"""Where worlds come from: see :mod:`riskkit.games.worlds`."""


@dataclass(frozen=True, slots=True, eq=False)
class CrowdPopulation:
    """Everyone there is: the people of the real table, and those of whom the attacker has the rows.

    ``known`` (n,) says which rows of the real table the attacker has, None where it has none of them; ``others`` are
    people beside the real table that it has.
    """

    real: Table
    crowd: Crowd
    known: Bools | None = None
    others: tuple[Table, Crowd] | None = None

    def _like(self, targets: TargetPeople) -> Bools:
        """(n,) the rows of the targets, and of people who are like one of them.

        Raises
        ------
        DesignError
            Two targets are the same person.
        """
        of_targets, of_real = alike(targets.table, targets.owner, self.real, self.crowd.person)
        asked = of_targets[starts(targets.owner)]
        if len(np.unique(asked)) < len(asked):
            raise DesignError.phrase("Two of the targets are the same record; choose different ones.")
        return np.isin(of_real, asked)

    def around(self, targets: TargetPeople) -> int:
        """How many rows worlds are made of, those of the targets among them."""
        return len(self.real) if self.known is None else int(np.count_nonzero(~self.known | self._like(targets)))

    def count(self, targets: TargetPeople) -> tuple[Ints, int]:
        """Who worlds are made of beside the targets, and how many people were left out for being like one of them."""
        like = self._like(targets)[self.crowd.first]
        chosen = np.unique(self.crowd.person[targets.index[targets.index >= 0]])
        free = np.ones(len(self.crowd), dtype=bool) if self.known is None else ~self.known[self.crowd.first]
        return np.flatnonzero(free & ~like), max(int(like.sum()) - len(chosen), 0)

    def attackers(self, targets: TargetPeople) -> tuple[Table, Crowd] | None:
        """The attacker's own people; nobody who is a target or like one."""
        if self.known is not None:
            rows = np.flatnonzero(self.known & ~self._like(targets))
            return self.real.rows(rows), Crowd.group(self.crowd.person[rows])
        if self.others is None:
            return None
        table, crowd = self.others
        of_targets, of_others = alike(targets.table, targets.owner, table, crowd.person)
        rows = np.flatnonzero(~np.isin(of_others, of_targets))
        return table.rows(rows), Crowd.group(crowd.person[rows])

    def fix(
        self, targets: TargetPeople, rows: int, relation: str, how: OfPerson, rng: np.random.Generator
    ) -> FixedWorlds:
        """Two tables, the same in every training: with the targets, each once, and without.

        Parameters
        ----------
        rows
            The most rows of the world with the targets; 0 takes everybody. Fewer people are drawn, once.
        relation
            One of :data:`riskkit.games.worlds.RELATIONS`. Nobody else is left out for those who stand in.

        Raises
        ------
        DesignError
            Two targets are the same, nobody is left without them, or there are too few people.
        """
        people, copies = self.count(targets)
        _refuse_few(self.crowd.sizes[people], rows, len(targets), relation)
        order, stand_ins = people, people[:0]
        if rows or relation == "replace-one":
            order = rng.permutation(people)
        if relation == "replace-one":
            stand_ins = stand_ins_of(self.crowd, order, targets.owner)
            order = order[~np.isin(order, stand_ins)]
        if not len(order):
            raise DesignError(NOBODY)
        chosen = fitting(self.crowd, order, rows - len(targets)) if rows else order
        common = self.real.rows(self.crowd.rows(chosen))
        without = common.plus(self.real.rows(rows_in_order(self.crowd, stand_ins))) if len(stand_ins) else common
        return FixedWorlds(targets, how, copies, common.plus(targets.table), without, common)

    def resample(self, targets: TargetPeople, rows: int, relation: str, how: OfPerson) -> PeopleResampled:
        """Other people around the targets in every training; what is raised is that of :func:`around`."""
        people, copies = self.count(targets)
        places = self.crowd.rows(people)
        pool = self.real.rows(places), Crowd.group(self.crowd.person[places])
        return around(pool, targets, rows, relation, how, copies)


def around(
    pool: tuple[Table, Crowd], targets: TargetPeople, rows: int, relation: str, how: OfPerson, copies: int = 0
) -> PeopleResampled:
    """Worlds of so many rows at most, of whole people of that pool around the targets.

    Raises
    ------
    DesignError
        Nobody is left without the targets, or there are too few people.
    """
    _refuse_few(pool[1].sizes, rows, len(targets), relation)
    return PeopleResampled(targets, how, copies, *pool, rows, relation)


def crowd_population(
    real: Table,
    person: Ints,
    *,
    holdout: tuple[Table, Ints] | None = None,
    share: float | None = None,
    rng: np.random.Generator | None = None,
) -> CrowdPopulation:
    """Settle whom the attacker knows: nobody, the people of the holdout, or that share of those of the real table.

    People of the holdout who are in the real table, or like somebody in it, are nobody's: they may be in a world.

    Raises
    ------
    DesignError
        The share leaves the attacker, or the worlds, without a person.
    """
    crowd = Crowd.group(person)
    if share is None:
        return CrowdPopulation(real, crowd)
    if holdout is not None:
        table, others = holdout
        rows = np.flatnonzero(strangers(table, others, real, person))
        return CrowdPopulation(real, crowd, others=(table.rows(rows), Crowd.group(in_order(others[rows]))))
    assert rng is not None, "people are drawn"
    bag = Whose.group(real.keys(), crowd.person).record
    count = int(bag.max(initial=-1)) + 1
    taken = np.zeros(count, dtype=bool)
    taken[rng.permutation(count)[: round(share * count)]] = True
    if not taken.any() or taken.all():
        raise DesignError.phrase(
            "A share of {share:g} of {count:,} people leaves nobody on one side. Give the attacker a share between "
            "0 and 1, or load a holdout.",
            share=share,
            count=count,
        )
    return CrowdPopulation(real, crowd, known=taken[bag])


def fitting(crowd: Crowd, order: Ints, rows: int) -> Ints:
    """The first people in that order whose rows all fit into so many."""
    held = np.cumsum(crowd.sizes[order])
    return order[: int(np.searchsorted(held, rows, "right"))]


def stand_ins_of(crowd: Crowd, order: Ints, owner: Ints) -> Ints:
    """For each target the first in that order whose number of rows is nearest to theirs, nobody twice."""
    chosen: list[int] = []
    for size in np.bincount(owner).tolist():
        left = order[~np.isin(order, chosen)]
        if not len(left):
            break
        chosen.append(int(left[np.argmin(np.abs(crowd.sizes[left] - size))]))
    return np.array(chosen, dtype=np.int64)


NOBODY = phrase("No person is left without the targets; choose fewer targets.")


def _refuse_few(others: Ints, rows: int, own: int, relation: str) -> None:
    """Refuse worlds without anybody but the targets, or of more rows than the ``others`` (people,) have."""
    if not len(others):
        raise DesignError(NOBODY)
    if not rows:
        return
    if rows <= own:
        raise DesignError.phrase(
            "Data sets of {rows:,} rows have no room for anybody but the {own:,} rows of the targets; ask for "
            "more rows or fewer targets.",
            rows=rows,
            own=own,
        )
    needed, there = rows if relation == "replace-one" else rows - own, int(others.sum())
    if there < needed:
        raise DesignError.phrase(
            "Data sets of {rows:,} rows need {needed:,} rows of people beside the targets, and {others:,} are there "
            "to draw from. Ask for fewer rows, or for another share of people who are known to the attacker.",
            rows=rows,
            needed=needed,
            others=there,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """The people of a table. ``person`` (n,) is the number of each row's person, numbered as they come first."""

    person: Ints
    _start: Ints = field(init=False, repr=False)
    _rows: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        rows = np.argsort(self.person, kind="stable")
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_start", np.append(starts(self.person[rows]), len(rows)))

    @classmethod
    def group(cls, person: Ints) -> Crowd:
        """By any numbers (n,) that are equal where people are."""
        return cls(in_order(person))

    def __len__(self) -> int:
        return len(self._start) - 1

    @property
    def first(self) -> Ints:
        """(people,) the first row of each, by which a person is named."""
        return self._rows[self._start[:-1]]

    @property
    def sizes(self) -> Ints:
        """(people,) how many rows each has."""
        return np.diff(self._start)

    def own(self, person: int) -> Ints:
        """(k,) the rows of that person, ascending."""
        return self._rows[self._start[person] : self._start[person + 1]]

    def rows(self, people: Ints) -> Ints:
        """The rows of these people, ascending."""
        return np.flatnonzero(np.isin(self.person, people))

    def total(self, value: Floats) -> Floats:
        """(people,) the sum over each person's rows, from (n,) the values of all rows."""
        return np.asarray(np.add.reduceat(value[self._rows], self._start[:-1]))


def alike(table: Table, person: Ints, other: Table, others: Ints) -> tuple[Ints, Ints]:
    """(n,) and (m,) numbers of the rows' people by content, the same for people of equal rows in both tables.

    ``person`` (n,) and ``others`` (m,) are numbers of people; whoever has rows in both tables is one person, and equal
    to nobody who has rows in one.
    """
    keys = np.concatenate([table.keys(), other.keys()])
    bags = Whose.group(keys, np.concatenate([in_order(person), in_order(others) + len(person)])).record
    return bags[: len(table)], bags[len(table) :]


def strangers(pool: Table, pool_person: Ints, table: Table, person: Ints) -> Bools:
    """(m,) which rows of the pool belong to nobody of the table: to no person in it, and to none who is like one."""
    of_table, of_pool = alike(table, person, pool, pool_person)
    return ~np.isin(pool_person, person) & ~np.isin(of_pool, of_table)


def population_of_people(
    pool: Table, pool_person: Ints, table: Table, person: Ints, *, auxiliary: bool, rng: np.random.Generator
) -> tuple[tuple[Table, Crowd], tuple[Table, Crowd] | None]:
    """The people of worlds that are counted, and with ``auxiliary`` those the attacker knows; nobody is both.

    People of the pool who are in the table, or like somebody in it, are nobody's; people of equal rows lie on one side.

    Raises
    ------
    DesignError
        A side has too few people for worlds of as many people as the table.
    """
    kept = np.flatnonzero(strangers(pool, pool_person, table, person))
    others, owner = pool.rows(kept), in_order(pool_person[kept])
    sides = [np.ones(len(others), dtype=bool)]
    if auxiliary:
        bag = Whose.group(others.keys(), owner).record
        known = np.zeros(int(bag.max(initial=-1)) + 1, dtype=bool)
        known[rng.permutation(len(known))[: len(known) // 2]] = True
        sides = [~known[bag], known[bag]]
    wanted, made = len(np.unique(person)), []
    for side in sides:
        crowd = Crowd.group(owner[side])
        if len(crowd) <= wanted:
            raise DesignError.phrase(
                "Data sets of {people:,} other people are drawn from {others:,}; they must be more. Load a "
                "larger holdout, or leave the traditional game out and let the attacker know this table.",
                people=wanted,
                others=len(crowd),
            )
        made.append((others.rows(side), crowd))
    return made[0], made[1] if auxiliary else None


def rows_in_order(crowd: Crowd, people: Ints) -> Ints:
    """The rows of these people, person by person in that order."""
    return rows_of(crowd.person, people)
