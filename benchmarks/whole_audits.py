"""How often a whole audit says that a release leaks: where nobody leaked, and on releases of rising leak.

``python benchmarks/whole_audits.py [--nulls N] [--graded N] [--seed S] [--workers W] [--kept FILE]``. Every audit is
the quick one, with all questions that apply, played in this process.

*Nulls*: real table, release and holdout are three groups drawn from the same people, or the release comes from a method
that never looks at a row and is known to have made it, so that the questions about methods are asked as well. Kinds:
mixed columns, few categories, numbers of many decimals, rows sorted by the hour, files of unequal length.

*Graded*: of the online shoppers (shared data folder) few people a side. A share of the release are copies of real rows,
the rest other people; or every row is one of another person of which so many cells are those of one real row; or a
method was trained on these people.

*Leaks*: a method of the table of leaks was trained on few people of another public table.

*Gravest* takes the gravest word of all give-aways and questions, as a headline without any allowance would; *headline*
is what the audit says. Both are of the same audits. Intervals are Clopper-Pearson's at 95 %.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.released_known import DATA, RELEASES
from riskkit import registry
from riskkit.judging.give_aways import State
from riskkit.judging.measurement import Verdict
from riskkit.seeds import stream
from riskkit.session.tables import load
from riskkit.session.whole import audit
from riskkit.stats.intervals import clopper_pearson
from riskkit.table.write import to_csv

ROWS = 160
"""People a side in a null."""
FEW = 160
"""People a side on the releases of the shoppers."""
Frames = tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]
GIVE_AWAY = "give-aways"


def mixed(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Two categories and three numbers that hang together."""
    ward = rng.choice(4, n, p=[0.5, 0.3, 0.15, 0.05])
    age = np.clip(np.round(50 + 8 * ward + 12 * rng.standard_normal(n)), 18, 99).astype(int)
    return pd.DataFrame(
        {
            "ward": np.array(["east", "north", "south", "west"])[ward],
            "smoker": np.where(rng.random(n) < 0.2 + 0.2 * ward, "yes", "no"),
            "age": age,
            "score": np.round(rng.gamma(2.0, 1.5, n) + 0.02 * age, 1),
            "weight": np.round(60 + 0.2 * age + 9 * rng.standard_normal(n), 1),
        }
    )


def discrete(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Five columns of few categories, so that many people agree in all of them."""
    first = rng.integers(0, 3, n)
    columns = {"first": first} | {
        name: (first + rng.choice(levels, n, p=np.arange(levels, 0, -1) / (levels * (levels + 1) / 2))) % levels
        for name, levels in (("second", 2), ("third", 3), ("fourth", 4), ("fifth", 6))
    }
    return pd.DataFrame({name: np.array(list("abcdef"))[codes] for name, codes in columns.items()})


def fine(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Five numbers of six decimals that hang together: no two people agree."""
    shared = rng.standard_normal(n)
    columns = {f"x{place}": 0.6 * shared + 0.8 * rng.standard_normal(n) for place in range(4)}
    return pd.DataFrame(columns | {"y": np.exp(shared / 2) * 20}).round(6)


def hourly(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Visits of a day, sorted by the hour."""
    hour = np.sort(rng.choice(24, n, p=np.r_[np.full(8, 1), np.full(10, 5), np.full(6, 2)] / 70))
    busy = np.where((hour > 7) & (hour < 18), 1.0, 0.4)
    return pd.DataFrame(
        {
            "hour": hour,
            "weekday": np.array(["Mo", "Tu", "We", "Th", "Fr"])[rng.integers(0, 5, n)],
            "visit": 1 + rng.poisson(1.5, n),
            "minutes": np.round(rng.gamma(2.0, 8.0, n) * busy, 1),
            "outcome": np.where(rng.random(n) < 0.3 * busy, "kept", "left"),
        }
    )


KINDS: Mapping[str, tuple[Callable[[int, np.random.Generator], pd.DataFrame], tuple[float, float, float], str]] = {
    "mixed": (mixed, (1, 1, 1), ""),
    "discrete": (discrete, (1, 1, 1), ""),
    "fine": (fine, (1, 1, 1), ""),
    "sorted by hour": (hourly, (1, 1, 1), ""),
    "unequal sizes": (mixed, (1.2, 2, 0.4), ""),
    "method known": (mixed, (0.7, 0.7, 0.7), "independent"),
}
"""What is drawn, rows of real table, release and holdout beside :data:`ROWS`, and the method of the release."""


def drawn(kind: str, seed: int) -> tuple[Frames, dict[str, Any], tuple[str, ...]]:
    """The tables of a null of that kind, the settings they are loaded with, and the secrets asked about."""
    make, sizes, method = KINDS[kind]
    rng = stream(seed, "whole audits", kind)
    real, release, holdout = (make(round(ROWS * size), rng) for size in sizes)
    if method:
        release = release.apply(lambda column: column.sample(frac=1, random_state=rng).to_numpy())
    return (real, release, holdout), {"made_by": method or None}, tuple(real.columns[-2:])


@cache
def shoppers() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Training rows and holdout of the published releases."""
    every = [pd.read_csv(DATA / "shoppers" / name, dtype=str, keep_default_na=False) for name in RELEASES["ctgan"][2]]
    return every[0], every[1]


def copies(share: float, real: pd.DataFrame, others: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A release of which that share are real rows and the rest other people."""
    count = round(share * len(real))
    picked = rng.permutation(len(real))[:count]
    rows = pd.concat([real.iloc[picked], others.iloc[: len(real) - count]], ignore_index=True)
    return rows.sample(frac=1, random_state=rng)


def cells(share: float, real: pd.DataFrame, others: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """A release of other people of whose cells that share are those of one real row each."""
    own, other = real.sample(frac=1, random_state=rng).to_numpy(), others.iloc[: len(real)].to_numpy()
    return pd.DataFrame(np.where(rng.random(own.shape) < share, own, other), columns=real.columns)


GRADES: Mapping[str, Callable[..., pd.DataFrame]] = {
    **{f"{share:.0%} copies": partial(copies, share) for share in (0.02, 0.03, 0.05)},
    **{f"{share:.0%} of cells": partial(cells, share) for share in (0.05, 0.1, 0.2)},
}
METHODS = ("bayesnet", "copula")
"""Methods of which a release is made of these people alone."""
LEAKS = {
    "adult synthpop": ("adult/adult_train.csv.gz", "synthpop"),
    "adult bayesnet": ("adult/adult_train.csv.gz", "bayesnet:degree=2"),
    "census synthpop": ("uk_census2011/random_10000.csv", "synthpop"),
    "nist_acs bayesnet": ("nist_acs/ma2019.csv", "bayesnet:degree=2"),
    "adult chow-liu": ("adult/adult_train.csv.gz", "bayesnet"),
    "census mst": ("uk_census2011/random_10000.csv", "mst"),
    "nist_acs histogram": ("nist_acs/ma2019.csv", "histogram"),
}
"""Methods and tables of the table of leaks: the table's file, the method."""


def fitted(method: str, real: pd.DataFrame, seed: int) -> pd.DataFrame:
    """A release by a method that was trained on these people."""
    table = load(real.reset_index(drop=True)).real
    model = registry.parse("generators", method).fit(table, stream(seed, "whole audits", method, "fit"))
    release = to_csv(model.sample(len(table), stream(seed, "whole audits", method, "sample")))
    return pd.read_csv(BytesIO(release), dtype=str, keep_default_na=False)


@cache
def public(file: str) -> pd.DataFrame:
    """A table of the table of leaks, its rows in any order, without the first column where that only numbers them."""
    every = pd.read_csv(DATA / file, dtype=str, keep_default_na=False, skipinitialspace=True)
    return every.iloc[:, 1:] if every.iloc[:, 0].is_unique else every


def leaky(name: str, seed: int) -> tuple[Frames, dict[str, Any], tuple[str, ...]]:
    """A release of that method, trained on few people of that table; the last two columns are asked about."""
    file, method = LEAKS[name]
    every = public(file)
    drawn_rows = every.iloc[stream(seed, "whole audits", name).permutation(len(every))[: 2 * FEW]]
    real, holdout = drawn_rows.iloc[:FEW], drawn_rows.iloc[FEW:]
    return (real, fitted(method, real, seed), holdout), {}, tuple(every.columns[-2:])


def graded(grade: str, seed: int) -> tuple[Frames, dict[str, Any], tuple[str, ...]]:
    """The tables of a release of that leak, or by that method."""
    train, out = shoppers()
    rng = stream(seed, "whole audits", grade)
    inside, outside = (table.iloc[rng.permutation(len(table))] for table in (train, out))
    real, holdout = inside.iloc[:FEW], outside.iloc[:FEW]
    others = outside.iloc[FEW : 2 * FEW]
    release = GRADES[grade](real, others, rng) if grade in GRADES else fitted(grade, real, seed)
    return (real, release, holdout), {}, ("TrafficType", "Revenue")


def words(what: str, name: str, seed: int) -> dict[str, Any]:
    """One audit: what it is of, the words of its give-aways and questions, and its headline."""
    started = time.process_time()
    frames, how, secrets = {"null": drawn, "graded": graded, "leaks": leaky}[what](name, seed)
    played = audit(load(*(frame.reset_index(drop=True) for frame in frames), **how), secrets=secrets)
    report = played._build_findings
    words = {
        answer.question: str(answer.judgement.verdict) for answer in report.answers if answer.judgement is not None
    }
    shown = any(give_away.state is State.SHOWN for give_away in report.give_aways)
    every = [Verdict(word) for word in words.values()] + [Verdict.LEAK] * shown
    return {
        "what": what,
        "name": name,
        "seed": seed,
        "gravest": str(min(every, key=lambda verdict: verdict.gravity)),
        "headline": played.verdict,
        "words": {GIVE_AWAY: "leak shown" if shown else "not shown", **words},
        "chances": dict(report.overall.figures.get("chances", {})),
        "give_aways": [f"{give_away.code}: {give_away.state}" for give_away in report.give_aways],
        "seconds": round(time.process_time() - started, 1),
    }


def share(hits: int, times: int) -> str:
    """``3 of 60: 5.0 % [1.0, 13.9]``."""
    if not times:
        return "-"
    low, high = (100 * float(end) for end in clopper_pearson(hits, times, 0.025))
    return f"{hits} of {times}: {100 * hits / times:.1f} % [{low:.1f}, {high:.1f}]"


def table(audits: Sequence[Mapping[str, Any]], what: str) -> Iterator[str]:
    """A line for each kind, then one for all."""
    those = [each for each in audits if each["what"] == what]
    if not those:
        return
    yield f"| {what} | gravest says a leak | headline says a leak | headlines |"
    yield "|---|---|---|---|"
    kinds = [*dict.fromkeys(each["name"] for each in those), *(["all"] if what == "null" else [])]
    for kind in kinds:
        own = [each for each in those if kind in ("all", each["name"])]
        leaks = [sum(Verdict(each[by]).shows_leak for each in own) for by in ("gravest", "headline")]
        headlines = ", ".join(f"{word} {n}" for word, n in Counter(each["headline"] for each in own).most_common())
        yield f"| {kind} | {share(leaks[0], len(own))} | {share(leaks[1], len(own))} | {headlines} |"
    yield ""
    yield f"| {what}: what says so by itself | of those that it was asked of |"
    yield "|---|---|"
    for part in dict.fromkeys(part for each in those for part in each["words"]):
        asked = [each["words"][part] for each in those if part in each["words"]]
        yield f"| {part} | {share(sum(word in ('leak shown', 'above the limit') for word in asked), len(asked))} |"
    yield ""


def main(arguments: Sequence[str]) -> None:
    """Play them and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nulls", type=int, default=10, help="nulls of each kind")
    parser.add_argument("--graded", type=int, default=0, help="releases of each grade")
    parser.add_argument("--leaks", type=int, default=0, help="releases of each method and table of the table of leaks")
    parser.add_argument("--seed", type=int, default=0, help="of the first; each further has the next")
    parser.add_argument("--workers", type=int, default=1, help="processes side by side")
    parser.add_argument("--minutes", type=float, default=0, help="begin no more audits after so long; 0: no end")
    parser.add_argument("--kept", type=Path, help="a file of one line an audit: what it holds is not played again")
    asked = parser.parse_args(arguments)
    seeds = range(asked.seed, asked.seed + max(asked.nulls, asked.graded, asked.leaks))
    todo = [
        job
        for place, seed in enumerate(seeds)  # every kind in turn, so that one that is stopped has as many of each
        for job in (
            *(("null", kind, seed) for kind in KINDS if place < asked.nulls),
            *(("graded", grade, seed) for grade in (*GRADES, *METHODS) if place < asked.graded),
            *(("leaks", name, seed) for name in LEAKS if place < asked.leaks),
        )
    ]
    audits = [json.loads(line) for line in asked.kept.open()] if asked.kept and asked.kept.exists() else []
    done = {(each["what"], each["name"], each["seed"]) for each in audits}
    audits += played([job for job in todo if job not in done], asked.workers, asked.minutes, asked.kept)
    for what in ("null", "graded", "leaks"):
        print("\n".join(table(audits, what)), flush=True)
    spent = sum(each["seconds"] for each in audits)
    print(f"{len(audits):,} audits, {spent / max(len(audits), 1):.1f} s of processor time each.")


def played(
    todo: Sequence[tuple[str, str, int]], workers: int, minutes: float, kept: Path | None
) -> Iterator[dict[str, Any]]:
    """Every audit in turn, in this process where there is one worker; after so many minutes no more are begun."""
    started = time.monotonic()
    if workers > 1 and todo:
        with ProcessPoolExecutor(workers) as pool:
            yield from _written(pool.map(words, *zip(*todo, strict=True)), kept)
        return
    jobs = (job for job in todo if not minutes or time.monotonic() - started < 60 * minutes)
    yield from _written((words(*job) for job in jobs), kept)


def _written(audits: Iterator[dict[str, Any]], kept: Path | None) -> Iterator[dict[str, Any]]:
    for each in audits:
        if kept is not None:
            with kept.open("a") as lines:
                lines.write(json.dumps(each) + "\n")
        yield each


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
