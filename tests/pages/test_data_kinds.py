"""Files of other kinds on the Data page, columns that a file calls otherwise, and free text: told, asked, confirmed."""

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

from riskkit.core import Kind, Role
from riskkit.dashboard.pages.data import choices_after_edit
from riskkit.dashboard.pages.data_recodes import ABSENT
from riskkit.jobs import files as kept_files
from riskkit.jobs.store import Audit, ColumnChoice, Store
from riskkit.table.read import files
from tests.pages.conftest import read_here
from tests.pages.screens import (
    app,
    csv,
    drop,
    healthy,
    hints,
    keys,
    loaded,
    opened,
    press,
    refusals,
    refuses_nothing,
    shown,
)
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


QUESTION = "Which column is which?"
SCORE = ("age", "ward", "job", "points")


def boxes(screen: AppTest, slot: str) -> list:
    return [box for box in screen.selectbox if str(box.key).startswith(f"names_{slot}_")]


def test_names_in_another_form_are_matched_and_said() -> None:
    screen = opened(loaded(real=csv(), synthetic=csv(names=("AGE", "ward ", "Job", "score"))))
    assert QUESTION not in shown(screen)
    assert "rows copy " in shown(screen)
    assert "2 columns have names that are written in another way than in real.csv" in shown(screen)


def test_a_file_that_does_not_fit_stays_and_its_columns_are_mapped_with_one_press() -> None:
    screen = drop(drop(opened(None), "real", csv()), "synthetic", csv(names=SCORE))
    assert "By its values, 'points' seems to be 'score'." in refusals(screen)[0]
    assert QUESTION in shown(screen)
    (box,) = boxes(screen, "synthetic")
    assert (box.value, box.options) == ("points", ["Not said yet", "It is not in this file", "points"])
    press(screen, "names_synthetic_save")
    assert refuses_nothing(screen)
    assert QUESTION not in shown(screen)
    assert "120 real and 120 synthetic rows share 4 columns" in shown(screen)
    assert "1 column is called otherwise than in real.csv, as the steward says ('points' = 'score')." in shown(screen)
    press(screen, "columns_forget")
    assert QUESTION in shown(screen), "and it can be taken back"


def test_every_file_is_mapped_by_itself_and_what_is_said_of_one_is_kept() -> None:
    audit = loaded(real=csv(), synthetic=csv(names=SCORE), holdout=csv(seed=2, names=("age", "ward", "work", "score")))
    screen = opened(audit)
    press(screen, "names_synthetic_save")
    assert dict(audit.choices["score"].called) == {"synthetic": "points"}
    assert "'work' seems to be 'job'" in refusals(screen)[0]
    assert not boxes(screen, "synthetic")
    (box,) = boxes(screen, "holdout")
    assert box.options == ["Not said yet", "work"], "a holdout has every column"
    press(screen, "names_holdout_save")
    healthy(screen)
    assert not refusals(screen)
    assert audit.tables().holdout is not None


def test_a_column_that_the_release_lacks_is_said_to_be_absent() -> None:
    audit = loaded(real=csv(), synthetic=csv(names=SCORE))
    screen = opened(audit)
    boxes(screen, "synthetic")[0].set_value(ABSENT)
    press(screen, "names_synthetic_save")
    assert not refusals(screen)
    assert "It has fewer columns than real.csv" in shown(screen)


def test_one_column_is_not_two() -> None:
    audit = loaded(real=csv(), synthetic=csv(names=("age", "ward", "work", "points")))
    screen = opened(audit)
    for box in boxes(screen, "synthetic"):
        box.set_value("points")
    press(screen, "names_synthetic_save")
    assert "One column of the file was chosen twice." in refusals(screen)[-1]
    assert audit.choices == {}


def test_another_file_in_the_slot_is_asked_about_again() -> None:
    audit = loaded(real=csv(), synthetic=csv(names=SCORE))
    press(opened(audit), "names_synthetic_save")
    audit.load("synthetic", csv(names=("age", "ward", "job", "result")), name="syn.csv")
    screen = opened(audit)
    assert "You say that 'points' is this column, and the file has no such column." in refusals(screen)[0]
    (box,) = boxes(screen, "synthetic")
    assert box.value == "result"
    press(screen, "names_synthetic_save")
    assert not refusals(screen)


def test_mended_releases_have_the_names_of_the_real_table(tmp_path) -> None:
    audit: Audit = loaded(real=csv(), synthetic=csv(names=SCORE))
    press(opened(audit), "names_synthetic_save")
    from riskkit.audit.repair import try_mend
    from riskkit.mend.release import Mending

    done = try_mend(audit, audit.tables(), Mending(True, (), ()), seed=1)
    assert done.text.columns == ("age", "ward", "job", "score")


SHOWN = [{"column": "note", "kind": "text", "role": "text", "missing": []}]
PLAIN = [{"column": "note", "kind": "categorical", "role": "known", "missing": []}]


def noted(seed: int) -> bytes:
    """The made table with a text of its own in every row."""
    first, *lines = csv(seed=seed).decode().splitlines()
    text = "the person said that nothing had changed on visit"
    out = [f"{line},{text} {1000 * seed + index}" for index, line in enumerate(lines)]
    return "\n".join([f"{first},note", *out]).encode()


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (SHOWN, {"kind": "categorical"}, ColumnChoice(Kind.CATEGORICAL, Role.KNOWN)),
        (SHOWN, {"role": "ignored"}, ColumnChoice(role=Role.IGNORED)),
        (PLAIN, {"role": "text"}, ColumnChoice(role=Role.TEXT)),
        (PLAIN, {"kind": "text"}, ColumnChoice(Kind.TEXT, Role.TEXT)),
        (PLAIN, {"kind": "text", "role": "ignored"}, ColumnChoice(Kind.TEXT, Role.IGNORED)),
    ],
)
def test_the_role_follows_the_kind(before: list[dict[str, Any]], after: dict[str, str], kept: ColumnChoice) -> None:
    assert choices_after_edit(before, [{**before[0], **after}], {}) == {"note": kept}


def test_a_confirmed_text_can_be_made_a_category() -> None:
    confirmed = {"note": ColumnChoice(role=Role.TEXT)}
    changed = choices_after_edit(SHOWN, [{**SHOWN[0], "kind": "categorical"}], confirmed)
    assert changed == {"note": ColumnChoice(Kind.CATEGORICAL, Role.KNOWN)}


@pytest.mark.second
def test_a_guess_is_said_and_confirmed_with_one_press() -> None:
    audit = loaded(real=noted(0), synthetic=noted(1))
    screen = opened(audit)
    assert "The column holds free text." in shown(screen)
    assert "only by attacks on the released file that read texts: note" in shown(screen)
    press(screen, "columns_texts")
    assert refuses_nothing(screen)
    assert audit.choices == {"note": ColumnChoice(role=Role.TEXT)}
    assert "columns_texts" not in keys(screen)
    assert "The column holds free text." not in shown(screen)
    assert list(audit.tables().free_texts) == ["note"]
