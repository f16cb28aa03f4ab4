"""Many people from a few trainings, each of a random part of them: what is exact, and what holds for any attack.

Who is in which training is dealt for each person alone: so many of the trainings, all choices alike, whatever the
others were dealt. If a release does not depend on a person, that person's deal is as good as drawn after all scores
were there. So the rank sum of the person's trainings has its exact law (:func:`by_luck`), with ties, for any attack,
however other people leak, and however few trainings there are.

Above guessing no law is known, since scores may have any shape. An AUC is the mean of comparisons of one training with
the person and one without, and can be split into rounds in which every training stands in one comparison at most; so
it lies no further from its truth, in the sense of every convex function, than a share of ``n`` independent coins, where
the smaller side has ``n`` trainings [1]_. The least that a convex function says of the tail is :func:`beyond` [2]_. It
holds for every shape of scores; a shape that reaches it is a method that copies the person outright into some releases.

References
----------
.. [1] Hoeffding 1963, Probability inequalities for sums of bounded random variables, JASA 58:13-30, sections 5 and 6.
.. [2] Bentkus 2004, On Hoeffding's inequalities, Annals of Probability 32:1650-1673.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from riskkit.core import Floats
from riskkit.stats.multiplicity import rank_sum_p

METHOD = "ends that hold for any law of scores (Hoeffding, Bentkus), by training"


def by_luck(inside: Floats, outside: Floats) -> Floats:
    """(m,) the chance of a rank sum so high, had the release not depended on the person.

    Parameters
    ----------
    inside, outside : (m, n_in), (m, n_out)
        The scores of each person in the trainings with them and in those without.
    """
    both = np.concatenate([inside, outside], axis=1)
    return np.array([rank_sum_p(row, inside.shape[1]) for row in both])


def beyond(auc: npt.ArrayLike, limit: npt.ArrayLike, n: int) -> Floats:
    """(m,) no less than the chance of AUCs so high, were the true one at the limit or below; for any law of scores.

    Parameters
    ----------
    auc : array_like (m,)
        AUCs, each of independent trainings.
    limit : array_like (m,) or float
        The limit of each.
    n : int
        Trainings of the smaller side.
    """
    wins, truth = np.broadcast_arrays(n * np.atleast_1d(np.asarray(auc, dtype=np.float64)), np.asarray(limit))
    heads, truth = np.arange(n + 1), truth[:, None]
    logs = special.gammaln(n + 1) - special.gammaln(heads + 1) - special.gammaln(n - heads + 1)
    chance = np.exp(logs + special.xlogy(heads, truth) + special.xlog1py(n - heads, -truth))
    as_many = np.cumsum(chance[:, ::-1], axis=1)[:, ::-1]
    more = np.cumsum(as_many[:, ::-1], axis=1)[:, ::-1] - as_many  # by how many heads there are more than k, on average
    room = wins[:, None] - heads
    bound: Floats = np.where(room > 0, more / np.where(room > 0, room, 1.0), 1.0).min(axis=1)
    return np.minimum(bound, 1.0)


def tail(auc: Floats, luck: Floats, limit: float, n: int, side: int) -> Floats:
    """(m,) the chance of AUCs so far above the limit (``side`` 1) or below it (-1), were it the true one.

    At one half it is that of no leak, ``luck``, which is never below the chance at a higher limit, nor above that at a
    lower one.
    """
    if side < 0:
        return beyond(1 - auc, 1 - limit, n)
    if limit == 0.5:
        return luck
    return (np.minimum if limit < 0.5 else np.maximum)(luck, beyond(auc, limit, n))


def ends(auc: Floats, n: int, level: float) -> tuple[Floats, Floats]:
    """(m,), (m,) the ends of the interval of each AUC that holds for any law of scores, half of the error to each."""
    error = (1 - level) / 2
    return _lowest(auc, n, error), 1 - _lowest(1 - auc, n, error)


HALVINGS = 40
"""How often the place of an end is halved."""


def _lowest(auc: Floats, n: int, error: float) -> Floats:
    """(m,) the lowest true AUC of which one so high is no rarer than the error."""
    values, place = np.unique(auc, return_inverse=True)
    low, high = np.zeros(len(values)), values.copy()
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_rare = beyond(values, middle, n) <= error
        low, high = np.where(is_rare, middle, low), np.where(is_rare, high, middle)
    return low[place]
