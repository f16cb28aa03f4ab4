"""``riskkit generators try``: one run of a generator of one's own on sample data, and what an audit makes of
it.

What the program prints is shown: it saw made-up records alone. No option names a table.
"""

from __future__ import annotations

import argparse
import runpy
import shlex
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.base import places
from riskkit.commands._output import print_json
from riskkit.core import Role, Table
from riskkit.errors import DesignError, RiskkitError
from riskkit.generators import external
from riskkit.generators.external import External
from riskkit.seeds import stream
from riskkit.table.fold import TwoTables, with_second
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import PREFIX, read_table, tables_of
from riskkit.table.read.files import read_path

LEAST, MOST = 20, 2_000
"""Rows below which a method that learns has too few to learn from; people of the made-up cohort of two tables."""
KEY = "patient"
"""The column that joins its tables."""
COUNTED = ("no_key", "repeated_keys", "orphans")
"""Problems whose sentence says how many rows have them."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a run took: seconds on the clock, seconds of a processor, and the largest process's memory in MB.

    A program begins as a copy of riskkit: with ``is_less`` it took less than that, and how much less is not known.
    """

    seconds: float
    cpu: float
    memory: float
    is_less: bool

    def __str__(self) -> str:
        memory = f"{'less than ' if self.is_less else ''}{self.memory:,.0f} MB of memory"
        return f"{self.seconds:.1f} s, {self.cpu:.1f} s of a processor, {memory}"


class Meter:
    """Measures programs from where it is made to where it is read."""

    def __init__(self) -> None:
        self._began, self._cpu = time.monotonic(), _resources()[0]

    def read(self) -> Cost:
        """What was taken since; of memory the most that any program of this process ever took."""
        cpu, memory, own = _resources()
        return Cost(time.monotonic() - self._began, cpu - self._cpu, memory, memory <= own)


def _resources() -> tuple[float, float, float]:
    """Seconds of a processor and MB of memory of the programs that were started here and have ended; MB of this one."""
    try:
        import resource
    except ImportError:  # Windows
        return 0.0, 0.0, 0.0
    used, own = (resource.getrusage(who) for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    unit = 1 << (20 if sys.platform == "darwin" else 10)
    return used.ru_utime + used.ru_stime, used.ru_maxrss / unit, own.ru_maxrss / unit


def sample(rows: int) -> Table:
    """The first rows of the made-up cohort that comes with riskkit: numbers, categories, a date, missing values.

    Raises
    ------
    DesignError
        There are not so many rows, or they are too few to learn from.
    """
    table = read_table(places.project() / "sample_data" / "real.csv")
    _check_rows(rows, len(table))
    return table.rows(np.arange(rows))


def sample_of_two(rows: int) -> Table:
    """So many patients of the made-up cohort of two tables, with their visits: about five, some with none.

    Raises
    ------
    DesignError
        They are too few to learn from, or too many to wait for.
    """
    _check_rows(rows, MOST)
    with tempfile.TemporaryDirectory(prefix="riskkit-") as name:
        runpy.run_path(str(places.project() / "sample_data" / "two_tables.py"))["write"](Path(name), "none", MOST, 1)
        files = {"real": "patients_real.csv", f"{PREFIX}real": "visits_real.csv"}
        texts = {slot: read_path(Path(name) / file) for slot, file in files.items()}
    return with_second(tables_of(texts, {KEY: ColumnChoice(role=Role.PERSON)})).real.rows(np.arange(rows))


def _check_rows(rows: int, most: int) -> None:
    if not LEAST <= rows <= most:
        raise DesignError(f"--rows is {rows:,}; it must be at least {LEAST} and at most {most:,}.")


def run(options: argparse.Namespace) -> int:
    """Run it once; returns 0 where an audit could use the release as it is, else 1."""
    plugin = External(
        command=options.command,
        python=options.python,
        timeout=options.timeout,
        memory=options.memory,
        outside=options.outside,
    )
    if not (plugin.command or plugin.python):
        raise DesignError("Write the command of your generator in quotes, or name a Python object with --python.")
    external.allow()  # whoever types a command may run it
    if plugin.python:
        external.name_objects([plugin.python])
    table = sample_of_two(options.rows) if plugin.takes_two_tables else sample(options.rows)
    _tell(f"Sample data: {_description(table)} None of your records goes in.")
    heard, meter = _Heard(), Meter()
    try:
        faults = external.trial(plugin, table, len(table), stream(options.seed, "trial"), heard)
    except RiskkitError as error:
        _tell(heard.end() + f"It took {meter.read()}.")
        raise DesignError(str(error)) from None
    cost = meter.read()
    _tell(heard.end() + f"It took {cost}. Each release of a game costs as much.")
    mended = replace(plugin, outside="nearest")
    is_usable = all(fault.is_mended for fault in faults) if plugin.outside == "nearest" else not faults
    can_be_mended = not is_usable and all(fault.is_mended for fault in faults)
    usable = plugin if is_usable else mended if can_be_mended else None
    report: dict[str, Any] = {
        "usable": is_usable,
        "mended_by": "outside=nearest" if can_be_mended else None,
        "faults": [{**fault.problem.as_dict(), "mended": fault.is_mended} for fault in faults],
        "generator": None if usable is None else registry.spell(usable),
        "rows": len(table),
        "seconds": round(cost.seconds, 2),
        "processor_seconds": round(cost.cpu, 2),
        "memory_mb": round(cost.memory),
    }
    if isinstance(table, TwoTables):
        report["children"] = len(table.second)
    if options.json:
        print_json(report)
    else:
        print("\n".join(_lines(report, plugin, usable)))
    return 0 if is_usable else 1


def _description(table: Table) -> str:
    """What the program is handed, in a sentence."""
    if not isinstance(table, TwoTables):
        columns = len(table.schema.modelled)
        return f"{len(table):,} rows and {columns} columns of a made-up hospital cohort, with missing values."
    return (
        f"{len(table):,} patients and {len(table.second):,} visits of a made-up hospital cohort, joined by {KEY!r}; "
        f"{int((table.sizes == 0).sum()):,} patients have no visit."
    )


def _lines(report: dict[str, Any], plugin: External, usable: External | None) -> list[str]:
    """What was seen, for people."""
    lines = []
    for fault in report["faults"]:
        is_counted = fault["line"] and fault["count"] > 1 and fault["code"] not in COUNTED
        cells = f" (So are {fault['count']:,} cells of the column.)" if is_counted else ""
        where = f"column {fault['column']!r}, line {fault['line']:,}: " if fault["line"] else ""
        where = f"{fault['file']}, {where}" if plugin.takes_two_tables else where
        lines.append(f"- {where + fault['what'] if report['usable'] else fault['sentence']}{cells}")
    if usable is None:
        return ["An audit would refuse this release:", *lines]
    if not lines:
        first = "An audit can use this release: it has the columns, levels and ranges of the table."
    elif report["usable"]:
        first = "An audit can use this release, with the nearest number taken of these:"
    else:
        first = "An audit would refuse this release, but an option mends it. Try again with --outside nearest."
    asked = " --second-table" * plugin.takes_two_tables
    return [first, *lines, f"As a method: {shlex.quote(report['generator'])} {plugin.flag}{asked}"]


class _Heard:
    """Shows on standard error what the program prints, with a line above and below."""

    def __init__(self) -> None:
        self._is_anything = False

    def __call__(self, chunk: bytes) -> None:
        if not self._is_anything:
            self._is_anything = True
            _tell("It printed:")
        sys.stderr.write(chunk.decode(errors="replace"))
        sys.stderr.flush()

    def end(self) -> str:
        """What stands before the next line."""
        return "\n" if self._is_anything else ""


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
