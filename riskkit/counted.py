"""Long calls that say how much of them is done, and come to the same bits as without a word.

A fit of scikit-learn to a large table takes seconds to a minute and says nothing by itself. What it does again and
again, such as a tree or a pass through the rows, is counted here in the way that each estimator leaves open. What is
worked out of each row by itself is worked out of some rows after others.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit import stages

AT_ONCE = 0.2
"""Seconds of work between two words: of trees that a forest is grown by, of rows that are worked out."""


def by_rows(rows: int, work: Callable[[slice], object], *, least: int = 1) -> None:
    """Do the work of all rows, of more and more of them at once: of a multiple of ``least``, or of all that are left.

    What comes of a row must not depend on the others, of which there are ``least`` at least beside it wherever there
    are as many in all.
    """
    done, more = 0, 1
    while done < rows:
        began, stop = time.monotonic(), done + more * least
        stop = stop if rows - stop >= least else rows
        work(slice(done, stop))
        done = stop
        stages.inner(done, rows)
        more = _more(more, time.monotonic() - began)


def near(search: Any, points: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """The places of the nearest rows to each of these, of some of them after others: those of ``search.kneighbors``.

    It compares rows in blocks, and in another way where there are few. Both stay as they are in one call for all.
    """
    from sklearn import get_config
    from sklearn.utils._openmp_helpers import _openmp_effective_n_threads

    block = get_config()["pairwise_dist_chunk_size"]
    places = [np.empty((0, search.n_neighbors), dtype=np.int64)]

    def look(some: slice) -> None:
        places.append(search.kneighbors(points[some], return_distance=False))

    by_rows(len(points), look, least=block * (4 * _openmp_effective_n_threads() + 1))
    return np.concatenate(places)


def _more(now: int, seconds: float) -> int:
    """How many parts are done at once next, where so many took that long."""
    return max(min(int(now * AT_ONCE / max(seconds, 1e-3)), 4 * now), 1)


def grown(forest: Any, x: npt.ArrayLike, y: npt.ArrayLike) -> Any:
    """A random forest, fitted: more and more of its trees, each drawn as it would be among all at once."""
    trees, done, more = forest.n_estimators, 0, 1
    forest.set_params(warm_start=True)
    while done < trees:
        began = time.monotonic()
        forest.set_params(n_estimators=min(done + more, trees)).fit(x, y)
        done += more
        stages.inner(min(done, trees), trees)
        more = _more(more, time.monotonic() - began)
    return forest.set_params(warm_start=False)


def monitor(rounds: int) -> Callable[..., None]:
    """What gradient boosting calls after each of its rounds."""
    return lambda done, *_: stages.inner(done + 1, rounds)


class Passes(np.random.RandomState):
    """Numbers drawn at random for a network, which puts the rows into a new order before each pass through them."""

    def __init__(self, seed: int, passes: int) -> None:
        super().__init__(seed)
        self.done, self.passes = 0, passes

    def shuffle(self, x: Any) -> None:
        """Put these into a new order."""
        stages.inner(self.done, self.passes)
        self.done += 1
        super().shuffle(x)


class Rounds:
    """What histogram boosting asks for the slopes of its loss once a round.

    It calls nothing of ours. So the loss that it makes for itself is handed over with its calls counted, and taken back
    when the fit is done.
    """

    def __init__(self, boosting: Any) -> None:
        self.boosting, self.done = boosting, 0

    def fit(self, x: npt.ArrayLike, y: npt.ArrayLike) -> Any:
        """The estimator, fitted."""
        made = self.boosting._get_loss

        def counted(**how: Any) -> Any:
            loss = made(**how)
            loss.gradient, loss.gradient_hessian = self._counts(loss.gradient), self._counts(loss.gradient_hessian)
            return loss

        self.boosting._get_loss = counted
        fitted = self.boosting.fit(x, y)
        del fitted._get_loss, fitted._loss.gradient, fitted._loss.gradient_hessian
        return fitted

    def _counts(self, slopes: Callable[..., Any]) -> Callable[..., Any]:
        def counting(*values: Any, **how: Any) -> Any:
            stages.inner(self.done, self.boosting.max_iter)
            self.done += 1
            return slopes(*values, **how)

        return counting


class Iterations:
    """What a logistic regression calls after each of its steps."""

    def __init__(self, most: int) -> None:
        self.done, self.most = 0, most

    def setup(self, estimator: Any, context: Any) -> None:
        """The fit begins."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """The fit is done."""

    def on_fit_task_begin(self, estimator: Any, context: Any, **_: Any) -> None:
        """A step begins."""

    def on_fit_task_end(self, *_: Any, **__: Any) -> bool:
        """A step is done; the fit goes on."""
        self.done += 1
        stages.inner(min(self.done, self.most), self.most)
        return False
