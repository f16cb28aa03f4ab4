"""How often a part of a page draws itself anew: the more people look, the less often, so that pages keep answering.

One process serves everybody. Twenty tabs that each look at a run every second would leave no time for the clicks.
"""

from __future__ import annotations

import time
from threading import Lock

from streamlit.runtime.scriptrunner import get_script_run_ctx

FEW = 4
"""People at the same time up to whom nothing is drawn less often."""
AWAY_AFTER = 60.0
"""Seconds without a page drawn after which a tab counts as left."""


class Audience:
    """Who had a page drawn a moment ago."""

    def __init__(self) -> None:
        self._seen: dict[str, float] = {}
        self._guard = Lock()

    def seen(self, session: str, now: float) -> int:
        """Note that this session has a page drawn; how many have had one lately, this one among them."""
        with self._guard:
            self._seen[session] = now
            for name in [name for name, last in self._seen.items() if now - last > AWAY_AFTER]:
                del self._seen[name]
            return len(self._seen)


_AUDIENCE = Audience()


def every(seconds: float) -> float:
    """Seconds between two redraws of a part that one person alone would see redrawn every so many ``seconds``."""
    context = get_script_run_ctx()
    people = _AUDIENCE.seen("" if context is None else context.session_id, time.monotonic())
    return seconds * max(people / FEW, 1.0)
