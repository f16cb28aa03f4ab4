"""What the released rows that agree with a person in all known columns give away: CAP, DCAP and TCAP.

The interval counts **records**, as everywhere in attribute inference: the release stays as it is. Whoever made the
matches says what counts for a record without one; how many have one is an estimate of its own, since the others say
little where it is low.

References
----------
.. [1] Elliot, Final report on the disclosure risk associated with the synthetic data produced by the SYLLS team (2014).
.. [2] Taub, Elliot, Pampaka and Smith, Differential correct attribution probability for synthetic data (2018).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Estimate, Floats
from riskkit.errors import ScoreError
from riskkit.stats.contrasts import difference_of_correlated
from riskkit.stats.guesses import CategoryGuesses, Clusters, check_enough
from riskkit.stats.inference import bounded_mean, correlation, difference, estimate
from riskkit.stats.intervals import critical, korn_graubard, square_and_add
from riskkit.stats.measures import GuessFigure, covariance, effective

Ends = tuple[float, float]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """Records that were looked up in a release.

    Attributes
    ----------
    guesses
        What the matching rows of each record say most often, beside the truth.
    cap : (n,)
        Of the matching rows the share that has the record's true level; without one, what was agreed to count.
    prior : (n,)
        Of all released rows the share that has it.
    matched, agreed : (n,)
        Whether any row matches, and whether all that do have one and the same level.

    Raises :class:`ScoreError` where the lists differ in length or a record agrees without a match.
    """

    guesses: CategoryGuesses
    cap: Floats
    prior: Floats
    matched: Bools
    agreed: Bools

    def __post_init__(self) -> None:
        for part in (self.cap, self.prior, self.matched, self.agreed):
            if part.shape != (len(self.guesses),):
                raise ScoreError("Each record needs one entry in every list of its matches; the lists differ.")
        if (self.agreed & ~self.matched).any():
            raise ScoreError("A record without a matching row cannot have rows that agree.")

    @property
    def clusters(self) -> Clusters:
        """Which records are copies of one another."""
        return self.guesses.clusters

    def rows(self, chosen: npt.ArrayLike) -> Matches:
        """The matches of these records: (k,) places, or (n,) a mask."""
        places = np.asarray(chosen)
        own = (part[places] for part in (self.cap, self.prior, self.matched, self.agreed))
        return Matches(self.guesses.rows(places), *own)


def matched_share(matches: Matches, *, level: float = 0.95) -> Estimate:
    """The share of records with a released row that agrees in all known columns.

    Interval: Korn and Graubard's. Raises :class:`ScoreError` where there are fewer than five different records.
    """
    return _share("matched", matches.matched, matches.clusters, level)


def agreed_share(matches: Matches, *, level: float = 0.95) -> Estimate:
    """The share of records whose matching rows all have one level (WEAP 1): those whom TCAP is about.

    Interval: Korn and Graubard's. Raises :class:`ScoreError` where there are fewer than five different records.
    """
    return _share("agreed", matches.agreed, matches.clusters, level)


def cap(matches: Matches, *, level: float = 0.95) -> Estimate:
    """CAP: the mean share of the true level among matching rows, which is the chance that one drawn from them is right.

    Interval: Korn and Graubard's of a share of as large a variance. Raises :class:`ScoreError` where there are fewer
    than five different records.
    """
    check_enough(matches.clusters)
    ends = _mean(matches.cap, matches.clusters, level)
    method = "Korn-Graubard of a bounded mean, by record"
    return Estimate.around("cap", matches.cap.mean(), ends, level, method, len(matches.clusters))


def dcap(matches: Matches, *, level: float = 0.95) -> Estimate:
    """DCAP: by how much CAP is above the chance that a row drawn from the whole release is right.

    0: looking up the known columns tells nothing. Above 0 may be a fact about the population; what is owed to having
    been in is the difference of DCAP between members and people who were not. Interval: MOVER of the two means and
    their correlation, never narrower than as many records allow in which the two do not differ once.

    Raises
    ------
    ScoreError
        There are fewer than five different records.
    """
    check_enough(matches.clusters)
    clusters = matches.clusters
    first, second = float(matches.cap.mean()), float(matches.prior.mean())
    alone = [_mean(values, clusters, level) for values in (matches.cap, matches.prior)]
    spread = covariance(clusters, matches.cap, matches.prior)
    low, high = difference_of_correlated(first, alone[0], second, alone[1], correlation(spread))
    value, least = first - second, _least(matches.cap - matches.prior, clusters, level)
    ends = min(low, value - least), max(high, value + least)
    return Estimate.around("dcap", value, ends, level, "MOVER, paired, by record", len(clusters))


def tcap(matches: Matches, *, level: float = 0.95) -> Estimate:
    """TCAP: of the records whose matching rows all have one level, the share that truly has it.

    Interval: Korn and Graubard's, for as many records as there are such.

    Raises
    ------
    ScoreError
        There are fewer than five different records of that kind.
    """
    return replace(estimate(_agreed_guesses(matches), "accuracy", level=level), name="tcap")


def dcap_apart(members: Matches, control: Matches, *, level: float = 0.95) -> Estimate:
    """DCAP among members minus DCAP among people who were not in: what looking up tells for having been in.

    Interval: square-and-add of the two (Newcombe 1998).

    Raises
    ------
    ScoreError
        A side has fewer than five different records.
    """
    inside, outside = (dcap(side, level=level) for side in (members, control))
    value = inside.value - outside.value
    sides = [(np.asarray(side.value), (np.asarray(side.low), np.asarray(side.high))) for side in (inside, outside)]
    method = "MOVER, square-and-add, by record"
    return Estimate.around(
        "dcap_apart", value, square_and_add(*sides[0], *sides[1]), level, method, inside.n + outside.n
    )


def tcap_apart(members: Matches, control: Matches, *, level: float = 0.95) -> Estimate:
    """TCAP among members minus TCAP among people who were not in.

    Interval: square-and-add of Korn and Graubard's two.

    Raises
    ------
    ScoreError
        A side has fewer than five different records whose matching rows all have one level.
    """
    return replace(
        difference(_agreed_guesses(members), _agreed_guesses(control), level=level), name="tcap_apart", labels={}
    )


def _agreed_guesses(matches: Matches) -> CategoryGuesses:
    """The guesses about records whose matching rows all have one level."""
    sure = matches.guesses.rows(matches.agreed)
    if not len(sure):
        raise ScoreError.phrase("No record has matching rows that all have one level, so there is no TCAP.")
    return sure


def _share(name: str, hits: Bools, clusters: Clusters, level: float) -> Estimate:
    """The share of records that are hits."""
    check_enough(clusters)
    worth = effective(clusters, hits.astype(np.float64))
    ends = korn_graubard(hits.mean(), worth, level, clusters.estimated_from)
    return Estimate.around(name, hits.mean(), ends, level, "Korn-Graubard, by record", len(clusters))


def _mean(values: Floats, clusters: Clusters, level: float) -> Ends:
    """Interval of the mean of values within 0 and 1."""
    return bounded_mean(GuessFigure(float(values.mean()), values - values.mean()), 1.0, clusters, level)


def _least(gaps: Floats, clusters: Clusters, level: float) -> float:
    """The least half width of a mean difference: what as many records leave in which none differs."""
    square = critical(level, clusters.estimated_from) ** 2
    return square / (len(gaps) / clusters.arm(gaps).worst_design_effect + square)
