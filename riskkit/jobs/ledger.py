"""The book of a run: every finished unit is a row, committed when it arrives, and checked when it is read again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from riskkit.core import Schema
from riskkit.errors import PluginError, RiskkitError
from riskkit.jobs.codec import NotKept, decode, encode, seal, sha
from riskkit.jobs.database import megabytes, parts, runs, trainings, units
from riskkit.jobs.leases import Lease, note, place, row_of
from riskkit.jobs.pool import Page, Progress
from riskkit.phrases import phrase

KEPT_BYTES = 64 << 20
"""Most bytes of unit results that stay when a run has finished; only a damaged result would need them."""
KEPT_TRAININGS = 512 << 20
"""Most bytes of trainings that stay of an audit when a run has finished; what is dropped is trained anew."""
ROOM = 1.5
"""Bytes on the disk for a byte of a result: its hash, its index, and pages that are not full."""


@dataclass(slots=True)
class Ledger:
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
        """The page of the next map."""
        self.pages += 1
        about = f"{stage}\n{work}\n{units}".encode()
        if names:
            about = f"{work}\n".encode()
            return NamedPage(self, self.pages - 1, about, stage, units, is_closed=self.is_closed, names=tuple(names))
        return LedgerPage(self, self.pages - 1, about, stage, units, is_closed=self.is_closed)

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
        mine = units.c.run == self.lease.number
        with self.lease.base.read() as connection:
            size, count = connection.execute(
                sa.select(sa.func.sum(sa.func.length(units.c.payload)), sa.func.count()).where(mine)
            ).one()
        left = 0 if now is None else now.total - now.done
        if not (count and left):
            return ""
        return phrase("The rest of this run takes about {size} MB.", size=megabytes(ROOM * size / count * left))

    def close(self) -> None:
        """Drop unit results that would take much room and are not needed any more: the run has finished."""
        mine = units.c.run == self.lease.number
        with self.lease.base.write() as connection:
            size = connection.scalar(sa.select(sa.func.sum(sa.func.length(units.c.payload))).where(mine))
            if (size or 0) > KEPT_BYTES:
                connection.execute(units.delete().where(mine))
            audit = connection.scalar(sa.select(runs.c.audit).where(runs.c.number == self.lease.number))
            kept = trainings.c.audit == audit
            size = connection.scalar(sa.select(sa.func.sum(sa.func.length(trainings.c.payload))).where(kept))
            if (size or 0) > KEPT_TRAININGS:
                connection.execute(trainings.delete().where(kept))


@dataclass(slots=True)
class LedgerPage:
    """The results of one map. Run and ``about`` go into every hash: no row of another run or map passes for its own."""

    ledger: Ledger
    call: int
    about: bytes
    stage: str
    units: int
    is_closed: bool = False
    is_told: bool = False

    def results(self) -> dict[int, Any]:
        """The results that are there and whole, by unit; the others of this map are dropped."""
        results: dict[int, Any] = {}
        bad: list[Any] = []
        lease = self.ledger.lease
        mine = (units.c.run == lease.number) & (units.c.call == self.call)
        with lease.base.read() as connection:
            for unit, kept, payload in connection.execute(
                sa.select(units.c.unit, units.c.sha, units.c.payload).where(mine)
            ):
                try:
                    results[unit] = self._read(unit, kept, payload)
                except _Damaged:
                    bad.append(unit)
        if bad and self.ledger.is_written:
            self._drop(bad)
        self.ledger.found += len(results)
        return results

    def _read(self, unit: Any, kept: Any, payload: Any) -> Any:
        whole = isinstance(unit, int) and isinstance(payload, bytes) and isinstance(kept, bytes)
        if not whole or not 0 <= unit < self.units or self._sha(unit, payload) != kept:
            raise _Damaged
        try:
            return decode(payload, self.ledger.find)
        except PluginError as error:
            raise _Damaged from error

    def _drop(self, bad: list[Any]) -> None:
        lease = self.ledger.lease
        here = (units.c.run == lease.number) & (units.c.call == self.call)
        with lease.write() as connection:
            connection.execute(units.delete().where(here & units.c.unit.in_(bad)))
            altered = f"{len(bad):,} kept results were altered since they were written"
            note(connection, lease.number, f"{self.stage}: {altered}; only these are worked out again.")

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        """Commit these results, and hand them over as they will be read again; what cannot be kept, as it is."""
        if not self.ledger.is_written:
            return results
        lease = self.ledger.lease
        payloads: dict[int, bytes] = {}
        for unit, result in results.items():
            try:
                payloads[unit] = encode(result, self.ledger.share)
            except NotKept as error:
                if not self.is_told:
                    self.is_told = True
                    self._note(f"worked out again when the run goes on. {error}")
        if not payloads:
            return results
        rows = [
            {"run": lease.number, "call": self.call, "unit": unit, "sha": self._sha(unit, payload), "payload": payload}
            for unit, payload in payloads.items()
        ]
        with lease.base.write() as connection:
            lease.hold(connection, done=runs.c.done + len(rows))  # so that a count after a crash is the count of rows
            connection.execute(units.insert(), rows)
        return {**results, **{unit: decode(payload, self.ledger.find) for unit, payload in payloads.items()}}

    def fail(self, unit: int, error: Exception) -> None:
        """Write down which unit raised, and why where that is a sentence of ours."""
        why = str(error) if isinstance(error, RiskkitError) else f"an unexpected {type(error).__name__}"
        if self.ledger.is_written:
            self._note(f"unit {unit + 1:,} of {self.units:,} ended with {why}")

    def _note(self, text: str) -> None:
        """Write a line on this map into the log of the run."""
        with self.ledger.lease.write() as connection:
            note(connection, self.ledger.lease.number, f"{self.stage}: {text}")

    def _sha(self, unit: int, payload: bytes) -> bytes:
        return seal(self.ledger.lease.run, self.about, f"{self.call} {unit}".encode(), payload)


@dataclass(slots=True)
class NamedPage(LedgerPage):
    """The results of a map whose units follow from the data and from their names alone: kept for all runs of an audit.

    The hash under which each lies, and that of its bytes, hold the version of data and program and the work, so nothing
    is found that another version made or that was made of other data.
    """

    names: tuple[str, ...] = ()
    origin: tuple[str, bytes] | None = None

    def results(self) -> dict[int, Any]:
        """The results that any run of the audit left, by unit; what was altered is dropped."""
        audit, version = self._origin()
        of_names = {self._key(name, version): unit for unit, name in enumerate(self.names)}
        results: dict[int, Any] = {}
        bad: list[str] = []
        with self.ledger.lease.base.read() as connection:
            mine = (trainings.c.audit == audit) & trainings.c.name.in_(of_names)
            for row in connection.execute(sa.select(trainings).where(mine)):
                if isinstance(row.payload, bytes) and sha(row.name.encode(), row.payload) == row.sha:
                    results[of_names[row.name]] = decode(row.payload)
                else:
                    bad.append(row.name)
        if bad and self.ledger.is_written:
            with self.ledger.lease.write() as connection:
                connection.execute(trainings.delete().where((trainings.c.audit == audit) & trainings.c.name.in_(bad)))
        if results and self.ledger.is_written:
            self._note(f"{len(results):,} of {len(self.names):,} were there already and are used again.")
        self.ledger.found += len(results)
        return results

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        """Commit these results, and hand them over as they will be read again; what cannot be kept, as it is."""
        if not self.ledger.is_written:
            return results
        audit, version = self._origin()
        try:
            payloads = [encode(result) for result in results.values()]
        except NotKept:
            return results
        keys = [self._key(self.names[unit], version) for unit in results]
        rows = [
            {"audit": audit, "name": key, "made": time.time(), "sha": sha(key.encode(), payload), "payload": payload}
            for key, payload in zip(keys, payloads, strict=True)
        ]
        lease = self.ledger.lease
        with lease.base.write() as connection:
            lease.hold(connection, done=runs.c.done + len(rows))
            here = trainings.c.name.in_(keys)  # another run may have made them meanwhile
            connection.execute(trainings.delete().where((trainings.c.audit == audit) & here))
            connection.execute(trainings.insert(), rows)
        return {unit: decode(payload) for unit, payload in zip(results, payloads, strict=True)}

    def _origin(self) -> tuple[str, bytes]:
        """The audit of the run, and the version of its data and of the program."""
        if self.origin is None:
            with self.ledger.lease.base.read() as connection:
                mine = runs.c.number == self.ledger.lease.number
                row = connection.execute(sa.select(runs.c.audit, runs.c.asked).where(mine)).one()
            asked = json.loads(row.asked)
            self.origin = row.audit, json.dumps([asked["revision"], asked.get("environment")]).encode()
        return self.origin

    def _key(self, name: str, version: bytes) -> str:
        return sha(version, self.about, name.encode()).hex()


class _Damaged(Exception):
    """A row is not what was written."""
