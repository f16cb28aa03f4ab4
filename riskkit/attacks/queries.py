"""Queries: how many released rows agree with the target on each set of columns?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from riskkit.attacks._learned import Judge, LearnsFromReleases, learn, own_parameter, own_releases, shrunken
from riskkit.core import Brief, Codes, Floats, Knowledge, Table
from riskkit.parameters import parameter
from riskkit.table.subset_counts import NUMBERS, WIDEST, SubsetCounts


@dataclass(frozen=True)
class Queries(LearnsFromReleases):
    """Counts the rows that agree with the target on every set of columns, and learns which counts give it away.

    A category agrees where it is equal, a number where it is at least the target's. All ``2^d - 1`` sets are asked of
    up to 17 columns, a part drawn with the attacker's seed beyond. A model learns from the attacker's own releases with
    and without the target to tell the two by their counts, each as a standard score; every target has its own.

    ``linear`` is a straight line in the logarithm of 1 plus each count, whose weights are held back by how little a
    count says of membership in the own releases (the cube of their correlation); ``forest`` is the published random
    forest of 100 trees of depth 10 on the counts themselves.

    References
    ----------
    .. [1] Houssiau et al. 2022, TAPAS: a toolbox for adversarial privacy auditing of synthetic data,
       https://arxiv.org/abs/2211.06550
    .. [2] Meeus, Guépin, Creţu, de Montjoye 2023, Achilles' heels: vulnerable record identification in synthetic data
       publishing, https://arxiv.org/abs/2306.10308
    """

    name: ClassVar[str] = "queries"
    title: ClassVar[str] = "Counting queries on the target"
    card: ClassVar[str] = (
        "Counts, for every set of columns, the released rows that agree with the target there, and learns from "
        "releases of the attacker's own which counts rise with the target. Needs the generator and many such "
        "releases, which take most of its time. Among the strongest attacks on single records wherever "
        "combinations of values survive. Leave it out where the generator takes hours to train."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "bootstrap"

    model: str = parameter(
        "linear",
        label="Learning method",
        help="The linear model is regularised, and quick. The random forest is the published one, and slower.",
        choices={"linear": "Linear model", "forest": "Random forest"},
    )
    numbers: str = parameter(
        "at least",
        label="When a number agrees",
        help="Compared with the target's. As published: where it is as large or larger. Outward: as far from the "
        "column's mean, or farther, on the target's side.",
        choices=dict(zip(NUMBERS, ("As large or larger", "As small or smaller", "Outward"), strict=True)),
    )
    sets: int = parameter(
        2**WIDEST - 1,
        label="Sets of columns",
        help="The most sets of columns that are used; where there are more, this many are drawn.",
        low=1,
        high=2**WIDEST - 1,
        unit="sets",
    )
    own: int = own_parameter(50)

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedQueries:
        """Settle the sets, count them in the own releases and learn, one model a target.

        Raises
        ------
        DesignError
            Too few own releases, or no column in use.
        """
        own = own_releases(brief, self.own, self.name)
        queries = SubsetCounts.draw(brief.targets, numbers=self.numbers, most=self.sets, rng=rng)
        judges: list[Judge] = []
        for position in range(len(queries.records)):
            own_queries = queries.only(position)
            inside, outside = ((self._features(own_queries.counts(table)[0]) for table in side) for side in own)
            if self.model == "forest":
                judges.append(learn("forest", np.stack([*inside]), np.stack([*outside]), rng))
            else:
                judges.append(shrunken(inside, outside))
        return FittedQueries(queries, tuple(judges), self)

    def _features(self, counts: Codes) -> npt.NDArray[np.float32]:
        """What the model sees of counts: the forest themselves, the line log(1 + count).

        One row more says much of a rare combination and little of a usual one.
        """
        seen: npt.NDArray[np.float32] = counts.astype(np.float32)
        return seen if self.model == "forest" else np.log1p(seen, out=seen)


@dataclass(frozen=True, slots=True, eq=False)
class FittedQueries:
    """The sets of columns and, for each target, what was learnt of their counts."""

    queries: SubsetCounts
    judges: Sequence[Judge]
    attack: Queries

    def score(self, release: Table) -> Floats:
        """(n_targets,) the models' answers: above 0 where the counts look as with the target."""
        seen = self.attack._features(self.queries.counts(release))
        return np.array([judge(counts) for judge, counts in zip(self.judges, seen, strict=True)])


PLUGIN = Queries
