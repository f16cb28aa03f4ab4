"""Gen-LRA: would the released rows nearby be likelier, had the record been among the people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import DENSITY_ROWS, FileAttack, Sight, some
from riskkit.released._densities import FLOOR_ROWS, kernels, log_density_with, log_ratio
from riskkit.table.neighbours import nearest
from riskkit.table.points import pool_rare


@dataclass(frozen=True)
class GenLra(FileAttack):
    """Sum over the nearest released rows of ln p(row | reference and record) - ln p(row | reference).

    p is the Gaussian kernel density, of which covariance and bandwidth follow the record that joins, exactly. The
    published form looks at 200 rows; fewer show local overfitting better and cost in proportion.

    References
    ----------
    .. [1] Ward, Wang and Cheng, Privacy auditing synthetic data release through local likelihood attacks (2025).
    """

    name: ClassVar[str] = "gen-lra"
    title: ClassVar[str] = "Likelihood gain of nearby rows (Gen-LRA)"
    card: ClassVar[str] = (
        "Scores a record higher the more likely the released rows nearby become once the record joins the "
        "reference. Needs reference rows of the same population, and the most time of all. Finds members in sparse "
        "places that the release follows; weak on records in a crowd, which change no density."
    )
    needs_reference: ClassVar[bool] = True

    k: int = parameter(
        5, label="Nearest released rows", help="How many released rows are looked at for each record.", low=1, high=1000
    )
    floor: float = parameter(
        FLOOR_ROWS,
        label="Floor",
        help="How many reference rows' worth of density is added to each density; 0 for none.",
        low=0,
        high=1e6,
        unit="rows",
    )

    @property
    def near(self) -> int:
        """How many of the nearest released rows it looks up."""
        return self.k

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) gain in nats. A release of fewer than ``k`` rows is looked at whole."""
        release, targets = sight.release, sight.targets
        people = some(sight.others, DENSITY_ROWS, sight.rng)
        used, of_used = np.unique(nearest(targets, release, min(self.k, len(release)))[1], return_inverse=True)
        near = of_used.reshape(len(targets), -1)
        people, asked, around = pool_rare([people, targets, release.rows(used)], [people])
        base, rows = kernels(people.matrix()), around.matrix()
        floor = base.log_floor(self.floor)
        with_it = np.logaddexp(log_density_with(base, asked.matrix(), rows, near), floor)
        return np.asarray(log_ratio(with_it, base.log_density(rows)[near], floor).sum(axis=1))


PLUGIN = GenLra
