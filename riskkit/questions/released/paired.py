"""Two releases attacked on the same people: each attack's AUC on the one less that on the other."""

from __future__ import annotations

from riskkit.core import Scores
from riskkit.errors import DesignError
from riskkit.language import say
from riskkit.questions.released.result import ReleasedResult, Scored
from riskkit.show.model import Played
from riskkit.show.names import Names
from riskkit.show.paired import Paired, Same
from riskkit.stats import records
from riskkit.stats.same import aucs_difference, places

OUT = 10**9
"""Added to the row number of one who was not in, so that no two people have one number."""


def paired(before: Played, after: Played, names: Names, same: Same) -> tuple[Paired, ...]:
    """The difference of every attack that both runs have, the one that told most of the first release first."""
    assert before.result is not None
    assert after.result is not None
    first, second = ReleasedResult.of(before.result), ReleasedResult.of(after.result)
    theirs = {scored.attack: scored for scored in second.scores}
    both = [(scored, theirs[scored.attack]) for scored in first.scores if scored.attack in theirs]
    each = records.level_of_each(first.plan.level, max(len(both), 1))
    out = []
    for pair in both:
        try:
            old, new = _same_people(*pair, same)
            difference = aucs_difference(old, new, level=each)
            auc = records.auc(old).value
        except DesignError:  # too few of the same people, or scores that decide nothing
            continue
        who = names.called(pair[0].attack, "released")
        out.append((auc, Paired(who, say("AUC on the same people"), difference, len(both))))
    return tuple(compared for _, compared in sorted(out, key=lambda pair: -pair[0]))


def _same_people(before: Scored, after: Scored, same: Same) -> tuple[Scores, Scores]:
    """The scores of the people whom both runs asked about, in one order."""
    mine = [
        _number(same.row(int(row)) if is_in else int(row), is_in, place)
        for place, (row, is_in) in enumerate(zip(before.row, before.is_in, strict=True))
    ]
    other = [_number(int(row), is_in, 0) for row, is_in in zip(after.row, after.is_in, strict=True)]
    left, right = places(mine, other)
    who, is_in = before.record[left], before.is_in[left]
    sides = [
        Scores(scored.value[rows], is_in, who, who * 0, scored.attack)
        for scored, rows in ((before, left), (after, right))
    ]
    return sides[0], sides[1]


def _number(row: int | None, is_in: bool, place: int) -> int:
    """One number a person; of somebody who is not in the other table one that nobody has there."""
    if row is None:
        return -1 - place
    return row + (0 if is_in else OUT)
