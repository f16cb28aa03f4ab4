"""What every process of riskkit does to itself: it loads quickly, keeps to its user, and stops soon when told to.

*Loading.* While a program loads, Python does not look for garbage: what comes then stays until the end, and each look
goes through all that is there already. Together they took a tenth of a short command, and a fifth of what the dashboard
needs to start.

*Privacy.* Nobody else on the machine can read what a process writes, or what its memory held.

*Stopping.* Python hears Ctrl-C, and a signal to end, between two of its own instructions. A compiled loop, a sort or a
model of another library may be minutes away from the next one. So a program has a thread that hears such a signal at
once. It leaves the program a moment to end by itself. Then it takes the last steps of whatever is being done, such as
giving up a kept run or removing a temporary folder, and ends the process.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

from riskkit.base import terminal

GRACE = 0.4
"""Seconds that a program which is told to stop has to end by itself."""
STOPPED = "riskkit: stopped.\n"
OTHERS = 0o077
"""The rights of a group and of everybody else."""
FORGETTING = {
    "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0",
    "PYTHONMALLOC": "malloc",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}
"""Settings with which a new process overwrites all memory that it gives back to itself, on Linux with the usual library
of C: that is told to, keeps nothing aside from it, and is what Python and Arrow ask for memory."""
_STEPS: list[Callable[[], object]] = []
"""Taken before the process is stopped, the newest first."""
_ENDS: list[Callable[[], object]] = []
"""Taken behind those, and also when the program ends by itself."""
_STOPS = threading.Lock()


# --------------------------------------------------------------------------------------------------------------
# Loading


def begin_loading() -> None:
    """Look for no garbage until :func:`end_loading`. A program of ours says this first; a library must not."""
    gc.disable()


def end_loading() -> None:
    """Look again from now on, and never at what is there by now; nothing where nobody said that loading began."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()


# --------------------------------------------------------------------------------------------------------------
# Privacy


def forgetful() -> dict[str, str]:
    """The environment of a process that lives long and holds tables: what it lets go is overwritten, not only free."""
    return {**os.environ, **(FORGETTING if sys.platform.startswith("linux") else {})}


def quick(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment of a process that computes and ends, and whose memory the system clears then: without that."""
    return {name: value for name, value in environment.items() if FORGETTING.get(name) != value}


def close() -> None:
    """Let what this process makes be its user's alone, and leave no picture of its memory behind when it dies.

    Processes that it starts do the same.
    """
    os.umask(OTHERS)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@cache
def tighten(folder: Path) -> None:
    """Take away the rights that others have to a folder and all in it, as an earlier version or a copy left them.

    Done once a process: what is made later is made without them. Links are not followed.
    """
    for path in (folder, *folder.rglob("*")):
        try:
            mode = path.lstat().st_mode
            if mode & OTHERS and not path.is_symlink():
                path.chmod(mode & ~OTHERS & 0o7777)
        except (FileNotFoundError, PermissionError):  # removed meanwhile, or another user's
            continue


# --------------------------------------------------------------------------------------------------------------
# Stopping


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
    stop(number)


def _ends(number: int) -> bool:
    """Whether the program ends at that signal.

    Ctrl-C ends it unless it is told not to listen. Whoever catches a signal to end, and has no last step to take, has
    something else in mind, as a worker that first ends its run.
    """
    if number == signal.SIGINT:
        return signal.getsignal(number) is not signal.SIG_IGN
    return number == signal.SIGTERM and bool(_STEPS)


@contextmanager
def last_step(step: Callable[[], object]) -> Iterator[None]:
    """Within the block this step is taken before the process is stopped.

    It may be taken while the block is being left, so it must do no harm beside what is done there.
    """
    _STEPS.append(step)
    try:
        yield
    finally:
        _STEPS.remove(step)


def call_last(step: Callable[[], object]) -> None:
    """From now on this step is taken when the program ends, stopped or by itself, behind all others."""
    if step not in _ENDS:
        _ENDS.append(step)


def end() -> None:
    """The program has done its work and ends by itself: take the steps that come behind all others."""
    for step in _ENDS:
        with suppress(Exception):
            step()


def stop(number: int) -> NoReturn:
    """Take the last steps, the newest first, and end this process as one that the signal ended."""
    with _STOPS:
        for step in (terminal.end, *reversed(_STEPS), *_ENDS):
            with suppress(Exception):
                step()
        if threading.current_thread() is threading.main_thread():
            for stream in (sys.stdout, sys.stderr):
                with suppress(Exception):
                    stream.flush()
        elif number == signal.SIGINT:
            tell(STOPPED)
        os._exit(128 + number)


def say_stopped() -> None:
    """Say that the program was told to stop; the line of the terminal goes first, for it would be drawn anew behind."""
    terminal.end()
    sys.stderr.write(STOPPED)


def tell(text: str) -> None:
    """Write that to standard error at once; the main thread may be in the middle of a line and hold its lock."""
    with suppress(OSError):
        os.write(2, text.encode())
