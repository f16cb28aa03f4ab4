"""The compiled loops of the Bayesian generators: counting joint codes, and the walk along a network that draws rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.compiled import compiled
from riskkit.core import Codes, Floats, Ints


@compiled
def walk(
    uniform: Floats,
    order: Ints,
    parents_at: Ints,
    parents: Ints,
    sizes: Ints,
    starts_at: Ints,
    starts: Ints,
    rows_at: Ints,
    rows: Any,
    gone: Codes,
    out: Codes,
) -> bool:
    """Into ``out`` (d, n): for each column, parents first, the code of a random row that holds the parents' codes.

    ``starts`` and ``rows`` are those of :class:`riskkit.generators.bayesnet.Node`, one column after the other; what
    belongs to column ``j`` begins at ``starts_at[j]``, ``rows_at[j]`` and, of its parents, ``parents_at[j]``. ``gone``
    (d,) are the codes of one row that is not to be drawn, or empty. False, with ``out`` unfinished, where no row holds
    the parents' codes.
    """
    for j in order:
        gone_above, gone_at = np.int64(-1), np.int64(0)
        if len(gone):
            gone_above = np.int64(0)
            for place in range(parents_at[j], parents_at[j + 1]):
                gone_above = gone_above * sizes[parents[place]] + gone[parents[place]]
            gone_at = starts[starts_at[j] + gone_above]
            while rows[rows_at[j] + gone_at] != gone[j]:
                gone_at += 1
        for row in range(out.shape[1]):
            above = np.int64(0)
            for place in range(parents_at[j], parents_at[j + 1]):
                above = above * sizes[parents[place]] + out[parents[place], row]
            first = starts[starts_at[j] + above]
            below = starts[starts_at[j] + above + 1] - first - (above == gone_above)
            if below == 0:
                return False
            position = first + np.int64(uniform[j, row] * below)
            position += above == gone_above and position >= gone_at
            out[j, row] = rows[rows_at[j] + position]
    return True


@compiled
def tallied(code: Any, above: Ints, size: int, codes: int, rows: Any) -> tuple[Ints, Ints, Ints]:
    """The cells, tally and starts of :class:`riskkit.generators.bayesnet.Node`; its rows go into ``rows`` (n,).

    ``above`` (n,) are parent codes below ``codes``, ``code`` (n,) own codes below ``size``.
    """
    flat = np.zeros(codes * size, dtype=np.int64)
    for row in range(len(code)):
        flat[above[row] * size + code[row]] += 1
    held = np.count_nonzero(flat)
    cells, tally, starts = np.empty(held, np.int64), np.empty(held, np.int64), np.zeros(codes + 1, np.int64)
    last, end, cell = 0, 0, 0
    for place in range(codes):
        for own in range(size):
            count = flat[cell]
            if count:
                cells[last], tally[last] = cell, count
                rows[end : end + count] = own
                last += 1
                end += count
            cell += 1
        starts[place + 1] = end
    return cells, tally, starts


@compiled
def count_sums(columns: Any, sets: Ints, sizes: Ints, cells: Ints, terms: Ints, out: Ints) -> None:
    """Into ``out`` (m,): the sum of ``terms[c]`` over the joint counts ``c`` of each of (m, size) sets of columns.

    ``cells`` (m,) is how many joint codes each set has.
    """
    count = np.empty(cells.max(), dtype=np.int32)
    code = np.empty(columns.shape[1], dtype=np.int64)
    for set_index in range(len(sets)):
        count[: cells[set_index]] = 0
        code[:] = columns[sets[set_index, 0]]
        for place in range(1, sets.shape[1]):
            size, column = sizes[sets[set_index, place]], columns[sets[set_index, place]]
            for row in range(len(code)):
                code[row] = code[row] * size + column[row]
        for row in range(len(code)):
            count[code[row]] += 1
        total = np.int64(0)
        for cell in range(cells[set_index]):
            total += terms[count[cell]]
        out[set_index] = total
