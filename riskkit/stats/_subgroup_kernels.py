"""The compiled loops of AUCs within groups of many columns. Imported only when such groups are first looked at."""

from __future__ import annotations

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Bools, Floats, Ints


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
