"""The planted leak: what every attack of an audit makes of a release that is known to leak.

The game is the audit's own: same real table, targets, worlds, settings of the attacks and number of trainings. Only
the method is a calibration mechanism whose leak is known without running it, and a release has as many rows as the
real table, which that answer needs. Which mechanism is the right one is the attack's to say (``control``), because a
leak that no attack of its kind can see would show nothing, and one that any attack finds would show little:

- attacks on rows get a bootstrap, where the record is in 63 of 100 releases, its neighbours come and go by chance as
  in any release, and the best attack has an AUC of .82;
- attacks on moments, which no draw of rows leaves a trace for, get the table itself in four of five trainings and
  noise in the fifth: such an attack has an AUC of .82 or more, the best one .98;
- attacks on the average of their own releases get the table itself, the one method that does not blur it, AUC 1;
- attacks on the counts inside a model get the table itself too, as a model whose counts have no noise, AUC 1.

An attack that finds its plant can see a leak of its kind on these records with so many trainings. That it would find
a leak of another kind is not said by it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from riskkit.core import Estimate, Scores
from riskkit.errors import ScoreError, TooFewTrainings, message_of
from riskkit.plain import entry
from riskkit.stats import summary
from riskkit.stats.summary import is_found


@dataclass(frozen=True, slots=True)
class PlantedControl:
    """What one attack made of the leak that was planted for it.

    ``labels`` say which record, which attack, and as ``generator`` which mechanism. ``best_auc`` is the AUC of the best
    attack there is, in closed form. ``auc`` is None where the game gave none; ``notes`` then say why. ``is_found`` says
    whether the attack found it.
    """

    labels: Mapping[str, str] = field(metadata=entry(is_spread=True))
    best_auc: float
    auc: Estimate | None
    notes: tuple[str, ...] = ()
    is_found: bool = field(init=False, metadata=entry("found"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_found", self.auc is not None and is_found(self.auc))


def graded(scores: Scores, labels: Mapping[str, str], best_auc: float, level: float) -> PlantedControl:
    """The control of these scores."""
    try:
        return PlantedControl(labels, best_auc, summary.auc(scores, level=level).labelled(**labels))
    except (ScoreError, TooFewTrainings) as refusal:
        return PlantedControl(labels, best_auc, None, (message_of(refusal),))
