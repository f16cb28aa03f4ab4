"""The contest of 2020 played again on Adult: the organisers' anonymisers against every attacker, and the frontier.

Run it alone: ``python benchmarks/contest.py [attacker ...]``; writes ``docs/contest.md``, in about fifteen minutes of
processor time with all attackers. The matrix: a population of 100,000 rows made by OMTH17 from the 30,162 complete
rows, a sample of 10,000 for each anonymiser. The frontier: five rounds of a population of 20,000 with samples of 2,000.
Needs the shared data folder.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, typed
from riskkit import registry
from riskkit.audit.contest import run_contest
from riskkit.audit.contest_plan import ContestPlan
from riskkit.audit.contest_result import ContestResult
from riskkit.table.load import Tables
from riskkit.table.points import points_of

PAGE = Path(__file__).resolve().parents[1] / "docs" / "contest.md"
COLUMNS = [
    "age", "workclass", "education", "marital-status", "occupation", "relationship", "sex", "hours-per-week", "income",
]  # fmt: skip
"""The nine columns of the contest."""
SLOW = ("gen-lra", "logan-d", "nn-kde", "contest")
"""Attacks of minutes on 100,000 rows, and the one that goes by another name here."""
MATRIX = ContestPlan(
    anonymisers=(
        "stat", "pram:p=0.9,bins=100", "pram:p=0.9,law=empirical,bins=100", "kanonymity:k=5", "evasion", "identity",
    ),
    attackers=("distance", "two-sided", *(name for name in registry.plugins("released") if name not in SLOW)),
)  # fmt: skip
SWEEP = ContestPlan(
    anonymisers=(
        "pram:p={0.5/0.7/0.8/0.9/0.95},law=empirical,bins=100", "kanonymity:k={3/5/10}",
        "privbayes:epsilon={0.1/1/10}", "pram:p=0.9|noise:scale={0.1/0.5}", "swapping:p={0.1/0.5},percent=10",
        "synthpop:minimum_leaf={5/50}", "bayesnet:bins=20,degree=2", "stat", "evasion",
    ),
    attackers=("distance", "two-sided", "dcr-diff", "dpi", "nndr"), population=20_000, sample=2_000, rounds=5,
)  # fmt: skip
HEAD = """# The contest: anonymisers against attackers

The PWS Cup 2020 played again on Adult's nine census columns. A population of {population:,} different rows is made by
OMTH17 (`stat`) from the 30,162 complete rows; each anonymiser is dealt {sample:,} of them and releases as many rows;
each attacker sees population and release and names the 100 rows it is surest of. Guessing finds {expected:.0f} members,
14 or more with a probability of .1238 and 15 or more of .0725; the best of {looks} who guess finds {mean:.1f} on
average and seldom over {most}. Intervals are exact (Fisher's noncentral hypergeometric law, 95 %) and speak of this one
release. Made by `benchmarks/contest.py`.

"""


UNITS = """Numbers enter covariances in standard deviations: in years, ten pairs of disjoint samples of 10,000 from this
population agree to .08 to .20 only, where .4 is asked, so nobody could have taken part; in standard deviations to 3.8
to 4.8. 1000000 stands for equal tables.

"""
SWEPT = f"""
## The frontier

Five rounds of a population of {SWEEP.population:,} with samples of {SWEEP.sample:,}; guessing finds 10. Usefulness is
what is kept of pairs of columns (1 is all), with Student's interval over rounds; hits are the best attacker's of
{len(SWEEP.attackers)} ({", ".join(SWEEP.attackers)}), with an interval that allows for all of them. A setting is beaten
by those that are as useful and let fewer be found; **bold** where the intervals of hits do not meet.

"""


def tables() -> Tables:
    """Adult's complete rows, the columns of the contest."""
    frame = pd.read_csv(ADULT, keep_default_na=False)
    base = typed(frame[~(frame == "?").any(axis=1)][COLUMNS])
    return Tables(base, None, None, base.schema, (), ())


def matrix(result: ContestResult) -> str:
    """Hits of every attacker against every anonymiser; the row's largest in bold."""
    names = [row.anonymiser for row in result.rows]
    lines = [f"| attacker | {' | '.join(names)} |", "|---|" + "---|" * len(names)]
    for attacker in result.plan.attackers:
        cells = [_cell(row.hits.get(attacker), attacker == row.best) for row in result.rows]
        lines.append(f"| {attacker} | {' | '.join(cells)} |")
    said = result.as_dict()["anonymisers"]
    worst = [f"{one['worst']['value']:.0f} [{one['worst']['low']:.1f}, {one['worst']['high']:.1f}]" for one in said]
    lines.append(f"| **largest**, interval allowing for all | {' | '.join(worst)} |")
    lines.append(f"| points | {' | '.join(format(one['points'], '.0f') for one in said)} |")
    lines.append(f"| may take part | {' | '.join('yes' if not one['misses'] else 'no' for one in said)} |")
    measures = result.as_dict()["measures"]
    for name in said[0]["usefulness"]:
        found = [f"{one['usefulness'][name]:.3f}" if name in one["usefulness"] else "" for one in said]
        lines.append(f"| {measures[name]['title'] if name in measures else name} | {' | '.join(found)} |")
    return "\n".join(lines) + "\n"


def _cell(hits: Any, best: bool) -> str:
    if hits is None:
        return ""
    told = f"{hits.value:.0f} [{hits.low:.1f}, {hits.high:.1f}]"
    return f"**{told}**" if best else told


def frontier(result: ContestResult) -> str:
    """Every setting by what it keeps of pairs of columns and by its best attacker."""
    lines = ["| setting | pairs of columns kept | hits of the best attacker | beaten by |", "|---|---|---|---|"]
    for placed in sorted(result.frontier(), key=lambda one: -one.point.usefulness):
        point, useful = placed.point, placed.point.useful
        assert useful is not None
        kept = f"{useful.value:.3f} [{useful.low:.3f}, {useful.high:.3f}]"
        worst = f"{point.worst.value:.1f} [{point.worst.low:.1f}, {point.worst.high:.1f}]"
        others = [f"**{name}**" if name in placed.shown_better else name for name in placed.dominated_by]
        name = point.name.replace("|", "\\|")
        lines.append(f"| {name} | {kept} | {worst} | {', '.join(others).replace('|', chr(92) + '|') or 'nobody'} |")
    return "\n".join(lines) + "\n"


def seconds(result: ContestResult) -> float:
    """Processor seconds of the distance attack on the population and one release."""
    population, release = points_of((result.population.table, result.population.table.rows(np.arange(10_000))))
    attack = registry.parse("released", "contest")
    with threadpool_limits(1):
        attack.score(release, population.rows(np.arange(100)), None, np.random.default_rng(0))
        start = time.process_time()
        attack.score(release, population, None, np.random.default_rng(0))
        return time.process_time() - start


def main(attackers: list[str]) -> None:
    """Play both and write the page: once with the matrix, and again with the frontier."""
    if not ADULT.is_file():
        sys.exit("The Adult table is not at hand.")
    start = time.process_time()
    plan = replace(MATRIX, attackers=tuple(attackers)) if attackers else MATRIX
    found = run_contest(tables(), plan, progress=lambda at: print(at.done, at.total, flush=True))
    print(f"matrix: {time.process_time() - start:.0f} s", flush=True)
    chance = found.as_dict()["chance"]
    text = HEAD.format(
        population=chance["population"], sample=chance["members"], expected=chance["expected"],
        looks=chance["best_of"], mean=chance["best_mean"], most=chance["best_seldom_over"],
    )  # fmt: skip
    text += matrix(found) + "\n" + "\n".join(f"- {one}" for one in found.as_dict()["sentences"]) + "\n\n"
    text += UNITS
    text += (
        f"The distance attack takes {seconds(found):.1f} seconds of one processor on 100,000 rows and a release of "
        "10,000.\n"
    )
    text += "".join(f"\n- {note}" for note in found.notes)
    PAGE.write_text(text, encoding="utf-8")
    swept = run_contest(tables(), SWEEP, progress=lambda at: print(at.done, at.total, flush=True))
    print(f"both: {time.process_time() - start:.0f} s", flush=True)
    PAGE.write_text(text + SWEPT + frontier(swept) + "".join(f"\n- {n}" for n in swept.notes), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
