"""Compiled loops over orders of features: drawing them, the coalitions they pass, and what each step adds."""

from __future__ import annotations

import numpy as np

from riskkit.base.compilation import compile_loop
from riskkit.core import Bools, Floats, Ints


@compile_loop
def draw(uniform: Floats, movable: Bools, order: Ints) -> None:
    """Into ``order`` (rows, orders, width): the movable features of each row in random order, then -1."""
    for row in range(order.shape[0]):
        for walk in range(order.shape[1]):
            many = 0
            for feature in range(movable.shape[1]):
                if movable[row, feature]:
                    other = int(uniform[row, walk, many] * (many + 1))
                    if other < many:
                        order[row, walk, many] = order[row, walk, other]
                    order[row, walk, other] = feature
                    many += 1
            order[row, walk, many:] = -1


@compile_loop
def _number(active: Bools, bit: Ints) -> int:
    """Into ``bit`` (d,): the active features numbered from 0; returns how many there are."""
    many = 0
    for feature in range(active.shape[0]):
        if active[feature]:
            bit[feature] = many
            many += 1
    return many


@compile_loop
def _slot(mask: int, slots: Ints, masks: Ints) -> int:
    """Where the mask stands in the table, or the free place where it belongs."""
    # Fibonacci hashing: the high bits of the product are spread evenly.
    slot: int = ((mask * -7046029254386353131) >> 20) & (slots.shape[0] - 1)
    while slots[slot] >= 0 and masks[slot] != mask:
        slot = (slot + 1) & (slots.shape[0] - 1)
    return slot


@compile_loop
def coalitions(order: Ints, active: Bools, places: Ints, owner: Ints, member: Bools, slots: Ints, masks: Ints) -> int:
    """Into ``member`` (m, d), ``owner`` (m,): the different coalitions that the orders of each row pass; returns m.

    ``places`` (rows, orders, width + 1) is which of them stands before the first step and after each. Features that are
    not active are stepped over. ``slots`` and ``masks`` are room for a table with a power of two of entries, twice as
    many as a row has steps. With more than 63 active features only the empty and the full coalition are shared.
    """
    total = 0
    bit = np.empty(active.shape[1], dtype=np.int64)
    inside = np.empty(active.shape[1], dtype=np.bool_)
    for row in range(order.shape[0]):
        many = _number(active[row], bit)
        empty = total
        member[empty] = False
        owner[empty] = row
        total += 1
        full = empty
        if many > 0:
            full = total
            member[full] = active[row]
            owner[full] = row
            total += 1
        room = 2
        while room < 2 * order.shape[1] * many:
            room *= 2
        slots[:room] = -1
        for walk in range(order.shape[1]):
            inside[:] = False
            mask, step = 0, 0
            places[row, walk, 0] = empty
            for position in range(order.shape[2]):
                feature = order[row, walk, position]
                if feature < 0 or not active[row, feature]:
                    continue
                step += 1
                if step == many:
                    places[row, walk, step] = full
                    break
                inside[feature] = True
                number = -1
                slot = 0
                if many <= 63:
                    mask |= 1 << bit[feature]
                    slot = _slot(mask, slots[:room], masks)
                    number = slots[slot]
                if number < 0:
                    number = total
                    member[number] = inside
                    owner[number] = row
                    total += 1
                    if many <= 63:
                        slots[slot] = number
                        masks[slot] = mask
                places[row, walk, step] = number
    return total


@compile_loop
def credit(order: Ints, active: Bools, places: Ints, value: Floats, weight: float, phi: Floats) -> None:
    """Add to ``phi`` (rows, d, outputs): for each step of each order, how much the value rose, times the weight."""
    for row in range(order.shape[0]):
        for walk in range(order.shape[1]):
            step = 0
            for position in range(order.shape[2]):
                feature = order[row, walk, position]
                if feature >= 0 and active[row, feature]:
                    before, after = places[row, walk, step], places[row, walk, step + 1]
                    for output in range(phi.shape[2]):
                        phi[row, feature, output] += weight * (value[after, output] - value[before, output])
                    step += 1


@compile_loop
def mix(x: Floats, reference: Floats, owner: Ints, member: Bools, out: Floats) -> None:
    """Into ``out`` (m, d): members from the owner's row, the others from the reference."""
    for row in range(out.shape[0]):
        for feature in range(out.shape[1]):
            out[row, feature] = x[owner[row], feature] if member[row, feature] else reference[feature]
