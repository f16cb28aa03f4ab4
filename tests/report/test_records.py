"""What is said of many records: who is counted, who is missed, and by which columns a person is exposed."""

from typing import Any

import pytest

from riskkit.questions.records import words
from riskkit.questions.records.certificate import Telling
from riskkit.questions.records.result import RecordsFinding, RecordsResult, read
from tests.report.audited import made

SIDES = made.SIDES
"""Trainings a side, so many that the error of a record is its own."""


def record(row: int, auc: list[float] | None, **more: Any) -> dict[str, Any]:
    """A record; ``auc`` is its value with its interval at 95 %, and so what limits need."""
    first = None if auc is None else [auc[0], ((auc[2] - auc[1]) / 2 / 1.96) ** 2]
    return {
        "row": row, "outlierness": 0.1 * row, "copies": 0, "drawn": False, "stage": "first", "n": 2 * SIDES, "auc": auc,
        "advantage": auc, "tpr": None, "epsilon": [0.1, 2.0], "curve": [0.2, 1.0], "first": first, "fresh": None,
        "first_auc": None, "traditional": None, "certificate": None, **more,
    }  # fmt: skip


def best(auc: float, *telling: dict[str, Any]) -> dict[str, Any]:
    three = [auc, auc, auc]
    return {
        "auc": three, "advantage": three, "tpr": three, "proof": [0.0, 0.0, 0.0], "method": "best attack, exact",
        "curve": [0.0, 1.0], "telling": list(telling),
    }  # fmt: skip


def finding(*people: dict[str, Any], total: int = 0, limit: float | None = 0.8, **settings: Any) -> RecordsFinding:
    own = {"screen_limit": 0.8, "fpr": 0.1, "records": "all", "n_syn": 100, "seed": 1, **settings}
    counted = {
        "name": "records_above", "value": 2, "low": 1, "high": 3, "level": 0.95, "method": "m", "n": 2 * SIDES,
        "limit": "0.8",
    }  # fmt: skip
    return read(
        RecordsResult.from_plain(
            {
                "settings": own,
                "records": list(people),
                "total": total or len(people),
                "fpr_grid": [0.1, 1.0],
                "certificate_grid": [0.0, 1.0],
                "estimates": [counted],
                "notes": ["one"],
                "sides": {"first": [SIDES, SIDES], "fresh": [SIDES, SIDES]},
            }
        ),
        limit,
    )


HIGH, LOW = [0.9, 0.85, 0.95], [0.55, 0.45, 0.65]


def test_the_count_and_those_whom_the_average_misses() -> None:
    read_back = finding(
        record(0, HIGH, traditional=LOW), record(1, HIGH, traditional=HIGH), record(2, LOW, traditional=LOW)
    )
    assert [person.row for person in read_back.people if person.is_missed(0.8)] == [0]
    assert [person.row for person in read_back.listed] == [0, 1]


def test_any_limit_lists_those_above_it_and_none_those_above_guessing() -> None:
    """0.55 with a standard error of 0.05 is not told from one half; 0.9 with 0.026 is above 0.85 by two of them."""
    each = [record(0, HIGH), record(1, [0.72, 0.67, 0.77]), record(2, LOW)]
    rows = {limit: [person.row for person in finding(*each, limit=limit).listed] for limit in (None, 0.6, 0.8, 0.95)}
    assert rows == {None: [0, 1], 0.6: [0, 1], 0.8: [0], 0.95: []}
    bare = finding(*each, limit=None)
    assert (bare.limit, bare.is_set) == (0.5, False)


def test_many_looks_take_more_to_be_listed() -> None:
    """0.6 lies 2.45 standard errors above one half: enough of one, not of the hundred looked at."""
    narrow = [0.6, 0.55, 0.65]
    others = [record(row, [0.5, 0.45, 0.55]) for row in range(1, 100)]
    assert [person.row for person in finding(record(0, narrow), limit=None).listed] == [0]
    assert finding(record(0, narrow), *others, limit=None).listed == ()


def test_what_was_screened_is_listed_by_its_fresh_trainings_alone() -> None:
    """Planted: the first look has both at 0.9; one was played on and showed 0.88, the other never was."""
    afresh = record(0, [0.88, 0.86, 0.9], first=[0.9, 1e-4], fresh=[0.88, 1e-4], stage="fresh", first_auc=HIGH)
    both = finding(afresh, record(1, HIGH, first=[0.9, 1e-4]), screen=50)
    assert [person.row for person in both.listed] == [0]
    assert both.people[0].is_fresh
    assert both.people[0].first_auc is not None
    alone = finding(record(1, HIGH), screen=50)
    assert alone.listed == ()
    assert alone.people[0].auc is not None
    assert alone.people[0].auc.low == 0.5


def test_the_highest_limit_above_which_anybody_is_listed() -> None:
    """The limit that 0.9 lies above at one in twenty; nobody is listed whose scores never differ."""
    read_back = finding(record(0, HIGH))
    shown = read_back.risks.lows.max()
    assert shown == pytest.approx(made.lower_limit(0.9, 0.05), abs=1e-4)
    assert finding(record(0, HIGH), limit=shown - 1e-6).listed
    assert not finding(record(0, HIGH), limit=shown + 1e-6).listed
    assert finding(record(0, None)).listed == ()


def test_the_best_attack_is_told_where_it_was_computed_for_everybody() -> None:
    low = [record(row, LOW, certificate=best(0.6 + row / 100)) for row in range(3)]
    read_back = finding(*low)
    assert read_back.ceiling == pytest.approx(0.62)
    assert finding(*low, record(3, LOW)).ceiling is None


def test_a_count_that_may_be_none_is_not_claimed() -> None:
    """The value is near 1, but 0.82 is not shown to be above 0.8."""
    read_back = finding(record(0, [0.82, 0.77, 0.87]), record(1, LOW))
    assert read_back.above.low == 0
    assert read_back.listed == ()


def test_people_who_are_drawn_at_random_speak_for_all() -> None:
    """Both were drawn of the fifty."""
    drawn = {"drawn": True}
    read_back = finding(record(0, HIGH, traditional=LOW, **drawn), record(1, HIGH, traditional=HIGH, **drawn), total=50)
    assert read_back.above.value == pytest.approx(50, abs=1)


def test_those_whom_only_the_best_attack_could_expose_are_counted() -> None:
    read_back = finding(record(0, HIGH, certificate=best(0.95)), record(1, LOW, certificate=best(0.9)))
    assert [person.could_be(read_back.limit) for person in read_back.people] == [False, True]


def test_the_bracket_goes_from_what_was_shown_to_what_nobody_exceeds() -> None:
    (person,) = finding(record(7, HIGH, certificate=best(0.93))).people
    assert words.bracket(person) == (
        "An attack picks the release with record 7 in 90 % [85 %, 95 %] of pairs (chance 50 %); the best possible "
        "attack does so in 93 %."
    )
    (alone,) = finding(record(7, LOW)).people
    assert "is not known for this method" in words.bracket(alone)
    (silent,) = finding(record(7, None)).people
    assert "never differed" in words.bracket(silent)
    (lucky,) = finding(record(7, HIGH, certificate=best(0.6))).people
    assert "above the truth by chance" in words.bracket(lucky)


@pytest.mark.parametrize(
    ("telling", "sentence"),
    [
        (Telling(("age",), 1000, 1, True, 0.632, 1.0), (
            "“age”: nobody else has this person's value. A release shows it with a chance of 63 %, and never without "
            "this person."
        )),
        (Telling(("age", "job"), 12, 1, True, 0.632, 1.0), (
            "“age” and “job”: nobody else has this person's combination. A release shows it with a chance of 63 %, and "
            "never without this person."
        )),
        (Telling(("age", "job"), 12, 2, False, 0.8, 1.0),
         "“age” and “job”: of 12 people with this person's “age”, only 1 other person has the same “job”."),
        (Telling(("age", "sex", "job"), 12, 4, False, 0.8, 1.0), (
            "“age”, “sex” and “job”: of 12 people with this person's “age” and “sex”, only 3 other people have the "
            "same “job”."
        )),
        (Telling(("age", "sex", "job"), 1, 1, False, 0.6, 1.0),
         "“age”, “sex” and “job”: nobody else has this person's “age” and “sex”."),
        (Telling(("job",), 100, 3, False, 0.8, 1.0), "“job”: only 2 other people have this person's value."),
    ],
)  # fmt: skip
def test_the_columns_that_expose_in_a_sentence(telling: Telling, sentence: str) -> None:
    assert words.telling(telling) == sentence


def test_people_are_ranked_and_found_by_row() -> None:
    read_back = finding(record(3, LOW), record(1, HIGH), record(2, None))
    assert [person.row for person in read_back.ranked()] == [1, 3]
    assert read_back.person(3) is read_back.people[0]
    assert read_back.person(9) is None
