"""Files together: aligned by name, typed under one schema, and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from riskkit.core import Schema, Table
from riskkit.errors import Gravity, Problem, SchemaError
from riskkit.table.compare import align, compare_tables, compare_texts, identifiers
from riskkit.table.meeting import Apart, apart, meeting_problems
from riskkit.table.order import order_problems
from riskkit.table.read import read_csv
from riskkit.table.schema import Choice, infer, typed
from riskkit.table.text import TextTable

LEAST_ROWS = 50
"""An audit needs as many rows."""
_ORDER = list(Gravity)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What was loaded into a slot: ``rows`` and ``columns`` are counts, ``size`` is bytes."""

    slot: str
    name: str
    sha256: str
    rows: int
    columns: int
    size: int
    encoding: str
    delimiter: str


@dataclass(frozen=True, slots=True)
class Tables:
    """The typed tables under their one schema, and everything the user should know of them, gravest first.

    ``apart`` are the columns whose real and released values hardly meet. ``identifiers`` are the texts of columns that
    identify people, by column and slot: no attack sees them. ``made_by`` is how the release was made, as the registry
    spells the method; empty where nobody said.
    """

    real: Table
    synthetic: Table | None
    holdout: Table | None
    schema: Schema
    problems: tuple[Problem, ...]
    files: tuple[FileFacts, ...]
    apart: tuple[Apart, ...] = ()
    identifiers: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict, repr=False)
    made_by: str = ""

    def __repr__(self) -> str:
        sizes = ", ".join(f"{file.slot} {file.rows} rows" for file in self.files)
        made = f", made by {self.made_by}" if self.made_by else ""
        return f"Tables({sizes}; {len(self.schema.modelled)} columns in use, {len(self.problems)} remarks{made})"


def load(
    real: TextTable,
    synthetic: TextTable | None = None,
    holdout: TextTable | None = None,
    *,
    choices: Mapping[str, Choice] | None = None,
    least_rows: int = LEAST_ROWS,
) -> Tables:
    """Type the files under one joint schema and compare them.

    Raises
    ------
    SchemaError
        A column is missing on one side, a chosen kind cannot hold, there are too few rows, or no column is left.
    """
    given = {"real": real, "synthetic": synthetic, "holdout": holdout}
    texts = {slot: text for slot, text in given.items() if text is not None}
    _refuse_few_rows(texts, least_rows)
    problems = [*align(texts), *compare_texts(texts)]
    inference = infer(texts, choices)
    if not inference.schema.modelled:
        raise SchemaError.of(
            "no_columns",
            "No column is left to compare: all are identifiers, free text or constant.",
            "Load a file with columns that describe people.",
            file=real.name,
        )
    tables = {slot: typed(inference.schema, text) for slot, text in texts.items()}
    own = [problem for text in texts.values() for problem in text.problems]
    found = [*own, *problems, *inference.problems, *compare_tables(tables, texts), *order_problems(tables, texts)]
    columns = apart(tables["real"], tables["synthetic"]) if synthetic is not None else ()
    if synthetic is not None:
        found += meeting_problems(columns, synthetic.name)
    return Tables(
        real=tables["real"],
        synthetic=tables.get("synthetic"),
        holdout=tables.get("holdout"),
        schema=inference.schema,
        problems=tuple(sorted(found, key=lambda problem: _ORDER.index(problem.gravity))),
        files=tuple(_facts(slot, text) for slot, text in texts.items()),
        apart=columns,
        identifiers=identifiers(inference.schema, texts),
    )


def _refuse_few_rows(texts: Mapping[str, TextTable], least: int) -> None:
    for slot in ("real", "synthetic"):
        text = texts.get(slot)
        if text is not None and text.rows < least:
            raise SchemaError.of(
                "too_few_rows",
                f"An audit needs at least {least:,} rows; the {slot} file has {text.rows:,}.",
                "Load more rows.",
                file=text.name,
                count=text.rows,
            )


def _facts(slot: str, text: TextTable) -> FileFacts:
    return FileFacts(
        slot=slot,
        name=text.name,
        sha256=text.sha256,
        rows=text.rows,
        columns=len(text.columns),
        size=text.size,
        encoding=text.encoding,
        delimiter=text.delimiter,
    )


def read_tables(real: Path | str, synthetic: Path | str | None = None, holdout: Path | str | None = None) -> Tables:
    """The tables in these CSV files; see :func:`load`.

    Raises
    ------
    InputError
        A file cannot be used as it is, or the files do not fit together.
    """
    texts = [
        None if path is None else read_csv(Path(path), name=Path(path).name) for path in (real, synthetic, holdout)
    ]
    assert texts[0] is not None
    return load(texts[0], texts[1], texts[2])


def read_table(path: Path | str) -> Table:
    """The table in one CSV file, typed by itself.

    Raises
    ------
    InputError
        The file cannot be used as it is.
    """
    return load(read_csv(Path(path), name=Path(path).name), least_rows=1).real
