"""Small tables and generators of known risk, for the game on many records."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.core import Column, Fitted, Kind, Schema, Table
from riskkit.games.subsets import Subsets
from riskkit.questions.records import subsets
from riskkit.released.distances import Dcr
from riskkit.table.load import Tables


def tables(real: Table, holdout: Table | None = None) -> Tables:
    """What a run is given."""
    return Tables(real, None, holdout, real.schema, (), ())


def marked(marks: list[int], levels: int = 2) -> Table:
    """One categorical column with these codes."""
    names = tuple(f"level {code}" for code in range(levels))
    schema = Schema((Column("mark", Kind.CATEGORICAL, levels=names),))
    return Table(schema, np.array(marks, dtype=np.int32)[:, None], np.empty((len(marks), 0)))


@dataclass(frozen=True)
class Counted:
    """Releases as many rows of level 1 as the table has, times ``scale``, with normal noise of ``sigma`` rows more.

    One row more or less shifts a normal variable by 1: AUC = Phi(1 / (sqrt 2 sigma)) (A1.1).
    """

    name: ClassVar[str] = "counted"
    title: ClassVar[str] = "Noisy count"
    card: ClassVar[str] = ""

    sigma: float = 1.0
    scale: int = 40

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        noisy = (table.codes[:, 0] == 1).sum() + self.sigma * rng.standard_normal()
        schema, middle = table.schema, round(self.scale * noisy)

        class Noisy:
            def sample(self, n: int, rng: np.random.Generator) -> Table:
                codes = np.repeat(
                    (np.arange(n) < n // 2 + middle).astype(np.int32)[:, None], len(schema.categorical), 1
                )
                return Table(schema, codes, np.zeros((n, len(schema.numeric))))

        return Noisy()


@dataclass(frozen=True)
class Copies:
    """Puts out the first ten rows it was given, where they are the marked ones, and else noise over the domain."""

    name: ClassVar[str] = "copies"
    title: ClassVar[str] = "Copies ten"
    card: ClassVar[str] = ""

    first: int = 10

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        """Numbers above 90 mark who is copied."""
        return _FittedCopies(table)


class _FittedCopies:
    def __init__(self, table: Table) -> None:
        self.table = table
        self.copied = table.rows(np.flatnonzero(table.numbers[:, 0] >= 90))

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """The copied rows and rows of chance that never look like them."""
        fresh = n - len(self.copied)
        codes = rng.integers(0, 5, size=(fresh, self.table.codes.shape[1])).astype(np.int32)
        numbers = rng.integers(0, 90, size=(fresh, self.table.numbers.shape[1])).astype(float)
        return Table(self.table.schema, codes, numbers).plus(self.copied)

    def without(self, row: int) -> Any:
        """The fit to the same table less that row."""
        return _FittedCopies(self.table.without(row))


def crowd(n: int = 1000, copied: int = 10, seed: int = 0) -> Table:
    """People of three categories and a number; those at the chosen places have a number of 90 or more."""
    rng = np.random.default_rng(seed)
    columns = [Column(f"c{index}", Kind.CATEGORICAL, levels=tuple("abcde")) for index in range(3)]
    number = Column("x", Kind.NUMERIC, low=0, high=99, mean=45, sd=25)
    numbers = rng.integers(0, 90, size=(n, 1)).astype(float)
    numbers[:: max(n // max(copied, 1), 1)][:copied] = 90 + np.arange(min(copied, n))[:, None] % 10
    return Table(Schema((*columns, number)), rng.integers(0, 5, size=(n, 3)).astype(np.int32), numbers)


@dataclass(frozen=True)
class Deaf:
    """Puts out noise, whatever it is given."""

    name: ClassVar[str] = "deaf"
    title: ClassVar[str] = "Deaf"
    card: ClassVar[str] = ""

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        return Noise(table)


class Noise:
    """A method that learnt nothing but the schema."""

    def __init__(self, table: Table) -> None:
        self.schema = table.schema

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        codes = rng.integers(0, 5, size=(n, len(self.schema.categorical))).astype(np.int32)
        return Table(self.schema, codes, rng.integers(0, 99, size=(n, len(self.schema.numeric))).astype(float))


def noted_trainings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The trainings of the audited method on parts of the people, in order, from here on; one quick attack alone."""
    monkeypatch.setattr(subsets, "attacks", lambda: (("dcr", Dcr()),))
    every: list[int] = []
    releases = Subsets.releases

    def noting(play: Subsets, numbers: list[int]) -> list[Table]:
        every.extend(number for number in numbers if play.deal.generator.name != "bootstrap")  # which plants leaks
        return releases(play, numbers)

    monkeypatch.setattr(Subsets, "releases", noting)
    return every
