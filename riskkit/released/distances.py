"""Attacks by distance: how near is the nearest released row, beside other rows or other people?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.released._distances import dcr, dcr_diff, dpi, mc, nndr, within


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
        help="How many of the nearest rows of release and reference together are looked at.",
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


PLUGIN = Dcr, DcrDiff, Nndr, Mc, Dpi, LocalNeighbourhood
