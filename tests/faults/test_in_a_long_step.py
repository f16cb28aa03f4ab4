"""A command that is told to stop in the middle of a unit that hears nothing gives the run up and ends."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from riskkit.jobs.store import Store
from tests.conftest import ROOT
from tests.session.people import people
from tests.test_ending import DEAF

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no such signals"),
    pytest.mark.timeout(300),
]
PROGRAM = f"""
import hashlib, os, sys, tempfile
from riskkit.__main__ import main
from riskkit.generators.histogram import Histogram

def fit(*_):
    os.write(1, tempfile.gettempdir().encode() + b"\\n")
    {DEAF}

Histogram.fit = fit
sys.exit(main())
"""
WORDS = ("--generator", "histogram", "--target", "random", "--attack", "neighbour:own=2", "--n-syn", "50", "--quiet")


@contextmanager
def command(folder: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """The command in the middle of its first unit, and its temporary folder."""
    people(n=120).to_csv(folder / "real.csv", index=False)
    everything = ["membership", "--real", str(folder / "real.csv"), *WORDS, *words]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *everything],
        cwd=ROOT,
        env={"PATH": "", "RISKKIT_HOME": str(folder / "home"), "HOME": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_kept_run_is_given_up_and_can_go_on(tmp_path: Path, number: signal.Signals) -> None:
    with command(tmp_path) as (process, _):
        process.send_signal(number)
        _, message = process.communicate()
        assert process.returncode == 128 + number
    (audit,) = Store(tmp_path / "home").audits()
    (run,) = audit.runs()
    assert run.state == "interrupted"
    assert f"Stopped; riskkit audits resume {audit.id[:8]}/{run.id[:8]} goes on.\n" in message
    assert message.endswith("riskkit: stopped.\n") == (number == signal.SIGINT)


@pytest.mark.usefixtures("listening")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_nothing_is_left_of_a_run_that_is_not_kept(tmp_path: Path, number: signal.Signals) -> None:
    with command(tmp_path, "--no-keep") as (process, temporary):
        assert temporary.is_dir()
        process.send_signal(number)
        process.communicate()
        assert process.returncode in (-number, 128 + number)
    assert not temporary.exists()
