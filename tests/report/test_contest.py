"""Points of the contest, who may take part, who wins, the frontier, and what anonymisers declare."""

import json
from dataclasses import replace

import pytest

from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.games.anonymity import Anonymity
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Judgement, Verdict, own
from riskkit.plain import from_plain, plain
from riskkit.questions import opponents
from riskkit.questions.contest import points
from riskkit.questions.contest import present as contest_measured
from riskkit.questions.contest.plan import FORM, ContestPlan, Declaration
from riskkit.questions.contest.points import (
    Ranking,
    Spot,
    anonymiser_points,
    attacker_points,
    frontier,
    qualifies,
    ranking,
)
from riskkit.questions.contest.points import ranking_sentence as sentence
from riskkit.questions.contest.result import Guessing, Planted
from riskkit.questions.contest.words import lines
from riskkit.stats.hits import Draw, hits
from tests.contest_results import contest, standing

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
    assert attacker_points({"d": 0.97}, largest) == 0, "it named nobody for the best three"
    assert attacker_points({"a": 0.12}, largest, 1) == pytest.approx(120)


def test_thresholds_decide_who_may_take_part() -> None:
    good = {
        "histogram_counts": 0.99,
        "covariance": 0.4,
        "trees": 0.85,
        "histogram_worst": 0.03,
        "correlation_worst": 0.1,
    }
    assert qualifies(good, "official") == (True, ())
    assert qualifies({**good, "trees": 0.849}, "official") == (False, ("trees",))
    assert qualifies(good, "final") == (False, ("trees",))
    assert qualifies({**good, "trees": 0.95, "correlation_worst": 0.101}, "final") == (False, ("correlation_worst",))
    assert qualifies({}, "official")[0]
    assert qualifies({"histogram_counts": 0.0}, "none")[0]
    assert qualifies({**good, "histogram": 0.5}, "official")[0], "shares are ours, and no rule of the contest's"
    assert qualifies({**good, "histogram_counts": 0.989}, "official") == (False, ("histogram_counts",))


def point(name: str, usefulness: float, count: int, uploaded: bool = False) -> Spot:
    return Spot(name, usefulness, None, hits(count, DRAW), uploaded)


def test_points_that_are_beaten_in_both_ways_are_flagged_with_who_beats_them() -> None:
    placed = frontier(
        [point("good", 0.9, 20), point("worse", 0.8, 60), point("useful", 0.95, 80), point("twin", 0.9, 20)]
    )
    assert [spot.beaten for spot in placed] == [(), ("good", "twin"), (), ()]
    assert placed[1].shown == ("good", "twin")


def test_every_release_that_was_handed_in_is_told_where_it_sits() -> None:
    own, better = point("uploaded", 0.8, 60, uploaded=True), point("a", 0.9, 20)
    assert points.uploaded_sentences(frontier([better])) == ()
    (uploaded_sentence,) = points.uploaded_sentences(frontier([own, better]))
    assert uploaded_sentence.startswith(
        "Your release sits here: a usefulness of 0.800, and the best attacker finds 60 ["
    )
    assert "These settings protect better at the same usefulness: a." in uploaded_sentence
    assert "chance may explain: a" in points.uploaded_sentences(frontier([own, point("a", 0.9, 58)]))[0]
    assert "No other setting" in points.uploaded_sentences(frontier([own, point("a", 0.7, 20)]))[0]
    team = point("team 1", 0.7, 20, uploaded=True)
    assert [
        uploaded_sentence.split(" sits")[0] for uploaded_sentence in points.uploaded_sentences(frontier([own, team]))
    ] == [
        "Your release",
        "Your release team 1",
    ]


def rows(counts: dict[str, int]) -> points.Row:
    plain = {name: hits(count, DRAW).label(anonymiser="x", attacker=name) for name, count in counts.items()}
    wide = {name: hits(count, DRAW, level=1 - 0.05 / len(counts)) for name, count in counts.items()}
    return points.row("x", plain, wide, DRAW)


def judged(counts: dict[str, int], limit: float | None = None, seeing: dict[str, bool] | None = None) -> Judgement:
    """The judgement on one anonymiser; ``seeing`` says of each attacker whether it found the planted control."""
    return judge(measured(counts, seeing), None if limit is None else own(limit))


def measured(counts: dict[str, int], seeing: dict[str, bool] | None = None):
    row = rows(counts)
    whom = {
        "best": row.best,
        "looks": len(row.hits),
        "chance": row.chance,
        "evaded": points.evaded_attackers(row, DRAW),
    }
    release = standing("x", row.worst, is_uploaded=True, **whom)
    shown = {"a": True, "distance": True} if seeing is None else seeing
    controls = tuple(Planted(hits(90 if saw else 10, DRAW).label(attacker=name), saw) for name, saw in shown.items())
    guessing = Guessing(DRAW.population, DRAW.members, DRAW.guesses, DRAW.expectation, len(counts), 12.0, 20)
    result = contest(estimates=tuple(row.hits.values()), chance=guessing, standings=(release,), controls=controls)
    return contest_measured.claim(release, result)


def test_a_leak_is_what_the_best_of_all_who_looked_finds_beyond_guessing() -> None:
    assert judged({"a": 17}).verdict is Verdict.LEAK
    assert judged({"a": 17, "b": 3, "c": 9, "d": 10}).verdict is Verdict.UNDECIDED  # the best of four
    assert judged({"a": 20, "b": 3, "c": 9, "d": 10}).verdict is Verdict.LEAK


def test_what_is_judged_is_a_share_of_the_rows_named_beside_guessing() -> None:
    share = measured({"a": 17, "b": 9})
    assert (share.scale, share.guess, share.unit, share.who, share.looks) == ("hits", 0.1, "named row", "a", 2)
    assert share.strongest is share.widest
    assert share.strongest is not None
    assert share.strongest.value == pytest.approx(0.17)
    assert share.strongest.level == pytest.approx(0.975)


@pytest.mark.parametrize(
    ("hits_of_a", "limit", "verdict"),
    [(50, 0.2, Verdict.ABOVE), (9, 0.28, Verdict.WITHIN), (9, 0.12, Verdict.UNDECIDED), (17, 0.05, Verdict.ABOVE)],
)
def test_one_limit_is_used_in_both_directions(hits_of_a: int, limit: float, verdict: Verdict) -> None:
    assert judged({"a": hits_of_a}, limit).verdict is verdict


def test_no_leak_is_shown_below_the_limit_by_attackers_that_found_the_planted_one() -> None:
    judgement = judged({"a": 9, "b": 11}, 0.28)
    assert judgement.verdict is Verdict.WITHIN
    row = rows({"a": 9, "b": 11})
    assert row.worst.high < 28
    sentence = points.sentence(row, DRAW)
    assert "that is not shown to be more than guessing" in sentence
    assert "A stronger attacker may find more" in sentence
    assert "more than guessing explains" in points.sentence(rows({"a": 50}), DRAW)


@pytest.mark.parametrize(
    ("counts", "seeing", "limit", "code"),
    [
        ({"a": 9, "b": 11}, {}, 0.28, "no_control"),
        ({"a": 9, "b": 11}, {"a": False, "b": False}, 0.28, "control_missed"),
        ({"b": 9, "c": 11}, {"a": True, "distance": True}, 0.28, "control_missed"),
        ({"a": 9, "b": 11}, {"a": True}, 0.15, "interval_holds_limit"),
        ({"a": 9, "b": 2}, {"a": True}, 0.28, "evaded"),
        ({"a": 9}, {"a": True}, 0.08, "limit_below_guessing"),
    ],
)
def test_the_absence_of_a_leak_is_not_shown_and_the_reason_is_said(
    counts: dict[str, int], seeing: dict[str, bool], limit: float, code: str
) -> None:
    """Planted: no control, one nobody found, one others found, a close limit, an attacker that knows whom to avoid."""
    judgement = judged(counts, limit, seeing)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, code)
    assert judgement.why
    assert judgement.settle


def test_an_attacker_that_is_misled_is_named_as_the_reader_may_see_it() -> None:
    (reason,) = opponents.evasion(["b"], lambda name: f"attacker {name.upper()}")
    assert reason.why.startswith("attacker B found fewer members than guessing would")
    assert opponents.evasion([], str) == ()


def test_an_attack_below_guessing_is_called_evasion() -> None:
    evading = rows({"distance": 0, "other": 45})
    assert points.evaded_attackers(evading, DRAW) == ("distance",)
    sentence = points.sentence(evading, DRAW)
    assert "other finds 45" in sentence
    assert "evasion and no protection" in sentence
    assert points.evaded_attackers(rows({"distance": 8}), DRAW) == ()
    assert "safe " not in sentence


def test_the_lesson_is_said_where_one_attacker_is_misled_and_another_breaks_it() -> None:
    lesson = points.lesson([rows({"distance": 9, "other": 9}), rows({"distance": 0, "other": 45})], DRAW)
    assert (
        "against x distance finds 0 [0.0, 3.6] of 100, fewer than the 10.0 of guessing, and other finds 45 [" in lesson
    )
    assert points.lesson([rows({"distance": 0, "other": 12})], DRAW) == "", "nobody broke it"
    assert points.lesson([rows({"distance": 9, "other": 45})], DRAW) == "", "nobody was misled"


def test_an_estimate_of_the_worst_names_its_anonymiser() -> None:
    worst: Estimate = rows({"a": 50, "b": 60}).worst
    assert worst.labels["anonymiser"] == "x"
    assert worst.value == 60
    assert worst.level == pytest.approx(0.975)


def test_a_declaration_is_read_as_it_is_written() -> None:
    assert Declaration.read(FORM) == Declaration("sampling and suppression", 5, 5, (0.1, 0.5), 0.8, 1e-6)
    assert Declaration.read("methods=PRAM, then noise") == Declaration("PRAM, then noise")
    assert Declaration.read(" epsilon = 1 , k=3") == Declaration(k=3, epsilon=1)
    assert Declaration.read("pk=20,presence=0:1") == Declaration(pk=20, presence=(0, 1))


def test_a_declaration_of_before_is_read_as_what_it_means() -> None:
    """A chance of .2 is Pk-anonymity of k = 5; an upper end has 0 as the lower one."""
    assert Declaration.read("pk=0.2,presence=0.5") == Declaration(pk=5, presence=(0, 0.5))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k",
        "k=",
        "k=2.5",
        "k=0",
        "q=3",
        "k=3,k=4",
        "pk=1.5",
        "pk=0",
        "pk=x",
        "presence=0.5:0.1",
        "presence=0.1:",
        "presence=0:2",
        "delta=x",
        "methods= ",
    ],
)
def test_what_is_no_declaration_gets_a_sentence(text: str) -> None:
    with pytest.raises(DesignError, match=r"\.|written like") as refused:
        Declaration.read(text)
    assert "2.5" not in str(refused.value)


COUNTED = Anonymity(1, 3, 40, 38, 0.25, 1.0)
WORST = Estimate("hits", 10, 5, 15, 0.95, "by hand", 100)


def line_of(*declared: tuple[str, str]) -> str:
    plan = replace(ContestPlan(anonymisers=("stat",)), declared=declared)
    result = contest(
        plan=plan,
        chance=Guessing(100_000, 10_000, 100, 10.0, 2, 13.0, 18),
        standings=(standing("stat", WORST, anonymity=COUNTED),),
    )
    (line,) = lines(result)
    return line


def test_what_is_counted_stands_beside_what_is_declared() -> None:
    assert line_of().startswith(
        "stat: the k counted is 1 over all columns and 3 over the categories. People of the population who"
    )
    assert "25% to 100% are members" in line_of()
    assert "It declares" not in line_of()
    assert "It declares: coding, k = 5, Pk = 20, δ-presence = (0.1, 0.4), ε = 1." in line_of(
        ("stat", "k=5,pk=20,presence=0.1:0.4,epsilon=1,methods=coding")
    )


def test_a_delta_that_does_not_follow_from_k_and_sampling_is_called_so() -> None:
    """The figures of the paper: k = 5, a tenth sampled, epsilon .8."""
    five = line_of(("stat", "k=5,epsilon=0.8,delta=1e-6"))
    assert "prove δ = 0.00043, where the groups were made without looking at the rows" in five
    assert five.endswith("the declared δ = 1e-06 does not follow.")
    assert line_of(("stat", "k=10,epsilon=0.8,delta=1e-6")).endswith("the declared δ = 1e-06 follows.")
    assert line_of(("stat", "k=10,epsilon=0.8")).endswith("looking at the rows.")


def entry(name: str, counts: dict[str, int], pre: float | None = None, misses: tuple[str, ...] = ()) -> points.Row:
    by_attacker = {attacker: hits(count, DRAW) for attacker, count in counts.items()}
    best = max(counts, key=counts.__getitem__)
    return points.Row(name, by_attacker, best, by_attacker[best], 1.0, misses, pre)


def order(*entries: points.Row) -> Ranking:
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
    assert "With other samples another may have most: B." in sentence(near, str.upper)
    assert "all others lie below" in sentence(far)
    assert sentence(far).startswith("Most points in this contest: a, 880 [")
    assert "No other release may take part" in sentence(order(entry("a", {"x": 1})))
    assert sentence(order(entry("a", {"x": 1}, misses=("trees",)))).startswith("Nobody wins")
