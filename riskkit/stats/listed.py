"""Who, not only how much: people whose score stands out from those of people who were not in, with few there by luck.

A member's p-value is the share of people who were not in that score as high (a conformal p-value): where the release
does not follow this very person, it is as good as drawn from theirs. Benjamini and Hochberg's list then holds at most a
share ``q`` by luck, on average; such p-values hang together in the way under which that is proved.

Of several attacks one is chosen by how many people it would list in the other half of them all, and its list is kept in
this half; then the other way round. Each half gives away half of the error, so the two lists together hold the whole.

References
----------
.. [1] Bates, Candes, Lei, Romano and Sesia 2023, Testing for outliers with conformal p-values, Annals of Statistics
   51:149-178.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.base.distributions import ranks
from riskkit.core import Bools, Floats, Ints, Scores
from riskkit.errors import ScoreError
from riskkit.phrases import phrase
from riskkit.stats.looks import FEWEST
from riskkit.stats.multiplicity import benjamini_hochberg


@dataclass(frozen=True, slots=True, eq=False)
class ListedMembers:
    """Members that are listed.

    Parameters
    ----------
    at : (k,)
        Their places among the scores, in the order of these.
    p : (k,)
        The p-value of each.
    attack : (k,)
        Which attack lists each, by its place.
    asked
        Members that could have been listed; of those of equal rows one.
    fewest
        How many must stand out from everybody who was not in, in both halves together, before any is listed.
    q
        The share of the list that is there by luck, at most, on average.
    """

    at: Ints
    p: Floats
    attack: Ints
    asked: int
    fewest: int
    q: float

    def __len__(self) -> int:
        return len(self.at)


def listed(scores: Sequence[Scores], rng: np.random.Generator, *, q: float = 0.05) -> ListedMembers:
    """The members that may be listed by one of these attacks on the same people.

    Parameters
    ----------
    scores
        One for each attack; the same records in the same order. ``training`` is the record of each row.
    q : float in (0, 1)
        False discovery rate.

    Raises
    ------
    ScoreError
        No attack is given, or there are too few people on a side.
    """
    if not scores:
        raise ScoreError(phrase("No attack gave a score, so nobody can be listed."))
    first = np.unique(scores[0].training, return_index=True)[1]  # of equal rows one
    is_in = scores[0].is_in[first]
    if min(is_in.sum(), (~is_in).sum()) < 2 * FEWEST:
        raise ScoreError(phrase("There are too few people on a side to list some of them."))
    values = np.array([score.value[first] for score in scores])
    half = np.zeros(len(first), dtype=np.bool_)
    for side in (True, False):
        people = rng.permutation(np.flatnonzero(is_in == side))
        half[people[: len(people) // 2]] = True
    rows, p, attack, fewest = [], [], [], 0
    for here in (half, ~half):
        best = max(range(len(values)), key=lambda look: _finds(values[look, ~here], is_in[~here], q / 2))
        own = conformal_p(values[best, here & is_in], values[best, here & ~is_in])
        kept = benjamini_hochberg(own, q / 2)
        fewest += math.ceil(round(len(own) / (int((here & ~is_in).sum()) + 1) / (q / 2), 9))
        rows.append(first[np.flatnonzero(here & is_in)[kept]])
        p.append(own[kept])
        attack.append(np.full(int(kept.sum()), best))
    joined = np.concatenate(rows)
    order = np.argsort(joined, kind="stable")
    return ListedMembers(
        joined[order], np.concatenate(p)[order], np.concatenate(attack)[order], int(is_in.sum()), fewest, q
    )


def conformal_p(inside: Floats, outside: Floats) -> Floats:
    """(n_in,) for each score of a member the chance that one who was not in scores as high, themselves counted in."""
    rising = np.sort(outside)
    as_high = len(rising) - np.searchsorted(rising, inside, side="left")
    p: Floats = (as_high + 1) / (len(rising) + 1)
    return p


def _finds(values: Floats, is_in: Bools, q: float) -> tuple[int, float]:
    """How many members an attack lists, and how well it tells the sides apart."""
    kept = benjamini_hochberg(conformal_p(values[is_in], values[~is_in]), q)
    return int(kept.sum()), float(ranks(values)[is_in].mean())
