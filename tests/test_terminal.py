"""The last line of a terminal: what stands in it, how it gives way to what is printed, and that nothing of it stays."""

import io
import os
import pty
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from riskkit.base import terminal
from riskkit.base.terminal import AWAY, Beside, TerminalLine, within
from tests.conftest import ROOT
from tests.test_cli_report import rows


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is drawn, however soon it comes."""
    monkeypatch.setattr(terminal, "SOON", 0.0)


@pytest.mark.parametrize(
    ("columns", "words", "seconds", "text"),
    [
        (80, "Reading real.csv", 0.0, "Reading real.csv · 0:00"),
        (80, "Reading real.csv", 754.9, "Reading real.csv · 12:34"),
        (24, "Reading real.csv", 1.0, "Reading real.csv · 0:01"),
        (20, "Reading real.csv", 1.0, "Reading rea… · 0:01"),
        (3, "Reading real.csv", 1.0, "… · 0:01"),
    ],
)
def test_words_are_cut_where_the_line_is_short_and_the_clock_never(
    columns: int, words: str, seconds: float, text: str
) -> None:
    assert within(columns, words, seconds) == text


def test_what_is_printed_takes_its_place_until_its_own_line_has_ended() -> None:
    stream = io.StringIO()
    line = TerminalLine(stream)
    other = Beside(stream, line)
    line.show("one")
    print("half", end="", file=other)
    line.show("two")
    print(" a sentence.", file=other)
    line.show("three")
    line.end()
    line.show("four")
    assert stream.getvalue() == f"{AWAY}one · 0:00{AWAY}half a sentence.\n{AWAY}three · 0:00{AWAY}"


def test_a_line_that_reads_the_same_is_not_drawn_again() -> None:
    stream = io.StringIO()
    line = TerminalLine(stream)
    line.show("one")
    line.show("one")
    assert stream.getvalue().count("one") == 1


def test_what_comes_too_soon_is_drawn_with_the_next_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "SOON", 3600.0)
    stream = io.StringIO()
    line = TerminalLine(stream)
    line.drawn = time.monotonic()
    for word in ("one", "two", "three"):
        line.show(word)
    assert stream.getvalue() == ""
    line._draw()
    assert stream.getvalue() == f"{AWAY}three · 0:00"


def test_a_terminal_that_was_closed_harms_nothing() -> None:
    stream = io.StringIO()
    line = TerminalLine(stream)
    stream.close()
    line.show("one")
    line.end()
    assert not terminal.is_terminal(stream)


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_while_a_program_loads_its_line_says_that_it_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", screen := Screen())
    terminal.begin()
    line = terminal.line()
    assert line is not None
    line.show("Reading real.csv")
    monkeypatch.undo()
    terminal.end()
    shown = [text.partition(" · ")[0] for text in screen.getvalue().split(AWAY)]
    assert shown == ["", "Starting", "Reading real.csv", ""]


def test_no_terminal_has_no_line() -> None:
    terminal.begin()
    assert terminal.line() is None


SPY = """
import sys
from riskkit.base import terminal
terminal.SOON, show = 0.0, terminal.TerminalLine.show
terminal.TerminalLine.show = lambda line, words: show(line, f"{words} [{'numpy' in sys.modules}]")
from riskkit.__main__ import main
sys.exit(main())
"""
"""A command that says of each line whether anything large was loaded by then."""


@pytest.mark.second
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_a_command_says_that_it_starts_before_it_loads_and_what_it_does_to_the_end(tmp_path: Path) -> None:
    words = []
    for seed, name in enumerate(("real", "synthetic", "holdout")):
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,b,c,d,place", *rows(seed, 80)]) + "\n", encoding="utf-8")
        words += [f"--{name}", str(tmp_path / f"{name}.csv")]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", SPY]
    with subprocess.Popen(
        [*command, "released", *words, "--attacks", "dcr", "--no-keep"],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
    ) as process:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # so a terminal says that nobody writes to it any more
            while part := os.read(ours, 65_536):
                shown += part
    os.close(ours)
    assert process.returncode == 0, shown.decode()
    lines = [re.sub(r" · \d+:\d\d$", "", line) for line in shown.decode().split(AWAY) if line.strip()]
    assert lines[0] == "Starting [False]", "it is said before anything is loaded that takes long"
    starts = [line.partition(" [")[0] for line in lines]
    for stage in ("Reading real.csv", "Attacks on the release: ", "For whom risk is highest", "The verdict"):
        assert any(line.startswith(stage) for line in starts), (stage, starts)
    assert shown.decode().endswith(AWAY), "nothing is left of it"
