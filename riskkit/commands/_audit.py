"""The audits of a command: where its run is kept, found again by whoever asks the same once more; one that is named."""

from __future__ import annotations

import sys
from collections.abc import Callable

from riskkit.commands._options import Files
from riskkit.errors import DesignError, StoreError
from riskkit.jobs.files import revision
from riskkit.jobs.store import Audit, Store


def audit_named(text: str) -> Audit:
    """The audit of the store that has that name, or whose id begins like that.

    Raises
    ------
    DesignError
        There is none, or more than one.
    """
    every = Store.default().audits()
    named = [audit for audit in every if audit.name == text]
    if len(named) > 1:
        ids = ", ".join(audit.id for audit in named)
        raise DesignError(f"{len(named)} audits have the name {text!r}; say which by its id: {ids}.")
    matching = named or [audit for audit in every if text and audit.id.startswith(text)]
    if len(matching) != 1:
        what = "No audit begins" if not matching else f"{len(matching)} audits begin"
        raise DesignError(f"{what} with {text!r} here; see riskkit audits list.")
    return matching[0]


def audit_of(called: str, files: Files, beside: Callable[[Audit], None], *, is_passing: bool) -> Audit:
    """The audit of that name with these very files, as it was or new.

    Parameters
    ----------
    beside
        Puts into it what is kept beside the tables.
    is_passing
        Whether its tables go when its runs have ended.

    Raises
    ------
    StoreError
        It cannot be kept. No table stays of which nobody was told.
    """
    store = Store.default()
    audit = next(
        (candidate for candidate in store.audits() if _is_of(candidate, called, files, is_passing=is_passing)), None
    )
    if audit is not None:
        beside(audit)
        return audit
    audit = store.create(called)
    try:
        audit.change(passing=is_passing)
        for slot, text in files.texts.items():
            audit.put(slot, text)
        audit.choose(files.choices)
        beside(audit)
    except BaseException:
        audit.delete()
        raise
    return audit


def passing_audit(asked: str, called: str, files: Files, beside: Callable[[Audit], None]) -> Audit | None:
    """The audit ``asked`` for by name; else one of the name ``called``, whose tables go when its runs have ended.

    None where there is no place for one and nobody asked for it.
    """
    try:
        return audit_of(asked or called, files, beside, is_passing=not asked)
    except StoreError as error:
        if asked:
            raise
        print(f"riskkit: What is run is not kept, and does not go on after a kill. {error}", file=sys.stderr)
        return None


def _is_of(audit: Audit, name: str, files: Files, *, is_passing: bool) -> bool:
    """Whether that audit keeps these very files under that name, for as long."""
    read = {
        slot: {"sha256": text.sha256, "encoding": text.encoding, "delimiter": text.delimiter, "sheet": text.sheet}
        for slot, text in files.texts.items()
    }
    asked = revision({"files": read, "choices": {column: choice.as_dict() for column, choice in files.choices.items()}})
    try:
        return (audit.name, audit.is_passing, audit.revision) == (name, is_passing, asked)
    except StoreError:  # damaged: it stays as it is
        return False
