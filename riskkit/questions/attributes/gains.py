"""What the release, and what the real data, add to a constant guess: by every measure, each over its own baseline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from riskkit.core import Estimate
from riskkit.games.attribute import CONTROL, MAJORITY, MEMBERS, REAL, RELEASE, TESTED
from riskkit.questions.attributes import words as attributes_words
from riskkit.questions.attributes.plan import TESTED_PEOPLE, AttributePlan
from riskkit.questions.attributes.sides import Sides
from riskkit.stats.gains import CHANCE, Baseline, gain, leakage_ratio, most_frequent

MEASURES: Mapping[str, tuple[str, ...]] = {
    "category": ("accuracy", "balanced_accuracy", "macro_f1", "auc"),
    "number": ("within", "mae"),
}
"""Measures whose gain is given, the share of right guesses first of its kind."""

Made = tuple[Callable[[], Estimate], dict[str, str]]
"""An estimate to be made, and its labels."""


class Gains:
    """The gains of one unit. ``sides`` are the guesses about everybody."""

    def __init__(self, sides: Sides, plan: AttributePlan) -> None:
        self.sides, self.plan = sides, plan
        self.tested = tuple(side for side in (CONTROL, MEMBERS) if (RELEASE, side) in sides)
        self.kind = sides[RELEASE, self.tested[0]].kind

    @cached_property
    def _constants(self) -> dict[str, Baseline]:
        """The constant guess that the plan asks for, about each side."""
        if self.plan.baseline != TESTED_PEOPLE:
            return {side: Baseline(self.sides[MAJORITY, side]) for side in self.tested}
        return {side: most_frequent(self.sides[TESTED, side], level=self.plan.level) for side in self.tested}

    def baseline(self, metric: str, side: str) -> tuple[Baseline, str]:
        """What that measure of guesses about that side is set against, and what it is called."""
        if metric in CHANCE:  # the tested people's own level is there for sure: the constant reaches 1 of so many
            return Baseline(self.sides[TESTED, side]), "chance"
        return self._constants[side], self.plan.baseline

    def every(self, metrics: tuple[str, ...], *, with_ratios: bool) -> Iterator[Made]:
        """The gains of both models about both sides, then the ratios about the people who were not in, if any are."""
        for trained_on in (RELEASE, REAL):
            for side in self.tested:
                if (trained_on, side) in self.sides:
                    for metric in metrics:
                        yield self._gain(metric, trained_on, side)
        if with_ratios:
            yield from (self._ratio(metric) for metric in metrics if metric in attributes_words.RATIOS)

    def _gain(self, metric: str, trained_on: str, side: str) -> Made:
        def make() -> Estimate:
            baseline, name = self.baseline(metric, side)
            estimate = gain(self.sides[trained_on, side], baseline, metric=metric, level=self.plan.level)
            return estimate.label(baseline=name)

        return make, {"trained_on": trained_on, "tested_on": side}

    def _ratio(self, metric: str) -> Made:
        side = self.tested[0]

        def make() -> Estimate:
            baseline, name = self.baseline(metric, side)
            release, real = self.sides[RELEASE, side], self.sides[REAL, side]
            return leakage_ratio(release, real, baseline, metric=metric, level=self.plan.level).label(baseline=name)

        return make, {"trained_on": RELEASE, "tested_on": side}
