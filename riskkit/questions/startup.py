"""What a run takes before its first unit: a new process that loads the engine."""

from __future__ import annotations

import time

from riskkit.questions import questions

questions()  # loads all that a run needs
LOADING = time.process_time()
"""Seconds of work that this process needed until the engine was loaded: another one will need as many."""
LONGEST = 30.0
"""No more than that is foreseen: this process may have done other things before."""


def seconds(workers: int) -> float:
    """Seconds until the first unit is at work: the run's own process, and those of several workers side by side."""
    return min(LOADING, LONGEST) * (2 if workers > 1 else 1)
