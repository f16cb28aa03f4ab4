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

from riskkit.audit.attributes import run_attributes
from riskkit.audit.attributes_plan import AttributePlan, known_from, model_from
from riskkit.audit.claims import privacy
from riskkit.audit.plan import CHOICES, LATER, MembershipPlan
from riskkit.audit.released import ReleasedResult, run_released
from riskkit.audit.released_plan import ReleasedPlan, listed
from riskkit.audit.run import Progress, run_membership
from riskkit.audit.sample import sample_audit
from riskkit.audit.store import Store
from riskkit.audit.worker import work
from riskkit.commands import contest, explanations
from riskkit.commands.study import study_options
from riskkit.errors import RiskkitError
from riskkit.generators import external
from riskkit.report import attributes_lines, words
from riskkit.report.findings import controls
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
    game.add_argument("--holdout", type=Path, help="CSV of people who were not in; auxiliary rows of an attacker")
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
    game.add_argument(
        "--no-control", dest="control", action="store_false", help="plant no leak to see whether the attacks find one"
    )
    for name, what in (
        ("worlds", "the same people around the targets in every training, or others each time"),
        ("relation", "what is in the world without the targets: fewer people, or others in their place"),
        ("knowledge", "what attackers know: as their attack says, every other row, or other people"),
    ):
        game.add_argument(f"--{name}", choices=CHOICES[name], default=getattr(default, name), help=what)
    game.add_argument("--rows", type=int, default=default.rows, help="rows of a world with the target; 0: all")
    game.add_argument(
        "--auxiliary",
        type=float,
        default=default.auxiliary,
        help="share of the real table that attackers of auxiliary knowledge have, where there is no holdout",
    )
    game.add_argument("--workers", type=int, default=1, help="processes that train side by side; change no number")
    game.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    game.add_argument("--allow-external", action="store_true", help="let a plan run programs of your own")
    game.set_defaults(run=_membership)

    study_options(commands.add_parser("study", help="play a stored study of the literature again"))

    _released_options(commands.add_parser("released", help="attacks on the released file alone; no generator needed"))
    _attribute_options(commands.add_parser("attributes", help="what the release lets a stranger infer of a person"))

    for name, module in (("contest", contest), ("explanations", explanations)):
        command = commands.add_parser(name, help=module.ABOUT)
        module.add_options(command)
        command.set_defaults(run=_said, asked=module.asked)

    app = commands.add_parser("app", help="start the dashboard on this computer")
    app.add_argument("--port", type=int, default=8501)
    app.add_argument(
        "--allow-external", action="store_true", help="let whoever uses the dashboard run programs on this computer"
    )
    app.add_argument(
        "--external-python",
        action="append",
        default=[],
        metavar="PACKAGE.MODULE:NAME",
        help="offer this Python object with fit and sample as a generator; may be given several times",
    )
    app.set_defaults(run=_app)

    sample = commands.add_parser("sample", help="make sure the finished sample audit is there")
    sample.set_defaults(run=_sample)

    worker = commands.add_parser("work")  # what the store starts; not for people
    worker.add_argument("folder", type=Path)
    worker.set_defaults(run=lambda options: 0 if work(options.folder) else 1)
    return parser


def _released_options(released: argparse.ArgumentParser) -> None:
    default = ReleasedPlan()
    released.add_argument("--real", type=Path, required=True, help="CSV of the confidential records")
    released.add_argument("--synthetic", type=Path, required=True, help="CSV of the release")
    released.add_argument("--holdout", type=Path, help="CSV of people who were not in; needed to measure membership")
    released.add_argument(
        "--attacks",
        action="append",
        metavar="all|NAME[:FIELD=VALUE,...],...",
        help=f"with commas between them, or given several times (default: {', '.join(default.attacks)})",
    )
    for name, kind, what in (
        ("reference_share", float, "share of the holdout that attacks may compare with; not asked about"),
        ("max_rows", int, "most rows asked about on either side"),
        ("limit", float, "an AUC above it is a leak; 0.5 is guessing"),
        ("rule_out", float, "the smallest AUC whose absence is worth stating"),
        ("seed", int, "the same seed gives the same numbers"),
        ("level", float, "coverage of the intervals"),
    ):
        flag = f"--{name.replace('_', '-')}"
        released.add_argument(flag, type=kind, default=getattr(default, name), help=f"{what} (default: %(default)s)")
    released.add_argument("--workers", type=int, default=1, help="processes that attack side by side")
    released.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    released.set_defaults(run=_released)


def _attribute_options(asked: argparse.ArgumentParser) -> None:
    default = AttributePlan()
    asked.add_argument("--real", type=Path, required=True, help="CSV of the confidential records")
    asked.add_argument("--synthetic", type=Path, required=True, help="CSV of the release")
    asked.add_argument(
        "--holdout", type=Path, help="CSV of people who were not in; needed to say who is easier to guess"
    )
    asked.add_argument(
        "--secret",
        action="append",
        default=[],
        metavar="COLUMN|all",
        help="column to be guessed; may be given several times (default: the last one in use)",
    )
    asked.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="others|greedy:K|COLUMN,...",
        help="what is known, one set each time it is given: every other column, the K that tell most of the secret in "
        "the release, or these (default: others)",
    )
    asked.add_argument(
        "--model", type=model_from, default=default.model, help="or best: chosen on the release (default: %(default)s)"
    )
    asked.add_argument("--sweep", action="store_true", help="also every column as secret with every known set")
    asked.add_argument("--sweep-model", default=default.sweep_model, help="its model (default: %(default)s)")
    asked.add_argument("--group", action="append", default=[], metavar="COLUMN", help="look at its groups apart")
    asked.add_argument("--generator", default="", metavar="NAME[:FIELD=VALUE,...]", help="what made the release")
    asked.add_argument(
        "--randomised-secret",
        dest="randomised",
        type=int,
        default=0,
        metavar="N",
        help="train the generator N times with secrets drawn at random: does it give these away?",
    )
    asked.add_argument("--targets", type=int, default=default.targets, help="rows that get such a secret")
    asked.add_argument("--allow-external", action="store_true", help="let the generator be a program of your own")
    asked.add_argument("--no-match", default=default.no_match, help="what counts in CAP: prior or nothing")
    for name, kind, what in (
        ("tolerance", float, "a guessed number is right within that share of the true one"),
        ("absolute", float, "or within that distance from it; without it half a unit of the last decimal"),
        ("confidence", float, "how sure the model must be of a member to count as exposed"),
        ("max_rows", int, "most records asked about on either side"),
        ("limit", float, "a residual above it is a leak about members"),
        ("rule_out", float, "the smallest residual whose absence is worth stating"),
        ("seed", int, "the same seed gives the same numbers"),
        ("level", float, "coverage of the intervals"),
    ):
        flag = f"--{name.replace('_', '-')}"
        asked.add_argument(flag, type=kind, default=getattr(default, name), help=f"{what} (default: %(default)s)")
    asked.add_argument("--workers", type=int, default=1, help="processes that work side by side; change no number")
    asked.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    asked.set_defaults(run=_attributes)


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
    if options.allow_external:
        external.allow()
    names = ("k", "together", "trainings", "generations", "n_syn", "seed", "control", *LATER)
    given = {name: getattr(options, name) for name in names}
    rooms: dict[str, Any] = {
        room: tuple(getattr(options, room)) for room in ("generators", "targets", "attacks") if getattr(options, room)
    }
    plan = MembershipPlan(**rooms, **given, level=options.level)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    tell = _bar_of("trainings")
    result = run_membership(tables.real, plan, tables.holdout, workers=options.workers, progress=tell)
    notes = [*result.notes, *(problem.sentence() for problem in tables.problems)]
    if options.json:
        _print_json({**result.as_dict(), "files": _files(tables), "notes": notes, "privacy": privacy(result)})
        return 0
    print(f"{'generator':<22} {'target':<18} {'attack':<28} {'measure':<14} value [{plan.level:.0%}]  trainings")
    for e in result.estimates:
        labels = e.labels
        print(f"{labels['generator']:<22} {labels['target']:<18} {labels['attack']:<28} {e.name:<14} {e}  {e.n:>9}")
    for note in [*words.controls(controls(result.as_dict())), *notes]:
        print(f"\n{note}")
    return 0


def _released(options: argparse.Namespace) -> int:
    names = ("reference_share", "max_rows", "limit", "rule_out", "seed", "level")
    given = {name: getattr(options, name) for name in names}
    if options.attacks:
        given["attacks"] = listed(",".join(options.attacks))
    plan = ReleasedPlan(**given)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    tell = _bar_of("attacks")
    result = run_released(tables, plan, workers=options.workers, progress=tell)
    notes = [*result.notes, *(problem.sentence() for problem in tables.problems)]
    if options.json:
        _print_json({**result.as_dict(), "files": _files(tables), "notes": notes})
        return 0
    _print_released(result)
    for note in notes:
        print(f"\n{note}")
    return 0


def _print_released(result: ReleasedResult) -> None:
    decision = result.decision
    print(f"{decision.verdict.upper()}. {decision.why}")
    if result.blind is not None:
        print(f"\n{result.blind.sentence}")
        print(f"\n{'attack':<28} {'measure':<14} {'at':<6} value [{result.plan.level:.0%}]  records")
    for e in result.estimates:
        print(f"{e.labels['attack']:<28} {e.name:<14} {e.labels.get('fpr', ''):<6} {e}  {e.n:>9,}")
    for finding in result.findings:
        if finding.control is not None:
            print(f"\n{finding.control.sentence}")


def _attributes(options: argparse.Namespace) -> int:
    if options.allow_external:
        external.allow()
    names = ("tolerance", "absolute", "confidence", "max_rows", "limit", "rule_out", "seed", "level", "model", "sweep")
    more = ("sweep_model", "no_match", "generator", "randomised", "targets")
    given: dict[str, Any] = {name: getattr(options, name) for name in (*names, *more)}
    if options.known:
        given["known"] = tuple(known_from(text) for text in options.known)
    plan = AttributePlan(secrets=tuple(options.secret), groups=tuple(options.group), **given)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    tell = _bar_of("secrets")
    result = run_attributes(tables, plan, workers=options.workers, progress=tell)
    notes = [*result.notes, *(problem.sentence() for problem in tables.problems)]
    if options.json:
        _print_json({**result.as_dict(), "files": _files(tables), "notes": notes})
        return 0
    for line in attributes_lines.lines(result.as_dict()):
        print(line)
    for note in notes:
        print(f"\n{note}")
    return 0


def _said(options: argparse.Namespace) -> int:
    """Print what the command's ``asked`` found: the lines with the notes under them, or one JSON object."""
    found, tables, lines = options.asked(options, _bar_of)
    notes = [*found["notes"], *(problem.sentence() for problem in tables.problems)]
    if options.json:
        _print_json({**found, "files": _files(tables), "notes": notes})
    else:
        print("\n".join([*lines, *(f"\n{note}" for note in notes)]))
    return 0


def _app(options: argparse.Namespace) -> int:
    """Become Streamlit, with the finished sample audit open to look at.

    The worker of a run is a child of the server, so it is allowed what the server was started with.
    """
    if options.allow_external:
        external.allow()
    if options.external_python:
        external.offer(options.external_python)
        here = os.environ.get("PYTHONPATH", "")  # the server moves to a folder of its own
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path.cwd()), here)))
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


def _bar_of(units: str) -> Callable[[Progress], None]:
    """A line on the terminal that says how far it is; nothing where standard error is no terminal."""
    if not sys.stderr.isatty():
        return lambda _: None

    def tell(progress: Progress) -> None:
        left = "" if progress.seconds_left is None else f", {progress.seconds_left:.0f} s left"
        print(f"\r\033[K{progress.stage}: {progress.done} of {progress.total} {units}{left}", end="", file=sys.stderr)
        if progress.done == progress.total:
            print("\r\033[K", end="", file=sys.stderr)

    return tell
