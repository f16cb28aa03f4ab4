"""The game on households: whole families were in or out, and the attacker says of each how sure it is.

A household is a set of rows that share a name. Those asked about have at least ``least`` rows; half of them are wholly
in the sample, half wholly out of it, and the sample is filled up with rows of households that nobody is asked about.
Rows are not all different here: the sample is one of persons.

References
----------
.. [1] Allard et al., SNAKE challenge: sanitization algorithms under attack (CIKM 2023).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.contest import REFERENCE_ROWS
from riskkit.games.released import ReleasedAttack, ask
from riskkit.seeds import stream
from riskkit.table.points import points_of


@dataclass(frozen=True, slots=True, eq=False)
class HouseholdGame:
    """``sample`` is what a release is made from. ``targets`` are the rows of the households asked about.

    ``household`` (n_targets,) is the number of each row's household, 0 to ``len(is_in) - 1``; ``is_in`` the truth of
    each household. ``others`` are rows that may be compared with, of households that nobody is asked about.
    """

    sample: Table
    targets: Table
    household: Ints
    is_in: Bools
    others: Table
    seed: int

    def sureness(self, attack: ReleasedAttack, name: str, release: Table) -> Floats:
        """(n_households,) how sure an attack is that each was in, between 0 and 1, by the rank of its mean score.

        Raises
        ------
        DesignError
            The attack cannot work on these tables.
        """
        rng = stream(self.seed, "snake", "attack", name)
        reference = self.others.rows(np.sort(rng.permutation(len(self.others))[:REFERENCE_ROWS]))
        released, targets, people = points_of((release, self.targets, reference))
        score = ask(attack, released, targets, people if len(people) else None, rng)
        size = np.bincount(self.household)
        mean = np.bincount(self.household, weights=score) / size
        order = np.lexsort((rng.random(len(mean)), mean))
        rank = np.empty(len(mean))
        rank[order] = np.arange(len(mean))
        return (rank + 0.5) / len(mean)


def deal(
    table: Table, household: npt.ArrayLike, *, rows: int, asked: int = 100, least: int = 5, seed: int = 1
) -> HouseholdGame:
    """The game of a table and the household of each of its rows.

    Parameters
    ----------
    household
        (n,) equal for rows of one household.
    rows
        Rows of the sample.
    asked
        Households asked about; half of them are in.
    least
        Rows that such a household has at least.

    Raises
    ------
    DesignError
        There are too few such households, or too few rows to fill the sample.
    """
    _, name = np.unique(np.asarray(household), return_inverse=True)
    size = np.bincount(name)
    rng = stream(seed, "snake", "deal")
    large = rng.permutation(np.flatnonzero(size >= least))
    if len(large) < asked or asked < 2:
        raise DesignError.phrase(
            "{large:,} households have {least} rows or more; {asked:,} are to be asked about. Ask about "
            "fewer, at least 2, or about smaller ones.",
            large=len(large),
            least=least,
            asked=asked,
        )
    chosen, is_in = large[:asked], np.arange(asked) < asked // 2
    number = np.full(len(size), -1)
    number[chosen] = rng.permutation(asked)
    truth = np.empty(asked, dtype=bool)
    truth[number[chosen]] = is_in
    own = number[name]
    inside = (own >= 0) & truth[own]
    filling = rng.permutation(np.flatnonzero(own < 0))
    missing = rows - int(inside.sum())
    if not 0 <= missing < len(filling):
        raise DesignError.phrase(
            "A sample of {rows:,} rows cannot hold the {inside:,} rows of the households that are in and "
            "be filled up with some of {others:,} others. Choose another size of the sample.",
            rows=rows,
            inside=int(inside.sum()),
            others=len(filling),
        )
    sample = rng.permutation(np.concatenate([np.flatnonzero(inside), filling[:missing]]))
    members = rng.permutation(np.flatnonzero(own >= 0))
    return HouseholdGame(
        table.rows(sample), table.rows(members), own[members], truth, table.rows(np.sort(filling)), seed
    )
