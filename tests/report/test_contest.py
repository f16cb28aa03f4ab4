"""Points of the contest, who may take part, and the frontier."""

from __future__ import annotations

import pytest

from riskkit.core import Estimate
from riskkit.report import contest as said
from riskkit.report.contest import Point, anonymiser_points, attacker_points, frontier, qualifies
from riskkit.stats.hits import Draw, hits
from riskkit.stats.verdict import Verdict

DRAW = Draw(100_000, 10_000, 100)


@pytest.mark.parametrize(("pre", "main", "points"), [(15, 12, 877), (16, 16, 840), (16, 19, 813)])
def test_points_are_those_that_were_published(pre: int, main: int, points: int) -> None:
    assert anonymiser_points(main / 100, pre / 100) == pytest.approx(points)
    assert anonymiser_points(main / 100) == pytest.approx(10 * (100 - main))


def test_an_attacker_is_paid_for_the_three_best_anonymisers() -> None:
    largest = {"a": 0.12, "b": 0.13, "c": 0.15, "d": 0.97}
    rates = {"a": 0.12, "b": 0.10, "c": 0.14, "d": 0.97}
    assert attacker_points(rates, largest) == pytest.approx(1000 * 0.12)
    assert attacker_points({}, {}) == 0


def test_thresholds_decide_who_may_take_part() -> None:
    good = {"histogram": 0.99, "covariance": 0.4, "trees": 0.85, "histogram_worst": 0.03, "correlation_worst": 0.1}
    assert qualifies(good, "official") == (True, ())
    assert qualifies({**good, "trees": 0.849}, "official") == (False, ("trees",))
    assert qualifies(good, "final") == (False, ("trees",))
    assert qualifies({**good, "trees": 0.95, "correlation_worst": 0.101}, "final") == (False, ("correlation_worst",))
    assert qualifies({}, "official")[0]
    assert qualifies({"histogram": 0.0}, "none")[0]


def point(name: str, usefulness: float, found: int, uploaded: bool = False) -> Point:
    return Point(name, usefulness, None, hits(found, DRAW), uploaded)


def test_points_that_are_beaten_in_both_ways_are_flagged_with_who_beats_them() -> None:
    placed = frontier(
        [point("good", 0.9, 20), point("worse", 0.8, 60), point("useful", 0.95, 80), point("twin", 0.9, 20)]
    )
    assert [one.dominated_by for one in placed] == [(), ("good", "twin"), (), ()]
    assert placed[1].shown_better == ("good", "twin")


def test_every_release_that_was_handed_in_is_told_where_it_sits() -> None:
    own, better = point("uploaded", 0.8, 60, uploaded=True), point("a", 0.9, 20)
    assert said.uploaded_sentences(frontier([better])) == ()
    (told,) = said.uploaded_sentences(frontier([own, better]))
    assert told.startswith("Your release sits here: a usefulness of 0.800, and the best attacker finds 60 [")
    assert "These settings protect better at the same usefulness: a." in told
    assert "chance may explain: a" in said.uploaded_sentences(frontier([own, point("a", 0.9, 58)]))[0]
    assert "No other setting" in said.uploaded_sentences(frontier([own, point("a", 0.7, 20)]))[0]
    team = point("team 1", 0.7, 20, uploaded=True)
    assert [one.split(" sits")[0] for one in said.uploaded_sentences(frontier([own, team]))] == [
        "Your release", "Your release team 1",
    ]  # fmt: skip


def rows(found: dict[str, int]) -> said.Row:
    plain = {name: hits(count, DRAW).labelled(anonymiser="x", attacker=name) for name, count in found.items()}
    wide = {name: hits(count, DRAW, level=1 - 0.05 / len(found)) for name, count in found.items()}
    return said.row("x", plain, wide, DRAW)


JUDGE = said.Judge(DRAW, said.ruled_out(DRAW, 0.2), ("a", "distance"))


def test_a_leak_is_what_the_best_of_all_who_looked_finds_beyond_guessing() -> None:
    assert said.verdict(rows({"a": 17}), JUDGE) is Verdict.LEAK
    assert said.verdict(rows({"a": 17, "b": 3, "c": 9, "d": 10}), JUDGE) is not Verdict.LEAK  # the best of four
    assert said.verdict(rows({"a": 20, "b": 3, "c": 9, "d": 10}), JUDGE) is Verdict.LEAK


def test_what_is_to_be_ruled_out_lies_between_guessing_and_naming_members_alone() -> None:
    assert JUDGE.most == pytest.approx(10 + 0.2 * 90)
    assert said.ruled_out(Draw(600, 300, 30), 0.5) == pytest.approx(15 + 0.5 * 15)
    assert said.ruled_out(Draw(1_000, 10, 100), 1.0) == 10


def test_no_leak_is_shown_below_the_limit_by_attackers_that_found_the_planted_one() -> None:
    found = rows({"a": 9, "b": 11})
    assert found.worst.high < 28
    assert said.verdict(found, JUDGE) is Verdict.NO_LEAK
    told = said.sentence(found, JUDGE)
    assert "no leak above 28 hits is shown" in told
    assert "and a would have found the sample itself" in told
    assert "A stronger attacker may find more" in told


@pytest.mark.parametrize(
    ("found", "judge", "why"),
    [
        ({"a": 9, "b": 11}, said.Judge(DRAW, 28.0), "Without a planted control"),
        ({"a": 9, "b": 11}, said.Judge(DRAW, 28.0, ()), "their silence says nothing"),
        ({"b": 9, "c": 11}, JUDGE, "their silence says nothing"),
        ({"a": 9, "b": 11}, said.Judge(DRAW, 15.0, ("a",)), "more guesses narrow it"),
        ({"a": 9, "b": 2}, JUDGE, "evasion and no protection"),
    ],
)
def test_the_absence_of_a_leak_is_not_shown_and_the_sentence_says_why(
    found: dict[str, int], judge: said.Judge, why: str
) -> None:
    """Planted: no control, one nobody found, one others found, a close limit, an attacker that knows whom to avoid."""
    row = rows(found)
    assert said.verdict(row, judge) is Verdict.UNDECIDED
    assert why in said.sentence(row, judge)


def test_an_attack_below_guessing_is_called_evasion() -> None:
    found = rows({"distance": 0, "other": 45})
    assert said.evaded(found, DRAW) == ("distance",)
    told = said.sentence(found, JUDGE)
    assert "other finds 45" in told
    assert "evasion and no protection" in told
    assert said.evaded(rows({"distance": 8}), DRAW) == ()
    assert "safe " not in told


def test_the_lesson_is_said_where_one_attacker_is_misled_and_another_breaks_it() -> None:
    told = said.lesson([rows({"distance": 9, "other": 9}), rows({"distance": 0, "other": 45})], DRAW)
    assert "against x distance finds 0 [0.0, 3.6] of 100, fewer than the 10.0 of guessing, and other finds 45 [" in told
    assert said.lesson([rows({"distance": 0, "other": 12})], DRAW) == "", "nobody broke it"
    assert said.lesson([rows({"distance": 9, "other": 45})], DRAW) == "", "nobody was misled"


def test_an_estimate_of_the_worst_names_its_anonymiser() -> None:
    worst: Estimate = rows({"a": 50, "b": 60}).worst
    assert worst.labels["anonymiser"] == "x"
    assert worst.value == 60
    assert worst.level == pytest.approx(0.975)
