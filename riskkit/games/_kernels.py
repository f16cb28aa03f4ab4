"""The compiled loops of games. Imported only where one is first asked for, since they are compiled then."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compilation import compile_loop
from riskkit.core import Bools, Codes, Floats, Ints

# Groups of people: :mod:`riskkit.games.singling_out`.

_MIX = np.uint64(0x9E3779B97F4A7C15)


@compile_loop
def join_codes(numbers: Ints, codes: Ints, size: int, out: Ints, slots: Any, keys: Any) -> int:
    """Into ``out`` (n,): a number for each pair of a row's number and code, from 0 on, equal for equal pairs.

    ``slots`` (2^k,) and ``keys`` (2^k,) are room for a table of pairs, more than twice as many as there are rows;
    ``size`` is one more than the highest code. Returns how many different pairs there are.
    """
    slots[:] = -1
    last = slots.shape[0] - 1
    shift = np.uint64(64 - int(np.round(np.log2(slots.shape[0]))))
    count = 0
    for row in range(numbers.shape[0]):
        key = numbers[row] * size + codes[row]
        slot = np.int64((np.uint64(key) * _MIX) >> shift)
        while slots[slot] >= 0 and keys[slot] != key:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = count
            keys[slot] = key
            count += 1
        out[row] = slots[slot]
    return count


@compile_loop
def alone_and_released(numbers: Ints, people: int, groups: int, out: Bools) -> None:
    """Into ``out`` (people,): whether a person is alone with his number among all people, and the release has it.

    ``numbers`` (n,) are those of the people and, after them, of the released rows.
    """
    persons = np.zeros(groups, dtype=np.int32)
    released = np.zeros(groups, dtype=np.bool_)
    for row in range(people):
        persons[numbers[row]] += 1
    for row in range(people, numbers.shape[0]):
        released[numbers[row]] = True
    for row in range(people):
        out[row] = persons[numbers[row]] == 1 and released[numbers[row]]


# Copies under a renumbering: :mod:`riskkit.games.recodes`.


@compile_loop
def most_like(
    known: Any,
    released: Any,
    rarity: Any,
    anyway: Any,
    ranks: Any,
    means: Any,
    near: Any,
    yes: Any,
    no: Any,
    best: Any,
    score: Any,
) -> None:
    """Into ``best`` and ``score`` (m,): the known row most like each released one, the first of several, and how much.

    Categories ``known`` (c, n) and ``released`` (m, c) agree where they are equal, which adds ``rarity`` (m, c) to what
    a known row has ``anyway`` (n,). Numbers ``ranks`` (d, n) and ``means`` (m, d) agree where they lie within ``near``,
    which adds ``yes`` (m, d), else ``no`` (m, d).
    """
    likeness = np.empty(anyway.shape[0], dtype=np.float32)
    for row in range(best.shape[0]):
        likeness[:] = anyway
        for column in range(known.shape[0]):
            wanted, weight, values = released[row, column], rarity[row, column], known[column]
            for other in range(values.shape[0]):
                likeness[other] += weight * np.float32(values[other] == wanted)
        for column in range(ranks.shape[0]):
            mean, agrees, differs, values = means[row, column], yes[row, column], no[row, column], ranks[column]
            for other in range(values.shape[0]):
                likeness[other] += agrees if abs(mean - values[other]) <= near else differs
        first = 0
        for other in range(1, likeness.shape[0]):
            if likeness[other] > likeness[first]:
                first = other
        best[row], score[row] = first, likeness[first]


# Halves of people: :mod:`riskkit.games.linkage`.


@compile_loop
def apart(codes: Codes, numbers: Any, released_codes: Codes, released_numbers: Any, out: Any) -> None:
    """Into ``out`` (people, rows) float32: the columns in which a person and a released row differ.

    A code counts 1 where it differs. A number counts how far it differs, at most 1; one that is missing 1, and nothing
    beside another that is. Released values are (columns, rows), so that the innermost loop runs along memory.
    """
    most = np.float32(1.0)
    for person in range(out.shape[0]):
        total = out[person]
        total[:] = 0.0
        for column in range(codes.shape[1]):
            code, released = codes[person, column], released_codes[column]
            for row in range(total.shape[0]):
                total[row] += np.float32(released[row] != code)
        for column in range(numbers.shape[1]):
            number, values = numbers[person, column], released_numbers[column]
            if np.isnan(number):
                for row in range(total.shape[0]):
                    total[row] += np.float32(not np.isnan(values[row]))
            else:
                for row in range(total.shape[0]):
                    gap = abs(values[row] - number)
                    total[row] += min(most, gap)


@compile_loop
def city_blocks(rows: Floats, lines: Floats, out: Floats) -> None:
    """Into ``out`` (n, m): the sum of absolute differences of each row (n, p) and each of those that ``lines`` (p, m)
    hold column by column, so that one instruction serves several of them."""
    out[:] = 0.0
    width = rows.shape[1]
    for row in range(rows.shape[0]):
        own = rows[row]
        for column in range(0, width - 3, 4):  # four one after the other: memory is gone through a quarter as often
            a, b, c, d = own[column], own[column + 1], own[column + 2], own[column + 3]
            e, f, g, h = lines[column], lines[column + 1], lines[column + 2], lines[column + 3]
            for place in range(out.shape[1]):
                nearer = (out[row, place] + abs(a - e[place])) + abs(b - f[place])
                out[row, place] = (nearer + abs(c - g[place])) + abs(d - h[place])
        for column in range(width - width % 4, width):
            a, e = own[column], lines[column]
            for place in range(out.shape[1]):
                out[row, place] += abs(a - e[place])
