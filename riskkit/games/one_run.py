"""One training, many coins: which of the audit rows were in?

A fair coin of its own, tossed once before the one training, puts each audit row in or leaves it out. Where a person is
replaced, each audit row has a stand-in that is in when it is out. All other rows are in. Whoever sees the outcome gives
each audit row one score; the coins are in no file that it sees. The game deals and scores; it computes no statistic.

Audit rows are records that stand once in the real table, so that no twin is in for one that is out; or rows that were
made up for the audit. Made rows have in every column a value drawn evenly from the frozen domain: no row is like them,
so a method that keeps single rows shows it by them. They are part of the training, and of any release that is made of
it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from riskkit.core import Bools, Familiarity, Fitted, Floats, Generator, Ints, Likelihood, Table
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.crowd import Crowd
from riskkit.games.released import ReleasedAttack, ask
from riskkit.seeds import stream
from riskkit.table.encode import to_domain
from riskkit.table.points import points_of

FEWEST = 20
"""Audit rows without which no number of right guesses shows anything worth a training."""
IMPOSSIBLE = 1e9
"""What counts as the logarithm of a probability of 0, less its sign."""


@dataclass(frozen=True, slots=True, eq=False)
class OneRunGame:
    """Everything that is fixed before the training, and the coins.

    ``table`` holds all rows that may be in; ``audited`` (m,) are the places of the audit rows in it, ``stand_ins`` (m,)
    those of their stand-ins, empty where an audit row that is out leaves nothing behind. ``is_in`` (m,) are the coins.
    ``left_out`` are places of other rows that are out, by coins of people who are not audited.
    """

    table: Table
    audited: Ints
    stand_ins: Ints
    is_in: Bools
    n_syn: int
    seed: int
    labels: tuple[str, ...] = ()
    left_out: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "one-run", *self.labels, *labels)

    @property
    def out(self) -> Ints:
        """Places of the rows that the coins left out."""
        beside = self.stand_ins[self.is_in[: len(self.stand_ins)]]
        return np.concatenate([self.audited[~self.is_in], beside, self.left_out])

    @property
    def world(self) -> Table:
        """The one training table, in the order of the table."""
        return self.table.without(self.out)

    @property
    def others(self) -> Table:
        """The rows that are in whatever the coins say."""
        return self.table.without(np.concatenate([self.audited, self.stand_ins]))

    def again(self, *labels: str) -> OneRunGame:
        """The same audit rows with new coins: a game of its own beside this one."""
        coins = stream(self.seed, "one-run", *labels, "coins").random(len(self.audited)) < 0.5
        return replace(self, is_in=coins, labels=labels)

    def train(self, generator: Generator) -> Fitted:
        """The one training."""
        return generator.fit(self.world, self.rng("training"))

    def release(self, generator: Generator, fitted: Fitted) -> Table:
        """The release of that training."""
        return fits.check_size(generator, fitted.sample(self.n_syn, self.rng("release")), self.n_syn)

    def by_release(self, release: Table, attack: ReleasedAttack, reference: Table | None) -> Floats:
        """(m,) how much the released file speaks for each audit row being in, rather than its stand-in.

        Parameters
        ----------
        reference
            Other people, whom attacks that compare compare with.

        Raises
        ------
        DesignError
            The attack compares, and nobody is there to compare with.
        ScoreError
            It did not give one finite number a row.
        """
        if attack.needs_reference and reference is None:
            raise DesignError.phrase(
                "The attack {attack} compares with people outside the data. Load a holdout, or choose an "
                "attack that needs the release alone.",
                attack=attack.name,
            )
        asked = self.table.rows(np.concatenate([self.audited, self.stand_ins]))
        others = [reference] if attack.needs_reference and reference is not None else []
        seen, targets, *compared = points_of((release, asked, *others))
        return self._apart(ask(attack, seen, targets, compared[0] if compared else None, self.rng("attack")))

    def by_model(self, fitted: Fitted, beside: Fitted | None) -> Floats:
        """(m,) how well the trained method knows each audit row, beside its stand-in.

        Parameters
        ----------
        beside
            A fit to other rows: it says how well a row is known anyway.

        Raises
        ------
        DesignError
            A method cannot say how probable a row is.
        """
        asked = self.table.rows(np.concatenate([self.audited, self.stand_ins]))
        known = [know(each, asked, self.rng("inside")) for each in (fitted, beside) if each is not None]
        return self._apart(known[0] - known[1] if len(known) > 1 else known[0])

    def _apart(self, scores: Floats) -> Floats:
        """(m,) the scores of the audit rows, less those of their stand-ins."""
        m = len(self.audited)
        return scores[:m] - scores[m:] if len(self.stand_ins) else scores


def know(fitted: Fitted, table: Table, rng: np.random.Generator) -> Floats:
    """(n,) how well a trained method knows each row: the logarithm of its probability, or what its inside says.

    An impossible row has a very small number.

    Raises
    ------
    DesignError
        The method can say neither.
    """
    if isinstance(fitted, Familiarity):
        known = fitted.familiarity(table, rng)
    elif isinstance(fitted, Likelihood):
        known = fitted.log_prob(table)
    else:
        raise DesignError.phrase(
            "This method cannot say how probable a row is, so the audit cannot read the model. Let it see the "
            "release alone, or choose a method with a likelihood."
        )
    return np.clip(np.nan_to_num(known, nan=-IMPOSSIBLE), -IMPOSSIBLE, IMPOSSIBLE)


def deal(real: Table, *, most: int, made: bool, relation: str, n_syn: int, seed: int, guesses: int = 0) -> OneRunGame:
    """Choose the audit rows and toss their coins.

    Parameters
    ----------
    most
        Audit rows at most; of real ones no more than half of the records that stand once in the table, with their
        stand-ins.
    made
        Whether rows are made up for the audit, in place of real ones.
    relation
        ``add-one``: an audit row that is out leaves nothing behind; ``replace-one``: its stand-in is in.
    n_syn
        Rows of the release; 0 takes as many as there may be in the training.
    guesses
        How many audit rows will be guessed, where that is fixed.

    Raises
    ------
    DesignError
        There are too few rows to audit, or to guess so many.
    """
    rng = stream(seed, "one-run", "rows")
    sides = 2 if relation == "replace-one" else 1
    if made:
        extra = drawn_evenly(real, 2 * sides * most, rng)
        extra = extra.rows(_is_first(extra) & ~np.isin(extra.keys(), real.keys()))
        m = min(most, len(extra) // sides)
        table, places = real.plus(extra.rows(np.arange(sides * m))), len(real) + np.arange(sides * m)
    else:
        alone = rng.permutation(_alone(real))
        m = min(most, len(alone) // 2 // sides)
        table, places = real, alone[: sides * m]
    _check_enough(m, guesses)
    coins = np.zeros(m, dtype=bool)
    return OneRunGame(table, places[:m], places[m:], coins, n_syn or len(table), seed).again()


def deal_on_part(
    real: Table, people: Crowd, is_in: Bools, *, most: int, n_syn: int, seed: int, guesses: int = 0
) -> OneRunGame:
    """The game on a training that is there already, of the people who are in it, each by a fair coin of their own.

    Audit rows are those that stand once in the table, of people who have no other: so each has a coin of its own, and
    all of them may be audited, not half as where all other rows are in.

    Parameters
    ----------
    is_in : (people,)
        Who is in that training.

    Raises
    ------
    DesignError
        There are too few rows to audit, or to guess so many.
    """
    alone = _alone(real)
    alone = stream(seed, "one-run", "rows").permutation(alone[people.sizes[people.person[alone]] == 1])
    audited, coins = alone[:most], is_in[people.person]
    _check_enough(len(audited), guesses)
    left_out = np.setdiff1d(np.flatnonzero(~coins), audited)
    return OneRunGame(real, audited, audited[:0], coins[audited], n_syn, seed, left_out=left_out)


def _alone(table: Table) -> Ints:
    """Places of the rows that stand once in the table, ascending."""
    _, first, count = np.unique(table.keys(), return_index=True, return_counts=True)
    return np.sort(first[count == 1])


def _check_enough(m: int, guesses: int) -> None:
    """Refuse too few audit rows, or more guesses than there are."""
    if m < FEWEST:
        raise DesignError.phrase(
            "{rows:,} rows can be put in or left out, and {fewest} are needed at least. Load a table with more "
            "rows that stand in it once.",
            rows=m,
            fewest=FEWEST,
        )
    if guesses > m:
        raise DesignError.phrase(
            "{guesses:,} guesses cannot be made: there are {rows:,} canaries. Guess fewer, or load a table "
            "with more rows that stand in it once.",
            guesses=guesses,
            rows=m,
        )


def drawn_evenly(table: Table, n: int, rng: np.random.Generator) -> Table:
    """``n`` rows with a value drawn evenly from the frozen domain of each column, each column by itself."""
    schema = table.schema
    codes = [rng.integers(len(column.levels), size=n) for column in schema.categorical]
    numbers = [to_domain(rng.uniform(column.low, column.high, n), column) for column in schema.numeric]
    return Table(
        schema,
        np.column_stack(codes) if codes else np.empty((n, 0), dtype=np.int32),
        np.column_stack(numbers) if numbers else np.empty((n, 0)),
    )


def _is_first(table: Table) -> Bools:
    """(n,) whether no row before it is the same."""
    out = np.zeros(len(table), dtype=bool)
    out[np.unique(table.keys(), return_index=True)[1]] = True
    return out
