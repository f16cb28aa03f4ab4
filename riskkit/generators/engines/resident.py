"""Processes that stay up and hold models: a steward's program, started once in each working process, or Python object.

One JSON object a line on its standard input asks, one JSON object a line on its standard output answers; tables travel
as files in a private folder. A line that is no such answer is passed over, for packages print what they like.
"""

from __future__ import annotations

import atexit
import json
import math
import os
import queue
import subprocess
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from riskkit.core import Schema, Table
from riskkit.errors import ProgramFailed, describe_exit
from riskkit.generators.engines.fence import FenceLimits, end
from riskkit.generators.engines.programs import UNTOLD, Hear, drain, private_folder, reason_of, start_in
from riskkit.phrases import Phrase, phrase
from riskkit.table.write import to_csv

LOOK = 1.0
"""Seconds between two looks at whether a program that does not answer is still there."""
LONGEST = 1 << 16
"""Letters of a line that are read; an answer has fewer than a hundred."""


def schema_bytes(schema: Schema) -> bytes:
    """The schema as programs get it: JSON with the name, kind and domain of every column, in the order of the file.

    The domain is that of all loaded tables, the same for every world: it says nothing of who is in.
    """
    columns = [
        {
            "name": column.name,
            "kind": ("date" if column.date_format else "number") if column.is_numeric else "category",
            "missing": column.has_missing,
            **(
                {"low": column.low, "high": column.high, "decimals": column.decimals, "format": column.date_format}
                if column.is_numeric
                else {"levels": [level for level in column.levels if level]}
            ),
        }
        for column in schema.modelled
    ]
    return json.dumps({"columns": columns}, ensure_ascii=False).encode()


@dataclass(eq=False)
class ResidentModel:
    """A model in a program that stays up. Where the program is gone, it is fitted again; the model does not travel."""

    words: tuple[str, ...]
    csv: bytes = field(repr=False)
    schema: bytes = field(repr=False)
    seed: int
    timeout: float
    limits: FenceLimits
    hear: Hear | None = field(default=None, repr=False)
    number: int = -1
    program: Program | None = field(default=None, repr=False)

    @classmethod
    def fit(
        cls,
        words: Sequence[str],
        table: Table,
        seed: int,
        timeout: float,
        limits: FenceLimits,
        hear: Hear | None = None,
    ) -> ResidentModel:
        """A model of that program, fitted to the table.

        Raises
        ------
        ProgramFailed
            The program cannot be started, fails, or takes too long.
        """
        model = cls(tuple(words), to_csv(table), schema_bytes(table.schema), seed, timeout, limits, hear)
        model.holder()
        return model

    def sample(self, n: int, seed: int) -> bytes:
        """``n`` rows as CSV.

        Raises
        ------
        ProgramFailed
            The program failed, or wrote no file.
        """
        program = self.holder()
        with tempfile.TemporaryDirectory(dir=program.folder, ignore_cleanup_errors=True) as name:
            out = Path(name) / "release.csv"
            program.ask("sample", {"model": self.number, "n": n, "seed": seed, "out": str(out)}, self.timeout)
            if out.is_symlink() or not out.is_file():
                raise ProgramFailed.phrase(
                    "The program {name!r} answered without writing the release. Let it write a CSV to the file "
                    "that the request names.",
                    name=program.name,
                )
            return out.read_bytes()

    def holder(self) -> Program:
        """The program that holds the model."""
        program = holder((self.words, self.limits), lambda: Program(self.words, self.limits, self.hear))
        if program is not self.program:
            self.number, self.program = next(program.numbers), program
            with tempfile.TemporaryDirectory(dir=program.folder, ignore_cleanup_errors=True) as name:
                train, schema = Path(name) / "train.csv", Path(name) / "schema.json"
                train.write_bytes(self.csv)
                schema.write_bytes(self.schema)
                how = {"model": self.number, "train": str(train), "schema": str(schema), "seed": self.seed}
                program.ask("fit", how, self.timeout)
            weakref.finalize(self, program.unused.append, self.number)
        return program

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "number": -1, "program": None, "hear": None}


class Holder:
    """A process that stays up and holds models by number: it answers one request at a time."""

    running: subprocess.Popen[bytes]

    def __init__(self) -> None:
        self.numbers = count()
        self.unused: list[int] = []
        self.status: int | None = None
        self.lock = threading.Lock()
        self.replies: queue.SimpleQueue[Any] = queue.SimpleQueue()

    @property
    def is_there(self) -> bool:
        """Whether it can be asked."""
        return self.status is None and self.running.poll() is None

    def unused_now(self) -> list[int]:
        """The numbers of models that nobody has any more; each is told once."""
        unused, self.unused[:] = list(self.unused), []
        return unused

    def reply(self, until: float = math.inf) -> Any:
        """The next reply, None where the process is gone; its children may outlive it and hold its pipes open.

        Raises
        ------
        TimeoutError
            There was none by then, in seconds of :func:`time.monotonic`.
        """
        while (left := until - time.monotonic()) > 0:
            with suppress(queue.Empty):
                return self.replies.get(timeout=min(LOOK, left))
            if not self.is_there:
                with suppress(queue.Empty):
                    return self.replies.get_nowait()
                return None
        raise TimeoutError

    def end(self) -> int:
        """End it with all that came of it; returns its exit status. Once ended, its number may be another's."""
        if self.status is None:
            with suppress(OSError):
                assert self.running.stdin is not None
                self.running.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self.running.wait(LOOK)
            self.status = end(self.running)
        return self.status


Held = TypeVar("Held", bound=Holder)
_HOLDERS: dict[tuple[Any, ...], Any] = {}
_STARTING = threading.Lock()


def holder(key: tuple[Any, ...], make: Callable[[], Held]) -> Held:
    """The process of that key that works for this one; started where there is none."""
    own = (os.getpid(), *key)
    with _STARTING:
        known: Held | None = _HOLDERS.get(own)
        if known is None or not known.is_there:
            if known is not None:
                known.end()
            known = _HOLDERS[own] = make()
        return known


@atexit.register
def end_all() -> None:
    """End all that stay up for this process; one that is asked again is started again."""
    for (pid, *_), known in _HOLDERS.items():
        if pid == os.getpid():
            known.end()


class Program(Holder):
    """A program that stays up."""

    def __init__(self, words: Sequence[str], limits: FenceLimits, hear: Hear | None) -> None:
        super().__init__()
        self.name = Path(words[0]).name
        self._asked = count()
        self._hear, self._tail = hear, bytearray()
        self._home = ExitStack()
        self.folder = self._home.enter_context(private_folder())
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        try:
            self.running = start_in(self.folder, words, limits, **pipes)
        except ProgramFailed:
            self._home.close()
            raise
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=drain, args=(self.running.stderr, self._tail, hear), daemon=True).start()

    def _listen(self) -> None:
        assert self.running.stdout is not None
        with self.running.stdout as pipe, suppress(OSError, ValueError):
            while line := pipe.readline(LONGEST):
                with suppress(ValueError):
                    answer = json.loads(line)
                    if isinstance(answer, dict) and "id" in answer:
                        self.replies.put(answer)
        self.replies.put(None)

    def ask(self, do: str, how: Mapping[str, Any], timeout: float) -> None:
        """Ask for something, and wait until it is done.

        Raises
        ------
        ProgramFailed
            The program failed, is gone, or took longer than ``timeout`` seconds: then it is ended.
        """
        with self.lock:
            for model in self.unused_now():
                self._ask("forget", {"model": model}, timeout)
            answer = self._ask(do, how, timeout)
        if "error" in answer:
            kind = reason_of(f"{answer['error']}\n".encode())
            raise ProgramFailed.phrase(
                "The program {name!r} could not do what {do} asks for.{reason} {untold}",
                name=self.name,
                do=do,
                reason=kind,
                untold=self._untold,
            )

    @property
    def _untold(self) -> Phrase:
        return UNTOLD if self._hear is None else phrase("What it printed stands above.")

    def _ask(self, do: str, how: Mapping[str, Any], timeout: float) -> dict[str, Any]:
        number = next(self._asked)
        try:
            with suppress(OSError, ValueError):  # it is gone: that is the answer
                assert self.running.stdin is not None
                self.running.stdin.write(json.dumps({"id": number, "do": do, **how}).encode() + b"\n")
                self.running.stdin.flush()
            answer = self._answer(number, time.monotonic() + timeout)
        except BaseException:
            self.end()  # nobody waits for this answer any more
            raise
        if answer is None:
            status = self.end()
            raise ProgramFailed.phrase(
                "The program {name!r} {ended} when {do} was asked for.{reason} It must stay up and answer every "
                "line. {untold}",
                name=self.name,
                ended=describe_exit(status),
                do=do,
                reason=reason_of(bytes(self._tail)),
                untold=self._untold,
            )
        return answer

    def _answer(self, number: int, until: float) -> dict[str, Any] | None:
        """The answer to that request; None where the program is gone."""
        answer: dict[str, Any] | None
        try:
            while (answer := self.reply(until)) is not None and answer["id"] != number:
                pass
        except TimeoutError:
            raise ProgramFailed.phrase(
                "The program {name!r} was stopped because it did not answer within its time limit. Give it "
                "more time, or ask for fewer rows.",
                name=self.name,
            ) from None
        return answer

    def end(self) -> int:
        """End it with all that came of it, and remove its folder; returns its exit status."""
        status = super().end()
        self._home.close()
        return status
