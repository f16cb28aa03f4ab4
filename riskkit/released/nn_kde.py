"""Densities of nearest distances: is the target as near as members of such releases are, or as other people are?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats
from riskkit.released._attack import FileAttack, Sight
from riskkit.released._distances import dcr
from riskkit.table.points import RowPoints

T = TypeVar("T", bound=np.generic)

CHANGED = (0.0, 0.2, 0.4, 0.8)
"""Shares of values that the attacker's own stand-ins for a release change: from copies to almost nothing kept."""
FLOOR = 1e-3
"""Added to both densities, so that a distance that neither side has shown decides nothing."""
BLOCK = 4_000_000
"""Kernel values held at once."""


@dataclass(frozen=True)
class NnKde(FileAttack):
    """The logarithm of two densities' ratio at the target's distance to its closest released row.

    The published attack learns both densities from labelled distances. Without labels, other people's distances are
    real ones: those of the reference rows to the release. Members' distances are the attacker's own making: half of the
    reference is released with a share of its values changed for those of other rows, at several shares, and its rows'
    distances are taken in units of those that the other half shows.

    References
    ----------
    .. [1] Kernel density estimates of nearest-neighbour distances for membership inference (arXiv 2603.10937, 2026).
    """

    name: ClassVar[str] = "nn-kde"
    title: ClassVar[str] = "Densities of nearest distances"
    card: ClassVar[str] = (
        "Scores a record higher the more likely its distance to the closest released row is among members than "
        "among other people. Needs the release and 20 reference rows or more: they show other people's distances; "
        "those of members come from stand-in releases made of the reference, because nobody gives this attacker "
        "labels. Strong where members have a distance of their own, even if it is not the smallest; as blind as "
        "the nearest distance itself, and weak where the reference holds members too: set a share of the holdout "
        "aside for it."
    )
    needs_reference: ClassVar[bool] = True
    least_reference: ClassVar[int] = 20
    near: ClassVar[int] = 1

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) higher means likelier among members."""
        others = sight.others
        apart = -dcr(sight.release, others)
        usual = float(np.median(apart)) or 1.0
        shown, out = (np.log(0.1 + away / usual) for away in (-dcr(sight.release, sight.targets), apart))
        members = np.log(0.1 + _members(others, sight.rng))
        return np.log(_density(shown, members) + FLOOR) - np.log(_density(shown, out) + FLOOR)


def _members(reference: RowPoints, rng: np.random.Generator) -> Floats:
    """Distances of members to stand-in releases of them, in units of the median distance of those who were not in."""
    order = rng.permutation(len(reference))
    half = len(reference) // 2
    inside, outside = reference.rows(order[:half]), reference.rows(order[half:])
    scores = []
    for share in CHANGED:
        numbers, codes = _swap_values(inside.numbers, share, rng), _swap_values(inside.codes, share, rng)
        stand_in = replace(inside, numbers=numbers, codes=codes)
        usual = float(np.median(-dcr(stand_in, outside))) or 1.0
        scores.append(-dcr(stand_in, inside) / usual)
    return np.concatenate(scores)


def _swap_values(values: npt.NDArray[T], share: float, rng: np.random.Generator) -> npt.NDArray[T]:
    """The values with this share of them taken from another row."""
    rows = np.arange(len(values))[:, None]
    donors = np.where(rng.random(values.shape) < share, rng.integers(0, len(values), values.shape), rows)
    return np.take_along_axis(values, donors, axis=0)


def _density(points: Floats, sample: Floats) -> Floats:
    """(n,) a Gaussian kernel estimate with Silverman's width; samples without spread get a narrow one."""
    middle = float(np.subtract(*np.percentile(sample, [75, 25]))) / 1.34
    spread = min(float(sample.std()), middle) if middle > 0 else float(sample.std())
    width = max(0.9 * spread * len(sample) ** -0.2, 0.02)
    asked, place = np.unique(points, return_inverse=True)  # rows of few values share most of their distances
    out = np.empty(len(asked))
    step = max(1, BLOCK // len(sample))
    for start in range(0, len(asked), step):
        gap = (asked[start : start + step, None] - sample) / width
        out[start : start + step] = np.exp(-0.5 * gap**2).mean(axis=1)
    density: Floats = out[place] / (width * np.sqrt(2 * np.pi))
    return density


PLUGIN = NnKde
