"""``python -m riskkit released``: attacks on the released file alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from riskkit.audit.released import ReleasedResult, run_released
from riskkit.audit.released_plan import ReleasedPlan, listed
from riskkit.commands import _verdict
from riskkit.commands._printing import bar, say
from riskkit.report.released import blind, control
from riskkit.report.released_findings import read
from riskkit.table.load import read_tables

ABOUT = "attacks on the released file alone; no generator needed"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    default = ReleasedPlan()
    parser.add_argument("--real", type=Path, required=True, help="CSV of the confidential records")
    parser.add_argument("--synthetic", type=Path, required=True, help="CSV of the release")
    parser.add_argument("--holdout", type=Path, help="CSV of people who were not in; needed to measure membership")
    parser.add_argument(
        "--attacks",
        action="append",
        metavar="all|NAME[:FIELD=VALUE,...],...",
        help=f"with commas between them, or given several times (default: {', '.join(default.attacks)})",
    )
    for name, kind, what in (
        ("reference", str, "whom attacks compare with: cross (others asked about) or aside (a share of the holdout)"),
        ("reference_share", float, "with aside: that share of the holdout, which is not asked about"),
        ("max_rows", int, "most rows asked about on either side"),
        ("seed", int, "the same seed gives the same numbers"),
        ("level", float, "chance that a verdict of a leak, or of none, is right; coverage of the intervals"),
    ):
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=getattr(default, name), help=f"{what} (default: %(default)s)")
    _verdict.add_options(parser, ReleasedPlan.question)
    parser.add_argument("--workers", type=int, default=1, help="processes that attack side by side")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.asked(options, ReleasedPlan.question)
    names = ("reference", "reference_share", "max_rows", "seed", "level")
    given = {name: getattr(options, name) for name in names}
    if options.attacks:
        given["attacks"] = listed(",".join(options.attacks))
    plan = ReleasedPlan(**given)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    result = run_released(tables, plan, workers=options.workers, progress=bar("attacks"))
    verdicts = _verdict.reached(asked, tables, plan, result.kept())
    return say(options, result.as_dict(), tables, _lines(result), verdicts)


def _lines(result: ReleasedResult) -> Iterator[str]:
    found = read(result.as_dict())
    if found.best is not None:
        yield f"{found.strongest}: p = {found.best.p:.2g}, labels dealt anew {found.permutations:,} times."
    if result.blind is not None:
        own = result.blind.auc
        yield blind(own, found.blind_p, apart=found.apart, blocked=found.blocked) if own else found.blind_silent
        yield (f"\n{'attack':<28} {'measure':<14} {'at':<6} value [{result.plan.level:.0%}]  records")
    for e in result.estimates:
        yield (f"{e.labels['attack']:<28} {e.name:<14} {e.labels.get('fpr', ''):<6} {e}  {e.n:>9,}")
    for finding in result.findings:
        planted = finding.control
        if planted is not None:
            yield "\n" + (control(finding.attack, planted.auc, planted.planted, 0.5) if planted.auc else planted.why)
