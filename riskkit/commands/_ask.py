"""The command of a question that has no command file of its own: options from its plan, lines from its findings."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from riskkit.commands import _options, _verdict
from riskkit.commands._output import say
from riskkit.commands._play import Asking
from riskkit.commands._play import add_options as add_playing
from riskkit.questions import Question, always
from riskkit.report.compare import title
from riskkit.session.verdicts import Verdicts
from riskkit.wording import COUNTED, number


@dataclass(frozen=True, slots=True)
class AskCommand:
    """The command that asks one question."""

    question: Question

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """The files, an option for each setting of the plan, the limit, and how it is played."""
        _options.add_files(parser, self.question.plan)
        _options.add_settings(parser, self.question.plan)
        _verdict.add_options(parser, self.question.name, about_a_method=self.question.is_about is not always)
        add_playing(parser)
        _options.add_ways(parser, may_run_programs=True)

    def run(self, options: argparse.Namespace) -> int:
        """Do what the options ask for; returns the exit code."""
        asked = _verdict.verdict_options(options, self.question.name)
        plan = _options.plan_of(options, self.question.plan)
        files = _options.files(options, plan.real)
        tables = files.tables()
        result = Asking(options, plan, files, tables, asked).result()
        if result is None:
            return 0
        verdicts = _verdict.verdicts_of_run(asked, tables, plan, result.plain())
        return say(options, result.as_dict(), tables, self._lines(verdicts), verdicts)

    def _lines(self, verdicts: Verdicts) -> Iterator[str]:
        """Every estimate in a line: what it is called, what it is of, value with interval, and N."""
        for finding, _ in verdicts.judged:
            for estimate in finding.estimates:
                labels = ", ".join(f"{name} {text}" for name, text in estimate.labels.items())
                called = title(self.question.name, estimate.name)
                sure = "" if estimate.method == COUNTED else f" [{estimate.level:.0%}]"
                yield f"{called:<28} {labels:<40} {number(estimate)}{sure}  {estimate.n:>9,}"
            if finding.for_whom is not None:
                yield from finding.for_whom.lines()
