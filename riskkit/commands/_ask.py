"""The command of a question, made from it: its options, how it is played, lines from what a report says of it.

What it takes is foretold; the run is kept, queued, or leaves nothing behind.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

from riskkit import wording
from riskkit.base import process
from riskkit.commands import _options, _verdict
from riskkit.commands._audit import audit_of, passing_audit
from riskkit.commands._options import Files
from riskkit.commands._output import say
from riskkit.commands._progress import bar
from riskkit.commands._verdict import VerdictOptions
from riskkit.errors import Cancelled, DesignError
from riskkit.jobs import worker
from riskkit.jobs.store import Audit
from riskkit.jobs.worker import let_go
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import Provenance
from riskkit.plans import Plan
from riskkit.questions import Question, always, limits, question
from riskkit.questions.forecasts import Forecast
from riskkit.table.load import Tables

WORKS = "riskkit worker runs what waits (--dask ADDRESS: on a Dask cluster)."


def add_options(parser: argparse.ArgumentParser) -> None:
    """What becomes of the run, and whether it is played at all."""
    parser.add_argument(
        "--forecast", action="store_true", help="say what it would take and what it could show, and run nothing"
    )
    kept = parser.add_mutually_exclusive_group()
    kept.add_argument(
        "--keep",
        metavar="NAME",
        default="",
        help="keep the tables and all that was measured as the audit of that name (default: the tables only until the "
        "run has ended, then what is said of everybody together)",
    )
    kept.add_argument(
        "--no-keep",
        action="store_true",
        help="keep nothing; a private temporary folder is used, and removed at the end",
    )
    parser.add_argument(
        "--queue",
        action="store_true",
        help="run nothing here, but hand the run to riskkit worker, on this machine, on one that shares "
        "the store, or on Dask; the tables are kept",
    )


def cost(forecast: Forecast | None, workers: int) -> list[str]:
    """What a forecast says: how long it takes, what is worked through, and what it could show."""
    took = "How long this takes is not known before it is run."
    if forecast is None:
        return [took]
    if forecast.is_timed:
        took = f"This takes {wording.duration(forecast.seconds)} with {wording.plural(workers, 'worker')}."
    numbers = {name.replace("_", " "): value for name, value in forecast.numbers.items() if value is not None}
    known = ", ".join(f"{name} {_short(value)}" for name, value in numbers.items())
    return [took, *([f"{known}."] if known else []), *([forecast.could_show] if forecast.could_show else [])]


def _short(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else f"{value:,}"


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where the runs of a command are kept that it plays, or hands to the queue, and what is kept beside them.

    The audit has the name ``called`` where the command line gives none; ``more`` puts what is not said here into it.
    Of a whole audit, which ``is_whole``, the same command goes on where it was stopped; a single run goes on by itself.
    """

    options: argparse.Namespace
    files: Files
    called: str
    made_by: Provenance
    limits: Mapping[str, Limit]
    more: Callable[[Audit], object] = lambda _: None
    is_whole: bool = False

    def _put_beside(self, audit: Audit) -> None:
        self.more(audit)
        if self.limits:
            limits.keep(audit, {**audit.limits, **self.limits})
        if self.made_by.method:
            audit.set_provenance(self.made_by)

    @contextmanager
    def place(self, plans: Sequence[Plan]) -> Iterator[Audit | None]:
        """The audit that keeps these runs while they are played; None where nothing is kept.

        When the block is left the tables of one without a name go, unless a run of it can go on.

        Raises
        ------
        StoreError
            There is no place for one that somebody asked for by name.
        """
        if self.options.no_keep:
            with nowhere():
                yield None
            return
        audit = passing_audit(self.options.keep, self.called, self.files, self._put_beside)
        if audit is None:
            yield None
            return
        which = audit.id[:8] if self.is_whole else f"{audit.id[:8]}/{audit.run_of(plans[0]).id[:8]}"
        way_on = "the same command goes on where it was" if self.is_whole else f"riskkit audits resume {which} goes on"
        if not self.options.quiet:
            passing = "the tables only until it has ended (--keep NAME, --no-keep)."
            long = "with the tables." if self.options.keep else passing
            print(f"riskkit: Kept as {which} in {audit.path.parents[1]}, {long}", file=sys.stderr)
        try:
            with process.last_step(partial(process.tell, stopped_sentence(way_on))):
                yield audit
        except (Cancelled, KeyboardInterrupt) as stopped:
            end(stopped, way_on)
        finally:
            for plan in plans[:1]:
                let_go(audit.run_of(plan).path)

    def queue(self, plans: Sequence[Plan]) -> Audit:
        """Leave the runs to workers, in an audit that keeps the tables.

        Raises
        ------
        DesignError
            Nothing is to be kept.
        """
        if self.options.no_keep:
            raise DesignError("What waits in the queue has to be kept until it is run; leave out --no-keep.")
        called = self.options.keep or f"{self.called}, queued"
        audit = audit_of(called, self.files, self._put_beside, is_passing=False)
        for plan in plans:
            audit.run_of(plan).queue(plan, self.options.workers, audit.revision)
        return audit


@dataclass(frozen=True, slots=True)
class Asking:
    """One question that a command asks: the plan, the files, and what the command line says of a verdict.

    ``work`` plays it, where that is not what the question itself does; ``prepare`` puts what it needs beside the tables
    into the audit; ``cost`` makes sentences of what it would take.
    """

    options: argparse.Namespace
    plan: Any
    files: Files
    tables: Tables
    asked: VerdictOptions
    work: Callable[..., Any] | None = None
    prepare: Callable[[Audit], None] = lambda _: None
    cost: Callable[[Any, int], list[str]] = cost

    def result(self) -> Any:
        """What was played; None where the answer was said already: a forecast, or that the run waits.

        Raises
        ------
        RiskkitError
            It cannot be played, or cannot be kept as it should be.
        """
        options = self.options
        question(self.plan.question).admit(self.tables)
        if options.forecast:
            workers, forecast = self.options.workers, question(self.plan.question).forecast
            foretold = None if forecast is None else forecast(self.tables, self.plan, workers=workers)
            known = {} if foretold is None else foretold.as_dict()
            shape = {"forecast": known, "settings": self.plan.as_dict(), "notes": []}
            say(self.options, shape, self.tables, self.cost(foretold, workers))
            return None
        called = f"{self.plan.question} of {self.files.texts['real'].name}"
        limits = {} if self.asked.limit is None else {self.plan.question: self.asked.limit}
        keeping = Keeping(options, self.files, called, self.asked.made_by, limits, self.prepare)
        if options.queue:
            self._say_queued(keeping.queue((self.plan,)))
            return None
        how = {"workers": options.workers, "progress": bar(f"{self.plan.unit}s", options)}
        with keeping.place((self.plan,)) as audit:
            return self._play(**how) if audit is None else worker.play(audit, self.plan, self._play, **how)

    def _play(self, **how: Any) -> Any:
        return (
            question(self.plan.question).run(self.tables, self.plan, **how) if self.work is None else self.work(**how)
        )

    def _say_queued(self, audit: Audit) -> None:
        run = audit.run_of(self.plan)
        home, state, which = audit.path.parents[1], run.state, f"{audit.id[:8]}/{run.id[:8]}"
        queued = {"audit": audit.id, "run": run.id, "home": str(home), "state": state}
        lines = [
            f"Run {which} is {state} in {home}, with the tables.",
            WORKS,
            f"riskkit audits show {which} says how far it is.",
        ]
        say(self.options, {**queued, "settings": self.plan.as_dict(), "notes": []}, self.tables, lines)


def stopped_sentence(way_on: str) -> str:
    """What a command says last that was told to stop: how to go on."""
    return f"riskkit: Stopped; {way_on}.\n"


def end(stopped: BaseException, way_on: str) -> NoReturn:
    """End as this process was told to, having said how to go on."""
    sys.stderr.write(stopped_sentence(way_on))
    if str(stopped) == "interrupted":
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    if isinstance(stopped, KeyboardInterrupt):
        raise stopped
    raise DesignError(f"The run was stopped: {stopped}.") from stopped


@contextmanager
def nowhere() -> Iterator[None]:
    """A home of its own that is gone when the block is left, also where this process is told to end."""
    with tempfile.TemporaryDirectory(prefix="riskkit-", ignore_cleanup_errors=True) as folder:
        kept = {"home": os.environ.get("RISKKIT_HOME"), "temporary": tempfile.tempdir}
        in_main = threading.current_thread() is threading.main_thread()

        def stop(number: int, _: object) -> None:
            shutil.rmtree(folder, ignore_errors=True)
            signal.signal(number, signal.SIG_DFL)
            signal.raise_signal(number)

        before: Any = signal.signal(signal.SIGTERM, stop) if in_main else None
        os.environ["RISKKIT_HOME"] = tempfile.tempdir = folder
        try:
            with process.last_step(partial(shutil.rmtree, folder, ignore_errors=True)):
                yield
        finally:
            tempfile.tempdir = kept["temporary"]
            if kept["home"] is None:
                del os.environ["RISKKIT_HOME"]
            else:
                os.environ["RISKKIT_HOME"] = kept["home"]
            if in_main:
                signal.signal(signal.SIGTERM, before)


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
        add_options(parser)
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
