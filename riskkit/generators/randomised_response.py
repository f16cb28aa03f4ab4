"""Randomised response: every person answers for themselves, and sometimes lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Bools, Codes, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.generators.engines.calibration import FAMILY, code_counts
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import bin_columns, from_bins


@dataclass(frozen=True)
class RandomisedResponse(CheckedPlugin):
    """Releases every row once, each cell kept or replaced by chance, and fills up with rows of pure chance.

    A column of ``K`` codes in a table of ``d`` columns gets ``e = epsilon/d``: its cell is kept with probability
    ``exp(e)/(exp(e) + K - 1)``, else replaced by one of the other codes. Numbers are coded in ``bins`` equal widths
    of their domain and come out uniform in the bin. Each row is exactly epsilon-differentially private against
    replacing it. Leaving it out puts a row of pure chance in its place, which is never easier to tell, so the release
    is epsilon-differentially private against that too.

    On one bit (K = 2, d = 1) that is replaced, the attacker who believes the answer has **AUC = true positive rate =
    exp(epsilon)/(1 + exp(epsilon))** and a false positive rate of one minus that (KA5). A second release of the same
    training answers anew and spends epsilon again.

    References
    ----------
    .. [1] Warner, Randomized response, JASA 60 (1965); Kairouz, Oh and Viswanath, Extremal mechanisms for local
       differential privacy (2014).
    """

    name: ClassVar[str] = "randomised_response"
    title: ClassVar[str] = "Randomised response (calibration)"
    card: ClassVar[str] = (
        "Keeps each cell with a probability set by epsilon and else draws it at random, for every row by itself. "
        "Fitting has no randomness, each release draws anew; both take milliseconds. A calibration mechanism after "
        "Warner (1965), with an exact epsilon that an audit's lower bound must not exceed."
    )
    family: ClassVar[str] = FAMILY

    epsilon: float = parameter(
        1.0, label="Epsilon", help="Privacy loss of one row in one release, all its cells together.", low=0.0, high=50.0
    )
    bins: int = parameter(
        8,
        label="Bins of a number",
        help="Each number is released as one of this many parts of its domain, all of equal width.",
        low=1,
        high=100,
    )

    def fit(
        self,
        table: Table,
        rng: np.random.Generator,  # noqa: ARG002  nothing is drawn here
    ) -> FittedRandomisedResponse:
        """Code the table. Draws nothing at random."""
        return FittedRandomisedResponse(table.rows([]), bin_columns(table, self.bins)[0], self.epsilon, self.bins)


@dataclass(frozen=True, slots=True, eq=False)
class FittedRandomisedResponse:
    """The true codes, (rows, columns) as :func:`riskkit.table.encode.bin_columns` has them; ``empty``: the schema."""

    empty: Table
    codes: Codes
    epsilon: float
    bins: int

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """One answer a row, and rows of pure chance up to ``n``, in random order.

        Raises
        ------
        DesignError
            ``n`` is less than the table's length: leaving rows out would change what is known of the release.
        """
        rows, columns = self.codes.shape
        if n < rows:
            raise DesignError.phrase(
                "Randomised response of {rows} rows needs a release of as many or more, not {n}.", rows=rows, n=n
            )
        sizes: Ints = np.array(code_counts(self.empty.schema, self.bins))
        keep = keep_probability(self.epsilon / max(columns, 1), sizes)
        lies: Bools = rng.random((rows, columns)) >= keep
        # A step of 1 to K - 1 reaches each of the other codes alike.
        step = rng.integers(1, np.maximum(sizes, 2), size=(rows, columns))
        answers = np.where(lies, (self.codes + step) % sizes, self.codes)
        filling = rng.integers(sizes, size=(n - rows, columns))
        mixed = rng.permutation(np.vstack([answers, filling])).astype(np.int32)
        return from_bins(mixed, self.empty.schema, self.bins, rng)


def keep_probability(epsilon: float, sizes: Ints) -> Floats:
    """(d,) the probability that a cell of that many codes is kept."""
    keep: Floats = 1.0 / (1.0 + (sizes - 1) * np.exp(-epsilon))
    return keep


PLUGIN = RandomisedResponse
