"""The same secrets of the same people guessed from two releases: the share of right guesses from the one and other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.show.model import Played
from riskkit.show.names import Names
from riskkit.show.paired import Paired, Same, by_labels
from riskkit.stats.records import level_of_each
from riskkit.stats.same import hits_difference, places

LABELS = ("secret", "known", "model")


def paired(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every secret and known set that both runs have, those most often guessed at first."""
    assert before.result is not None
    assert after.result is not None
    level = float(before.plan.get("level", 0.95))
    kept: list[Sequence[Any]] = [run.result.get("records", ()) for run in (before, after) if run.result is not None]
    ours, theirs = (by_labels(one, *LABELS) for one in kept)
    both = [key for key in ours if key in theirs]
    each = level_of_each(level, max(len(both), 1))
    out = []
    for key in both:
        first: Any = ours[key]
        second: Any = theirs[key]
        rows = [same.row(int(row)) for row in first["row"]]
        left, right = places([-1 - at if row is None else row for at, row in enumerate(rows)], second["row"])
        people = np.asarray(same.person)[np.asarray(first["row"], dtype=np.int64)[left]]
        mine, other = (np.asarray(one["right"], dtype=np.bool_)[at] for one, at in ((first, left), (second, right)))
        try:
            difference = hits_difference(mine, other, people, level=each)
        except DesignError:  # too few of the same people
            continue
        who = say("{secret}, knowing {known}", secret=names.column(key[0]), known=names.known(key[1]))
        out.append(
            (float(mine.mean()), Paired(who, say("share of the same people guessed rightly"), difference, len(both)))
        )
    return tuple(one for _, one in sorted(out, key=lambda pair: -pair[0]))
