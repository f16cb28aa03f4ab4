"""Letting others into an audit, and what an administrator may do with everybody's."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from riskkit.errors import DesignError
from riskkit.jobs import journal, people, retention
from riskkit.jobs.database import Database, audits, holders
from riskkit.jobs.database import people as known
from riskkit.jobs.receipts import Receipt
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.phrases import phrase


@dataclass(frozen=True, slots=True)
class AuditSummary:
    """An audit as an administrator sees it: whose it is, when it was made, the room it takes; never what is in it."""

    id: str
    created: str
    owner: str
    size: int


def share(audit: Audit, name: str) -> None:
    """Let the person of that name open an audit, and work in it.

    Raises
    ------
    DesignError
        The audit is not that of whoever acts, or nobody of that name has logged in here, or several have.
    """
    base = _base(audit)
    person = _known(base, name)
    with base.write() as connection:
        mark = (holders.c.audit == audit.id) & (holders.c.person == person)
        if connection.scalar(sa.select(holders.c.owns).where(mark)) is not None:
            return
        connection.execute(holders.insert().values(audit=audit.id, person=person, owns=0))
        journal.record(connection, "shared", audit=audit.id, person=name)


def stop_sharing(audit: Audit, name: str) -> None:
    """Let the person of that name open it no longer; what they have open is closed with their next step."""
    base = _base(audit)
    person = _known(base, name)
    with base.write() as connection:
        mark = (holders.c.audit == audit.id) & (holders.c.person == person) & (holders.c.owns == 0)
        if connection.execute(holders.delete().where(mark)).rowcount:
            journal.record(connection, "no longer shared", audit=audit.id, person=name)


def give(store: Store, audit: str, name: str) -> None:
    """Make an audit that person's, as whoever runs the server may: one that was made before there was a login."""
    people.for_admins()
    person = _known(store.base, name)
    with store.base.write() as connection:
        if connection.scalar(sa.select(audits.c.id).where(audits.c.id == audit)) is None:
            raise DesignError(people.GONE)
        connection.execute(holders.delete().where((holders.c.audit == audit) & (holders.c.owns == 1)))
        connection.execute(holders.delete().where((holders.c.audit == audit) & (holders.c.person == person)))
        connection.execute(holders.insert().values(audit=audit, person=person, owns=1))
        journal.record(connection, "given", audit=audit, person=name)


def others(audit: Audit) -> list[str]:
    """The names of those an audit is shared with."""
    base = audit.base
    asked = sa.select(known.c.name).join(holders, holders.c.person == known.c.id)
    with base.read() as connection:
        return list(connection.scalars(asked.where((holders.c.audit == audit.id) & (holders.c.owns == 0))))


def owner(audit: Audit) -> str:
    """The name of the person whose it is; empty where it is nobody's."""
    return _owner(audit.base, audit.id)


def owns(audit: Audit) -> bool:
    """Whether it is that of whoever acts."""
    try:
        audit.admit(to_own=True)
    except DesignError:
        return False
    return True


def held(store: Store) -> list[AuditSummary]:
    """Everybody's audits, newest first, for an administrator."""
    people.for_admins()
    with store.base.read() as connection:
        rows = connection.execute(sa.select(audits.c.id, audits.c.created).order_by(audits.c.created.desc())).all()
    return [
        AuditSummary(row.id, row.created, _owner(store.base, row.id), _size(store.home / "audits" / row.id))
        for row in rows
    ]


def remove(store: Store, audit: str) -> Receipt:
    """Delete anybody's audit, as an administrator may."""
    people.for_admins()
    folder = store.home / "audits" / audit
    if audit not in {held_audit.id for held_audit in held(store)}:
        raise DesignError(people.GONE)
    with journal.acting(journal.who()), people.acting_as(people.SERVER):
        for run in Audit(folder).runs():
            Run(run.path).cancel()
        return retention.delete(folder)


def _base(audit: Audit) -> Database:
    audit.admit(to_own=True)
    return audit.base


def _known(base: Database, name: str) -> str:
    """The id of the one person of that name."""
    with base.read() as connection:
        ids = connection.scalars(sa.select(known.c.id).where(known.c.name == name.strip())).all()
    if not ids:
        raise DesignError(phrase("Nobody of that name has logged in here yet. Ask them to do so once, then share it."))
    if len(ids) > 1:
        raise DesignError(
            phrase("Several people of that name have logged in here, so it is not shared with any of them.")
        )
    return str(ids[0])


def _owner(base: Database, audit: str) -> str:
    asked = sa.select(known.c.name).join(holders, holders.c.person == known.c.id)
    with base.read() as connection:
        return str(connection.scalar(asked.where((holders.c.audit == audit) & (holders.c.owns == 1))) or "")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
