"""The command that plays the model-seeded game for many records."""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from riskkit import wording
from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.questions.records import words
from riskkit.questions.records.forecast import RecordsForecast, forecast
from riskkit.questions.records.person import Person, Three
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.releases import GUESS, Growth, growth, sentences
from riskkit.questions.records.result import RecordsResult
from riskkit.show import for_whom

ABOUT = "whom does this release expose? The model-seeded game for many records"
"""The command in a line."""
SHOWN = 20
"""Records that are printed, the most exposed first."""
FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a cell must not begin with: a spreadsheet would take it for a formula."""
OF_ATTACKS = {"mean_auc": "mean AUC", "tpr_at_fpr": "named"}
"""What is said of each attack on all people, and what it is called."""
TRIPLES = ("auc", "advantage", "tpr", "traditional", "first_auc")
PLAIN = ("row", "outlierness", "copies", "stage", "n")


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    _options.add_files(
        parser,
        RecordsPlan,
        synthetic="table of the release; only its columns and domain are used",
        holdout="table of people outside the data, for the traditional game",
    )
    _options.add_children(parser)
    _options.add_settings(parser, RecordsPlan)
    _verdict.add_options(parser, RecordsPlan.question, about_a_method=True)
    parser.add_argument("--csv", type=Path, metavar="OUT", help="write a line for each record to this file")
    add_playing(parser)
    _options.add_ways(parser, may_run_programs=True)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.verdict_options(options, RecordsPlan.question)
    plan: RecordsPlan = _options.plan_of(options, RecordsPlan)
    files = _options.files(options)
    tables = files.tables()
    asking = Asking(options, plan, files, tables, asked, cost=cost)
    if not (options.quiet or options.queue or options.forecast):
        print("\n".join(cost(forecast(tables, plan, workers=options.workers), options.workers)), file=sys.stderr)
    result: RecordsResult | None = asking.result()
    if result is None:
        return 0
    if options.csv:
        write_csv(options.csv, result.records)
    verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain())
    lines = [*_lines(result), *_with_releases(result, None if asked.limit is None else asked.limit.value)]
    lines += for_whom.lines(result.for_whom)
    return say(options, result.as_dict(), tables, lines, verdicts)


def cost(costs: RecordsForecast, workers: int) -> list[str]:
    """What is said before anything is played: how long it takes, and the smallest risk that would be seen."""
    how_long = (
        f"This takes {wording.duration(costs.seconds)} with {wording.plural(workers, 'worker')}: "
        f"{wording.plural(costs.records, 'record')}, {wording.plural(costs.trainings, 'training')} in all, "
        f"{costs.seconds_per_record:,.3g} s of work a record, {costs.memory / 2**20:,.0f} MiB for shared releases."
    )
    power = (
        f"A record whose true AUC is {costs.detectable_auc:.2f} would be told from guessing with 80 % power when it is "
        f"tested alone, one of {costs.detectable_among:.2f} among all of them."
    )
    return [how_long, power]


def write_csv(path: Path, records: Sequence[Person]) -> None:
    """A line for each record: its figures, each interval as three columns."""
    flat = [_flat(record) for record in records]
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(flat[0]) if flat else list(PLAIN), lineterminator="\n")
        writer.writeheader()
        writer.writerows(flat)


def _flat(record: Person) -> dict[str, Any]:
    out = {name: _safe(getattr(record, name)) for name in PLAIN}
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


def _safe(value: Any) -> Any:
    """A text that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _lines(result: RecordsResult) -> list[str]:
    """How many lie above risks of several sizes, and the most exposed records."""
    plan = result.plan
    out = []
    every = [e for e in result.overall if e.name not in OF_ATTACKS]
    for e in every:
        where = f" at {e.labels['limit']}" if "limit" in e.labels else ""
        of = f" of {result.counted:,}" if e.name == "records_above" else ""
        out.append(f"  {e.name.replace('_', ' ')}{where}: {e}{of}")
    out += _attacks(result)
    of_people = result.counts_people
    who = "person" if of_people else "record"
    head = f"{who:>8} {'stands out':>10} {'AUC':<20} {'best attack':<20} {'traditional':<20} {'trainings':>9}"
    head += f" {'rows':>5}" * of_people
    out.append(f"\n{head}  [{plan.level:.0%}]")
    for record in sorted(result.records, key=lambda record: -(record.auc or (0.0,))[0])[:SHOWN]:
        best = words.bound_sentence(record) if record.best is None else _three(record.best.auc)
        out.append(
            f"{record.row:>8} {record.outlierness:>10.3f} {_three(record.auc):<20} {best:<20} "
            f"{_three(record.traditional):<20} {record.n:>9}" + f" {record.rows or 0:>5}" * of_people
        )
    return out


def _attacks(result: RecordsResult) -> list[str]:
    """What each attack reaches on all people, where few trainings serve everybody; a line for each."""
    lines: dict[str, str] = {}
    for e in result.overall:
        if e.name in OF_ATTACKS:
            attack, cut = e.labels["attack"], f" at {e.labels['fpr']}" if "fpr" in e.labels else ""
            lines[attack] = f"{lines.get(attack, f'  {attack:<20}')}  {OF_ATTACKS[e.name]}{cut} {e}"
    return ["", *lines.values()] if lines else []


def _with_releases(result: RecordsResult, limit: float | None) -> list[str]:
    """Risk against the number of releases, where certificates are of several."""
    bar, is_set = GUESS if limit is None else limit, limit is not None
    best = growth([record.best.after or () for record in result.records if record.best is not None], bar)
    played = growth([record.after or () for record in result.records], bar)
    return [
        *_growth(best, limit, "best attack", sentences(best, is_set=is_set) if best else ""),
        *_growth(played, limit, "attack run", sentences(played, is_set=is_set, is_played=True) if played else ""),
    ]


def _growth(grown: Sequence[Growth], limit: float | None, attack: str, sentence: str) -> list[str]:
    """One attack against the number of releases."""
    if not grown:
        return []
    above = "" if limit is None else f" {f'above {limit:g}':>12}"
    out = [f"\n{'releases':>8} {'median AUC':>10}{above}  ({attack}, {grown[0].people:,} people)"]
    for after in grown:
        share = "" if limit is None else f" {after.share:>12.0%}"
        out.append(f"{after.releases:>8} {after.median:>10.2f}{share}")
    return [*out, sentence]


def _three(three: Three | None) -> str:
    return "" if three is None else str(three)
