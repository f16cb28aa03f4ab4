"""What all attacks on a released file share: what they are shown, what they refuse, and how many rows count.

What attacks do beyond so many rows is drawn at random, and the audit says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin
from riskkit.phrases import phrase
from riskkit.table.points import RowPoints

DENSITY_ROWS = 40_000
"""Rows of the release, and of the reference, that a density is taken of."""
RELEASED, REFERENCE = phrase("released rows"), phrase("reference rows")
"""What an attack may have too few of."""


def some(points: RowPoints, most: int, rng: np.random.Generator) -> RowPoints:
    """At most this many of the rows, drawn without putting back, in their order."""
    if len(points) <= most:
        return points
    return points.rows(np.sort(rng.choice(len(points), most, replace=False)))


@dataclass(frozen=True, slots=True, eq=False)
class Sight:
    """What an attack is shown: the release, those asked about, and people to compare with, if there are any."""

    release: RowPoints
    targets: RowPoints
    reference: RowPoints | None
    rng: np.random.Generator

    @property
    def others(self) -> RowPoints:
        """The reference rows of an attack that needs them: without any it was refused."""
        assert self.reference is not None
        return self.reference


@dataclass(frozen=True)
class FileAttack(CheckedPlugin, ABC):
    """An attack on a released file: what it needs is checked here, once for all.

    ``least`` released rows are needed, and of an attack that ``needs_reference`` so many ``least_reference`` rows.
    """

    title: ClassVar[str]
    needs_reference: ClassVar[bool] = False
    least: ClassVar[int] = 1
    least_reference: ClassVar[int] = 1

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        """(n_targets,) finite scores, higher means "in".

        Raises
        ------
        DesignError
            There are fewer released rows, or reference rows, than it needs, or no column of a kind that it reads.
        """
        self._refuse_few(release, self.least, RELEASED)
        if self.needs_reference:
            if reference is None or not len(reference):
                raise DesignError.phrase(
                    "{title} compares with reference rows; give a holdout to split them off, or leave it out.",
                    title=phrase(self.title),
                )
            self._refuse_few(reference, self.least_reference, REFERENCE)
        return self.judge(Sight(release, targets, reference, rng))

    @abstractmethod
    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) the scores, of tables that have the rows it needs."""

    def _refuse_few(self, points: RowPoints, least: int, what: str) -> None:
        if len(points) < least:
            raise DesignError.phrase(
                "{title} needs at least {rows:,} {what}, and has {there:,}; give more, or leave it out.",
                title=phrase(self.title),
                rows=least,
                what=what,
                there=len(points),
            )
