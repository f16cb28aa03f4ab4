"""One audit of the store, named by the first letters of its id."""

from __future__ import annotations

from riskkit.errors import DesignError
from riskkit.jobs.store import Audit, Store


def audit_of(store: Store, which: str) -> Audit:
    """The one audit whose id begins like that.

    Raises
    ------
    DesignError
        There is none, or more than one.
    """
    audits = [audit for audit in store.audits() if which and audit.id.startswith(which)]
    if len(audits) != 1:
        what = "No audit begins" if not audits else f"{len(audits)} audits begin"
        raise DesignError(f"{what} with {which!r} here; see riskkit audits list.")
    return audits[0]
