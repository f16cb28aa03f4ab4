"""A kept round of guesses read back, and its sentences word by word, from a result made by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riskkit.report import attributes_findings as told
from riskkit.report import attributes_words as words
from riskkit.stats.verdict import Verdict

ABOUT = {"secret": "income", "known": "age, sex", "model": "forest"}
GAIN = (
    "Knowing age, sex, the release raises the chance of guessing *income* from 0.750 to 0.810 (difference 0.06 [0, 1])"
)
CEILING = "a model trained on the real data reaches 0.820"


def estimate(name: str, value: float, **labels: str) -> dict[str, Any]:
    ends = {"value": value, "low": value - 0.05, "high": value + 0.05}
    return {"name": name, **ends, "level": 0.95, "method": "by hand", "n": 200, **ABOUT, **labels}


def result(word: str = "undecided", **more: Any) -> dict[str, Any]:
    """One secret, its members easier to guess."""
    sides = f"people who were in are easier to guess than people who were not (difference {'0.1 [0.0, 0.2]'})"
    return {
        "estimates": [
            estimate("accuracy", 0.7, trained_on="baseline_majority", tested_on="members", metric="accuracy"),
            estimate("accuracy", 0.75, trained_on="baseline_majority", tested_on="control", metric="accuracy"),
            estimate("accuracy", 0.9, trained_on="release", tested_on="members", metric="accuracy"),
            estimate("delta", 0.2, trained_on="release", tested_on="members", metric="accuracy"),
            estimate("delta", 0.06, trained_on="release", tested_on="control", metric="accuracy"),
            estimate("delta", 0.01, trained_on="release", tested_on="control", metric="balanced_accuracy"),
            estimate("delta", 0.02, trained_on="real", tested_on="control", metric="accuracy"),
            estimate("residual", 0.0, trained_on="real", metric="accuracy"),
            estimate("residual", 0.4, trained_on="release", metric="accuracy"),
            estimate("exposed", 30.0, trained_on="release"),
            estimate("exposed_by_chance", 20.0, trained_on="release"),
        ],
        "verdicts": [
            {
                **ABOUT,
                "word": word,
                "why": "Because.",
                "limit": 0.05,
                "looks": 3,
                "share": "accuracy",
                "planted": {"value": 0.5, "low": 0.4, "high": 0.6, "level": 0.95},
            }
        ],
        "sentences": [f"{GAIN}; {CEILING}; {sides}. What leaks is about them."],
        "sweep": [],
        "groups": [],
        "notes": ["A note."],
        "settings": {},
        "records": [
            {**ABOUT, "row": [3, 17, 99], "confidence": [1.0, 0.95, 0.9], "exposed": [False, True, True]},
            {**ABOUT, "secret": "sex", "row": [5], "confidence": [1.0], "exposed": [True]},
        ],
        **more,
    }


def one(word: str = "undecided", **more: Any) -> told.Answer:
    (answer,) = told.read(result(word, **more)).answers
    return answer


def test_each_comparison_is_that_of_the_release_on_the_control() -> None:
    answer = one()
    found = {name: answer.contrast(name) for name in ("delta", "residual", "leakage_ratio")}
    assert found["delta"] is not None
    assert found["residual"] is not None
    assert (found["delta"].value, found["residual"].value) == (0.06, 0.4)
    assert found["leakage_ratio"] is None


def test_the_baseline_is_that_of_the_control_and_of_the_members_where_there_is_none() -> None:
    found = one().bar("baseline", "accuracy")
    assert found is not None
    assert found.value == 0.75
    without = [given for given in result()["estimates"] if given.get("tested_on") != "control"]
    alone = one(estimates=without).bar("baseline", "accuracy")
    assert alone is not None
    assert alone.value == 0.7


def test_estimates_of_another_known_set_are_not_mixed_in() -> None:
    """Planted: the same secret from other columns stands first in the list."""
    other = {**estimate("residual", -0.9, trained_on="release", metric="accuracy"), "known": "age"}
    found = one(estimates=[other, *result()["estimates"]]).contrast("residual")
    assert found is not None
    assert found.value == 0.4


def test_a_leak_is_read_first_where_there_is_one() -> None:
    first, rest = told.headline(one("leak shown"))
    assert first == (
        "“income”: people who were in are easier to guess than people who were not (difference 0.1 [0.0, 0.2])."
    )
    assert rest.startswith("Knowing age, sex, the release raises the chance of guessing “income” from")
    assert rest.endswith(f"{CEILING}. What leaks is about them.")


def test_without_a_leak_what_the_release_adds_is_read_first() -> None:
    first, rest = told.headline(one())
    assert first == f"{GAIN.replace('*income*', '“income”')}."
    assert rest.startswith("A model trained on the real data reaches 0.820; people who were in")
    assert rest.endswith(" What leaks is about them.")


def test_a_sentence_of_one_clause_stays_whole() -> None:
    assert told.headline(one(sentences=["*income* from age, sex: No number."])) == (
        "“income” from age, sex: No number.",
        "",
    )


def test_the_verdict_says_what_it_rests_on() -> None:
    assert told.stands_on(one("leak shown")) == (
        "Because. A leak planted to see whether it would be found has a residual of 0.50 [0.40, 0.60]. The verdict "
        "allows for having looked at 3 secrets and known sets."
    )
    assert one("leak shown").is_leak


def test_each_verdict_has_its_sign_and_absence_its_limit() -> None:
    assert one("no leak above the limit shown").verdict is Verdict.NO_LEAK
    words_of = [told.verdict(one(str(word))) for word in Verdict]
    assert words_of == ["▲ Leak shown", "● No leak above a residual of 0.05 shown", "◌ Undecided"]


def test_a_missing_ratio_is_explained_by_its_denominator() -> None:
    assert "not clearly better than the baseline (difference 0.02 [-0.03, 0.07])" in told.no_ratio(one())
    ratio = estimate("leakage_ratio", 1.0, trained_on="release", tested_on="control", metric="accuracy")
    assert told.no_ratio(one(estimates=[*result()["estimates"], ratio])) == ""


def test_exposed_people_are_rows_of_this_answer_beside_what_luck_would_name() -> None:
    answer = one()
    assert [(person.row, person.confidence) for person in answer.exposed] == [(17, 0.95), (99, 0.9)]
    assert told.exposed_title(answer) == "People exposed: 30; among as many who were not in: 20"
    assert "Luck hits too" in told.exposure(answer)


def test_what_is_passed_on_has_no_record() -> None:
    """Planted: the result has them."""
    assert '"row"' in json.dumps(result())
    assert '"row"' not in json.dumps(told.shareable(result()))


def test_a_result_without_records_is_read_too() -> None:
    assert told.read(told.shareable(result())).answers[0].exposed == ()


def test_a_group_without_a_name_is_the_missing_ones() -> None:
    each = [estimate("delta", 0.1, group="")]
    group = {**ABOUT, "by": "sex", "measure": "delta", "each": each, "worst": None, "refused": 2}
    (found,) = one(groups=[group]).groups
    assert found.each[0].labels["group"] == "(missing)"
    assert found.refused == 2


def test_fields_of_a_sweep_keep_what_was_corrected_and_what_was_refused() -> None:
    field = {**ABOUT, "set": "all other columns", "columns": ["age", "sex"], "refusal": "", "shown": False}
    shown = {**field, "delta": estimate("delta", 0.2), "residual": estimate("residual", 0.2)}
    refused = {**field, "delta": None, "residual": None, "refusal": "Too few."}
    first, second = told.read(result(sweep=[shown, refused])).sweep
    assert (first.known, first.columns) == ("all other columns", "age, sex")
    assert first.marked("delta")
    assert not first.marked("residual"), "its own interval lies above 0, but not when all were looked at"
    assert (second.marked("delta"), second.refusal) == (False, "Too few.")


@pytest.mark.parametrize(("looks", "least"), [(1, 0.11), (24, 0.15)])
def test_more_looks_need_a_larger_residual(looks: int, least: float) -> None:
    """By hand: (z + 0.84) sqrt(0.25 (1/2000 + 1/1000)) / 0.5, where z is 1.96 for one look and 3.08 for 24."""
    assert f"a residual of {least:.2f} or more" in words.could_show(2000, 1000, looks, 0.95)


def test_before_a_run_it_is_said_when_nothing_can_be_shown() -> None:
    assert "nobody who was not" in words.could_show(2000, 0, 1, 0.95)
    assert "no residual can be shown" in words.shows(10, 10, 1, 1.0)
    assert words.asks(12, 2) == "12 columns × 2 known sets: 24 questions in all"
