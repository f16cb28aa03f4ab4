"""``riskkit records``: what it will take is said first, and every record may be written to a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskkit import wording
from riskkit.commands._ask import AskCommand, Asking
from riskkit.commands._verdict import verdict_options
from riskkit.questions.forecasts import Forecast
from riskkit.questions.records import words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import forecast
from riskkit.questions.records.question import QUESTION
from riskkit.questions.records.result import Person, RecordsResult
from riskkit.questions.records.subsets import run_again, trainings_of

ABOUT = "whom does this release expose? The model-seeded game for many records"
"""The command in a line."""
TRIPLES = ("auc", "advantage", "tpr", "traditional", "first_auc")
PLAIN = ("row", "outlierness", "copies", "stage", "n")


class RecordsCommand(AskCommand):
    """The game for many records."""

    def add_own(self, parser: argparse.ArgumentParser) -> None:
        """Where the figures of every record go."""
        parser.add_argument("--csv", type=Path, metavar="OUT", help="write a line for each record to this file")

    def ask(self, asking: Asking) -> int:
        """Say what it will take, and play it."""
        options = asking.options
        if not (options.quiet or options.queue or options.forecast):
            foretold = forecast(asking.tables, asking.plan, workers=options.workers)
            how = f"It is run {words.way(asking.plan)}."
            print("\n".join([how, *cost(foretold, options.workers)]), file=sys.stderr)
        return super().ask(replace(asking, cost=cost))

    def write(self, options: argparse.Namespace, result: RecordsResult) -> None:
        """The file with a line for each record."""
        if options.csv:
            write_csv(options.csv, result.records)
        if result.plan.is_by_subsets and not options.quiet:
            print("\n".join(again(result, options)), file=sys.stderr)


_COMMAND = RecordsCommand(QUESTION)
add_options, run = _COMMAND.add_options, _COMMAND.run


def cost(costs: Forecast, workers: int) -> list[str]:
    """What is said before anything is played: how long it takes, and the smallest risk that would be seen."""
    numbers = costs.numbers
    how_long = (
        f"This takes {wording.duration(costs.seconds)} with {wording.plural(workers, 'worker')}: "
        f"{wording.plural(numbers['records'], 'record')}, {wording.plural(numbers['trainings'], 'training')} in all, "
        f"{numbers['seconds_per_record']:,.3g} s of work a record, "
        f"{numbers['memory'] / 2**20:,.0f} MiB for shared releases."
    )
    power = (
        f"A record whose true AUC is {numbers['detectable_auc']:.2f} would be told from guessing with 80 % power when "
        f"it is tested alone, one of {numbers['detectable_among']:.2f} among all of them."
    )
    if numbers["trainings"] <= numbers["on_parts"] or not numbers["on_parts"]:
        return [how_long, power]
    instead = f"{wording.plural(numbers['on_parts'], 'training')} on random parts of the people serve everybody"
    return [how_long, power, f"A training takes long. {instead}: --by subsets."]


def again(result: RecordsResult, options: argparse.Namespace) -> list[str]:
    """How those most exposed are run once more on the whole table, and how often that trains; nothing of nobody."""
    limit = verdict_options(options, RecordsPlan.question).limit
    plan = run_again(result, None if limit is None else limit.value)
    if plan is None:
        return []
    more = " --certificate" if plan.certificate else ""
    about = (
        f"riskkit: Run {wording.plural(len(plan.named), 'record')} again, the most exposed, on the whole table (up to "
        f"{trainings_of(plan):,} trainings): the same command, with these options in place of --by, --trainings and "
        "--share:"
    )
    return [
        about,
        f"  --records {plan.records} --in {plan.inside} --out {plan.outside} --shadows {plan.shadows} --again 0{more}",
    ]


def write_csv(path: Path, records: Sequence[Person]) -> None:
    """A line for each record: its figures, each interval as three columns."""
    flat = [_flat(record) for record in records]
    names = list(flat[0]) if flat else PLAIN
    rows = ([row[name] for name in names] for row in flat)
    path.write_text(wording.spreadsheet(names, rows, end="\n"), encoding="utf-8", newline="")


def _flat(record: Person) -> dict[str, Any]:
    out = {name: getattr(record, name) for name in PLAIN}
    triples = {name: getattr(record, name) for name in TRIPLES} | {"certificate": record.best and record.best.auc}
    for name, three in triples.items():
        for part, value in zip(("", "_low", "_high"), three or ("", "", ""), strict=True):
            out[f"{name}{part}"] = value
    if record.bound is not None:
        out["bound"] = record.bound
    if record.rows is not None:
        out["rows"] = record.rows
    out["epsilon_lower"], out["epsilon_ceiling"] = record.epsilon
    out["epsilon_reads"] = wording.epsilon(*record.epsilon, record.n)
    return out
