"""What is said of many records: who is counted, who is missed, and by which columns a person is exposed."""

from __future__ import annotations

from typing import Any

import pytest

from riskkit.report import records_words as said
from riskkit.report.records_findings import Finding, Told, read
from riskkit.stats.verdict import Verdict


def record(row: int, auc: list[float] | None, **more: Any) -> dict[str, Any]:
    return {
        "row": row, "outlierness": 0.1 * row, "copies": 0, "drawn": False, "stage": "first", "n": 80, "auc": auc,
        "advantage": auc, "tpr": None, "epsilon": [0.1, 2.0], "curve": [0.2, 1.0], "p": 0.5, "listed": False,
        "leaks": False, "first_auc": None, "traditional": None, "certificate": None, **more,
    }  # fmt: skip


def best(auc: float, *telling: dict[str, Any]) -> dict[str, Any]:
    three = [auc, auc, auc]
    return {
        "auc": three, "advantage": three, "tpr": three, "proof": [0.0, 0.0, 0.0], "method": "best attack, exact",
        "curve": [0.0, 1.0], "telling": list(telling),
    }  # fmt: skip


def finding(*people: dict[str, Any], total: int = 0, count: tuple[float, float, float] = (2, 1, 3)) -> Finding:
    counted = {
        "name": "records_above", "value": count[0], "low": count[1], "high": count[2], "level": 0.95, "method": "m",
        "n": 80, "limit": "0.8",
    }  # fmt: skip
    settings = {"limit": 0.8, "fpr": 0.1, "records": "all", "n_syn": 100, "seed": 1}
    return read({
        "settings": settings, "records": list(people), "total": total or len(people), "fpr_grid": [0.1, 1.0],
        "certificate_grid": [0.0, 1.0], "estimates": [counted], "notes": ["one"],
    })  # fmt: skip


HIGH, LOW = [0.9, 0.85, 0.95], [0.55, 0.45, 0.65]


def test_the_count_and_those_whom_the_average_misses() -> None:
    found = finding(
        record(0, HIGH, traditional=LOW, listed=True),
        record(1, HIGH, traditional=HIGH),
        record(2, LOW, traditional=LOW),
    )
    assert said.headline(found) == (
        "2 [1, 3] of 3 people are exposed above 0.8; averaging over tables would have missed 1 of them."
    )
    assert [person.row for person in found.people if person.is_missed(0.8)] == [0]
    assert found.verdict is Verdict.LEAK
    assert [person.row for person in found.listed] == [0]


def test_the_best_attack_below_the_limit_for_everybody_is_no_leak() -> None:
    low = [record(row, LOW, certificate=best(0.6 + row / 100)) for row in range(3)]
    found = finding(*low)
    assert found.verdict is Verdict.NO_LEAK
    assert "reaches 0.62 on the most exposed of them" in said.rest(found)
    assert finding(*low, record(3, LOW, certificate=best(0.8))).verdict is Verdict.UNDECIDED
    without = finding(*low, record(3, LOW))
    assert (without.ceiling, without.verdict) == (None, Verdict.UNDECIDED)
    nobody = finding(record(0, LOW))
    assert "no leak is planted in this game" in said.rest(nobody)


def test_a_count_that_may_be_none_is_not_claimed() -> None:
    found = finding(record(0, HIGH), record(1, LOW), count=(1, 0, 2))
    assert said.headline(found) == "1 [0, 2] of 2 people may be exposed above 0.8."
    assert found.verdict is Verdict.UNDECIDED
    assert "Nobody is listed" in said.rest(found)
    assert "no proof that nobody is exposed" in said.rest(found)


def test_a_part_of_the_table_is_not_called_the_table() -> None:
    assert "of the 2 people looked at" in said.headline(finding(record(0, HIGH), record(1, LOW), total=50))


def test_those_missed_are_counted_among_those_looked_at() -> None:
    found = finding(record(0, HIGH, traditional=LOW), record(1, HIGH, traditional=HIGH), total=50, count=(20, 9, 31))
    assert said.headline(found) == (
        "20 [9, 31] of the 2 people looked at are exposed above 0.8; of the 2 seen above it, averaging over tables "
        "would have missed 1."
    )


def test_those_whom_only_the_best_attack_could_expose_are_counted() -> None:
    found = finding(record(0, HIGH, listed=True, certificate=best(0.95)), record(1, LOW, certificate=best(0.9)))
    assert "lies above 0.8 for 1 who are not listed" in said.rest(found)


def test_the_bracket_goes_from_what_was_shown_to_what_nobody_exceeds() -> None:
    (one,) = finding(record(7, HIGH, certificate=best(0.93))).people
    assert said.bracket(one) == (
        "An attack that was played picks the release with record 7 in 90 % [85 %, 95 %] of pairs (chance 50 %); the "
        "best attack there can be does so in 93 %. So the risk lies between 0.85 and 0.93."
    )
    (alone,) = finding(record(7, LOW)).people
    assert "is not known for this method" in said.bracket(alone)
    (silent,) = finding(record(7, None)).people
    assert "never differed" in said.bracket(silent)
    (lucky,) = finding(record(7, HIGH, certificate=best(0.6))).people
    assert "above the truth by chance" in said.bracket(lucky)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (Told(("age",), 1000, 1, True, 0.632, 1.0), (
            "“age”: nobody else has this person's value. A release shows it with a chance of 63 %, and never without "
            "this person."
        )),
        (Told(("age", "job"), 12, 1, True, 0.632, 1.0), (
            "“age” and “job”: nobody else has this person's combination. A release shows it with a chance of 63 %, and "
            "never without this person."
        )),
        (Told(("age", "job"), 12, 2, False, 0.8, 1.0),
         "“age” and “job”: of 12 people with this person's “age”, only 1 other person has its “job” too."),
        (Told(("age", "sex", "job"), 12, 4, False, 0.8, 1.0), (
            "“age”, “sex” and “job”: of 12 people with this person's “age” and “sex”, only 3 other people have its "
            "“job” too."
        )),
        (Told(("age", "sex", "job"), 1, 1, False, 0.6, 1.0),
         "“age”, “sex” and “job”: nobody else has this person's “age” and “sex”."),
        (Told(("job",), 100, 3, False, 0.8, 1.0), "“job”: only 2 other people have this person's value."),
    ],
)  # fmt: skip
def test_the_columns_that_expose_in_a_sentence(told: Told, sentence: str) -> None:
    assert said.telling(told) == sentence


def test_people_are_ranked_and_found_by_row() -> None:
    found = finding(record(3, LOW), record(1, HIGH), record(2, None))
    assert [person.row for person in found.ranked()] == [1, 3]
    assert found.person(3) is found.people[0]
    assert found.person(9) is None
    assert found.limits() == (0.8,)
