"""The command that plays a stored study again."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from riskkit import wording
from riskkit.audit import studies, studies_toy
from riskkit.audit.studies_records import ReleasesRow
from riskkit.audit.studies_toy import ToyRow
from riskkit.commands import _options
from riskkit.commands._output import print_json
from riskkit.errors import DesignError, RiskkitError
from riskkit.questions.membership import words
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.releases import Growth
from riskkit.report.blocks import in_columns
from riskkit.session.verdicts import answer_shape

ABOUT = "run a stored study of the literature again"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="which study; without it they are listed")
    parser.add_argument("--real", type=Path, help=f"table that it is run on: {_options.KINDS}")
    parser.add_argument("--holdout", type=Path, help="table of people outside the data; auxiliary rows of an attacker")
    _options.add_reading(parser)
    parser.add_argument("--part", default="", help="only that part of it (default: all)")
    parser.add_argument("--workers", type=int, default=1, help="processes that train side by side; change no number")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    if options.name is None:
        for name in studies.names():
            print(f"{name:<16} {_study_line(name)}")
        return 0
    asked = studies.study(options.name)
    if options.real is None and not asked.has_rows:
        raise DesignError(f"Study {asked.name!r} needs a table: give it with --real. Its own is {asked.table}.")
    if asked.has_rows:
        toys = [row for row in studies.run_study(None, asked, part=options.part) if isinstance(row, ToyRow)]
        if options.json:
            about = {"question": "study", "study": asked.name, "part": options.part}
            print_json({"estimates": [], "settings": about, "notes": [], "rows": [row.as_dict() for row in toys]})
            return 0
        print(f"{asked.title}. {asked.source}: {asked.claim}\n")
        print("\n".join(_row_lines(toys)))
        return 0
    tables = _options.tables(options)
    rows = studies.run_study(tables.real, asked, tables.holdout, part=options.part, workers=options.workers)
    own = [note for row in rows for note in row.notes]
    if options.json:
        result = {
            "estimates": [estimate.as_dict() for row in rows for estimate in row.estimates],
            "settings": {"question": "study", "study": asked.name, "part": options.part},
            "notes": list(dict.fromkeys(own)),
            "rows": [row.as_dict() for row in rows],
        }
        print_json(answer_shape(result, tables))
        return 0
    print(f"{asked.title}. {asked.source}: {asked.claim} {asked.cost}\n")
    print("\n".join(in_columns([*_cells(asked, rows)])))
    for note in (*dict.fromkeys(own), *(problem.sentence() for problem in tables.problems)):
        print(f"\n{note}")
    return 0


def _row_lines(rows: Sequence[ToyRow]) -> Iterator[str]:
    """What can be counted from the rows themselves, and a line for each attacker, all beside what is printed."""
    plan = rows[0].plan
    tied, printed = _figures(studies_toy.correlations(plan)), _figures(plan.correlation)
    yield f"correlation with the answer   {tied}   printed {printed}"
    for number, (ours, theirs) in enumerate(zip(studies_toy.shapley(plan), plan.shapley, strict=True), 1):
        yield f"Shapley values of row {number}       {_figures(ours)}   printed {_figures(theirs)}"
    yield ""
    head = "model, attacker", "MAE, printed", "nearest of all draws", "off", "SR, printed", "at that draw"
    cells = [(*head, "draws", "different", "as printed: MAE, SR, both")]
    for row in rows:
        mae = _figures(row.plan.mae), _figures(row.mae[row.nearest])
        rate = _figures(row.plan.rate), _figures(row.rate[row.nearest])
        shares = ", ".join(f"{share:.1%}" for share in row.shares)
        cells.append((row.part, *mae, f"{row.off:.3f}", *rate, f"{len(row.mae)}", f"{row.results}", shares))
    yield from in_columns(cells)


def _figures(values: Iterable[float]) -> str:
    return " ".join(f"{value + 0.0:5.2f}" for value in values)


def _cells(asked: studies.Study, rows: Sequence[Any]) -> Iterator[tuple[str, ...]]:
    """The table of a study of that question, under its head."""
    if isinstance(rows[0], ReleasesRow):  # how far the best attack gets with the median person, and the one played
        yield "part", "releases", "best attack, median", "attack that was run, median"
        for row in rows:
            medians = ("none" if growth is None else _median(growth, row.limit) for growth in (row.best, row.played))
            yield row.part, f"{row.releases}", *medians
    elif asked.question == "records":  # the risk of a record in each table, and as the traditional game has it
        yield "part", "record", "AUC in this table [95%]", "traditional AUC [95%]", "N"
        for row in rows:
            aucs = (str(e) if e else "not told apart" for e in (row.seeded, row.averaged))
            yield row.part, row.record, *aucs, f"{row.seeded.n if row.seeded else 0}"
    else:  # each attack in each game, beside the figure that was published for it
        yield "part", "target", "attack", "right answers [95%]", "N", "published", ""
        for row in rows:
            e, labels, plan = row.accuracy, row.finding.labels, asked.part(row.part).plan
            is_named = isinstance(plan, MembershipPlan) and plan.is_one_by_one
            target = " ".join([labels["target"], *([labels["record"]] if is_named else [])])
            rate = (str(e), f"{e.n}") if e else ("too few trainings", "0")
            published = words.published_figure(row.published, row.supported)
            chosen = words.setting_choice(**asdict(row.settled)) if row.settled else ""
            yield row.part, target, labels["attack"], *rate, published, chosen


def _median(growth: Growth, limit: float | None) -> str:
    """The median, of how many people, and how many are above the limit."""
    above = "" if limit is None else f", {growth.above} above {limit:g}"
    return f"{growth.median:.2f} of {wording.plural(growth.people, 'person')}{above}"


def _study_line(name: str) -> str:
    """A study in one line, or why it cannot be played."""
    try:
        asked = studies.study(name)
    except RiskkitError as refusal:
        return str(refusal)
    return f"{asked.title} ({asked.source}); {wording.plural(len(asked.parts), 'part')}"
