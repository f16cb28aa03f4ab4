"""A kept round of guesses read back, and its sentences word by word, from a result made by hand."""

from __future__ import annotations

import json
from typing import Any

import pytest

from riskkit.plain import plain
from riskkit.questions.attributes import findings, words
from riskkit.questions.attributes.outcome import Sides
from riskkit.questions.attributes.result import AttributesResult
from tests.speaking import speak

ABOUT = {"secret": "income", "known": "age, sex", "model": "forest"}
GAIN = (
    "the release raises the chance of guessing “income” from 75.0 %, the most frequent level of the "
    "people tested, to 81.0 % (gain Δ 6.0 % [1.0 %, 11.0 %])"
)
CEILING = "a model trained on the real data reaches 82.0 %"
SIDES = (
    "Knowing age, sex, the release makes “income” easier to guess of people in the data than of others (residual 0.40 "
    "[0.30, 0.50])"
)
LEAK = "What leaks is about the very people in the data."


def estimate(name: str, value: float, half: float = 0.05, **labels: str) -> dict[str, Any]:
    ends = {"value": value, "low": value - half, "high": value + half}
    return {"name": name, **ends, "level": 0.95, "method": "by hand", "n": 200, **ABOUT, **labels}


def compared(residual: float, **more: Any) -> dict[str, Any]:
    """Members beside the control, at the level that allows for three looks."""
    sides = {name: estimate("residual", value, 0.1) for name, value in (("residual", residual), ("planted", 0.5))}
    about = {"columns": ["age", "sex"], "kind": "category", "share": "accuracy", "right": ""}
    return {**ABOUT, **sides, "without": None, **about, **more}


def settings(looks: int, baseline: str = "tested") -> dict[str, Any]:
    """What was asked, and how many were counted."""
    left_out = dict.fromkeys(("spared", "shared", "shared_holdout", "dropped_to_even"), 0)
    people = {"n_members": 120, "n_control": 80, "n_release": 200, "planted": None}
    return {**people, **left_out, "looks": looks, "baseline": baseline}


def guesses(row: list[int], confidence: list[float], exposed: list[bool]) -> dict[str, Any]:
    """What is known of single members."""
    guessed = dict.fromkeys(("right", "baseline_right", "never_in_right"), exposed)
    return {**ABOUT, "row": row, "confidence": confidence, "exposed": exposed, **guessed}


def result(residual: float = 0.4, **more: Any) -> dict[str, Any]:
    """One secret, its members easier to guess by that residual."""
    control, members = {"tested_on": "control", "metric": "accuracy"}, {"tested_on": "members", "metric": "accuracy"}
    return {
        "estimates": [
            estimate("accuracy", 0.7, trained_on="baseline_tested", **members),
            estimate("accuracy", 0.75, trained_on="baseline_tested", **control),
            estimate("accuracy", 0.9, trained_on="release", **members),
            estimate("accuracy", 0.81, trained_on="release", **control),
            estimate("accuracy", 0.82, trained_on="real", **control),
            estimate("difference", 0.09, trained_on="release", metric="accuracy"),
            estimate("delta", 0.2, trained_on="release", **members),
            estimate("delta", 0.06, trained_on="release", **control),
            estimate("delta", 0.01, trained_on="release", tested_on="control", metric="balanced_accuracy"),
            estimate("delta", 0.02, trained_on="real", **control),
            estimate("residual", 0.0, trained_on="real", metric="accuracy"),
            estimate("residual", residual, trained_on="release", metric="accuracy"),
            estimate("exposed", 30.0, trained_on="release"),
            estimate("exposed_by_chance", 20.0, trained_on="release"),
            estimate("exposed_beyond_chance", 10.0, half=3.0, trained_on="release"),
        ],
        "compared": [compared(residual)],
        "sweep": [],
        "groups": [],
        "notes": ["A note."],
        "settings": settings(3),
        "refused": [],
        "randomised": [],
        "records": [
            guesses([3, 17, 99], [1.0, 0.95, 0.9], [False, True, True]),
            {**guesses([5], [1.0], [True]), "secret": "sex"},
        ],
        **more,
    }


def secret_answer(residual: float = 0.4, **more: Any) -> findings.SecretAnswer:
    (answer,) = findings.summarise(AttributesResult.from_plain(result(residual, **more)))
    return answer


def test_each_comparison_is_that_of_the_release_on_the_control() -> None:
    answer = secret_answer()
    contrasts = {name: answer.contrast(name) for name in ("delta", "residual", "leakage_ratio")}
    assert contrasts["delta"] is not None
    assert contrasts["residual"] is not None
    assert (contrasts["delta"].value, contrasts["residual"].value) == (0.06, 0.4)
    assert contrasts["leakage_ratio"] is None


def test_the_baseline_is_that_of_the_control_and_of_the_members_where_there_is_none() -> None:
    bar = secret_answer().bar("baseline", "accuracy")
    assert bar is not None
    assert bar.value == 0.75
    without = [estimate for estimate in result()["estimates"] if estimate.get("tested_on") != "control"]
    alone = secret_answer(estimates=without).bar("baseline", "accuracy")
    assert alone is not None
    assert alone.value == 0.7


def test_estimates_of_another_known_set_are_not_mixed_in() -> None:
    """Planted: the same secret from other columns stands first in the list."""
    other = {**estimate("residual", -0.9, trained_on="release", metric="accuracy"), "known": "age"}
    residual = secret_answer(estimates=[other, *result()["estimates"]]).contrast("residual")
    assert residual is not None
    assert residual.value == 0.4


def test_the_sentence_is_made_of_the_numbers_where_it_is_read() -> None:
    assert findings.sentence(secret_answer()) == f"{SIDES}; {GAIN}; {CEILING}. {LEAK}"
    renamed = findings.sentence(secret_answer(), secret="column 3", known="2 columns")  # noqa: S106  a column
    assert renamed.startswith("Knowing 2 columns, the release makes “column 3” easier to guess of people in")
    assert "income" not in renamed


def test_a_leak_is_read_first_where_there_is_one() -> None:
    assert secret_answer().is_shown
    first, rest = findings.headline(secret_answer())
    assert first == f"{SIDES}."
    assert rest == f"{GAIN[0].upper()}{GAIN[1:]}; {CEILING}. {LEAK}"


def test_without_a_leak_the_reason_of_the_verdict_is_read_first_too() -> None:
    quiet = secret_answer(0.0)
    assert not quiet.is_shown
    first, rest = findings.headline(quiet)
    assert first.startswith("Knowing age, sex, the release is not shown to make “income” easier to guess of people in")
    assert rest.startswith("The release raises the chance of guessing “income”")
    assert rest.endswith("what leaks is a fact about the population, not about these people.")


def test_the_line_of_the_page_audit_says_first_what_the_verdict_stands_on() -> None:
    """Planted: the release helps nobody to guess, and yet people in it are easier to guess."""
    flat = [{**each, "low": -0.1} if each["name"] == "delta" else each for each in result()["estimates"]]
    shown = findings.plain(secret_answer(estimates=flat), secret="income", known="age, sex")  # noqa: S106  a column
    assert shown == "Knowing age, sex, an attacker guesses “income” right more often for members than for others."
    quiet = findings.plain(secret_answer(0.0), secret="income", known="age, sex")  # noqa: S106  a column
    assert quiet == "No leak found about “income”."


def test_a_leak_that_people_who_differ_explain_is_none_of_the_release() -> None:
    """Planted: a model of the real data that never saw them is as right about them."""
    anyway = secret_answer(compared=[compared(0.4, without=estimate("residual", 0.35, 0.1))])
    assert not anyway.is_shown
    assert "not because of the release" in findings.sentence(anyway)


def test_a_sentence_of_one_clause_stays_whole() -> None:
    bare = secret_answer(estimates=[])
    assert findings.headline(bare) == (
        "Knowing age, sex, what the release adds for income could not be measured.",
        "",
    )


def test_the_verdict_says_what_it_rests_on() -> None:
    assert findings.stands_on(secret_answer()) == (
        "A leak planted as a control has a residual of 0.50 [0.40, 0.60]. The verdict is corrected for testing 3 "
        "secrets and known sets."
    )
    assert findings.stands_on(secret_answer(compared=[compared(0.4, planted=None)], settings=settings(1))) == ""


def test_what_the_judge_takes_is_kept_as_it_was() -> None:
    """At the level of all looks, whatever the narrower estimate beside it says."""
    sides = secret_answer().compared
    assert sides.residual is not None
    assert [sides.residual.low, sides.residual.high] == pytest.approx([0.3, 0.5])
    assert (sides.without, sides.planted and sides.planted.value) == (None, 0.5)
    kept = plain(Sides(sides.residual, None, None))
    assert kept == {"residual": sides.residual.as_dict(), "without": None, "planted": None}


def test_exposed_people_are_rows_of_this_answer_beside_what_luck_would_name() -> None:
    answer = secret_answer()
    assert [(person.row, person.confidence) for person in answer.exposed] == [(17, 0.95), (99, 0.9)]
    assert findings.title(answer) == "People exposed beyond chance: 10 [7, 13]"
    assert "At least 7 people are. The rule cannot tell which" in findings.rule(answer)
    assert "3 were made" in findings.rule(answer), "the interval is for one look"


def test_nobody_is_shown_to_be_exposed_where_luck_names_as_many() -> None:
    counts = [estimate("exposed_beyond_chance", -1.0, half=3.0, trained_on="release")]
    counts += [each for each in result()["estimates"] if each["name"] in ("exposed", "exposed_by_chance")]
    assert "Nobody is shown to be" in findings.rule(secret_answer(estimates=counts))
    assert findings.title(secret_answer(estimates=counts[1:])) == "", "no number, no title"


def test_what_is_passed_on_has_no_record() -> None:
    """Planted: the result has them."""
    assert '"row"' in json.dumps(result())
    assert '"row"' not in json.dumps(AttributesResult.from_plain(result()).as_dict())


def test_a_result_without_records_is_read_too() -> None:
    without = AttributesResult.from_plain(AttributesResult.from_plain(result()).as_dict())
    assert findings.summarise(without)[0].exposed == ()


def test_a_group_without_a_name_is_the_missing_ones() -> None:
    each = [estimate("delta", 0.1, group="")]
    group = {**ABOUT, "by": "sex", "measure": "delta", "each": each, "worst": None, "refused": 2}
    (groups,) = secret_answer(groups=[group]).groups
    assert groups.each[0].labels["group"] == "(missing)"
    assert groups.refused == 2


def test_fields_of_a_sweep_keep_what_was_corrected_and_what_was_refused() -> None:
    field = {**ABOUT, "set": "all other columns", "columns": ["age", "sex"], "refusal": "", "shown": False}
    field |= {"kind": "category", "corrected": None}
    shown = {**field, "delta": estimate("delta", 0.2), "residual": estimate("residual", 0.2)}
    refused = {**field, "delta": None, "residual": None, "refusal": "Too few."}
    first, second = AttributesResult.from_plain(result(sweep=[shown, refused])).sweep
    assert (first.known_set, first.columns) == ("all other columns", ("age", "sex"))
    assert first.is_marked("delta")
    assert not first.is_marked("residual"), "its own interval lies above 0, but not when all were looked at"
    assert (second.is_marked("delta"), second.refusal) == (False, "Too few.")


@pytest.mark.parametrize(("looks", "least"), [(1, 0.11), (24, 0.15)])
def test_more_looks_need_a_larger_residual(looks: int, least: float) -> None:
    """By hand: (z + 0.84) sqrt(0.25 (1/2000 + 1/1000)) / 0.5, where z is 1.96 for one look and 3.08 for 24."""
    assert f"a residual of {least:.2f} or more" in words.could_show(2000, 1000, looks, 0.95)


def test_before_a_run_it_is_said_when_nothing_can_be_shown() -> None:
    assert "none of others" in words.could_show(2000, 0, 1, 0.95)
    assert "no residual can be shown" in words.shows(10, 10, 1, 1.0)
    assert words.asks(12, 2) == "12 columns × 2 known sets: 24 questions in all"


def test_where_clauses_are_sentences_the_first_stands_large(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, "ja")
    large, small = findings.headline(secret_answer())
    assert large.endswith("。")
    assert large.count("。") == 1
    assert small.count("。") > 1
