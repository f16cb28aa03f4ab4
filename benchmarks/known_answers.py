"""Releases whose leak is known because they were made so, before every question about a released file.

Run it alone: ``python benchmarks/known_answers.py``; some minutes of one processor. Writes the table of known answers
of ``results/released.md``. Needs the shared data: of Adult's complete rows some are members, as many were not in,
and as many are strangers of whom nobody asks.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from benchmarks.pages import put_between
from riskkit import AttributePlan, LinkabilityPlan, ReconstructionPlan, ReleasedPlan, SinglingOutPlan
from riskkit.core import Table
from riskkit.questions.attributes.play import run_attributes
from riskkit.questions.linkability.play import run_linkability
from riskkit.questions.reconstruction.play import run_reconstruction
from riskkit.questions.released.play import run_released
from riskkit.questions.singling_out.play import run_singling_out
from riskkit.seeds import stream
from riskkit.table.load import Tables
from tests.tables import adult

PAGE = Path(__file__).resolve().parent / "results" / "released.md"
MARK = "<!-- known answers -->\n"
ROWS, MANY = 4_000, 10_000
"""People a side, and of the release that hardly leaks."""
CHANGED, FEW = 0.1, 0.1
"""The share of values that is changed, and of members who are in the release that hardly leaks."""
KNOWN = ("age", "sex", "education-num", "marital-status", "occupation", "hours-per-week", "race")
SECRETS = ("income", "relationship", "workclass")
ATTACKS = ReleasedPlan(attacks=("dcr", "dcr-diff", "contest"), max_rows=MANY)
ASKED: Mapping[str, tuple[str, Any, Callable[..., Any]]] = {
    "membership": ("AUC", ATTACKS, run_released),
    "singling-out": ("residual", SinglingOutPlan(), run_singling_out),
    "linkability": ("residual", LinkabilityPlan(), run_linkability),
    "reconstruction": ("residual", ReconstructionPlan(secrets=SECRETS, known=KNOWN), run_reconstruction),
    "inference": ("residual", AttributePlan(("relationship",), (KNOWN,)), run_attributes),
}


def people(rows: int) -> tuple[Table, Table, Table]:
    """Members, people who were not in, and strangers; so many of each."""
    everyone = adult(45_222)
    order = stream(1, "known answers").permutation(len(everyone))
    parts = (everyone.rows(order[start : start + rows]) for start in (0, rows, 2 * rows))
    members, others, strangers = parts
    return members, others, strangers


def shuffled(table: Table, rng: np.random.Generator) -> Table:
    """Each column in an order of its own: values stay, what goes together is lost."""
    return Table(table.schema, rng.permuted(table.codes, axis=0), rng.permuted(table.numbers, axis=0))


def changed(table: Table, share: float) -> Table:
    """The rows with that share of values taken from other rows."""
    rng = stream(1, "changed", f"{share:g}")
    parts = []
    for values in (table.codes, table.numbers):
        swapped = rng.permuted(values, axis=0)
        parts.append(np.where(rng.random(values.shape) < share, swapped, values))
    return Table(table.schema, *parts)


def releases() -> Iterator[tuple[str, Tables]]:
    """What was released, and the files."""
    members, others, strangers = people(ROWS)
    rng = stream(1, "independent")
    made = {
        "the members themselves": members,
        "members, a tenth of values changed": changed(members, CHANGED),
        "members, a third of values changed": changed(members, 1 / 3),
        "each column of the members shuffled by itself": shuffled(members, rng),
        "each column of other people shuffled by itself": shuffled(strangers, rng),
        "other people": strangers,
    }
    for name, release in made.items():
        yield name, Tables(members, release, others, members.schema, (), ())
    members, others, strangers = people(MANY)
    few = round(FEW * MANY)
    weak = changed(members.rows(np.arange(few)), CHANGED).plus(strangers.rows(np.arange(MANY - few)))
    yield f"{FEW:.0%} changed members among other people", Tables(members, weak, others, members.schema, (), ())


def strongest(result: Any, measure: str) -> Any:
    """The estimate that the question puts first: the strongest attack, allowing for all."""
    if measure == "AUC":
        return max((joint.auc for joint in result.together.each), key=lambda auc: auc.low)
    if hasattr(result, "compared"):
        return result.compared[0].sides.residual
    return result.estimates[2]


def lines() -> Iterator[str]:
    """A line for each release."""
    for name, tables in releases():
        cells, start = [], time.process_time()
        for measure, plan, run in ASKED.values():
            estimate = strongest(run(tables, plan), measure)
            cells.append(f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]")
        yield f"| {name} | {len(tables.real):,} | {' | '.join(cells)} |"
        print(name, cells, f"{time.process_time() - start:.0f} s", flush=True)


def main() -> None:
    """Ask everything and put it on the page."""
    head = f"| release | people a side | {' | '.join(f'{name}, {how}' for name, (how, _, _) in ASKED.items())} |\n"
    put_between(PAGE, MARK, head + "|---|---|" + "---|" * len(ASKED) + "\n" + "\n".join(lines()) + "\n")


if __name__ == "__main__":
    main()
