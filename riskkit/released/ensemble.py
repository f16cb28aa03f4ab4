"""Ensemble: what do seven attacks of different kinds say together?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.base.distributions import ranks
from riskkit.core import Floats
from riskkit.released._attack import FileAttack, Sight, some
from riskkit.released._densities import FLOOR_ROWS, density_ratio
from riskkit.released._discriminate import forest, misfit
from riskkit.released._distances import dcr, dpi, within
from riskkit.table.points import RowPoints

NEIGHBOURS = 20
ROWS = 10_000


@dataclass(frozen=True)
class Ensemble(FileAttack):
    """The mean rank of a target over DCR, DCR-difference, MC, DPI, DOMIAS, classifier and EPT at their defaults.

    The list is fixed: no attack is chosen for what it finds in the case at hand, so nothing is to be corrected for.

    References
    ----------
    .. [1] Ward et al., ensembling membership inference attacks against tabular generative models (AISec 2025): no
       attack wins everywhere, mean scores of about seven diverse ones regret least.
    """

    name: ClassVar[str] = "ensemble"
    title: ClassVar[str] = "Ensemble of seven attacks"
    card: ClassVar[str] = (
        "Ranks all records by each of seven attacks and scores a record by its mean rank: nearness, nearness "
        "against the reference, number of near rows, their origin, density ratio, classifier and predicted values. "
        "Needs reference rows of the same population, and the time of all seven. Rarely the best, seldom far from "
        "it; a leak that only one kind of attack can see is diluted."
    )
    needs_reference: ClassVar[bool] = True
    scores_together: ClassVar[bool] = True

    parts: ClassVar[tuple[str, ...]] = ("dcr", "dcr-diff", "mc", "dpi", "domias", "classifier", "ept")
    """In an audit these are asked once, and what they say of all people is ranked; alone it asks them itself."""

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) mean rank over the number of targets, between 0 and 1, ties sharing theirs."""
        return self.join(list(parts(sight.release, sight.targets, sight.others, sight.rng).values()))

    def join(self, scores: Sequence[Floats]) -> Floats:
        """(n_targets,) the mean rank over what its parts say."""
        each = [ranks(score) for score in scores]
        return np.asarray(np.mean(each, axis=0) / len(each[0]))


def parts(release: RowPoints, targets: RowPoints, reference: RowPoints, rng: np.random.Generator) -> dict[str, Floats]:
    """The scores of the seven, by the name each has as an attack of its own; one search serves the first three."""
    near = dcr(release, targets)
    k = min(NEIGHBOURS, len(release) + len(reference))
    return {
        "dcr": near,
        "dcr-diff": near - dcr(reference, targets),
        "mc": within(release, targets, float(np.median(-near))),
        "dpi": dpi(release, targets, reference, k),
        "domias": density_ratio(release, targets, reference, FLOOR_ROWS, rng),
        "classifier": forest(some(release, ROWS, rng), targets, some(reference, ROWS, rng), rng),
        "ept": -misfit(some(release, ROWS, rng), targets, rng),
    }


PLUGIN = Ensemble
