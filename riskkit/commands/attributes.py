"""``riskkit attributes``: what the release lets a stranger infer."""

from __future__ import annotations

import argparse

from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.questions.attributes import gain_words as attributes_gains
from riskkit.questions.attributes import present as attributes_lines
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.result import AttributesResult
from riskkit.show import for_whom

ABOUT = "what the release lets a stranger infer about a person"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    _options.add_files(
        parser, AttributePlan, holdout="table of people outside the data; needed to say who is easier to guess"
    )
    _options.add_children(parser)
    _options.add_settings(parser, AttributePlan)
    _verdict.add_options(parser, AttributePlan.question)
    add_playing(parser)
    _options.add_ways(parser, may_run_programs=True)


def run(options: argparse.Namespace) -> int:
    """Do what the options ask for; returns the exit code."""
    asked = _verdict.verdict_options(options, AttributePlan.question)
    plan: AttributePlan = _options.plan_of(options, AttributePlan)
    files = _options.files(options)
    tables = files.tables()
    result: AttributesResult | None = Asking(options, plan, files, tables, asked).result()
    if result is None:
        return 0
    shown = {**result.as_dict(), "readings": attributes_gains.readings(result)}
    lines = [*attributes_lines.lines(result), *for_whom.lines(result.for_whom)]
    verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain())
    return say(options, shown, tables, lines, verdicts)
