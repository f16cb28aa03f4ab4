"""Helper processes stand apart from the terminal: its Ctrl-C reaches the one process that asked for them.

A terminal sends Ctrl-C to every process of the command in front. A helper that still loads its libraries has no answer
to it but a traceback, and the first moments of a Python process belong to none of its modules: nothing that a helper
does by itself comes early enough. So a helper is started in a session of its own, where no terminal reaches it, and the
process that asked ends it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache

from riskkit.base import process

REMOVED = "ignore:resource_tracker"
"""How its warnings begin, as an option of Python's."""
_STARTED: list[int] = []
"""The helpers that were started, by their process ids."""


@cache
def start_apart() -> None:
    """Have joblib start its helpers in sessions of their own from now on; once is enough for a process."""
    if sys.platform != "win32":  # there helpers are started in another way, and a console tells every process
        from joblib.externals.loky.backend import fork_exec

        _tidy_up_in_silence()
        fork_exec.fork_exec = _started
        process.at_end(kill_all)


def _tidy_up_in_silence() -> None:
    """Start the process that removes what helpers share, once all others are gone, and have it say nothing of it.

    joblib starts it anyway. Where a program is ended at once there is always something to remove, and it would write
    names of files onto the screen behind the last word of the command.
    """
    from joblib.externals.loky.backend import resource_tracker

    sys.warnoptions.append(REMOVED)
    try:
        resource_tracker.ensure_running()
    finally:
        sys.warnoptions.remove(REMOVED)


def _started(command: Sequence[str], kept: Iterable[int], env: Mapping[str, str] | None = None) -> int:
    """Start that program in a session of its own, with these descriptors open; its process id.

    It reads nothing: without a terminal an answer could never come.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        pass_fds=tuple(kept),
        env={**os.environ, **(env or {})},
        restore_signals=False,
        start_new_session=True,
    )
    process.returncode = 0  # joblib waits for it by its id: this object is not to wait, nor to warn that it did not
    _STARTED.append(process.pid)
    return process.pid


def kill_all() -> None:
    """Kill every helper at once, those too that still start, and all that they started in their sessions."""
    for pid in _STARTED:
        with suppress(OSError):  # it has ended, and its number may be another's by now
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            os.killpg(pid, signal.SIGKILL)


@contextmanager
def held() -> Iterator[None]:
    """Ctrl-C that comes within the block is heard when it is left: what is done there is done wholly or not at all."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield  # it is heard elsewhere, or by nobody
        return
    came: list[int] = []
    signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if came:
            signal.raise_signal(signal.SIGINT)
