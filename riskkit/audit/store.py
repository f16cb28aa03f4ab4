"""Where audits are kept: one private folder, one sub-folder an audit, one a run.

::

    home/audits/<audit id>/audit.json            name, files and what was found in them, the user's choices
                           real.parquet ...      the text columns of each file as read
                           real.csv ...          the bytes the user gave, to be read in another encoding
                           runs/<run id>/plan.json  state.json  beat  cancel  result.json

The dashboard only reads and writes these files; the work is done by a process of its own
(:mod:`riskkit.audit.worker`), so it survives a closed tab and a restarted server. A run's id is the hash of its plan
and its data: pressing *Run* twice starts one run, and a finished run is found again.
"""

from __future__ import annotations

import itertools
import os
import secrets
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from riskkit.audit.questions import Plan
from riskkit.audit.runs import Run, fingerprint, read_json, write_json
from riskkit.core import Kind, Role
from riskkit.errors import DesignError, Gravity, Problem
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
        """The store at :func:`default_home`, made private to this user where it is new."""
        home = default_home()
        (home / "audits").mkdir(parents=True, exist_ok=True)
        home.chmod(0o700)
        return cls(home)

    def create(self, name: str) -> Audit:
        """A new, empty audit."""
        folder = self.home / "audits" / secrets.token_hex(16)
        (folder / "runs").mkdir(parents=True, mode=0o700)
        write_json(
            folder / "audit.json",
            {"name": name, "created": datetime.now(UTC).isoformat(timespec="seconds"), "files": {}, "choices": {}},
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
        if not audit_id.isalnum() or not (folder / "audit.json").is_file():
            raise DesignError("There is no such audit here; it may have been deleted. Open another or load your files.")
        return Audit(folder)

    def audits(self) -> list[Audit]:
        """Every audit, newest first."""
        found = [Audit(path.parent) for path in (self.home / "audits").glob("*/audit.json")]
        return sorted(found, key=lambda audit: (audit.created, audit.id), reverse=True)


@dataclass(frozen=True, slots=True)
class Audit:
    """One audit: its files, the user's choices about them, and its runs."""

    path: Path

    @property
    def id(self) -> str:
        """128 random bits; the only name of an audit in an address."""
        return self.path.name

    def _facts(self) -> dict[str, Any]:
        facts: dict[str, Any] = read_json(self.path / "audit.json")
        return facts

    def _change(self, **changed: Any) -> None:
        write_json(self.path / "audit.json", {**self._facts(), **changed})

    @property
    def name(self) -> str:
        """What the user calls it."""
        return str(self._facts()["name"])

    def rename(self, name: str) -> None:
        """Give it another name."""
        self._change(name=name)

    @property
    def created(self) -> str:
        """When it was made, UTC, ISO 8601."""
        return str(self._facts()["created"])

    @property
    def saved_seconds_ago(self) -> float:
        """How long ago anything about the audit itself was last written."""
        return max(time.time() - (self.path / "audit.json").stat().st_mtime, 0.0)

    @property
    def files(self) -> dict[str, dict[str, Any]]:
        """Facts of each loaded file by slot: name, sha256, size, rows, columns, encoding, delimiter."""
        files: dict[str, dict[str, Any]] = self._facts()["files"]
        return files

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
        (self.path / f"{slot}.csv").write_bytes(source)
        self.put(slot, text, header=header)

    def source(self, slot: str) -> bytes:
        """The bytes that :meth:`load` was given for that slot."""
        return (self.path / f"{slot}.csv").read_bytes()

    def put(self, slot: str, text: TextTable, **more: Any) -> None:
        """Keep a file's text columns in that slot, in place of what was there; ``more`` goes with its facts."""
        if slot not in SLOTS:
            raise DesignError(f"There is no slot {slot!r}; the slots are {', '.join(SLOTS)}.")
        scratch = self.path / f".{slot}.{secrets.token_hex(4)}"
        pq.write_table(text.data, scratch)
        scratch.replace(self.path / f"{slot}.parquet")
        facts = {
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
        self._change(files={**self.files, slot: facts})

    def drop(self, slot: str) -> None:
        """Forget the file in that slot."""
        self._change(files={name: facts for name, facts in self.files.items() if name != slot})
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
        data: pa.Table = pq.read_table(self.path / f"{slot}.parquet")
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
        self._change(
            choices={
                name: {"kind": choice.kind, "role": choice.role, "missing_tokens": list(choice.missing_tokens)}
                for name, choice in choices.items()
            }
        )

    @property
    def revision(self) -> str:
        """A hash of the files and the choices: two equal revisions hold the same tables."""
        facts = self._facts()
        files = {
            slot: [given["sha256"], given["encoding"], given["delimiter"], given.get("header")]
            for slot, given in facts["files"].items()
        }
        return fingerprint([files, facts["choices"]])

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

        Two pages that press *Run* at the same time start one run.
        """
        revision = self.revision
        run = Run(self.path / "runs" / fingerprint([plan.question, plan.as_dict(), revision, __version__])[:32])
        run.start(plan, workers, revision)
        return run

    def runs(self, question: str | None = None) -> list[Run]:
        """Every run, or those of one question, newest first."""
        every = [Run(path.parent) for path in (self.path / "runs").glob("*/plan.json")]
        found = [run for run in every if question is None or run.question == question]
        return sorted(found, key=lambda run: (run.path / "plan.json").stat().st_mtime, reverse=True)

    def run(self, run_id: str) -> Run | None:
        """The run with that id, or None."""
        folder = self.path / "runs" / run_id
        return Run(folder) if run_id.isalnum() and (folder / "plan.json").is_file() else None

    def delete(self) -> None:
        """Cancel what runs and remove the audit with everything in it."""
        for run in self.runs():
            run.cancel()
        shutil.rmtree(self.path)


def _problem(given: Mapping[str, Any]) -> Problem:
    kept = {key: value for key, value in given.items() if key != "sentence"}
    return Problem(**{**kept, "gravity": Gravity(kept["gravity"])})
