"""Compiled distances between people with rows in a second table. Imported only when one is first asked for."""

from __future__ import annotations

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Codes, Floats, Ints


@compile_loop
def gower(number: Floats, code: Codes, other: Floats, codes: Codes) -> float:
    """The mean over columns of differences of numbers, each at most 1, and of codes that differ."""
    total = 0.0
    for position in range(number.shape[0]):
        total += min(abs(number[position] - other[position]), 1.0)
    for position in range(code.shape[0]):
        total += code[position] != codes[position]
    return float(total / max(number.shape[0] + code.shape[0], 1))


@compile_loop
def chamfer(number: Floats, code: Codes, other: Floats, codes: Codes, most: float, nearest: Floats) -> float:
    """The mean of both means of distances to the nearest row of the other bag, or more than ``most`` where it is more.

    Both bags have rows. ``nearest`` is room for as many distances as the other bag has rows.
    """
    n, m = number.shape[0], other.shape[0]
    nearest[:m] = np.inf
    there = 0.0
    for row in range(n):
        least = np.inf
        for beside in range(m):
            away = gower(number[row], code[row], other[beside], codes[beside])
            least = min(least, away)
            nearest[beside] = min(nearest[beside], away)
        there += least
        if there / n / 2 > most:
            return np.inf
    back = 0.0
    for beside in range(m):
        back += nearest[beside]
    return float((there / n + back / m) / 2)


@compile_loop
def warping_distance(number: Floats, code: Codes, other: Floats, codes: Codes, most: float, room: Floats) -> float:
    """The distance along the best way through both bags in their order, a step in both counted twice, by the rows of
    both (Sakoe and Chiba's symmetric form); more than ``most`` where it is more. ``room`` is (2, m + 1)."""
    n, m = number.shape[0], other.shape[0]
    room[:, : m + 1] = np.inf
    room[0, 0] = 0.0
    for row in range(n):
        before, now = room[row % 2], room[(row + 1) % 2]
        now[0] = np.inf
        least = np.inf
        for beside in range(m):
            away = gower(number[row], code[row], other[beside], codes[beside])
            now[beside + 1] = min(before[beside] + 2 * away, min(before[beside + 1], now[beside]) + away)
            least = min(least, now[beside + 1])
        before[0] = np.inf
        if least / (n + m) > most:
            return np.inf
    return float(room[n % 2, m] / (n + m))


@compile_loop
def nearest(
    weight: float,
    apart: float,
    ordered: bool,
    number: Floats,
    code: Codes,
    first: Ints,
    size: Ints,
    child: Floats,
    child_code: Codes,
    other: Floats,
    codes: Codes,
    others_first: Ints,
    others_child: Floats,
    others_child_code: Codes,
    counts: Ints,
    begin: Ints,
    out: Floats,
) -> None:
    """Into ``out`` (n_people,): the distance to the nearest of the others.

    The others stand in blocks of equal numbers of children: ``counts`` (blocks,) increase, and block b is the people
    from ``begin[b]`` to ``begin[b + 1]``. Blocks are looked at from the nearest count outwards, until the counts alone
    are too far apart.
    """
    most = max(counts.max(), 1) + 1
    room, rooms = np.empty(most), np.empty((2, most + 1))
    blocks = len(counts)
    for person in range(len(out)):
        own, ends = first[person], first[person] + size[person]
        log = np.log1p(size[person])
        up = np.searchsorted(counts, size[person])
        down = up - 1
        best = np.inf
        while down >= 0 or up < blocks:
            far_up = abs(np.log1p(counts[up]) - log) if up < blocks else np.inf
            far_down = abs(np.log1p(counts[down]) - log) if down >= 0 else np.inf
            if far_up <= far_down:
                block, far = up, apart * far_up
                up += 1
            else:
                block, far = down, apart * far_down
                down -= 1
            if far >= best:
                break
            many = counts[block]
            for beside in range(begin[block], begin[block + 1]):
                away = far
                if weight > 0:
                    away += weight * gower(number[person], code[person], other[beside], codes[beside])
                    if away >= best:
                        continue
                if weight < 1:
                    if many == 0 or size[person] == 0:
                        bags = 0.0 if many == size[person] else 1.0
                    else:
                        start = others_first[beside]
                        left = (best - away) / (1 - weight)
                        rows, row_codes = child[own:ends], child_code[own:ends]
                        theirs, their_codes = (
                            others_child[start : start + many],
                            others_child_code[start : start + many],
                        )
                        if ordered:
                            bags = warping_distance(rows, row_codes, theirs, their_codes, left, rooms)
                        else:
                            bags = chamfer(rows, row_codes, theirs, their_codes, left, room)
                    away += (1 - weight) * bags
                best = min(best, away)
        out[person] = best
