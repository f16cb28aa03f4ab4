"""The question on the Data page about columns that a file calls otherwise than the real one."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from riskkit.dashboard.pages.data_recodes import ABSENT
from riskkit.jobs.store import Audit
from tests.pages.screens import csv, drop, healthy, loaded, opened, press, refusals, refuses_nothing, shown

QUESTION = "Which column is which?"
SCORE = ("age", "ward", "job", "points")


def boxes(screen: AppTest, slot: str) -> list:
    return [box for box in screen.selectbox if str(box.key).startswith(f"names_{slot}_")]


def test_names_in_another_form_are_matched_and_said() -> None:
    screen = opened(loaded(real=csv(), synthetic=csv(names=("AGE", "ward ", "Job", "score"))))
    assert QUESTION not in shown(screen)
    assert "rows are exact copies of" in shown(screen)
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
