"""``riskkit audit``: a whole audit from files to report; its exit code can stop a release.

The runs are kept until all have ended, so the same command goes on after a kill; then only the report, and what is said
of everybody together (``--keep``, ``--no-keep``, ``--queue``). Which questions are asked, and how, is in a TOML file::

    title = "Release of March"
    by = "A. Steward"
    class = "shareable"
    profile = "wp216"

    [release]
    made_by = "bayesnet:degree=1"

    [limits]
    released = 0.57
    attributes = { value = 0.1, source = "board of 3 March", date = "2026-03-03" }

    [released]

    [attributes]
    secrets = ["diagnosis"]

    [membership]
    generators = ["bayesnet"]
    trainings = 60

Or let riskkit choose by what applies, as the page Audit does: ``--effort standard``, with ``--secrets``, ``--known``
and ``--row`` for what the page asks. The configuration then holds limits and cover alone.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from riskkit import wording
from riskkit.audit.report_facts import build_given
from riskkit.commands import _ask, _columns, _options, _report
from riskkit.commands._progress import bar
from riskkit.errors import DesignError
from riskkit.jobs import pool
from riskkit.jobs.store import Audit
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.plans import Plan
from riskkit.questions import questions
from riskkit.questions.forecasts import seconds_together
from riskkit.questions.standard import (
    PERSON,
    SEVERAL,
    Effort,
    Situation,
    StewardAnswers,
    effort_of,
    plans_for,
    provenance,
)
from riskkit.session.play import play
from riskkit.table.load import Tables
from riskkit.table.stack import slots_of

ABOUT = "a whole audit, from files to report; exit code 0: within the limits, 3: leak, 4: undecided"
"""The command in a line."""
ASKED: Mapping[str, Any] = {"released": {}, "attributes": {}}
"""What is asked where no configuration says it: the questions that need nothing but the files."""
OTHER = (*_report.COVER, "class", "name_columns", "profile", "limits", "release")
"""Entries of a configuration that are no question."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--real", type=Path, required=True, help=_options.REAL)
    _options.add_releases(parser, "table of the release", is_needed=True)
    parser.add_argument("--holdout", type=Path, help="table of people outside the data; most questions need it")
    _columns.add_option(parser)
    _options.add_children(parser)
    _options.add_reading(parser)
    parser.add_argument(
        "--config", type=Path, metavar="TOML", help="questions and limits (default: released, attributes)"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        help="processes that work side by side; change no number (default: as many as there are cores)",
    )
    parser.add_argument(
        "--made-by",
        metavar="unknown|NAME[:FIELD=VALUE,...]",
        help="the method that made the release; membership and records count only where they ask about it",
    )
    parser.add_argument(
        "--releases",
        type=int,
        metavar="M",
        help="how often this table was released; attacks of membership and records then see all releases (default: the "
        "number of files in --synthetic)",
    )
    parser.add_argument(
        "--one-fit", action="store_true", help="all releases come from one fit, else each from a fit of its own"
    )
    parser.add_argument(
        "--effort",
        choices=tuple(Effort),
        help="ask what applies, as the page Audit does: quick (about a minute), standard (ten), thorough (an hour)",
    )
    parser.add_argument(
        "--secrets",
        metavar="COLUMN,...",
        default="",
        help="with --effort: the sensitive columns (default: those that look like it, else every column)",
    )
    parser.add_argument(
        "--known",
        metavar="COLUMN,...",
        default="",
        help="with --effort: the columns that an attacker would know (default: every other column)",
    )
    parser.add_argument(
        "--row",
        choices=(PERSON, SEVERAL),
        default="",
        help="what a row stands for: a person, or one of several rows of a person, of which nothing is within a limit",
    )
    _ask.add_options(parser)
    _options.add_externals(parser)
    _options.add_saying(parser)
    _report.add_options(parser)


def run(options: argparse.Namespace) -> int:
    """Ask every question, write the report; returns 0, 3 or 4 by the overall verdict."""
    _options.allow_externals(options)
    config = _config(options.config)
    _report.limits_of(options, config.get("limits"))  # before hours of work, not after
    _report.kind_of(options, config)
    _report.key_of(options.sign)
    _report.profile_of(options, config)
    made_by = _provenance(options, config)
    asked = None if options.effort else {name: _plan(name, plan) for name, plan in _questions(config).items()}
    if asked is None:
        _refuse_both(config)
    else:
        _refuse_without_effort(options)
        _refuse_idle(_report.limits_of(options, config.get("limits")), asked)
    files = _options.files(options)
    tables = files.tables()
    plans = _standard(options, tables, made_by) if asked is None else asked
    limits = _report.limits_of(options, config.get("limits"))
    _refuse_idle(limits, plans)
    if options.forecast:
        return _foretell(options, tables, plans)

    def more(audit: Audit) -> None:
        if options.row:
            audit.answer(StewardAnswers(options.row))

    called = f"audit of {files.texts['real'].name}"
    keeping = _ask.Keeping(options, files, called, made_by, limits, more, is_whole=True)
    if options.queue:
        audit = keeping.queue(tuple(plans.values()))
        print(f"{len(plans)} runs wait in {audit.path.parents[1]}, with the tables.")
        print(_ask.WORKS)
        print(f"riskkit report {audit.id} --out {options.out} then writes the report.")
        return 0
    decided = {name: choice.as_dict() for name, choice in files.choices.items()}
    with pool.keeping(pool.NamedUnits()), keeping.place(tuple(plans.values())) as kept_in:
        before = build_given("", tables, (), made_by, row=options.row, kept={})
        warned = _report.warn(options, before, config)  # known within seconds; what follows takes minutes
        runs = tuple(
            play(
                tables,
                plan,
                _file_names(options),
                options.workers,
                bar(f"{plan.unit}s", options),
                _tell,
                decided,
                kept_in,
            )
            for plan in plans.values()
        )
        facts = build_given("", tables, runs, made_by, before.give_aways, row=options.row)
        return _report.report(options, facts, config, counted_in=kept_in, has_warned=warned)


def _file_names(options: argparse.Namespace) -> dict[str, str]:
    """What the command that gives the same numbers calls the files."""
    releases = dict(zip(slots_of(len(options.synthetic)), options.synthetic, strict=True))
    names = {"real": options.real, **releases, "holdout": options.holdout}
    units = {"person": options.person, "household": getattr(options, _columns.HOUSEHOLD), "weight": options.weight}
    return {slot: str(path) for slot, path in {**names, **units}.items() if path}


def _foretell(options: argparse.Namespace, tables: Tables, plans: Mapping[str, Plan]) -> int:
    """Say what each question would take, and all of them together; play nothing.

    What an audit does before its first question is done here too, and counted: to load the program and the files, and
    to look at them. Of a quick audit that is a third.
    """
    loaded = time.process_time()
    forecasts = {
        name: forecast(tables, plan, workers=options.workers)
        for name, plan in plans.items()
        if (forecast := questions()[name].forecast) is not None
    }
    for name in plans:
        print(f"{name}: {' '.join(_ask.cost(forecasts.get(name), options.workers))}")
    looked = time.process_time()
    build_given("", tables, (), row=options.row, kept={})
    seconds = loaded + time.process_time() - looked
    timed = [forecast for forecast in forecasts.values() if forecast.is_timed]
    together = seconds_together(timed)
    is_shared = together < sum(forecast.seconds for forecast in timed)
    seconds += together
    took = f"{wording.duration(seconds)} with {wording.plural(options.workers, 'worker')}"
    once = " Trainings that questions share count once." if is_shared else ""
    print(f"Together: {took}, with reading the files and looking at them.{once}")
    return 0


def _standard(options: argparse.Namespace, tables: Tables, made_by: Provenance) -> Mapping[str, Plan]:
    """What applies to these tables at the effort that was asked for."""
    answers = StewardAnswers(options.row, *(_names(names) for names in (options.secrets, options.known)))
    plans = plans_for(Situation(tables, effort_of(options.effort), made_by.method, answers, made_by.settings))
    return {plan.question: plan for plan in plans}


def _names(text: str) -> tuple[str, ...]:
    """The columns of an option, with commas between them; one with a comma stands in quotes."""
    return tuple(filter(None, (name.strip() for name in next(csv.reader([text], skipinitialspace=True), []))))


def _refuse_both(config: Mapping[str, Any]) -> None:
    """Refuse questions of a configuration beside an effort: it would not be known which of the two holds."""
    if asked := [name for name in config if name not in OTHER]:
        raise DesignError(
            f"The configuration asks {', '.join(asked)}, and --effort chooses what is asked. Leave out one of the two."
        )


def _refuse_without_effort(options: argparse.Namespace) -> None:
    """Refuse options that only an effort reads."""
    if idle := [f"--{name}" for name in ("secrets", "known") if getattr(options, name)]:
        raise DesignError(f"Only an audit with --effort reads {' and '.join(idle)}; say --effort, or leave it out.")


def _tell(sentence: str) -> None:
    print(f"riskkit: {sentence}", file=sys.stderr)


def _refuse_idle(limits: Mapping[str, Any], plans: Mapping[str, Any]) -> None:
    """Refuse a limit of a question that is not asked: who set it believes that it is looked at."""
    if idle := [question for question in limits if question not in plans]:
        raise DesignError(
            f"A limit is set for {', '.join(idle)}, but the audit asks {', '.join(plans)}. Ask that question too, by "
            f"[{idle[0]}] in the configuration; or leave the limit out."
        )


def _config(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DesignError(f"The configuration cannot be read ({error.strerror}).") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DesignError(f"The configuration is no TOML: {error}.") from error


def _provenance(options: argparse.Namespace, config: Mapping[str, Any]) -> Provenance:
    """How the release was made: as the command line says, else as the configuration does.

    Raises
    ------
    DesignError, ParameterError
        The configuration says something else of the release, or there is no such method.
    """
    release = config.get("release", {})
    if not isinstance(release, Mapping) or set(release) - {"made_by", "releases", "one_fit"}:
        raise DesignError(
            'The configuration says of the release how it was made and how often, and nothing else: made_by = "...", '
            "releases = 4, one_fit = true."
        )
    method = options.made_by if options.made_by is not None else release.get("made_by", NOBODY_SAID)
    files = _options.files_of(options)
    releases = options.releases if options.releases is not None else release.get("releases", files)
    if files > 1 and not isinstance(releases, bool) and isinstance(releases, int):
        _options.refuse_other_number(options, releases)
    return provenance(str(method), releases, one_fit=options.one_fit or release.get("one_fit", False))


def _questions(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The questions of a configuration with their settings."""
    asked = {name: settings for name, settings in config.items() if name not in OTHER}
    unknown = [name for name in asked if name not in questions()]
    if unknown:
        raise DesignError(
            f"The configuration names {', '.join(map(repr, unknown))}; it may hold {', '.join((*OTHER, *questions()))}."
        )
    return asked or ASKED


def _plan(name: str, settings: Any) -> Any:
    """The plan of a question with these settings.

    Raises
    ------
    DesignError, ParameterError
        A setting that the question has not, or one out of range.
    """
    try:
        return questions()[name].plan.from_dict(settings)
    except (TypeError, KeyError, AttributeError) as error:
        known = ", ".join(field.name for field in fields(questions()[name].plan))
        raise DesignError(f"The configuration of {name} cannot be used; its settings are {known}.") from error
