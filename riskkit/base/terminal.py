"""The last line of a terminal, in which a program says what it does and for how long.

The clock in it ticks by itself, so whoever looks sees that the program lives, also while a single unit takes long. What
else is printed to the terminal takes the place of the line, which then stands below.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import Any

TICK, SOON = 0.5, 0.1
"""Seconds between two looks at whether the line reads otherwise by now, and between two drawings at least: what comes
sooner is drawn with the next look, if it still holds."""
AWAY = "\r\033[K"
"""What takes the line away."""
STARTING = "Starting"


class TerminalLine:
    """A line that changes, at the end of that stream; its clock begins with it."""

    def __init__(self, stream: Any) -> None:
        self.stream, self.words, self.shown = stream, "", ""
        self.began, self.drawn = time.monotonic(), 0.0
        self.lock = threading.RLock()
        self.over = threading.Event()
        self.is_within = False
        self.streams: tuple[Any, Any] | None = None

    def begin(self) -> None:
        """Have its clock tick, and whatever is printed to a terminal take its place."""
        self.streams = sys.stdout, sys.stderr
        sys.stdout, sys.stderr = (Beside(stream, self) if is_terminal(stream) else stream for stream in self.streams)
        threading.Thread(target=self._tick, daemon=True).start()

    def show(self, words: str) -> None:
        """Say that from now on."""
        with self.lock:
            self.words = words
            if time.monotonic() >= self.drawn + SOON:
                self._draw()

    def away(self, written: str) -> None:
        """Take it away for that text; it comes again when the text has come to the end of a line."""
        with self.lock:
            if self.shown:
                self.shown = ""
                self._write(AWAY)
            self.is_within = not written.endswith("\n")

    def end(self) -> None:
        """Take it away for good."""
        with self.lock:
            if self.over.is_set():
                return
            self.over.set()
            self.away("\n")
            if self.streams is not None:
                sys.stdout, sys.stderr = self.streams

    def _tick(self) -> None:
        while not self.over.wait(TICK):
            with self.lock:
                self._draw()

    def _draw(self) -> None:
        if not self.words or self.is_within or self.over.is_set():
            return
        text = within(_columns(self.stream), self.words, time.monotonic() - self.began)
        if text != self.shown:
            self.shown, self.drawn = text, time.monotonic()
            self._write(AWAY + text)

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal was closed
            self.stream.write(text)
            self.stream.flush()


class Beside:
    """A stream on whose terminal a line stands: what is written to it takes the place of the line."""

    def __init__(self, stream: Any, line: TerminalLine) -> None:
        self._stream, self._line = stream, line

    def write(self, text: str) -> int:
        """Write that text."""
        with self._line.lock:
            if text:
                self._line.away(text)
            written: int = self._stream.write(text)
            self._stream.flush()
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def within(columns: int, words: str, seconds: float) -> str:
    """The words and the time they have been true, in one line of so many columns: the end of the words may be cut."""
    clock = f" · {int(seconds) // 60}:{int(seconds) % 60:02}"
    room = max(columns - len(clock) - 1, 0)
    return (words if len(words) <= room else f"{words[: max(room - 1, 0)]}…") + clock


def _columns(stream: Any) -> int:
    with suppress(OSError, ValueError, AttributeError):
        return os.get_terminal_size(stream.fileno()).columns or 80
    return 80


def is_terminal(stream: Any) -> bool:
    """Whether people read that stream as it is written."""
    try:
        return bool(stream is not None and stream.isatty())
    except ValueError:  # it is closed
        return False


_LINES: list[TerminalLine] = []
"""The line of this program, where it has one."""


def begin() -> None:
    """Show the line from now on, where standard error is a terminal."""
    if is_terminal(sys.stderr) and not _LINES:
        _LINES.append(TerminalLine(sys.stderr))
        _LINES[0].show(STARTING)
        _LINES[0].begin()


def line() -> TerminalLine | None:
    """The line of this program, where it has one."""
    return _LINES[0] if _LINES else None


def end() -> None:
    """Take it away for good."""
    while _LINES:
        _LINES.pop().end()
