"""A command that is told to stop has ended within a second, whatever it is in the middle of.

Python hears Ctrl-C, and a signal to end, between two of its own instructions. A compiled loop, a sort or a model of
another library may be seconds away from the next one. So a program has a thread that hears such a signal at once. It
leaves the command a moment to end by itself. Then it takes the last steps of whatever is being done, such as giving up
a kept run or removing a temporary folder, and ends the process.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

GRACE = 0.4
"""Seconds that a command has to end by itself."""
STOPPED = "riskkit: stopped.\n"
_STEPS: list[Callable[[], object]] = []
_VERY_FIRST: list[Callable[[], object]] = []
_VERY_LAST: list[Callable[[], object]] = []
_TAKEN = threading.Lock()


def listen() -> None:
    """Hear signals to stop from now on. A program calls this; what is called by somebody's process must not."""
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        return
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    signal.set_wakeup_fd(theirs, warn_on_full_buffer=False)
    sys.unraisablehook = _without_interrupts
    threading.Thread(target=_hear, args=(ours,), daemon=True).start()


def _without_interrupts(lost: Any) -> None:
    """Print what Python could raise nowhere, but for a Ctrl-C in a call from a library: it is heard here anyway."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)


def _hear(pipe: int) -> None:
    """Wait for a signal that ends this program, then for the program, then end it."""
    while not _ends(number := os.read(pipe, 1)[0]):
        pass
    time.sleep(GRACE)
    now(number)


def _ends(number: int) -> bool:
    """Whether the program ends at that signal.

    Ctrl-C ends it unless it is told not to listen. Whoever catches a signal to end, and has no last step to take, has
    something else in mind, as a worker that first ends its run.
    """
    if number == signal.SIGINT:
        return signal.getsignal(number) is not signal.SIG_IGN
    return number == signal.SIGTERM and bool(_STEPS)


@contextmanager
def last(step: Callable[[], object]) -> Iterator[None]:
    """Within the block this step is taken before the process is ended.

    It may be taken while the block is being left, so it must do no harm beside what is done there.
    """
    _STEPS.append(step)
    try:
        yield
    finally:
        _STEPS.remove(step)


def very_first(step: Callable[[], object]) -> None:
    """From now on this step is taken before the process is ended, ahead of all others."""
    if step not in _VERY_FIRST:
        _VERY_FIRST.append(step)


def very_last(step: Callable[[], object]) -> None:
    """From now on this step is taken before the process is ended, behind all others."""
    if step not in _VERY_LAST:
        _VERY_LAST.append(step)


def by_itself() -> None:
    """The program has done its work and ends: take the steps that come behind all others."""
    for step in _VERY_LAST:
        with suppress(Exception):
            step()


def at_once(code: int) -> NoReturn:
    """End the program, which has done its work, with that exit code.

    Behind :func:`by_itself`; what asked Python to be called at its end is called. Python would then go through all that
    it has loaded, object by object, which takes a large part of a second of a processor.
    """
    with suppress(Exception):
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    os._exit(code)


def now(number: int) -> NoReturn:
    """Take the last steps, the newest first, and end this process as one that the signal ended."""
    with _TAKEN:
        for step in (*_VERY_FIRST, *reversed(_STEPS), *_VERY_LAST):
            with suppress(Exception):
                step()
        if threading.current_thread() is threading.main_thread():
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
        elif number == signal.SIGINT:
            tell(STOPPED)
        os._exit(128 + number)


def tell(text: str) -> None:
    """Write that to standard error at once; the main thread may be in the middle of a line and hold its lock."""
    with suppress(OSError):
        os.write(2, text.encode())
