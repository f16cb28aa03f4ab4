"""How much of several secrets is put together: releases of NIST's ACS excerpts, of online shoppers and of Adult.

Run it alone: ``python benchmarks/reconstruction.py [release ...]``. Prints the lines of the table in
``results/criteria.md``. Needs the shared data. NIST's people of Massachusetts 2019 are parted at random in members
and holdout, and methods of riskkit release as many rows as there are members; the other releases are real ones.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.criteria import LIMIT, tables_of, three
from benchmarks.released_known import DATA
from riskkit import ReconstructionPlan, registry
from riskkit.questions.reconstruction.play import run_reconstruction
from riskkit.seeds import stream
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from tests.judged import word

ACS_KNOWN = ("PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "NPF", "HOUSING_TYPE", "OWN_RENT")
ACS_SECRETS = ("EDU", "INDP_CAT", "PINCP_DECILE", "DVET", "DREM", "DPHY")
METHODS = ("identity", "pram", "synthpop", "bayesnet", "stat", "histogram")
SHOPPERS = ("Month", "VisitorType", "Revenue")
REAL = dict.fromkeys(("flip10", "flip20", "flip30", "network", "synthpop", "ctgan", "trap"), SHOPPERS)


def acs() -> Tables:
    """Half of the people of Massachusetts 2019 as members, half as holdout; the members stand in for a release."""
    source = (DATA / "nist_acs" / "ma2019.csv").read_bytes()
    every = load(read_csv(source, name="ma2019.csv")).real
    order = stream(1, "acs").permutation(len(every))
    half = len(order) // 2
    members, others = every.rows(order[:half]), every.rows(order[half:])
    whole = load(read_csv(source, name="ma2019.csv"))
    return replace(whole, real=members, synthetic=members, holdout=others)


def runs(wanted: list[str]) -> Iterator[tuple[str, Tables, ReconstructionPlan]]:
    """What is asked: the name of the release, the files, the plan."""
    plan = ReconstructionPlan(secrets=ACS_SECRETS, known=ACS_KNOWN)
    tables = acs()
    for name in METHODS:
        if name not in registry.plugins("generators") or (wanted and f"acs-{name}" not in wanted):
            continue
        rng = stream(1, "acs", name)
        release = registry.parse("generators", name).fit(tables.real, rng).sample(len(tables.real), rng)
        yield f"acs, {name}", replace(tables, synthetic=release), plan
        if name in ("bayesnet", "pram"):
            yield f"acs, {name}, secrets dealt anew", tables, replace(plan, randomised_secret=True, generator=name)
    for name, secrets in REAL.items():
        if not wanted or name in wanted:
            yield name, tables_of(name), ReconstructionPlan(secrets=secrets)


def line(name: str, tables: Tables, plan: ReconstructionPlan) -> str:
    """One line of the table: the secrets together by each attacker's best, and the best single column."""
    started = time.process_time()
    result = run_reconstruction(tables, plan)
    seconds = time.process_time() - started
    estimates, shown = result.estimates, result.result["shown"]
    looks = [(look, estimates[3 * index : 3 * index + 3]) for index, look in enumerate(shown)]
    many = [each for each in looks if len(each[0]["columns"]) > 1]
    (best, (members, others, residual)) = next(each for each in many if not each[0]["how"].endswith("-whole"))
    (_, whole) = next(each for each in many if each[0]["how"].endswith("-whole"))
    single, ends = max(
        ((look, ends) for look, ends in looks if len(look["columns"]) == 1), key=lambda each: each[1][2].value
    )
    verdict = word(result.plain(), plan, LIMIT, tables=tables)
    return (
        f"| {name} | {members.value:.3f} | {others.value:.3f} | {three(residual)} | {best['how']} | "
        f"{three(whole[2])} | {single['columns'][0]} {three(ends[2])} | {verdict} | {seconds:.0f} |"
    )


def main(wanted: list[str]) -> None:
    """Print the lines."""
    print(
        "| release | members | others | residual | attacker | all right, residual | best column | verdict | seconds |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, tables, plan in runs(wanted):
        print(line(name, tables, plan), flush=True)


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    main(sys.argv[1:])
