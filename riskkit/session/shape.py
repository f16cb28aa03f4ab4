"""The one shape of an answer as plain values: what every command prints with ``--json``, and Python gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.audit.report_facts import versions
from riskkit.session.verdicts import Verdicts
from riskkit.show.promise import with_readings
from riskkit.table.load import Tables

SCHEMA = "riskkit.answer/1"
"""Name and version. A field may be added under the same number; one that goes or changes its meaning takes the next."""
SHAPE = ("schema", "verdict", "estimates", "notes", "settings", "files", "versions")
"""What every answer has. A question puts what is its own beside them."""


def answer_shape(result: Mapping[str, Any], tables: Tables, verdicts: Verdicts | None = None) -> dict[str, Any]:
    """An answer: ``result`` is what a question says, with its estimates, settings and notes.

    ``verdict`` is the word of the judge on this release; it is empty where nothing was asked about this release. A note
    has the code of what was noticed in the files; those of the run itself have the code ``run``.
    """
    verdict_fields = {} if verdicts is None else verdicts.as_dict()
    own = [{"code": "run", "text": str(text)} for text in result.get("notes", ())]
    noticed = [{"code": problem.code, "text": problem.sentence()} for problem in tables.problems]
    return {
        "estimates": [],
        "settings": {},
        **with_readings(result),
        **verdict_fields,
        "schema": SCHEMA,
        "verdict": "" if verdicts is None else verdicts.word,
        "notes": [*own, *noticed],
        "files": files(tables),
        "versions": versions(),
    }


def files(tables: Tables) -> list[dict[str, Any]]:
    """The files of an answer: slot, name, hash and size."""
    return [
        {"slot": file.slot, "name": file.name, "sha256": file.sha256, "rows": file.rows, "columns": file.columns}
        for file in tables.files
    ]
