"""People who were in and people who were not, mixed into one crowd in which nobody's side shows.

The game deals and counts; it computes no statistic. Whatever is asked of a person of the crowd follows from the crowd
and the release alone and never from the side the person is on. So where the release tells nothing the sides may be
exchanged: a rule that names people names as many of either side, but for chance.

A row that several people have, on one side or on both, stays among those who are asked about: left out, the larger
table would lose fewer of its rows, and a leak of none would show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from riskkit.core import Bools, Ints, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.evidence.other_people import SharedPeople
from riskkit.table.evidence.overlap import LEAST, share_of_codes, share_of_numbers

PLANTED_SHARE = 0.5
"""Share of the control's "in" people who are copied into the release."""
MOST_OF_RELEASE = 0.2
"""At most that share of the release is replaced by planted copies."""
EXCHANGED = 0.1
"""Planted copies are not exact: that share of their values is taken from another released row."""
FEWEST_PLANTED = 10


@dataclass(frozen=True, slots=True, eq=False)
class MixedCrowd:
    """Everybody who is asked about, in an order that says nothing of their side, and the release.

    ``people`` are all rows of real table and holdout. ``is_in`` and ``row`` (n,) are the truth: the side, and the row
    in the table of that side. ``asked`` (n_asked,) are the people that are counted. ``copies`` rows were planted.
    """

    people: Table
    release: Table
    is_in: Bools
    row: Ints
    asked: Ints
    seed: int
    copies: int = 0

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this crowd with these labels."""
        return stream(self.seed, "crowd", *labels)

    def count(self, is_in: bool) -> int:
        """How many people of that side are asked about."""
        return int((self.is_in[self.asked] == is_in).sum())

    def plant(self) -> MixedCrowd:
        """A crowd of known answer: people who were *not* in, slightly changed copies of some planted in this release.

        All are of the holdout, so nothing tells the sides apart but what was planted, whatever the release leaks.

        Raises
        ------
        DesignError
            There are too few people or released rows.
        """
        rng = self.rng("planted")
        others = np.flatnonzero(~self.is_in)
        chosen = rng.permutation(self.asked[~self.is_in[self.asked]])
        n_in = min(len(chosen) // 2, int(len(self.release) * MOST_OF_RELEASE / PLANTED_SHARE))
        copies = int(n_in * PLANTED_SHARE)
        if copies < FEWEST_PLANTED:
            raise DesignError.phrase(
                "There are too few people outside the data, or too few released rows, to plant a leak."
            )
        kept = np.sort(rng.permutation(len(self.release))[copies:])
        planted = _mix_rows(self.people.rows(chosen[:copies]), self.people, self.release, rng)
        return replace(
            self,
            people=self.people.rows(others),
            release=self.release.rows(kept).plus(planted),
            is_in=np.isin(others, chosen[:n_in]),
            row=self.row[others],
            asked=np.flatnonzero(np.isin(others, chosen)),
            copies=copies,
        )


def mix(
    real: Table,
    release: Table,
    holdout: Table,
    *,
    max_rows: int,
    seed: int,
    in_both: SharedPeople | None = None,
) -> MixedCrowd:
    """The crowd of these three tables of one schema, of which at most ``max_rows`` people a side are asked about.

    People who stand ``in_both`` tables, beyond chance, are left out of the crowd.

    Raises
    ------
    DesignError
        A table has no row, or no column is in use.
    """
    for name, table in ((phrase("real table"), real), (phrase("release"), release), (phrase("holdout"), holdout)):
        if not len(table):
            raise DesignError.phrase("The {name} has no row; load another file.", name=name)
    if not real.schema.modelled:
        raise DesignError.phrase(
            "No column is left to compare rows by. Give at least one column a role on the Data page."
        )
    own, others = np.arange(len(real)), np.arange(len(holdout))
    if in_both is not None:
        own, others = np.flatnonzero(~in_both.real), np.flatnonzero(~in_both.holdout)
    if not len(own) or not len(others):
        raise DesignError.phrase(
            "Everybody of one side stands in real table and holdout. Load a holdout of other people."
        )
    everybody = real.rows(own).plus(holdout.rows(others))
    content = np.argsort(everybody.keys(), kind="stable")  # an order that no file's order is part of
    order = content[stream(seed, "crowd", "order").permutation(len(content))]
    is_in = order < len(own)
    drawn = stream(seed, "crowd", "asked").permutation(len(order))
    asked = [drawn[is_in[drawn] == side][:max_rows] for side in (True, False)]
    return MixedCrowd(
        people=everybody.rows(order),
        release=release,
        is_in=is_in,
        row=np.concatenate([own, others])[order],
        asked=np.sort(np.concatenate(asked)),
        seed=seed,
    )


def _mix_rows(rows: Table, people: Table, release: Table, rng: np.random.Generator) -> Table:
    """The rows with some values taken from released rows; all of them in a column whose values hardly meet."""
    other = release.rows(rng.integers(len(release), size=len(rows)))
    parts = []
    for own, theirs, crowd, released, share in (
        (rows.codes, other.codes, people.codes, release.codes, share_of_codes),
        (rows.numbers, other.numbers, people.numbers, release.numbers, share_of_numbers),
    ):
        exchanged = rng.random(own.shape) < EXCHANGED
        columns = zip(crowd.T, released.T, strict=True)
        exchanged |= np.array([share(of_crowd, of_release) < LEAST for of_crowd, of_release in columns], dtype=bool)
        parts.append(np.where(exchanged, theirs, own))
    return Table(rows.schema, parts[0], parts[1])
