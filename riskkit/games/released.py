"""The game on a released file: real rows were in, holdout rows were not, the release is the one that lies there.

The game deals and collects scores; it computes no statistic. Five things would tell the sides apart without any leak
and are closed here:

* A row that stands in both tables was in, and is no member that an attack could be asked about: all its copies are
  left out on both sides (they may serve as reference).
* If one table is larger, a record of several equal rows is more likely to stand wholly in the larger one. There it is
  kept only as often as evens this out.
* Rows that are equal within a table are one record and count as one.
* Rows are in an order, and columns and codes have names, that follow from their content alone, the sides mixed.
* Whom attacks compare with is dealt without a look at the sides. All records fall into parts, and those of one part are
  compared with rows of the others, real and holdout alike: no score depends on who was in, so the labels may be
  exchanged. Were each part of the holdout compared with the rest of the holdout, a label would decide whose scores its
  record helps to make; the errors of the parts would go together, and too many innocent releases be called a leak.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from riskkit.core import Bools, Floats, Ints, Scores, Table
from riskkit.errors import DesignError, ScoreError
from riskkit.games.evened import evened
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.canonical import canonical
from riskkit.table.meeting import LEAST, share_of_codes, share_of_numbers
from riskkit.table.points import Points, points_of

PARTS, DEALS = 2, 1
"""Parts that all records fall into, and how often they are dealt; the scores of several deals are averaged."""
PLANTED_SHARE = 0.5
"""Share of the control's "in" records that are copied into the release; one who finds them all reaches AUC .75."""
MOST_OF_RELEASE = 0.2
"""At most that share of the release is replaced by planted copies."""
NOISE, EXCHANGED = 0.05, 0.05
"""Planted copies are not exact: noise on numbers in standard deviations, and the share of categories exchanged."""


class Compared(StrEnum):
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
class Reference:
    """Whom the targets are compared with: ``part`` (n_targets,) names the part of each, ``rows`` the rows for it."""

    part: Ints
    rows: tuple[Points, ...]

    def of(self, targets: Ints) -> Reference:
        """That of these targets alone: (k,) places."""
        return replace(self, part=self.part[targets])

    @property
    def fewest(self) -> int:
        """Rows that a target is compared with, at least."""
        return min(map(len, self.rows))


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedGame:
    """Everything an attack may see, and the truth beside it.

    ``references`` holds whom to compare with, by deal; none where there is nobody. ``is_in``, ``record`` and ``row``
    are (n_targets,): the truth; which record it is (equal rows share it); its row in the real table where it was in and
    in the holdout where not. ``copies`` rows of the release were planted.
    """

    release: Points
    targets: Points
    references: tuple[Reference, ...]
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

    @property
    def n_reference(self) -> int:
        """Rows that a target is compared with, at least; 0 where there are none."""
        return min((reference.fewest for reference in self.references), default=0)

    def scores(self, attack: ReleasedAttack, *labels: str) -> Scores:
        """What the attack says of every target.

        Where targets of several parts were compared with different rows, a score is the mean rank within its part, from
        0 to 1, and the mean over the deals.

        Raises
        ------
        DesignError
            The attack needs a reference and there is none, or cannot work on these tables.
        ScoreError
            It did not give one finite number for each target.
        """
        if not attack.needs_reference:
            value = self._asked(attack, self.targets, None, *labels)
        elif self.references:
            value = np.mean([self._compared(attack, deal, *labels) for deal in range(len(self.references))], axis=0)
        else:
            raise DesignError(
                phrase("It compares with reference rows, and no share of the holdout was set aside for them.")
            )
        return Scores(value, self.is_in, self.record, np.zeros(len(value), dtype=np.int64), attack.name)

    def _compared(self, attack: ReleasedAttack, deal: int, *labels: str) -> Floats:
        """(n_targets,) what it says where it compares with the rows of that deal."""
        reference = self.references[deal]
        if len(reference.rows) == 1:
            return self._asked(attack, self.targets, reference.rows[0], *labels)
        out = np.empty(len(self.targets))
        for part, rows in enumerate(reference.rows):
            chosen = np.flatnonzero(reference.part == part)
            if chosen.size:
                value = self._asked(attack, self.targets.rows(chosen), rows, *labels, deal, part)
                out[chosen] = (rankdata(value) - 0.5) / len(value)
        return out

    def _asked(self, attack: ReleasedAttack, targets: Points, reference: Points | None, *labels: str | int) -> Floats:
        """One finite number for each of these targets, as the attack gives them."""
        value = np.asarray(attack.score(self.release, targets, reference, self.rng(*labels)), dtype=np.float64)
        if value.shape != (len(targets),):
            raise ScoreError(
                phrase("It gave {scores} scores for {records} records.", scores=value.size, records=len(targets))
            )
        if not np.isfinite(value).all():
            raise ScoreError(phrase("Some scores of attack {attack!r} are not finite numbers.", attack=attack.name))
        return value

    def sample(self, rows: int, rng: np.random.Generator) -> ReleasedGame:
        """The same game with at most so many rows of release, targets and reference: to see how long it takes."""

        def some(points: Points) -> Points:
            return points.rows(np.sort(rng.permutation(len(points))[:rows]))

        chosen = np.sort(rng.permutation(len(self.targets))[:rows])
        return replace(
            self,
            release=some(self.release),
            targets=self.targets.rows(chosen),
            references=tuple(Reference(r.part[chosen], tuple(map(some, r.rows))) for r in self.references),
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
            raise DesignError(
                phrase("There are too few records that were not in to plant some of them in the release.")
            )
        chosen = np.flatnonzero(np.isin(self.record, others[: n_in + len(others) // 2]))
        number, first = np.unique(self.record, return_index=True)
        at = first[np.searchsorted(number, others[:n_copied])]
        replaced = np.sort(rng.choice(len(self.release), n_copied, replace=False))
        copies = _changed(self.targets.rows(np.sort(at)), self.targets, self.release, rng)
        return replace(
            self,
            release=_with_rows(self.release, replaced, copies),
            targets=self.targets.rows(chosen),
            references=tuple(reference.of(chosen) for reference in self.references),
            is_in=np.isin(self.record[chosen], others[:n_in]),
            record=self.record[chosen],
            row=self.row[chosen],
            copies=n_copied,
        )


def _changed(rows: Points, people: Points, release: Points, rng: np.random.Generator) -> Points:
    """The rows with a little noise on numbers and a few categories taken from rows of the release.

    A column whose released values hardly meet those of people may be written in another way, and then a copy of a row
    would be written so too: there all values are taken from rows of the release, and an attack that needs the column
    is seen to miss the copies.
    """
    numbers = rows.numbers + NOISE * rng.standard_normal(rows.numbers.shape)
    exchanged = rng.random(rows.codes.shape) < EXCHANGED
    other = release.rows(rng.integers(len(release), size=len(rows)))
    exchanged |= _hardly_met(share_of_codes, people.codes, release.codes)
    numbers = np.where(_hardly_met(share_of_numbers, people.numbers, release.numbers), other.numbers, numbers)
    return replace(rows, numbers=numbers, codes=np.where(exchanged, other.codes, rows.codes).astype(np.int32))


def _hardly_met(share: Callable[[Any, Any], float], people: npt.NDArray[Any], release: npt.NDArray[Any]) -> Bools:
    """(columns,) whether less than :data:`riskkit.table.meeting.LEAST` of the released values are values of people."""
    return np.array([share(own, given) < LEAST for own, given in zip(people.T, release.T, strict=True)], dtype=np.bool_)


def _with_rows(release: Points, at: Ints, rows: Points) -> Points:
    numbers, codes = release.numbers.copy(), release.codes.copy()
    numbers[at], codes[at] = rows.numbers, rows.codes
    return replace(release, numbers=numbers, codes=codes)


def deal(
    real: Table,
    synthetic: Table,
    holdout: Table,
    *,
    compared: Compared = Compared.CROSS,
    reference_share: float = 0.5,
    max_rows: int,
    seed: int,
) -> ReleasedGame:
    """The game of these three tables of one schema.

    Parameters
    ----------
    compared
        Whom attacks that compare may compare with.
    reference_share
        Share of the holdout's records that are set aside for it, where that is how; they are not asked about.
    max_rows
        Most rows asked about on either side, and most that a target is compared with where parts are crossed; drawn at
        random where there are more.

    Raises
    ------
    DesignError
        No record is left on a side.
    """
    released, members, others = points_of((synthetic, real, holdout))
    (release, pool), (_, place) = canonical((released, members.plus(others)))  # in an order that knows no side
    given = np.argsort(place)
    is_in = given < len(members)
    row = np.where(is_in, given, given - len(members))
    record = _records(pool)
    rng = stream(seed, "released", "deal")
    in_real, in_holdout = (np.bincount(record[side], minlength=record.max() + 1) for side in (is_in, ~is_in))
    both = (in_real > 0) & (in_holdout > 0)
    even = evened(in_real, in_holdout, rng)
    aside = _drawn(in_holdout > 0, reference_share if compared is Compared.ASIDE else 0.0, rng)
    asked = even[record] & ~both[record] & ~(aside[record] & ~is_in)
    spared = _over(record, is_in, asked, max_rows, rng)
    kept = np.flatnonzero(asked & ~spared)
    kept = kept[np.argsort(record[kept], kind="stable")]
    if not is_in[kept].any() or is_in[kept].all():
        raise DesignError(
            phrase(
                "No record is left to ask about on one side: every row stands in both tables, or in the "
                "reference. Load a holdout of other people, or set a smaller share aside."
            )
        )
    if compared is Compared.CROSS:
        references = tuple(_crossed(pool, record, kept, max_rows, rng) for _ in range(DEALS))
    else:
        set_aside = pool.rows(np.flatnonzero(~is_in & aside[record]))
        references = (Reference(np.zeros(len(kept), dtype=np.int64), (set_aside,)),) if len(set_aside) else ()
    return ReleasedGame(
        release=release,
        targets=pool.rows(kept),
        references=references,
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


def _crossed(pool: Points, record: Ints, asked: Ints, most: int, rng: np.random.Generator) -> Reference:
    """Parts of all records, and for those of each part the rows of the others, whoever they are and on which side."""
    part = (rng.permutation(record.max() + 1) % PARTS)[record]
    by_content = np.argsort(record, kind="stable")
    rows = []
    for number in range(PARTS):
        others = by_content[part[by_content] != number]
        rows.append(pool.rows(others[np.sort(rng.permutation(len(others))[:most])]))
    return Reference(part[asked], tuple(rows))


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
