"""The command of a question, made from it: options from its plan, lines from what a report says of it."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import Any

from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.questions import Question, always


@dataclass(frozen=True)
class AskCommand:
    """The command that asks one question; one with options of its own is a file that extends this class."""

    question: Question

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """The files, an option for each setting of the plan, the limit, and how it is played."""
        question = self.question
        _options.add_files(parser, question.plan, question.files)
        if question.has_second_table:
            _options.add_children(parser)
        _options.add_settings(parser, question.plan)
        _verdict.add_options(parser, question.name, about_a_method=question.is_about is not always)
        self.add_own(parser)
        add_playing(parser)
        _options.add_ways(parser)

    def add_own(self, parser: argparse.ArgumentParser) -> None:
        """Options that no setting of the plan stands for."""

    def run(self, options: argparse.Namespace) -> int:
        """Do what the options ask for; returns the exit code."""
        asked = _verdict.verdict_options(options, self.question.name)
        plan = self.plan(options)
        files = _options.files(options, plan.real)
        tables = files.tables()
        by_tables = self.question.by_tables(tables).items()
        plan = replace(plan, **{name: value for name, value in by_tables if getattr(options, name) is None})
        return self.ask(Asking(options, plan, files, tables, asked))

    def plan(self, options: argparse.Namespace) -> Any:
        """The plan that the options ask for."""
        return _options.plan_of(options, self.question.plan)

    def ask(self, asking: Asking) -> int:
        """Play it, and print what it comes to."""
        options, tables = asking.options, asking.tables
        give_aways = _verdict.look_for_give_aways(options, tables)
        result = asking.result()
        if result is None:
            return 0
        self.write(options, result)
        verdicts = _verdict.verdicts_of_run(asking.asked, tables, asking.plan, result.plain(), give_aways())
        return say(options, self.question.as_dict(result), tables, verdicts.details(), verdicts)

    def write(self, options: argparse.Namespace, result: Any) -> None:
        """Write the files that the options ask for."""
