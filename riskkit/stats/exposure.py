"""Who in the data is guessed from the release and would not have been otherwise: a rule a person, a count for all.

The rule is no statistic: it says who was hit, and luck hits too. So the count stands beside the one that the same rule
gives among people who were not in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Estimate, Floats, Ints
from riskkit.stats.guesses import CategoryGuesses, Clusters, Guesses, check_enough, check_same_records
from riskkit.stats.inference import Share, shares_of
from riskkit.stats.intervals import square_and_add


@dataclass(frozen=True, slots=True)
class Exposure:
    """How many members the rule names.

    ``members`` counts those named; its interval is for as many people drawn anew. ``by_chance`` is how many it would
    name among as many people who were not in; ``beyond_chance`` the difference, below 0 where the control is hit more.
    """

    members: Estimate
    by_chance: Estimate
    beyond_chance: Estimate


def confidence(guesses: Guesses) -> Floats:
    """(n,) how likely each guess was held to be; 1 where guesses come without probabilities (those of a number do)."""
    if isinstance(guesses, CategoryGuesses) and guesses.probability is not None:
        return guesses.probability[np.arange(len(guesses)), guesses.guess]
    return np.ones(len(guesses))


def exposed_people(release: Guesses, baseline: Guesses, never_in: Guesses, *, least: float = 0.9) -> Bools:
    """(n,) who is guessed rightly from the release, and surely, but neither by the baseline nor without being in.

    Parameters
    ----------
    release, baseline, never_in : Guesses
        Guesses about the same records by the model of the release, by the baseline, and by a model of real data that
        did not hold the record.
    least : float
        How sure the model of the release must have been (see :func:`confidence`).

    Raises
    ------
    ScoreError
        The guesses are not about the same records in the same order.
    """
    check_same_records(release, baseline, never_in)
    named: Bools = release.right & ~baseline.right & ~never_in.right & (confidence(release) >= least)
    return named


def exposure(
    members: Bools,
    control: Bools,
    *,
    cluster_of_members: npt.ArrayLike | None = None,
    cluster_of_control: npt.ArrayLike | None = None,
    known_of_members: npt.ArrayLike | None = None,
    known_of_control: npt.ArrayLike | None = None,
    level: float = 0.95,
) -> Exposure:
    """How many members :func:`exposed_people` names, and how many it would name by chance.

    Parameters
    ----------
    members, control : (n_members,), (n_control,)
        Who was named, by the same rule on both sides.
    cluster_of_members, cluster_of_control : array_like, optional
        Records that are copies of one another have the same number.
    known_of_members, known_of_control : array_like, optional
        Records that are equal in what is known of them have the same number, on both sides. Models guess them alike,
        and were taught some of them: whom they name, in or out, is one matter, and such records count as one.
    level : float
        Coverage of the intervals: Korn and Graubard's for a count, square-and-add (Newcombe 1998) for the difference
        (see :func:`riskkit.stats.inference.shares_of`).

    Raises
    ------
    ScoreError
        A side has fewer than five different records.
    """
    of_members, of_control = (
        Clusters(cluster, len(side)) for cluster, side in ((cluster_of_members, members), (cluster_of_control, control))
    )
    check_enough(of_members)
    check_enough(of_control)
    least = 1.0
    if known_of_members is not None and known_of_control is not None:
        least = _together(members, np.asarray(known_of_members), control, np.asarray(known_of_control))
    inside, outside = shares_of((members, of_members), (control, of_control), level=level, least=least)
    beyond = inside[0] - outside[0], square_and_add(*inside, *outside)
    both, people = len(of_members) + len(of_control), len(members)
    return Exposure(
        _count("exposed", inside, people, level, "Korn-Graubard, by record", len(of_members)),
        _count("exposed_by_chance", outside, people, level, "Korn-Graubard, by record", len(of_control)),
        _count("exposed_beyond_chance", beyond, people, level, "Korn-Graubard, square-and-add, by record", both),
    )


def _together(members: Bools, known_of_members: Ints, control: Bools, known_of_control: Ints) -> float:
    """The design effect on the difference of the two shares of records that are equal in what is known."""
    known = np.unique(np.concatenate([known_of_members, known_of_control]), return_inverse=True)[1]
    off = np.concatenate([(members - members.mean()) / len(members), (control.mean() - control) / len(control)])
    alone, together = float((off**2).sum()), float((np.bincount(known, off) ** 2).sum())
    return together / alone if alone > 0 else 1.0


def _count(name: str, share: Share, people: int, level: float, method: str, n: int) -> Estimate:
    """A share of the members as a count of them."""
    value, *ends = (people * float(part) for part in (share[0], *share[1]))
    return Estimate.around(name, value, ends, level, method, n)
