"""The same secrets of the same people guessed from two releases: the share of right guesses from the one and other."""

from __future__ import annotations

import numpy as np

from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.questions.attributes.result import AttributesResult
from riskkit.show.model import Played
from riskkit.show.names import Names
from riskkit.show.paired import Paired, Same
from riskkit.stats.records import level_of_each
from riskkit.stats.same import hits_difference, places


def paired(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every secret and known set that both runs have, those most often guessed at first."""
    assert before.result is not None
    assert after.result is not None
    first, second = AttributesResult.of(before.result), AttributesResult.of(after.result)
    theirs = {members.about: members.guessed for members in second.records}
    both = [(each.about, each.guessed, theirs[each.about]) for each in first.records if each.about in theirs]
    level = level_of_each(first.plan.level, max(len(both), 1))
    out = []
    for about, old, new in both:
        rows = [same.row(int(row)) for row in old.row]
        left, right = places([-1 - place if row is None else row for place, row in enumerate(rows)], new.row.tolist())
        people = np.asarray(same.person)[old.row[left]]
        mine = old.right[left]
        try:
            difference = hits_difference(mine, new.right[right], people, level=level)
        except DesignError:  # too few of the same people
            continue
        who = say("{secret}, knowing {known}", secret=names.column(about.secret), known=names.known(about.known))
        out.append(
            (float(mine.mean()), Paired(who, say("share of the same people guessed rightly"), difference, len(both)))
        )
    return tuple(compared for _, compared in sorted(out, key=lambda pair: -pair[0]))
