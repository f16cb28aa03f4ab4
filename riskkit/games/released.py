"""The game on a released file: real rows were in, holdout rows were not, the release is the one that lies there.

The game deals and collects scores; it computes no statistic. Four things would tell the sides apart without any leak
and are closed here:

* A row that stands in both tables was in, and is no member that an attack could be asked about: all its copies are
  left out on both sides (they may serve as reference).
* If one table is larger, a record of several equal rows is more likely to stand wholly in the larger one. There it is
  kept only as often as evens this out.
* Rows that are equal within a table are one record and count as one.
* Rows are in an order, and columns and codes have names, that follow from their content alone, the sides mixed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from riskkit.core import Bools, Floats, Ints, Scores, Table
from riskkit.errors import DesignError, ScoreError
from riskkit.games.evened import evened
from riskkit.seeds import stream
from riskkit.table.canonical import canonical
from riskkit.table.points import Points, points_of

PLANTED_SHARE = 0.5
"""Share of the control's "in" records that are copied into the release; one who finds them all reaches AUC .75."""
MOST_OF_RELEASE = 0.2
"""At most that share of the release is replaced by planted copies."""
NOISE, EXCHANGED = 0.05, 0.05
"""Planted copies are not exact: noise on numbers in standard deviations, and the share of categories exchanged."""


class ReleasedAttack(Protocol):
    """A method that guesses membership from the released file alone: a frozen dataclass, its fields its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    card: ClassVar[str]
    needs_reference: ClassVar[bool]

    def score(self, release: Points, targets: Points, reference: Points | None, rng: np.random.Generator) -> Floats:
        """(n_targets,) finite scores, higher means "in"; there is no cut of its own."""


@dataclass(frozen=True, slots=True, eq=False)
class LeftOut:
    """Rows that nobody is asked about, and why: ``real`` and ``holdout`` equal a row of the other table; ``evened`` are
    repeated records of the larger table (see the top of the file); ``spared`` are over the maximum."""

    real: int
    holdout: int
    evened: int
    spared: int


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedGame:
    """Everything an attack may see, and the truth beside it.

    ``is_in``, ``record`` and ``row`` are (n_targets,): the truth; which record it is (equal rows share it); its row in
    the real table where it was in and in the holdout where not. ``copies`` rows of the release were planted.
    """

    release: Points
    targets: Points
    reference: Points | None
    is_in: Bools
    record: Ints
    row: Ints
    left_out: LeftOut
    seed: int
    copies: int = 0

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "released", *labels)

    def records(self, is_in: bool) -> int:
        """How many different records that side has."""
        return len(np.unique(self.record[self.is_in == is_in]))

    def scores(self, attack: ReleasedAttack, *labels: str) -> Scores:
        """What the attack says of every target.

        Raises
        ------
        DesignError
            The attack needs a reference and there is none, or cannot work on these tables.
        ScoreError
            It did not give one finite number for each target.
        """
        if attack.needs_reference and self.reference is None:
            raise DesignError("It compares with reference rows, and no share of the holdout was set aside for them.")
        value = np.asarray(attack.score(self.release, self.targets, self.reference, self.rng(*labels)))
        if value.shape != self.is_in.shape:
            raise ScoreError(f"It gave {value.size} scores for {len(self.is_in)} records.")
        return Scores(value, self.is_in, self.record, np.zeros(len(value), dtype=np.int64), attack.name)

    def sample(self, rows: int, rng: np.random.Generator) -> ReleasedGame:
        """The same game with at most so many rows of release, targets and reference: to see how long it takes."""

        def some(points: Points) -> Points:
            return points.rows(np.sort(rng.permutation(len(points))[:rows]))

        chosen = np.sort(rng.permutation(len(self.targets))[:rows])
        return replace(
            self,
            release=some(self.release),
            targets=self.targets.rows(chosen),
            reference=None if self.reference is None else some(self.reference),
            is_in=self.is_in[chosen],
            record=self.record[chosen],
            row=self.row[chosen],
        )

    def planted(self) -> ReleasedGame:
        """A game of known answer: records that were *not* in, copies of some of them planted in this very release.

        All its targets come from the holdout, so nothing tells its sides apart but what was planted, however much the
        release itself leaks. Half of the "in" records have a copy, slightly changed, in place of a release row.

        Raises
        ------
        DesignError
            There are too few records to play it.
        """
        rng = self.rng("planted")
        others = rng.permutation(np.unique(self.record[~self.is_in]))
        n_in = min(len(others) // 2, int(len(self.release) * MOST_OF_RELEASE / PLANTED_SHARE))
        n_copied = int(n_in * PLANTED_SHARE)
        if n_copied < 1:
            raise DesignError("There are too few records that were not in to plant some of them in the release.")
        chosen = np.flatnonzero(np.isin(self.record, others[: n_in + len(others) // 2]))
        number, first = np.unique(self.record, return_index=True)
        at = first[np.searchsorted(number, others[:n_copied])]
        replaced = np.sort(rng.choice(len(self.release), n_copied, replace=False))
        copies = _changed(self.targets.rows(np.sort(at)), self.release, rng)
        return replace(
            self,
            release=_with_rows(self.release, replaced, copies),
            targets=self.targets.rows(chosen),
            is_in=np.isin(self.record[chosen], others[:n_in]),
            record=self.record[chosen],
            row=self.row[chosen],
            copies=n_copied,
        )


def _changed(rows: Points, release: Points, rng: np.random.Generator) -> Points:
    """The rows with a little noise on numbers and a few categories taken from rows of the release."""
    numbers = rows.numbers + NOISE * rng.standard_normal(rows.numbers.shape)
    exchanged = rng.random(rows.codes.shape) < EXCHANGED
    other = release.codes[rng.integers(len(release), size=len(rows))]
    return Points(numbers, np.where(exchanged, other, rows.codes).astype(np.int32), rows.sizes)


def _with_rows(release: Points, at: Ints, rows: Points) -> Points:
    numbers, codes = release.numbers.copy(), release.codes.copy()
    numbers[at], codes[at] = rows.numbers, rows.codes
    return Points(numbers, codes, release.sizes)


def deal(
    real: Table, synthetic: Table, holdout: Table, *, reference_share: float, max_rows: int, seed: int
) -> ReleasedGame:
    """The game of these three tables of one schema.

    Parameters
    ----------
    reference_share
        Share of the holdout's records that attacks may use as reference; they are not asked about.
    max_rows
        Most rows asked about on either side, drawn at random where there are more.

    Raises
    ------
    DesignError
        No record is left on a side.
    """
    (release, members, others), undo = canonical(points_of((synthetic, real, holdout)))
    pool, n_real = members.plus(others), len(members)
    row = np.concatenate([np.argsort(undo[1]), np.argsort(undo[2])])
    is_in = np.arange(len(pool)) < n_real
    record = _records(pool)
    rng = stream(seed, "released", "deal")
    in_real, in_holdout = (np.bincount(record[side], minlength=record.max() + 1) for side in (is_in, ~is_in))
    both = (in_real > 0) & (in_holdout > 0)
    even = evened(in_real, in_holdout, rng)
    as_reference = _drawn(in_holdout > 0, reference_share, rng)
    asked = even[record] & ~both[record] & ~(as_reference[record] & ~is_in)
    spared = _over(record, is_in, asked, max_rows, rng)
    kept = np.flatnonzero(asked & ~spared)
    kept = kept[np.argsort(record[kept], kind="stable")]  # by content, so that no place tells the side
    if not is_in[kept].any() or is_in[kept].all():
        raise DesignError(
            "No record is left to ask about on one side: every row stands in both tables, or in the reference. Load a "
            "holdout of other people, or set a smaller share aside."
        )
    reference = np.flatnonzero(~is_in & as_reference[record])
    return ReleasedGame(
        release=release,
        targets=pool.rows(kept),
        reference=pool.rows(reference) if len(reference) else None,
        is_in=is_in[kept],
        record=record[kept],
        row=row[kept],
        left_out=LeftOut(
            real=int(in_real[both].sum()),
            holdout=int(in_holdout[both].sum()),
            evened=int((~even & ~both)[record].sum()),
            spared=int(spared.sum()),
        ),
        seed=seed,
    )


def _records(pool: Points) -> Ints:
    """(n,) the number of the record that each row is, numbered by content; equal rows share it."""
    parts = (np.ascontiguousarray(pool.codes), np.ascontiguousarray(pool.numbers))
    joined = np.hstack([part.view(np.uint8).reshape(len(pool), -1) for part in parts])
    keys = np.ascontiguousarray(joined).view(f"V{joined.shape[1]}").reshape(len(pool))
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _drawn(candidates: Bools, share: float, rng: np.random.Generator) -> Bools:
    """That share of the candidates, at random."""
    out = np.zeros(len(candidates), dtype=bool)
    order = rng.permutation(np.flatnonzero(candidates))
    out[order[: round(share * len(order))]] = True
    return out


def _over(record: Ints, is_in: Bools, asked: Bools, max_rows: int, rng: np.random.Generator) -> Bools:
    """Which rows are too many: whole records, at random, until a side has no more than ``max_rows``."""
    out = np.zeros(len(record), dtype=bool)
    for side in (True, False):
        of_side = asked & (is_in == side)
        sizes = np.bincount(record[of_side], minlength=record.max() + 1)
        order = rng.permutation(np.flatnonzero(sizes))
        out |= of_side & np.isin(record, order[np.cumsum(sizes[order]) > max_rows])
    return out
