"""``riskkit released``: attacks on the released file alone."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace

from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.questions.released.plan import ReleasedPlan, blind, control
from riskkit.questions.released.play import attacks_for
from riskkit.questions.released.result import ReleasedResult
from riskkit.show import for_whom

ABOUT = "attacks on the released file alone; no generator needed"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    _options.add_files(parser, ReleasedPlan, holdout="table of people outside the data; needed to measure membership")
    _options.add_children(parser)
    _options.add_settings(parser, ReleasedPlan)
    _verdict.add_options(parser, ReleasedPlan.question)
    add_playing(parser)
    _options.add_ways(parser)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.verdict_options(options, ReleasedPlan.question)
    plan: ReleasedPlan = _options.plan_of(options, ReleasedPlan)
    files = _options.files(options)
    tables = files.tables()
    if options.attacks is None and tables.children is not None:
        plan = replace(plan, attacks=attacks_for(tables))
    give_aways = _verdict.look_for_give_aways(options, tables)
    result: ReleasedResult | None = Asking(options, plan, files, tables, asked).result()
    if result is None:
        return 0
    verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain(), give_aways())
    return say(options, result.as_dict(), tables, _lines(result), verdicts)


def _lines(result: ReleasedResult) -> Iterator[str]:
    if result.best is not None:
        times = result.together.permutations
        yield f"{result.strongest}: p = {result.best.p:.2g}, labels permuted {times:,} times."
    if (own := result.blind) is not None:
        is_blocked = result.is_blocked
        yield own.why if own.auc is None else blind(own.auc, own.chance, apart=own.apart, blocked=is_blocked)
        yield (f"\n{'attack':<28} {'measure':<14} {'at':<6} value [{result.plan.level:.0%}]  records")
    for e in result.estimates:
        yield (f"{e.labels['attack']:<28} {e.name:<14} {e.labels.get('fpr', ''):<6} {e}  {e.n:>9,}")
    for planted in result.control:
        yield "\n" + (control(planted.attack, planted.auc, planted.planted, 0.5) if planted.auc else planted.why)
    yield from for_whom.lines(result.for_whom)
