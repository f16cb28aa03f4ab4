"""The command that plays a stored study again."""

from __future__ import annotations

import argparse
from pathlib import Path

from riskkit.audit import studies
from riskkit.commands._printing import files, print_json
from riskkit.errors import DesignError, RiskkitError
from riskkit.report import words
from riskkit.table.load import read_tables

ABOUT = "play a stored study of the literature again"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("name", nargs="?", metavar="NAME", help="which study; without it they are listed")
    parser.add_argument("--real", type=Path, help="CSV of the table that it is played on")
    parser.add_argument("--holdout", type=Path, help="CSV of people who were not in; auxiliary rows of an attacker")
    parser.add_argument("--part", default="", help="only that part of it (default: all)")
    parser.add_argument("--workers", type=int, default=1, help="processes that train side by side; change no number")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    if options.name is None:
        for name in studies.names():
            print(f"{name:<16} {_told(name)}")
        return 0
    asked = studies.study(options.name)
    if options.real is None:
        raise DesignError(f"Study {asked.name!r} needs a table: give it with --real. Its own is {asked.table}.")
    tables = read_tables(options.real, None, options.holdout)
    rows = studies.run_study(tables.real, asked, tables.holdout, part=options.part, workers=options.workers)
    notes = [*(note for row in rows for note in row.finding.notes), *(p.sentence() for p in tables.problems)]
    if options.json:
        told = {
            "estimates": [estimate.as_dict() for row in rows for estimate in row.finding.estimates],
            "settings": {"question": "study", "study": asked.name, "part": options.part},
            "files": files(tables),
            "notes": notes,
            "rows": [row.as_dict() for row in rows],
        }
        print_json(told)
        return 0
    print(f"{asked.title}. {asked.source}: {asked.claim} {asked.cost}\n")
    print(f"{'part':<24} {'target':<18} {'attack':<20} {'right answers [95%]':<20} {'N':>6}  published")
    for row in rows:
        e, labels = row.accuracy, row.finding.labels
        target = " ".join([labels["target"], *([labels["record"]] if asked.part(row.part).plan.is_one_by_one else [])])
        print(
            f"{row.part:<24} {target:<18} {labels['attack']:<20} {e or 'too few trainings'!s:<20} "
            f"{e.n if e else 0:>6}  {words.published(row.published, row.supported)}"
        )
    for note in notes:
        print(f"\n{note}")
    return 0


def _told(name: str) -> str:
    """A study in one line, or why it cannot be played."""
    try:
        asked = studies.study(name)
    except RiskkitError as refusal:
        return str(refusal)
    return f"{asked.title} ({asked.source}); {words.plural(len(asked.parts), 'part')}"
