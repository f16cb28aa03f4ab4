"""The tables of an audit from whatever holds them: files, data frames, or tables that were loaded before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from riskkit import registry
from riskkit.core import Role
from riskkit.errors import DesignError
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.session.frames import texts_of
from riskkit.table.kinds.choice import ColumnChoice
from riskkit.table.load import PREFIX, Tables, tables_of
from riskkit.table.stacked import MOST, slots_of

SLOTS = ("real", "synthetic", "holdout")


def load(
    real: Any,
    synthetic: Any = None,
    holdout: Any = None,
    *,
    made_by: Any = None,
    person: str | None = None,
    household: str | None = None,
    children: Mapping[str, Any] | None = None,
    releases: Sequence[Any] | None = None,
    one_fit: bool = False,
    encodings: Mapping[str, str] | None = None,
) -> Tables:
    """The tables of an audit, typed under one joint schema and compared.

    Parameters
    ----------
    real, synthetic, holdout
        The confidential records, the release, and people who were not in. Each is the path of a CSV file, or a data
        frame of pandas, polars, pyarrow or of whatever hands out Arrow. A frame is read as the CSV written from it:
        both give equal tables. Tables that were loaded before may stand as ``real`` alone.
    made_by
        The method that made the release, as text (``"bayesnet:degree=1"``), as an object or a class. Questions about a
        method are about this release only where it is this very method.
    person
        The column that names the person of a row. It identifies, so nothing is learnt from it. Where people have
        several rows, people are counted, each with all of their rows; a question that counts rows refuses such tables.
    household
        The same for a column that names the household: households are counted, each with all of their rows.
    children
        A second table of the same people with several rows each, joined by the column ``person`` or ``household`` that
        both have: its files or frames as ``{"real": ..., "synthetic": ..., "holdout": ...}``.
    releases
        Of a table that was released several times all releases, in place of ``synthetic``. An attacker has them all:
        every question about the release reads the rows of all of them, give-aways are looked for in each, and questions
        that train the method play as many releases.
    one_fit
        Whether all of them come from one fit of the method; else each is from a fit of its own.
    encodings
        How the letters of files were turned into bytes, as ``{"synthetic": "cp1252"}``; what is not said is found by
        all files together.

    Raises
    ------
    InputError
        A file or frame cannot be used as it is, or they do not fit together; a sentence says why.
    DesignError, ParameterError
        There is no such method.
    """
    if person is not None and household is not None:
        raise DesignError("person and household both say whose row a row is. Name one of the two.")
    method = _method(made_by)
    if isinstance(real, Tables):
        if any(part is not None for part in (synthetic, holdout, person, household, children, releases)):
            raise DesignError("These tables are loaded already. Load all files together, so that they share a schema.")
        return real if made_by is None else replace(real, made_by=method)
    every = [synthetic] if releases is None else _several(synthetic, releases)
    slots = {"real": real, **dict(zip(slots_of(len(every)), every, strict=True)), "holdout": holdout}
    if unknown := [slot for slot in children or {} if slot not in SLOTS]:
        raise DesignError(f"There is no second table {unknown[0]!r}; children are of real, synthetic and holdout.")
    slots |= {f"{PREFIX}{slot}": source for slot, source in (children or {}).items()}
    there = texts_of({slot: source for slot, source in slots.items() if source is not None}, encodings or {})
    named = {Role.PERSON: person, Role.HOUSEHOLD: household}
    choices = {column: ColumnChoice(role=role) for role, column in named.items() if column is not None}
    return replace(tables_of(there, choices), made_by=method, one_fit=bool(one_fit) and len(every) > 1)


def provenance_of(tables: Tables) -> Provenance:
    """How the release was made, and how often, as these tables know it."""
    return Provenance(tables.made_by, tables.releases, tables.one_fit)


def _several(synthetic: Any, releases: Sequence[Any]) -> list[Any]:
    """The releases of one table.

    Raises
    ------
    DesignError
        There are none, or too many, or one stands as ``synthetic`` too.
    """
    if isinstance(releases, str) or not isinstance(releases, Sequence):
        raise DesignError("releases is a list of files or frames, one for each time the table was released.")
    if synthetic is not None:
        raise DesignError("Name all releases of the table in releases, and leave synthetic out.")
    if not 1 <= len(releases) <= MOST:
        raise DesignError(f"releases holds 1 to {MOST} files or frames; there are {len(releases):,}.")
    return list(releases)


def _method(made_by: Any) -> str:
    """The method as plans spell it; empty where nobody said."""
    if made_by is None or (isinstance(made_by, str) and made_by.strip() in ("", NOBODY_SAID)):
        return ""
    return registry.spelled("generators", made_by)
