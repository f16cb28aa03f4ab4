"""The same question asked of each group, and of the worst of them without taking the unluckiest for the worst."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from riskkit.core import Estimate
from riskkit.errors import ScoreError
from riskkit.stats.gains import Baseline, gain
from riskkit.stats.guesses import Guesses, check_same_records
from riskkit.stats.inference import residual

_OfGroup = Callable[[str, float], Estimate]


@dataclass(frozen=True, slots=True)
class ByGroup:
    """One estimate a group.

    ``each`` in the order of the groups' names, labelled ``group``, each with an interval of its own level. ``worst`` is
    the group whose lower end is highest when all intervals are widened to hold together (Bonferroni): its interval
    holds as often as its level says although it was picked from ``groups``. None where no group has an estimate.
    ``refused`` are the groups without one, and the sentence why.
    """

    each: tuple[Estimate, ...]
    worst: Estimate | None
    refused: Mapping[str, str]


def delta_by_group(model: Guesses, baseline: Baseline, group: npt.ArrayLike, *, level: float = 0.95) -> ByGroup:
    """:func:`riskkit.stats.gains.gain` in each group; ``group`` (n,) names that of each record."""
    check_same_records(model, baseline.guesses)
    names = _names(group, model)

    def of_group(name: str, group_level: float) -> Estimate:
        chosen = names == name
        return gain(model.rows(chosen), baseline.rows(chosen), level=group_level)

    return _by_group(np.unique(names), of_group, level)


def residual_by_group(
    members: Guesses,
    control: Guesses,
    group_of_members: npt.ArrayLike,
    group_of_control: npt.ArrayLike,
    *,
    level: float = 0.95,
) -> ByGroup:
    """:func:`riskkit.stats.inference.residual` in each group that has members; each side's records name theirs."""
    of_members, of_control = _names(group_of_members, members), _names(group_of_control, control)

    def of_group(name: str, group_level: float) -> Estimate:
        inside, outside = of_members == name, of_control == name
        if not outside.any():
            raise ScoreError.phrase(
                "Nobody in the control belongs to this group, so its members have nobody to stand beside."
            )
        return residual(members.rows(inside), control.rows(outside), level=group_level)

    return _by_group(np.unique(of_members), of_group, level)


def _by_group(names: npt.NDArray[np.str_], of_group: _OfGroup, level: float) -> ByGroup:
    """The estimate of each group that has one, and the worst of them."""
    each: list[Estimate] = []
    refused: dict[str, str] = {}
    for name in names.tolist():
        try:
            each.append(of_group(name, level).label(group=name))
        except ScoreError as error:
            refused[name] = str(error)
    return ByGroup(tuple(each), _worst(each, of_group, level), refused)


def _worst(each: Sequence[Estimate], of_group: _OfGroup, level: float) -> Estimate | None:
    """The estimate whose lower end is highest, by intervals that hold together."""
    if not each:
        return None
    corrected = 1 - (1 - level) / len(each)
    widened = [of_group(estimate.labels["group"], corrected).label(group=estimate.labels["group"]) for estimate in each]
    worst = max(widened, key=lambda estimate: estimate.low)
    method = f"{worst.method}, Bonferroni over {len(each)} groups"
    return replace(worst, level=level, method=method).label(groups=str(len(each)))


def _names(group: npt.ArrayLike, guesses: Guesses) -> npt.NDArray[np.str_]:
    """(n,) the name of each record's group."""
    names = np.asarray(group, dtype=np.str_)
    if names.shape != (len(guesses),):
        raise ScoreError("Each record needs the name of its group; the two lists differ in length.")
    return names
