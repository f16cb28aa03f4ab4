"""Two results beside each other: pairs and differences counted by hand, and how often nothing looks like something."""

from typing import Any

import numpy as np
import pytest

from riskkit.report import compare
from riskkit.stats.intervals import clopper_pearson


def result(*estimates: dict[str, Any]) -> dict[str, Any]:
    whole = {"value": 0.5, "low": 0.4, "high": 0.6, "level": 0.95, "method": "by hand", "n": 20}
    return {"estimates": [{**whole, **estimate} for estimate in estimates]}


def test_numbers_with_the_same_labels_belong_together() -> None:
    left = result({"name": "auc", "attack": "mvl"}, {"name": "auc", "attack": "dcr"}, {"name": "accuracy"})
    right = result({"name": "auc", "attack": "dcr", "value": 0.55}, {"name": "auc", "attack": "mc"})
    compared = compare.beside(left, right)
    assert [(pair.name, pair.labels, pair.right.value) for pair in compared.pairs] == [("auc", {"attack": "dcr"}, 0.55)]
    assert (compared.only_left, compared.only_right) == (2, 1)
    assert compared.measures == ("auc",)


def test_a_label_that_is_the_same_all_through_a_result_may_differ() -> None:
    left = result(
        {"name": "auc", "generator": "stat", "attack": "mvl"}, {"name": "auc", "generator": "stat", "attack": "b"}
    )
    right = result(
        {"name": "auc", "generator": "net", "attack": "mvl"}, {"name": "auc", "generator": "net", "attack": "b"}
    )
    compared = compare.beside(left, right)
    assert [pair.labels for pair in compared.pairs] == [{"attack": "mvl"}, {"attack": "b"}]
    assert (compared.only_left, compared.only_right) == (0, 0)


def test_a_label_that_tells_apart_in_one_result_alone_still_tells_apart() -> None:
    left = result({"name": "auc", "generator": "stat"}, {"name": "auc", "generator": "net"})
    compared = compare.beside(left, result({"name": "auc", "generator": "net", "value": 0.41}))
    assert [pair.left.labels["generator"] for pair in compared.pairs] == ["net"]
    assert (compared.only_left, compared.only_right) == (1, 0)


@pytest.mark.parametrize(
    ("low", "high", "apart"), [(0.61, 0.7, True), (0.6, 0.7, False), (0.3, 0.39, True), (0.2, 0.9, False)]
)
def test_intervals_apart_have_no_value_in_common(low: float, high: float, apart: bool) -> None:
    other = result({"name": "auc", "value": low, "low": low, "high": high})
    (pair,) = compare.beside(result({"name": "auc"}), other).pairs
    assert pair.is_apart is apart


def test_bounds_are_shown_and_nothing_is_said_of_their_difference() -> None:
    left = result({"name": "epsilon_lower", "value": 0.0, "low": 0.0, "high": 0.1})
    right = result({"name": "epsilon_lower", "value": 2.0, "low": 2.0, "high": 3.0})
    compared = compare.beside(left, right)
    assert [pair.is_apart for pair in compared.pairs] == [False]
    assert "only bounds in common" in compare.sentence(compared)


def test_the_sentence_counts_and_says_what_chance_would_do() -> None:
    left = result({"name": "auc"}, {"name": "accuracy"})
    right = result({"name": "auc", "value": 0.9, "low": 0.8, "high": 1.0, "level": 0.99}, {"name": "accuracy"})
    assert compare.sentence(compare.beside(left, right)) == (
        "For 1 of 2 numbers the two intervals lie apart. If nothing differed, at most 8 % of them would, on average."
    )
    assert compare.sentence(compare.beside(left, left)) == (
        "None of 2 numbers differs by more than the two intervals allow."
    )
    assert "no number in common" in compare.sentence(compare.beside(left, result({"name": "mae"})))


@pytest.mark.parametrize(("shares", "most", "least"), [((0.3, 0.3), 0.1, 0.0), ((0.3, 0.7), 1.0, 0.5)])
def test_intervals_lie_apart_as_often_as_the_sentence_allows(
    shares: tuple[float, float], most: float, least: float
) -> None:
    """Two samples side by side 2,000 times: of the same share, and with a difference that was planted."""
    rng = np.random.default_rng(7)
    (low, high), (other_low, other_high) = (
        clopper_pearson(rng.binomial(40, share, 2000), np.full(2000, 40), 0.025) for share in shares
    )
    apart = ((high < other_low) | (other_high < low)).mean()
    assert least <= apart <= most


def test_differences_name_every_setting_that_differs_and_no_other() -> None:
    left = {"trainings": 20, "attacks": ["mvl", "dcr"], "control": True, "files": {"real": "ab", "holdout": "cd"}}
    right = {"trainings": 40, "attacks": ["mvl", "dcr"], "control": False, "files": {"real": "ab"}, "rows": None}
    assert compare.differences(left, right) == (
        ("trainings", "20", "40"),
        ("control", "yes", "no"),
        ("files.holdout", "cd", compare.ABSENT),
        ("rows", compare.ABSENT, "none"),
    )
    assert compare.differences(left, left) == ()


def test_what_guessing_reaches_is_known_where_it_depends_on_nothing() -> None:
    assert compare.reference("membership", "auc") == 0.5
    assert compare.reference("contest", "hits") is None
