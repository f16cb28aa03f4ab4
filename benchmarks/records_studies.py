"""Model-seeded against traditional risk on Adult, as Krco and others (2024) compare them: what docs/records.md shows.

    python benchmarks/records_studies.py [PART ...]

Every part is a few plans of :mod:`riskkit.audit.records`; without names all are played. Results are kept in
``benchmarks/results/records.json``, one entry a part, with the processor time each took. Adult is read where tests find
it. The table D is 1,000 complete rows drawn once, and the population of the traditional game other complete rows.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from riskkit.audit.records import run_records  # noqa: E402
from riskkit.audit.records_plan import RecordsPlan  # noqa: E402
from riskkit.core import Table  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.table.load import Tables  # noqa: E402
from tests.tables import adult  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "records.json"
ROWS, PEOPLE = 1_000, 30_000
SOME = "top:10+random:20"


def tables(rows: int = ROWS, number: int = 0) -> Tables:
    """Table ``number`` of so many rows of Adult, and the other people."""
    every = adult(45_222)
    order = stream(1, "records study", "people").permutation(len(every))
    kept = np.sort(order[:PEOPLE])  # of these the tables and nobody else are drawn
    drawn = np.sort(stream(1, "records study", "table", number).permutation(len(every) - PEOPLE)[:rows]) + PEOPLE
    real = every.rows(np.sort(order[drawn]))
    return Tables(real, None, every.rows(kept), every.schema, (), ())


def figures(given: Tables, **plan: Any) -> dict[str, Any]:
    """What the plan found, with the processor time."""
    started = time.process_time()
    result = run_records(given, RecordsPlan(**plan))
    kept = result.kept()
    for row in kept["records"]:
        if row["certificate"]:
            row["certificate"] = {"auc": row["certificate"]["auc"]}
        row.pop("curve")
    return {**kept, "processor_seconds": round(time.process_time() - started, 1)}


def whole() -> dict[str, Any]:
    """Every record of the table, with the certificate."""
    return {"bayesnet": figures(tables(), certificate=True)}


def compared(*generators: str, **more: Any) -> dict[str, Any]:
    """Both games with one attack that was trained on other people, as published."""
    usual = {"records": SOME, "knowledge": "auxiliary", "again": 0, **more}
    return {name: figures(tables(), generator=name, **usual) for name in generators}


def datasets() -> dict[str, Any]:
    """One record in fifteen tables: the same person, other people around it."""
    first = tables()
    person = first.real.rows([int(np.argmax(_standing_out(first.real)))])
    out = {}
    for number in range(15):
        own = tables(number=number)
        others = own.real.rows(~np.isin(own.real.keys(), person.keys()))
        table = person.plus(others.rows(np.arange(ROWS - 1)))
        given = Tables(table, None, own.holdout, table.schema, (), ())
        plan = {"records": "ids:0", "knowledge": "auxiliary", "again": 0, "inside": 250, "outside": 250}
        out[str(number)] = figures(given, traditional=250, **plan)
    return out


def sizes() -> dict[str, Any]:
    """Longer tables; releases keep their 1,000 rows."""
    few = {"records": "top:5+random:10", "knowledge": "auxiliary", "again": 0, "shadows": 50}
    plan = {"inside": 100, "outside": 100, "traditional": 100, **few}
    return {str(rows): figures(tables(rows), **plan) for rows in (1_000, 3_000, 10_000)}


def _standing_out(table: Table) -> Any:
    from riskkit.targets.vulnerable import isolation

    return isolation(table)


HALF = {"inside": 100, "outside": 100, "traditional": 100, "shadows": 50}
PARTS = {
    "datasets": datasets,
    "bayesnet": lambda: compared("bayesnet", inside=250, outside=250, traditional=250),
    "privbayes": lambda: compared(*(f"privbayes:epsilon={epsilon}" for epsilon in (0.1, 1, 10, 1000)), **HALF),
    "sizes": sizes,
    "whole": whole,
    "synthpop": lambda: compared("synthpop", **{**HALF, "records": "top:4+random:8"}),
}


def main() -> None:
    """Play the parts that are named, or all."""
    for name in sys.argv[1:] or list(PARTS):
        found = PARTS[name]()
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**kept, name: found}, indent=1, sort_keys=True) + "\n")
        print(name, {key: value["processor_seconds"] for key, value in found.items()}, flush=True)


if __name__ == "__main__":
    main()
