"""Values that several people share: every column of a table put together until so many rows have each value."""

from __future__ import annotations

import numpy as np

from riskkit.core import Floats, Table
from riskkit.mend.coarsening import rare


def shared(table: Table, people: int) -> Table:
    """The table with the values of every column put together until so many rows share each.

    Neighbouring numbers become their middle one; the rarest categories the most frequent of them. Missing numbers stay
    missing, however few. The frozen domain stays.
    """
    if people < 2:
        return table
    codes, numbers = np.array(table.codes), np.array(table.numbers)
    for column in range(codes.shape[1]):
        counts = np.bincount(codes[:, column])
        pooled = rare(counts, people)
        if len(pooled):
            codes[np.isin(codes[:, column], pooled), column] = pooled[int(counts[pooled].argmax())]
    for column in range(numbers.shape[1]):
        numbers[:, column] = _grouped(numbers[:, column], people)
    return Table(table.schema, codes, numbers)


def _grouped(values: Floats, people: int) -> Floats:
    """(n,) the values, groups of neighbours replaced by their middle one; equal values stay together."""
    out, known = values.copy(), np.flatnonzero(~np.isnan(values))
    order = known[np.argsort(values[known], kind="stable")]
    starts = [0]
    for place in range(1, len(order)):
        if place - starts[-1] >= people and values[order[place]] != values[order[place - 1]]:
            starts.append(place)
    if len(starts) > 1 and len(order) - starts[-1] < people:
        starts.pop()
    for start, end in zip(starts, [*starts[1:], len(order)], strict=True):
        group = order[start:end]
        if len(group):
            out[group] = values[group[(len(group) - 1) // 2]]
    return out
