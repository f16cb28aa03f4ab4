"""Model-seeded against traditional risk on Adult and a census, as Krco and others (2024) have it: docs/records.md.

    python benchmarks/records_studies.py [PART ...]

Every part is a few plans of :mod:`riskkit.questions.records.play`; without names all are played, ``--page`` prints
what they found as Markdown. Results are kept in
``benchmarks/results/records.json``, one entry a part, with the processor time each took. Adult is read where tests find
it. The table D is 1,000 complete rows drawn once, and the population of the traditional game other complete rows. The
census is a sample of 10,000 people of the UK 2011 Census teaching file, every column a category.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks.studies import spread  # noqa: E402
from riskkit import registry  # noqa: E402
from riskkit.core import Table  # noqa: E402
from riskkit.questions.records.certificate import Terms, certify  # noqa: E402
from riskkit.questions.records.people import play_tables  # noqa: E402
from riskkit.questions.records.plan import RecordsPlan  # noqa: E402
from riskkit.questions.records.play import run_records  # noqa: E402
from riskkit.questions.records.result import read  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.table.load import Tables  # noqa: E402
from tests.tables import DATA, adult, from_frame  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "records.json"
ROWS, PEOPLE = 1_000, 30_000
SOME = "top:10+random:20"
LIMIT = 0.8
"""Records above it are listed."""
CENSUS = DATA / "uk_census2011" / "random_10000.csv"
CENSUS_PEOPLE = 9_000
GAMES = ("auc", "traditional")
DRAWS, LOOKED_AT = 15, 7
"""Tables around one person of the census, and people who are looked at before one of them is chosen."""


def census() -> Table:
    """The census sample, codes as categories, without the number of a person."""
    return from_frame(pd.read_csv(CENSUS, dtype=str).drop(columns="Person ID"))


def tables(rows: int = ROWS, number: int = 0) -> Tables:
    """Table ``number`` of so many rows of Adult, and the other people."""
    return drawn_from(adult(45_222), PEOPLE, rows, number)


def drawn_from(every: Table, people: int, rows: int = ROWS, number: int = 0) -> Tables:
    """Table ``number`` of so many rows, and so many other people, of whom none is in any such table."""
    order = stream(1, "records study", "people").permutation(len(every))
    kept = np.sort(order[:people])
    drawn = np.sort(stream(1, "records study", "table", number).permutation(len(every) - people)[:rows]) + people
    real = every.rows(np.sort(order[drawn]))
    return Tables(real, None, every.rows(kept), every.schema, (), ())


def figures(tables: Tables, **plan: Any) -> dict[str, Any]:
    """What the plan found, with the processor time."""
    started = time.process_time()
    result = run_records(tables, RecordsPlan(**plan))
    kept = result.plain()
    listed, leaks = ({person.row for person in read(result, limit).listed} for limit in (LIMIT, None))
    for row in kept["records"]:
        row |= {"listed": row["row"] in listed, "leaks": row["row"] in leaks}
        best = row.pop("certificate")
        row["best"] = best["auc"] if best else None
        for much in ("curve", "tpr", "epsilon", "advantage", "first_auc"):
            row.pop(much)
    return {**kept, "processor_seconds": round(time.process_time() - started, 1)}


def whole() -> dict[str, Any]:
    """Records of the table drawn at random, with the certificate."""
    return {"bayesnet": figures(tables(), records="random:300", certificate=True, inside=250, outside=250, shadows=60)}


def compared(*generators: str, **more: Any) -> dict[str, Any]:
    """Both games with one attack that was trained on other people, as published."""
    usual = {"records": SOME, "knowledge": "auxiliary", "again": 0, **more}
    return {name: figures(tables(), generator=name, **usual) for name in generators}


def sizes() -> dict[str, Any]:
    """Longer tables; releases keep their 1,000 rows."""
    few = {"records": "top:6+random:6", "knowledge": "auxiliary", "again": 0, "shadows": 50}
    plan = {"inside": 100, "outside": 100, "traditional": 100, **few}
    return {str(rows): figures(tables(rows), **plan) for rows in (1_000, 3_000, 10_000)}


def risky() -> dict[str, Any]:
    """The records of the highest certificates: whoever is above .8 in the model-seeded game is nearly surely there."""
    return compared("bayesnet", records="top:60", rank="certificate", inside=250, outside=250, traditional=250)


def standing_out() -> dict[str, Any]:
    """The records that stand out most: sequential trees expose more of them to the attack than of others."""
    return compared("synthpop", **{**SLOW, "records": "top:300"})


def epsilons() -> dict[str, Any]:
    """The 20 records that a network without noise exposes most, at falling epsilon."""
    everyone = tables()
    generator: Any = registry.parse("generators", "bayesnet")
    every = certify(everyone.real, generator, range(len(everyone.real)), Terms(1_000, curve=()), 1)
    worst = sorted(every, key=lambda certificate: -certificate.auc.value)[:20]
    plan = {
        "records": "ids:" + ",".join(str(certificate.record) for certificate in worst),
        **FEWER,
        "inside": 200,
        "outside": 200,
    }
    return compared(*(f"privbayes:epsilon={epsilon}" for epsilon in (1000, 10)), **{**plan, "traditional": 200})


def of_census_table() -> dict[str, Any]:
    """Both games on one table of the census, for the records that stand out and others."""
    plan = {"records": SOME, "knowledge": "auxiliary", "again": 0, "inside": 250, "outside": 250, "traditional": 250}
    return {"bayesnet": figures(drawn_from(census(), CENSUS_PEOPLE), generator="bayesnet", shadows=400, **plan)}


def restless(every: Table) -> int:
    """Of the people who are looked at the one whose best attack's risk moves most from table to table."""
    rows = stream(1, "records study", "looked at").permutation(len(every))[:LOOKED_AT]
    generator: Any = registry.parse("generators", "bayesnet")
    everyone = Tables(every, None, None, every.schema, (), ())
    moves = []
    for row in rows:
        drawn = [play_tables(everyone, around(int(row), draw))[0].real for draw in range(DRAWS)]
        moves.append(np.std([certify(real, generator, [0], Terms(ROWS, curve=()), 1)[0].auc.value for real in drawn]))
    return int(rows[int(np.argmax(moves))])


def around(row: int, draw: int) -> RecordsPlan:
    """Both games of one person of the census, among other people for every ``draw``."""
    return RecordsPlan(
        generator="bayesnet",
        records=f"ids:{row}",
        people=ROWS,
        draw=draw,
        n_syn=ROWS,
        again=0,
        seed=2024,
        inside=250,
        outside=250,
        traditional=250,
        shadows=400,
        knowledge="auxiliary",
    )


def of_census_person() -> dict[str, Any]:
    """One person of the census in fifteen tables."""
    every = census()
    row = restless(every)
    everyone = Tables(every, None, None, every.schema, (), ())
    results = {f"Table {draw + 1}": figures(everyone, **asdict(around(row, draw))) for draw in range(DRAWS)}
    return {
        name: {key: part[key] for key in ("records", "settings", "processor_seconds")} for name, part in results.items()
    }


FEWER = {"inside": 150, "outside": 150, "traditional": 150, "shadows": 50}
SLOW = {"inside": 100, "outside": 100, "traditional": 100, "shadows": 50, "records": "top:10+random:10"}
PARTS = {
    "bayesnet": lambda: compared("bayesnet", inside=250, outside=250, traditional=250),
    "privbayes": lambda: compared(*(f"privbayes:epsilon={epsilon}" for epsilon in (0.1, 1, 10, 1000)), **FEWER),
    "sizes": sizes,
    "whole": whole,
    "risky": risky,
    "epsilons": epsilons,
    "synthpop": lambda: compared("synthpop", **SLOW),
    "synthpop standing out": standing_out,
    "census": of_census_table,
    "census person": of_census_person,
}


def three(ends: list[float]) -> str:
    """A value with its interval."""
    return f"{ends[0]:.2f} [{ends[1]:.2f}, {ends[2]:.2f}]"


def of(part: dict[str, Any], name: str, limit: str = "") -> str:
    """An estimate over all records, or a dash where there is none."""
    for e in part["estimates"]:
        if e["name"] == name and e.get("limit", "") == limit:
            return three([e["value"], e["low"], e["high"]])
    return "none above"


def played(part: dict[str, Any]) -> str:
    """How much was played."""
    plan = part["settings"]
    return f"{len(part['records'])} records, {plan['inside']} + {plan['outside']}"


def mean(part: dict[str, Any], what: str) -> float:
    """The mean AUC over the records."""
    return float(np.mean([row[what][0] for row in part["records"]]))


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table in Markdown."""
    return [" | ".join(["", *line, ""]).strip() for line in [head, ["---"] * len(head), *rows]] + [""]


def of_games(results: dict[str, Any]) -> list[str]:
    """The two games beside each other, one line a generator."""
    parts = {
        name: part for kind in ("bayesnet", "synthpop", "privbayes") for name, part in results.get(kind, {}).items()
    }
    chosen = [item for kind in ("risky", "epsilons") for item in results.get(kind, {}).items()]
    parts |= {f"{name}`, `highest certificates": part for name, part in chosen}
    parts |= {f"{name}`, `standing out": part for name, part in results.get("synthpop standing out", {}).items()}
    return ["## The two games beside each other", "", *beside(parts)]


def beside(parts: dict[str, Any]) -> list[str]:
    """Both games of these parts: how far they are apart, and whom the traditional one misses."""
    rows = [
        [
            f"`{name}`",
            played(part),
            f"{mean(part, 'auc'):.2f}",
            f"{mean(part, 'traditional'):.2f}",
            *(of(part, f"rmsd{kind}") for kind in ("", "_corrected", "_halves", "_null")),
        ]
        for name, part in parts.items()
    ]
    head = ["generator", "played", "mean R_MS", "mean R_T", "RMSD", "without noise", "RMSD of halves", "null of halves"]
    missed = [
        [
            f"`{name}`",
            limit,
            of(part, "miss_rate", limit),
            of(part, "miss_rate_halves", limit),
            of(part, "miss_rate_null", limit),
            of(part, "records_above", limit),
        ]
        for name, part in parts.items()
        for limit in ("0.6", "0.8")
    ]
    return [
        *table(head, rows),
        *table(["generator", "t", "MR(t)", "MR of halves", "MR null", "records above t (of 1,000)"], missed),
    ]


def of_census(part: dict[str, Any], person: dict[str, Any]) -> list[str]:
    """Both games on the census: the records of one table, and one person in fifteen."""
    rows = [result["records"][0] for result in person.values()]
    risks = [[dict(zip(("value", "low", "high"), row[game], strict=True)) for row in rows] for game in GAMES]
    averages = (float(np.mean([risk["value"] for risk in risk_of])) for risk_of in risks)
    seconds = sum(result["processor_seconds"] for result in person.values())
    summary = (
        f"**One person** (row {rows[0]['row']} of the sample) in {len(rows)} tables, 250 + 250 counted trainings "
        f"each: {seconds:.0f} s of processor time. "
        + " ".join(
            spread(each, kind) for each, kind in zip(risks, ("in its table", "in the traditional game"), strict=True)
        )
        + " On average {:.2f} and {:.2f}.".format(*averages)
    )
    return [
        "## The census table",
        "",
        f"**One table**: {part['processor_seconds']:.0f} s of processor time.",
        "",
        *beside({"bayesnet": part}),
        summary,
        "",
    ]


def of_sizes(results: dict[str, Any]) -> list[str]:
    """The same with longer tables."""
    rows = [
        [
            f"{int(name):,}",
            played(part),
            f"{mean(part, 'auc'):.2f}",
            f"{mean(part, 'traditional'):.2f}",
            of(part, "rmsd"),
            of(part, "rmsd_corrected"),
        ]
        for name, part in sorted(results.items(), key=lambda item: int(item[0]))
    ]
    head = ["rows of D", "played", "mean R_MS", "mean R_T", "RMSD", "without noise"]
    return ["## Longer tables", "", *table(head, rows)]


def of_whole(results: dict[str, Any]) -> list[str]:
    """The records of one table."""
    part = results["bayesnet"]
    auc, best = (np.array([row[what] for row in part["records"]]) for what in ("auc", "best"))
    quantiles = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
    over = int((auc[:, 1] > best[:, 2]).sum())
    limits = ("0.6", "0.7", "0.8", "0.9")
    counts = ", ".join(f"{of(part, 'records_above', limit)} above {limit}" for limit in limits)
    among = f"Of the {len(part['records'])} records: {counts}."
    listed, leaks = (sum(row[what] for row in part["records"]) for what in ("listed", "leaks"))
    summary = (
        f"`bayesnet`, {played(part)} counted trainings; the attacker knows this table. "
        f"{part['processor_seconds']:,.0f} s of processor time, certificates included. {listed} records are listed "
        f"above {LIMIT}, and of {leaks} releases say anything at all. {among} "
        f"The lower end of the attack lies above the certificate's upper end for {over} of them."
    )
    return [
        "## The records of one table",
        "",
        summary,
        "",
        *table(
            ["share of records", *(f"{q:.0%}" for q in quantiles)],
            [
                ["attack", *(f"{q:.2f}" for q in np.quantile(auc[:, 0], quantiles))],
                ["best attack", *(f"{q:.2f}" for q in np.quantile(best[:, 0], quantiles))],
            ],
        ),
    ]


def page(results: dict[str, Any]) -> str:
    """The figures of docs/records.md."""
    parts = {"whole": of_whole, "sizes": of_sizes}
    lines = [line for name, write in parts.items() if name in results for line in write(results[name])]
    if "census" in results:
        lines += of_census(results["census"]["bayesnet"], results["census person"])
    return "\n".join([*lines, *of_games(results)])


def main() -> None:
    """Play the parts that are named, or all."""
    if sys.argv[1:] == ["--page"]:
        print(page(json.loads(RESULTS.read_text())))
        return
    for name in sys.argv[1:] or list(PARTS):
        result = PARTS[name]()
        kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        RESULTS.write_text(json.dumps({**kept, name: result}, indent=1, sort_keys=True) + "\n")
        print(name, {key: value["processor_seconds"] for key, value in result.items()}, flush=True)


if __name__ == "__main__":
    main()
