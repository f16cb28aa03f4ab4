"""How many graded releases are decided as leaks, by attacks judged together on everybody and as it was before.

    python benchmarks/released_power.py [--now] [RELEASE ...]

Real releases with public training rows and holdout, few people of which are there. Before: half of the holdout
was set aside for attacks that compare, and each attack had its share of the error (Bonferroni). Now: people are
compared with one another and the largest of all attacks is judged by labels dealt anew, at the end of the interval of
95 % that is printed. The attacks are those of a question that names none. ``--now``: before is left out.
Prints a row for each release and size.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.released_known import tables_of
from riskkit import ReleasedPlan, registry
from riskkit.core import Scores
from riskkit.errors import DesignError
from riskkit.games.released import ReleasedGame
from riskkit.questions.released.plan import SUITE
from riskkit.stats import records
from riskkit.stats.permutation import joint_aucs
from riskkit.table.load import Tables

LEAKING = ("flip30", "network", "synthpop")
GRADED = (*LEAKING, "ctgan", "trap")
SIZES, SEEDS, LEVEL = (100, 200, 400), range(1, 6), 0.95
NOW = "--now"
FIXED, SPLITS = 400, range(1, 21)
"""People of the look at the seed alone, and its seeds."""


def scores(game: ReleasedGame) -> list[Scores]:
    """Of every attack that could be played."""
    out = []
    for name in SUITE:
        try:
            each = game.scores(registry.parse("released", name), "attack", name)
            records.auc(each)
        except DesignError:
            continue
        out.append(each)
    return out


def before(game: ReleasedGame) -> bool:
    """Whether a leak is shown with the error divided among the attacks."""
    every = scores(game)
    return any(records.auc(scored, level=records.level_of_each(LEVEL, len(every))).low > 0.5 for scored in every)


def now(game: ReleasedGame) -> bool:
    """Whether a leak is shown by all attacks together."""
    end = (1 + LEVEL) / 2
    return min(joint_aucs(scores(game), game.rng("labels", "attacks"), level=end).p) <= 1 - end


def main() -> None:
    """Print how many of the seeds decide each release, and how often the seed alone changes that."""
    print("| release | people a side | decided before | decided now | of |")
    print("|---|---|---|---|---|")
    sums = np.zeros(3, dtype=np.int64)
    graded = tuple(name for name in sys.argv[1:] if name != NOW) or GRADED
    for name in graded:
        tables = tables_of(name)
        for size in SIZES:
            decisions = np.sum([decided(cut(tables, size, seed), [ReleasedPlan(seed=seed)]) for seed in SEEDS], axis=0)
            print(f"| {name} | {size} | {decisions[0]} | {decisions[1]} | {len(SEEDS)} |", flush=True)
            sums += (name in LEAKING) * np.array([*decisions, len(SEEDS)])
    print(f"| releases that leak | | {sums[0]} | {sums[1]} | {sums[2]} |\n")
    print(f"The same {FIXED} people a side, {len(SPLITS)} seeds of the split:\n")
    print("| release | other verdicts than most, before | now |")
    print("|---|---|---|")
    for name in graded:
        decisions = decided(cut(tables_of(name), FIXED, 1), [ReleasedPlan(seed=seed) for seed in SPLITS])
        print(f"| {name} | {' | '.join(str(min(count, len(SPLITS) - count)) for count in decisions)} |", flush=True)


def decided(tables: Tables, plans: list[ReleasedPlan]) -> tuple[int, int]:
    """Of how many of these plans a leak is shown, before and now."""
    aside = sum(before(replace(plan, reference="aside").game(tables)) for plan in plans if NOW not in sys.argv)
    return aside, sum(now(plan.game(tables)) for plan in plans)


def cut(tables: Tables, size: int, seed: int) -> Tables:
    """So many people a side and no others, whom nobody could compare with either."""
    rng = np.random.default_rng(seed)
    assert tables.holdout is not None
    real, holdout = (table.rows(np.sort(rng.permutation(len(table))[:size])) for table in (tables.real, tables.holdout))
    return replace(tables, real=real, holdout=holdout)


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
