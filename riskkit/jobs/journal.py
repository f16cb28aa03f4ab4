"""Who did what here: started, resumed, cancelled, exported, asked for a restricted report, deleted, purged.

Every entry carries the hash of the one before, so that none can be changed, taken out or put in between unseen; how
many there are, and the hash of the last, stands beside them. Whoever may write to the store can make a whole new chain:
write the last hash down elsewhere, and compare. An entry holds ids, hashes, counts, and the names that people give for
themselves; never the name of a file or a column, and never a cell.
"""

from __future__ import annotations

import getpass
import json
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.jobs import people
from riskkit.jobs.codec import sha
from riskkit.jobs.database import Database, about, journal
from riskkit.jobs.machine import now_text

HEAD = "journal"
"""The key under which the number and the hash of the last entry are kept."""
START = bytes(32)
"""Stands before the first entry."""
LONGEST = 300
"""Letters of a text that somebody gives; the rest is left out."""
ACTS = ("started", "resumed", "cancelled", "exported", "asked for restricted", "deleted", "purged")
BETWEEN_PEOPLE = ("shared", "no longer shared", "given")
"""Acts that there are where several people share a dashboard."""


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One act: its number from 1, when (UTC), who, what, and what it was done to."""

    number: int
    at: str
    who: str
    act: str
    about: dict[str, Any]

    def line(self) -> str:
        """The entry for people, on one line."""
        rest = " · ".join(f"{name} {value}" for name, value in self.about.items())
        return f"{self.number:>5}  {self.at}  {self.who}  {self.act}{' · ' if rest else ''}{rest}"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def who() -> str:
    """The person who acts, else the account that this process runs as."""
    person = people.acting()
    try:
        return (person.name if person else "") or getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in many containers
        return "an account without a name"


def escape(text: str) -> str:
    """The text on one line, with every sign that a terminal or a reader would not show as itself written as a number.

    So a line break begins no entry of its own, and no escape sequence moves a cursor or turns the direction of reading.
    """
    kept = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    return "".join(
        sign if sign.isprintable() and sign != "\\" else sign.encode("unicode_escape", "surrogatepass").decode()
        for sign in kept
    )


def record(connection: Connection, act: str, **about_it: str | int) -> None:
    """Add an entry within a transaction: it is there if what it speaks of is."""
    assert act in (*ACTS, *BETWEEN_PEOPLE), act
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(72476)")  # one after the other
    number, before = _head(connection)
    details = {name: escape(value) if isinstance(value, str) else value for name, value in about_it.items()}
    row = {"number": number + 1, "at": now_text(), "who": escape(who()), "act": act, "about": json.dumps(details)}
    own = _link(before, row)
    connection.execute(journal.insert().values(**row, sha=own))
    connection.execute(about.delete().where(about.c.key == HEAD))
    connection.execute(about.insert().values(key=HEAD, value=f"{number + 1} {own.hex()}"))


def _head(connection: Connection) -> tuple[int, bytes]:
    """The number and the hash of the last entry, as they are kept beside the entries."""
    kept = connection.scalar(sa.select(about.c.value).where(about.c.key == HEAD))
    number, _, digits = (kept or f"0 {START.hex()}").partition(" ")
    return int(number), bytes.fromhex(digits)


def _link(before: bytes, row: Any) -> bytes:
    """The hash of an entry and of all before it."""
    return sha(before, json.dumps([row[name] for name in ("number", "at", "who", "act", "about")]).encode())


def add(base: Database, act: str, **about_it: str | int) -> None:
    """Add an entry by itself."""
    with base.write() as connection:
        record(connection, act, **about_it)


def entries(base: Database, act: str = "") -> list[JournalEntry]:
    """Every entry, oldest first; of one act alone where it is named."""
    with base.read() as connection:
        return entries_in(connection, act)


def entries_in(connection: Connection, act: str = "") -> list[JournalEntry]:
    """The same within a transaction."""
    asked = sa.select(journal).order_by(journal.c.number)
    rows = connection.execute(asked.where(journal.c.act == act) if act else asked).mappings().all()
    return [JournalEntry(row["number"], row["at"], row["who"], row["act"], json.loads(row["about"])) for row in rows]


def hashes(base: Database) -> list[str]:
    """The hash of every entry, oldest first."""
    with base.read() as connection:
        return [kept.hex() for kept in connection.scalars(sa.select(journal.c.sha).order_by(journal.c.number))]


def verify(base: Database) -> tuple[list[str], str]:
    """What is wrong with the chain, a sentence each, and the hash of its last entry; no sentence where it is whole."""
    with base.read() as connection:
        rows = connection.execute(sa.select(journal).order_by(journal.c.number)).mappings().all()
        kept = connection.scalar(sa.select(about.c.value).where(about.c.key == HEAD))
    before, wrong = START, []
    for number, row in enumerate(rows, start=1):
        try:
            own = _link(before, row)
        except (TypeError, ValueError):
            own = b""
        if row["number"] != number:
            wrong.append(f"Before entry {row['number']} an entry was taken out or put in.")
            break
        if own != row["sha"]:
            wrong.append(f"Entry {number} was changed since it was written.")
            break
        before = own
    if not wrong and (kept or f"0 {START.hex()}") != f"{len(rows)} {before.hex()}":
        wrong.append(f"The log ends with entry {len(rows)}, but that is not its end: entries behind it were taken out.")
    return wrong, before.hex()
