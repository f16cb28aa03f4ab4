"""Extremely randomised trees on numbers and codes: what an attack that learns grows, whole and from all rows.

A category is one column of codes: a cut at random parts its levels in two.

References
----------
.. [1] Geurts, Ernst and Wehenkel 2006, Extremely randomized trees, Machine Learning 63:3-42.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from riskkit.core import Codes, Floats, Ints

SEEDS = 2**63
"""Seeds of trees are drawn below it."""


@dataclass(frozen=True, slots=True, eq=False)
class Grove:
    """The rows (n, n_columns) that trees are grown on, as kernels take them.

    ``ranks`` (n_columns, n) are places of the rows' values among the different ones of their column, which stand in the
    first places of ``values`` (n_columns, n).
    """

    ranks: Codes
    values: Floats

    @classmethod
    def of(cls, rows: Floats) -> Grove:
        """Of these rows, of which there is at least one, without gaps."""
        ranks, values = np.empty(rows.T.shape, dtype=np.int32), np.zeros(rows.T.shape)
        for position, column in enumerate(rows.T):
            different, ranks[position] = np.unique(column + 0.0, return_inverse=True)  # -0.0 and 0.0 are one number
            values[position, : len(different)] = different
        return cls(ranks, values)

    def means(
        self,
        value: Floats,
        asked: Floats,
        trees: int,
        tried: int,
        rng: np.random.Generator,
        leave_out: int | None = None,
    ) -> Floats:
        """(m,) the number foretold for each of the rows ``asked`` (m, n_columns): the mean over so many trees.

        Parameters
        ----------
        value : (n,)
            What the trees learn to foretell.
        tried
            Columns that each cut is looked for in, more while these are constant.
        leave_out
            The column that must not be looked at.
        """
        from riskkit.released import _tree_kernels as kernels

        out, none, how = np.zeros(len(asked)), np.zeros(0, dtype=np.int32), (trees, tried)
        are_two = bool(((value == 0) | (value == 1)).all())  # then they are counted: the same means, in less time
        if are_two:
            grown = self._grown(np.zeros(0), value.astype(np.int32), 2, how, rng, leave_out, are_numbers=True)
        else:
            grown = self._grown(value, none, 0, how, rng, leave_out, are_numbers=True)
        for by, cut, below, mean, _ in grown:
            kernels.add_means(asked, by, cut, below, mean, out)
        return out / trees

    def shares(
        self,
        of_class: Codes,
        classes: int,
        asked: Floats,
        wanted: Codes,
        trees: int,
        tried: int,
        rng: np.random.Generator,
        leave_out: int | None = None,
    ) -> Floats:
        """(m,) the share foretold for the class ``wanted`` (m,) of each; ``of_class`` (n,) are below ``classes``."""
        from riskkit.released import _tree_kernels as kernels

        out, none = np.zeros(len(asked)), np.zeros(0)
        for by, cut, below, _, own in self._grown(none, of_class, classes, (trees, tried), rng, leave_out):
            kernels.add_shares(asked, wanted, by, cut, below, own, out)
        return out / trees

    def _grown(
        self,
        value: Floats,
        of_class: Codes,
        classes: int,
        how: tuple[int, int],
        rng: np.random.Generator,
        leave_out: int | None,
        *,
        are_numbers: bool = False,
    ) -> Iterator[tuple[Codes, Floats, Codes, Floats, Codes]]:
        """Tree after tree, each in the room of the one before, and the classes in the order of its leaves; between two
        a signal to stop is heard."""
        from riskkit.released import _tree_kernels as kernels

        (trees, tried), (width, n) = how, self.ranks.shape
        columns: Ints = np.delete(np.arange(width), [] if leave_out is None else [leave_out])
        by, below = (np.empty(2 * n, dtype=np.int32) for _ in range(2))
        cut, mean = np.empty(2 * n), np.empty(2 * n)
        for seed in rng.integers(SEEDS, size=trees).tolist():
            own_value, own_class = value.copy(), of_class.astype(np.int32)
            learnt = self.ranks, self.values, own_value, own_class, classes, are_numbers, columns, tried, seed
            nodes = kernels.grown(*learnt, by, cut, below, mean)
            yield by[:nodes], cut[:nodes], below[:nodes], mean[:nodes], own_class
