"""Values that one person alone has, and how many of them stand in a release.

A method that draws each value anew from those of the table copies no row, and yet its release holds values that only
members have, and none that only others have. A value counts where one person of both tables together has it. So whose
value it is says nothing of which table that person is in, and chance serves both sides alike, however many values are
rounded or heaped and however unlike the tables' sizes are. Which cells of a row are empty counts as a value too: a
method that draws new values and leaves the gaps where they were says by them who was in.

That holds where both tables write values alike. In a column of which one table was rounded or blurred otherwise, values
that two people share are shared within a table, and hardly ever between the two; such a column is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from riskkit.core import MISSING, Bools, Floats, Ints, Table
from riskkit.table.kinds.alike import words
from riskkit.table.kinds.numbers import decimals_of
from riskkit.table.people.persons import Persons
from riskkit.table.points import points_of, values_of

# Long texts of people that stand in a release word for word: spaces, signs, capitals and the order of words aside.

LETTERS = 30
"""Letters from which a text is long: shorter ones are often written by several people."""
FEW_LETTERS = 8
"""The same of a column most of whose texts are shorter, as small objects are."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """The long texts of one column that one person alone wrote, and how many of them stand in the release as they are.

    A text is long from so many ``letters``, those of its words and the spaces between them. ``k_in`` of ``n_in`` texts
    of real people, ``k_out`` of ``n_out`` of people in the holdout, who were not in. A text that stands in both tables
    counts on neither side.
    """

    column: str
    k_in: int
    n_in: int
    k_out: int
    n_out: int
    has_holdout: bool
    letters: int = LETTERS


def verbatim(free_texts: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[Verbatim, ...]:
    """Every column of free text, by its texts in each slot; nothing where there is no release."""
    return tuple(_column(name, own) for name, own in free_texts.items() if "synthetic" in own)


def _column(name: str, own: Mapping[str, Sequence[str]]) -> Verbatim:
    released = set(map(words, own["synthetic"]))
    everybody = {slot: Counter(filter(None, map(words, own.get(slot, ())))) for slot in ("real", "holdout")}
    letters = (
        LETTERS
        if 2 * sum(len(text) >= LETTERS for text in everybody["real"]) >= len(everybody["real"])
        else FEW_LETTERS
    )
    # texts that stand there once
    real, holdout = (
        {text for text, times in texts.items() if times == 1 and len(text) >= letters} for texts in everybody.values()
    )
    real, holdout = real - everybody["holdout"].keys(), holdout - everybody["real"].keys()
    counts = len(real & released), len(real), len(holdout & released), len(holdout)
    return Verbatim(name, *counts, "holdout" in own, letters)


UNLIKE = 0.001
"""The chance of so few values that two people of different tables share, below which a column is left out."""
MOST = 10_000
"""People whose values are compared; of more so many are drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class OwnValues:
    """People who have values that nobody else has, in the real table or in the holdout.

    ``has`` and ``released`` (n_people,) count such values of each and how many of them stand in the release, ``is_in``
    says whether the person is a member. ``left_out`` counts columns that the two tables write unlike, of ``columns``.
    """

    has: Ints
    released: Ints
    is_in: Bools
    left_out: int
    columns: int

    @property
    def share(self) -> Floats:
        """(n_people,) the share of each person's own values that stand in the release."""
        share: Floats = self.released / self.has
        return share

    def count(self, is_in: bool) -> tuple[int, int]:
        """How many such values people of that side have, and how many of them stand in the release."""
        side = self.is_in == is_in
        return int(self.has[side].sum()), int(self.released[side].sum())


def own_values(
    real: Table, release: Table, holdout: Table, rng: np.random.Generator, persons: Persons | None = None
) -> OwnValues:
    """Count them; ``rng`` draws people where there are many.

    Who has a row in both tables is left out, and so is a missing value.
    """
    points = points_of((real, holdout, release))
    n_real, n = len(real), len(real) + len(holdout)
    rows = np.arange(n) if persons is None else np.concatenate([persons.real, persons.holdout_persons])
    person = np.unique(rows, return_inverse=True)[1]
    people = int(person.max(initial=-1)) + 1
    in_real, in_holdout = (np.bincount(side, minlength=people) > 0 for side in (person[:n_real], person[n_real:]))
    numbers, codes = values_of(points)
    missing = np.isnan(np.vstack([real.numbers, holdout.numbers])).T
    has, released = np.zeros(people, dtype=np.int64), np.zeros(people, dtype=np.int64)
    left_out, columns = 0, [*numbers, *codes[: len(real.schema.categorical)], *_gaps((real, holdout, release))]
    for place, column in enumerate(columns):
        is_there = ~missing[place] if place < len(missing) else np.ones(n, dtype=bool)
        held = np.unique(column[:n][is_there] * people + person[is_there])  # once a person, by value
        value, whose = held // people, held % people
        holders = np.bincount(value, minlength=int(column.max(initial=-1)) + 1)
        if _written_unlike(in_real[whose[holders[value] == 2]], float(in_real.mean())):
            left_out += 1
            continue
        alone = holders[value] == 1
        stands = np.isin(value, column[n:])
        has += np.bincount(whose[alone], minlength=people)
        released += np.bincount(whose[alone & stands], minlength=people)
    asked = np.sort(rng.permutation(np.flatnonzero((has > 0) & (in_real != in_holdout)))[:MOST])
    return OwnValues(has[asked], released[asked], in_real[asked], left_out, len(columns))


def _gaps(tables: Sequence[Table]) -> list[Ints]:
    """(n,) which cells of each row are missing, as a number; nothing where fewer than two columns have gaps."""
    is_missing = np.vstack([_missing(table) for table in tables])
    if is_missing.any(axis=0).sum() < 2:
        return []
    return [np.unique(np.packbits(is_missing, axis=1), axis=0, return_inverse=True)[1].reshape(-1)]


def _missing(table: Table) -> Bools:
    """(n, columns) which cells are missing."""
    gone = [column.levels.index(MISSING) if column.has_missing else -1 for column in table.schema.categorical]
    return np.hstack([np.isnan(table.numbers), table.codes == np.array(gone, dtype=np.int64).reshape(1, -1)])


def _written_unlike(is_in: Bools, members: float) -> bool:
    """Whether the two tables write a column unlike, by who shares a value with one other person alone: pair by pair.

    ``members`` is the share of all people who are members.
    """
    first, second = is_in.reshape(-1, 2).T
    between = int((first != second).sum())
    return len(first) > 0 and float(special.bdtr(between, len(first), 2 * members * (1 - members))) <= UNLIKE


# Numbers of people that stand in a release moved, scaled or mirrored, or but for their last digits.

FEW = 60
"""Different numbers on a side without which no line is looked for, and nothing is near by more than chance."""
NEAR = 0.1
"""How near a released number lies to the one that it is read as, in gaps between the numbers around it."""
AROUND = 8
"""So many numbers on either side of one are around it."""
PAIRED = 1_000, 500
"""Known and released numbers, drawn at random, of which every pair is looked at for a line."""
KNOWN_ENDS, ENDS, LIKELY = 8, 3, 24
"""Known and released numbers at either end, of which every two pairs are looked at for a line; and the lines that are
looked at in full."""


def read_near(real: Table, release: Table, holdout: Table, rng: np.random.Generator) -> Table:
    """The release with each number that is nearly one of a person read as that one.

    In each column released numbers are first moved, scaled or mirrored by one number, if more of them are then nearly
    those of people. All of it is worked out from real table and holdout together, so nothing of it knows who was in:
    where no number was reused, numbers of members and of others are met as often.
    """
    known = np.vstack([real.numbers, holdout.numbers])
    numbers = [_read(own, their, rng) for own, their in zip(known.T, release.numbers.T, strict=True)]
    return replace(release, numbers=np.column_stack(numbers)) if numbers else release


def _read(known: Floats, released: Floats, rng: np.random.Generator) -> Floats:
    """(n,) the released numbers of a column, those that are nearly known ones in their place."""
    is_there = ~np.isnan(released)
    own, their = np.unique(known[~np.isnan(known)]), released[is_there]
    if min(len(own), len(np.unique(their))) < FEW:
        return released
    readings = [_near(own, line) for line in (their, *_lines(own, their, rng))]
    out = released.copy()
    out[is_there] = max(readings, key=lambda reading: int(reading[1].sum()))[0]
    return out


def _near(known: Floats, released: Floats) -> tuple[Floats, Bools]:
    """The released numbers, each that is nearly a known one as that one, and which are; known ones ascend."""
    every = np.unique(np.concatenate([known, released]))
    nearest, is_near = _nearest(known, _slack(every, np.searchsorted(every, known)), released)
    return np.where(is_near, nearest, released), is_near


def _slack(every: Floats, place: Ints) -> Floats:
    """How far from the numbers at these places another one is still near, by the gaps around them."""
    low, high = np.maximum(place - AROUND, 0), np.minimum(place + AROUND, len(every) - 1)
    slack: Floats = NEAR * (every[high] - every[low]) / (high - low)
    return slack


def _nearest(known: Floats, slack: Floats, released: Floats) -> tuple[Floats, Bools]:
    """The known number that is nearest to each, and whether it is no further than its slack."""
    after = np.minimum(np.searchsorted(known, released), len(known) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(released - known[before] <= known[after] - released, before, after)
    is_near: Bools = np.abs(known[nearest] - released) <= slack[nearest]
    return known[nearest], is_near


def _lines(known: Floats, released: Floats, rng: np.random.Generator) -> list[Floats]:
    """The released numbers moved, mirrored and scaled by what most pairs of both differ by."""
    some, few = (rng.permutation(side)[:most] for side, most in zip((known, released), PAIRED, strict=True))
    step = 10.0 ** -min(decimals_of(known), decimals_of(released))
    lines = [released + _often(some[:, None] - few, step), _often(some[:, None] + few, step) - released]
    if known[0] > 0 and released.min() > 0:
        size = step / float(np.median(np.minimum(some[:, None], few)))
        lines.append(released * np.exp(_often(np.log(some)[:, None] - np.log(few), size)))
    return [*lines, _by_ends(known, released, few), _by_ends(known, -released, -few)]


def _by_ends(known: Floats, released: Floats, some: Floats) -> Floats:
    """The released numbers both moved and scaled, by the line that makes most of ``some`` of them known ones.

    Lines are those through an outlying number at either end and what it may have been: numbers are sparse there.
    """
    every, some = np.unique(released), np.sort(some)
    (low, lowest), (high, highest) = (
        (np.repeat(own, len(their)), np.tile(their, len(own)))
        for own, their in ((known[:KNOWN_ENDS], every[:ENDS]), (known[-KNOWN_ENDS:], every[-ENDS:]))
    )
    scale = ((high[:, None] - low) / (highest[:, None] - lowest)).ravel()
    move = np.repeat(high, len(low)) - scale * np.repeat(highest, len(low))
    # All lines by half of the numbers and the gaps of known ones alone, and the likeliest of them in full.
    lines = np.outer(scale, some[::2]) + move[:, None]
    near = _nearest(known, _slack(known, np.arange(len(known))), lines)[1].sum(axis=1)
    likely = np.sort(np.argsort(-near, kind="stable")[:LIKELY])
    hits = [int(_near(known, scale[line] * some + move[line])[1].sum()) for line in likely]
    best = likely[int(np.argmax(hits))]
    read: Floats = scale[best] * released + move[best]
    return read


def _often(differences: Floats, step: float) -> float:
    """The difference that most pairs have, give or take a step."""
    values = np.sort(differences, axis=None)
    many = np.searchsorted(values, values + 2 * step, "right") - np.arange(len(values))
    first = int(np.argmax(many))
    return float(np.median(values[first : first + many[first]]))
