"""Files of other kinds on the Data page: what they are is told, sheets are asked about, another process reads them."""

from __future__ import annotations

import io
import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from streamlit.testing.v1 import AppTest

from riskkit.core import Role
from riskkit.jobs import files as kept_files
from riskkit.jobs.store import Audit, ColumnChoice, Store
from riskkit.table.read import files
from tests.pages.conftest import read_here
from tests.pages.screens import app, csv, drop, healthy, hints, loaded, opened, press, shown
from tests.table.test_kinds_of_file import parquet, workbook


def table() -> pa.Table:
    return pa_csv.read_csv(io.BytesIO(csv()))


def rows() -> list[list[Any]]:
    made = table()
    return [made.column_names, *(list(row.values()) for row in made.to_pylist())]


def the_audit() -> Audit:
    (audit,) = Store.default().audits()
    return audit


def sheets(screen: AppTest) -> Any:
    return next(box for box in screen.selectbox if box.label == "Sheet")


def test_a_parquet_file_is_loaded_and_called_one() -> None:
    screen = healthy(drop(app().run(), "real", parquet(table()), "real.parquet"))
    assert "4 columns" in shown(screen)
    assert "· Parquet\n" in hints(screen)
    assert not [box for box in screen.selectbox if box.label in ("Encoding", "Delimiter", "First line")]
    files = the_audit().files["real"]
    assert (files["format"], files["encoding"], files["rows"]) == ("Parquet", "", 120)
    assert the_audit().tables().schema == loaded(real=csv()).tables().schema


def test_a_sheet_is_chosen_on_the_page() -> None:
    source = workbook({"March": rows(), "Notes": [["a", "b"], [1, 2]]})
    screen = healthy(drop(app().run(), "real", source, "real.xlsx"))
    assert Store.default().audits() == []
    assert "The workbook has 2 filled sheets." in "".join(box.value for box in screen.info)
    assert sheets(screen).options == ["March", "Notes"]
    screen = healthy(sheets(screen).select("March").run())
    assert the_audit().files["real"]["sheet"] == "March"
    assert "Excel, sheet" in hints(screen)


def test_a_sheet_is_read_again_with_its_first_line_as_a_record() -> None:
    audit = Store.default().create("Sheets")
    source = workbook({"March": rows(), "Notes": [["a", "b"], [1, 2]]})
    audit.load("real", source, name="real.xlsx", sheet="March")
    before = audit.revision
    screen = opened(audit)
    first = next(box for box in screen.selectbox if box.label == "First line")
    screen = healthy(press(first.select(False).run(), "again_real"))
    assert (audit.files["real"]["rows"], audit.files["real"]["sheet"]) == (121, "March")
    assert audit.revision != before


def test_two_sheets_of_one_workbook_are_two_revisions() -> None:
    audit = Store.default().create("Sheets")
    source = workbook({"March": rows(), "April": rows()})
    revisions = set()
    for sheet in ("March", "April"):
        audit.load("real", source, name="real.xlsx", sheet=sheet)
        revisions.add(audit.revision)
        assert audit.paths == {"real": f"real.xlsx#{sheet}"}, "what a command line needs to read the same"
    assert len(revisions) == 2


@pytest.mark.parametrize("how", ["drop", "again"])
def test_what_a_user_hands_over_is_never_read_by_the_server(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    apart: list[str] = []

    def noted(source: Path, target: Path | None = None, **settings: Any) -> Any:
        apart.append(settings["name"])
        return read_here(source, target, **settings)

    audit = loaded(synthetic=csv())
    monkeypatch.setattr(kept_files, "read_apart", noted)
    monkeypatch.setattr(kept_files, "read_file", _must_not)
    screen = opened(audit)
    healthy(drop(screen, "real", csv(), "real.csv") if how == "drop" else press(screen, "again_synthetic"))
    assert apart == ["real.csv" if how == "drop" else "synthetic.csv"]


def _must_not(*_: object, **__: object) -> None:
    raise AssertionError("the server read it")


@pytest.mark.second
@pytest.mark.parametrize("made", [csv, lambda: parquet(table()), lambda: workbook({"A": rows()})])
def test_another_process_reads_what_is_dropped(made: Callable[[], bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    start, source = subprocess.Popen, made()

    def noted(*words: Any, **how: Any) -> Any:
        process = start(*words, **how)
        started.append(process.pid)
        return process

    monkeypatch.setattr(subprocess, "Popen", noted)
    healthy(drop(app().run(), "real", source, "real.bin"))
    assert len(started) == 1
    here = Store.default().create("Here")
    here.load("real", source, name="real.bin")
    other = next(audit for audit in Store.default().audits() if audit.id != here.id)
    assert {**other.files["real"], "loaded": ""} == {**here.files["real"], "loaded": ""}
    assert other.source("real") == here.source("real")


@pytest.mark.second
def test_a_file_that_takes_too_long_is_a_sentence_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    start = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from riskkit.table.read import files; "
    body = "files.read_file = lambda *_, **__: __import__('time').sleep(500); files.work(sys.argv[2])"
    monkeypatch.setattr(files, "WORK", start + body)
    monkeypatch.setattr(kept_files, "read_apart", lambda *a, **k: files.read_apart(*a, room=files.Room(seconds=1), **k))
    screen = drop(app().run(), "real", csv(), "real.csv")
    assert "Reading the file takes longer than 1 seconds" in "".join(error.value for error in screen.error)
    assert Store.default().audits() == []


# --------------------------------------------------------------------------------------------------------------
# Codebooks


def test_a_codebook_says_what_it_decides_and_decides_it_on_the_button() -> None:
    """Nothing changes before; what somebody decided before stays; what contradicts the files is said."""
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    first = audit.tables().schema.columns[0].name
    audit.choose({first: ColumnChoice(role=Role.SECRET)})
    book = {"fields": [{"name": first, "title": "First of all", "constraints": {"enum": ["x"]}}, {"name": "height"}]}
    screen = opened(audit)
    screen.file_uploader(key="codebook").set_value(("schema.json", json.dumps(book).encode(), "application/json"))
    screen = healthy(screen.run())
    assert f"It decides about 1 column: {first}." in shown(screen)
    assert "describes 1 column that the file has not: height" in shown(screen)
    assert "none of those that the codebook lists" in shown(screen)
    assert audit.choices[first].label == ""
    press(screen, "codebook_keep")
    assert (audit.choices[first].role, audit.choices[first].label) == (Role.SECRET, "First of all")


def test_a_file_that_is_no_codebook_is_refused_with_a_sentence() -> None:
    screen = opened(loaded(real=csv()))
    screen.file_uploader(key="codebook").set_value(("notes.json", b"[1]", "application/json"))
    screen = healthy(screen.run())
    assert "notes.json: It is no file about columns that riskkit knows." in "".join(box.value for box in screen.error)
