"""``python -m riskkit contest``: its options, what it plays, and the lines it says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from riskkit.audit.contest import run_contest
from riskkit.audit.contest_files import read_files, read_guesses, write_bundle
from riskkit.audit.contest_plan import MODES, OPTIONS, PEOPLE, ContestPlan, listed
from riskkit.audit.contest_result import ContestResult
from riskkit.audit.contest_snake import SNAKE, run_snake
from riskkit.commands._printing import bar, say
from riskkit.errors import DesignError
from riskkit.report.contest import RULES

HELP = {
    "source": "where the population comes from: a generator that draws it from the base, base itself, or people: the "
    "base and the holdout, with the base as everybody's sample",
    "population": "rows that might have been in",
    "sample": "of which so many are, for each anonymiser",
    "release": "rows of a release; 0 for as many as the sample",
    "guesses": "rows that each attacker names",
    "draws": "rows drawn for each of the population before equal ones are dropped",
    "mode": f"{', '.join((*MODES, SNAKE))}",
    "rules": f"who may take part: {', '.join(RULES)}",
    "scale": "unit of numbers in covariances: standard deviations (standard) or the table's own (raw)",
    "secret": "column that classifiers learn to tell",
    "rounds": "independent contests: 1, or 5 and more",
    "seed": "the same seed gives the same numbers",
    "level": "coverage of the intervals",
}

ABOUT = "anonymisers against attackers, privacy against usefulness"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    default = ContestPlan()
    parser.add_argument("--base", type=Path, required=True, help="CSV that the population is made from")
    parser.add_argument("--synthetic", type=Path, help="CSV of your release of the base, with --source people")
    parser.add_argument("--holdout", type=Path, help="CSV of other people, to test what is learnt on")
    for flag, chosen, what in (
        ("--anonymisers", default.anonymisers, "generators, anonymisers and chains; pram:p={0.5/0.9} for several"),
        ("--attackers", default.attackers, "attacks on a released file; distance is the organisers'"),
        ("--classifier", (), "inference models that learn the secret from each release"),
    ):
        parser.add_argument(
            flag, action="append", default=[], metavar="NAME[:FIELD=VALUE,...],...",
            help=f"{what}; with commas between them, or given several times (default: {', '.join(chosen) or 'none'})",
        )  # fmt: skip
    for name in OPTIONS:
        value = getattr(default, name)
        parser.add_argument(f"--{name}", type=type(value), default=value, help=f"{HELP[name]} (default: %(default)s)")
    parser.add_argument(
        "--given", nargs=2, action="append", default=[], metavar=("NAME", "CSV"),
        help="a release made elsewhere of the sample that this seed deals to that name; may be given several times",
    )  # fmt: skip
    parser.add_argument(
        "--own", nargs=3, action="append", default=[], metavar=("ATTACKER", "ANONYMISER", "FILE"),
        help="row numbers of the population that an attacker of yours names, one on each line",
    )  # fmt: skip
    parser.add_argument("--household", default="", metavar="COLUMN", help="with --mode snake: who lives together")
    parser.add_argument("--bundle", type=Path, metavar="DIR", help="also write population, samples, releases, guesses")
    parser.add_argument("--workers", type=int, default=1, help="processes that work side by side; change no number")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")


def plan_of(options: argparse.Namespace) -> ContestPlan:
    """The plan that the options ask for."""
    given: dict[str, Any] = {name: getattr(options, name) for name in OPTIONS}
    lists = {"anonymisers": options.anonymisers, "attackers": options.attackers, "classifiers": options.classifier}
    given |= {name: listed(texts) for name, texts in lists.items() if texts}
    if options.given and not options.anonymisers:
        given["anonymisers"] = ()
    return ContestPlan(**given)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    if options.mode == SNAKE:
        found, played, told = run_snake(options, listed)
        return say(options, found, played, told)
    plan = plan_of(options)
    releases = {name: Path(path) for name, path in options.given}
    tables, given = read_files(options.base, options.synthetic, options.holdout, releases)
    if options.synthetic is not None and plan.source != PEOPLE:
        raise DesignError("Your release of the base takes part with --source people; use --given in other contests.")
    own = {}
    if options.own:
        wanted = plan.sample if plan.mode == "hide-and-seek" else plan.guesses
        rows = len(plan.people(tables))
        own = {(who, name): read_guesses(Path(path), rows, wanted) for who, name, path in options.own}
    result = run_contest(
        tables, plan, releases=given, guesses=own, workers=options.workers, keep=options.bundle is not None,
        progress=bar("releases"),
    )  # fmt: skip
    if options.bundle is not None:
        write_bundle(result, options.bundle)
    return say(options, result.as_dict(), tables, lines(result))


def lines(result: ContestResult) -> Iterator[str]:
    """The result for people: sentences, the matrix, usefulness, the frontier."""
    said = result.as_dict()
    yield from said["sentences"]
    yield ""
    yield f"{'anonymiser':<32} {'attacker':<22} hits [{result.plan.level:.0%}]"
    for row in result.rows:
        for attacker, hits in row.hits.items():
            mark = " <- best" if attacker == row.best else ""
            yield f"{row.anonymiser:<32} {attacker:<22} {hits.value:g} [{hits.low:.1f}, {hits.high:.1f}]{mark}"
    yield ""
    for one in said["anonymisers"]:
        part = "takes part" if one["takes_part"] else f"may not take part ({', '.join(one['misses'])})"
        numbers = ", ".join(f"{name} {value:.3f}" for name, value in one["usefulness"].items())
        yield f"{one['anonymiser']}: safety {one['safety']['value']:.1f}, {one['points']:.0f} points, {part}; {numbers}"
    yield ""
    for placed in result.frontier():
        beaten = f"beaten by {', '.join(placed.dominated_by)}" if placed.dominated_by else "on the frontier"
        worst = placed.point.worst
        yield (
            f"{placed.point.name}: usefulness {placed.point.usefulness:.3f}, hits {worst.value:g} "
            f"[{worst.low:.1f}, {worst.high:.1f}], {beaten}"
        )
