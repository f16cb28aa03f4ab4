"""``riskkit contest``: its options, what it plays, and the lines it says."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.core import Estimate, Table
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit
from riskkit.questions.contest import ranking as contest_ranking
from riskkit.questions.contest import words
from riskkit.questions.contest.entries import (
    HandedIn,
    dealing,
    first_sample,
    read_guesses,
    read_release,
    write,
    write_bundle,
)
from riskkit.questions.contest.plan import FORM, PEOPLE, ContestPlan
from riskkit.questions.contest.points import LESSON
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.run import run_contest
from riskkit.questions.contest.words import reason
from riskkit.table.load import Tables

ABOUT = "anonymisers against attackers, privacy against usefulness"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    _options.add_files(
        parser,
        ContestPlan,
        base=f"table that the population is made from: {_options.KINDS}",
        synthetic="table of your release of the base, with --source people",
        holdout="table of other people, to test what is learnt on",
    )
    _options.add_settings(parser, ContestPlan)
    parser.add_argument(
        "--given",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "CSV"),
        help="a release made elsewhere of the sample that this seed deals to that name; may be given several times",
    )
    parser.add_argument(
        "--own",
        nargs=3,
        action="append",
        default=[],
        metavar=("ATTACKER", "ANONYMISER", "FILE"),
        help="row numbers of the population that an attacker of yours names, one on each line",
    )
    parser.add_argument(
        "--preliminary",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "SHARE"),
        help="share of the named rows (0 to 1) that the best attacker found of an anonymiser in a preliminary round, "
        "which counts 1 : 9 beside this one; may be given several times",
    )
    parser.add_argument(
        "--declare",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME", "TEXT"),
        help=f"what an anonymiser declares, beside which it is counted: {FORM}; may be given several times",
    )
    parser.add_argument(
        "--deal", nargs=2, metavar=("NAME", "CSV"), help="write the sample that this seed deals to that name, and stop"
    )
    parser.add_argument("--bundle", type=Path, metavar="DIR", help="also write population, samples, releases, guesses")
    _verdict.add_options(parser, ContestPlan.question)
    add_playing(parser)
    _options.add_ways(parser, may_run_programs=True)


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise DesignError(
            "Of the preliminary round the share of named rows that are in the sample is asked, from 0 to 1."
        ) from error


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.verdict_options(options, ContestPlan.question)
    none = {"anonymisers": ()} if options.given and not options.anonymisers else {}
    plan: ContestPlan = _options.plan_of(options, ContestPlan, **none)
    files = _options.files(options, "base")
    tables = files.tables()
    if options.synthetic is not None and plan.source != PEOPLE:
        raise DesignError("Your release of the base takes part with --source people; use --given in other contests.")
    if options.deal is not None:
        name, path = options.deal
        write(Path(path), first_sample(tables, plan, name))
        shown = {"dealt": name, "file": Path(path).name, "notes": []}
        return say(options, shown, tables, [f"The sample drawn for {name} is in {path}."])
    releases, plan = _read_releases(options, plan, tables)
    keep = options.bundle is not None

    def work(**how: Any) -> ContestResult:
        return run_contest(tables, plan, releases=releases, keep=keep, **how)

    def prepare(audit: Audit) -> None:
        for name, path in options.given:
            file = Path(path)
            HandedIn.read(audit).take_release(
                name, file.read_bytes(), file.name, tables.schema, dealing(plan, audit.revision)
            )

    asking = Asking(options, plan, files, tables, asked, work, prepare)
    result: ContestResult | None = asking.result()
    if result is None:
        return 0
    if result.bundle is not None:
        write_bundle(result.bundle, options.bundle)
    verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain())
    return say(options, result.as_dict(), tables, lines(result), verdicts)


def _read_releases(
    options: argparse.Namespace, plan: ContestPlan, tables: Tables
) -> tuple[dict[str, Table], ContestPlan]:
    """Releases made elsewhere, and the plan with all that was handed in."""
    releases, hashes = {}, []
    for name, path in options.given:
        sha256, releases[name] = read_release(Path(path), Path(path).name, tables.schema)
        hashes.append((name, sha256))
    rows = len(plan.people(tables)) if options.own else 0
    own = [(who, name, tuple(read_guesses(Path(path), rows, plan.n_named).tolist())) for who, name, path in options.own]
    before = tuple((name, _share(share)) for name, share in options.preliminary)
    declared = tuple((name, text) for name, text in options.declare)
    return releases, replace(plan, given=tuple(hashes), own=tuple(own), preliminary=before, declared=declared)


def lines(result: ContestResult) -> Iterator[str]:
    """The result for people: sentences, the matrix, usefulness, the frontier."""
    yield from filter(None, [*result.sentences, *result.uploads, result.lesson or LESSON])
    for control in result.controls:
        saw = "found it" if control.is_found else "did not: its silence says nothing"
        yield f"Planted control, the sample itself: {control.attacker} {_count(control.hits)} hits, {saw}"
    yield ""
    yield f"{'anonymiser':<32} {'attacker':<22} hits [{result.plan.level:.0%}]"
    for standing in result.standings:
        for attacker, hits in result.hits(standing.name).items():
            mark = " <- best" if attacker == standing.best else ""
            yield f"{standing.name:<32} {attacker:<22} {_count(hits)}{mark}"
    yield ""
    yield from words.lines(result)
    yield ""
    yield from _ranking(result)
    yield ""
    for standing in result.standings:
        numbers = ", ".join(f"{name} {value:.3f}" for name, value in standing.usefulness.items())
        yield f"{standing.name}: {numbers}"
    yield ""
    for spot in result.frontiers[result.order.frontiers[0]]:
        beaten = f"beaten by {', '.join(spot.beaten)}" if spot.beaten else "on the frontier"
        yield f"{spot.name}: usefulness {spot.usefulness:.3f}, hits {_count(spot.worst)}, {beaten}"


def _count(hits: Estimate) -> str:
    return f"{hits.value:g} [{hits.low:.1f}, {hits.high:.1f}]"


def _ranking(result: ContestResult) -> Iterator[str]:
    """Who wins, who may not take part, what attackers are paid."""
    order = result.ranking
    yield contest_ranking.sentence(order)
    for place in order.places:
        before = ""
        if place.preliminary is not None:
            before = f" (preliminary {place.preliminary:.0f}, main {place.main:.0f}, 1 : 9)"
        points = f"{place.points:.0f} points [{place.low:.0f}, {place.high:.0f}]"
        yield f"{place.place:>3}. {place.name:<32} {points}{before}"
    for standing in result.standings:
        if standing.misses:
            yield f"  -  {standing.name:<32} may not take part: {reason(result, standing)}"
    yield ""
    yield f"{'attacker':<38} points against the winner, against the best three"
    for pay in order.attackers:
        yield f"{pay.attacker:<38} {pay.winner:.0f}, {pay.top:.0f}"
