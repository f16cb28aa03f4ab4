"""How well members and holdout are told apart without the release: what a leak must be more than."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from riskkit.core import Bools, Estimate, Ints, Scores
from riskkit.errors import DesignError, message_of
from riskkit.games.blind import blind
from riskkit.plain import entry
from riskkit.stats import permutation, records
from riskkit.stats.permutation import ends_by_test
from riskkit.table.points import RowPoints

DEALS = 2_499
"""Most times that the look without the release learns from labels dealt anew."""


@dataclass(frozen=True, slots=True, eq=False)
class BlindGuess:
    """How well the sides are told apart without the release.

    ``apart`` where that is shown; ``p`` is the chance to see it where there is no difference, from ``permutations``
    deals of the labels. ``why`` says why there is no number.
    """

    auc: Estimate | None
    p: float | None
    permutations: int
    apart: bool
    why: str = ""
    scores: Scores | None = field(default=None, metadata=entry(is_kept=False))

    @property
    def chance(self) -> float:
        """The p-value; 1 where there is no number."""
        return 1.0 if self.p is None else self.p


def without_release(
    targets: RowPoints,
    record: Ints,
    is_in: Bools,
    rng: Callable[..., np.random.Generator],
    level: float,
    owner: Ints | None = None,
) -> BlindGuess:
    """How well the sides are told apart by one who learns from half of the people asked about, and sees no release.

    Parameters
    ----------
    targets, record, is_in : (n,)
        The people, which record each is, and the truth; no record is of both sides.
    rng
        The stream of some labels.
    level
        The chance not to tell apart what is not.
    owner : (n_rows,), optional
        Where people have several rows: the place of each row's person among ``record`` and ``is_in``.
    """
    learner = blind(targets, record, rng("blind"), owner)
    scores = Scores(learner.score(is_in), is_in, record, record * 0, "without the release")
    try:
        auc = records.auc(scores, level=2 * level - 1)
    except DesignError as refusal:
        return BlindGuess(None, None, 0, False, message_of(refusal))
    p, deals = permutation.p_of_relearnt(learner.scores, is_in, record, DEALS, rng("blind", "labels"))
    apart = p <= 1 - level
    return BlindGuess(ends_by_test(auc, auc.high, apart), p, deals, apart, "", scores)
