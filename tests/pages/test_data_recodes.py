"""The question on the Data page about columns whose real and released values hardly meet."""

from typing import Any

import pandas as pd
import pytest
import streamlit as st

from riskkit.core import Kind, Role
from riskkit.jobs.store import Audit, ColumnChoice
from tests.pages.screens import csv, keys, loaded, opened, press, refuses_nothing, shown

pytestmark = pytest.mark.second

CODES = {b"baker": b"1", b"clerk": b"2", b"Quokka": b"3"}
QUESTION = "Do these values mean the same?"


def coded(seed: int) -> bytes:
    """The made table with its jobs as numbers."""
    out = csv(seed=seed)
    for word, code in CODES.items():
        out = out.replace(word, code)
    return out


@pytest.fixture
def audit() -> Audit:
    """Two files of the same people, which write their jobs in two ways."""
    return loaded(real=csv(), synthetic=coded(0))


def test_files_that_meet_are_asked_nothing() -> None:
    assert QUESTION not in shown(opened(loaded(real=csv(), synthetic=csv(seed=1))))


def test_the_likely_meaning_is_confirmed_with_one_press(audit: Audit) -> None:
    screen = opened(audit)
    assert QUESTION in shown(screen)
    assert "**job**: 0% of the released values occur in the real file." in shown(screen)
    press(screen, "meeting_same_job")
    assert refuses_nothing(screen)
    assert dict(audit.choices["job"].read_as) == {code.decode(): word.decode() for word, code in CODES.items()}
    tables = audit.tables()
    assert tables.apart == ()
    assert tables.synthetic is not None
    assert (tables.real.keys() == tables.synthetic.keys()).all(), "every copy is seen now"
    assert QUESTION not in shown(screen)
    assert "120 released values were read as the real values that you said they mean." in shown(screen)


def test_a_corrected_meaning_is_kept_beside_other_decisions(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    audit.choose({"job": ColumnChoice(role=Role.SECRET)})
    real = st.data_editor

    def edited(frame: pd.DataFrame, **settings: Any) -> pd.DataFrame:
        rows = real(frame, **settings).copy()
        if "released" in rows:
            rows["real"] = ["baker", "baker", None]
        return rows

    monkeypatch.setattr(st, "data_editor", edited)
    press(opened(audit), "meeting_same_job")
    assert audit.choices == {"job": ColumnChoice(role=Role.SECRET, read_as=(("1", "baker"), ("2", "baker")))}


def test_values_that_really_differ_are_asked_about_no_more(audit: Audit) -> None:
    screen = press(opened(audit), "meeting_differ_job")
    assert audit.choices == {"job": ColumnChoice(differs=True)}
    assert QUESTION not in shown(screen)
    assert "the steward says that they differ in truth" in shown(screen)
    assert audit.tables().apart == ()


def test_numbers_in_another_unit_are_read_in_it_with_one_press() -> None:
    """Heights in centimetres, and the same in inches: the unit is proposed."""
    heights = [150 + 7 * index % 50 for index in range(120)]
    real = b"age,height\n" + b"".join(b"%d,%d\n" % (18 + row % 60, cm) for row, cm in enumerate(heights))
    inches = b"age,height\n" + b"".join(b"%d,%.2f\n" % (18 + row % 60, cm / 2.54) for row, cm in enumerate(heights))
    audit = loaded(real=real, synthetic=inches)
    screen = opened(audit)
    wanted = {"unit", "differ"}
    assert {f"meeting_{what}_height" for what in wanted} == {key for key in keys(screen) if key.startswith("meeting_")}
    press(screen, "meeting_unit_height")
    assert refuses_nothing(screen)
    assert audit.choices == {"height": ColumnChoice(scale=2.54)}
    tables = audit.tables()
    assert tables.apart == ()
    assert tables.synthetic is not None
    assert (tables.real.keys() == tables.synthetic.keys()).all(), "every copy is seen now"
    assert QUESTION not in shown(screen)


@pytest.mark.parametrize(
    ("answer", "choice"),
    [("It means missing", ColumnChoice(missing_tokens=("-99",))), ("It is a number", ColumnChoice(kind=Kind.NUMERIC))],
)
def test_a_number_that_may_mean_missing_is_answered_with_one_press(answer: str, choice: ColumnChoice) -> None:
    def rows(missing: bytes) -> bytes:
        amounts = [missing if row % 6 == 0 else b"%d" % (200 + 37 * row * row % 9001) for row in range(120)]
        return b"age,amount\n" + b"".join(b"%d,%s\n" % (18 + row % 60, own) for row, own in enumerate(amounts))

    audit = loaded(real=rows(b"-99"), synthetic=rows(b""))
    screen = opened(audit)
    assert "may mean missing" in shown(screen)
    press(screen, f"doubt_{answer}_amount_0")
    assert audit.choices == {"amount": choice}
    assert "How are these columns to be read?" not in shown(screen)


def test_an_answer_outlives_the_store(audit: Audit) -> None:
    """What is kept and read again is what was decided."""
    choices = {
        "job": ColumnChoice(read_as=(("1", "baker"),), missing_tokens=("?",)),
        "ward": ColumnChoice(differs=True),
    }
    before = audit.revision
    audit.choose(choices)
    assert audit.choices == choices
    assert audit.revision != before
