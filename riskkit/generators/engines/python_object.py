"""Using the steward's Python object: every one lives in a process of its own, and what it does there stays there."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riskkit.core import Table
from riskkit.errors import ProgramFailed, describe_exit
from riskkit.generators.engines import python_host
from riskkit.generators.engines.fence import FenceLimits, start
from riskkit.generators.engines.programs import CALM, TRY
from riskkit.generators.engines.python_host import Message
from riskkit.generators.engines.resident import Holder, holder
from riskkit.phrases import Phrase, phrase
from riskkit.table.write import to_csv

UNTOLD = phrase(
    "What it said is not shown, because that may be values of the table. To read it, run {command} --python "
    "PACKAGE.MODULE:NAME in a terminal: it fits your object to sample data.",
    command=TRY,
)


def _unusable(where: str) -> dict[str, Phrase]:
    """What is wrong with an object that did nothing wrong."""
    return {
        "no model": phrase(
            "The Python object {where} is neither a class, nor a function, nor has it fit and sample.", where=where
        ),
        "makes no model": phrase(
            "The Python object {where} makes something without fit and sample; give it both.", where=where
        ),
        "no frame": phrase(
            "The Python object {where} returned no DataFrame from sample; let it return one.", where=where
        ),
    }


def load(where: str, limits: FenceLimits) -> None:
    """See whether the object of that name, ``package.module:Name``, can be loaded.

    Raises
    ------
    ProgramFailed
        It cannot be imported, or is nothing that could be fitted.
    """
    _process(where, limits).ask("loading", "load", {"where": where})


@dataclass(eq=False)
class PythonModel:
    """A model of the steward's. It is fitted in the process of its object, and again where that process is gone.

    ``csv`` is the table it learns from, ``kinds`` what pandas reads each column as, ``seed`` that of the fit. These
    travel; the fitted model itself does not.
    """

    where: str
    csv: bytes = field(repr=False)
    kinds: Mapping[str, str]
    seed: int
    limits: FenceLimits
    number: int = -1
    process: Process | None = field(default=None, repr=False)

    @classmethod
    def fit(cls, where: str, table: Table, seed: int, limits: FenceLimits) -> PythonModel:
        """A model of that object, fitted to the table.

        Raises
        ------
        ProgramFailed
            The object cannot be loaded, made or fitted.
        """
        kinds = {}
        for column in table.schema.modelled:
            whole = column.decimals == 0 and not column.has_missing
            is_number = column.is_numeric and not column.date_format
            kinds[column.name] = ("int64" if whole else "float64") if is_number else "str"
        model = cls(where, to_csv(table), kinds, seed, limits)
        model._process()
        return model

    def sample(self, n: int, seed: int) -> bytes:
        """``n`` rows as CSV.

        Raises
        ------
        ProgramFailed
            The model failed, ended its process, or returned no DataFrame.
        """
        return self._process().ask("sample", "sample", {"number": self.number, "seed": seed, "n": n})

    def _process(self) -> Process:
        """The process that holds the model."""
        process = _process(self.where, self.limits)
        if process is not self.process:
            self.number, self.process = next(process.numbers), process
            process.ask("loading", "load", {"where": self.where})
            how = {"number": self.number, "seed": self.seed, "kinds": self.kinds}
            process.ask("fit", "fit", how, self.csv)
            weakref.finalize(self, process.unused.append, self.number)
        return process

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "number": -1, "process": None}


class Process(Holder):
    """The process of one object."""

    def __init__(self, where: str, limits: FenceLimits) -> None:
        super().__init__()
        self.where = where
        self.untold = phrase("What it said stands above.") if limits.is_heard else UNTOLD
        try:
            self.running = start(
                [sys.executable, "-P", str(Path(python_host.__file__))],
                limits,
                env={**CALM, **os.environ},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=None if limits.is_heard else subprocess.DEVNULL,
            )
        except OSError as error:
            why = (error.strerror or "the system refuses").lower()
            raise ProgramFailed.phrase(
                "No process can be started for the Python object {where}: {why}.", where=where, why=why
            ) from error
        threading.Thread(target=self._listen, daemon=True).start()
        with suppress(OSError):  # one that is gone already is noticed by the first request
            path = [path for path in sys.path if isinstance(path, str)]
            python_host.write(self._stdin, {"path": path, "is_heard": limits.is_heard})

    @property
    def _stdin(self) -> Any:
        return self.running.stdin

    def _listen(self) -> None:
        assert self.running.stdout is not None
        with self.running.stdout as pipe, suppress(OSError, ValueError):
            while (message := python_host.read(pipe)) is not None:
                self.replies.put(message)
        self.replies.put(None)

    def ask(self, step: str, do: str, how: Mapping[str, Any], body: bytes = b"") -> bytes:
        """The reply to a request.

        Raises
        ------
        ProgramFailed
            The object raised, or its process is gone. The kind of an error is told, its text is not.
        """
        with self.lock:
            try:
                with suppress(OSError, ValueError):  # it is gone: that is the reply
                    python_host.write(self._stdin, {"do": do, "how": how, "forget": self.unused_now()}, body)
                reply: Message | None = self.reply()
            except BaseException:
                self.end()  # nobody waits for this reply any more
                raise
            if reply is None:
                raise ProgramFailed(_gone_sentence(self.where, step, self.end(), self.untold))
        header, answer = reply
        if "unusable" in header:
            raise ProgramFailed(_unusable(self.where)[header["unusable"]])
        if "kind" in header:
            raise ProgramFailed(_stop_sentence(self.where, header["step"], header["kind"], self.untold))
        return answer


def _process(where: str, limits: FenceLimits) -> Process:
    """The process of that object; started where there is none."""
    return holder((where, limits), lambda: Process(where, limits))


def _gone_sentence(where: str, step: str, status: int, untold: Phrase) -> Phrase:
    return phrase(
        "The process of the Python object {where} {ended} in {step}. An object must return or raise an error, and "
        "never end its process; if it does neither, memory may have run out. {untold}",
        where=where,
        ended=describe_exit(status),
        step=step,
        untold=untold,
    )


def _stop_sentence(where: str, step: str, kind: str, untold: Phrase) -> Phrase:
    """How an object stopped, by the kind of its error."""
    if step == "loading":
        do = phrase("Install its package, or start riskkit in the folder that holds it.")
        if kind == "SystemExit":
            do = phrase(
                "Its module ends the program when it is imported: put what it runs under if __name__ == '__main__'."
            )
        return phrase("The Python object {where} cannot be loaded: {kind}. {do}", where=where, kind=kind, do=do)
    if step.endswith("set_random_state"):
        return phrase(
            "The Python object {where} stopped in {step} with {kind}. It is called with one whole number, so that no "
            "two trainings share their chance: let it take that, or wrap the object. {untold}",
            where=where,
            step=step,
            kind=kind,
            untold=untold,
        )
    return phrase(
        "The Python object {where} stopped in {step} with {kind}. {untold}",
        where=where,
        step=step,
        kind=kind,
        untold=untold,
    )
