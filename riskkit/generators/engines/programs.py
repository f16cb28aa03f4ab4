"""Running the steward's program: its command line, its folder, its time, its end."""

from __future__ import annotations

import builtins
import os
import re
import shlex
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from riskkit.errors import DesignError, ParameterError, ProgramFailed, describe_exit
from riskkit.generators.engines.fence import FenceLimits, end, start
from riskkit.phrases import phrase

NEEDED = ("train", "n", "out")
"""Placeholders that a command must hold: what it reads, how many rows it writes, and where."""
SECOND_TABLE = ("train_children", "out_children")
"""Placeholders of a program of two tables, both or neither: the second table that it reads, and that it writes."""
PLACEHOLDER = re.compile(r"\{(train|n|seed|out|schema|train_children|out_children)\}")
FILES = {"train": "train.csv", "schema": "schema.json", "train_children": "train_children.csv"}
"""What the files are called that a program reads, by placeholder."""
Hear = Callable[[bytes], object]
"""Is handed what a program prints."""
KEPT = 4096
"""Bytes of a program's last messages that are looked at."""
TRY = "riskkit generators try"
"""The command that runs it on sample data and shows what it prints."""
UNTOLD = phrase(
    "What it printed is not kept, because that may be values of the table. To read it, run {command} 'COMMAND' in a "
    "terminal: it runs your command on sample data.",
    command=TRY,
)
_PYTHON_ERROR = re.compile(rb"^(\w+)(?::|\s*$)", re.MULTILINE)
CALM = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
"""Settings of the program's surroundings that keep its numbers the same each time, where they are not set already."""


def split(command: str) -> list[str]:
    """The words of a command line, as a shell would split it.

    Raises
    ------
    ParameterError
        A quote is not closed, or there is no word.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        raise ParameterError.phrase(
            "external: command cannot be split into words; it must close every quote."
        ) from None
    if not words or "\0" in command:
        raise ParameterError.phrase(
            "external: the command line is empty or has a NUL character; it must name a program."
        )
    return words


def words_of(command: str) -> list[str]:
    """The command as a program and its arguments, split as a shell would, without one.

    Raises
    ------
    ParameterError
        A quote is not closed, or a placeholder that every program needs is missing, or one of a second table.
    """
    words = split(command)
    lacking = _lacking(words, NEEDED)
    if lacking:
        raise ParameterError.phrase(
            "external: command lacks {names}; it must name a program and hold {{train}}, {{n}} and {{out}}, and "
            "should hold {{seed}}.",
            names=" and ".join(lacking),
        )
    lacking = _lacking(words, SECOND_TABLE)
    if len(lacking) == 1:
        raise ParameterError.phrase(
            "external: command lacks {name}; a program of two tables reads {{train_children}} and writes "
            "{{out_children}}, and one of a single table holds neither.",
            name=lacking[0],
        )
    return words


def _lacking(words: Sequence[str], names: Sequence[str]) -> list[str]:
    """The placeholders of these names that stand in no word."""
    return [f"{{{name}}}" for name in names if not any(f"{{{name}}}" in word for word in words)]


def takes_second(command: str) -> bool:
    """Whether the program reads and writes two tables."""
    return bool(command) and not _lacking(split(command), SECOND_TABLE)


def fill_placeholders(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """The words with every placeholder replaced. What is put in is never split or looked at again."""
    return [PLACEHOLDER.sub(lambda match: values[match[1]], word) for word in words]


@contextmanager
def ran(
    command: str,
    handed: Mapping[str, bytes],
    leaves: Mapping[str, str],
    values: Mapping[str, str],
    timeout: float,
    limits: FenceLimits,
    hear: Hear | None = None,
) -> Iterator[dict[str, Path]]:
    """Run the program once, and hand out the paths of what it left, as long as the block lasts.

    Parameters
    ----------
    handed
        What the files hold that it reads, by placeholder.
    leaves
        The names of the files that it writes, by placeholder; each is there only if the program wrote it.
    values
        What stands for the other placeholders.

    Raises
    ------
    ProgramFailed
        The program failed.
    """
    with private_folder() as folder:
        paths = {name: folder / FILES[name] for name in handed} | {name: folder / file for name, file in leaves.items()}
        for name, content in handed.items():
            paths[name].write_bytes(content)
        every = {name: str(path) for name, path in paths.items()} | dict(values)
        run(fill_placeholders(words_of(command), every), folder, timeout, limits, hear)
        yield {name: paths[name] for name in leaves}


@contextmanager
def private_folder() -> Iterator[Path]:
    """A new folder that only this user can open; gone afterwards, whatever happened.

    Raises
    ------
    DesignError
        The folder cannot be removed; it may hold the table.
    """
    with tempfile.TemporaryDirectory(prefix="riskkit-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        yield folder
    if folder.exists():
        raise DesignError.phrase(
            "The folder {folder} cannot be removed, and it may hold real records. Remove it by hand.",
            folder=str(folder),
        )


def run(words: Sequence[str], folder: Path, timeout: float, limits: FenceLimits, hear: Hear | None = None) -> None:
    """Run the program in that folder until it ends by itself, and end every process that it leaves behind.

    It gets no input, and what it prints is not kept, because that may be cells of the table; ``hear`` is handed all of
    it, piece by piece, and is for tables that nobody has to protect.

    Raises
    ------
    ProgramFailed
        It cannot be started, takes longer than ``timeout`` seconds, or ends with another exit status than 0.
    """
    name = Path(words[0]).name
    tail = bytearray()
    is_heard = hear is not None
    process = start_in(
        folder,
        words,
        limits,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if is_heard else subprocess.DEVNULL,
        stderr=subprocess.STDOUT if is_heard else subprocess.PIPE,
    )
    pipe = process.stdout if is_heard else process.stderr
    reader = threading.Thread(target=drain, args=(pipe, tail, hear), daemon=True)
    reader.start()
    try:
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        raise ProgramFailed.phrase(
            "The program {name!r} was stopped because it took longer than {timeout:g} seconds. Give it "
            "more time, or ask for fewer rows.",
            name=name,
            timeout=timeout,
        ) from None
    finally:
        end(process)
        reader.join(1.0)
    if status:
        raise ProgramFailed.phrase(
            "The program {name!r} {ended}.{reason} It runs in an empty folder, so its files need full paths. {untold}",
            name=name,
            ended=describe_exit(status),
            reason=reason_of(bytes(tail)),
            untold=UNTOLD if hear is None else phrase("What it printed stands above."),
        )


def start_in(folder: Path, words: Sequence[str], limits: FenceLimits, **pipes: int) -> subprocess.Popen[bytes]:
    """Start the program in that folder, the only one that it may write to.

    Raises
    ------
    ProgramFailed
        It cannot be started.
    """
    own = {**CALM, **os.environ, "TMPDIR": str(folder)}
    try:
        return start(list(words), replace(limits, folder=str(folder)), cwd=folder, env=own, **pipes)
    except (OSError, ValueError) as error:
        why = (getattr(error, "strerror", None) or "it has letters that cannot be used").lower()
        raise ProgramFailed.phrase(
            "The program {name!r} cannot be started: {why}. Write its full path: it runs in a folder of its own.",
            name=Path(words[0]).name,
            why=why,
        ) from None


def drain(pipe: IO[bytes], tail: bytearray, hear: Hear | None) -> None:
    """Read all that the program has to say, and keep the end of it in ``tail``."""
    with pipe, suppress(OSError, ValueError):
        while chunk := pipe.read1(65536):  # type: ignore[attr-defined]  # a pipe of Popen is buffered
            tail[:] = (tail + chunk)[-KEPT:]
            if hear is not None:
                hear(chunk)


def reason_of(tail: bytes) -> str:
    """The kind of error that a Python program ended with: one of Python's own names, so never a value of the table."""
    for name in reversed(_PYTHON_ERROR.findall(tail)):
        kind = getattr(builtins, name.decode("ascii", "replace"), None)
        if isinstance(kind, type) and issubclass(kind, Exception):
            return phrase(" Python named its reason: {kind}.", kind=kind.__name__)
    return ""
