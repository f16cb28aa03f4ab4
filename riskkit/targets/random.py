"""Random: ordinary people, drawn from the real table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Table, Targets
from riskkit.parameters import CheckedPlugin
from riskkit.targets._count import check_count, first_different


@dataclass(frozen=True)
class Random(CheckedPlugin):
    """Rows of the real table drawn by lot; a row that equals one already drawn is passed over."""

    name: ClassVar[str] = "random"
    title: ClassVar[str] = "Random rows"
    card: ClassVar[str] = (
        "Draws rows of the real table at random. Shows what an ordinary person in the data risks; people who stand "
        "out risk more than this rule can show."
    )

    by_lot: ClassVar[bool] = True
    """Where people have several rows it draws people, each as likely as the others."""

    def choose(self, table: Table, k: int, rng: np.random.Generator) -> Targets:
        """``k`` different records in the order they were drawn.

        Raises
        ------
        DesignError
            ``k`` is below 1 or above the number of different records.
        """
        check_count(table, k)
        return first_different(table, rng.permutation(len(table)), k)


PLUGIN = Random
