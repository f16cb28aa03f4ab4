"""Playing what waits: runs in the order they were started, each in a process of its own."""

from __future__ import annotations

import subprocess
import threading
from collections import Counter
from collections.abc import Callable

from riskkit.errors import RiskkitError
from riskkit.jobs.leases import last_beats, waiting
from riskkit.jobs.runs import STALE_AFTER, Run
from riskkit.jobs.store import Store

PAUSE = 1.0
"""Seconds between two looks at an empty queue."""
AGAIN = 3
"""How often the same run is taken up within one process; one that kills its worker each time is left alone."""


def serve(
    store: Store, *, once: bool = False, over: threading.Event | None = None, tell: Callable[[str], None] = print
) -> tuple[int, int]:
    """Play runs until nobody waits (``once``) or ``over`` is set; returns how many have finished, and how many failed.

    A run whose worker died is taken up where it was, if its data and the versions that began it are still the same.
    With ``once`` a run whose worker was heard of lately, and is not heard of again, is waited for: it may have died a
    moment ago, which is known after :data:`STALE_AFTER` seconds.
    """
    ended = over or threading.Event()
    tried: dict[str, int] = {}
    ends: Counter[str] = Counter()
    first = last_beats(store.home)
    doubtful = set(first) if once else set()
    while not ended.is_set():
        path = waiting(store.home, STALE_AFTER, interrupted=True, besides={p for p, n in tried.items() if n >= AGAIN})
        if path is None:
            silent = {quiet for quiet, beat in last_beats(store.home).items() if first.get(quiet) == beat}
            if once and not silent:
                break
            for quiet in silent & doubtful:
                doubtful.remove(quiet)
                tell(f"{quiet.name[:8]} may have lost its worker; that is known within {STALE_AFTER:.0f} seconds.")
            ended.wait(PAUSE)
            continue
        run = Run(path)
        tried[str(path)] = tried.get(str(path), 0) + 1
        try:
            process = run.launch(alone=True)
        except (OSError, RiskkitError) as error:
            tell(f"{run.id[:8]} could not be begun: {error}")
            continue
        _wait(process, ended)
        if run.state == "queued":  # too many are being played: it was not begun
            tried[str(path)] -= 1
            ended.wait(PAUSE)
            continue
        state = run.state
        ends[state] += 1
        tell(f"{run.id[:8]} of audit {path.parents[1].name[:8]}: {state}")
        ended.wait(0 if state in ("finished", "failed") else PAUSE)
    return ends["finished"], ends["failed"]


def _wait(process: subprocess.Popen[bytes], over: threading.Event) -> None:
    """Until the process ends; told to end itself where this one is told so."""
    while True:
        try:
            process.wait(timeout=0.5)
        except subprocess.TimeoutExpired:
            if over.is_set():
                process.terminate()
        else:
            return
