"""Where audits are kept: one private folder with the tables of :mod:`riskkit.jobs.database` and a sub-folder an audit.

::

    home/store.db                          audits, runs, results of units; or where RISKKIT_STORE says
         audits/<audit id>/real.parquet    the text columns of each file as read
                           real.upload     the bytes the user gave, to be read in another encoding
                           runs/<run id>/log   what libraries had to say

The dashboard only reads and writes these; the work is done by processes of their own (:mod:`riskkit.jobs.worker`), so
it survives a closed tab, a restarted server and a killed worker. A run's id is the hash of its plan and its data:
pressing *Run* twice starts one run, and a finished run is found again.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from riskkit.base import places, process
from riskkit.core import Role
from riskkit.errors import DesignError, Problem, StoreError
from riskkit.jobs import journal, people, retention
from riskkit.jobs.codec import sha
from riskkit.jobs.database import Database, about, audits, database, events, holders, look_up, runs
from riskkit.jobs.database import people as known_people
from riskkit.jobs.files import CHILD_SLOTS as CHILD_SLOTS
from riskkit.jobs.files import EVERY_SLOT, AuditFiles, dump, fingerprint
from riskkit.jobs.files import RELEASE_SLOTS as RELEASE_SLOTS
from riskkit.jobs.files import SLOTS as SLOTS
from riskkit.jobs.retention import Receipt
from riskkit.jobs.runs import Run, question_in
from riskkit.plans import Plan
from riskkit.table.codebook import read_codebook
from riskkit.table.kinds.choice import ColumnChoice as ColumnChoice
from riskkit.table.load import OF_CHILDREN as OF_CHILDREN
from riskkit.table.load import Misnamed as Misnamed
from riskkit.table.load import Tables as Tables  # with OF_CHILDREN and ColumnChoice for the pages, which know no tables
from riskkit.table.load import misnamed_files, tables_of
from riskkit.table.people.persons import naming, units
from riskkit.table.text import TextTable
from riskkit.version import __version__

RETENTION = "retention"
"""The key under which the age is kept at which files go."""
_RUNS = (
    sa.select(runs.c.id, runs.c.asked)
    .where(runs.c.audit == sa.bindparam("audit"))
    .order_by(runs.c.created.desc(), runs.c.number.desc())
)


def _last() -> str:
    """What the id of the audit that whoever acts opened last is kept under."""
    person = people.acting()
    return f"last {person.id[:32] if person is not None else ''}".rstrip()


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """An audit as an administrator sees it: whose it is, when it was made, the room it takes; never what is in it."""

    id: str
    created: str
    owner: str
    size: int


def _owner(base: Database, audit: str) -> str:
    asked = sa.select(known_people.c.name).join(holders, holders.c.person == known_people.c.id)
    with base.read() as connection:
        return str(connection.scalar(asked.where((holders.c.audit == audit) & (holders.c.owns == 1))) or "")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@dataclass(frozen=True, slots=True)
class Store:
    """All audits of one user on one machine; where several share it, those of whoever acts."""

    home: Path

    @classmethod
    def default(cls) -> Store:
        """The store at :func:`riskkit.base.places.home`, which is made private to this user, as this process is.

        What an earlier version kept in files of its own is taken over.

        Raises
        ------
        StoreError
            It is damaged, was written by another version, or cannot be reached.
        """
        home = places.home()
        process.close()
        try:
            (home / "audits").mkdir(parents=True, exist_ok=True)
            process.tighten(home)
        except OSError as error:
            why = (error.strerror or "it cannot be made").lower()
            raise StoreError.phrase(
                "The folder where audits are kept cannot be used: {home} ({why}). Name a folder of your own "
                "in RISKKIT_HOME.",
                home=str(home),
                why=why,
            ) from error
        return cls(home)

    @property
    def base(self) -> Database:
        """The tables."""
        return database(self.home)

    def create(self, name: str) -> Audit:
        """A new, empty audit."""
        folder = self.home / "audits" / secrets.token_hex(16)
        folder.mkdir(parents=True, mode=0o700)
        facts = dump({"name": name, "files": {}, "choices": {}})
        created = datetime.now(UTC).isoformat(timespec="microseconds")
        with self.base.write() as connection:
            connection.execute(
                audits.insert().values(id=folder.name, created=created, saved=time.time(), facts=facts, sha=sha(facts))
            )
            people.take(connection, folder.name)
        return Audit(folder)

    def open(self, audit_id: str) -> Audit:
        """The audit with that id.

        Raises
        ------
        DesignError
            There is none.
        """
        folder = self.home / "audits" / audit_id
        with self.base.read() as connection:
            known = connection.scalar(sa.select(audits.c.id).where(audits.c.id == audit_id))
        if not audit_id.isalnum() or known is None or not folder.is_dir():
            raise DesignError(people.GONE)
        people.admit(self.base, audit_id)
        return Audit(folder)

    def audits(self) -> list[Audit]:
        """Every audit, newest first."""
        asked, mine = sa.select(audits.c.id).order_by(audits.c.created.desc(), audits.c.id.desc()), people.mine()
        with self.base.read() as connection:
            ids = connection.scalars(asked if mine is None else asked.where(mine))
            folders = [self.home / "audits" / name for name in ids]
        return [Audit(folder) for folder in folders if folder.is_dir()]

    def _about(self, key: str) -> str | None:
        """What is kept of the store itself under that key."""
        with self.base.read() as connection:
            value = connection.scalar(sa.select(about.c.value).where(about.c.key == key))
        return None if value is None else str(value)

    def _keep(self, key: str, value: str | None) -> None:
        """Keep that value under that key, in place of what was there; None for nothing."""
        with self.base.write() as connection:
            connection.execute(about.delete().where(about.c.key == key))
            if value is not None:
                connection.execute(about.insert().values(key=key, value=value))

    @property
    def last(self) -> str | None:
        """The id of the audit opened last; empty where a new one was begun, None where none was or it is gone."""
        last = self._about(_last())
        return None if last is None or (last and not (self.home / "audits" / last).is_dir()) else last

    def remember(self, audit: Audit | None) -> None:
        """Keep that this audit was opened last; None: that a new one is begun."""
        self._keep(_last(), "" if audit is None else audit.id)

    @property
    def is_toured(self) -> bool:
        """Whether somebody has taken the tour of the dashboard, or skipped it."""
        return self._about("toured") is not None

    def note_tour(self) -> None:
        """Keep that it was taken: it never begins by itself again."""
        self._keep("toured", "yes")

    @property
    def retention(self) -> int | None:
        """Days after which uploads and scores of single records go; None keeps them until somebody deletes them."""
        days = self._about(RETENTION)
        return int(days) if days else None

    def keep_for(self, days: int | None) -> None:
        """Choose :attr:`retention`; it is applied whenever a run ends and when the dashboard starts.

        Raises
        ------
        DesignError
            Less than a day, or whoever acts may not choose it.
        """
        people.for_admins()
        if days is not None and days < 1:
            raise DesignError.phrase("Files can be kept for a day at least; choose 1 or more, or remove them now.")
        self._keep(RETENTION, None if days is None else str(days))

    def purge(self, older_than_days: float | None = None, *, now: datetime | None = None) -> Receipt:
        """Remove uploads and scores of single records older than that, or than :attr:`retention`; summaries stay.

        Audits in which something is being played are left alone.
        """
        if older_than_days is not None:
            people.for_admins()
        days = self.retention if older_than_days is None else older_than_days
        if days is None:
            raise DesignError.phrase("No age was chosen after which files go; name one.")
        return retention.purge(self.home, days, now or datetime.now(UTC))

    def receipts(self) -> list[str]:
        """What was deleted and purged so far, oldest first: times, hashes and counts; of everybody, for who may."""
        if not people.is_admin():
            return []
        with self.base.read() as connection:
            lines = connection.execute(sa.select(events).where(events.c.run.is_(None)).order_by(events.c.number))
            return [f"{line.at} · {line.text}" for line in lines]

    def everybody(self) -> list[AuditSummary]:
        """Everybody's audits, newest first, for an administrator."""
        people.for_admins()
        with self.base.read() as connection:
            rows = connection.execute(sa.select(audits.c.id, audits.c.created).order_by(audits.c.created.desc())).all()
        return [
            AuditSummary(row.id, row.created, _owner(self.base, row.id), _size(self.home / "audits" / row.id))
            for row in rows
        ]

    def give(self, audit_id: str, name: str) -> None:
        """Make an audit that person's, as whoever runs the server may: one that was made before there was a login."""
        people.for_admins()
        person = people.find(self.base, name)
        with self.base.write() as connection:
            if connection.scalar(sa.select(audits.c.id).where(audits.c.id == audit_id)) is None:
                raise DesignError(people.GONE)
            theirs = (holders.c.owns == 1) | (holders.c.person == person)
            connection.execute(holders.delete().where((holders.c.audit == audit_id) & theirs))
            connection.execute(holders.insert().values(audit=audit_id, person=person, owns=1))
            journal.record(connection, "given", audit=audit_id, person=name)

    def remove(self, audit_id: str) -> Receipt:
        """Delete anybody's audit, as an administrator may."""
        if audit_id not in {audit.id for audit in self.everybody()}:
            raise DesignError(people.GONE)
        with people.acting_as(replace(people.SERVER, name=journal.who())):
            return Audit(self.home / "audits" / audit_id).delete()


@dataclass(frozen=True, slots=True)
class Audit(AuditFiles):
    """One audit: its files, the user's decisions, and its runs."""

    def tables(self, choices: Mapping[str, ColumnChoice] | None = None) -> Tables:
        """The typed tables, their joint schema and every problem found; as they would be with other ``choices``.

        Raises
        ------
        InputError
            The files do not fit together.
        DesignError
            No real table is loaded.
        """
        texts = self._texts()
        if "real" not in texts:
            raise DesignError.phrase("No real table is loaded yet; load it on the Data page.")
        return tables_of(texts, self.choices if choices is None else choices, is_strict=False)

    def misnamed_files(self) -> list[Misnamed]:
        """The files that lack columns of the real one and have others, which nobody said are the same."""
        return misnamed_files(self._texts(), self.choices)

    def _texts(self) -> dict[str, TextTable]:
        there = self.files
        return {slot: text for slot in EVERY_SLOT if slot in there and (text := self.text(slot)) is not None}

    def decisions(self, codebook: bytes, name: str) -> tuple[dict[str, ColumnChoice], tuple[Problem, ...]]:
        """What a codebook decides about its columns, and what it says of them that its files do not bear out.

        What was decided of a column before stays; raises an :class:`InputError` where the file is no codebook.
        """
        decided, problems = read_codebook(codebook, name).decisions(self._texts())
        before = self.choices
        own = {column: before.get(column, choice).with_defaults(choice) for column, choice in decided.items()}
        return {**before, **own}, problems

    @property
    def unit(self) -> str:
        """What a column names whose rows are counted as one: ``person``, ``household``, or empty where none does."""
        return next(iter(units(self.choices)), "")

    def choose_unit(self, column: str, unit: Role) -> None:
        """Have that column alone say whose row a row is; one that said it before has its own role again."""
        self.choose(naming(self.choices, column, unit))

    def start(self, plan: Plan, *, workers: int = 1) -> Run:
        """Start a run of that plan in a process of its own, or find the one that is running or finished.

        Two pages that press *Run* at the same time start one run. One that stopped before its end goes on: what it has
        kept is used, unless it was made by other code or other libraries.
        """
        run = self.run_of(plan)
        if run.queue(plan, workers, self.revision):
            run.spawn()
        return run

    def strip(self) -> Receipt:
        """Remove its files and what its results know of single people, at once; summaries stay."""
        self.admit(to_own=True)
        return retention.strip(self.path, datetime.now(UTC))

    def run_of(self, plan: Plan) -> Run:
        """The run of that plan on the data as they are now, whether it was started or not."""
        asked = [plan.question, plan.as_dict(), self.revision, __version__]
        return Run(self.path / "runs" / fingerprint(asked)[:32])

    def runs(self, question: str | None = None) -> list[Run]:
        """Every run, or those of one question, the one that was started last first."""
        base = self.base

        def read() -> list[tuple[Run, str]]:
            with base.read() as connection:
                rows = connection.execute(_RUNS, {"audit": self.id}).all()
            return [(Run(self.path / "runs" / row.id), question_in(row.asked)) for row in rows]

        return [run for run, asked in look_up((self.path, "runs"), read) if question in (None, asked)]

    def run(self, run_id: str) -> Run | None:
        """The run with that id, or None."""
        run = Run(self.path / "runs" / run_id)
        return run if run_id.isalnum() and run.exists else None

    def clone(self, name: str) -> Audit:
        """A new audit of that name with the same files and choices, and no runs."""
        self.admit()
        made = Store(self.path.parents[1]).create(name)
        for path in self.path.rglob("[!.]*"):
            if path.is_file() and (place := path.relative_to(self.path)).parts[0] != "runs":
                (made.path / place).parent.mkdir(exist_ok=True)
                made._write(str(place), path.read_bytes())
        made.change(**{**self._facts(), "name": name})
        return made

    def delete(self) -> Receipt:
        """Cancel what runs and remove the audit with everything in it; says what that was."""
        self.admit(to_own=True)
        for run in self.runs():
            run.cancel()
        return retention.delete(self.path)

    # ----------------------------------------------------------------------------------------------------------
    # Whose it is

    @property
    def owner(self) -> str:
        """The name of the person whose it is; empty where it is nobody's."""
        return _owner(self.base, self.id)

    @property
    def is_mine(self) -> bool:
        """Whether it is that of whoever acts, and not shared with them."""
        self.admit()
        try:
            self.admit(to_own=True)
        except DesignError:
            return False
        return True

    @property
    def guests(self) -> list[str]:
        """The names of those it is shared with."""
        asked = sa.select(known_people.c.name).join(holders, holders.c.person == known_people.c.id)
        with self.base.read() as connection:
            return list(connection.scalars(asked.where((holders.c.audit == self.id) & (holders.c.owns == 0))))

    def share(self, name: str) -> None:
        """Let the person of that name open it, and work in it.

        Raises
        ------
        DesignError
            It is not that of whoever acts, or nobody of that name has logged in here, or several have.
        """
        self.admit(to_own=True)
        person = people.find(self.base, name)
        with self.base.write() as connection:
            mark = (holders.c.audit == self.id) & (holders.c.person == person)
            if connection.scalar(sa.select(holders.c.owns).where(mark)) is not None:
                return
            connection.execute(holders.insert().values(audit=self.id, person=person, owns=0))
            journal.record(connection, "shared", audit=self.id, person=name)

    def stop_sharing(self, name: str) -> None:
        """Let the person of that name open it no longer; what they have open is closed with their next step."""
        self.admit(to_own=True)
        person = people.find(self.base, name)
        with self.base.write() as connection:
            mark = (holders.c.audit == self.id) & (holders.c.person == person) & (holders.c.owns == 0)
            if connection.execute(holders.delete().where(mark)).rowcount:
                journal.record(connection, "no longer shared", audit=self.id, person=name)
