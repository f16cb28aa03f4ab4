"""``python -m riskkit membership``: the game on chosen targets."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from riskkit import wording
from riskkit.audit.claims import privacy
from riskkit.audit.plan import CHOICES, LATER, MembershipPlan
from riskkit.audit.questions import kept
from riskkit.audit.run import MembershipResult, run_membership
from riskkit.commands import _verdict
from riskkit.commands._printing import bar, say
from riskkit.generators import external
from riskkit.report import words
from riskkit.report.findings import controls
from riskkit.table.load import read_tables

ABOUT = "was this record in? The membership game on chosen targets"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--real", type=Path, required=True, help="CSV of the confidential records")
    parser.add_argument("--synthetic", type=Path, help="CSV of the release; only its columns and domain are used")
    parser.add_argument("--holdout", type=Path, help="CSV of people who were not in; auxiliary rows of an attacker")
    default = MembershipPlan()
    for flag, room, chosen in (
        ("--generator", "generators", default.generators),
        ("--target", "targets", default.targets),
        ("--attack", "attacks", default.attacks),
    ):
        parser.add_argument(
            flag,
            action="append",
            dest=room,
            metavar="NAME[:FIELD=VALUE,...]",
            help=f"may be given several times (default: {' and '.join(chosen)})",
        )
    parser.add_argument("--targets-each", dest="k", type=int, default=default.k, help="targets each rule chooses")
    parser.add_argument("--together", action="store_true", help="put the targets in or out as one group")
    parser.add_argument("--trainings", type=int, default=default.trainings, help="counted trainings in all, half with")
    parser.add_argument("--generations", type=int, default=default.generations, help="releases from each training")
    parser.add_argument("--n-syn", type=int, default=default.n_syn, help="rows of every release, a public constant")
    parser.add_argument("--seed", type=int, default=default.seed, help="the same seed gives the same numbers")
    parser.add_argument("--level", type=float, default=default.level, help="coverage of the intervals")
    parser.add_argument(
        "--no-control", dest="control", action="store_false", help="plant no leak to see whether the attacks find one"
    )
    for name, what in (
        ("worlds", "the same people around the targets in every training, or others each time"),
        ("relation", "what is in the world without the targets: fewer people, or others in their place"),
        ("knowledge", "what attackers know: as their attack says, every other row, or other people"),
    ):
        parser.add_argument(f"--{name}", choices=CHOICES[name], default=getattr(default, name), help=what)
    parser.add_argument("--rows", type=int, default=default.rows, help="rows of a world with the target; 0: all")
    parser.add_argument(
        "--auxiliary",
        type=float,
        default=default.auxiliary,
        help="share of the real table that attackers of auxiliary knowledge have, where there is no holdout",
    )
    _verdict.add_options(parser, MembershipPlan.question, about_a_method=True)
    parser.add_argument("--workers", type=int, default=1, help="processes that train side by side; change no number")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--allow-external", action="store_true", help="let a plan run programs of your own")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    if options.allow_external:
        external.allow()
    asked = _verdict.asked(options, MembershipPlan.question)
    names = ("k", "together", "trainings", "generations", "n_syn", "seed", "control", *LATER)
    given = {name: getattr(options, name) for name in names}
    rooms: dict[str, Any] = {
        room: tuple(getattr(options, room)) for room in ("generators", "targets", "attacks") if getattr(options, room)
    }
    plan = MembershipPlan(**rooms, **given, level=options.level)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    result = run_membership(tables.real, plan, tables.holdout, workers=options.workers, progress=bar("steps"))
    found = result.as_dict()
    if options.json:
        found["privacy"] = privacy(result)
    verdicts = _verdict.reached(asked, tables, plan, kept(result))
    return say(options, found, tables, _lines(result), verdicts)


def _lines(result: MembershipResult) -> Iterator[str]:
    yield (
        f"{'generator':<22} {'target':<18} {'attack':<28} {'measure':<14} value [{result.plan.level:.0%}]  trainings"
    )
    for e in result.estimates:
        labels, reads = e.labels, wording.number(e)
        about = f"{labels['generator']:<22} {labels['target']:<18} {labels['attack']:<28}"
        yield f"{about} {e.name:<14} {reads}  {e.n:>9}"
    for note in words.controls(controls(result.as_dict())):
        yield f"\n{note}"
