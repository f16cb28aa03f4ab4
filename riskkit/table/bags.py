"""The rows of a second table that belong to each row of the first: a person's bag of children.

Bags are rows of one table, those of a bag side by side and in an order that follows from their content, or from the
column of a date where their order is kept. To take some people is to take where their bags begin and end; no child is
copied for it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from riskkit.core import Floats, Ints

if TYPE_CHECKING:  # points hold bags, and bags hold points
    from riskkit.table.points import RowPoints


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """``rows`` are children; the bag of person i is the ``size[i]`` of them from ``first[i]`` on, none where it is 0.

    ``ordered`` where the children of a person stand in the order of a date.
    """

    rows: RowPoints
    first: Ints
    size: Ints
    ordered: bool = False

    @classmethod
    def of(cls, children: RowPoints, owner: Ints, people: int, order: Floats | None = None) -> Bags:
        """The bags of so many people.

        Parameters
        ----------
        children
            The rows of the second table.
        owner : (n_children,)
            Whose each is, as a number from 0 to less than ``people``.
        order : (n_children,), optional
            What children of a person are ordered by before their content, a missing value last: days, say.
        """
        content = [*children.codes.T[::-1], *children.numbers.T[::-1]]
        first = [] if order is None else [np.where(np.isnan(order), np.inf, order)]
        rows = np.lexsort([*content, *first, owner])
        size = np.bincount(owner, minlength=people).astype(np.int64)
        return cls(children.rows(rows), np.cumsum(size) - size, size, order is not None)

    def __len__(self) -> int:
        return len(self.size)

    def of_people(self, index: Ints) -> Bags:
        """The bags of these people, in this order."""
        return replace(self, first=self.first[index], size=self.size[index])

    def plus(self, other: Bags) -> Bags:
        """These bags and then those."""
        first = np.concatenate([self.first, other.first + len(self.rows)])
        return replace(self, rows=self.rows.plus(other.rows), first=first, size=np.concatenate([self.size, other.size]))

    @property
    def at(self) -> Ints:
        """(n_children,) where in ``rows`` the children of all these people stand, person by person."""
        before = np.cumsum(self.size) - self.size
        return np.repeat(self.first - before, self.size) + np.arange(int(self.size.sum()))

    @property
    def owner(self) -> Ints:
        """(n_children,) the place of the person of each child of :attr:`at`."""
        return np.repeat(np.arange(len(self)), self.size)

    def packed(self) -> Bags:
        """The same bags with no children beside theirs; one that several people share is there for each of them."""
        return replace(self, rows=self.rows.rows(self.at), first=np.cumsum(self.size) - self.size)

    def with_bags(self, people: Ints, bags: Bags) -> Bags:
        """The same with other bags for these people."""
        first, size = self.first.copy(), self.size.copy()
        first[people], size[people] = bags.first + len(self.rows), bags.size
        return replace(self, rows=self.rows.plus(bags.rows), first=first, size=size)

    def rank(self) -> Ints:
        """(n,) the place of each bag among the different ones, by content alone; equal bags share it."""
        numbers = self.rows.numbers + 0.0  # -0.0 and 0.0 are one number
        content = np.hstack([numbers, self.rows.codes.astype(np.float64)])
        kinds = (
            np.unique(content, axis=0, return_inverse=True)[1].reshape(-1) if content.size else np.zeros(len(content))
        )
        listed = kinds[self.at].tolist()
        ends = np.cumsum(self.size).tolist()
        bags = [tuple(listed[end - size : end]) for end, size in zip(ends, self.size.tolist(), strict=True)]
        place = {bag: index for index, bag in enumerate(sorted(set(bags)))}
        return np.array([place[bag] for bag in bags], dtype=np.int64)

    def features(self, matrix: Floats) -> Floats:
        """(n, 2 * width + 1) of each bag the mean and the mean square of the columns (n_rows, width) of its children,
        and the logarithm of 1 and how many they are; an empty bag has the means of all."""
        rows, owner = self.at, self.owner
        columns = np.hstack([matrix, matrix**2])[rows]
        out = np.tile(columns.mean(axis=0) if len(columns) else np.zeros(2 * matrix.shape[1]), (len(self), 1))
        some = np.flatnonzero(self.size)
        if len(some):
            begin = np.flatnonzero(np.concatenate([[True], owner[1:] != owner[:-1]]))
            out[some] = np.add.reduceat(columns, begin, axis=0) / self.size[some, None]
        return np.hstack([out, np.log1p(self.size)[:, None]])
