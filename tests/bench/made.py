"""A small bench on a made table: files of people who are in and who are not, a plan of few cells, and their results."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from riskkit.table.write import to_csv
from riskkit_bench.plan import Stored, read_plan
from riskkit_bench.play import run_bench
from riskkit_bench.results import Results, read
from tests.tables import mixed

PEOPLE = 60
PLAN = """
title = "A small bench <of tests>"
data = "."
[game]
people = 2
trainings = 10
attacks = [{attacks}]
[file]
asked = 60
attacks = ["dcr"]
[[table]]
name = "made"
title = "A made table"
real = "made.csv"
rows = {people}
{more}
"""


def plan(folder: Path, *methods: str, attacks: str = '"neighbour"', more: str = "") -> Stored:
    """The plan with these methods, beside a table of 130 people."""
    (folder / "made.csv").write_bytes(to_csv(mixed(130, seed=4, missing=False)))
    blocks = "".join(f"[[method]]\nuse = '{method}'\n" for method in methods)
    text = PLAN.format(attacks=attacks, people=PEOPLE, more=more)
    (folder / "plan.toml").write_text(text + blocks, encoding="utf-8")
    return read_plan(folder / "plan.toml")


def played(of: Stored, known: Results | None = None, **how: Any) -> Results:
    """All cells of that plan; those that are known are not played again."""
    kept = read(of.path.with_suffix(".json"), of) if known is None else known
    return run_bench(of, kept, of.folder(), **{"work": of.path.with_name("units"), **how})


def figures(results: Results) -> Mapping[str, Any]:
    """What cells say, by what they are named by, without what they cost."""
    return {
        cell.key: {name: value for name, value in cell.as_dict().items() if name not in ("seconds", "made_with")}
        for cell in results.cells
    }
