"""Compiled loops of :mod:`riskkit.games.singling`. Imported only when people are first grouped."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Bools, Ints

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
