"""A program that is told to stop in the middle of a step that hears nothing takes its last steps and ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from riskkit import ending
from tests.conftest import ROOT

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signals"),
    pytest.mark.timeout(60),
]
DEAF = "hashlib.pbkdf2_hmac('sha256', b'', b'', 2**31 - 1)"
"""Takes many minutes, in none of which Python hears a signal."""
PROGRAM = """
import hashlib, os, signal, sys, time
from contextlib import nullcontext
from riskkit import ending
signal.signal(signal.SIGINT, signal.default_int_handler)
{first}
ending.listen()
ending.very_last(lambda: os.write(1, b"very last\\n"))
with {block}:
    os.write(1, b"begun\\n")
    {step}
"""
STEPS = ", ".join(
    f"ending.last(lambda: {step})" for step in (r"os.write(1, b'first\n')", "1 / 0", r"os.write(1, b'last\n')")
)


@contextmanager
def program(step: str, first: str = "", block: str = STEPS) -> Iterator[subprocess.Popen[str]]:
    """It has begun with its step."""
    text = PROGRAM.format(step=step, first=first, block=block)
    with subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize(("number", "complaint"), [(signal.SIGINT, ending.STOPPED), (signal.SIGTERM, "")])
def test_last_steps_are_taken_the_newest_first_and_the_program_ends(number: signal.Signals, complaint: str) -> None:
    catches = "for one in (2, 15): signal.signal(one, lambda *_: None)"  # it may come just before the step begins
    with program(DEAF, catches) as process:
        process.send_signal(number)
        assert process.communicate() == ("last\nfirst\nvery last\n", complaint)
        assert process.returncode == 128 + number


def test_a_program_that_ends_by_itself_is_left_to_it() -> None:
    with program("time.sleep(600)", "ending.GRACE = 60") as process:
        process.send_signal(signal.SIGINT)
        written, complaint = process.communicate()
        assert written == ""
        assert complaint.endswith("KeyboardInterrupt\n")


def test_whoever_catches_a_signal_and_has_no_last_step_is_left_alone() -> None:
    """A worker that is told to end has its run ended first."""
    step = "time.sleep(3 * ending.GRACE); os.write(1, b'went on\\n')"
    with program(step, "signal.signal(signal.SIGTERM, lambda *_: None)", "nullcontext()") as process:
        process.send_signal(signal.SIGTERM)
        assert process.communicate() == ("went on\n", "")
        assert process.returncode == 0


def test_ctrl_c_that_a_library_swallows_ends_the_program_all_the_same() -> None:
    """Python cannot raise it through a call that comes from C, prints a traceback, and goes on."""
    step = "import ctypes; ctypes.CFUNCTYPE(None)(lambda: (os.write(1, b'called\\n'), time.sleep(600)))(); " + DEAF
    with program(step, block="nullcontext()") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "called\n"
        process.send_signal(signal.SIGINT)
        assert process.communicate() == ("very last\n", ending.STOPPED)


def test_a_program_in_the_background_does_not_hear_ctrl_c() -> None:
    step = "time.sleep(3 * ending.GRACE); os.write(1, b'went on\\n')"
    with program(step, "signal.signal(signal.SIGINT, signal.SIG_IGN)") as process:
        process.send_signal(signal.SIGINT)
        assert process.communicate() == ("went on\n", "")


def test_nothing_is_left_of_a_block_that_was_left() -> None:
    with ending.last(os.getpid), ending.last(os.getppid):
        pass
    assert ending._STEPS == []
