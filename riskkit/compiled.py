"""How loops are compiled. Imported only by the files of loops, and those only when they are needed."""

from __future__ import annotations

from typing import Any

import numba


def compiled(function: Any) -> Any:
    """The function as machine code that runs beside other threads, kept on disk where a place for that can be found."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)
