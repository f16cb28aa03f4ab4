"""Compiled loops of :mod:`riskkit.games.linking`. Imported only when halves of people are first compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.base.compiled import compile_loop
from riskkit.core import Codes


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
