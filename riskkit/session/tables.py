"""The tables of an audit from whatever holds them: files, data frames, or tables that were loaded before."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.interchange

from riskkit import registry
from riskkit.core import Kind, Role
from riskkit.errors import DesignError, FileError, LayoutError, nearest
from riskkit.judging.provenance import NOBODY_SAID, Provenance
from riskkit.phrases import phrase
from riskkit.table.codebook import Codebook, read_codebook
from riskkit.table.kinds.choice import ColumnChoice, UnknownWord
from riskkit.table.load import PREFIX, Tables, tables_of
from riskkit.table.read.csv_text import read_csv
from riskkit.table.read.files import read_together
from riskkit.table.stack import MOST, slots_of
from riskkit.table.text import TextTable

# A data frame as the CSV that is written from it: read by the one reader, so that a frame and its file are one table.
#
# A frame of pandas is written by pandas. Any other comes over the Arrow interface (polars, pyarrow, DuckDB and
# others) or the older interchange of data frames, and its cells are written as polars writes them: numbers in full,
# ``true`` and ``false``, dates as 2026-03-31. What is missing, and what is no number, is the empty text.

SHAPES = (
    "a path of a file (CSV, Parquet, Excel, SPSS, Stata, SAS, also in gzip or ZIP), or a data frame of pandas, polars, "
    "pyarrow, or of whatever hands out Arrow"
)


_LAZY = {"dask": "frame.compute()", "pyspark": "frame.toPandas()"}
"""How frames of other packages are worked out, which may lie on other machines: that is asked for, never done."""


def texts_of(sources: Mapping[str, Any], encodings: Mapping[str, str]) -> dict[str, TextTable]:
    """The text columns of paths and data frames by slot; files are read together, in the ``encodings`` that are said.

    Raises
    ------
    InputError
        One is neither, or cannot be used as it is.
    """
    paths = {slot: Path(source) for slot, source in sources.items() if isinstance(source, str | Path)}
    frames = {slot: text_of(source, slot) for slot, source in sources.items() if slot not in paths}
    read = read_together(paths, encodings=encodings, beside=frames)
    return {slot: frames[slot] if slot in frames else read[slot] for slot in sources}


def text_of(source: Any, slot: str) -> TextTable:
    """The text columns of a data frame; ``slot`` is what it is called in sentences.

    Of a pandas frame an index with a name is a column; one without is left out, as row numbers are.

    Raises
    ------
    InputError
        It is none, or cannot be used as it is.
    """
    if isinstance(source, TextTable):
        return source
    return read_csv(_csv(source, slot), name=slot, encoding="utf-8", delimiter=",", header=True)


def _csv(source: Any, slot: str) -> bytes:
    """The CSV of a frame; one of polars that waits to be worked out is worked out."""
    package = type(source).__module__.partition(".")[0]
    if package == "polars" and type(source).__name__ == "LazyFrame":
        source = source.collect()
    if package == "pandas" and hasattr(source, "columns"):
        if source.columns.nlevels > 1:
            raise LayoutError.of(
                "names_in_levels", "Its columns have names of several levels.", "Join them.", file=slot
            )
        named = any(name is not None for name in source.index.names)
        return str(source.to_csv(index=named, lineterminator="\n")).encode("utf-8", "replace")
    if hasattr(source, "__arrow_c_stream__"):
        return _by_arrow(pa.table(source), slot, " " if isinstance(source, pa.Table) else "T")
    if hasattr(source, "__dataframe__"):
        return _by_arrow(pa.interchange.from_dataframe(source), slot, "T")
    if package in _LAZY:
        what = phrase(
            "It is a {kind} of {package}, which is not worked out yet.", kind=type(source).__name__, package=package
        )
        raise FileError.of("lazy_frame", what, phrase("Give {call}.", call=_LAZY[package]), file=slot)
    raise FileError.of("no_frame", f"It is a {type(source).__name__}, no table.", f"Give {SHAPES}.", file=slot)


def _by_arrow(table: pa.Table, slot: str, between: str) -> bytes:
    texts = [
        _texts(column, name, slot, between) for name, column in zip(table.column_names, table.columns, strict=True)
    ]
    written = io.BytesIO()
    options = pa_csv.WriteOptions(quoting_style="needed")
    pa_csv.write_csv(pa.table(texts, names=list(table.column_names)), written, options)
    return written.getvalue()


def _texts(column: pa.ChunkedArray, name: str, slot: str, between: str) -> pa.Array:
    """The cells of a column as texts; null where missing. ``between`` stands between a day and a time."""
    whole = column.combine_chunks()
    kind = whole.type
    if pa.types.is_dictionary(kind):
        levels = _texts(pa.chunked_array([whole.dictionary]), name, slot, between)
        return pc.take(levels, whole.indices)
    if pa.types.is_floating(kind):
        encoded = pc.dictionary_encode(whole)
        values = np.asarray(encoded.dictionary.to_numpy(zero_copy_only=False))
        texts = [None if np.isnan(value) else str(value) for value in values]
        return pc.take(pa.array(texts, pa.string()), encoded.indices)
    if pa.types.is_null(kind):
        return pa.nulls(len(whole), pa.string())
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise LayoutError.of(
            "no_plain_values", f"The column holds {kind}, not single values.", "Leave it out.", file=slot, column=name
        )
    try:
        plain = pc.cast(whole, pa.string())
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise LayoutError.of(
            "no_plain_values", f"Values of {kind} cannot be written as text.", "Convert it.", file=slot, column=name
        ) from error
    return pc.replace_substring(plain, " ", between) if pa.types.is_timestamp(kind) else plain


SLOTS = ("real", "synthetic", "holdout")


def load(
    real: Any,
    synthetic: Any = None,
    holdout: Any = None,
    *,
    made_by: Any = None,
    person: str | None = None,
    household: str | None = None,
    weight: str | None = None,
    children: Mapping[str, Any] | None = None,
    releases: Sequence[Any] | None = None,
    one_fit: bool = False,
    encodings: Mapping[str, str] | None = None,
    columns: Any = None,
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
    weight
        The column of the real table that says how many people of the population a row stands for, its sampling weight.
        No question reads it as something of the person; :func:`riskkit.keys` reckons from it what holds there.
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
    columns
        What is decided about columns, as the page Data can: by name a mapping as
        ``{"kind": "categorical", "role": "secret", "missing_tokens": ["-9"], "read_as": {"1": "yes"}}``, with any of
        its settings. Or the path of a file that says so: such decisions as JSON, or a codebook (metadata of SDV, table
        schema of Frictionless, Croissant, DDI, a file of SPSS, Stata or SAS). What a codebook says that the tables do
        not bear out is among ``problems``.

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
        more = (synthetic, holdout, person, household, weight, children, releases, columns)
        if any(part is not None for part in more):
            raise DesignError("These tables are loaded already. Load all files together, so that they share a schema.")
        return real if made_by is None else replace(real, made_by=method)
    every = [synthetic] if releases is None else _several(synthetic, releases)
    slots = {"real": real, **dict(zip(slots_of(len(every)), every, strict=True)), "holdout": holdout}
    if unknown := [slot for slot in children or {} if slot not in SLOTS]:
        near = nearest(unknown[0], SLOTS)
        raise DesignError(f"There is no second table {unknown[0]!r}{near}; children are of {', '.join(SLOTS)}.")
    slots |= {f"{PREFIX}{slot}": source for slot, source in (children or {}).items()}
    if unknown := [slot for slot in encodings or {} if slot not in slots]:
        near = nearest(unknown[0], slots)
        raise DesignError(f"encodings: there is no file {unknown[0]!r}{near}; there are {', '.join(slots)}.")
    there = texts_of({slot: source for slot, source in slots.items() if source is not None}, encodings or {})
    choices, problems = _codebook(columns).decisions(there)
    for role, column in ((Role.PERSON, person), (Role.HOUSEHOLD, household), (Role.WEIGHT, weight)):
        choices |= {column: replace(choices.get(column, ColumnChoice()), role=role)} if column is not None else {}
    return replace(
        tables_of(there, choices).with_problems(problems), made_by=method, one_fit=bool(one_fit) and len(every) > 1
    )


def sample() -> Tables:
    """The tables of the sample: a made-up hospital cohort, a release of a Bayesian network, and a holdout."""
    from riskkit.audit.sample import FILES, MADE_BY, sample_folder  # it loads the plans of six questions

    return load(*(sample_folder() / FILES[slot] for slot in SLOTS), made_by=MADE_BY.method)


def provenance_of(tables: Tables) -> Provenance:
    """How the release was made, and how often, as these tables know it."""
    return Provenance(tables.made_by, tables.releases, tables.one_fit)


def _codebook(columns: Any) -> Codebook:
    """What is decided about columns, whatever form it has.

    Raises
    ------
    DesignError
        There is no such setting, or a value of another kind.
    """
    if isinstance(columns, str | Path):
        return read_codebook(Path(columns))
    choices = {}
    for name, choice in (columns or {}).items():
        try:
            choices[str(name)] = choice if isinstance(choice, ColumnChoice) else ColumnChoice.from_dict(choice)
        except UnknownWord as error:
            raise DesignError(f"columns, of {name!r}: {error}") from None
        except (ValueError, TypeError, AttributeError):
            kinds, roles = ", ".join(Kind), ", ".join(Role)
            raise DesignError(
                f"columns: what is said of {name!r} cannot be read. Kinds are {kinds}; roles are {roles}."
            ) from None
    return Codebook("", choices=choices)


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
    return registry.spelling("generators", made_by)
