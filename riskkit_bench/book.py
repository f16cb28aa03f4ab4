"""The book of a job of a bench: each finished unit is a record in a file, so that a killed job goes on where it was."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from riskkit.core import Schema
from riskkit.errors import PluginError
from riskkit.jobs.codec import NotKept, decode, encode, sha
from riskkit.jobs.pool import Book, Page

SPENT = "spent"
"""The file that says what the job has cost."""
_HEAD = struct.Struct("<II32s")
"""Number of the unit, bytes of its result, and the hash of both and of the page."""


@dataclass(slots=True)
class BenchBook(Book):
    """One folder a job, one file a map. A record that is torn or altered is left out, and its unit worked out again.

    ``clock`` says what the job has cost since this process began it, in seconds; with each record it is written down
    what it has cost in all, so that a job that was killed forgets nothing of it.
    """

    folder: Path
    clock: Callable[[], float] = lambda: 0.0
    pages: int = 0
    found: int = 0
    schemas: dict[str, Schema] = field(default_factory=dict)
    before: float = field(init=False)
    """Seconds that the job had cost before this process began it."""

    def __post_init__(self) -> None:
        try:
            self.before = float((self.folder / SPENT).read_text(encoding="ascii"))
        except (OSError, ValueError):
            self.before = 0.0

    @property
    def cost(self) -> float:
        """Seconds that the job has cost in all."""
        return self.before + self.clock()

    def write_down(self) -> None:
        """Keep what it has cost until now."""
        new = self.folder / f"{SPENT}.new"
        new.write_text(f"{self.cost:.3f}", encoding="ascii")
        new.replace(self.folder / SPENT)

    def page(self, stage: str, work: str, units: int, names: Sequence[str] = ()) -> BookPage:  # noqa: ARG002  of one run
        """The page of the next map."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self.pages += 1
        about = f"{stage}\n{work}\n{units}".encode()
        return BookPage(self, self.folder / f"{self.pages:04d}", about, units)

    def share(self, schema: Schema) -> str:
        """Keep a schema once, and name it."""
        payload = encode(schema)
        name = sha(payload).hex()
        if name not in self.schemas:
            self.schemas[name] = schema
            (self.folder / f"{name}.schema").write_bytes(payload)
        return name

    def find(self, name: str) -> Schema:
        """The schema of that name; raises :class:`PluginError` where it is gone or damaged."""
        if name not in self.schemas:
            try:
                payload = (self.folder / f"{name}.schema").read_bytes()
            except OSError as error:
                raise PluginError("A part that kept results share is gone.") from error
            if sha(payload).hex() != name:
                raise PluginError("A part that kept results share is damaged.")
            self.schemas[name] = decode(payload)
        return self.schemas[name]

    def close(self) -> None:
        """Drop it: the cells of the job are kept."""
        shutil.rmtree(self.folder, ignore_errors=True)


@dataclass(slots=True)
class BookPage(Page):
    """The results of one map. ``about`` goes into every hash: a record of another map never passes for one of this."""

    book: BenchBook
    path: Path
    about: bytes
    units: int

    def results(self) -> dict[int, Any]:
        """The results that are there and whole, by unit; what follows a torn record is cut off."""
        if not self.path.exists():
            return {}
        content, offset, units = self.path.read_bytes(), 0, {}
        while offset + _HEAD.size <= len(content):
            unit, length, kept = _HEAD.unpack_from(content, offset)
            payload = content[offset + _HEAD.size : offset + _HEAD.size + length]
            if len(payload) < length or self._sha(unit, payload) != kept or unit >= self.units:
                break
            try:
                units[unit] = decode(payload, self.book.find)
            except PluginError:
                break
            offset += _HEAD.size + length
        if offset < len(content):
            with self.path.open("r+b") as file:
                file.truncate(offset)
        self.book.found += len(units)
        return units

    def keep(self, results: Mapping[int, Any]) -> Mapping[int, Any]:
        """Write these results; hands them over as they will be read again; what cannot be kept, as it is."""
        payloads: dict[int, bytes] = {}
        for unit, result in results.items():
            try:
                payloads[unit] = encode(result, self.book.share)
            except NotKept:
                continue
        with self.path.open("ab") as file:
            for unit, payload in payloads.items():
                file.write(_HEAD.pack(unit, len(payload), self._sha(unit, payload)) + payload)
        self.book.write_down()
        return {**results, **{unit: decode(payload, self.book.find) for unit, payload in payloads.items()}}

    def _sha(self, unit: int, payload: bytes) -> bytes:
        return sha(self.about, str(unit).encode(), payload)
