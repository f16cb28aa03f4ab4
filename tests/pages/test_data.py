"""The Data page in a test browser: files in and out, what is wrong with them, columns, audits."""

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from riskkit.core import Kind, Role
from riskkit.dashboard.frame import state
from riskkit.jobs.store import Audit, ColumnChoice, Store
from riskkit.questions.standard import StewardAnswers, secrets_of
from tests.pages.screens import csv, drop, healthy, loaded, opened, press, refuses_nothing, shown

JAPANESE = "年齢,病棟,職業\n" + "".join(
    f"{20 + index % 60},{'東西南北'[index % 4]}病棟,{'看護師' if index % 3 else '大工'}\n" for index in range(90)
)


def only_audit() -> Audit:
    (audit,) = Store.default().audits()
    return audit


# --------------------------------------------------------------------------------------------------------------
# Files in and out


def test_dropping_two_files_makes_an_audit_and_says_what_they_share() -> None:
    screen = drop(opened(None), "real", csv(120), "patients.csv")
    assert "120 real rows in 4 columns" in shown(screen)
    assert only_audit().name == "Audit of patients.csv"
    drop(screen, "synthetic", csv(100, seed=1))
    assert refuses_nothing(screen)
    assert "120 real and 100 synthetic rows share 4 columns; nothing needs your attention." in shown(screen)
    assert {loader.key for loader in screen.file_uploader} == {"upload_holdout", "codebook"}
    assert only_audit().files["real"]["sha256"][:8] not in shown(screen), "no hash in the flow"


def test_a_reading_that_the_browser_breaks_off_leaves_no_second_audit(monkeypatch: pytest.MonkeyPatch) -> None:
    load, times = Audit.load, []

    def broken_off(audit: Audit, slot: str, *parts: Any, **how: Any) -> None:
        load(audit, slot, *parts, **how)
        times.append(slot)
        if len(times) == 1:
            st.rerun()  # as where the browser sends something meanwhile

    monkeypatch.setattr(Audit, "load", broken_off)
    screen = healthy(drop(opened(None), "real", csv(120), "patients.csv"))
    assert times == ["real", "real"]
    assert only_audit().id == screen.session_state["audit"]
    assert state.BEGUN not in screen.session_state, "or the first file of another audit would go there too"


def test_order_of_the_files_does_not_matter() -> None:
    screen = drop(opened(None), "synthetic", csv(100))
    assert "The real table is still missing" in shown(screen)
    drop(screen, "real", csv(120, seed=1))
    assert "120 real and 100 synthetic rows" in shown(screen)


def test_nothing_of_a_file_stays_in_session_state() -> None:
    screen = drop(drop(opened(None), "real", csv()), "synthetic", csv(seed=1))
    assert screen.file_uploader[0].value is None
    held = {name: screen.session_state[name] for name in screen.session_state}
    assert held["audit"] == only_audit().id
    assert "Quokka" not in repr(held)
    assert not [name for name in held if name in ("upload_real", "upload_synthetic")]


def test_broken_file_gives_its_sentence_and_nothing_else_is_lost() -> None:
    screen = drop(opened(None), "real", csv())
    drop(screen, "synthetic", csv()[:900] + b'\n1,"W,baker,2\n', "release.csv")
    assert len(screen.error) == 1
    assert re.match(r"release.csv, line \d+: ", refusal(screen))
    assert set(only_audit().files) == {"real"}
    assert "120 real rows" in shown(screen)
    drop(screen, "synthetic", csv(seed=1))
    assert not screen.error
    assert "120 real and 120 synthetic rows" in shown(screen)


def refusal(screen: AppTest) -> str:
    return str(screen.error[0].value).replace("\\", "").replace("\u2060", "")


def test_broken_first_file_leaves_no_audit_behind() -> None:
    screen = drop(opened(None), "real", b"PK\x03\x04 [Content_Types].xml", "patients.csv")
    assert "The Excel workbook is damaged or cut off. Save it again in Excel." in refusal(screen)
    assert Store.default().audits() == []
    assert "Nothing is loaded yet" in shown(screen)


def test_refused_file_can_be_read_another_way_without_dropping_it_again() -> None:
    source = csv() + "40,W,Bäcker,0.1\n".encode() * 40 + "41,W,B\xe4cker,0.1\n".encode("latin-1")
    screen = drop(opened(None), "real", source)
    assert len(screen.error) == 1
    screen.selectbox(key="how_real_encoding").set_value("cp1252").run()
    assert not screen.error
    assert only_audit().files["real"]["encoding"] == "cp1252"


def test_removed_file_is_gone_from_page_and_disk() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    screen = press(opened(audit), "drop_synthetic")
    assert "The synthetic table is still missing" in shown(screen)
    assert not list(audit.path.glob("synthetic.*"))
    assert "upload_synthetic" in {loader.key for loader in screen.file_uploader}


def test_files_that_do_not_fit_say_so_and_can_be_mended() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1, names=("age", "ward", "work", "score")))
    screen = opened(audit)
    assert "synthetic.csv, column 'job'" in refusal(screen)
    press(screen, "drop_synthetic")
    drop(screen, "synthetic", csv(seed=1))
    assert "share 4 columns" in shown(screen)


def test_problems_are_counted_and_listed_with_what_to_do() -> None:
    source = csv()
    screen = opened(loaded(real=source, synthetic=source))
    text = shown(screen)
    assert re.search(r"share 4 columns; [1-9]\d* things need your attention", text)
    assert "The real and the synthetic file are identical (same SHA-256)." in text
    assert "Load the right file if one of them was chosen by mistake." in text


def test_repairs_are_listed_and_need_no_eye() -> None:
    first, *rest = csv().decode().splitlines()
    source = "\n".join([f"{first},site", *(f"{line},here" for line in rest)]).encode()
    text = shown(opened(loaded(real=source)))
    assert "120 real rows in 5 columns; nothing needs your attention." in text
    assert "Changed while reading" in text
    assert "Not drawn and not used by attacks: site (constant)." in text


def test_first_line_can_be_said_to_hold_a_record() -> None:
    audit = loaded(real=csv())
    screen = opened(audit)
    before = audit.revision
    (box,) = [box for box in screen.selectbox if str(box.key).endswith("real_header")]
    box.set_value(False).run()
    press(screen, "again_real")
    assert "121 real rows in 4 columns" in shown(screen)
    assert audit.revision != before


def test_revision_tells_two_readings_of_the_same_bytes_apart() -> None:
    audit = loaded(real=csv())
    revisions = set()
    for header in (None, False, True):
        audit.load("real", csv(), name="real.csv", header=header)
        revisions.add(audit.revision)
    assert len(revisions) == 3


def test_fingerprints_stand_in_full_to_be_copied() -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    assert [block.value for block in opened(audit).code] == [audit.files[slot]["sha256"] for slot in audit.files]


# --------------------------------------------------------------------------------------------------------------
# Encodings


def preview(screen: AppTest) -> pd.DataFrame:
    return screen.dataframe[0].value


def test_guessed_encoding_is_asked_with_the_words_and_settled_by_the_user() -> None:
    screen = drop(opened(None), "real", JAPANESE.encode("cp932"), "患者.csv")
    assert "Are the words of 患者.csv right?" in shown(screen)
    assert list(preview(screen).columns) == ["年齢", "病棟", "職業"]
    (box,) = [box for box in screen.selectbox if str(box.key).startswith("ask_") and str(box.key).endswith("encoding")]
    assert box.value == "cp932"
    box.set_value("iso8859-1").run()
    press(screen, "ask_real")
    assert preview(screen).columns[0] != "年齢"
    assert "Are the words of 患者.csv right?" in shown(screen), "a wrong choice must not end the question"
    box.set_value("cp932").run()
    press(screen, "ask_real")
    assert list(preview(screen).columns) == ["年齢", "病棟", "職業"]
    press(screen, "right_real")
    assert "Are the words" not in shown(screen)
    facts = only_audit().files["real"]
    assert (facts["encoding"], facts["encoding_from"]) == ("cp932", "chosen")


def test_guess_that_is_right_is_settled_with_one_button() -> None:
    screen = drop(opened(None), "real", JAPANESE.encode("cp932"))
    press(screen, "right_real")
    assert "Are the words" not in shown(screen)
    assert only_audit().files["real"]["encoding_from"] == "chosen"


def test_encoding_that_cannot_be_gives_its_sentence_and_changes_nothing() -> None:
    audit = loaded(real=JAPANESE.encode("cp932"))
    screen = opened(audit)
    (box,) = [box for box in screen.selectbox if str(box.key).startswith("ask_") and str(box.key).endswith("encoding")]
    box.set_value("utf-8").run()
    press(screen, "ask_real")
    assert "The text is not utf-8. Choose another encoding." in refusal(screen)
    assert audit.files["real"]["encoding"] == "cp932"


def windows(encoding: str) -> bytes:
    towns = ("Győr", "Pécs", "Szőlős", "Eger")
    return ("age,town\n" + "".join(f"{20 + row % 60},{towns[row % 4]}\n" for row in range(90))).encode(encoding)


@pytest.mark.parametrize("first", ["real", "synthetic"])
def test_a_guess_is_made_over_all_files_whatever_their_order(first: str) -> None:
    files = {"real": windows("utf-8"), "synthetic": windows("cp1250")}
    screen = opened(None)
    for slot in (first, *(slot for slot in files if slot != first)):
        screen = drop(screen, slot, files[slot])
    facts = only_audit().files["synthetic"]
    assert (facts["encoding"], facts["encoding_from"]) == ("cp1250", "guess")
    assert "It was guessed as **Central European, Windows (cp1250)**" in shown(screen)
    assert "90 of 90 rows copy 90 real rows exactly." in shown(screen)


def test_a_chosen_encoding_is_never_guessed_again() -> None:
    audit = loaded(synthetic=windows("cp1250"))
    audit.load("synthetic", windows("cp1250"), name="syn.csv", encoding="cp1252")
    audit.load("real", windows("utf-8"), name="real.csv")
    assert audit.files["synthetic"]["encoding"] == "cp1252"
    screen = opened(audit)
    assert "their letters lost, or read in another encoding" in refusal(screen)
    boxes = [box for box in screen.selectbox if box.label == "Encoding"]
    assert len(boxes) == 2, "each of the two files can be read in another encoding where they do not fit"
    boxes[1].set_value("cp1250").run()
    press(screen, "again_synthetic")
    assert "90 of 90 rows copy 90 real rows exactly." in shown(screen)


# --------------------------------------------------------------------------------------------------------------
# Text that came with the files


HOSTILE = ("![x](http://127.0.0.1:9/x.png)", "<img src=x onerror=alert(1)>", ":material/home: $x$", "`a` **b** [c](d)")


def test_hostile_column_names_are_text_everywhere() -> None:
    files = {"real": csv(names=HOSTILE), "synthetic": csv(seed=1, names=HOSTILE, words="EWSXY")}
    audit = Store.default().create("**bold** :red[audit]")
    for slot, source in files.items():
        audit.load(slot, source, name=f"[{slot}](http://127.0.0.1:9/).csv")
    screen = opened(audit)
    assert refuses_nothing(screen)
    for name in HOSTILE:
        assert " ".join(name.split()) in shown(screen)
    markdown = [str(e.value) for kind in ("markdown", "caption", "error") for e in getattr(screen, kind)]
    for text in markdown:
        assert not re.search(r"(?<!\\)!\[|(?<!\\)\]\(|(?<!\\)<\w|http:/|:material/home|(?<!\\)\$", text)


# --------------------------------------------------------------------------------------------------------------
# Kinds and roles


@pytest.fixture
def edit(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change cells of the table of columns as a user would; the test browser cannot reach into it."""
    real = st.data_editor
    cells: dict[tuple[str, str], Any] = {}

    def edited(frame: pd.DataFrame, **settings: Any) -> pd.DataFrame:
        shown = real(frame, **settings).copy()
        for (column, what), value in cells.items():
            shown.at[shown.index[shown["column"] == column][0], what] = value
        return shown

    monkeypatch.setattr(st, "data_editor", edited)
    return lambda column, **changed: cells.update({(column, what): value for what, value in changed.items()})


def test_decisions_about_columns_are_kept_and_used(edit: Callable[..., None]) -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    screen = opened(audit)
    edit("age", kind="categorical")
    edit("job", role="secret", missing=["baker"])
    press(screen, "columns_save")
    assert refuses_nothing(screen)
    assert audit.choices == {
        "age": ColumnChoice(kind=Kind.CATEGORICAL),
        "job": ColumnChoice(role=Role.SECRET, missing_tokens=("baker",)),
    }
    schema = audit.tables().schema
    assert schema.column("age").kind is Kind.CATEGORICAL
    assert schema.column("job").role is Role.SECRET
    assert "baker" not in schema.column("job").levels


@pytest.fixture
def roles(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The roles of the columns, as the table shows them."""
    real = st.data_editor
    shown: dict[str, str] = {}

    def drawn(frame: pd.DataFrame, **settings: Any) -> pd.DataFrame:
        shown.update(zip(frame["column"], frame["role"], strict=True))
        return real(frame, **settings)

    monkeypatch.setattr(st, "data_editor", drawn)
    return shown


NAMED = ("age", "diagnosis", "income", "score")
"""Columns of which two have names that say that they are sensitive."""
GUESS = "Taken for secret, by their names: "


def test_secrets_are_shown_as_every_page_takes_them(roles: dict[str, str]) -> None:
    audit = loaded(real=csv(names=NAMED), synthetic=csv(seed=1, names=NAMED))
    assert GUESS in shown(opened(audit))
    assert roles == {"age": "known", "diagnosis": "secret", "income": "secret", "score": "known"}
    audit.answer(StewardAnswers(secrets=("age",)))
    assert GUESS not in shown(opened(audit))
    assert [name for name, role in roles.items() if role == "secret"] == ["age"]
    keys = AppTest.from_function(combinations, default_timeout=60)
    keys.query_params["audit"] = audit.id
    assert keys.run().multiselect(key=f"keys.{audit.id}.setting.secrets").value == ["age"]


def combinations() -> None:
    """The page of key combinations."""
    from riskkit.dashboard.pages import question_page

    question_page.page("keys")


def test_a_guessed_secret_that_is_none_leaves_the_others(edit: Callable[..., None]) -> None:
    audit = loaded(real=csv(names=NAMED), synthetic=csv(seed=1, names=NAMED))
    audit.answer(StewardAnswers(secrets=("diagnosis", "income")))
    screen = opened(audit)
    edit("income", role="known")
    press(screen, "columns_save")
    assert audit.choices == {"income": ColumnChoice(role=Role.KNOWN), "diagnosis": ColumnChoice(role=Role.SECRET)}
    assert secrets_of(audit.answers, audit.tables().schema) == ("diagnosis",)


def test_later_decision_keeps_the_earlier_ones(edit: Callable[..., None]) -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    audit.choose({"job": ColumnChoice(role=Role.SECRET)})
    edit("age", role="ignored")
    press(opened(audit), "columns_save")
    assert audit.choices == {"job": ColumnChoice(role=Role.SECRET), "age": ColumnChoice(role=Role.IGNORED)}


def test_decision_that_cannot_hold_gives_its_sentence_and_is_not_kept(edit: Callable[..., None]) -> None:
    audit = loaded(real=csv(), synthetic=csv(seed=1))
    screen = opened(audit)
    edit("ward", kind="numeric")
    press(screen, "columns_save")
    assert "column 'ward'" in refusal(screen)
    assert "Nothing was saved" in shown(screen)
    assert audit.choices == {}
    assert "share 4 columns" in shown(screen)


def test_nothing_changed_is_said() -> None:
    screen = press(opened(loaded(real=csv(), synthetic=csv(seed=1))), "columns_save")
    assert "Nothing was changed." in shown(screen)


def test_decisions_that_a_new_file_does_not_bear_can_be_forgotten() -> None:
    audit = loaded(real=csv(names=("age", "ward", "job", "score")))
    audit.choose({"ward": ColumnChoice(kind=Kind.NUMERIC)})
    screen = opened(audit)
    assert "column 'ward'" in refusal(screen)
    press(screen, "columns_forget")
    assert audit.choices == {}
    assert not screen.error


# --------------------------------------------------------------------------------------------------------------
# Every control


def test_every_control_has_a_label_and_a_help_text() -> None:
    screen = opened(loaded(real=JAPANESE.encode("cp932")))
    controls = [*screen.button, *screen.selectbox, *screen.text_input, *screen.file_uploader]
    assert len(controls) > 10
    assert [control.key for control in controls if not control.label or not control.help] == []
