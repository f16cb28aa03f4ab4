"""The contest's distance attack: whose row is near a released row? Ours, and by its settings the organisers' own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from riskkit.core import Floats
from riskkit.parameters import parameter
from riskkit.released._attack import FileAttack, Sight
from riskkit.table.neighbours import nearest
from riskkit.table.points import DECIMALS, RowPoints


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


PLUGIN = Contest
