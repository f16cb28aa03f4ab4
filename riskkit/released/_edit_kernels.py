"""Compiled edit distances of many texts. Imported only when one is first asked for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from riskkit.base.compiled import compile_loop
from riskkit.core import Floats, Ints

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
def nearest(
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
