"""The contest of 2020 played again on Adult: the organisers' anonymisers against every attacker, and the frontier.

Run it alone: ``python benchmarks/contest.py [KEPT.json]``: writes ``results/contest.md``, in twenty-five minutes of
processor time. What was played is kept in the file that is named, if any, and not played again where it is there.
The matrix: a population of 100,000 rows made by OMTH17 from the 30,162 complete rows, a sample of 10,000 for each
anonymiser. The frontier: five rounds of a population of 20,000 with samples of 2,000. Needs the shared data folder.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, typed
from riskkit import registry
from riskkit.core import Estimate
from riskkit.questions.contest import words
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.points import LESSON, ranking_sentence
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.run import run_contest
from riskkit.questions.contest.words import reason, reference
from riskkit.stats.composition import delta_of
from riskkit.table.load import Tables
from riskkit.table.points import points_of
from riskkit.utility.covariances import covariance_agreement
from riskkit.wording import count

PAGE = Path(__file__).resolve().parent / "results" / "contest.md"
COLUMNS = [
    "age", "workclass", "education", "marital-status", "occupation", "relationship", "sex", "hours-per-week", "income",
]  # fmt: skip
"""The nine columns of the contest."""
OTHERS = tuple(name for name in registry.plugins("released") if name not in ("contest", "two-sided"))
THEIRS = "distance:direction=release,units=raw"
"""The organisers' own attack."""
MATRIX = ContestPlan(
    anonymisers=("stat", "pram:p=0.9,bins=100", "pram:p=0.9,law=empirical,bins=100", "kanonymity:k=5", "evasion"),
    attackers=("distance", THEIRS, "two-sided", *OTHERS),
    classifiers=("tree", "boosting", "linear"),
    secret="income",  # noqa: S106  a column
)
SWEEP = ContestPlan(
    anonymisers=(
        "pram:p={0.5/0.7/0.8/0.9/0.95},law=empirical,bins=100", "kanonymity:k={3/5/10}",
        "privbayes:epsilon={0.1/1/10}", "noise:scale={0.1/0.5}", "pram:p=0.9|noise:scale={0.1/0.5}",
        "swapping:p={0.1/0.5},percent=10", "synthpop:minimum_leaf={5/50}", "bayesnet:bins=20,degree=2", "stat",
        "evasion",
    ),
    attackers=("distance", "two-sided", "dcr-diff", "dpi", "nndr"), population=20_000, sample=2_000, rounds=5,
)  # fmt: skip
PAIRS, ROWS = 10, 10_000
HEAD = """# The contest: anonymisers against attackers

The PWS Cup 2020 played again on Adult's nine census columns. A population of {population:,} different rows is made by
OMTH17 (`stat`) from the 30,162 complete rows; each anonymiser is dealt {sample:,} of them and releases as many rows;
each attacker sees population and release and names the {guesses} rows it is surest of. Guessing finds {expected:.0f}
members, 14 or more with a probability of .1238 and 15 or more of .0725; the best of {looks} who guess finds {mean:.1f}
on average and seldom over {most}. Intervals are exact (Fisher's noncentral hypergeometric law, 95 %) and speak of this
one release. Made by `benchmarks/contest.py`.

The last column is the planted control: the sample itself, released as it is (D = C). An attacker that does not find it
is blind here, and its silence on the others says nothing. `distance` is riskkit's nearest record: from each person to
the closest released row, every column counting alike; `{theirs}` is the organisers'
own, from each released row to the closest person, in the table's units (section 4.3 of the paper).

"""
DECLARED = """
## What is declared and what is counted

The paper's Table 3 lets an anonymiser declare methods, k, Pk, δ-presence and (ε, δ). Here k and δ-presence are counted,
and of δ is said what follows from k and sampling (Li, Qardaji and Su 2012, theorem 5). For a tenth sampled and ε = 0.8
it proves δ = {five:.2g} at k = 5 and {ten:.2g} at k = 10, so a declared "k = 5, δ = 1e-6" would not follow from it.

"""
USEFUL = """
## How useful they are

Against the sample that each release was made from; how close other people of the same population come, {tested:,} of
them, is in the last column. Trees and models answer those {tested:,} people, whom no release was made from; models
that learn to tell the income have exact 95 % intervals over them, the other numbers describe the
release and estimate nothing. 1000000 stands for equal tables.

"""
UNITS = """
Numbers enter covariances in standard deviations, and the official formula in the table's own units stands beside it
under its own name: in years, {pairs} pairs of disjoint samples of 10,000 from this population agree to {raw} only,
where .4 is asked, so nobody could have taken part; in standard deviations to {standard}.

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


# --------------------------------------------------------------------------------------------------------------
# The page


def matrix(result: ContestResult, order: tuple[str, ...]) -> str:
    """Hits of every attacker against every anonymiser and the control; the row's largest in bold."""
    names = [cell(standing.name) for standing in result.standings]
    lines = [f"| attacker | {' | '.join(names)} | the sample itself |", "|---|" + "---|" * (len(names) + 1)]
    planted = {control.attacker: control for control in result.controls}
    for attacker in order:
        hits = [hit(standing, result.hits(standing.name), attacker) for standing in result.standings]
        control = planted.get(attacker)
        shown = "" if control is None else f"{count(control.hits)}{'' if control.is_found else ' not found'}"
        lines.append(f"| {attacker} | {' | '.join(hits)} | {shown} |")
    lines.append(
        f"| **largest**, allowing for all | {' | '.join(count(standing.worst) for standing in result.standings)} | |"
    )
    lines.append(f"| points | {' | '.join(f'{standing.score.value:.0f}' for standing in result.standings)} | |")
    return "\n".join(lines) + "\n"


def hit(standing: Standing, hits: Mapping[str, Estimate], attacker: str) -> str:
    """The hits of one attacker, bold where it is the best, empty where it could not be run."""
    if attacker not in hits:
        return ""
    return f"**{count(hits[attacker])}**" if standing.best == attacker else count(hits[attacker])


def cell(text: str) -> str:
    """Text that does not end its cell."""
    return text.replace("|", "\\|")


def useful(result: ContestResult) -> str:
    """Every number of usefulness, and who may take part."""
    lines = [
        f"| usefulness | {' | '.join(cell(standing.name) for standing in result.standings)} | other people |",
        "|---|" + "---|" * (len(result.standings) + 1),
    ]
    lines.append(
        f"| may take part | {' | '.join('yes' if standing.takes_part else 'no' for standing in result.standings)} | |"
    )
    for name, measure in result.about.items():
        cells = [number(standing, result.useful(standing.name), name) for standing in result.standings]
        lines.append(f"| {measure.title} | {' | '.join(cells)} | {reference(result, name)} |")
    return "\n".join(lines) + "\n"


def number(standing: Standing, useful: Mapping[str, Estimate], name: str) -> str:
    """A number of usefulness, with its interval where it has one."""
    if name in useful:
        estimate = useful[name]
        return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
    return f"{standing.usefulness[name]:.3f}" if name in standing.usefulness else ""


def frontier(result: ContestResult) -> str:
    """Every setting by what it keeps of pairs of columns and by its best attacker."""
    lines = ["| setting | pairs of columns kept | hits of the best attacker | beaten by |", "|---|---|---|---|"]
    for spot in sorted(result.frontiers["pairs"], key=lambda spot: -spot.usefulness):
        assert spot.useful is not None
        kept = f"{spot.useful.value:.3f} [{spot.useful.low:.3f}, {spot.useful.high:.3f}]"
        others = [f"**{cell(name)}**" if name in spot.shown else cell(name) for name in spot.beaten]
        lines.append(f"| {cell(spot.name)} | {kept} | {count(spot.worst)} | {', '.join(others) or 'nobody'} |")
    return "\n".join(lines) + "\n"


def page(played: Mapping[str, Any]) -> str:
    """The whole page of what was played."""
    kept = played["matrix"]
    result = ContestResult.from_plain(kept)
    chance = result.guessing
    text = HEAD.format(
        population=chance.population,
        sample=chance.members,
        expected=chance.expected,
        guesses=chance.guesses,
        looks=chance.best_of,
        mean=chance.best_mean,
        most=chance.best_seldom_over,
        theirs=THEIRS,
    )
    text += matrix(result, result.plan.attackers)
    sentences = [*result.sentences, result.lesson or LESSON]
    text += (
        "\n"
        + "\n".join(f"- {sentence}" for sentence in sentences)
        + "\n"
        + "".join(f"- {note}\n" for note in result.notes)
    )
    text += (
        f"\nThe distance attack takes {played['seconds']:.1f} seconds of one processor on 100,000 rows and a release"
    )
    text += " of 10,000.\n" + ranked(result) + USEFUL.format(tested=result.others.rows) + useful(result)
    text += UNITS.format(pairs=PAIRS, raw=span(played["raw"]), standard=span(played["standard"]))
    if "sweep" in played:
        swept = ContestResult.from_plain(played["sweep"])
        text += SWEPT.lstrip("\n") + frontier(swept) + "".join(f"\n- {note}" for note in swept.notes)
    return text.rstrip("\n") + "\n"


def ranked(result: ContestResult) -> str:
    """Who wins, what attackers are paid, and what is counted of each release beside what the paper declares."""
    text = f"\n## Who wins\n\n{ranking_sentence(result.ranking)}\n\n"
    for standing in result.standings:
        if standing.misses:
            text += f"- {standing.name} may not take part: {reason(result, standing)}.\n"
    text += "\n| attacker | points against the winner | against the best three |\n|---|---|---|\n"
    text += "".join(f"| {pay.attacker} | {pay.winner:.0f} | {pay.top:.0f} |\n" for pay in result.ranking.attackers)
    text += DECLARED.format(five=delta_of(5, 0.1, 0.8), ten=delta_of(10, 0.1, 0.8))
    return text + "".join(f"- {line}\n" for line in words.lines(result))


def span(values: list[float]) -> str:
    """The range of some numbers."""
    return f"{min(values):.2f} to {max(values):.2f}"


# --------------------------------------------------------------------------------------------------------------
# What is played


def seconds(base: Tables) -> float:
    """Processor seconds of the distance attack on the population and one release."""
    people = MATRIX.people(base).table
    population, release = points_of((people, people.rows(np.arange(ROWS))))
    attack = registry.parse("released", "contest")
    with threadpool_limits(1):
        attack.score(release, population.rows(np.arange(100)), None, np.random.default_rng(0))
        start = time.process_time()
        attack.score(release, population, None, np.random.default_rng(0))
        return time.process_time() - start


def agreements(base: Tables) -> dict[str, list[float]]:
    """How well disjoint samples of the same people agree in their covariances, by the unit of numbers."""
    people, rng = MATRIX.people(base).table, np.random.default_rng(1)
    agreements: dict[str, list[float]] = {"raw": [], "standard": []}
    for _ in range(PAIRS):
        order = rng.permutation(len(people))
        first, second = people.rows(order[:ROWS]), people.rows(order[ROWS : 2 * ROWS])
        agreements["raw"].append(covariance_agreement(first, second, scale="raw"))
        agreements["standard"].append(covariance_agreement(first, second, scale="standard"))
    return agreements


def contest(base: Tables, plan: ContestPlan) -> dict[str, Any]:
    """The plan, played."""
    start = time.process_time()
    result = run_contest(
        base, plan, progress=lambda progress: print(progress.done, progress.total, flush=True)
    ).as_dict()
    print(f"{time.process_time() - start:.0f} s", flush=True)
    return result


def main(kept: Path | None) -> None:
    """Play what is not kept yet, and write the page: once with the matrix, and again with the frontier."""
    if not ADULT.is_file():
        sys.exit("The Adult table is not at hand.")
    played: dict[str, Any] = json.loads(kept.read_text()) if kept and kept.is_file() else {}
    base = tables()
    if "matrix" not in played:
        played |= {"matrix": contest(base, MATRIX), "seconds": seconds(base), **agreements(base)}
    for part in ("matrix", "sweep"):
        if part not in played:
            played[part] = contest(base, SWEEP)
        if kept:
            kept.write_text(json.dumps(played))
        PAGE.write_text(page(played), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if sys.argv[1:] else None)
