"""``riskkit membership``: the game on chosen targets."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from riskkit import wording
from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.questions.membership import words
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.present import privacy
from riskkit.questions.membership.result import MembershipResult
from riskkit.session.verdicts import Verdicts
from riskkit.show import for_whom

ABOUT = "was this record in? The membership game on chosen targets"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    _options.add_files(
        parser,
        MembershipPlan,
        synthetic="table of the release; only its columns and domain are used",
        holdout="table of people outside the data; auxiliary rows of an attacker",
    )
    _options.add_children(parser)
    _options.add_settings(parser, MembershipPlan)
    _verdict.add_options(parser, MembershipPlan.question, about_a_method=True)
    add_playing(parser)
    _options.add_ways(parser, may_run_programs=True)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.verdict_options(options, MembershipPlan.question)
    plan: MembershipPlan = _options.plan_of(options, MembershipPlan)
    files = _options.files(options)
    tables = files.tables()
    result: MembershipResult | None = Asking(options, plan, files, tables, asked).result()
    if result is None:
        return 0
    shown = result.as_dict()
    if options.json:
        shown["privacy"] = privacy(result)
    verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain())
    return say(options, shown, tables, _lines(result, verdicts), verdicts)


def _lines(result: MembershipResult, verdicts: Verdicts) -> Iterator[str]:
    """Every estimate as its verdict has it: the AUC allows for all that were tested."""
    yield f"{'generator':<22} {'target':<18} {'attack':<28} {'measure':<14} value [interval]  level  trainings"
    for finding, _ in verdicts.judged:
        for e in finding.estimates:
            about = " ".join(
                f"{e.labels.get(name, ''):<{wide}}"
                for name, wide in (("generator", 22), ("target", 18), ("attack", 28))
            )
            yield f"{about} {e.name:<14} {wording.number(e)}  {e.level:.4g}  {e.n:>9}"
    for note in words.controls(result.control):
        yield f"\n{note}"
    yield from for_whom.lines(result.for_whom)
