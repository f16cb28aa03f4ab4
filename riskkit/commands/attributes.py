"""``python -m riskkit attributes``: what the release lets a stranger infer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from riskkit.audit.attributes import run_attributes
from riskkit.audit.attributes_plan import BASELINES, AttributePlan, known_from, model_from
from riskkit.commands import _verdict
from riskkit.commands._printing import bar, say
from riskkit.generators import external
from riskkit.report import attributes_gains, attributes_lines
from riskkit.table.load import read_tables

ABOUT = "what the release lets a stranger infer of a person"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    default = AttributePlan()
    parser.add_argument("--real", type=Path, required=True, help="CSV of the confidential records")
    parser.add_argument("--synthetic", type=Path, required=True, help="CSV of the release")
    parser.add_argument(
        "--holdout", type=Path, help="CSV of people who were not in; needed to say who is easier to guess"
    )
    parser.add_argument(
        "--secret",
        action="append",
        default=[],
        metavar="COLUMN|all",
        help="column to be guessed; may be given several times (default: the last one in use)",
    )
    parser.add_argument(
        "--known",
        action="append",
        default=[],
        metavar="others|greedy:K|COLUMN,...",
        help="what is known, one set each time it is given: every other column, the K that tell most of the secret in "
        "the release, or these (default: others)",
    )
    parser.add_argument(
        "--model", type=model_from, default=default.model, help="or best: chosen on the release (default: %(default)s)"
    )
    parser.add_argument("--sweep", action="store_true", help="also every column as secret with every known set")
    parser.add_argument("--sweep-model", default=default.sweep_model, help="its model (default: %(default)s)")
    parser.add_argument("--group", action="append", default=[], metavar="COLUMN", help="look at its groups apart")
    parser.add_argument("--generator", default="", metavar="NAME[:FIELD=VALUE,...]", help="what made the release")
    parser.add_argument(
        "--randomised-secret",
        dest="randomised",
        type=int,
        default=0,
        metavar="N",
        help="train the generator N times with secrets drawn at random: does it give these away?",
    )
    parser.add_argument("--targets", type=int, default=default.targets, help="rows that get such a secret")
    parser.add_argument("--allow-external", action="store_true", help="let the generator be a program of your own")
    parser.add_argument("--no-match", default=default.no_match, help="what counts in CAP: prior or nothing")
    parser.add_argument(
        "--baseline",
        choices=BASELINES,
        default=default.baseline,
        help="whose most frequent level (or median) a model has to beat: that of the people tested, the hardest there "
        "is, or of the released rows, which is all an attacker has; for AUC and balanced accuracy it is chance "
        "(default: %(default)s)",
    )
    for name, kind, what in (
        ("tolerance", float, "a guessed number is right within that share of the true one"),
        ("absolute", float, "or within that distance from it; without it half a unit of the last decimal"),
        ("confidence", float, "how sure the model must be of a member to count as exposed"),
        ("max_rows", int, "most records asked about on either side"),
        ("seed", int, "the same seed gives the same numbers"),
        ("level", float, "coverage of the intervals"),
    ):
        flag = f"--{name.replace('_', '-')}"
        parser.add_argument(flag, type=kind, default=getattr(default, name), help=f"{what} (default: %(default)s)")
    _verdict.add_options(parser, AttributePlan.question)
    parser.add_argument("--workers", type=int, default=1, help="processes that work side by side; change no number")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    if options.allow_external:
        external.allow()
    asked = _verdict.asked(options, AttributePlan.question)
    names = ("tolerance", "absolute", "confidence", "max_rows", "seed", "level", "model", "sweep")
    more = ("sweep_model", "no_match", "baseline", "generator", "randomised", "targets")
    given: dict[str, Any] = {name: getattr(options, name) for name in (*names, *more)}
    if options.known:
        given["known"] = tuple(known_from(text) for text in options.known)
    plan = AttributePlan(secrets=tuple(options.secret), groups=tuple(options.group), **given)
    tables = read_tables(options.real, options.synthetic, options.holdout)
    result = run_attributes(tables, plan, workers=options.workers, progress=bar("secrets"))
    found = result.as_dict()
    found = {**found, "readings": attributes_gains.readings(found)}
    verdicts = _verdict.reached(asked, tables, plan, result.kept())
    return say(options, found, tables, attributes_lines.lines(found), verdicts)
