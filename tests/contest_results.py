"""A contest with nothing in it, to be filled by hand."""

from dataclasses import replace
from typing import Any

from riskkit.core import Estimate
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.points import Ranking
from riskkit.questions.contest.result import ContestResult, Counts, Guessing, Order, Others, Safety, Standing

EMPTY = ContestResult(
    plan=ContestPlan(),
    estimates=(),
    counts=Counts(1_000),
    chance=Guessing(1_000, 100, 100, 10.0, 2, 13.0, 18),
    standings=(),
    ranking=Ranking((), {}, ()),
    controls=(),
    frontiers={},
    sentences=(),
    uploads=(),
    lesson="",
    measures={},
    order=Order((), ()),
    others=Others(0, {}),
    trees=(),
    notes=(),
)


def contest(**changed: Any) -> ContestResult:
    """That contest with these fields."""
    return replace(EMPTY, **changed)


def standing(name: str, worst: Estimate, **changed: Any) -> Standing:
    """One anonymiser of which nothing is known but the hits of its best attacker."""
    bare = Standing(
        name=name,
        is_uploaded=False,
        best="a",
        worst=worst,
        looks=1,
        chance=1.0,
        safety=Safety(100, 100, 100),
        preliminary=None,
        anonymity=None,
        points=0,
        evaded=(),
        usefulness={},
        elsewhere={},
        takes_part=True,
        misses=(),
    )
    return replace(bare, **changed)
