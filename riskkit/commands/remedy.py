"""``riskkit remedy``: the least change of a setting that holds everybody's certificate below a limit."""

from __future__ import annotations

import argparse

from riskkit import registry
from riskkit.commands import _options
from riskkit.commands._audit import audit_named
from riskkit.commands._output import say
from riskkit.commands._progress import bar
from riskkit.errors import DesignError
from riskkit.jobs.store import Audit
from riskkit.language import again
from riskkit.questions.contest.points import measures
from riskkit.questions.records import words
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.question import QUESTION
from riskkit.questions.records.remedy import Remedy, Search, knobs, remedy
from riskkit.report.blocks import in_columns
from riskkit.show.remedy import NOT_SHOWN

ABOUT = "what would lower it? The least change of a setting that protects everybody, and what it costs"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    domain = "table of people outside the data; only its domain is used"
    _options.add_files(parser, RecordsPlan, {**QUESTION.files, "holdout": domain}, or_audit=True)
    parser.add_argument("--audit", metavar="ID", help="in place of files: an audit, with which what is found is kept")
    parser.add_argument("--generator", required=True, metavar=_options.PLUGIN, help="the method, with its settings")
    parser.add_argument(
        "--limit", type=float, required=True, help="the AUC below which every optimal-attack bound is to lie"
    )
    parser.add_argument("--setting", default="", help="the setting that is changed; the method's first if not given")
    parser.add_argument(
        "--measure", default="pairs", choices=list(measures()), help="the measure of usefulness (default: %(default)s)"
    )
    parser.add_argument("--n-syn", type=int, default=1000, help="rows of a release (default: %(default)s)")
    parser.add_argument(
        "--draws", type=int, default=5, help="releases at every value, for usefulness (default: %(default)s)"
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="the same seed gives the same numbers (default: %(default)s)"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes side by side (default: %(default)s)")
    parser.add_argument("--quiet", action="store_true", help="say nothing while it works")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Search, and print what was tried; returns the exit code."""
    for name, least in (("n_syn", 1), ("draws", 2), ("workers", 1)):
        if getattr(options, name) < least:
            raise DesignError(f"--{name.replace('_', '-')} is {getattr(options, name)}; it must be at least {least}.")
    if (options.real is None) == (options.audit is None):
        raise DesignError("Name the file of the real table with --real, or an audit with --audit.")
    made = registry.parse("generators", options.generator)
    audit = None if options.audit is None else audit_named(options.audit)
    tables = _options.tables(options) if audit is None else audit.tables()
    there = knobs(registry.spell(made), len(tables.real))
    search = Search(
        registry.spell(made),
        options.setting or (there[0].name if there else ""),
        options.limit,
        options.measure,
        options.n_syn,
        options.draws,
        str(getattr(made, "guarantee", "add-one")),
        options.seed,
    )
    lowered = remedy(tables.real, search, workers=options.workers, progress=bar("units", options))
    if audit is not None:
        audit.keep_remedy(lowered.plain())
    return say(options, {**lowered.as_dict(), "notes": list(again(NOT_SHOWN))}, tables, _lines(lowered, audit))


def _lines(searched: Remedy, audit: Audit | None) -> list[str]:
    lowered = words.remedy_in_words(searched)
    lines = [lowered.sentence, *([lowered.cost] if lowered.cost else []), lowered.order, ""]
    lines += in_columns([lowered.head, *lowered.rows])
    if audit is not None:
        lines += ["", f"Kept with audit {audit.id[:8]}; its report has it where Records was asked about this method."]
    return lines
