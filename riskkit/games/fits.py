"""Trainings of a game, side by side where the generator has a quicker way to make several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from riskkit.core import Fitted, Generator, Table
from riskkit.errors import DesignError


@runtime_checkable
class SideBySide(Protocol):
    """Optional: a generator that trains on several worlds at once in less time than on one after another."""

    def at_once(self) -> int:
        """How many trainings this machine should make side by side; one where that gains nothing."""

    def fit_together(self, tables: Sequence[Table], rngs: Sequence[np.random.Generator]) -> list[Fitted]:
        """Learn each world as its ``fit`` would, but for rounding; all randomness comes from its own generator."""


def is_long(generator: Generator) -> bool:
    """Whether a training of that method takes long: it says so (``heavy``), or it is a package's and says nothing."""
    return bool(getattr(generator, "heavy", not type(generator).__module__.startswith("riskkit.")))


def batch_size(generator: Generator) -> int:
    """How many trainings of that generator belong side by side on this machine."""
    return generator.at_once() if isinstance(generator, SideBySide) else 1


def fit_worlds(generator: Generator, worlds: Sequence[Table], rngs: Sequence[np.random.Generator]) -> list[Fitted]:
    """A training on each world, each with chance of its own."""
    if len(worlds) > 1 and isinstance(generator, SideBySide):
        return generator.fit_together(worlds, rngs)
    return [generator.fit(world, rng) for world, rng in zip(worlds, rngs, strict=True)]


def check_size(generator: Generator, release: Table, rows: int) -> Table:
    """The release, which has exactly the public size: any other would tell worlds apart by counting rows.

    Raises
    ------
    DesignError
        It has another one.
    """
    if len(release) != rows:
        raise DesignError.phrase(
            "Generator {generator!r} put out {rows} rows where {asked} were asked for. A release must have "
            "its public size, or its size alone reveals people.",
            generator=generator.name,
            rows=len(release),
            asked=rows,
        )
    return release
