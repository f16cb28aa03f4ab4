"""The book of a run: every finished unit is a row, committed when it arrives, and checked when it is read again."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from riskkit.core import Schema
from riskkit.errors import PluginError, RiskkitError
from riskkit.jobs.codec import NotKept, decode, encode, seal, sha
from riskkit.jobs.database import megabytes, parts, runs, trainings
from riskkit.jobs.database import units as kept_units
from riskkit.jobs.leases import Lease, note, place, row_of
from riskkit.jobs.pool import Book, Page, Progress
from riskkit.phrases import phrase

KEPT_BYTES = 64 << 20
"""Most bytes of unit results that stay when a run has finished; only a damaged result would need them."""
KEPT_TRAININGS = 512 << 20
"""Most bytes of trainings that stay of an audit when a run has finished; what is dropped is trained anew."""
ROOM = 1.5
"""Bytes on the disk for a byte of a result: its hash, its index, and pages that are not full."""


@dataclass(slots=True)
class Ledger(Book):
    """The book of the run of that lease. A row that does not fit its hash is dropped, and its unit done again.

    Of a run that nobody plays it may be read alone (``is_written`` is false): then nothing is dropped and nothing
    added, and where it ``is_closed`` nothing is worked out.
    """

    lease: Lease
    is_written: bool = True
    is_closed: bool = False
    pages: int = 0
    found: int = 0
    schemas: dict[str, Schema] = field(default_factory=dict)
    names: dict[int, tuple[Schema, str]] = field(default_factory=dict)

    @classmethod
    def reading(cls, path: Path, *, is_closed: bool = False) -> Ledger:
        """The book of the run of that path, to be read alone."""
        base, audit, name = place(path)
        with base.read() as connection:
            row = row_of(connection, audit, name, runs.c.number)
        return cls(
            Lease(base, 0 if row is None else row.number, token=-1, run=name), is_written=False, is_closed=is_closed
        )

    def page(self, stage: str, work: str, units: int, names: Sequence[str] = ()) -> Page:
        """The page of the next map; of units with names the results are kept for all runs of an audit."""
        self.pages += 1
        if names:
            return self._named_page(stage, work, names)
        number, call = self.lease.number, self.pages - 1
        rows = (kept_units.c.run == number) & (kept_units.c.call == call)
        about = f"{stage}\n{work}\n{units}\n{call}".encode()
        values = {"run": number, "call": call}
        return LedgerPage(self, stage, kept_units.c.unit, range(units), rows, values, self.lease.run, about)

    def _named_page(self, stage: str, work: str, names: Sequence[str]) -> Page:
        """The page of units that follow from the data and from their names alone.

        The hash under which each lies holds the version of data and program and the work, so nothing is found that
        another version made or that was made of other data.
        """
        with self.lease.base.read() as connection:
            mine = runs.c.number == self.lease.number
            run = connection.execute(sa.select(runs.c.audit, runs.c.asked).where(mine)).one()
        asked = json.loads(run.asked)
        about = json.dumps([asked["revision"], asked.get("environment"), work]).encode()
        keys = [sha(about, name.encode()).hex() for name in names]
        rows = (trainings.c.audit == run.audit) & trainings.c.name.in_(keys)
        return LedgerPage(self, stage, trainings.c.name, keys, rows, {"audit": run.audit}, run.audit, about)

    def share(self, schema: Schema) -> str:
        """Keep a schema once and name it."""
        known = self.names.get(id(schema))
        if known is not None and known[0] is schema:
            return known[1]
        payload = encode(schema)
        name = sha(payload).hex()
        self.names[id(schema)] = (schema, name)
        if name not in self.schemas:
            with self.lease.write() as connection:
                here = (parts.c.run == self.lease.number) & (parts.c.sha == name)
                connection.execute(parts.delete().where(here))  # a damaged one may be there
                connection.execute(parts.insert().values(run=self.lease.number, sha=name, payload=payload))
            self.schemas[name] = schema
        return name

    def find(self, name: str) -> Schema:
        """The schema of that name; raises :class:`PluginError` where it is gone or damaged."""
        if name not in self.schemas:
            with self.lease.base.read() as connection:
                here = (parts.c.run == self.lease.number) & (parts.c.sha == name)
                payload = connection.scalar(sa.select(parts.c.payload).where(here))
            if not isinstance(payload, bytes) or sha(payload).hex() != name:
                raise PluginError("A part that kept results share is damaged.")
            self.schemas[name] = decode(payload)
        return self.schemas[name]

    def shortage(self, now: Progress | None) -> str:
        """The sentence on the room that the rest of the run takes, by what is kept so far; empty before that is known.

        What it takes on the disk is a little more than its bytes.
        """
        mine = kept_units.c.run == self.lease.number
        with self.lease.base.read() as connection:
            size, count = connection.execute(
                sa.select(sa.func.sum(sa.func.length(kept_units.c.payload)), sa.func.count()).where(mine)
            ).one()
        left = 0 if now is None else now.total - now.done
        if not (count and left):
            return ""
        return phrase("The rest of this run takes about {size} MB.", size=megabytes(ROOM * size / count * left))

    def close(self) -> None:
        """Drop unit results that would take much room and are not needed any more: the run has finished."""
        mine = kept_units.c.run == self.lease.number
        with self.lease.base.write() as connection:
            size = connection.scalar(sa.select(sa.func.sum(sa.func.length(kept_units.c.payload))).where(mine))
            if (size or 0) > KEPT_BYTES:
                connection.execute(kept_units.delete().where(mine))
            audit = connection.scalar(sa.select(runs.c.audit).where(runs.c.number == self.lease.number))
            kept = trainings.c.audit == audit
            size = connection.scalar(sa.select(sa.func.sum(sa.func.length(trainings.c.payload))).where(kept))
            if (size or 0) > KEPT_TRAININGS:
                connection.execute(trainings.delete().where(kept))


@dataclass(slots=True)
class LedgerPage(Page):
    """The results of one map: these ``rows`` of a table, each found by its ``key``, a unit's in the order of ``keys``.

    ``owner`` and ``about`` go into every hash: no row of another run, audit or map passes for one of this.
    """

    ledger: Ledger
    stage: str
    key: sa.Column[Any]
    keys: Sequence[Any]
    rows: sa.ColumnElement[bool]
    values: Mapping[str, Any]
    owner: str
    about: bytes
    is_told: bool = False

    @property
    def _is_shared(self) -> bool:
        """Whether every run of the audit finds what is kept here."""
        return self.key.table is trainings

    def results(self) -> dict[int, Any]:
        """The results that are there and whole, by unit; the others of this map are dropped."""
        results: dict[int, Any] = {}
        bad: list[Any] = []
        units = {key: unit for unit, key in enumerate(self.keys)}
        kept = self.key.table.c
        with self.ledger.lease.base.read() as connection:
            for key, mark, payload in connection.execute(sa.select(self.key, kept.sha, kept.payload).where(self.rows)):
                try:
                    if not isinstance(payload, bytes) or self._sha(key, payload) != mark:
                        raise PluginError("This row is not what was written.")
                    results[units[key]] = decode(payload, self.ledger.find)
                except (KeyError, PluginError):
                    bad.append(key)
        self.ledger.found += len(results)
        if bad and self.ledger.is_written:
            with self.ledger.lease.write() as connection:
                connection.execute(self.key.table.delete().where(self.rows & self.key.in_(bad)))
            altered = f"{len(bad):,} kept results were altered since they were written"
            self._note(f"{altered}; only these are worked out again.")
        if results and self._is_shared and self.ledger.is_written:
            self._note(f"{len(results):,} of {len(self.keys):,} were there already and are used again.")
        return results

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        """Commit these results, and hand them over as they will be read again; what cannot be kept, as it is."""
        if not self.ledger.is_written:
            return results
        payloads: dict[int, bytes] = {}
        for unit, result in results.items():
            try:
                payloads[unit] = encode(result, None if self._is_shared else self.ledger.share)
            except NotKept as error:
                if not self.is_told:
                    self.is_told = True
                    self._note(f"worked out again when the run goes on. {error}")
        if not payloads:
            return results
        rows = [
            {**self.values, self.key.name: key, "sha": self._sha(key, payload), "payload": payload}
            for key, payload in ((self.keys[unit], payload) for unit, payload in payloads.items())
        ]
        lease = self.ledger.lease
        with lease.base.write() as connection:
            lease.hold(connection, done=runs.c.done + len(rows))  # so that a count after a crash is the count of rows
            if self._is_shared:  # another run may have made them meanwhile
                keys = [self.keys[unit] for unit in payloads]
                connection.execute(trainings.delete().where(self.rows & self.key.in_(keys)))
            connection.execute(self.key.table.insert(), rows)
        return {**results, **{unit: decode(payload, self.ledger.find) for unit, payload in payloads.items()}}

    def fail(self, unit: int, error: Exception) -> None:
        """Write down which unit raised, and why where that is a sentence of ours."""
        why = str(error) if isinstance(error, RiskkitError) else f"an unexpected {type(error).__name__}"
        if self.ledger.is_written:
            self._note(f"unit {unit + 1:,} of {len(self.keys):,} ended with {why}")

    def _note(self, text: str) -> None:
        """Write a line on this map into the log of the run."""
        with self.ledger.lease.write() as connection:
            note(connection, self.ledger.lease.number, f"{self.stage}: {text}")

    def _sha(self, key: Any, payload: bytes) -> bytes:
        return seal(self.owner, self.about, str(key).encode(), payload)
