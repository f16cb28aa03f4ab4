"""The frontier: who is grey, what is marked as the loaded release, and what the sentence over it may say."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskkit import registry
from riskkit.core import Estimate
from riskkit.dashboard.contest_charts import ContestLine, HitScale, attacker, frontier, table
from riskkit.questions.contest.points import Spot
from tests.contest_results import contest

RESULT = contest()


def spot(name: str, useful: float, hits: float, *beaten: str, own: bool = False, shown: tuple[str, ...] = ()) -> Spot:
    worst = Estimate("hits", hits, hits - 5, hits + 5, 0.95, "exact", 100)
    return Spot(name, useful, None, worst, own, beaten, shown)


SPOTS = (spot("a", 0.9, 20), spot("b", 0.8, 12), spot("uploaded", 0.85, 40, "a", own=True, shown=("a",)))


def test_beaten_settings_are_hollow_and_the_loaded_release_is_a_diamond_by_its_name() -> None:
    line, *points = frontier(SPOTS, RESULT, "Pairs").data
    assert list(line.x) == [0.8, 0.9], "only those that nobody beats are joined"
    assert [point.marker.symbol for point in points] == ["circle", "diamond-open", "circle"]
    assert points[1].text[0] == "<b>your release</b>"
    assert (points[1].error_y.array[0], points[1].error_y.arrayminus[0]) == (5, 5)
    assert points[1].marker.color != points[0].marker.color


def test_hover_calls_the_loaded_release_by_no_internal_name() -> None:
    beaten = replace(SPOTS[1], beaten=("uploaded", "a"))
    _, *points = frontier((SPOTS[0], beaten, SPOTS[2]), RESULT, "Pairs").data
    hovers = [point.hovertemplate for point in points]
    assert "beaten by your release, a<extra>" in hovers[0]
    assert hovers[1].startswith("your release<br>")
    row = ContestLine("uploaded", "your release", {"me": SPOTS[1].worst}, "me", SPOTS[0].worst)
    cells = table([row], ["me"], HitScale(10.0, 100.0, "{:.4g}", "{:.1f}"), "A finding").data[0].customdata
    assert cells[0][0].startswith("your release<br>me<br>")


def test_fewer_hits_are_higher_up() -> None:
    bottom, top = frontier(SPOTS, RESULT, "Pairs").layout.yaxis.range
    assert bottom > 45
    assert top < 7


@pytest.mark.parametrize(
    ("own", "says"),
    [
        (SPOTS[2], "Your release sits here; these settings protect better at the same usefulness: a"),
        (replace(SPOTS[2], shown=()), "attackers find fewer at the same usefulness, which may be chance: a"),
        (replace(SPOTS[2], shown=(), beaten=()), "Your release sits here; no setting that was played protects better"),
    ],
)
def test_the_sentence_claims_no_more_than_the_intervals(own: Spot, says: str) -> None:
    assert says in str(frontier((*SPOTS[:2], own), RESULT, "Pairs").layout.meta)


def test_attackers_have_their_titles_on_the_axis_and_strangers_their_own_names() -> None:
    line = ContestLine("a", "a", {"dcr-diff": SPOTS[0].worst, "me": SPOTS[1].worst}, "dcr-diff", SPOTS[0].worst)
    figure = table([line], ["dcr-diff", "me"], HitScale(10.0, 100.0, "{:.4g}", "{:.1f}"), "A finding")
    told = [text.replace("<br>", " ") for text in figure.layout.xaxis.ticktext]
    assert told[0] == registry.plugins("released")["dcr-diff"].title
    assert told[1] == "me"
    assert attacker("distance") == registry.plugins("released")["contest"].title
    assert "dcr-diff" not in str(figure.data[0].customdata)


def test_usefulness_over_rounds_has_its_interval_and_that_of_one_round_none() -> None:
    useful = Estimate("pairs", 0.9, 0.88, 0.93, 0.95, "Student over rounds", 5)
    _, one, many = frontier((SPOTS[1], replace(SPOTS[0], useful=useful)), RESULT, "Pairs").data
    assert one.error_x.array is None
    assert many.error_x.array[0] == pytest.approx(0.03)
    assert many.error_x.arrayminus[0] == pytest.approx(0.02)
