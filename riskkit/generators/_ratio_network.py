"""What released rows say of each record of a table that a network, or columns on their own, were counted from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.generators._network import Compact, Parents, parent_codes
from riskkit.generators._ratio import Ratio, RecordCell, TreeLaw, TreeShares, refuse_only_row, tells_of
from riskkit.generators._ratio_people import PersonLaw, PersonRatio, cell_of, places_of, refuse_everybody

MESSAGES = 1 << 16
"""Messages along a tree whose tables have more cells than this in all cost more than rows drawn for each record."""


class CountedColumn(Protocol):
    """A column given its parents, as counts; see :class:`riskkit.generators.bayesnet.Node`."""

    @property
    def size(self) -> int:
        """How many values the column can have."""

    @property
    def weight(self) -> float:
        """Pseudo-rows added for each value of the parents."""

    def counts(self, above: Ints, code: Ints) -> tuple[Ints, Ints]:
        """(n,) how many rows hold each code together with its parent code, and how many hold the parent code."""


@dataclass(frozen=True, eq=False)
class NetworkRatios:
    """The ratios of every record of a counted network.

    ``columns`` (d, n) are the codes of the table, ``keeps`` says whether the table less a row, or less some, has the
    same network, and ``shares`` are the counts of a tree as shares.
    """

    parents: Parents
    sizes: tuple[int, ...]
    columns: Compact
    nodes: Sequence[CountedColumn]
    keeps: Callable[[int | Ints], bool]
    shares: TreeShares | None

    @cached_property
    def _counts(self) -> tuple[Ints, Ints]:
        """(d, n) how many rows agree with each row in a column and its parents, and in the parents."""
        both, above = np.empty((2, *self.columns.shape), dtype=np.int64)
        for j, node in enumerate(self.nodes):
            over = parent_codes(self.columns, self.parents[j], self.sizes)
            both[j], above[j] = node.counts(over, self.columns[j].astype(np.int64))
        return both, above

    def cells(self, row: int) -> tuple[RecordCell, ...]:
        """What the record is in the counts of every column; chances to be reached are 0 where they are not known."""
        refuse_only_row(self.columns.shape[1])
        both, above = self._counts
        out = []
        for j, node in enumerate(self.nodes):
            own = self.parents[j]
            reach = 1.0 if not own else 0.0
            if own and self.shares:
                reach = float(self.shares.marginal[own[0]][self.columns[own[0], row]])
            pseudo = node.weight / node.size
            out.append(RecordCell((*own, j), int(above[j, row]), int(both[j, row]), node.size, pseudo, reach))
        return tuple(out)

    def tells(self) -> Floats:
        """(2, n) how far a released row tells of each record, summed over all columns; see :func:`tells_of`."""
        n = self.columns.shape[1]
        refuse_only_row(n)
        both, above = self._counts
        total = np.zeros((2, n))
        for j, node in enumerate(self.nodes):
            total += tells_of(both[j], above[j], node.size, node.weight / node.size, n, len(self.parents[j]))
        return total

    def of(self, row: int) -> Ratio:
        """The ratio of one record."""
        cells, code = self.cells(row), self.columns[:, row].astype(np.int64)
        return Ratio(cells, TreeLaw(self.shares, cells, code) if self.shares and self.keeps(row) else None)

    def of_person(self, rows: Ints) -> PersonRatio:
        """The ratio of the person who has these rows.

        Raises
        ------
        DesignError
            The person has all the rows.
        """
        n = self.columns.shape[1]
        refuse_everybody(n, len(rows))
        own = self.columns[:, rows].astype(np.int64)
        places, cells = [], []
        for j, node in enumerate(self.nodes):
            above, parents = parent_codes(own, self.parents[j], self.sizes), self.parents[j]
            both, held = node.counts(above, own[j])
            places.append(places_of(above, own[j], both, held, node.size, node.weight / node.size))
            marginal = self.shares.marginal[parents[0]] if parents and self.shares else None
            cells.append(cell_of((*parents, j), places[-1], n, marginal))
        is_exact = self.shares is not None and self.keeps(rows)
        return PersonRatio(tuple(cells), PersonLaw(self.shares, tuple(places)) if is_exact and self.shares else None)


def shares_of(parents: Parents, sizes: tuple[int, ...], nodes: Sequence[CountedColumn]) -> TreeShares | None:
    """The counts of a tree as shares; None where a column has two parents or the tables are large."""
    wide = [sizes[own[0]] * size if own else size for own, size in zip(parents, sizes, strict=True)]
    if max(map(len, parents)) > 1 or sum(wide) > MESSAGES:
        return None
    return TreeShares(
        parents, tuple(_table(node, sizes[own[0]] if own else 1) for node, own in zip(nodes, parents, strict=True))
    )


def _table(node: CountedColumn, above: int) -> Floats:
    """(above, size) shares of a column's values given each value of its parent."""
    over, code = np.divmod(np.arange(above * node.size), node.size)
    both, held = node.counts(over, code)
    weight = np.where(held > 0, node.weight, node.weight or 1.0)
    shares: Floats = (both + weight / node.size) / (held + weight)
    return shares.reshape(above, node.size)
