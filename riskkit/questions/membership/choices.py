"""What became of a setting that an attack chose for itself: on its own releases, and on those that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from riskkit.core import Estimate, Scores
from riskkit.errors import TooFewTrainings
from riskkit.parameters import Choice
from riskkit.plain import entry
from riskkit.stats import summary


@dataclass(frozen=True, slots=True)
class Sweep:
    """How often every value of a setting would have been right.

    ``own`` is the accuracy on the releases that chose, the attacker's own: no training of them is counted, and that of
    the value at place ``at`` is the highest of many, so too high. ``counted`` is the accuracy on the counted ones, of
    which only that at ``at`` was settled before they were seen. ``own`` is empty where there are too few trainings.
    """

    labels: Mapping[str, str] = field(metadata=entry(is_spread=True))
    setting: str
    values: tuple[float, ...]
    at: int = field(metadata=entry("chosen"))
    own: tuple[Estimate, ...]
    counted: tuple[Estimate, ...]

    def in_hindsight(self, highest: float) -> tuple[float, Estimate] | None:
        """Of the values up to ``highest`` the one that names most counted releases rightly, and its accuracy there.

        It was chosen on the releases that it is counted on, so it is too high, and more so the more values there are.
        Of equals it is the smallest value. None where no value is so low.
        """
        among = [place for place, value in enumerate(self.values) if value <= highest]
        if not among:
            return None
        best = max(among, key=lambda place: (self.counted[place].value, -self.values[place]))
        return self.values[best], self.counted[best]


def sweep(choice: Choice, counted: Sequence[Scores], labels: Mapping[str, str], level: float) -> Sweep | None:
    """The sweep of these scores, one a value; None where the counted trainings are too few for a number."""
    numbers = np.arange(len(choice.own_in))
    own = [Scores(value, choice.own_in, numbers, np.zeros_like(numbers)) for value in choice.own]
    accuracies = _accuracies(counted, level)
    if not accuracies:
        return None
    values = tuple(choice.values.tolist())
    return Sweep(labels, choice.setting, values, choice.at, _accuracies(own, level), accuracies)


def _accuracies(scores: Sequence[Scores], level: float) -> tuple[Estimate, ...]:
    try:
        return tuple(summary.accuracy(each, level=level) for each in scores)
    except TooFewTrainings:
        return ()
