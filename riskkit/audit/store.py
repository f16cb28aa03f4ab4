"""Where audits are kept: one private folder with the tables of :mod:`riskkit.audit.database` and a sub-folder an audit.

::

    home/store.db                          audits, runs, results of units; or where RISKKIT_STORE says
         audits/<audit id>/real.parquet    the text columns of each file as read
                           real.csv        the bytes the user gave, to be read in another encoding
                           runs/<run id>/log   what libraries had to say

The dashboard only reads and writes these; the work is done by processes of their own (:mod:`riskkit.audit.worker`), so
it survives a closed tab, a restarted server and a killed worker. A run's id is the hash of its plan and its data:
pressing *Run* twice starts one run, and a finished run is found again.
"""

from __future__ import annotations

import io
import itertools
import os
import secrets
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa

from riskkit.audit import facts as kept
from riskkit.audit import retention
from riskkit.audit.codec import sha
from riskkit.audit.database import Database, audits, database, events, runs, spoken
from riskkit.audit.facts import facts_at, facts_of, fingerprint, row_of, written
from riskkit.audit.questions import Plan
from riskkit.audit.receipts import Receipt
from riskkit.audit.runs import Run, asked_question
from riskkit.audit.takeover import take_over
from riskkit.core import Kind, Role
from riskkit.errors import DesignError, Gravity, Problem, StoreError
from riskkit.table.load import Tables as Tables  # and Choice below: for the pages, which know no table folder
from riskkit.table.load import load
from riskkit.table.read import TextTable, read_csv
from riskkit.table.schema import Choice as Choice
from riskkit.version import __version__

SLOTS = ("real", "synthetic", "holdout")


def default_home() -> Path:
    """``RISKKIT_HOME``, else the place this system keeps a user's data."""
    given = os.environ.get("RISKKIT_HOME")
    if given:
        return Path(given)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "riskkit"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "riskkit"
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "riskkit"


@dataclass(frozen=True, slots=True)
class Store:
    """All audits of one user on one machine."""

    home: Path

    @classmethod
    def default(cls) -> Store:
        """The store at :func:`default_home`, made private to this user where it is new.

        What an earlier version kept in files of its own is taken over.

        Raises
        ------
        StoreError
            It is damaged, was written by another version, or cannot be reached.
        """
        home = default_home()
        (home / "audits").mkdir(parents=True, exist_ok=True)
        if home.stat().st_mode & 0o077:
            home.chmod(0o700)
        take_over(home)
        return cls(home)

    @property
    def base(self) -> Database:
        """The tables."""
        return database(self.home)

    def create(self, name: str) -> Audit:
        """A new, empty audit."""
        folder = self.home / "audits" / secrets.token_hex(16)
        folder.mkdir(parents=True, mode=0o700)
        facts = written({"name": name, "files": {}, "choices": {}})
        created = datetime.now(UTC).isoformat(timespec="microseconds")
        with self.base.write() as connection:
            connection.execute(
                audits.insert().values(id=folder.name, created=created, saved=time.time(), facts=facts, sha=sha(facts))
            )
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
            raise DesignError("There is no such audit here; it may have been deleted. Open another or load your files.")
        return Audit(folder)

    def audits(self) -> list[Audit]:
        """Every audit, newest first."""
        with self.base.read() as connection:
            ids = connection.scalars(sa.select(audits.c.id).order_by(audits.c.created.desc(), audits.c.id.desc()))
            folders = [self.home / "audits" / name for name in ids]
        return [Audit(folder) for folder in folders if folder.is_dir()]

    @property
    def retention(self) -> int | None:
        """Days after which uploads and scores of single records go; None keeps them until somebody deletes them."""
        return retention.chosen(self.base)

    def keep_for(self, days: int | None) -> None:
        """Choose :attr:`retention`; it is applied whenever a run ends and when the dashboard starts."""
        retention.choose(self.base, days)

    def purge(self, older_than_days: float | None = None, *, now: datetime | None = None) -> Receipt:
        """Remove uploads and scores of single records older than that, or than :attr:`retention`; summaries stay.

        Audits in which something is being played are left alone.
        """
        return retention.purge(self.home, older_than_days, now or datetime.now(UTC))

    def receipts(self) -> list[str]:
        """What was deleted and purged so far, oldest first: times, hashes and counts."""
        with self.base.read() as connection:
            lines = connection.execute(sa.select(events).where(events.c.run.is_(None)).order_by(events.c.number))
            return [f"{line.at} · {line.text}" for line in lines]


@dataclass(frozen=True, slots=True)
class Audit:
    """One audit: its files, the user's choices about them, and its runs."""

    path: Path

    @property
    def id(self) -> str:
        """128 random bits; the only name of an audit in an address."""
        return self.path.name

    @property
    def base(self) -> Database:
        """The tables it is kept in."""
        return database(self.path.parents[1])

    def _facts(self) -> dict[str, Any]:
        return facts_at(self.path)

    def change(self, **changed: Any) -> None:
        """Write these facts in place of the old ones; others that are written meanwhile stay."""
        with self.base.write() as connection:
            facts = written({**facts_of(connection, self.id, lock=True), **changed})
            connection.execute(
                audits.update().where(audits.c.id == self.id).values(facts=facts, sha=sha(facts), saved=time.time())
            )

    @property
    def name(self) -> str:
        """What the user calls it."""
        return str(self._facts()["name"])

    def rename(self, name: str) -> None:
        """Give it another name."""
        self.change(name=name)

    @property
    def created(self) -> str:
        """When it was made, UTC, ISO 8601."""
        with self.base.read() as connection:
            return str(row_of(connection, self.id, audits.c.created).created)

    @property
    def saved_seconds_ago(self) -> float:
        """How long ago anything about the audit itself was last written."""
        with self.base.read() as connection:
            return max(time.time() - float(row_of(connection, self.id, audits.c.saved).saved), 0.0)

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """Facts of each loaded file by slot: name, sha256, size, rows, columns, encoding, delimiter."""
        files: dict[str, dict[str, Any]] = self._facts()["files"]
        return files

    @property
    def purged(self) -> str:
        """When its files were removed for their age; empty where they were not."""
        return str(self._facts().get("purged", ""))

    def load(
        self,
        slot: str,
        source: bytes,
        *,
        name: str,
        encoding: str | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
    ) -> None:
        """Read a file and keep it in that slot, with its bytes so that it can be read another way.

        What is None is found out. Raises an :class:`InputError` where the file cannot be used as it is;
        what was in the slot stays.
        """
        text = read_csv(source, name=name, encoding=encoding, delimiter=delimiter, header=header)
        self._write(f"{slot}.csv", source)
        self.put(slot, text, header=header)

    def _write(self, name: str, content: bytes) -> None:
        """Write all of a file or nothing; a full disk leaves what was there, and is said in a sentence."""
        scratch = self.path / f".{secrets.token_hex(8)}"
        try:
            with spoken(self.path, len(content)), scratch.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            scratch.replace(self.path / name)
        finally:
            scratch.unlink(missing_ok=True)

    def source(self, slot: str) -> bytes:
        """The bytes that :meth:`load` was given for that slot."""
        return (self.path / f"{slot}.csv").read_bytes()

    def put(self, slot: str, text: TextTable, **more: Any) -> None:
        """Keep a file's text columns in that slot, in place of what was there; ``more`` goes with its facts."""
        if slot not in SLOTS:
            raise DesignError(f"There is no slot {slot!r}; the slots are {', '.join(SLOTS)}.")
        content = io.BytesIO()
        pq.write_table(text.data, content)
        self._write(f"{slot}.parquet", content.getvalue())
        facts = {
            "kept": sha(content.getvalue()).hex(),
            "loaded": datetime.now(UTC).isoformat(timespec="seconds"),
            "name": text.name,
            "sha256": text.sha256,
            "size": text.size,
            "rows": text.rows,
            "columns": len(text.columns),
            "encoding": text.encoding,
            "encoding_from": text.encoding_from,
            "delimiter": text.delimiter,
            "problems": [problem.as_dict() for problem in text.problems],
            **more,
        }
        self.change(files={**self.files, slot: facts}, purged="")

    def drop(self, slot: str) -> None:
        """Forget the file in that slot."""
        self.change(files={name: facts for name, facts in self.files.items() if name != slot})
        for ending in ("parquet", "csv"):
            (self.path / f"{slot}.{ending}").unlink(missing_ok=True)

    def head(self, slot: str, rows: int = 20) -> pa.Table:
        """The first records of the file in that slot, without reading the rest."""
        file = pq.ParquetFile(self.path / f"{slot}.parquet")
        return pa.Table.from_batches(itertools.islice(file.iter_batches(batch_size=rows), 1), file.schema_arrow)

    def text(self, slot: str) -> TextTable | None:
        """The file in that slot as it was read, or None."""
        facts = self.files.get(slot)
        if facts is None:
            return None
        data = self._data(slot, facts)
        return TextTable(
            name=facts["name"],
            sha256=facts["sha256"],
            size=facts["size"],
            data=data,
            encoding=facts["encoding"],
            encoding_from=facts["encoding_from"],
            delimiter=facts["delimiter"],
            problems=tuple(_problem(given) for given in facts["problems"]),
        )

    def _data(self, slot: str, facts: Mapping[str, Any]) -> pa.Table:
        """The columns of that file; refused where they are not what was written."""
        try:
            content = (self.path / f"{slot}.parquet").read_bytes()
        except FileNotFoundError:
            content = b""
        if "kept" in facts and sha(content).hex() != facts["kept"]:
            raise StoreError(
                f"The stored copy of {facts['name']} was altered on the disk since it was loaded. Load the file again; "
                "with the same file a run goes on where it was."
            )
        return pq.read_table(pa.BufferReader(content))

    @property
    def choices(self) -> dict[str, Choice]:
        """What the user decided about columns, by column name."""
        return {
            name: Choice(
                kind=Kind(given["kind"]) if given["kind"] else None,
                role=Role(given["role"]) if given["role"] else None,
                missing_tokens=tuple(given["missing_tokens"]),
            )
            for name, given in self._facts()["choices"].items()
        }

    def choose(self, choices: Mapping[str, Choice]) -> None:
        """Keep the user's decisions about columns, in place of the old ones."""
        self.change(
            choices={
                name: {"kind": choice.kind, "role": choice.role, "missing_tokens": list(choice.missing_tokens)}
                for name, choice in choices.items()
            }
        )

    @property
    def revision(self) -> str:
        """A hash of the files and the choices: two equal revisions hold the same tables."""
        return kept.revision(self._facts())

    def tables(self, choices: Mapping[str, Choice] | None = None) -> Tables:
        """The typed tables, their joint schema and every problem found; as they would be with other ``choices``.

        Raises
        ------
        InputError
            The files do not fit together.
        DesignError
            No real table is loaded.
        """
        texts = {slot: self.text(slot) for slot in SLOTS}
        real = texts["real"]
        if real is None:
            raise DesignError("No real table is loaded yet; load it on the Data page.")
        return load(real, texts["synthetic"], texts["holdout"], choices=self.choices if choices is None else choices)

    def start(self, plan: Plan, *, workers: int = 1) -> Run:
        """Start a run of that plan in a process of its own, or find the one that is running or finished.

        Two pages that press *Run* at the same time start one run. One that stopped before its end goes on.
        """
        revision = self.revision
        run = Run(self.path / "runs" / fingerprint([plan.question, plan.as_dict(), revision, __version__])[:32])
        run.start(plan, workers, revision)
        return run

    def runs(self, question: str | None = None) -> list[Run]:
        """Every run, or those of one question, the one that was started last first."""
        with self.base.read() as connection:
            rows = connection.execute(
                sa.select(runs.c.id, runs.c.asked)
                .where(runs.c.audit == self.id)
                .order_by(runs.c.created.desc(), runs.c.number.desc())
            ).all()
        return [
            Run(self.path / "runs" / row.id)
            for row in rows
            if question is None or asked_question(row.asked) == question
        ]

    def run(self, run_id: str) -> Run | None:
        """The run with that id, or None."""
        run = Run(self.path / "runs" / run_id)
        return run if run_id.isalnum() and run.exists else None

    def clone(self, name: str) -> Audit:
        """A new audit of that name with the same files and choices, and no runs."""
        made = Store(self.path.parents[1]).create(name)
        for path in self.path.rglob("[!.]*"):
            if path.is_file() and (place := path.relative_to(self.path)).parts[0] != "runs":
                (made.path / place).parent.mkdir(exist_ok=True)
                made._write(str(place), path.read_bytes())
        made.change(**{**self._facts(), "name": name})
        return made

    def delete(self) -> Receipt:
        """Cancel what runs and remove the audit with everything in it; says what that was."""
        for run in self.runs():
            run.cancel()
        return retention.delete(self.path)


def _problem(given: Mapping[str, Any]) -> Problem:
    kept = {key: value for key, value in given.items() if key != "sentence"}
    return Problem(**{**kept, "gravity": Gravity(kept["gravity"])})
