"""A program of the steward's that is started for every release: what it is given, and what it leaves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.generators import _program, _resident, _two_files
from riskkit.generators._fence import FenceLimits
from riskkit.generators._program import Hear
from riskkit.generators._released import Fault, faults, release, written
from riskkit.phrases import phrase
from riskkit.table.people.folded import TwoTables
from riskkit.table.write import to_csv

WRITTEN = "What the program wrote"
"""What sentences call a release."""


class RunsAnew(Protocol):
    """What a run needs of the method: its command, its limits, and whether it may be run at all."""

    @property
    def command(self) -> str:
        """The command line."""

    @property
    def timeout(self) -> int:
        """Seconds after which it is stopped."""

    @property
    def outside(self) -> str:
        """What is done with numbers outside the domain."""

    @property
    def limits(self) -> FenceLimits:
        """What its processes may take."""

    @property
    def takes_two_tables(self) -> bool:
        """Whether it is trained on two tables, and releases two."""

    def check_ready(self) -> None:
        """Raise where it may not be run."""


@dataclass(frozen=True, slots=True, eq=False)
class FittedProgram:
    """The world that the program will be run on, as the bytes of its files by placeholder.

    ``shape`` is a table of nobody like the one that was learnt.
    """

    plugin: RunsAnew
    shape: Table
    handed: Mapping[str, bytes]

    @classmethod
    def of(cls, plugin: RunsAnew, table: Table) -> FittedProgram:
        """For that program, of one table or of two.

        Raises
        ------
        DesignError
            It takes two tables, and the people have no second one with them.
        """
        if not plugin.takes_two_tables:
            handed = {"train": to_csv(table), "schema": _resident.described(table.schema)}
        elif isinstance(table, TwoTables):
            handed = _two_files.dealt(table)
        else:
            raise DesignError(
                phrase(
                    "Your own generator is trained on two tables, and is handed one. Membership and Records train it "
                    "on both where they ask across both tables (--second-table), and no other question does."
                )
            )
        if "{schema}" not in plugin.command:
            del handed["schema"]
        return cls(plugin, table.rows([]), handed)

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """One run of the program: a training and its release of ``n`` rows.

        Raises
        ------
        DesignError, InputError
            The program failed, or wrote something else than ``n`` rows under the schema; never says a value.
        """
        nearest = self.plugin.outside == "nearest"
        with self.left(n, rng) as left:
            if isinstance(self.shape, TwoTables):
                return _two_files.release(left, self.shape, n, nearest=nearest)
            return release(written(left["out"], WRITTEN), self.shape.schema, n, name=WRITTEN, nearest=nearest)

    def faults(self, n: int, rng: np.random.Generator, hear: Hear) -> tuple[Fault, ...]:
        """Everything that is wrong with what one run of the program writes; ``hear`` is handed what it prints.

        Raises
        ------
        DesignError
            The program failed, or left no file.
        """
        with self.left(n, rng, hear) as left:
            if isinstance(self.shape, TwoTables):
                return _two_files.faults(left, self.shape, n)
            return faults(written(left["out"], WRITTEN), self.shape.schema, n, name=WRITTEN)

    @contextmanager
    def left(self, n: int, rng: np.random.Generator, hear: Hear | None = None) -> Iterator[Mapping[str, Path]]:
        """The paths of what one run of the program leaves, by placeholder, as long as the block lasts.

        Raises
        ------
        DesignError
            The program failed.
        """
        self.plugin.check_ready()
        values = {"n": str(n), "seed": str(int(rng.integers(2**31)))}
        leaves = _two_files.LEAVES if isinstance(self.shape, TwoTables) else {"out": "release.csv"}
        plugin = self.plugin
        with _program.ran(plugin.command, self.handed, leaves, values, plugin.timeout, plugin.limits, hear) as left:
            yield left
