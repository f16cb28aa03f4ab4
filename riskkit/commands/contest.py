"""``riskkit contest``: what others hand in, the sample that is dealt to them, and what a class is given."""

from __future__ import annotations

import argparse
from dataclasses import replace
from functools import partial
from pathlib import Path

from riskkit.commands import _options
from riskkit.commands._ask import AskCommand, Asking
from riskkit.commands._output import say
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit
from riskkit.language import again
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
from riskkit.questions.contest.question import QUESTION
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.run import run_contest
from riskkit.table.load import Tables

ABOUT = "anonymisers against attackers, privacy against usefulness"
"""The command in a line."""


class ContestCommand(AskCommand):
    """A contest, with what is made elsewhere."""

    def add_own(self, parser: argparse.ArgumentParser) -> None:
        """What is handed in, and what is handed out."""
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
            help="share of the named rows (0 to 1) that the best attacker found of an anonymiser in a preliminary "
            "round, which counts 1 : 9 beside this one; may be given several times",
        )
        parser.add_argument(
            "--declare",
            nargs=2,
            action="append",
            default=[],
            metavar=("NAME", "TEXT"),
            help=f"what an anonymiser declares, beside which it is counted: {again(FORM)}; may be given several times",
        )
        parser.add_argument(
            "--deal",
            nargs=2,
            metavar=("NAME", "CSV"),
            help="write the sample that this seed deals to that name, and stop",
        )
        parser.add_argument(
            "--bundle", type=Path, metavar="DIR", help="also write population, samples, releases, guesses"
        )

    def plan(self, options: argparse.Namespace) -> ContestPlan:
        """Without anonymisers where only what was made elsewhere takes part."""
        none = {"anonymisers": ()} if options.given and not options.anonymisers else {}
        made: ContestPlan = _options.plan_of(options, ContestPlan, **none)
        if options.synthetic is not None and made.source != PEOPLE:
            raise DesignError(
                "Your release of the base takes part with --source people; use --given in other contests."
            )
        return made

    def ask(self, asking: Asking) -> int:
        """Hand out a sample, or play with all that was handed in."""
        options, plan, tables = asking.options, asking.plan, asking.tables
        if options.deal is not None:
            name, path = options.deal
            write(Path(path), first_sample(tables, plan, name))
            shown = {"dealt": name, "file": Path(path).name, "notes": []}
            return say(options, shown, tables, [f"The sample drawn for {name} is in {path}."])
        releases, plan = _read_releases(options, plan, tables)

        def prepare(audit: Audit) -> None:
            for name, path in options.given:
                file = Path(path)
                HandedIn.read(audit).take_release(
                    name, file.read_bytes(), file.name, tables.schema, dealing(plan, audit.revision)
                )

        work = partial(run_contest, tables, plan, releases=releases, keep=options.bundle is not None)
        return super().ask(replace(asking, plan=plan, work=work, prepare=prepare))

    def write(self, options: argparse.Namespace, result: ContestResult) -> None:
        """The bundle for a class."""
        if result.bundle is not None:
            write_bundle(result.bundle, options.bundle)


_COMMAND = ContestCommand(QUESTION)
add_options, run = _COMMAND.add_options, _COMMAND.run


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError as error:
        raise DesignError(
            "Of the preliminary round the share of named rows that are in the sample is asked, from 0 to 1."
        ) from error


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
