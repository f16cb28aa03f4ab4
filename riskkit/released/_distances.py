"""Distances between targets, release and reference: what the distance attacks and their ensemble share.

Every function gives (n_targets,) float64, higher where the target seems to have been in.
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.errors import DesignError
from riskkit.table.neighbours import counts_within, nearest
from riskkit.table.points import RowPoints


def dcr(release: RowPoints, targets: RowPoints) -> Floats:
    """Less the distance to the closest released row."""
    away: Floats = nearest(targets, release)[0][:, 0]
    return -away


def dcr_diff(release: RowPoints, targets: RowPoints, reference: RowPoints) -> Floats:
    """How much nearer the closest released row is than the closest reference row."""
    return dcr(release, targets) - dcr(reference, targets)


def nndr(release: RowPoints, targets: RowPoints) -> Floats:
    """Less the distance to the closest released row over that to the second; two copies of the target count as 0."""
    first, second = nearest(targets, release, 2)[0].T
    ratio: Floats = np.divide(first, second, out=np.zeros(len(targets)), where=second > 0)
    return -ratio


def within(release: RowPoints, targets: RowPoints, radius: float) -> Floats:
    """The share of released rows at this distance or nearer."""
    share: Floats = counts_within(targets, release, radius) / len(release)
    return share


def mc(release: RowPoints, targets: RowPoints) -> Floats:
    """The share of released rows within the median of all targets' distances to their closest released row."""
    return within(release, targets, float(np.median(-dcr(release, targets))))


def dpi(release: RowPoints, targets: RowPoints, reference: RowPoints, k: int) -> Floats:
    """The share of released rows among the ``k`` nearest of release and reference together.

    Where rows tie for the last places, the places are shared among them in proportion, so that neither side wins ties.

    Raises
    ------
    DesignError
        Release and reference together have fewer than ``k`` rows.
    """
    distances, positions = _nearest_of_both(release, targets, reference, k)
    ours: Floats = (positions[:, :k] < len(release)).sum(axis=1).astype(np.float64)
    open_places = np.flatnonzero((distances[:, k - 1 : k] == distances[:, k:]).any(axis=1))
    near = distances[open_places], positions[open_places]
    ours[open_places] = _tied_share(release, targets.rows(open_places), reference, *near, k)
    share: Floats = ours / k
    return share


def _nearest_of_both(release: RowPoints, targets: RowPoints, reference: RowPoints, k: int) -> tuple[Floats, Ints]:
    """The ``k`` nearest of release and reference together and the one after them, released rows first where they tie.

    Positions are those in the release, then those in the reference, as if one search had been made in both.
    """
    most = len(release) + len(reference)
    if k > most:
        raise DesignError.phrase(
            "{k} nearest rows were asked for among {most}; ask for at least 1 and no more than that.", k=k, most=most
        )
    wanted = min(k + 1, most)
    ours, theirs = (nearest(targets, rows, min(wanted, len(rows))) for rows in (release, reference))
    distances = np.hstack([ours[0], theirs[0]])
    positions = np.hstack([ours[1], theirs[1] + len(release)])
    order = np.argsort(distances, axis=1, kind="stable")[:, :wanted]
    return np.take_along_axis(distances, order, axis=1), np.take_along_axis(positions, order, axis=1)


def _tied_share(
    release: RowPoints, targets: RowPoints, reference: RowPoints, distances: Floats, positions: Ints, k: int
) -> Floats:
    """Released rows among the ``k`` nearest where several rows tie for the last places."""
    last = distances[:, k - 1]
    nearer = distances < last[:, None]
    ours = (nearer & (positions < len(release))).sum(axis=1)
    theirs = nearer.sum(axis=1) - ours
    tied = counts_within(targets, release, last) - ours
    others = counts_within(targets, reference, last) - theirs
    places: Floats = ours + (k - ours - theirs) * tied / (tied + others)
    return places
