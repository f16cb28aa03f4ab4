"""How loops are compiled. Imported only by the files of loops, and those only when they are needed."""

from __future__ import annotations

from typing import Any

import numba
from numba.core import codegen, config

_CODE: Any = codegen


def compiled(function: Any) -> Any:
    """The function as machine code that runs beside other threads, kept on disk where a place for that can be found."""
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # neither the package's folder nor the user's cache can be written
        return numba.njit(nogil=True)(function)


def fused(function: Any) -> Any:
    """As :func:`compiled`, a product and the sum it goes into rounded once where the processor can: half the work.

    For sums whose last bit depends on the linear algebra of the machine anyway.
    """
    try:
        return numba.njit(nogil=True, cache=True, fastmath={"contract"})(function)
    except RuntimeError:
        return numba.njit(nogil=True, fastmath={"contract"})(function)


def _use_whole_registers() -> None:
    """Let loops use registers of 512 bits where there are any: half of them otherwise, though results are the same.

    The compiler holds back for the sake of old processors, whose clock slowed down. A steward who set features has the
    last word.
    """
    settings: Any = config
    if settings.CPU_FEATURES is None and settings.CPU_NAME is None:
        features: str = _CODE.get_host_cpu_features()
        if "+avx512f" in features:
            settings.CPU_FEATURES = f"{features},-prefer-256-bit"


_use_whole_registers()
