"""The contest's distance attack, ours and the organisers', and one from both sides that keeping off does not evade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from riskkit.core import Floats, Ints
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.neighbours import nearest
from riskkit.table.points import DECIMALS, RowPoints


@dataclass(frozen=True)
class TwoSided(FileAttack):
    """Whether the target is alone near a released row, at the distance that this release keeps from such rows.

    From each released row the two closest targets are looked up, by the mixed distance of the contest. The gap between
    the two distances says how much alone the closer one is. The tenth of released rows with the largest gaps show how
    far rows lie from their sources: these rows are counted in bands of distance, no distance at all being a band of its
    own, and a target is scored by the count of its band first and by its gap next. A target with a small gap gets less,
    and one that no released row is closest to gets minus its distance to the release.

    To look for the closest released row alone is evaded by moving every row a little off the real ones: then rows that
    are hit by chance are nearest. Here rows that match exactly count for little where most keep another distance.

    References
    ----------
    .. [1] Chida et al., PWSCUP2020: the design and result of a membership inference contest (IPSJ Journal, 2023): the
       nearest record found 0 to 13 of 100 members where other attackers found 53 to 97.
    """

    name: ClassVar[str] = "two-sided"
    title: ClassVar[str] = "Nearest record from both sides"
    card: ClassVar[str] = (
        "Scores a target higher where it is alone near a released row, at the distance that this release keeps "
        "from isolated targets, even if that is 0. Needs nothing but the release, and takes two searches. Finds "
        "copies, and rows that were moved on purpose so that nothing matches exactly; blind in crowds. Needs "
        "possible members among the people asked about."
    )
    scores_together: ClassVar[bool] = True

    bands: int = parameter(
        6, label="Bands", help="Distances above 0 are grouped into this many bands.", low=1, high=100, unit="bands"
    )

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) below 0 where no released row is closest to the target. Draws nothing at random."""
        release, targets = sight.release, sight.targets
        low, high = release.numbers.min(axis=0), release.numbers.max(axis=0)
        unit = np.where(high > low, high - low, 1.0)
        asked, released = (replace(part, numbers=(part.numbers - low) / unit) for part in (targets, release))
        score = -nearest(asked, released, metric="city")[0][:, 0]
        if len(asked) == 1:
            return score
        away, named = nearest(released, asked, 2, metric="city")
        own = np.full(len(asked), -1.0)
        np.maximum.at(own, named[:, 0], self._alone(away))
        return np.where(own >= 0, own, score)

    def _alone(self, away: Floats) -> Floats:
        """(n_released,) the count of its band where a row is alone, plus a part of 1 for the gap; else that part."""
        gap = away[:, 1] - away[:, 0]
        part = gap / (1 + gap)
        lonely = gap >= np.quantile(gap, 0.9)
        band = self._band(away[:, 0], away[lonely, 0])
        count = np.bincount(band[lonely], minlength=band.max() + 1)
        return np.where(lonely & (gap > 0), count[band] + part, part)

    def _band(self, away: Floats, lonely: Floats) -> Ints:
        some = lonely[lonely > 0]
        cuts = np.quantile(some, np.linspace(0, 1, self.bands + 1)[1:-1]) if some.size else np.empty(0)
        return np.searchsorted(np.unique(np.concatenate([[0.0], cuts * (1 + 1e-9)])), away).astype(np.int64)


@dataclass(frozen=True)
class Contest(FileAttack):
    """Less the mixed distance to a released row: categories that differ, plus differences of numbers.

    As it is set at first it is riskkit's own: from each target to its closest released row, numbers as shares of the
    release's range. ``direction=release,units=raw`` is the organisers' of the PWS Cup 2020 (section 4.3 of the paper):
    from each released row to the closest target, which is named by it, numbers in the units of the table. The closer
    the two, the surer; of several released rows that name a target the closest counts, and a target that none names
    comes after all others. Of targets that are equally near to a released row it names the first.

    References
    ----------
    .. [1] Chida et al., PWSCUP2020: the design and result of a membership inference contest (IPSJ Journal, 2023).
    """

    name: ClassVar[str] = "contest"
    title: ClassVar[str] = "Contest's nearest record"
    card: ClassVar[str] = (
        "Scores a record higher the closer its nearest released row is, where every column counts alike: 0 or 1 "
        "for a category, the share of the release's range for a number. Needs nothing but the release. Finds "
        "copies and near copies. In the contest it found 0 to 13 of 100 members in releases where other attackers "
        "found 53 to 97, so a low result says little; a result below guessing says that the release was made to "
        "evade it. The organisers searched from each released row, in the table's own units; that needs possible "
        "members among the people asked about."
    )

    direction: str = parameter(
        "target",
        label="Direction of the search",
        help="For each person asked about, among the released rows (riskkit's); or for each released row, among the "
        "people asked about (the organisers').",
        choices={"target": "From each person", "release": "From each released row"},
    )
    units: str = parameter(
        "range",
        label="Unit of numbers",
        help="In shares of the release's range, columns count alike (riskkit's). In the table's own units, a number of "
        "large spread outweighs all else (the organisers').",
        choices={"range": "Shares of the release's range", "raw": "The table's own units"},
    )

    @property
    def scores_together(self) -> bool:
        """Whether the score of a target depends on who else is asked about."""
        return self.direction == "release"

    def judge(self, sight: Sight) -> Floats:
        """(n_targets,) higher means nearer. Draws nothing at random."""
        asked, released = self._in_units(sight.targets, sight.release)
        if self.direction == "target":
            return -nearest(asked, released, metric="city")[0][:, 0]
        distances, positions = nearest(released, asked, metric="city")
        away: Floats = np.round(distances[:, 0], DECIMALS)  # so that sums of the same differences tie
        score: Floats = np.full(len(asked), -away.max() - 1)
        np.maximum.at(score, positions[:, 0], -away)
        return score

    def _in_units(self, targets: RowPoints, release: RowPoints) -> tuple[RowPoints, RowPoints]:
        if self.units == "raw":
            return targets.raw(), release.raw()
        low, high = release.numbers.min(axis=0), release.numbers.max(axis=0)
        unit = np.where(high > low, high - low, 1.0)  # where the release has one number only, any other is a unit away
        asked, released = (replace(part, numbers=(part.numbers - low) / unit) for part in (targets, release))
        return asked, released


PLUGIN = TwoSided, Contest
