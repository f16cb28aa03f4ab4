"""A program that is told to stop in the middle of a step that hears nothing takes its last steps and ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from riskkit.base import process
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
from riskkit.base import process
signal.signal(signal.SIGINT, signal.default_int_handler)
{first}
process.listen()
process.call_last(lambda: os.write(1, b"very last\\n"))
with {block}:
    os.write(1, b"begun\\n")
    {step}
"""
STEPS = ", ".join(
    f"process.last_step(lambda: {step})" for step in (r"os.write(1, b'first\n')", "1 / 0", r"os.write(1, b'last\n')")
)


@contextmanager
def program(step: str, first: str = "", block: str = STEPS) -> Iterator[subprocess.Popen[str]]:
    """It has begun with its step."""
    text = PROGRAM.format(step=step, first=first, block=block)
    with subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "begun\n"
        try:
            yield running
        finally:
            running.kill()


@pytest.mark.parametrize(("number", "complaint"), [(signal.SIGINT, process.STOPPED), (signal.SIGTERM, "")])
def test_last_steps_are_taken_the_newest_first_and_the_program_ends(number: signal.Signals, complaint: str) -> None:
    catches = "for one in (2, 15): signal.signal(one, lambda *_: None)"  # it may come just before the step begins
    with program(DEAF, catches) as running:
        running.send_signal(number)
        assert running.communicate() == ("last\nfirst\nvery last\n", complaint)
        assert running.returncode == 128 + number


def test_a_program_that_ends_by_itself_is_left_to_it() -> None:
    with program("time.sleep(600)", "process.GRACE = 60") as running:
        running.send_signal(signal.SIGINT)
        written, complaint = running.communicate()
        assert written == ""
        assert complaint.endswith("KeyboardInterrupt\n")


def test_whoever_catches_a_signal_and_has_no_last_step_is_left_alone() -> None:
    """A worker that is told to end has its run ended first."""
    step = "time.sleep(3 * process.GRACE); os.write(1, b'went on\\n')"
    with program(step, "signal.signal(signal.SIGTERM, lambda *_: None)", "nullcontext()") as running:
        running.send_signal(signal.SIGTERM)
        assert running.communicate() == ("went on\n", "")
        assert running.returncode == 0


def test_ctrl_c_that_a_library_swallows_ends_the_program_all_the_same() -> None:
    """Python cannot raise it through a call that comes from C, prints a traceback, and goes on."""
    step = "import ctypes; ctypes.CFUNCTYPE(None)(lambda: (os.write(1, b'called\\n'), time.sleep(600)))(); " + DEAF
    with program(step, block="nullcontext()") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "called\n"
        running.send_signal(signal.SIGINT)
        assert running.communicate() == ("very last\n", process.STOPPED)


def test_a_program_in_the_background_does_not_hear_ctrl_c() -> None:
    step = "time.sleep(3 * process.GRACE); os.write(1, b'went on\\n')"
    with program(step, "signal.signal(signal.SIGINT, signal.SIG_IGN)") as running:
        running.send_signal(signal.SIGINT)
        assert running.communicate() == ("went on\n", "")


def test_nothing_is_left_of_a_block_that_was_left() -> None:
    with process.last_step(os.getpid), process.last_step(os.getppid):
        pass
    assert process._STEPS == []
