"""What is kept of one audit beside its runs: its files, what was found in them, and what the user decided of them."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.base import stages
from riskkit.core import Role
from riskkit.errors import DesignError, EncodingError, Problem, RiskkitError, StoreError
from riskkit.jobs import people
from riskkit.jobs.codec import decode, encode, sha
from riskkit.jobs.database import Database, audits, database, explain_errors, look_up
from riskkit.jobs.machine import environment
from riskkit.judging.measurement import Limit, limits_from_dict
from riskkit.judging.measurement import limits_as_dict as kept_limits
from riskkit.judging.provenance import Cover, Effort, Provenance, StewardAnswers
from riskkit.phrases import phrase
from riskkit.table.kinds.choice import ColumnChoice, weight_columns
from riskkit.table.large import map_file
from riskkit.table.load import PREFIX
from riskkit.table.people.persons import units
from riskkit.table.read.encodings import GUESS, agree_encodings, as_guess
from riskkit.table.read.files import read_apart, read_file
from riskkit.table.stack import MOST, behind, release_number, slots_of
from riskkit.table.text import TextTable

SLOTS = ("real", "synthetic", "holdout")
CHILD_SLOTS = tuple(f"{PREFIX}{slot}" for slot in SLOTS)
"""Where the files of a second table are kept."""
RELEASE_SLOTS = slots_of(MOST)
"""Where the files of several releases of one table are kept, the first of them as the only one would be."""
EVERY_SLOT = (*SLOTS, *CHILD_SLOTS, *RELEASE_SLOTS[1:])
REMEDIES = 12
"""Searches that are kept with an audit, at most: of more the first goes."""
Content = bytes | memoryview
T = TypeVar("T")


def fingerprint(value: Any) -> str:
    """The SHA-256 of a JSON value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def dump(value: Any) -> bytes:
    """A JSON value as it is kept: equal values give equal bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1).encode("utf-8", "surrogatepass")


def row_of(connection: Connection, audit: str, *columns: Any, lock: bool = False) -> Any:
    """These columns of an audit's row; raises :class:`DesignError` where it is gone."""
    asked = _select_audit(*columns)
    row = connection.execute(asked.with_for_update() if lock else asked, {"audit": audit}).one_or_none()
    if row is None:
        raise DesignError(people.GONE)
    return row


@cache
def _select_audit(*columns: Any) -> sa.Select[Any]:
    """The statement that reads these columns of one audit; made once, for making it takes longer than its answer."""
    return sa.select(*columns).where(audits.c.id == sa.bindparam("audit"))


def write_facts(connection: Connection, audit: str, facts: Mapping[str, Any]) -> None:
    """Write the facts of an audit in place of the old ones."""
    kept = dump(facts)
    connection.execute(audits.update().where(audits.c.id == audit).values(facts=kept, sha=sha(kept), saved=time.time()))


def _read(row: Any) -> dict[str, Any]:
    """The facts of an audit; raises :class:`StoreError` where they were altered."""
    if not isinstance(row.facts, bytes) or sha(row.facts) != row.sha:
        raise StoreError.phrase(
            "What is kept of this audit was altered on the disk, so it cannot be used. Delete it and "
            "load the files again: the same settings give the same numbers."
        )
    facts: dict[str, Any] = json.loads(row.facts)
    return facts


def revision(facts: Mapping[str, Any]) -> str:
    """A hash of the files and the choices: two equal revisions hold the same tables."""
    files = {
        slot: [file["sha256"], file["encoding"], file["delimiter"], file.get("header"), file["sheet"]]
        for slot, file in facts["files"].items()
    }
    return fingerprint([files, facts["choices"]])


@dataclass(frozen=True, slots=True)
class AuditFiles:
    """The files of one audit and what the user decided; ``path`` is its folder."""

    path: Path

    @property
    def id(self) -> str:
        """128 random bits; the only name of an audit in an address."""
        return self.path.name

    @property
    def base(self) -> Database:
        """The tables it is kept in."""
        self.admit()
        return database(self.path.parents[1])

    def admit(self, *, to_own: bool = False) -> None:
        """Refuse whoever acts an audit that is not theirs, see :func:`riskkit.jobs.people.admit`."""
        people.admit(database(self.path.parents[1]), self.id, to_own=to_own)

    def _facts(self) -> dict[str, Any]:
        base = self.base

        def row() -> Any:
            with base.read() as connection:
                return row_of(connection, self.id, audits.c.facts, audits.c.sha)

        return _read(look_up(("facts", self.path), row))

    def change(self, **changed: Any) -> None:
        """Write these facts in place of the old ones; others that are written meanwhile stay."""
        with self.base.write() as connection:
            facts = _read(row_of(connection, self.id, audits.c.facts, audits.c.sha, lock=True))
            write_facts(connection, self.id, {**facts, **changed})

    @property
    def name(self) -> str:
        """What the user calls it."""
        return str(self._facts()["name"])

    def rename(self, name: str) -> None:
        """Give it another name."""
        self.change(name=name)

    @property
    def creation_time(self) -> str:
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
    def paths(self) -> dict[str, str]:
        """What a command line calls each file, by slot: its name, and behind a workbook the sheet."""
        return {
            slot: f"{facts['name']}#{facts['sheet']}" if facts["sheet"] else str(facts["name"])
            for slot, facts in sorted(self.files.items(), key=lambda path: release_number(path[0]))
        }

    @property
    def file_names(self) -> dict[str, str]:
        """What a command names: the files, and the columns that name whose row a row is, and its weight."""
        weights = {str(Role.WEIGHT): column for column in weight_columns(self.choices)}
        return {**self.paths, **units(self.choices), **weights}

    @property
    def purge_time(self) -> str:
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
        sheet: str = "",
        is_strange: bool = False,
        is_guess: bool = False,
    ) -> None:
        """Read a file and keep it in that slot, with its bytes so that it can be read another way.

        What is None is found out; an encoding that nobody chose (``is_guess``) is decided over all files of the audit.
        A file that ``is_strange``, as all are that a server is handed, is read in a process of its own under limits.
        Raises an :class:`InputError` where the file cannot be used as it is; what was in the slot stays.
        """
        how: dict[str, Any] = {"encoding": encoding, "delimiter": delimiter, "header": header, "sheet": sheet}
        with self._scratch(source) as upload, self._scratch() as table:
            if is_strange:
                with explain_errors(self.path, len(source)):
                    text = read_apart(upload, table, name=name, **how)
                    content = map_file(table)
                rows = pq.read_metadata(table).num_rows
                table.replace(self.path / f"{slot}.parquet")
                self._keep(slot, as_guess(text) if is_guess else text, rows, content, header=header)
            else:
                text = read_file(source, name=name, **how)
                self.put(slot, as_guess(text) if is_guess else text, header=header)
            upload.replace(self.path / f"{slot}.upload")
        if is_guess or all(facts["encoding_from"] != GUESS for facts in self.files.values()):
            return
        texts = {own: there for own in self.files if (there := self.text(own)) is not None}
        for own, encoding in agree_encodings(texts).items():
            how = {part: self.files[own].get(part) for part in ("name", "delimiter", "header", "sheet")}
            with suppress(EncodingError):
                self.load(own, self.source(own), encoding=encoding, is_strange=is_strange, is_guess=True, **how)

    @contextmanager
    def _scratch(self, content: Content = b"") -> Iterator[Path]:
        """A file of that content beside the others, gone when the block is left unless it has another name by then."""
        self.admit()
        scratch = self.path / f".{secrets.token_hex(8)}"
        try:
            with explain_errors(self.path, len(content)), scratch.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            yield scratch
        finally:
            scratch.unlink(missing_ok=True)

    def _write(self, name: str, content: Content) -> None:
        """Write all of a file or nothing; a full disk leaves what was there, and is said in a sentence."""
        with self._scratch(content) as scratch:
            scratch.replace(self.path / name)

    def source(self, slot: str) -> bytes:
        """The bytes that :meth:`load` was given for that slot."""
        self.admit()
        return (self.path / f"{slot}.upload").read_bytes()

    def put(self, slot: str, text: TextTable, **more: Any) -> None:
        """Keep a file's text columns in that slot, in place of what was there; ``more`` goes with its facts."""
        stages.say(phrase("Keeping {file}", file=text.name))
        stream = pa.BufferOutputStream()
        pq.write_table(text.data, stream)
        content = memoryview(stream.getvalue())
        if slot in EVERY_SLOT:
            self._write(f"{slot}.parquet", content)
        self._keep(slot, text, text.rows, content, **more)

    def _keep(self, slot: str, text: TextTable, rows: int, content: Content, **more: Any) -> None:
        """Keep the facts of a file whose columns are that content."""
        if slot not in EVERY_SLOT:
            raise DesignError.phrase(
                "There is no slot {slot!r}; the slots are {slots}.", slot=slot, slots=(*SLOTS, *CHILD_SLOTS)
            )
        self._forget_noted()
        facts = {
            "kept": sha(content).hex(),
            "loaded": datetime.now(UTC).isoformat(timespec="seconds"),
            "name": text.name,
            "sha256": text.sha256,
            "size": text.size,
            "rows": rows,
            "columns": len(text.columns),
            "encoding": text.encoding,
            "encoding_from": text.encoding_from,
            "delimiter": text.delimiter,
            "format": text.format,
            "sheet": text.sheet,
            "problems": [problem.plain() for problem in text.problems],
            **more,
        }
        self.change(files={**self.files, slot: facts}, purged="")

    def note(self, what: str, make: Callable[[], T], *, of: str = "") -> T:
        """What ``make`` finds in these tables, kept beside them until a file, a choice or the program changes.

        It is made of what :mod:`riskkit.jobs.codec` keeps; ``of`` says what else it follows from. A disk that is full
        makes it be found again the next time.
        """
        known: T | None = self.noted(what, of=of)
        if known is not None:
            return known
        made = make()
        content = encode(made)
        with suppress(RiskkitError):
            self._write(f"{what}.noted", self._mark(of) + sha(content) + content)
        return made

    def noted(self, what: str, *, of: str = "") -> Any:
        """What :meth:`note` has kept; None where it would have to be made anew."""
        self.admit()
        mark = self._mark(of)
        with suppress(OSError):
            known = (self.path / f"{what}.noted").read_bytes()
            if known.startswith(mark + sha(known[2 * len(mark) :])):
                return decode(known[2 * len(mark) :])
        return None

    def _mark(self, of: str) -> bytes:
        """The beginning of what was noted of the tables as they are, by this program."""
        return sha(f"{self.revision} {environment()}{of}".encode())

    def _forget_noted(self) -> None:
        """Remove what was found in the tables as they were: it says things of people whose file may be gone."""
        for place in self.path.glob("*.noted"):
            place.unlink(missing_ok=True)

    def drop(self, slot: str) -> None:
        """Forget the file in that slot, and what was found in the tables with it."""
        self._forget_noted()
        moved = behind(slot, self.files)
        files = {name: facts for name, facts in self.files.items() if name != slot and name not in moved}
        self.change(files=files | {moved[name]: facts for name, facts in self.files.items() if name in moved})
        for ending in ("parquet", "upload"):
            (self.path / f"{slot}.{ending}").unlink(missing_ok=True)
            for before, after in moved.items():
                if (self.path / f"{before}.{ending}").exists():
                    (self.path / f"{before}.{ending}").replace(self.path / f"{after}.{ending}")

    @property
    def releases(self) -> int:
        """How many files of releases there are."""
        return len(self.files.keys() & set(RELEASE_SLOTS))

    def head(self, slot: str, rows: int = 20) -> pa.Table:
        """The first records of the file in that slot, without reading the rest."""
        self.admit()
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
            problems=tuple(map(Problem.from_plain, facts["problems"])),
            format=facts["format"],
            sheet=facts["sheet"],
        )

    def _data(self, slot: str, facts: Mapping[str, Any]) -> pa.Table:
        """The columns of that file; refused where they are not what was written."""
        stages.say(phrase("Reading {file}", file=facts["name"]))
        try:
            content = (self.path / f"{slot}.parquet").read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError, PermissionError):
            content = b""
        if "kept" in facts and sha(content).hex() != facts["kept"]:
            raise StoreError.phrase(
                "The stored copy of {file} was altered on the disk since it was loaded. Load the file again; "
                "with the same file a run goes on where it was.",
                file=facts["name"],
            )
        return pq.read_table(pa.BufferReader(content))

    @property
    def is_passing(self) -> bool:
        """Whether a command keeps its files only as long as its run has not ended."""
        return bool(self._facts().get("passing", False))

    @property
    def choices(self) -> dict[str, ColumnChoice]:
        """What the user decided about columns, by column name."""
        return {name: ColumnChoice.from_dict(choice) for name, choice in self._facts()["choices"].items()}

    def choose(self, choices: Mapping[str, ColumnChoice]) -> None:
        """Keep the user's decisions about columns, in place of the old ones."""
        self.change(choices={name: choice.as_dict() for name, choice in choices.items()})

    @property
    def revision(self) -> str:
        """A hash of the files and the choices: two equal revisions hold the same tables."""
        return revision(self._facts())

    @property
    def provenance(self) -> Provenance:
        """How the release was made, as the steward said; unknown where nobody did.

        Where nobody said how often the table was released, it is as often as there are files of releases.
        """
        facts = self._facts()
        releases = self.releases
        released = facts.get("released", {}) or ({"releases": releases} if releases > 1 else {})
        return Provenance(str(facts.get("made_by", "")), **released)

    def set_provenance(self, provenance: Provenance) -> None:
        """Keep how the release was made; no number changes by it, only which questions are about this release."""
        self.change(made_by=provenance.method, released=dict(provenance.settings))

    @property
    def answers(self) -> StewardAnswers:
        """What the steward said of the tables."""
        return StewardAnswers.from_dict(self._facts().get("answers", {}))

    def answer(self, answers: StewardAnswers) -> None:
        """Keep what the steward said; no number changes by it, only what is asked, and what rows are taken for."""
        self.change(answers=answers.as_dict())

    @property
    def cover(self) -> Cover:
        """What page one of its reports says in the steward's own words."""
        return Cover.from_dict(self._facts().get("cover", {}))

    def cover_with(self, cover: Cover) -> None:
        """Keep these words for the next report."""
        self.change(cover=asdict(cover))

    @property
    def effort(self) -> Effort:
        """How much is played where the steward presses the one button."""
        return Effort(self._facts().get("effort", Effort.QUICK))

    def spend(self, effort: Effort) -> None:
        """Keep how much is to be played."""
        self.change(effort=str(effort))

    @property
    def mending(self) -> dict[str, Any]:
        """Of an audit of a mended release: ``of`` whose release it was, ``left_out`` the rows of its real table."""
        mended: dict[str, Any] = self._facts().get("mended", {})
        return mended

    @property
    def remedies(self) -> tuple[Mapping[str, Any], ...]:
        """Searches in these tables for what would lower a risk, as they are kept; the last one stands last."""
        now = self.revision
        return tuple(entry["found"] for entry in self._facts().get("remedies", ()) if entry["revision"] == now)

    def keep_remedy(self, new_remedy: Mapping[str, Any]) -> None:
        """Keep such a search, in place of one that asked the same; those of tables that are gone go."""
        others = [remedy for remedy in self.remedies if remedy["search"] != new_remedy["search"]]
        kept_now = [{"revision": self.revision, "found": entry} for entry in (*others, new_remedy)]
        self.change(remedies=kept_now[-REMEDIES:])

    @property
    def limits(self) -> dict[str, Limit]:
        """How much leak is tolerable, by question, each with its source and date; the one place limits are kept."""
        return limits_from_dict(self._facts().get("limits", {}))

    def limit_to(self, limits: Mapping[str, Limit]) -> None:
        """Keep these limits in place of the old ones; ``riskkit.questions.limits.keep`` refuses wrong ones before."""
        self.change(limits=kept_limits(limits))
