"""Compiled distances of texts and of people with rows in a second table. Imported only when one is first asked for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.base.compilation import compile_loop
from riskkit.core import Codes, Floats, Ints

# Edit distances of many texts: :mod:`riskkit.released.texts`.

Words = npt.NDArray[np.uint64]
WORD = 64
"""Letters that one machine word holds."""


@compile_loop
def distance(
    places: Words, length: int, among: Ints, begin: int, size: int, best: int, plus: Words, minus: Words
) -> int:
    """The edit distance of two texts, or ``best`` where it is no less than that.

    ``places`` (alphabet, words) has a bit for each place of a letter in the one text of ``length`` letters; the other
    is ``among[begin:begin + size]``. Bit-parallel in blocks of 64 letters (Myers 1999, Hyyro 2003). ``plus`` and
    ``minus`` are room for the work.
    """
    bit, top = np.uint64(1), np.uint64(WORD - 1)
    words = (length + WORD - 1) // WORD
    for word in range(words):
        plus[word], minus[word] = ~np.uint64(0), np.uint64(0)
    last = bit << np.uint64((length - 1) % WORD)
    edits = length
    for step in range(size):
        letter = among[begin + step]
        more, less = bit, np.uint64(0)
        rise, fall = bit, bit
        for word in range(words):
            same, up, down = places[letter, word], plus[word], minus[word]
            across = same | down
            same |= less
            horizontal = (((same & up) + up) ^ up) | same
            rise = down | ~(horizontal | up)
            fall = up & horizontal
            shifted_rise, shifted_fall = (rise << bit) | more, (fall << bit) | less
            plus[word], minus[word] = shifted_fall | ~(across | shifted_rise), shifted_rise & across
            more, less = rise >> top, fall >> top
        if rise & last:
            edits += 1
        if fall & last:
            edits -= 1
        if edits - (size - 1 - step) >= best:
            return best
    return edits


@compile_loop
def nearest_text(
    letters: Ints, starts: Ints, among: Ints, among_starts: Ints, alphabet: int, is_share: bool, out: Floats
) -> None:
    """The smallest edit distance of each text to any of the others, or the smallest over the longer length (``out``).

    Letters of all texts stand one after the other, each below ``alphabet``; text ``i`` is
    ``letters[starts[i]:starts[i + 1]]``; ``out`` is (n,). A share is 1 at most, and none of the others may be empty
    then. A text is left as soon as it cannot come nearer than the nearest so far.
    """
    longest = 1
    for text in range(len(starts) - 1):
        longest = max(longest, starts[text + 1] - starts[text])
    most = (longest + WORD - 1) // WORD
    places = np.zeros((alphabet, most), dtype=np.uint64)
    plus, minus = np.empty(most, dtype=np.uint64), np.empty(most, dtype=np.uint64)
    for text in range(len(starts) - 1):
        first, length = starts[text], starts[text + 1] - starts[text]
        for place in range(length):
            places[letters[first + place], place // WORD] |= np.uint64(1) << np.uint64(place % WORD)
        smallest = 1.0 if is_share else 2.0**60
        for other in range(len(among_starts) - 1):
            begin, size = among_starts[other], among_starts[other + 1] - among_starts[other]
            unit = max(length, size) if is_share else 1
            if abs(size - length) < smallest * unit:
                best = int(np.ceil(smallest * unit))
                away = size if length == 0 else distance(places, length, among, begin, size, best, plus, minus)
                smallest = min(smallest, away / unit)
        out[text] = smallest
        for place in range(length):
            places[letters[first + place], place // WORD] = 0


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
def nearest_person(
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


# Weights of agreement: :mod:`riskkit.released.agreement`.


@compile_loop
def strongest_agreement(
    numbers: Floats,
    order: Ints,
    codes: Codes,
    code_order: Ints,
    targets: Floats,
    target_codes: Codes,
    weights: Floats,
    out: Floats,
) -> None:
    """Into ``out`` (n_targets,): the largest sum over columns of the weights of one released row.

    ``numbers`` and ``codes`` (columns, n) are those of the release, each column in ascending order, with the rows that
    they stand in in ``order`` and ``code_order``. ``weights[k - 1]`` is that of a row when ``k`` rows are as near.
    """
    rows = max(numbers.shape[1], codes.shape[1])
    most = len(weights)
    total = np.zeros(rows)
    for target in range(len(out)):
        total[:] = 0.0
        for column in range(len(numbers)):
            there, own = numbers[column], targets[target, column]
            up = np.searchsorted(there, own)
            down = up - 1
            while True:
                away = min(there[up] - own if up < rows else np.inf, own - there[down] if down >= 0 else np.inf)
                first, last = down, up
                while first >= 0 and own - there[first] <= away:
                    first -= 1
                while last < rows and there[last] - own <= away:
                    last += 1
                near = last - first - 1
                if near > most or near == up - down - 1:
                    break
                for place in range(first + 1, down + 1):
                    total[order[column, place]] += weights[near - 1]
                for place in range(up, last):
                    total[order[column, place]] += weights[near - 1]
                down, up = first, last
        for column in range(len(codes)):
            first = np.searchsorted(codes[column], target_codes[target, column])
            last = np.searchsorted(codes[column], target_codes[target, column], side="right")
            if 0 < last - first <= most:
                for place in range(first, last):
                    total[code_order[column, place]] += weights[last - first - 1]
        out[target] = total.max()
