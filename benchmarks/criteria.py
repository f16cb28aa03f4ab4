"""Who is singled out and who is linked where it is known what leaks: releases of online shoppers, and of Adult.

Run it alone: ``python benchmarks/criteria.py [release ...]``. Writes ``results/criteria.md`` if every release was asked
about, and prints the lines of its table in any case. Needs the shared data folder.
"""

from __future__ import annotations

import gzip
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.pages import put_between
from benchmarks.released_known import DATA, RELEASES
from riskkit import LinkabilityPlan, SinglingOutPlan
from riskkit.core import Estimate
from riskkit.questions.linkability.play import run_linkability
from riskkit.questions.singling_out.play import run_singling_out
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from tests.judged import word

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "benchmarks" / "results" / "criteria.md"
MARK = "<!-- measured -->\n"
"""Between two of these stands what is measured."""
ROWS = 10_000
LIMIT = 0.09
ASKED: Mapping[str, tuple[Any, Callable[..., Any]]] = {
    "singling-out": (SinglingOutPlan(), run_singling_out),
    "linkability": (LinkabilityPlan(), run_linkability),
}


def source(folder: str, name: str, rows: int | None = None) -> bytes:
    """The text of a file, or of its first rows."""
    raw = (DATA / folder / name).read_bytes()
    text = gzip.decompress(raw) if name.endswith(".gz") else raw
    return text if rows is None else b"".join(text.splitlines(keepends=True)[: rows + 1])


def tables_of(name: str) -> Tables:
    """The first rows of that release beside its real table and its holdout."""
    folder, release, (real, holdout), _ = RELEASES[name]
    files = source(folder, real), source(folder, release, ROWS), source(folder, holdout)
    return load(*(read_csv(file, name=f"{index}.csv") for index, file in enumerate(files)))


def three(estimate: Estimate) -> str:
    """A share with its interval."""
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def line(name: str, question: str, tables: Tables) -> str:
    """One line of the table."""
    plan, run = ASKED[question]
    started = time.process_time()
    result = run(tables, plan)
    seconds = time.process_time() - started
    members, others, residual = result.estimates[:3]
    verdict = word(result.plain(), plan, LIMIT, tables=tables)
    planted = result.result["control"]["residual"]
    shares = f"{members.value:.3f} | {others.value:.3f} | {three(residual)} | {planted['value']:.3f}"
    known = residual.labels["known"].replace(" | ", " with ")
    return f"| {name} | {question} | {shares} | {verdict} | {known} | {seconds:.0f} |"


def main(names: list[str]) -> None:
    """The lines of every release, and the page where all were asked about."""
    lines = []
    for name in names or RELEASES:
        tables = tables_of(name)
        for question in ASKED:
            lines.append(line(name, question, tables))
            print(lines[-1], flush=True)
    if not names:
        head = (
            "| release | question | members | others | residual | planted | verdict | by | seconds |\n"
            "|---|---|---|---|---|---|---|---|---|\n"
        )
        put_between(PAGE, MARK, head + "".join(f"{each}\n" for each in lines))


if __name__ == "__main__":
    main(sys.argv[1:])
