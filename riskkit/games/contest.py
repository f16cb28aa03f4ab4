"""The contest: a public population, a secret sample of it, a release of the sample, and attackers who name who was in.

Everybody may see the whole population and the release. An attacker names the rows of which it is surest; every named
row that was in the sample is a hit. Hide-and-seek is the same game on twice as many rows as were in, half of which
were, where as many are named as were in. The game deals and collects; it computes no statistic.

Nothing but the release may tell who was in: rows of a population are all different and in random order, samples are
drawn from it at random, and rows that an attacker is equally sure of are named in random order.

References
----------
.. [1] Rules of the PWS Cup 2020, version 2 (AMIC); Chida et al., its design and result (IPSJ Journal, 2023).
.. [2] Jordon et al., Hide-and-seek privacy challenge (NeurIPS 2020 competition track).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from riskkit.base import stages
from riskkit.core import Bools, Floats, Generator, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.released import ReleasedAttack, ask
from riskkit.seeds import stream
from riskkit.table.points import RowPoints, points_of

REFERENCE_ROWS = 10_000
"""Most rows of the population that an attack compares with; never the one it is asked about."""
_SIGNS: Mapping[str, Callable[..., Bools]] = {">=": np.greater_equal, "<=": np.less_equal, "=": np.equal}


@dataclass(frozen=True, slots=True, eq=False)
class ContestPopulation:
    """``n`` different rows in random order; ``drawn`` rows were there before equal ones were dropped.

    ``is_in`` (n,) is given where the sample is settled by the files; elsewhere every release has a sample of its own.
    ``may`` (n,) says who can be in where a condition settles that, None where everybody can.
    """

    table: Table
    drawn: int
    is_in: Bools | None = None
    may: Bools | None = None

    def under(self, condition: str) -> ContestPopulation:
        """The same people, of whom only those who meet the condition can be in; all of them without one.

        Raises
        ------
        DesignError
            The condition cannot be read, or nobody meets it.
        """
        if not condition:
            return self
        may = meets(self.table, condition)
        if not may.any():
            raise DesignError.phrase(
                "Nobody of the population meets the condition of the sample; change the condition."
            )
        return replace(self, may=may)

    @property
    def eligible(self) -> Ints:
        """(n_eligible,) the places of those who can be in."""
        return np.arange(len(self)) if self.may is None else np.flatnonzero(self.may)

    def __len__(self) -> int:
        return len(self.table)


def make_population(base: Table, generator: Generator, rows: int, draws: int, seed: int) -> ContestPopulation:
    """A population of ``rows`` different rows, chosen from ``draws`` times as many that a generator drew.

    The PWS Cup 2020 drew 1,000,000 rows from the moments of census rows (the generator ``stat``), dropped equal ones
    and chose 100,000. The rows are drawn in parts of ``rows``, so that no more than these need memory at once.

    Raises
    ------
    DesignError
        The generator refuses the table, or too few different rows came of it.
    """
    fitted = generator.fit(base, stream(seed, "contest", "population", "fit"))
    pool, seen = base.rows([]), set[bytes]()
    for part in range(draws):
        stages.part(2 * part, 2 * draws)
        drawn = _plain(fitted.sample(rows, stream(seed, "contest", "population", part)))
        stages.part(2 * part + 1, 2 * draws)
        pool = pool.plus(_different(drawn, seen))
    if len(pool) < rows:
        raise DesignError.phrase(
            "Of {drawn:,} rows drawn for the population only {different:,} are different. Ask for a "
            "population of no more than that, draw more rows, or give a table with more columns.",
            drawn=rows * draws,
            different=len(pool),
        )
    chosen = stream(seed, "contest", "population", "chosen").permutation(len(pool))[:rows]
    return ContestPopulation(pool.rows(chosen), rows * draws)


def distinct(base: Table, rows: int, seed: int) -> ContestPopulation:
    """The different rows of a table, or so many of them at random (0 for all).

    Raises
    ------
    DesignError
        It has fewer different rows.
    """
    pool = _different(base, set())
    if rows > len(pool):
        raise DesignError.phrase(
            "The table has {different:,} different rows, so it cannot give a population of {rows:,}. Ask for fewer.",
            different=len(pool),
            rows=rows,
        )
    chosen = stream(seed, "contest", "population", "chosen").permutation(len(pool))[: rows or len(pool)]
    return ContestPopulation(pool.rows(chosen), len(base))


def people(real: Table, holdout: Table, seed: int) -> ContestPopulation:
    """The people of both tables, of whom those of the real table were in.

    Of rows that stand several times, in one table or in both, nobody can say whether this person was in, and which
    table they stand in tells of its size: they are left out.

    Raises
    ------
    DesignError
        No row is left on a side.
    """
    both = real.plus(holdout)
    _, first, count = np.unique(both.keys(), return_index=True, return_counts=True)
    once = stream(seed, "contest", "population", "chosen").permutation(first[count == 1])
    is_in = once < len(real)
    if not is_in.any() or is_in.all():
        raise DesignError.phrase(
            "No row stands in one table alone on one side, so nobody can be distinguished. Load other files."
        )
    return ContestPopulation(both.rows(once), len(both), is_in)


@dataclass(frozen=True, slots=True, eq=False)
class ContestGame:
    """What an attacker is asked, and the truth beside it.

    ``targets`` are the rows asked about and ``row`` (n,) their places in the population; ``is_in`` (n,) the truth;
    ``guesses`` how many are to be named. ``reference`` are rows of the population that nobody asks about; where it is
    None the targets are halved, and each half is compared with the other.
    """

    targets: RowPoints
    row: Ints
    is_in: Bools
    release: RowPoints
    reference: RowPoints | None
    guesses: int
    seed: int
    labels: tuple[str | int, ...]

    def rng(self, *more: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "contest", *self.labels, *more)

    def scores(self, attack: ReleasedAttack, name: str) -> Floats:
        """(n,) what an attack says of every target, higher for surer of "in".

        Raises
        ------
        DesignError
            The attack cannot work on these tables.
        ScoreError
            It did not give one finite number for each target.
        """
        rng = self.rng("attack", name)
        if not attack.needs_reference:
            return ask(attack, self.release, self.targets, None, rng)
        if self.reference is not None:
            reference = _some(self.reference, np.arange(len(self.reference)), rng)
            return ask(attack, self.release, self.targets, reference, rng)
        out = np.empty(len(self.row))
        half = rng.permutation(len(out)) < len(out) // 2
        for asked in (half, ~half):
            reference = _some(self.targets, np.flatnonzero(~asked), rng)
            targets = self.targets.rows(np.flatnonzero(asked))
            out[asked] = ask(attack, self.release, targets, reference, rng)
        return out

    def name_targets(self, score: Floats, name: str) -> Ints:
        """(guesses,) the targets it is surest of, surest first; ties in random order."""
        chance = self.rng("ties", name).random(len(score))
        return np.lexsort((chance, -score))[: self.guesses]

    def hits(self, named: Ints) -> int:
        """How many of these targets were in; ``named`` (k,) are their places."""
        return int(self.is_in[named].sum())

    def seek(self, most: int) -> ContestGame:
        """The hide-and-seek game: ``n`` targets that were in and as many that were not, of which ``n`` are named.

        ``n`` is the number of those who were in, at most ``most``. All other rows of the population may be compared
        with, the sample's own among them: nobody knows which these are.
        """
        rng = self.rng("seek")
        inside, outside = (rng.permutation(np.flatnonzero(self.is_in == side)) for side in (True, False))
        n = min(most, len(inside), len(outside))
        asked = rng.permutation(np.concatenate([inside[:n], outside[:n]]))
        others = np.setdiff1d(np.arange(len(self.row)), asked)
        return replace(
            self,
            targets=self.targets.rows(asked),
            row=self.row[asked],
            is_in=self.is_in[asked],
            reference=self.targets.rows(others) if len(others) else None,
            guesses=n,
        )


def draw_sample(population: ContestPopulation, rows: int, seed: int, *labels: str | int) -> Bools:
    """(n,) who is in the sample: settled by the files, or ``rows`` drawn at random for these labels.

    Raises
    ------
    DesignError
        The population has no more rows that can be in than the sample is to have.
    """
    if population.is_in is not None:
        return population.is_in
    eligible = population.eligible
    if rows >= len(eligible):
        raise DesignError.phrase(
            "A sample of {rows:,} cannot be kept apart from a population of {population:,}; draw fewer rows.",
            rows=rows,
            population=len(eligible),
        )
    is_in = np.zeros(len(population), dtype=bool)
    is_in[stream(seed, "contest", "sample", *labels).permutation(eligible)[:rows]] = True
    return is_in


def deal(
    population: ContestPopulation, is_in: Bools, release: Table, guesses: int, seed: int, *labels: str | int
) -> ContestGame:
    """The game of a population, who of it was in, and the release.

    Who cannot be in is not asked about: a condition of the sample is known to everybody, and one who guesses knows it.

    Raises
    ------
    DesignError
        More guesses are asked for than there are rows.
    """
    asked = population.eligible
    if not 1 <= guesses <= len(asked):
        raise DesignError.phrase(
            "{guesses:,} guesses among {rows:,} rows cannot be; ask for fewer.", guesses=guesses, rows=len(asked)
        )
    targets, released = points_of((population.table.rows(asked), release))
    return ContestGame(targets, asked, is_in[asked], released, None, guesses, seed, labels)


def _plain(table: Table) -> Table:
    """The valid rows nearest to a release of real values."""
    return Table(table.schema, table.codes, table.numbers)


def _different(table: Table, seen: set[bytes]) -> Table:
    """The first of each set of equal rows that are not among the seen ones, in the order they stood in; they are seen
    from now on.
    """
    is_new = np.zeros(len(table), dtype=np.bool_)
    for place, key in enumerate(table.keys().tolist()):
        if key not in seen:
            seen.add(key)
            is_new[place] = True
    return table.rows(np.flatnonzero(is_new))


def _some(points: RowPoints, among: Ints, rng: np.random.Generator) -> RowPoints:
    return points.rows(np.sort(rng.permutation(among)[:REFERENCE_ROWS]))


def meets(table: Table, condition: str) -> Bools:
    """(n,) whether each row meets the condition: a column, a sign (``=``, ``>=``, ``<=``) and a value.

    A category may only be equal to one of its levels. A missing number meets nothing.

    Raises
    ------
    DesignError
        There is no such column in use, or no such level; no sentence shows what was written.
    """
    for column in sorted(table.schema.modelled, key=lambda candidate: -len(candidate.name)):
        rest = condition.strip().removeprefix(column.name).lstrip()
        sign = next((mark for mark in _SIGNS if rest.startswith(mark)), "")
        if not condition.strip().startswith(column.name) or not sign:
            continue
        value = rest.removeprefix(sign).strip()
        if not column.is_numeric:
            if sign != "=" or value not in column.levels:
                raise DesignError.phrase(
                    "The condition of the sample names no level of that column; write COLUMN=LEVEL."
                )
            return np.asarray(table.column(column) == column.levels.index(value))
        try:
            number = float(value)
        except ValueError as error:
            raise DesignError.phrase(
                "The condition of the sample compares a number with something that is none."
            ) from error
        return np.asarray(_SIGNS[sign](table.column(column), number))
    raise DesignError.phrase(
        "The condition of the sample names no column in use; write COLUMN=LEVEL, COLUMN>=NUMBER or COLUMN<=NUMBER."
    )
