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

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from riskkit.core import Bools, Floats, Ints, Scores, Table
from riskkit.errors import DesignError, ScoreError
from riskkit.games.bags import OfPerson, people_of, records_of, rows_of, score_of_people, starts
from riskkit.games.evened import evened
from riskkit.seeds import stream
from riskkit.table.canonical import alphabetical, canonical
from riskkit.table.meeting import LEAST, share_of_codes, share_of_numbers
from riskkit.table.persons import Persons
from riskkit.table.points import Points, Texts, points_of

PARTS, DEALS = 2, 1
"""Parts that all records fall into, and how often they are dealt; the scores of several deals are averaged."""
PLANTED_SHARE = 0.5
"""Share of the control's "in" records that are copied into the release; one who finds them all reaches AUC .75."""
MOST_OF_RELEASE = 0.2
"""At most that share of the release is replaced by planted copies."""
NOISE, EXCHANGED = 0.05, 0.05
"""Planted copies are not exact: noise on numbers in standard deviations, the share of categories, and of the words of
free texts, exchanged."""
SLOTS = ("synthetic", "real", "holdout")


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

    ``references`` holds whom to compare with, by deal; none where there is nobody. ``owner`` (n_targets,) is the place
    of each target's person among all people asked about, whose rows stand side by side. ``is_in``, ``record`` and
    ``row`` are (n_people,): the truth; which record it is (equal people share it); the first row in the real table
    where they were in and in the holdout where not. ``copies`` people were planted in ``replaced`` rows of the release.
    """

    release: Points
    targets: Points
    references: tuple[Reference, ...]
    owner: Ints
    is_in: Bools
    record: Ints
    row: Ints
    left_out: LeftOut
    seed: int
    of_person: OfPerson = OfPerson.MEAN
    copies: int = 0
    replaced: int = 0

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
        """What the attack says of every person asked about, from the scores of their rows.

        Where people of several parts were compared with different rows, a score is the mean rank within its part, from
        0 to 1, and the mean over the deals.

        Raises
        ------
        DesignError
            The attack needs a reference and there is none, or cannot work on these tables.
        ScoreError
            It did not give one finite number for each target.
        """
        if not attack.needs_reference:
            value = self._asked(attack, self.targets, self.owner, None, *labels)
        elif self.references:
            value = np.mean([self._compared(attack, deal, *labels) for deal in range(len(self.references))], axis=0)
        else:
            raise DesignError("It compares with reference rows, and no share of the holdout was set aside for them.")
        return Scores(value, self.is_in, self.record, np.zeros(len(value), dtype=np.int64), attack.name)

    def _compared(self, attack: ReleasedAttack, deal: int, *labels: str) -> Floats:
        """(n_people,) what it says where it compares with the rows of that deal."""
        reference = self.references[deal]
        if len(reference.rows) == 1:
            return self._asked(attack, self.targets, self.owner, reference.rows[0], *labels)
        out = np.empty(len(self.is_in))
        for part, rows in enumerate(reference.rows):
            chosen = np.flatnonzero(reference.part == part)
            if chosen.size:
                owner = self.owner[chosen]
                value = self._asked(attack, self.targets.rows(chosen), owner, rows, *labels, deal, part)
                out[owner[starts(owner)]] = (rankdata(value) - 0.5) / len(value)
        return out

    def _asked(
        self, attack: ReleasedAttack, targets: Points, owner: Ints, reference: Points | None, *labels: str | int
    ) -> Floats:
        """One finite number for each of these people, from what the attack gives their rows."""
        value = np.asarray(attack.score(self.release, targets, reference, self.rng(*labels)), dtype=np.float64)
        if value.shape != (len(targets),):
            raise ScoreError(f"It gave {value.size} scores for {len(targets)} records.")
        if not np.isfinite(value).all():
            raise ScoreError(f"Some scores of attack {attack.name!r} are not finite numbers.")
        return score_of_people(value, owner, self.of_person)

    def sample(self, rows: int, rng: np.random.Generator) -> ReleasedGame:
        """The same game with at most so many rows of release, targets and reference: to see how long it takes."""

        def some(points: Points) -> Points:
            return points.rows(np.sort(rng.permutation(len(points))[:rows]))

        order = rng.permutation(len(self.is_in))
        chosen = order[: max(int((np.cumsum(np.bincount(self.owner)[order]) <= rows).sum()), 1)]
        own = self._of(np.sort(chosen))
        references = tuple(replace(each, rows=tuple(map(some, each.rows))) for each in own.references)
        return replace(own, release=some(self.release), references=references)

    def _of(self, people: Ints) -> ReleasedGame:
        """The game of these people alone, with whom they are compared and the whole release."""
        rows = rows_of(self.owner, people)
        return replace(
            self,
            targets=self.targets.rows(rows),
            references=tuple(reference.of(rows) for reference in self.references),
            owner=np.repeat(np.arange(len(people)), np.bincount(self.owner)[people]),
            is_in=self.is_in[people],
            record=self.record[people],
            row=self.row[people],
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
        number, first = np.unique(self.record, return_index=True)
        people = first[np.searchsorted(number, others)]  # of equal people one
        room = np.cumsum(np.bincount(self.owner)[people]) <= len(self.release) * MOST_OF_RELEASE + 1e-9
        if room.sum() < n_copied:  # people of many rows
            n_copied = int(room.sum())
            n_in = int(n_copied / PLANTED_SHARE)
        if n_copied < 1:
            raise DesignError("There are too few records that were not in to plant some of them in the release.")
        own = self._of(np.flatnonzero(np.isin(self.record, others[: n_in + len(others) // 2])))
        copied = self.targets.rows(rows_of(self.owner, np.sort(people[:n_copied])))
        replaced = np.sort(rng.choice(len(self.release), len(copied), replace=False))
        return replace(
            own,
            release=_with_rows(self.release, replaced, _changed(copied, self.targets, self.release, rng)),
            is_in=np.isin(own.record, others[:n_in]),
            copies=n_copied,
            replaced=len(copied),
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
    codes = np.where(exchanged, other.codes, rows.codes).astype(np.int32)
    return replace(rows, numbers=numbers, codes=codes, texts=_changed_texts(rows.texts, other.texts, rng))


def _changed_texts(texts: Texts | None, other: Texts | None, rng: np.random.Generator) -> Texts | None:
    """The texts (n, n_texts) with as large a share of words exchanged for words of the others as of categories."""
    if texts is None or other is None:
        return None
    pairs = zip(texts.ravel().tolist(), other.ravel().tolist(), strict=True)
    return np.array([_reworded(*pair, rng) for pair in pairs], dtype=object).reshape(texts.shape)


def _reworded(text: str, other: str, rng: np.random.Generator) -> str:
    """The text with a few words exchanged for words of the other."""
    words, donors = text.split(), other.split()
    for at in np.flatnonzero(rng.random(len(words)) < EXCHANGED).tolist() if donors else ():
        words[at] = donors[int(rng.integers(len(donors)))]
    return " ".join(words)


def _hardly_met(share: Callable[[Any, Any], float], people: npt.NDArray[Any], release: npt.NDArray[Any]) -> Bools:
    """(columns,) whether less than :data:`riskkit.table.meeting.LEAST` of the released values are values of people."""
    return np.array([share(own, given) < LEAST for own, given in zip(people.T, release.T, strict=True)], dtype=np.bool_)


def _with_rows(release: Points, at: Ints, rows: Points) -> Points:
    numbers, codes = release.numbers.copy(), release.codes.copy()
    numbers[at], codes[at] = rows.numbers, rows.codes
    texts = None if release.texts is None else release.texts.copy()
    if texts is not None:
        texts[at] = rows.texts
    return replace(release, numbers=numbers, codes=codes, texts=texts)


def deal(
    real: Table,
    synthetic: Table,
    holdout: Table,
    *,
    free_texts: Sequence[Mapping[str, Sequence[str]]] = (),
    compared: Compared = Compared.CROSS,
    reference_share: float = 0.5,
    max_rows: int,
    seed: int,
    persons: Persons | None = None,
    of_person: OfPerson = OfPerson.MEAN,
) -> ReleasedGame:
    """The game of these three tables of one schema.

    Parameters
    ----------
    free_texts
        Of each column that is kept as text the texts of all rows, by slot.
    compared
        Whom attacks that compare may compare with.
    reference_share
        Share of the holdout's records that are set aside for it, where that is how; they are not asked about.
    max_rows
        Most rows asked about on either side, and most that a target is compared with where parts are crossed; drawn at
        random where there are more.
    persons
        Whose row each row is; none where each is a person.
    of_person
        How the scores of a person's rows become one.

    Raises
    ------
    DesignError
        No record is left on a side.
    """
    released, members, others = (
        _with_texts(points, [texts[slot] for texts in free_texts])
        for slot, points in zip(SLOTS, points_of((synthetic, real, holdout)), strict=True)
    )
    (release, pool), (_, place) = canonical((released, members.plus(others)))  # in an order that knows no side
    given = np.argsort(place)
    is_in = given < len(members)
    row = np.where(is_in, given, given - len(members))
    person = given if persons is None else np.concatenate([persons.real, persons.of_holdout])[given]
    record = records_of(_records(pool), person)
    rng = stream(seed, "released", "deal")
    sides = is_in, ~is_in
    in_real, in_holdout = (people_of(record[side], person[side], record.max() + 1) for side in sides)
    both = (in_real > 0) & (in_holdout > 0)
    even = evened(in_real, in_holdout, rng)
    aside = _drawn(in_holdout > 0, reference_share if compared is Compared.ASIDE else 0.0, rng)
    asked = even[record] & ~both[record] & ~(aside[record] & ~is_in)
    spared = _over(record, is_in, asked, max_rows, rng)
    kept = np.flatnonzero(asked & ~spared)
    _, first, whose = np.unique(person, return_index=True, return_inverse=True)
    kept = kept[np.lexsort((kept, first[whose[kept]], record[kept]))]
    if not is_in[kept].any() or is_in[kept].all():
        raise DesignError(
            "No record is left to ask about on one side: every row stands in both tables, or in the reference. Load a "
            "holdout of other people, or set a smaller share aside."
        )
    if compared is Compared.CROSS:
        references = tuple(_crossed(pool, record, kept, max_rows, rng) for _ in range(DEALS))
    else:
        set_aside = pool.rows(np.flatnonzero(~is_in & aside[record]))
        references = (Reference(np.zeros(len(kept), dtype=np.int64), (set_aside,)),) if len(set_aside) else ()
    start = starts(person[kept])
    return ReleasedGame(
        release=release,
        targets=pool.rows(kept),
        references=references,
        owner=np.repeat(np.arange(len(start)), np.diff(start, append=len(kept))),
        is_in=is_in[kept[start]],
        record=record[kept[start]],
        row=np.minimum.reduceat(row[kept], start),
        left_out=LeftOut(
            real=int(both[record[is_in]].sum()),
            holdout=int(both[record[~is_in]].sum()),
            evened=int((~even & ~both)[record].sum()),
            spared=int(spared.sum()),
        ),
        seed=seed,
        of_person=of_person,
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


def _with_texts(points: Points, columns: Sequence[Sequence[str]]) -> Points:
    """The points with their free texts beside them."""
    if not columns:
        return points
    return replace(points, texts=np.array([list(column) for column in columns], dtype=object).T)


def _records(pool: Points) -> Ints:
    """(n,) the number of the record that each row is, numbered by content; equal rows share it."""
    parts: list[npt.NDArray[Any]] = [np.ascontiguousarray(pool.codes), np.ascontiguousarray(pool.numbers)]
    if pool.texts is not None:
        parts += [alphabetical(column)[:, None] for column in pool.texts.T]
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
