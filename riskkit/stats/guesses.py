"""What was guessed of a secret, record by record, beside what is true."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Floats, Ints
from riskkit.errors import ParameterError, ScoreError
from riskkit.stats.arms import Arm

FEWEST_RECORDS = 5
"""Different records that an interval needs, and so a number."""

_SUM_SLACK = 1e-4


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a guessed number may be from the true one and still be right.

    Right is ``|guess - truth| <= relative * |truth|`` or ``|guess - truth| <= absolute``, whichever is kinder. The true
    number is the yardstick, never the guess, and its sign plays no part; a true 0 leaves only ``absolute``.

    Raises :class:`ParameterError` where one of the two is negative or not finite.
    """

    relative: float = 0.05
    absolute: float = 0.0

    def __post_init__(self) -> None:
        if not (0 <= self.relative < np.inf and 0 <= self.absolute < np.inf):
            raise ParameterError(
                f"The tolerance is {self.relative:g} of the true value or {self.absolute:g}; neither may be below 0."
            )

    def holds(self, truth: Floats, guess: Floats) -> Bools:
        """(n,) whether each guess is right; a guess that is not a number never is."""
        size = np.abs(truth)
        rounding = 8 * np.finfo(np.float64).eps * size
        right: Bools = np.abs(guess - truth) <= np.maximum(self.relative * size, self.absolute) + rounding
        return right


class Clusters:
    """Which records are copies of one another: copies are asked about together, and count as one.

    ``order`` (n,) puts copies side by side; ``sizes`` (K,) how many of each there are.
    """

    def __init__(self, cluster: npt.ArrayLike | None, n: int) -> None:
        label = np.arange(n) if cluster is None else np.asarray(cluster)
        if label.shape != (n,):
            raise ScoreError("Each guess needs the number of its record; the two lists differ in length.")
        _, self.label, sizes = np.unique(label, return_inverse=True, return_counts=True)
        self.order: Ints = np.argsort(self.label, kind="stable").astype(np.int64)
        self.sizes: Ints = sizes.astype(np.int64)

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def estimated_from(self) -> int | None:
        """The records a design effect is estimated from; None where there are no copies or one record, so none is."""
        return len(self) if 1 < len(self) < len(self.order) else None

    def arm(self, of_records: npt.NDArray[np.generic]) -> Arm:
        """Values (..., n), one a record, with copies side by side."""
        return Arm(np.asarray(of_records, dtype=np.float64)[..., self.order], self.sizes)


class _Guessed:
    """What guesses of a category and of a number share."""

    right: Bools
    clusters: Clusters
    tolerance: Tolerance | None = None

    def __len__(self) -> int:
        return len(self.right)


class CategoryGuesses(_Guessed):
    """Guesses of a category.

    Parameters
    ----------
    truth, guess : array_like (n,)
        True and guessed code of each record; a missing value is a level with a code of its own.
    probability : array_like (n, levels), optional
        How likely each level was held to be, in code order; for AUC and log loss.
    cluster : array_like (n,), optional
        Records that are copies of one another have the same number. Without it no two are.

    Raises
    ------
    ScoreError
        The arrays do not fit each other, or the probabilities are none.
    """

    kind = "category"

    def __init__(
        self,
        truth: npt.ArrayLike,
        guess: npt.ArrayLike,
        probability: npt.ArrayLike | None = None,
        cluster: npt.ArrayLike | None = None,
    ) -> None:
        self.truth: Ints = np.asarray(truth).astype(np.int64)
        self.guess: Ints = np.asarray(guess).astype(np.int64)
        _check_lengths(self.truth, self.guess)
        self.clusters = Clusters(cluster, len(self.truth))
        self.probability = None if probability is None else _probabilities(probability, self.truth)
        self.right: Bools = self.truth == self.guess

    @cached_property
    def levels(self) -> Ints:
        """(n_seen,) the levels that some record truly has."""
        return np.unique(self.truth)

    def rows(self, chosen: npt.ArrayLike) -> CategoryGuesses:
        """The guesses of these records: (k,) places, or (n,) a mask."""
        places = np.asarray(chosen)
        probability = None if self.probability is None else self.probability[places]
        return CategoryGuesses(self.truth[places], self.guess[places], probability, self.clusters.label[places])


class NumberGuesses(_Guessed):
    """Guesses of a number.

    Parameters
    ----------
    truth, guess : array_like (n,)
        True and guessed number of each record. A guess may be no number: it is then wrong.
    tolerance : Tolerance
        When a guess is right.
    cluster : array_like (n,), optional
        Records that are copies of one another have the same number. Without it no two are.

    Raises
    ------
    ScoreError
        The arrays do not fit each other, or a true number is missing: such records cannot be asked about.
    """

    kind = "number"

    def __init__(
        self,
        truth: npt.ArrayLike,
        guess: npt.ArrayLike,
        tolerance: Tolerance | None = None,
        cluster: npt.ArrayLike | None = None,
    ) -> None:
        self.truth: Floats = np.asarray(truth, dtype=np.float64)
        self.guess: Floats = np.asarray(guess, dtype=np.float64)
        _check_lengths(self.truth, self.guess)
        missing = int((~np.isfinite(self.truth)).sum())
        if missing:
            raise ScoreError.phrase(
                "{missing} of {records} records have no true number to compare a guess with. Leave them out, and "
                "say how many they were.",
                missing=missing,
                records=len(self.truth),
            )
        self.clusters = Clusters(cluster, len(self.truth))
        self.tolerance = allowed = tolerance or Tolerance()
        self.right = allowed.holds(self.truth, self.guess)

    def rows(self, chosen: npt.ArrayLike) -> NumberGuesses:
        """The guesses of these records: (k,) places, or (n,) a mask."""
        places = np.asarray(chosen)
        return NumberGuesses(self.truth[places], self.guess[places], self.tolerance, self.clusters.label[places])


Guesses = CategoryGuesses | NumberGuesses


def check_same_records(*sides: Guesses) -> None:
    """Raise :class:`ScoreError` unless all are guesses about the same records in the same order, judged alike."""
    first = sides[0]
    for other in sides[1:]:
        if not (
            (other.kind, other.tolerance) == (first.kind, first.tolerance)
            and np.array_equal(other.truth, first.truth)
            and np.array_equal(other.clusters.label, first.clusters.label)
        ):
            raise ScoreError(
                "Guesses can be compared only on the same records, in the same order, and with the same tolerance."
            )


def check_enough(clusters: Clusters) -> None:
    """Raise :class:`ScoreError` where there are too few different records for an interval."""
    if len(clusters) < FEWEST_RECORDS:
        raise ScoreError.phrase(
            "There are {records} different records; an interval needs at least {fewest}. Ask about more records.",
            records=len(clusters),
            fewest=FEWEST_RECORDS,
        )


def _check_lengths(truth: npt.NDArray[np.generic], guess: npt.NDArray[np.generic]) -> None:
    """Truth and guess are two lists of one length."""
    if truth.ndim != 1 or truth.shape != guess.shape:
        raise ScoreError("Each record needs one true value and one guess; the two lists differ in length.")


def _probabilities(handed: npt.ArrayLike, truth: Ints) -> Floats:
    """(n, levels) the probabilities, found to be some."""
    probability = np.asarray(handed, dtype=np.float64)
    if probability.ndim != 2 or len(probability) != len(truth):
        raise ScoreError("Probabilities need one row for each record and one column for each level.")
    if not ((probability >= 0).all() and (np.abs(probability.sum(axis=1) - 1) <= _SUM_SLACK).all()):
        raise ScoreError("Probabilities must not be negative, and those of a record must add up to 1.")
    if len(truth) and not 0 <= truth.min() <= truth.max() < probability.shape[1]:
        raise ScoreError("A record truly has a level that the probabilities have no column for.")
    return probability
