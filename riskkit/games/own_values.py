"""Values that one person alone has, and how many of them stand in a release.

A method that draws each value anew from those of the table copies no row, and yet its release holds values that only
members have, and none that only others have. A value counts where one person of both tables together has it. So whose
value it is says nothing of which table that person is in, and chance serves both sides alike, however many values are
rounded or heaped and however unlike the tables' sizes are.

That holds where both tables write values alike. In a column of which one table was rounded or blurred otherwise, values
that two people share are shared within a table, and hardly ever between the two; such a column is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.table.kinds.alike import words
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
    left_out, columns = 0, [*numbers, *codes[: len(real.schema.categorical)]]
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


def _written_unlike(is_in: Bools, members: float) -> bool:
    """Whether the two tables write a column unlike, by who shares a value with one other person alone: pair by pair.

    ``members`` is the share of all people who are members.
    """
    first, second = is_in.reshape(-1, 2).T
    between = int((first != second).sum())
    return len(first) > 0 and float(special.bdtr(between, len(first), 2 * members * (1 - members))) <= UNLIKE
