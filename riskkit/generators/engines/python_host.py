"""The process that a steward's Python object lives in: loads the object, fits it, samples from it.

It is a script that :mod:`riskkit.generators.engines.python_object` starts, and imports nothing of riskkit. An object
may exit, kill its process, print cells of the table or change global states: all of that ends here, and the audit reads
a reply or finds the process gone. A reply is JSON and bytes, never an object, so nothing of the steward's is unpickled
elsewhere.
"""

from __future__ import annotations

import copy
import importlib.abc
import importlib.machinery
import io
import json
import os
import pkgutil
import queue
import random
import signal
import struct
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from types import ModuleType
from typing import IO, TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

Message = tuple[dict[str, Any], bytes]
_SIZES = struct.Struct(">IQ")


def write(pipe: IO[bytes], header: Mapping[str, Any], body: bytes = b"") -> None:
    """Send one message: JSON, and bytes."""
    text = json.dumps(header).encode()
    pipe.write(_SIZES.pack(len(text), len(body)))
    pipe.write(text)
    pipe.write(body)
    pipe.flush()


def read(pipe: IO[bytes]) -> Message | None:
    """The next message; None where the other end is gone."""
    sizes = pipe.read(_SIZES.size)
    if len(sizes) < _SIZES.size:
        return None
    text, body = _SIZES.unpack(sizes)
    header, rest = pipe.read(text), pipe.read(body)
    return (json.loads(header), rest) if (len(header), len(rest)) == (text, body) else None


class UnusableError(Exception):
    """The object is not what is needed; the text is a code that the audit has a sentence for."""


class Object:
    """The steward's object, and what was fitted of it."""

    def __init__(self, *, is_heard: bool) -> None:
        self.is_heard = is_heard
        self.step = "loading"
        self.loaded: Any = None
        self.models: dict[int, Any] = {}
        self.chance = Chance()

    def answer(self, request: Mapping[str, Any], body: bytes) -> Message:
        """The reply to a request. The kind of an error is told, its text is not: it may hold a cell."""
        try:
            for number in request["forget"]:
                self.models.pop(number, None)
            return {}, getattr(self, request["do"])(body, **request["how"])
        except UnusableError as error:
            return {"unusable": str(error)}, b""
        except BaseException as error:  # noqa: BLE001  it must not end more than this request
            if self.is_heard:
                traceback.print_exc()
            return {"step": self.step, "kind": type(error).__name__}, b""

    def load(self, _: bytes, where: str) -> bytes:
        """Import the object."""
        self.step = "loading"
        resolved = pkgutil.resolve_name(where)
        if not callable(resolved) and not _is_model(resolved):
            raise UnusableError("no model")
        self.loaded = resolved
        return b""

    def fit(self, csv: bytes, number: int, seed: int, kinds: Mapping[str, str]) -> bytes:
        """Fit a model that nothing was fitted to yet, and keep it under that number."""
        self.chance.seed(seed)
        model = self._make()
        self._seed(model, seed, ("set_random_state",))
        table = frame(csv, kinds)
        self.step = "fit"
        model.fit(table)
        self.models[number] = model
        return b""

    def _make(self) -> Any:
        """Of a class or function what it makes, else a copy of the object."""
        if isinstance(self.loaded, type) or not _is_model(self.loaded):
            self.step = "making"
            model = self.loaded()
        else:
            self.step = "copying"
            model = copy.deepcopy(self.loaded)
        if not _is_model(model):
            raise UnusableError("makes no model")
        return model

    def sample(self, _: bytes, number: int, seed: int, n: int) -> bytes:
        """``n`` rows of the model of that number as CSV."""
        self.chance.seed(seed)
        model = self.models[number]
        self._seed(model, seed, ("set_random_state", "_set_random_state"))
        self.step = "sample"
        rows = model.sample(n)
        import pandas as pd

        if not isinstance(rows, pd.DataFrame):
            raise UnusableError("no frame")
        self.step = "writing the rows of sample"
        return rows.to_csv(index=False, lineterminator="\n").encode(errors="replace")

    def _seed(self, model: Any, seed: int, names: Sequence[str]) -> None:
        """Hand the seed to a model that keeps a random state of its own.

        ctgan and its kin have ``set_random_state``. SDV's synthesizers start every release from one fixed seed unless
        ``_set_random_state`` is called, so that all their trainings would share their noise; they take it when fitted.
        """
        for name in names:
            self.step = name
            setter = getattr(model, name, None)
            if callable(setter):
                setter(seed)
                return


def _is_model(resolved: Any) -> bool:
    return all(callable(getattr(resolved, method, None)) for method in ("fit", "sample"))


def frame(csv: bytes, kinds: Mapping[str, str]) -> pd.DataFrame:
    """The table as pandas reads its file: numbers as numbers, everything else as text, missing values as NaN."""
    import pandas as pd

    types: dict[str, Any] = {"int64": np.int64, "float64": np.float64, "str": str}
    # from 3.1 on pandas reads every digit by itself, and has no other way
    is_exact = tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
    exact: dict[str, Any] = {} if is_exact else {"float_precision": "round_trip"}
    read: pd.DataFrame = pd.read_csv(
        io.BytesIO(csv),
        dtype={name: types[kind] for name, kind in kinds.items()},
        keep_default_na=False,
        na_values=[""],
        skip_blank_lines=False,
        **exact,
    )
    return read


class Chance(importlib.abc.MetaPathFinder):
    """Seeds the global states that models draw from: Python's, numpy's, and torch's as soon as it is loaded."""

    def __init__(self) -> None:
        self.last = 0
        if "torch" not in sys.modules:
            sys.meta_path.insert(0, self)

    def seed(self, seed: int) -> None:
        """Seed them all."""
        self.last = seed
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002  the state that others' code draws from
        if torch := sys.modules.get("torch"):
            torch.manual_seed(seed)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Of torch, which a model may import in the middle of a call, a module that is seeded when it is there."""
        if fullname != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_seed(module: ModuleType) -> None:
                load(module)
                module.manual_seed(self.last)

            spec.loader.exec_module = load_and_seed  # type: ignore[method-assign]
        return spec


def _listen(requests: IO[bytes], waiting: queue.SimpleQueue[Message]) -> None:
    """Hand on every request; end this process, and those it started, when the audit is gone."""
    while (message := read(requests)) is not None:
        waiting.put(message)
    if sys.platform != "win32" and os.getpgrp() == os.getpid():
        with suppress(OSError):
            os.killpg(0, signal.SIGKILL)
    os._exit(0)


def main() -> None:
    """Answer requests until there is nobody who asks."""
    import pandas as pd  # noqa: F401  the one that riskkit has, before the path is the steward's

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the audit hears it, and ends this process
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    heard = os.dup(2)
    for pipe in (0, 1, 2):  # what the object reads and prints, its compiled parts included, is no message
        os.dup2(nowhere, pipe)
    first = read(requests)
    if first is None:
        return
    if first[0]["is_heard"]:
        for pipe in (1, 2):
            os.dup2(heard, pipe)
    os.close(heard)
    sys.path[:] = first[0]["path"]
    waiting: queue.SimpleQueue[Message] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, waiting), daemon=True).start()
    steward = Object(is_heard=first[0]["is_heard"])
    while True:
        write(replies, *steward.answer(*waiting.get()))


if __name__ == "__main__":
    main()
