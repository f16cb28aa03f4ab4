"""``python -m riskkit``, and the program ``riskkit``: the same audits without a browser.

The commands that can stop a release have a watch over their exit code. An audit plays what others wrote: generators,
attacks, their libraries. Any of it may end the process it runs in, with any exit status, and 0 would read as "no leak".
So these commands work in a process of their own, whose last step is to leave its exit code in a file. The code in that
file is the exit code; where there is none, it is 2.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
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
WORK = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from riskkit.base import terminal; terminal.begin(); "
    "from riskkit.__main__ import work; work(*sys.argv[2:])"
)
"""What the working process runs: it finds the modules that this one finds, and no others."""


def main() -> int:
    """Run the command that this program was started with; returns the exit code."""
    terminal.begin()  # loading takes a second and more, in which nobody should wonder
    process.begin_loading()
    try:
        code = watch(sys.argv[1:])  # within the block: Ctrl-C may come while the command is loaded
    except KeyboardInterrupt:
        sys.stderr.write(process.STOPPED)
        code = 130
    finally:
        terminal.end()
        process.end()
    if code == 130:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        process.stop(signal.SIGINT)  # Python would first tidy up all that it loaded, which takes most of a second
    return code


def watch(words: Sequence[str]) -> int:
    """Run one command, in a process of its own where its exit code is a verdict; returns the exit code."""
    from riskkit.cli import main as run
    from riskkit.errors import ended

    if not words or words[0] not in WATCHED:
        process.listen()
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
        f"riskkit: The process of the {words[0]} {ended(status)} before it had a verdict. A generator, an attack or a "
        "library of theirs ended it, or memory ran out. Do not rely on what the folder of the report holds.",
        file=sys.stderr,
    )
    return 2


def _beside(words: Sequence[str]) -> tuple[int, int | None, frozenset[int]]:
    """Run the command in a process of its own: how it ended, the exit code that it left, signals passed on to it."""
    path = json.dumps([place for place in sys.path if isinstance(place, str)])
    with tempfile.TemporaryDirectory(prefix="riskkit-", ignore_cleanup_errors=True) as folder:
        code = Path(folder) / "code"
        command = [sys.executable, "-P", "-c", WORK, path, str(code), *words]
        terminal.end()  # the other process has a line of its own
        working = subprocess.Popen(command, start_new_session=True)  # so that a terminal's Ctrl-C comes once, from here
        with _passing(working) as signals:
            status = working.wait()
        left = code.read_text(encoding="ascii") if code.is_file() else ""
    return status, int(left[:-1]) if left.endswith(END) else None, frozenset(signals)


@contextmanager
def _passing(working: subprocess.Popen[bytes]) -> Iterator[set[int]]:
    """Pass signals on to the process within the block; which there were."""
    signals: set[int] = set()

    def pass_on(number: int, _: object) -> None:
        signals.add(number)
        if sys.platform != "win32":  # there a console tells every process by itself
            working.send_signal(number)

    before: dict[int, Any] = {}
    for name in PASSED_ON:
        if (number := getattr(signal, name, None)) is not None:
            before[number] = signal.signal(number, pass_on)
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def work(code: str, *words: str) -> None:
    """Run the command in this process, and leave its exit code in that file."""
    process.begin_loading()
    from riskkit.cli import main as run
    from riskkit.jobs.engines import die_with_parent  # with it comes the engine, which takes seconds

    process.listen()
    die_with_parent()
    try:
        outcome = run(words)
    except SystemExit as end:  # how argparse ends where it has said all there is to say
        outcome = end.code if isinstance(end.code, int) else 0
    finally:
        terminal.end()
    Path(code).write_text(f"{outcome}{END}", encoding="ascii")
    process.end()


if __name__ == "__main__":
    sys.exit(main())
