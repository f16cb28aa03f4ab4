"""What a report is made from: the runs of an audit as they were kept, and what is known of its files."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache, cached_property, partial
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.audit.give_aways import give_aways_of
from riskkit.audit.usefulness import Kept, draw_usefulness, measure_usefulness
from riskkit.core import Table
from riskkit.errors import Problem, RiskkitError
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.give_aways import GiveAway
from riskkit.judging.measurement import Limit
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.language import counting
from riskkit.questions import always, questions
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.explanations.plan import CHANGES, SYNTHETIC
from riskkit.questions.explanations.words import GUESSES
from riskkit.questions.opponents import ALIASES
from riskkit.questions.records.present import TOGETHER
from riskkit.questions.runs import plan_of
from riskkit.questions.standard import SEVERAL
from riskkit.report.build import findings
from riskkit.show.model import Class, File, Findings, Given, Played
from riskkit.show.names import setting_key
from riskkit.show.run_finding import named_by
from riskkit.table.load import Tables
from riskkit.table.stack import FIRST, disagreement
from riskkit.version import __version__

ROOMS = ("generators", "attacks", "released", "inference", "inverters", "explained", "defences", "targets")
"""The rooms whose plug-ins a run may name."""
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow")


def read_given(audit: Audit, tables: Tables | None = None, give_aways: tuple[GiveAway, ...] | None = None) -> Given:
    """All that a report of this audit is made from, read from the store.

    Raises
    ------
    InputError, DesignError
        Its files cannot be read.
    """
    loaded = audit.tables() if tables is None else tables
    if give_aways is None:
        give_aways = audit.note("give-aways", lambda: give_aways_of(loaded))
    revision, names = audit.revision, audit.file_names
    runs = tuple(_run_of(run, revision, names) for run in audit.runs())
    made = build_given(audit.name, loaded, runs, audit.provenance, give_aways, row=audit.answers.row, kept={})
    with counting(named_by(made.columns)):
        kept = draw_usefulness(audit.note("usefulness", lambda: measure_usefulness(loaded)))
    return replace(made, remedies=audit.remedies, kept=kept, uncured=uncured(audit))


def uncured(audit: Audit) -> tuple[str, ...]:
    """The questions about the method of a release that showed a leak before a change of its file.

    Such a change cures no method, and where none that is known made the changed file, nobody asks them of it. None of
    an audit whose release is as a method made it, and where the audit before is gone.
    """
    of = str(audit.mending.get("of", ""))
    if audit.provenance.is_known or not of:
        return ()
    with suppress(RiskkitError):
        before = Audit(audit.path.parent / of)
        if not before.provenance.is_known:
            return uncured(before)
        states = [(run.id, run.state) for run in before.runs()]
        follows_from = repr((str(before.provenance), before.answers.row, before.limits, states))
        leaks: tuple[str, ...] = before.note("uncured", lambda: leaks_of_method(of_tests(before)), of=follows_from)
        return leaks
    return ()


def leaks_of_method(judged: Findings) -> tuple[str, ...]:
    """The questions about the method of the release that show a leak, which no repair of a file cures."""
    return tuple(
        answer.question
        for answer in judged.answers
        if answer.finding is not None
        and answer.judgement is not None
        and answer.judgement.verdict.shows_leak
        and questions()[answer.question].is_about is not always
    )


def of_tests(audit: Audit) -> Findings:
    """What the tests of an audit found, its file not looked at."""
    runs = tuple(played_run(run, audit) for run in audit.runs() if run.state == "finished")
    facts = build_given(audit.name, audit.tables(), runs, audit.provenance, (), row=audit.answers.row, kept={})
    return build_findings(facts, audit.limits, kind=Class.RESTRICTED, made=datetime.now(UTC))


def build_given(
    name: str,
    tables: Tables,
    runs: tuple[Played, ...],
    provenance: Provenance = UNKNOWN,
    give_aways: tuple[GiveAway, ...] | None = None,
    *,
    row: str = "",
    kept: Kept | None = None,
) -> Given:
    """The same of tables and runs that are in no store; give-aways are looked for where they are not given, and so is
    what the release keeps."""
    if give_aways is None:
        give_aways = give_aways_of(tables)
    columns = tuple((column.name, str(column.kind), str(column.role)) for column in tables.schema.columns)
    with counting(named_by(columns)):
        picture = draw_usefulness(measure_usefulness(tables) if kept is None else kept)
    return Given(
        audit=name,
        files=tuple(File(file.slot, file.name, file.sha256, file.rows, file.columns) for file in tables.files),
        columns=columns,
        preparation=tuple(problem.as_dict() for problem in (*tables.problems, *_disagreement(provenance, tables))),
        runs=runs,
        titles=titles(),
        knows=knowledge(),
        key=key_of(tables.real),
        versions=versions(),
        distances=distances(),
        provenance=provenance,
        give_aways=give_aways,
        has_several_rows=row == SEVERAL or (tables.persons is not None and tables.persons.has_several_rows),
        kept=picture,
        beside=frozenset(question for question, known in questions().items() if not known.applies(tables)),
        people=0 if row == SEVERAL and tables.persons is None else _count_people(tables),
    )


def _count_people(tables: Tables) -> int:
    """How many people the real table has."""
    return len(tables.real) if tables.persons is None else len(np.unique(tables.persons.real))


def _disagreement(provenance: Provenance, tables: Tables) -> tuple[Problem, ...]:
    """What to say where there are more or fewer files of releases than releases."""
    name = next((file.name for file in tables.files if file.slot == FIRST), "")
    return disagreement(provenance.releases, tables.releases if name else 0, name)


def build_findings(facts: Given, limits: Mapping[str, Limit], *, kind: Class, made: datetime, **cover: Any) -> Findings:
    """The findings of this version of riskkit; see :func:`riskkit.report.build.findings`."""
    with counting(named_by(facts.columns)):
        return findings(facts, limits, kind=kind, made=made, version=__version__, **cover)


def played_run(run: Run, audit: Audit) -> Played:
    """One run as a report reads it."""
    return _run_of(run, audit.revision, audit.file_names)


def _run_of(run: Run, revision: str, names: Mapping[str, str]) -> Played:
    progress = run.progress
    plan: Mapping[str, Any] = {}
    command, unit = "", "unit"
    try:
        known = plan_of(run)
        plan, command, unit = known.as_dict(), known.command(**{"real": "real.csv", **names}), str(known.unit)
    except RiskkitError:
        pass  # a plug-in or a question that is no longer here: its numbers still are
    state = str(progress["state"])
    return Played(
        question=run.question,
        id=run.id,
        state=state,
        plan=plan,
        result=run.result if state == "finished" else None,
        command=command,
        workers=run.workers,
        error=progress.get("error", ""),
        is_current=run.revision == revision,
        unit=unit,
        done=int(progress.get("done") or 0),
        total=int(progress.get("total") or 0),
        seconds_left=progress.get("seconds_left"),
    )


def key_of(table: Table) -> bytes:
    """A key that nobody has who has not got the real table, and that is the same wherever that table is.

    References to records are made with it. It is no part of any report.
    """
    digest = hashlib.sha256(b"references to records of this table")
    for part in (table.codes, table.numbers):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.digest()


class Later(Mapping[str, str]):
    """What is made when it is first looked at: to load all plug-ins takes as long as a short attack."""

    def __init__(self, make: Callable[[], Mapping[str, str]]) -> None:
        self._make = make

    @cached_property
    def _every(self) -> Mapping[str, str]:
        return self._make()

    def __getitem__(self, key: str) -> str:
        return self._every[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._every)

    def __len__(self) -> int:
        return len(self._every)


class Titles(Later):
    """Titles of plug-ins, of which those of attacks on a released file are had without loading those of other rooms."""

    @cached_property
    def _released(self) -> Mapping[str, str]:
        return _titles(("released",))

    def __getitem__(self, key: str) -> str:
        return self._released[key] if key.startswith("released/") else super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        return key in self._released or key in self._every


def titles() -> Mapping[str, str]:
    """What people call every plug-in, by name and by ``room/name``, and its settings, by :func:`setting_key`."""
    return Titles(partial(_titles, ROOMS))


def _titles(rooms: Sequence[str]) -> dict[str, str]:
    """The same of the plug-ins of these rooms, among which that of attacks on a released file is."""
    names: dict[str, str] = {}
    for room in rooms:
        for name, plugin in registry.plugins(room).items():
            title = str(getattr(plugin, "title", name))
            names[f"{room}/{name}"] = title
            names.setdefault(name, title)
            for setting in registry.settings(plugin):
                names[setting_key(room, name, setting.name)] = setting.label
                for choice, words in setting.words.items():
                    names[setting_key(room, name, setting.name, choice)] = words
    for alias, name in ALIASES.items():
        names.setdefault(alias, names.get(name, name))
        names[f"released/{alias}"] = names.get(f"released/{name}", name)
    for name, title in (*GUESSES.items(), ("none", "none"), (SYNTHETIC, "trained on the release")):
        names.setdefault(name, title)
        names[f"inverters/{name}"] = names[f"defences/{name}"] = title
    names |= TOGETHER
    names[f"generators/{UPLOADED}"] = names[UPLOADED] = "Your release"
    for name in CHANGES:
        names.setdefault(name, name)
    return names


def knowledge() -> Mapping[str, str]:
    """What the attacker of each membership attack has, by the attack's name."""
    return Later(lambda: {name: str(plugin.knowledge) for name, plugin in registry.plugins("attacks").items()})


def distances() -> frozenset[str]:
    """The attacks on a released file that measure how near rows lie and nothing else."""
    return frozenset(
        name for name, plugin in registry.plugins("released").items() if getattr(plugin, "is_distance", False)
    )


def versions() -> dict[str, str]:
    """The versions of what was calculated with."""
    return dict(_versions())


@cache
def _versions() -> Mapping[str, str]:
    """Read once: no library changes its version under a program that runs."""
    libraries = {"riskkit": __version__, "Python": platform.python_version()}
    for library in LIBRARIES:
        try:
            libraries[library] = version(library)
        except PackageNotFoundError:
            continue
    return libraries
