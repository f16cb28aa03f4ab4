"""The tables of an audit from whatever holds them: files, data frames, or tables that were loaded before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from riskkit import registry
from riskkit.core import Role
from riskkit.errors import DesignError
from riskkit.judging.provenance import NOBODY_SAID
from riskkit.session.frames import text_of
from riskkit.table.load import Tables, decided
from riskkit.table.schema import Choice
from riskkit.table.text import TextTable


def load(
    real: Any, synthetic: Any = None, holdout: Any = None, *, made_by: Any = None, person: str | None = None
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
        The column that names the person of a row. It identifies, so nothing is learnt from it. Several rows of a person
        are not counted as one yet, so in the real table and the holdout every row has to be a person of its own.

    Raises
    ------
    InputError
        A file or frame cannot be used as it is, or they do not fit together; a sentence says why.
    DesignError, ParameterError
        There is no such method, or the real table or the holdout has several rows of one person.
    """
    method = _method(made_by)
    if isinstance(real, Tables):
        if synthetic is not None or holdout is not None or person is not None:
            raise DesignError("These tables are loaded already. Load all files together, so that they share a schema.")
        return real if made_by is None else replace(real, made_by=method)
    slots = {"real": real, "synthetic": synthetic, "holdout": holdout}
    texts = {slot: None if source is None else text_of(source, slot) for slot, source in slots.items()}
    there = {slot: text for slot, text in texts.items() if text is not None}
    choices = {} if person is None else {person: Choice(role=Role.ID)}
    if person is not None:
        _refuse_several(there, person)
    return replace(decided(there, choices), made_by=method)


def _refuse_several(texts: Mapping[str, TextTable], person: str) -> None:
    """Refuse tables in which a person has several rows; no value is told."""
    for slot in ("real", "holdout"):
        text = texts.get(slot)
        if text is None or person not in text.columns:
            continue
        names = text.data.column(person)
        several = len(names) - len(names.unique())
        if several:
            raise DesignError(
                f"{text.name}: {several:,} rows are further rows of people who have one already, by the column "
                f"{person!r}. Rows of one person are not counted as one yet. Load a table with one row a person."
            )


def _method(made_by: Any) -> str:
    """The method as plans spell it; empty where nobody said."""
    if made_by is None or (isinstance(made_by, str) and made_by.strip() in ("", NOBODY_SAID)):
        return ""
    return registry.spelled("generators", made_by)
