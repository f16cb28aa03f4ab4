"""Who wins: points of two rounds, places, who may not take part, what attackers are paid; counted by hand."""

from __future__ import annotations

import json

import pytest

from riskkit.plain import from_plain, plain
from riskkit.questions.contest.points import Entry, Ranking, ranking
from riskkit.questions.contest.points import ranking_sentence as sentence
from riskkit.stats.hits import Draw, hits

DRAW = Draw(100_000, 10_000, 100)


def entry(name: str, counts: dict[str, int], pre: float | None = None, misses: tuple[str, ...] = ()) -> Entry:
    return Entry(name, dict(counts), hits(max(counts.values()), DRAW), misses, pre)


def order(*entries: Entry) -> Ranking:
    return ranking(entries, 100)


MAIN = (
    entry("18", {"x": 16, "y": 10}, 0.16),
    entry("03", {"x": 12, "y": 11}, 0.15),
    entry("19", {"x": 90, "y": 100}, 0.44, ("trees",)),
    entry("08", {"x": 4, "y": 19}, 0.16),
    entry("11", {"x": 53, "y": 0}, 0.51),
)


def test_places_are_by_the_points_of_both_rounds_that_were_published() -> None:
    ranking = order(*MAIN)
    # 0.1 * 850 + 0.9 * 880; 840 + 0; 0.1 * 840 + 0.9 * 810; 0.1 * 490 + 0.9 * 470
    assert [(place.place, place.name, place.points) for place in ranking.places] == [
        (1, "03", 877),
        (2, "18", 840),
        (3, "08", 813),
        (4, "11", 472),
    ]
    assert (ranking.places[0].preliminary, ranking.places[0].main) == (850, 880)
    assert ranking.out == {"19": ("trees",)}
    assert ranking.winners == ("03",)
    assert from_plain(Ranking, json.loads(json.dumps(plain(ranking)))) == ranking


def test_a_preliminary_round_can_turn_the_order() -> None:
    alone = order(entry("a", {"x": 14}), entry("b", {"x": 15}))
    assert [place.points for place in alone.places] == [860, 850]
    assert not alone.has_preliminary
    both = order(entry("a", {"x": 14}, 0.5), entry("b", {"x": 15}, 0.1))  # 50 + 774 against 90 + 765
    assert [(place.name, place.points) for place in both.places] == [("b", 855), ("a", 824)]


def test_attackers_are_paid_against_the_winner_and_against_the_best_three() -> None:
    paid = {attacker.attacker: (attacker.winner, attacker.top) for attacker in order(*MAIN).attackers}
    # x: 12 of the winner; 12, 16 and 4 of the three. The disqualified 90 and 100 and the fourth's 53 pay nobody.
    assert paid["x"] == pytest.approx((120, 1000 * (0.12 + 0.16 + 0.04) / 3))
    assert paid["y"] == pytest.approx((110, 1000 * (0.11 + 0.10 + 0.19) / 3))


def test_equal_points_share_the_place_and_the_winners_pay() -> None:
    ranking = order(entry("b", {"x": 12, "y": 2}), entry("a", {"x": 6, "y": 12}), entry("c", {"x": 30, "y": 0}))
    assert [(place.place, place.name) for place in ranking.places] == [(1, "a"), (1, "b"), (3, "c")]
    assert {attacker.attacker: attacker.winner for attacker in ranking.attackers} == pytest.approx({"x": 90, "y": 70})


def test_whether_chance_may_have_settled_the_winner_is_said() -> None:
    near, far = order(entry("a", {"x": 12}), entry("b", {"x": 15})), order(entry("a", {"x": 12}), entry("b", {"x": 60}))
    assert "The intervals of others reach it (B)" in sentence(near, str.upper)
    assert "all others lie below" in sentence(far)
    assert sentence(far).startswith("Winner: a, 880 points [")
    assert "No other release may take part" in sentence(order(entry("a", {"x": 1})))
    assert sentence(order(entry("a", {"x": 1}, misses=("trees",)))).startswith("Nobody wins")
