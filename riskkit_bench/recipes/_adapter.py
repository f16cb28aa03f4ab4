"""What a recipe runs in: reads a table, fits and samples the method of a package, and writes a release that fits it.

It is a script for the environment of that package and imports nothing of riskkit. ``_adapter.py RECIPE`` stays up and
answers requests, one JSON object a line on standard input, with one JSON object a line on standard output (see
``docs/generators.md``); ``_adapter.py RECIPE TRAIN N SEED OUT SCHEMA`` does one of each and ends.

A method is handed numbers without gaps and texts: dates are days, and a number that may be missing has its gaps filled
with the median and a column of its own that says where they were. What comes back is rounded to the decimals of the
column, kept within its range, and has its gaps again.
"""

from __future__ import annotations

import datetime
import importlib.util
import json
import os
import random
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

GAP, FULL, NONE = "gap", "full", "(none)"
EPOCH = datetime.date(1970, 1, 1).toordinal()
_MARK = " has a gap"


class Table:
    """A table as a method is handed it, and the way back.

    ``columns`` says of each column of :attr:`frame` whether it is a ``number`` or a ``category``, with ``low``,
    ``high``, ``decimals`` or ``levels``.
    """

    def __init__(self, train: str, schema: str) -> None:
        self.schema = json.loads(Path(schema).read_text(encoding="utf-8"))["columns"]
        texts = pd.read_csv(train, dtype=str, keep_default_na=False, skip_blank_lines=False)
        self.columns: list[dict[str, Any]] = []
        frame = {}
        for column in self.schema:
            name, values = column["name"], texts[column["name"]]
            if column["kind"] == "category":
                levels = [level or NONE for level in (*column["levels"], *[""] * column["missing"])]
                frame[name] = values.where(values != "", NONE)
                self.columns.append({"name": name, "kind": "category", "levels": levels})
                continue
            numbers = values.map(_day(column["format"])) if column["kind"] == "date" else pd.to_numeric(values)
            numbers = numbers.astype(float)
            if column["missing"]:
                gaps = numbers.isna()
                frame[name + _MARK] = pd.Series(np.where(gaps, GAP, FULL))
                self.columns.append({"name": name + _MARK, "kind": "category", "levels": [FULL, GAP]})
                numbers = numbers.fillna(numbers.median() if not gaps.all() else column["low"])
            if column["decimals"] == 0:
                numbers = numbers.round().astype("int64")
            frame[name] = numbers
            about = {key: column[key] for key in ("low", "high", "decimals")}
            self.columns.append({"name": name, "kind": "number", **about})
        self.frame = pd.DataFrame(frame)

    def texts(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Sampled rows as the texts of a release."""
        out = {}
        for column in self.schema:
            name = column["name"]
            if column["kind"] == "category":
                out[name] = rows[name].astype(str).where(rows[name].astype(str) != NONE, "")
                continue
            numbers = pd.to_numeric(rows[name]).astype(float).clip(column["low"], column["high"])
            if column["kind"] == "date":
                written = numbers.round().map(_written(column["format"]))
            else:
                written = numbers.map(lambda value, decimals=column["decimals"]: f"{value:.{decimals}f}")
            if column["missing"]:
                written = written.where(rows[name + _MARK].astype(str) != GAP, "")
            out[name] = written
        return pd.DataFrame(out)


def _day(form: str):
    return lambda text: (
        datetime.datetime.strptime(text, form).toordinal() - EPOCH if text else float("nan")  # noqa: DTZ007
    )


def _written(form: str):
    return lambda day: datetime.date.fromordinal(int(day) + EPOCH).strftime(form)


def seeded(seed: int) -> None:
    """Seed the states that methods draw from: Python's, numpy's, and torch's where it is installed.

    A method loads torch in its first fit, which would draw from a state that nobody has seeded: so it is loaded here.
    """
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002  the state that others' code draws from
    if importlib.util.find_spec("torch"):
        import torch

        torch.manual_seed(seed)


class Server:
    """Answers requests about one recipe."""

    def __init__(self, recipe: Any) -> None:
        self.recipe = recipe
        self.models: dict[int, tuple[Table, Any]] = {}

    def fit(self, model: int, train: str, schema: str, seed: int) -> None:
        """Learn from the table in ``train``."""
        table = Table(train, schema)
        seeded(seed)
        self.models[model] = table, self.recipe.fit(table.frame.copy(), table.columns, seed)

    def sample(self, model: int, n: int, seed: int, out: str) -> None:
        """Write ``n`` rows to ``out``."""
        table, fitted = self.models[model]
        seeded(seed)
        rows = self.recipe.sample(fitted, n, seed).reset_index(drop=True)
        table.texts(rows).to_csv(out, index=False, lineterminator="\n", encoding="utf-8")

    def forget(self, model: int) -> None:
        """Let go of a model."""
        self.models.pop(model, None)

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The reply: what happened, by the kind of an error alone."""
        number, do = request.pop("id"), request.pop("do")
        try:
            getattr(self, do)(**request)
            return {"id": number}
        except Exception as error:  # noqa: BLE001  the next request may do better
            traceback.print_exc()
            return {"id": number, "error": type(error).__name__}


def loaded(file: str) -> Any:
    """The recipe of that file, as a module."""
    spec = importlib.util.spec_from_file_location("recipe", file)
    module = importlib.util.module_from_spec(spec)
    sys.modules["recipe"] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Answer requests until there is nobody who asks, or do what the words say and end."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a method prints is no reply
    file, *words = sys.argv[1:]
    server = Server(loaded(file))
    if words:
        train, n, seed, out, schema = words
        server.fit(0, train, schema, int(seed))
        server.sample(0, int(n), int(seed) + 1, out)
        return
    for line in sys.stdin:
        print(json.dumps(server.answer(json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
