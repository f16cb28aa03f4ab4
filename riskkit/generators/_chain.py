"""Chains: several anonymisers, one after the other, as one generator.

A chain is no file of the menu: it is written with bars between its steps, ``rounding:base=10|pram|noise``, and the
registry reads that text back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from riskkit.core import Table
from riskkit.errors import ParameterError
from riskkit.generators._anonymise import FAMILY, Anonymised, unchanged
from riskkit.phrases import phrase


@dataclass(frozen=True)
class Chain:
    """Each step anonymises what the step before it left; the last one's rows are dealt.

    ``steps`` are the anonymisers in order, each with its settings. Steps without randomness at the start are done once
    in the fit; from the first step that draws, everything is done anew for each release.

    Raises :class:`ParameterError` where a step draws new rows instead of anonymising those it is given.
    """

    name: ClassVar[str] = "chain"
    family: ClassVar[str] = FAMILY

    steps: tuple[Any, ...] = ()

    def __post_init__(self) -> None:
        for step in self.steps:
            if getattr(step, "family", "method") != FAMILY:
                raise ParameterError(
                    phrase(
                        "{step} cannot be a step of a chain: it draws new rows; chain anonymisers only.", step=step.name
                    )
                )

    @property
    def title(self) -> str:
        """The titles of the steps in order."""
        return ", then ".join(step.title for step in self.steps)

    @property
    def card(self) -> str:
        """The cards of the steps in order."""
        return " Then: ".join(step.card for step in self.steps)

    def fit(self, table: Table, rng: np.random.Generator) -> Anonymised:
        """Fit the steps up to the first one that draws; the later ones are fitted to what it draws.

        Raises
        ------
        DesignError
            A step refuses the rows that it is given; from a step that draws on, when a release is sampled.
        """
        fitted = Anonymised(table)
        for position, step in enumerate(self.steps):
            fitted = step.fit(fitted.table, rng)
            if fitted.draw is not unchanged:
                return Anonymised(fitted.table, _Then(fitted.draw, self.steps[position + 1 :]))
        return fitted


@dataclass(frozen=True, slots=True, eq=False)
class _Then:
    """The random part of a step, and the steps after it."""

    first: Callable[[Table, np.random.Generator], Table]
    later: tuple[Any, ...]

    def __call__(self, table: Table, rng: np.random.Generator) -> Table:
        table = self.first(table, rng)
        for step in self.later:
            table = step.fit(table, rng).whole(rng)
        return table
