"""``python -m riskkit``; and for the commands that can stop a release a watch over their exit code.

An audit plays what others wrote: generators, attacks, their libraries. Any of it may end the process it runs in, with
any exit status, and 0 would read as "no leak". So these commands work in a process of their own, whose last step is to
leave its exit code in a file. The code in that file is the exit code; where there is none, it is 2.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from riskkit.audit.engines import die_with_parent
from riskkit.cli import main as run
from riskkit.errors import ended

WATCHED = ("audit", "report")
"""Commands whose exit code is a verdict."""
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP")
"""Signals that reach the working process through this one."""
WORK = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from riskkit.gate import work; work(*sys.argv[2:])"
"""What the working process runs: it finds the modules that this one finds, and no others."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command as a program; returns the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] not in WATCHED:
        return run(words)
    with tempfile.TemporaryDirectory(prefix="riskkit-", ignore_cleanup_errors=True) as folder:
        code = Path(folder) / "code"
        status = _watched([sys.executable, "-P", "-c", WORK, json.dumps(sys.path), str(code), *words])
        with suppress(OSError, ValueError):
            return int(code.read_text(encoding="ascii").removesuffix("."))
    if status in (-signal.SIGINT, -signal.SIGTERM):
        return 128 - status
    print(
        f"riskkit: The process of the {words[0]} {ended(status)} before it had a verdict. A generator, an attack or a "
        "library of theirs ended it, or memory ran out. Do not rely on what the folder of the report holds.",
        file=sys.stderr,
    )
    return 2


def _watched(command: Sequence[str]) -> int:
    """Run that, passing signals on; returns how it ended."""
    process = subprocess.Popen(command, start_new_session=True)  # so that a terminal's Ctrl-C comes once, from here
    with _passing(process):
        return process.wait()


@contextmanager
def _passing(process: subprocess.Popen[bytes]) -> Iterator[None]:
    def pass_on(number: int, _: object) -> None:
        if sys.platform != "win32":  # there a console tells every process by itself
            process.send_signal(number)

    before: dict[int, Any] = {}
    for name in PASSED_ON:
        if (number := getattr(signal, name, None)) is not None:
            before[number] = signal.signal(number, pass_on)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def work(code: str, *words: str) -> None:
    """Run the command in this process, and leave its exit code in that file."""
    die_with_parent()
    try:
        found = run(words)
    except SystemExit as end:  # how argparse ends where it has said all there is to say
        found = end.code if isinstance(end.code, int) else 0
    Path(code).write_text(f"{found}.", encoding="ascii")  # with its full stop: half a number is none
