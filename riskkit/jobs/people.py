"""Who acts, where several people share one dashboard: whose an audit is, who else may open it, how much each may run.

A program of one person has nobody to tell apart: :func:`acting` is None there, and every audit may be opened. A
dashboard with a login names a function that says who acts; from then on an audit that is not that person's is not
there for them, whichever way it is asked for, and where nobody can be named nothing is done.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from riskkit.errors import DesignError
from riskkit.jobs.database import Database, audits, holders, people
from riskkit.phrases import phrase

RUNNING, WAITING = 2, 5
"""Runs of one person that are played at the same time, and that wait beside them."""
GONE = phrase("There is no such audit here; it may have been deleted. Open another or load your files.")
"""What is said of an audit that is not there, and of one that is somebody else's: which of both it is stays unsaid."""


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who has logged in: an id that never changes, the name that others know them by."""

    id: str
    name: str = field(compare=False)
    is_admin: bool = False


SERVER = Account("", "the server", is_admin=True)
"""Whoever runs the program, who may do everything."""
_ACTS: ContextVar[Account | None] = ContextVar("riskkit_acts", default=None)
_FINDERS: list[Callable[[], Account]] = []


def person_id(issuer: str, subject: str) -> str:
    """The id of a person: who vouches for them and what that calls them, which no e-mail address says for good."""
    return hashlib.sha256(f"{issuer}\0{subject}".encode()).hexdigest()


def tell_apart(finder: Callable[[], Account]) -> None:
    """From now on people are told apart; the function says who acts, or raises :class:`DesignError`."""
    _FINDERS[:] = [finder]


@contextmanager
def acting_as(person: Account) -> Iterator[None]:
    """Within this block that person acts."""
    token = _ACTS.set(person)
    try:
        yield
    finally:
        _ACTS.reset(token)


def acting() -> Account | None:
    """Who acts; None where people are not told apart.

    Raises
    ------
    DesignError
        They are, and nobody has logged in.
    """
    if not _FINDERS:
        return None
    return _ACTS.get() or _FINDERS[0]()


def is_admin() -> bool:
    """Whether whoever acts may do what concerns everybody: always where people are not told apart."""
    person = acting()
    return person is None or person.is_admin


def for_admins() -> None:
    """Refuse whoever may not do what concerns everybody."""
    if not is_admin():
        raise DesignError.phrase("This concerns everybody's audits; only an administrator may do it here.")


# --------------------------------------------------------------------------------------------------------------
# Whose an audit is


def take(connection: Connection, audit: str) -> None:
    """Make a new audit that of the person who acts."""
    person = acting()
    if person is not None and person != SERVER:
        connection.execute(holders.insert().values(audit=audit, person=person.id, owns=1))


def mine() -> sa.ColumnElement[bool] | None:
    """The condition on the table of audits that leaves those of whoever acts; None where nothing is left out."""
    person = acting()
    if person is None or person == SERVER:
        return None
    return audits.c.id.in_(sa.select(holders.c.audit).where(holders.c.person == person.id))


def owner_of(connection: Connection, audit: str) -> str:
    """The id of the person whose audit it is; empty where people are not told apart, or nobody has it."""
    mark = (holders.c.audit == audit) & (holders.c.owns == 1)
    return str(connection.scalar(sa.select(holders.c.person).where(mark)) or "")


def admit(base: Database, audit: str, *, to_own: bool = False) -> None:
    """Refuse whoever acts an audit that is not theirs; ``to_own`` asks for more than having it shared.

    Raises
    ------
    DesignError
        It is not there for this person.
    """
    person = acting()
    if person is None or person == SERVER:
        return
    asked = sa.select(holders.c.owns).where((holders.c.audit == audit) & (holders.c.person == person.id))
    with base.read() as connection:
        owns = connection.scalar(asked)
    if owns is None:
        raise DesignError(GONE)
    if to_own and not owns:
        raise DesignError.phrase("This audit is shared with you. Only its owner may delete it or share it with others.")


# --------------------------------------------------------------------------------------------------------------
# Who has logged in


def meet(base: Database, person: Account) -> None:
    """Know that person from now on, by the name they have now."""
    with base.read() as connection:
        if connection.scalar(sa.select(people.c.name).where(people.c.id == person.id)) == person.name:
            return
    with base.write() as connection:
        there = connection.execute(people.update().where(people.c.id == person.id).values(name=person.name)).rowcount
        if not there:
            connection.execute(people.insert().values(id=person.id, name=person.name))


def log_out(base: Database, person: Account) -> None:
    """Log that person out everywhere: no login from before this moment counts any more."""
    meet(base, person)
    with base.write() as connection:
        connection.execute(people.update().where(people.c.id == person.id).values(left=time.time()))


def last_left(base: Database, person: Account) -> float:
    """When that person logged out last, in seconds since 1970; 0 where they never did."""
    with base.read() as connection:
        return float(connection.scalar(sa.select(people.c.left).where(people.c.id == person.id)) or 0.0)


def find(base: Database, name: str) -> str:
    """The id of the one person of that name.

    Raises
    ------
    DesignError
        Nobody of that name has logged in here, or several have.
    """
    with base.read() as connection:
        ids = connection.scalars(sa.select(people.c.id).where(people.c.name == name.strip())).all()
    if not ids:
        raise DesignError.phrase("Nobody of that name has logged in here yet. Ask them to do so once, then share it.")
    if len(ids) > 1:
        raise DesignError.phrase(
            "Several people of that name have logged in here, so it is not shared with any of them."
        )
    return str(ids[0])
