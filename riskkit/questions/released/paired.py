"""Two releases attacked on the same people: each attack's AUC on the one less that on the other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from riskkit.core import Scores
from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.show.model import Played
from riskkit.show.names import Names
from riskkit.show.paired import Paired, Same, by_labels
from riskkit.stats import records
from riskkit.stats.same import aucs_difference, places

OUT = 10**9
"""Added to the row number of one who was not in, so that no two people have one number."""


def paired(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every attack that both runs have, the one that told most of the first release first."""
    assert before.result is not None
    assert after.result is not None
    level = float(before.plan.get("level", 0.95))
    ours, theirs = (by_labels(run.result.get("scores", ()), "attack") for run in (before, after))  # type: ignore[union-attr]
    both = [key for key in ours if key in theirs]
    each = records.level_of_each(level, max(len(both), 1))
    out = []
    for key in both:
        try:
            first, second = _same_people(ours[key], theirs[key], same)
            difference = aucs_difference(first, second, level=each)
            told = records.auc(first).value
        except DesignError:  # too few of the same people, or scores that decide nothing
            continue
        who = names.called(key[0], "released")
        out.append((told, Paired(who, say("AUC on the same people"), difference, len(both))))
    return tuple(one for _, one in sorted(out, key=lambda pair: -pair[0]))


def _same_people(before: Mapping[str, Any], after: Mapping[str, Any], same: Same) -> tuple[Scores, Scores]:
    """The scores of the people whom both runs asked about, in one order."""
    moved = [
        same.row(int(row)) if is_in else int(row) for row, is_in in zip(before["row"], before["is_in"], strict=True)
    ]
    mine = [_number(row, is_in, at) for at, (row, is_in) in enumerate(zip(moved, before["is_in"], strict=True))]
    other = [_number(int(row), is_in, 0) for row, is_in in zip(after["row"], after["is_in"], strict=True)]
    left, right = places(mine, other)
    who = np.asarray(before["record"], dtype=np.int64)[left]
    is_in = np.asarray(before["is_in"], dtype=np.bool_)[left]
    sides = [
        Scores(np.asarray(kept["value"], dtype=np.float64)[at], is_in, who, who * 0, str(kept["attack"]))
        for kept, at in ((before, left), (after, right))
    ]
    return sides[0], sides[1]


def _number(row: int | None, is_in: bool, at: int) -> int:
    """One number a person; of somebody who is not in the other table one that nobody has there."""
    if row is None:
        return -1 - at
    return row + (0 if is_in else OUT)
