"""The compiled loops of statistics: permuted labels, and AUCs within groups. Imported where one is first asked for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.base.compilation import compile_loop
from riskkit.core import Bools, Codes, Floats, Ints

# AUCs within groups of many columns: :mod:`riskkit.stats.subgroups`.


@compile_loop
def _shares(own: Ints, side: Bools, last: Ints, n_in: Ints, n_out: Ints, share: Floats) -> None:
    """Write of each person (n,), by score, the share of the other side of the own group that an attack orders rightly.

    ``own`` (n,) are their groups, -1 for none; the others are those of :func:`aucs`. Equal scores count half.
    """
    groups = len(n_in)
    below_in, below_out = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    same_in, same_out = np.zeros(groups, np.int64), np.zeros(groups, np.int64)
    begin = 0
    while begin < len(own):
        end = last[begin]
        if end == begin + 1:  # nobody else has that score, as of most
            group = own[begin]
            if group >= 0 and side[begin]:
                share[begin] = below_out[group] / n_out[group]
                below_in[group] += 1
            elif group >= 0:
                share[begin] = 1 - below_in[group] / n_in[group]
                below_out[group] += 1
            begin = end
            continue
        for position in range(begin, end):
            if own[position] >= 0:
                same_in[own[position]] += side[position]
                same_out[own[position]] += not side[position]
        for position in range(begin, end):
            group = own[position]
            if group >= 0 and side[position]:
                share[position] = (below_out[group] + same_out[group] / 2) / n_out[group]
            elif group >= 0:
                share[position] = 1 - (below_in[group] + same_in[group] / 2) / n_in[group]
        for position in range(begin, end):
            group = own[position]
            if group >= 0:
                below_in[group] += same_in[group]
                below_out[group] += same_out[group]
                same_in[group] = same_out[group] = 0
        begin = end


@compile_loop
def aucs(
    codes: Ints, dealt: Ints, order: Ints, side: Bools, last: Ints, n_in: Ints, n_out: Ints
) -> tuple[Floats, Floats]:
    """The AUC within each group (groups,) and its variance by DeLong.

    ``codes`` (columns, n) are the groups of people over all columns, -1 for none; person ``i`` has those of person
    ``dealt[i]``. ``order`` (n,) are people by score, ``side`` whether each of these was in, ``last`` the place after
    the last one with the same score. ``n_in`` and ``n_out`` (groups,) count members and others.
    """
    auc, spread_in, spread_out = np.zeros(len(n_in)), np.zeros(len(n_in)), np.zeros(len(n_in))
    own, share, giver = np.empty(len(order), np.int64), np.empty(len(order)), dealt[order]
    for column in range(len(codes)):
        for position in range(len(order)):
            own[position] = codes[column, giver[position]]
        _shares(own, side, last, n_in, n_out, share)
        for position in range(len(order)):
            if own[position] >= 0 and side[position]:
                auc[own[position]] += share[position]
        for position in range(len(order)):
            group = own[position]
            if group >= 0:
                off = share[position] - auc[group] / n_in[group]
                if side[position]:
                    spread_in[group] += off * off
                else:
                    spread_out[group] += off * off
    return auc / n_in, spread_in / (n_in - 1) / n_in + spread_out / (n_out - 1) / n_out


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
