"""Attacks by distance: how near is the nearest released row, beside other rows or other people?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.released._distances import dcr, dcr_diff, dpi, mc, nndr, within
from riskkit.table.neighbours import counts_within, nearest
from riskkit.table.points import RowPoints

AROUND = 3.0
"""How many times the reach the surroundings extend."""


@dataclass(frozen=True)
class Collision(FileAttack):
    """Released rows that hit the target or nearly so, over those around it.

    TableGAN-MCA trains generators of its own and learns from them which released rows are members. Nothing is trained
    here: what its classifier picks up, rows that a release repeats more often than the density there explains, is
    counted directly. A hit is a released row within ``reach`` times the usual spacing of the release (the median
    distance of a released row to its nearest other); the score is hits over (rows within three times that distance
    plus 1), so that a hit in a sparse place counts most and a miss counts 0 everywhere.

    References
    ----------
    .. [1] Hu et al., TableGAN-MCA: membership collisions of released tables made by GANs (CCS 2021).
    """

    name: ClassVar[str] = "collision"
    title: ClassVar[str] = "Collisions"
    card: ClassVar[str] = (
        "Scores a record higher the more released rows equal it, or nearly do, beyond what the density around it "
        "explains. Needs nothing but the release; unlike the published attack it trains no generator. Finds copies "
        "and near copies in dense and sparse places alike; blind to rows beyond its reach."
    )
    least: ClassVar[int] = 2
    reach: float = parameter(
        0.5,
        label="Reach",
        help="A hit is a released row within this many times the usual spacing of the release.",
        low=0.0,
        high=10.0,
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) 0 for a miss, below 1; higher means hit more often than the density there explains."""
        radius = self.reach * float(np.median(nearest(sight.release, sight.release, 2)[0][:, 1]))
        hits, around = (counts_within(sight.targets, sight.release, radius * times) for times in (1.0, AROUND))
        return hits / (around + 1.0)


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


@dataclass(frozen=True)
class Dcr(FileAttack):
    """Less the distance to the closest released row.

    References
    ----------
    .. [1] Chen et al., GAN-Leaks (CCS 2020), the full black-box attack.
    """

    name: ClassVar[str] = "dcr"
    title: ClassVar[str] = "Distance to the closest row"
    card: ClassVar[str] = (
        "Scores a record higher the closer its nearest released row is. Needs nothing but the release, and costs "
        "one search. Finds copies and near copies; blind where a method leaks only through properties of many rows "
        "at once."
    )
    is_distance: ClassVar[bool] = True
    near: ClassVar[int] = 1

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) higher means nearer. Draws nothing at random."""
        return dcr(sight.release, sight.targets)


@dataclass(frozen=True)
class DcrDiff(FileAttack):
    """The distance to the closest reference row less that to the closest released row.

    References
    ----------
    .. [1] Chen et al., GAN-Leaks (CCS 2020), the calibrated attack.
    """

    name: ClassVar[str] = "dcr-diff"
    title: ClassVar[str] = "Distance less distance to the reference"
    card: ClassVar[str] = (
        "Scores a record higher the closer its nearest released row is, compared with its nearest reference row. "
        "Needs the release and reference rows of the same population, and costs two searches. Corrects for records "
        "that are near everything; blind where a method leaks only through properties of many rows at once."
    )
    needs_reference: ClassVar[bool] = True
    near: ClassVar[int] = 1
    near_people: ClassVar[int] = 1
    is_distance: ClassVar[bool] = True

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) higher means nearer to the release than to the reference. Draws nothing at random."""
        return dcr_diff(sight.release, sight.targets, sight.others)


@dataclass(frozen=True)
class Nndr(FileAttack):
    """Less the ratio of the distances to the nearest and the second nearest released row.

    References
    ----------
    .. [1] Zhao et al., CTAB-GAN (ACML 2021), which reports the ratio as a privacy figure.
    """

    name: ClassVar[str] = "nndr"
    title: ClassVar[str] = "Nearest over second nearest"
    card: ClassVar[str] = (
        "Scores a record higher the nearer one released row is compared with the next, whatever the spacing of "
        "rows there. Needs nothing but the release, of two rows or more. Finds single copies in sparse places; "
        "blind where a record was copied twice with a little noise, because the second is then as near as the "
        "first."
    )
    least: ClassVar[int] = 2
    near: ClassVar[int] = 2
    is_distance: ClassVar[bool] = True

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) between -1, two rows equally near, and 0, a copy. Draws nothing at random."""
        return nndr(sight.release, sight.targets)


@dataclass(frozen=True)
class Mc(FileAttack):
    """The share of released rows within the median of the targets' distances to their closest released row.

    References
    ----------
    .. [1] Hilprecht, Haerterich and Bernau, Monte Carlo and reconstruction membership inference (PETS 2019).
    """

    name: ClassVar[str] = "mc"
    title: ClassVar[str] = "Monte Carlo"
    card: ClassVar[str] = (
        "Scores a record higher the more released rows lie within a radius that is set by all targets: the median "
        "of their distances to the closest released row. Needs the release and many targets at once, so a score "
        "holds for this set of targets alone. Finds places that a release fills too densely; blind to half of all "
        "targets, whose score is 0."
    )
    scores_together: ClassVar[bool] = True
    near: ClassVar[int] = 1

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) share between 0 and 1; the radius is set by all targets. Draws nothing at random."""
        return mc(sight.release, sight.targets)


@dataclass(frozen=True)
class Dpi(FileAttack):
    """The share of released rows among the nearest of release and reference together.

    References
    ----------
    .. [1] Ward, Wang and Cheng, Data plagiarism index (2024).
    """

    name: ClassVar[str] = "dpi"
    title: ClassVar[str] = "Released rows among the nearest"
    card: ClassVar[str] = (
        "Scores a record higher the larger the share of released rows among its nearest rows, those of release and "
        "reference together; the share itself, before any curve that would round it. Needs the release and "
        "reference rows of the same population. Strong where a release crowds around its members; coarse, because "
        "only few different scores are possible."
    )
    needs_reference: ClassVar[bool] = True
    k: int = parameter(
        20,
        label="Nearest rows",
        help="How many of the nearest rows of release and reference together are read.",
        low=1,
        high=1000,
        unit="rows",
    )

    @property
    def near(self) -> int:
        """How many of the nearest released rows it looks up."""
        return self.k + 1

    @property
    def near_people(self) -> int:
        """How many of the nearest rows of the people compared with it looks up."""
        return self.k + 1

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) share between 0 and 1. Draws nothing at random."""
        return dpi(sight.release, sight.targets, sight.others, self.k)


@dataclass(frozen=True)
class LocalNeighbourhood(FileAttack):
    """The share of released rows at the radius or nearer.

    References
    ----------
    .. [1] Ward et al., Synth-MIA (AISec 2025), which publishes it with radius 1.
    """

    name: ClassVar[str] = "local-neighbourhood"
    title: ClassVar[str] = "Rows within a radius"
    card: ClassVar[str] = (
        "Scores a record higher the more released rows lie within a fixed radius. Needs nothing but the release "
        "and a radius that suits its scale: in tables 1 is one category changed or one standard deviation; in "
        "plain arrays it is in their own units and may hold no row or all. Finds places that a release fills too "
        "densely; blind to single copies, and it takes typical records for members."
    )
    radius: float = parameter(
        1.0,
        label="Radius",
        help="Released rows at this distance or nearer are counted; in tables a category that differs is 1 away.",
        low=0.0,
        high=1e6,
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) share between 0 and 1. Draws nothing at random."""
        return within(sight.release, sight.targets, self.radius)


PLUGIN = Collision, NnKde, Dcr, DcrDiff, Nndr, Mc, Dpi, LocalNeighbourhood
