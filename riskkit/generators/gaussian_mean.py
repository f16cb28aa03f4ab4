"""Gaussian mean: the mean of every number and normal noise, and nothing else of the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Column, Floats, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY, noise
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import layout, scale_column, to_domain


@dataclass(frozen=True)
class GaussianMean(CheckedPlugin):
    """Releases rows whose numbers have the table's mean plus normal noise, and whose categories are pure chance.

    Each number is measured in widths of its frozen domain; a missing one counts as the column's frozen mean. The mean
    vector of a world gets independent noise of standard deviation ``sigma`` in every number, once a training, so what
    follows holds however many releases are sampled. Two worlds whose mean vectors are ``Delta`` apart (Euclidean, in
    widths of the domain) are two normal distributions ``mu = Delta / sigma`` apart: ``Delta = |x - x'| / n`` where a
    row of ``n`` is replaced, ``|x - mean| / n`` where the row ``x`` is added as the ``n``-th to rows of that mean.
    With ``Phi`` the normal distribution function (KA7):

    - **AUC = Phi(mu / sqrt 2)**, true positive rate ``Phi(Phi^-1(a) + mu)`` at a false positive rate of ``a``;
    - advantage and total variation ``2 Phi(mu/2) - 1``;
    - ``delta(epsilon) = Phi(mu/2 - epsilon/mu) - exp(epsilon) Phi(-mu/2 - epsilon/mu)``, and no smaller delta holds.

    The optimal attacker weighs each number's mean over the release by how far the worlds are apart in it. A release
    of ``m`` rows shows the noisy mean to ``1/m`` of the column's last decimal and clamps it to the domain. Where that
    grain is ``h`` times the noise, the AUC is lower by less than ``h^2/50``; clamping costs no more AUC than the
    chance that the noise leaves the domain.

    References
    ----------
    .. [1] Dong, Roth and Su, Gaussian differential privacy, JRSS B 84 (2022), https://doi.org/10.1111/rssb.12454
    """

    name: ClassVar[str] = "gaussian_mean"
    title: ClassVar[str] = "Noisy mean (calibration)"
    card: ClassVar[str] = (
        "Adds normal noise to the mean of every number and releases rows that have this mean and are random in all "
        "else. Each training draws the noise, each release the rest, and it costs nothing. A calibration mechanism "
        "after Dong, Roth and Su (2022), with a ROC curve that is known at every point."
    )
    family: ClassVar[str] = FAMILY
    trade_off: ClassVar[str] = "gaussian"

    sigma: float = parameter(
        0.001,
        label="Noise",
        help="Standard deviation of the noise on a mean, as a share of the width of the column's domain.",
        low=1e-6,
        high=1.0,
        unit="widths",
    )

    def fit(self, table: Table, rng: np.random.Generator) -> FittedGaussianMean:
        """Take the means and draw their noise.

        Raises
        ------
        DesignError
            The table has no row, or no number to take the mean of.
        """
        if not len(table) or not table.schema.numeric:
            raise DesignError.phrase(
                "The noisy mean needs at least one row and one number. Load rows, or give a column of "
                "numbers or dates the role known or secret."
            )
        means = mean_of_numbers(table)
        return FittedGaussianMean(table.schema, means + self.sigma * rng.standard_normal(len(means)))


@dataclass(frozen=True, slots=True, eq=False)
class FittedGaussianMean:
    """The noisy means in widths of the domain, (numbers,), 0 at its lower end; not yet clamped."""

    schema: Schema
    means: Floats

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """``n`` rows whose numbers have these means to ``1/n`` of the last decimal, clamped to the domain."""
        release = noise(self.schema, n, 1, rng)
        numbers = np.empty((n, len(self.means)))
        for j, column in enumerate(self.schema.numeric):
            numbers[:, j] = around(float(self.means[j]), column, n, rng)
        return Table(self.schema, release.codes, numbers)


def mean_of_numbers(table: Table) -> Floats:
    """(numbers,) the mean of each number in widths of its domain; a missing one counts as the column's frozen mean."""
    out = np.empty(len(table.schema.numeric))
    for block in layout(table.schema):
        if block.column.is_numeric:
            values = table.numbers[:, block.source]
            filled = np.where(np.isnan(values), block.column.mean, values)
            out[block.source] = scale_column(filled, block.column, "minmax").mean()
    return out


def around(mean: float, column: Column, n: int, rng: np.random.Generator) -> Floats:
    """(n,) values of the column with that mean, all of them the value below it or the one above, in random order."""
    step = 10.0**-column.decimals
    last = round((column.high - column.low) / step)
    wanted = min(max(mean, 0.0), 1.0) * last
    below = float(math.floor(wanted))  # a number of many decimals has more values than an integer counts
    above = np.arange(n) < round((wanted - below) * n)
    return to_domain(column.low + (below + rng.permutation(above)) * step, column)


PLUGIN = GaussianMean
