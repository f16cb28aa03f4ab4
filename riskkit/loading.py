"""While a program of ours loads, Python does not look for garbage: what comes then stays until the end.

Each look goes through all that is there already. Together they took a tenth of a short command, and a fifth of what
the dashboard needs to start.
"""

from __future__ import annotations

import gc


def begin() -> None:
    """Look for nothing until :func:`end`. A program of ours says this first; no library does in somebody's process."""
    gc.disable()


def end() -> None:
    """Look again from now on, and never at what is there by now; nothing where nobody said that loading began."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
