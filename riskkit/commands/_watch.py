"""The watch over the exit code of a command that can stop a release.

An audit plays what others wrote: generators, attacks, their libraries. Any of it may end the process it runs in, with
any exit status, and 0 would read as "no leak". So these commands work in a process of their own, whose last step is to
leave its exit code in a file. The code in that file is the exit code; where there is none, it is 2.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from riskkit.base import process, terminal

WATCHED = ("audit", "report")
"""Commands whose exit code is a verdict."""
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach the working process through this one."""
END = "."
"""Stands behind the code in the file: of a file that was cut short nothing is read."""
WORK = "import sys; sys.path[:] = {path!r}; from riskkit.__main__ import main; main(working=True)"
"""What the working process runs: it finds the modules that this one finds, and no others."""


def watch(run: Callable[[Sequence[str]], int], words: Sequence[str]) -> int:
    """Run one command, in a process of its own where its exit code is a verdict; returns the exit code."""
    from riskkit.errors import describe_exit

    if not words or words[0] not in WATCHED:
        _listen()
        return run(words)
    try:
        status, code, signals = _beside(words)
    except OSError as error:
        print(f"riskkit: No process can be started for the {words[0]} ({error.strerror}).", file=sys.stderr)
        return 2
    if code is not None:
        return code
    if status in (-signal.SIGINT, -signal.SIGTERM):
        return 128 - status
    if status - 128 in signals:  # what it did last when it was told to end
        return status
    print(
        f"riskkit: The process of the {words[0]} {describe_exit(status)} before it had a verdict. "
        "A generator, an attack or a library of theirs ended it, or memory ran out. "
        "Do not rely on what the folder of the report holds.",
        file=sys.stderr,
    )
    return 2


def _listen() -> None:
    """Hear signals from now on; Ctrl-C, which ended the program while it loaded, is an exception again."""
    process.listen()
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _beside(words: Sequence[str]) -> tuple[int, int | None, frozenset[int]]:
    """Run the command in a process of its own: how it ended, the exit code that it left, signals passed on to it."""
    start = WORK.format(path=[place for place in sys.path if isinstance(place, str)])
    with tempfile.TemporaryDirectory(prefix="riskkit-", ignore_cleanup_errors=True) as folder:
        code = Path(folder) / "code"
        terminal.end()  # the other process has a line of its own
        started: list[subprocess.Popen[bytes]] = []
        with _passing(started, code) as signals:
            # in a session of its own, so that a terminal's Ctrl-C comes once, from here
            working = subprocess.Popen([sys.executable, "-P", "-c", start, str(code), *words], start_new_session=True)
            started.append(working)
            try:
                if signals:  # there was nobody yet to pass them on to
                    raise KeyboardInterrupt
                status = working.wait()
            except KeyboardInterrupt:
                working.kill()
                working.wait()
                raise
        left = code.read_text(encoding="ascii") if code.is_file() else ""
    return status, int(left[:-1]) if left.endswith(END) else None, frozenset(signals)


@contextmanager
def _passing(started: Sequence[subprocess.Popen[bytes]], code: Path) -> Iterator[set[int]]:
    """Pass signals on to the process, once it is started, within the block; which there were."""
    signals: set[int] = set()

    def pass_on(number: int, _: object) -> None:
        signals.add(number)
        if not started or sys.platform == "win32":  # there a console tells every process by itself
            return
        if number == signal.SIGINT and not code.exists():  # Python itself still starts there, and would print a trace
            raise KeyboardInterrupt
        started[0].send_signal(number)

    before: dict[int, Any] = {}
    for name in PASSED_ON:
        if (number := getattr(signal, name, None)) is not None:
            before[number] = signal.signal(number, pass_on)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def work(run: Callable[[Sequence[str]], int], code: str, *words: str) -> int:
    """Run the command in this process, and leave its exit code in that file."""
    from riskkit.jobs.engines import die_with_parent  # with it comes the engine, which takes seconds

    _listen()
    die_with_parent()
    try:
        outcome = run(words)
    except SystemExit as end:  # how argparse ends where it has said all there is to say
        outcome = end.code if isinstance(end.code, int) else 0
    finally:
        terminal.end()
    Path(code).write_text(f"{outcome}{END}", encoding="ascii")
    return 0
