"""The command line: the same engine and the same numbers as the pages.

Every command prints a table for people, or with ``--json`` one JSON object: ``estimates``, ``settings``, ``files``
and ``notes``. Exit code 0: done; 2: the files or the question cannot be used, with the sentence that says why.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from riskkit.audit.plan import MembershipPlan
from riskkit.audit.run import Progress, run_membership
from riskkit.audit.sample import sample_audit
from riskkit.audit.store import Store
from riskkit.audit.worker import work
from riskkit.errors import RiskkitError
from riskkit.table.load import Tables, read_tables
from riskkit.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        run: Callable[[argparse.Namespace], int] = options.run
        return run(options)
    except RiskkitError as error:
        print(f"riskkit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("riskkit: stopped.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m riskkit", description="Audit the privacy risk of a synthetic table before it is released."
    )
    parser.add_argument("--version", action="version", version=f"riskkit {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    check = commands.add_parser("check", help="what is in the files, and what is wrong with them")
    check.add_argument("real", metavar="REAL", type=Path, help="CSV of the confidential records")
    check.add_argument("synthetic", metavar="SYN", type=Path, help="CSV of the release")
    check.add_argument("--holdout", type=Path, help="CSV of people who were not in the real table")
    check.add_argument("--json", action="store_true", help="one JSON object instead of text")
    check.set_defaults(run=_check)

    game = commands.add_parser("membership", help="was this record in? The membership game on chosen targets")
    game.add_argument("--real", type=Path, required=True, help="CSV of the confidential records")
    game.add_argument("--synthetic", type=Path, help="CSV of the release; only its columns and domain are used")
    game.add_argument("--holdout", type=Path, help="CSV of people who were not in; only its domain is used")
    default = MembershipPlan()
    for flag, room, chosen in (
        ("--generator", "generators", default.generators),
        ("--target", "targets", default.targets),
        ("--attack", "attacks", default.attacks),
    ):
        game.add_argument(
            flag,
            action="append",
            dest=room,
            metavar="NAME[:FIELD=VALUE,...]",
            help=f"may be given several times (default: {' and '.join(chosen)})",
        )
    game.add_argument("--targets-each", dest="k", type=int, default=default.k, help="targets each rule chooses")
    game.add_argument("--together", action="store_true", help="put the targets in or out as one group")
    game.add_argument("--trainings", type=int, default=default.trainings, help="counted trainings in all, half with")
    game.add_argument("--generations", type=int, default=default.generations, help="releases from each training")
    game.add_argument("--n-syn", type=int, default=default.n_syn, help="rows of every release, a public constant")
    game.add_argument("--seed", type=int, default=default.seed, help="the same seed gives the same numbers")
    game.add_argument("--level", type=float, default=default.level, help="coverage of the intervals")
    game.add_argument("--workers", type=int, default=1, help="processes that train side by side; change no number")
    game.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    game.set_defaults(run=_membership)

    app = commands.add_parser("app", help="start the dashboard on this computer")
    app.add_argument("--port", type=int, default=8501)
    app.set_defaults(run=_app)

    sample = commands.add_parser("sample", help="make sure the finished sample audit is there")
    sample.set_defaults(run=_sample)

    worker = commands.add_parser("work")  # what the store starts; not for people
    worker.add_argument("folder", type=Path)
    worker.set_defaults(run=lambda options: 0 if work(options.folder) else 1)
    return parser


def _check(options: argparse.Namespace) -> int:
    tables = read_tables(options.real, options.synthetic, options.holdout)
    problems = tables.problems
    if options.json:
        _print_json(
            {
                "estimates": [],
                "settings": {"question": "check"},
                "files": _files(tables),
                "notes": [problem.sentence() for problem in problems],
                "problems": [problem.as_dict() for problem in problems],
                "columns": [
                    {"name": c.name, "kind": c.kind, "role": c.role, "reason": c.reason} for c in tables.schema.columns
                ],
            }
        )
        return 0
    for file in tables.files:
        print(f"{file.slot:<10} {file.name}: {file.rows:,} rows, {file.columns} columns, {file.encoding}")
    print()
    for column in tables.schema.columns:
        print(f"  {column.name:<24} {column.kind:<12} {column.role:<8} {column.reason}")
    print()
    for problem in problems:
        print(f"{problem.gravity:<9} {problem.sentence()}")
    if not problems:
        print("Nothing needs your eye.")
    return 0


def _membership(options: argparse.Namespace) -> int:
    given = {name: getattr(options, name) for name in ("k", "together", "trainings", "generations", "n_syn", "seed")}
    rooms: dict[str, Any] = {
        room: tuple(getattr(options, room)) for room in ("generators", "targets", "attacks") if getattr(options, room)
    }
    plan = MembershipPlan(**rooms, **given, level=options.level)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    tell = _bar if sys.stderr.isatty() else lambda _: None
    result = run_membership(tables.real, plan, workers=options.workers, progress=tell)
    notes = [*result.notes, *(problem.sentence() for problem in tables.problems)]
    if options.json:
        _print_json({**result.as_dict(), "files": _files(tables), "notes": notes})
        return 0
    print(f"{'generator':<22} {'target':<18} {'attack':<28} {'measure':<14} value [{plan.level:.0%}]  trainings")
    for e in result.estimates:
        labels = e.labels
        print(f"{labels['generator']:<22} {labels['target']:<18} {labels['attack']:<28} {e.name:<14} {e}  {e.n:>9}")
    for note in notes:
        print(f"\n{note}")
    return 0


def _app(options: argparse.Namespace) -> int:
    """Become Streamlit, with the finished sample audit open to look at."""
    os.environ["RISKKIT_OPEN"] = sample_audit(Store.default(), workers=_cores()).id
    root = Path(__file__).resolve().parents[1]
    os.chdir(root)
    command = [sys.executable, "-m", "riskkit.dashboard.serve", "--server.port", str(options.port)]
    if sys.platform == "win32":  # no process can replace another there
        return subprocess.call(command)
    return os.execv(command[0], command)


def _sample(_: argparse.Namespace) -> int:
    audit = sample_audit(Store.default(), workers=_cores())
    print(f"The sample audit is ready: {audit.name}.")
    return 0


def _cores() -> int:
    return max((os.cpu_count() or 2) - 1, 1)


def _files(tables: Tables) -> list[dict[str, Any]]:
    return [
        {"slot": file.slot, "name": file.name, "sha256": file.sha256, "rows": file.rows, "columns": file.columns}
        for file in tables.files
    ]


def _print_json(value: dict[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1))


def _bar(progress: Progress) -> None:
    left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
    print(f"\r\033[K{progress.stage}: {progress.done} of {progress.total} trainings{left}", end="", file=sys.stderr)
    if progress.done == progress.total:
        print("\r\033[K", end="", file=sys.stderr)
