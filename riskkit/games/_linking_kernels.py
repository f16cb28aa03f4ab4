"""Compiled loops of :mod:`riskkit.games.linking`. Imported only when halves of people are first compared."""

from __future__ import annotations

from typing import Any

import numpy as np

from riskkit.core import Codes
from riskkit.table.compiled import compiled


@compiled
def apart(codes: Codes, numbers: Any, released_codes: Codes, released_numbers: Any, out: Any) -> None:
    """Into ``out`` (people, rows) float32: the columns in which a person and a released row differ.

    A code counts 1 where it differs. A number counts how far it differs, at most 1; one that is missing 1, and nothing
    beside another that is.
    """
    for person in range(out.shape[0]):
        for row in range(out.shape[1]):
            total = np.float32(0.0)
            for at in range(codes.shape[1]):
                if codes[person, at] != released_codes[row, at]:
                    total += np.float32(1.0)
            for at in range(numbers.shape[1]):
                gap = abs(numbers[person, at] - released_numbers[row, at])
                if gap < np.float32(1.0):
                    total += gap
                elif gap >= np.float32(1.0) or np.isnan(numbers[person, at]) != np.isnan(released_numbers[row, at]):
                    total += np.float32(1.0)
            out[person, row] = total
