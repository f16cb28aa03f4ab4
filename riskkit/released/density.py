"""Densities: how thickly do released rows lie around a record, alone or beside other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import DENSITY_ROWS, FileAttack, Sight, some
from riskkit.released._densities import FLOOR_ROWS, density_ratio, kernels, log_density_with, log_ratio
from riskkit.table.neighbours import nearest
from riskkit.table.points import pool_rare


@dataclass(frozen=True)
class Density(FileAttack):
    """Log-density of the release at the record: Gaussian kernels, full covariance, Silverman's bandwidth.

    A record that the released rows cannot reach (a level they never show, a column constant in them) has a very low
    density, the lower the farther off it lies.

    References
    ----------
    .. [1] Hilprecht, Härterich and Bernau, Monte Carlo and reconstruction membership inference attacks against
       generative models (PoPETs 2019), compares with it.
    """

    name: ClassVar[str] = "density"
    title: ClassVar[str] = "Density of the release"
    card: ClassVar[str] = (
        "Scores a record higher the more densely released rows lie around it. Needs nothing but the release. Finds "
        "methods that pile rows up where the real rows were; takes every record in a crowd for a member, because "
        "it does not know where people are dense anyway."
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) log-density. Draws at random only which rows of a large release count."""
        rows, asked = pool_rare([some(sight.release, DENSITY_ROWS, sight.rng), sight.targets], [sight.release])
        return kernels(rows.matrix()).log_density(asked.matrix())


@dataclass(frozen=True)
class Domias(FileAttack):
    """Log-density of the release less that of the reference, both by Gaussian kernels.

    The published floor of the reference's density, 1e-20, is here a number of reference rows, so that neither the
    units nor the number of columns decide whether it drowns the density or does nothing.

    References
    ----------
    .. [1] van Breugel, Sun, Qian and van der Schaar, Membership inference attacks against synthetic data through
       overfitting detection (AISTATS 2023).
    """

    name: ClassVar[str] = "domias"
    title: ClassVar[str] = "Density ratio (DOMIAS)"
    card: ClassVar[str] = (
        "Scores a record higher the more densely released rows lie around it, compared with people of the "
        "population. Needs reference rows of the same population. Finds local overfitting, even without any near "
        "copy; weak on tables of many columns, where no density is known well."
    )
    needs_reference: ClassVar[bool] = True

    floor: float = parameter(
        FLOOR_ROWS,
        label="Floor",
        help="How many reference rows' worth of density is added to the reference's own; 0 for none.",
        low=0,
        high=1e6,
        unit="rows",
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) log-density ratio. Draws at random only which rows of a large table count."""
        return density_ratio(sight.release, sight.targets, sight.others, self.floor, sight.rng)


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
        5, label="Nearest released rows", help="How many released rows are read for each record.", low=1, high=1000
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


PLUGIN = Density, Domias, GenLra
