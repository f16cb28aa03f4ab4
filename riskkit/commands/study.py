"""The command that plays a stored study again; a part of :mod:`riskkit.cli`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from riskkit.audit import studies
from riskkit.errors import DesignError, RiskkitError
from riskkit.report import words
from riskkit.table.load import read_tables


def study_options(again: argparse.ArgumentParser) -> None:
    """Its options."""
    again.add_argument("name", nargs="?", metavar="NAME", help="which study; without it they are listed")
    again.add_argument("--real", type=Path, help="CSV of the table that it is played on")
    again.add_argument("--holdout", type=Path, help="CSV of people who were not in; auxiliary rows of an attacker")
    again.add_argument("--part", default="", help="only that part of it (default: all)")
    again.add_argument("--workers", type=int, default=1, help="processes that train side by side; change no number")
    again.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    again.set_defaults(run=_study)


def _study(options: argparse.Namespace) -> int:
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
            "files": [{"slot": file.slot, "name": file.name, "sha256": file.sha256} for file in tables.files],
            "notes": notes,
            "rows": [row.as_dict() for row in rows],
        }
        print(json.dumps(told, ensure_ascii=False, sort_keys=True, indent=1))
        return 0
    print(f"{asked.title}. {asked.source}: {asked.claim} {asked.cost}\n")
    print(f"{'part':<24} {'target':<11} {'attack':<20} {'right answers [95%]':<20} {'N':>6}  published")
    for row in rows:
        e, labels = row.accuracy, row.finding.labels
        print(
            f"{row.part:<24} {labels['target']:<11} {labels['attack']:<20} {e or 'too few trainings'!s:<20} "
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
