"""What the manifest holds: by name, the bytes that riskkit makes of small tables, without what another clone has not.

Left out are folders, times, seconds, workers, and versions of riskkit, Python and libraries. Ids of runs and reports
are hashes of plan, data and version, so they are replaced by what they name.
"""

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa

import riskkit
from riskkit.audit import sample
from riskkit.audit.report_facts import build_findings, build_given, read_given
from riskkit.cli import main
from riskkit.commands import abouts
from riskkit.core import Schema, Table
from riskkit.errors import InputError
from riskkit.jobs.database import runs, units
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import SCALES, Limit
from riskkit.phrases import phrase_hook
from riskkit.questions.limits import scales
from riskkit.questions.runs import work
from riskkit.report.to_csv import to_csv
from riskkit.report.to_html import to_html
from riskkit.report.to_json import as_dict
from riskkit.show.model import Class, Findings, Given, Played
from riskkit.table.load import Tables, read_tables
from riskkit.version import __version__
from tests.faults.workers import asked
from tests.jobs.test_every_question import PLANS, of_three
from tests.table.corpus import CORPUS
from tests.table.test_corpus import LIMITS, answered

MADE = datetime(2026, 1, 1, tzinfo=UTC)
PASSING = ("id", "sha256", "basis", "riskkit", "versions")
"""Fields of a report that hold versions, or hashes of them."""
Bytes = dict[str, bytes]


def plain(value: Any) -> bytes:
    """A value as JSON, equal bytes for equal values; what JSON does not know by its text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, indent=1, default=str).encode("utf-8", "surrogatepass")


# --- typed files ------------------------------------------------------------------------------------------------------


def typed_files() -> Bytes:
    """Every odd file of the corpus as it is typed, or the sentence it is refused with."""
    return {f"typed/{name}": typed(name) for name in CORPUS}


def typed(name: str) -> bytes:
    """One case of the corpus: schema, cells and what is told of them."""
    case = CORPUS[name]
    limits = type(LIMITS)(size=1_000_000) if case.refused == "too_large" else LIMITS
    try:
        tables = answered(case, limits)
    except InputError as refusal:
        return plain({"refused": refusal.problem.as_dict(), "sentence": refusal.problem.sentence()})
    return plain(
        {
            "schema": columns(tables.schema),
            "cells": [cells(table) for table in (tables.real, tables.synthetic, tables.holdout)],
            "identifiers": texts(tables.identifiers),
            "free texts": texts(tables.free_texts),
            "told": [[problem.as_dict(), problem.sentence()] for problem in tables.problems],
            "persons": persons(tables),
        }
    )


def columns(schema: Schema) -> list[dict[str, Any]]:
    """Every column of a schema, by its settled domain."""
    return [
        {
            "name": column.name,
            "kind": str(column.kind),
            "role": str(column.role),
            "levels": list(column.levels),
            "range": [float(number).hex() for number in (column.low, column.high, column.mean, column.sd)],
            "written": [column.decimals, column.date_format, column.commas],
            "missing": [column.has_missing, list(column.missing_tokens)],
            "reason": str(column.reason),
        }
        for column in schema.columns
    ]


def cells(table: Table | None) -> list[str]:
    """The hashes of codes and numbers."""
    if table is None:
        return []
    return [hashlib.sha256(part.tobytes()).hexdigest() for part in (table.codes, table.numbers)]


def texts(by_column: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, list[str]]]:
    """The texts of columns that tables do not hold, by column and slot."""
    return {name: {slot: list(map(str, each)) for slot, each in slots.items()} for name, slots in by_column.items()}


def persons(tables: Tables) -> list[str]:
    """What says whose row a row is."""
    return [] if tables.persons is None else [tables.unit, str(tables.persons.has_several_rows)]


# --- command line and names -------------------------------------------------------------------------------------------


def surface() -> Bytes:
    """The help of every command, and the names of the package."""
    helps = {f"help/{name}": help_of(name) for name in abouts()}
    return {"help": help_of(), **helps, "names": "\n".join(riskkit.__all__).encode()}


def help_of(*words: str) -> bytes:
    """What the command line prints when it is asked for help."""
    out = io.StringIO()
    with patch.dict(os.environ, {"COLUMNS": "100"}), contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([*words, "--help"])
    return out.getvalue().encode()


# --- reports ----------------------------------------------------------------------------------------------------------


def limits() -> dict[str, Limit]:
    """A limit a question, a quarter of the way from guessing to the most there can be."""
    ends = {question: SCALES[scale] for question, scale in scales().items()}
    return {name: Limit(scale.low + 0.25 * (scale.high - scale.low), "golden") for name, scale in ends.items()}


def sample_report() -> Bytes:
    """The files of the report of the sample, of the results that come with riskkit."""
    tables = read_tables(*(sample.sample_folder() / sample.FILES[slot] for slot in ("real", "synthetic", "holdout")))
    runs = tuple(map(finished, sample.PLANS))
    return report("sample", build_given("Sample", tables, runs, sample.MADE_BY), {})


def finished(plan: Any) -> Played:
    """The run of that plan as it comes with riskkit."""
    file = sample.sample_folder() / "finished" / f"{plan.question}.json"
    content = json.loads(file.read_bytes(), object_hook=phrase_hook)
    return Played(
        plan.question,
        "0" * 32,
        "finished",
        plan.as_dict(),
        {**content["result"], "seconds": 1.0},
        plan.command(**sample.FILES),
        unit=str(plan.unit),
        done=content["done"],
        total=content["total"],
    )


def report(name: str, facts: Given, every_limit: Mapping[str, Limit]) -> Bytes:
    """The files of that report by name."""
    findings = build_findings(facts, every_limit, kind=Class.RESTRICTED, made=MADE)
    ids = {findings.id: "REPORT", findings.basis: "BASIS", **{run.id: run.question for run in facts.runs}}
    body = {field: value for field, value in as_dict(findings).items() if field not in PASSING}
    files = {"report.json": plain(body), "report.html": lasting_html(findings), **to_csv(findings)}
    return {f"report/{name}/{file}": lasting(content, ids) for file, content in files.items()}


def lasting_html(findings: Findings) -> bytes:
    """The page without its style, which is no output of a number."""
    before, _, rest = to_html(findings).partition(b"<style>")
    return before + rest.partition(b"</style>")[2]


def lasting(content: bytes, ids: Mapping[str, str]) -> bytes:
    """The content without versions and ids."""
    for text, named in {**ids, f"riskkit {__version__}": "riskkit"}.items():
        if text:
            content = content.replace(text.encode(), named.encode())
    return content


# --- questions --------------------------------------------------------------------------------------------------------


def question_bytes(home: Path, workers: int) -> Iterator[tuple[str, bytes]]:
    """What jobs keep of every question played with that many workers: its result, and the units it was made of.

    And, after all of them, the files of a report of all.
    """
    made = of_three(home)
    for name in sorted(PLANS):
        run = asked(made, PLANS[name], workers=workers)
        assert work(run.path), run.progress
        yield f"question/{name}/result", run.result_bytes
        yield f"question/{name}/units", b"".join(kept_units(made, run))
    facts = read_given(made)
    timeless = (replace(run, result={**(run.result or {}), "seconds": 1.0}) for run in facts.runs)
    yield from report("all", replace(facts, runs=tuple(timeless)), limits()).items()


def kept_units(made: Audit, run: Run) -> Iterator[bytes]:
    """The bytes of every unit of that run, in the order of its maps."""
    number = sa.select(runs.c.number).where(runs.c.id == run.id).scalar_subquery()
    mine = sa.select(units.c.call, units.c.unit, units.c.payload).where(units.c.run == number)
    with made.base.read() as connection:
        for call, unit, payload in connection.execute(mine.order_by(units.c.call, units.c.unit)):
            yield f"{call} {unit}\n".encode() + payload
