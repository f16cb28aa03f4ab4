"""Compiled deals of labels: who is in, drawn anew, and what they sum up to. Imported when labels are first dealt."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.base.compiled import compile_loop
from riskkit.core import Bools, Codes, Floats, Ints

Halves = npt.NDArray[np.uint32]


@compile_loop
def permuted_sums(halves: Halves, order: Ints | Codes, chosen: int, values: Ints | Codes, out: Ints) -> tuple[int, int]:
    """Into ``out`` (deals, m): the sums of ``values`` (n, m) over ``chosen`` of the n records, drawn anew each time.

    Records are drawn without putting back, all subsets alike (the first steps of Fisher and Yates' shuffle): each time
    one of those of ``order`` (n,) that were not drawn yet, by as many of the random ``halves`` as that takes, and none
    favoured (Lemire 2019, Fast random integer generation in an interval).

    Returns
    -------
    deals, used
        How many deals were made and halves used; none begins with fewer than twice as many halves as it must have.
    """
    used = 0
    for deal in range(len(out)):
        if used + 2 * chosen > len(halves):
            return deal, used
        out[deal] = 0
        for number in range(chosen):
            left = np.uint64(len(order) - number)
            while True:
                product = np.uint64(halves[used]) * left
                low = product & np.uint64(0xFFFFFFFF)
                used += 1
                if low >= left or low >= np.uint64(2**32) % left:  # the first nearly always, without the remainder
                    break
            place = number + np.int64(product >> np.uint64(32))
            record = order[place]
            order[place], order[number] = order[number], record
            for column in range(out.shape[1]):
                out[deal, column] += values[record, column]
    return len(out), used


@compile_loop
def areas(order: Ints, labels: Bools, rows: Ints, out: Floats) -> None:
    """Into ``out`` (block,): the share of pairs of a row that was in and one that was not that each line ranks rightly.

    ``order`` (block, n) are the places of a line's records from the lowest score to the highest, ``labels`` (block, n)
    says which records were in, ``rows`` (n,) how many rows each has. Wins are whole numbers until they are divided.
    """
    for line in range(order.shape[0]):
        inside, outside, wins = 0, 0, 0
        for place in range(order.shape[1]):
            record = order[line, place]
            weight, is_in = rows[record], np.int64(labels[line, record])
            wins += is_in * weight * outside
            inside += is_in * weight
            outside += (1 - is_in) * weight
        out[line] = wins / (inside * outside)


@compile_loop
def lines_with_ties(values: Floats, order: Ints) -> Bools:
    """(block,) whether two neighbours in the order (block, n) of a line of values (block, n) are equal."""
    out = np.zeros(len(order), dtype=np.bool_)
    for line in range(order.shape[0]):
        for place in range(1, order.shape[1]):
            out[line] |= values[line, order[line, place]] == values[line, order[line, place - 1]]
    return out
