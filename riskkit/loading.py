"""How a program of ours comes to be ready: it loads, and in a first run it compiles its loops.

While it loads, Python does not look for garbage: what comes then stays until the end, and each look goes through all
that is there already. Together they took a tenth of a short command, and a fifth of what the dashboard needs to start.
"""

from __future__ import annotations

import gc

_STEPS = [0]


def begin() -> None:
    """Look for nothing until :func:`end`. A program of ours says this first; no library does in somebody's process."""
    gc.disable()


def end() -> None:
    """Look again from now on, and never at what is there by now; nothing where nobody said that loading began."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


def step() -> None:
    """The compiler of loops begins another step; it has some to do only where a loop runs for the first time."""
    _STEPS[0] += 1


def steps() -> int:
    """How many steps the compiler of loops has begun in this process."""
    return _STEPS[0]
