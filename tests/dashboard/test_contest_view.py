"""The matrix and the frontier of a contest on a page: what is grey, what is marked, and what the sentences may say."""

from dataclasses import replace

import pytest

from riskkit import registry
from riskkit.audit.report_facts import titles
from riskkit.core import Estimate
from riskkit.figures import blocks, planes
from riskkit.questions.contest import present
from riskkit.questions.contest.points import About, Spot
from riskkit.questions.contest.result import Order
from riskkit.report import plots
from riskkit.show.blocks import Frontier
from riskkit.show.names import Names
from tests.contest_results import contest, standing

NAMES = Names.all_told(titles())
PAIRS = About("Pairs", "How well pairs are kept.")


def hits(value: float, **labels: str) -> Estimate:
    return Estimate("hits", value, value - 5, value + 5, 0.95, "exact", 100, labels)


def spot(name: str, useful: float, value: float, *beaten: str, own: bool = False, shown: tuple[str, ...] = ()) -> Spot:
    return Spot(name, useful, None, hits(value), own, beaten, shown)


SPOTS = (spot("a", 0.9, 20), spot("b", 0.8, 12), spot("uploaded", 0.85, 40, "a", own=True, shown=("a",)))


def frontier(*spots: Spot) -> Frontier:
    result = contest(frontiers={"pairs": spots}, order=Order((), ("pairs",)))
    return present.frontier(result, "pairs", PAIRS, NAMES)


def test_beaten_settings_are_hollow_and_the_loaded_release_is_a_diamond_by_its_name() -> None:
    points = blocks.figure(frontier(*SPOTS)).data
    assert [point.marker.symbol for point in points] == ["circle", "diamond-open", "triangle-up"]
    assert points[1].text[0] == "<b>your release</b>"
    assert (points[1].error_y.array[0], points[1].error_y.arrayminus[0]) == (5, 5)
    assert points[1].marker.color != points[0].marker.color


def test_hover_calls_the_loaded_release_by_no_internal_name() -> None:
    beaten = replace(SPOTS[1], beaten=("uploaded", "a"))
    points = blocks.figure(frontier(SPOTS[0], beaten, SPOTS[2])).data
    hovers = [point.hovertemplate for point in points]
    assert "beaten by your release, a<extra>" in hovers[0]
    assert hovers[1].startswith("your release<br>")
    own = standing("uploaded", SPOTS[0].worst, is_uploaded=True, best="me")
    result = contest(standings=(own,), estimates=(hits(12, anonymiser="uploaded", attacker="me"),))
    cells = blocks.figure(present.matrix(result, NAMES)).data[0].customdata
    assert cells[0][0].startswith("your release<br>me<br>")


def test_hits_rise_upwards_and_the_best_corner_is_named() -> None:
    layout = blocks.figure(frontier(*SPOTS)).layout
    bottom, top = layout.yaxis.range
    assert bottom < 7
    assert top > 45
    assert (
        layout.annotations[-1].text
        == "<b>▲ more found than by guessing. Grey: another beats it on both. Best: lower right ↘</b>"
    )


@pytest.mark.parametrize(
    ("own", "says"),
    [
        (SPOTS[2], "Your release sits here; these settings protect better at the same usefulness: a"),
        (replace(SPOTS[2], shown=()), "attackers find fewer at the same usefulness, which may be chance: a"),
        (replace(SPOTS[2], shown=(), beaten=()), "Your release sits here: 40 of 100 named are members"),
    ],
)
def test_the_sentence_claims_no_more_than_the_intervals(own: Spot, says: str) -> None:
    assert says in frontier(*SPOTS[:2], own).sentence


def test_settings_of_one_method_are_told_apart_beside_their_spots() -> None:
    swept = [spot(f"pram:p={p}", p, 100 * p) for p in (0.2, 0.5, 0.9)]
    points = blocks.figure(frontier(*swept)).data
    assert len({point.text[0] for point in points}) == 3
    assert all(point.text[0].endswith(f": {p}") for point, p in zip(points, (0.2, 0.5, 0.9), strict=True))


def test_names_beside_spots_are_whole_on_a_phone() -> None:
    far = spot("kanon:k=5", 0.93, 100), spot("pram:p=0.8", 0.77, 80), spot("bayesnet", 0.9, 73), spot("stat", 0.84, 95)
    points = blocks.figure(frontier(*far)).data
    named = [(point, point.text[0].split("<br>")) for point in points if point.text[0]]
    assert len(named) >= 3
    assert max(plots.wide(line) for _, lines in named for line in lines) <= planes.ROOM
    ends = {point.x[0]: point.textposition.split()[1] for point, _ in named}
    assert (ends.get(0.77, "right"), ends.get(0.93, "left")) == ("right", "left"), "none leaves the picture"


def test_turned_names_of_many_attackers_have_two_lines_and_cover_no_other() -> None:
    attackers = ("contest", "two-sided", "dcr-diff", "mc", "classifier", "ensemble")
    counts = tuple(hits(20, anonymiser="a", attacker=name) for name in attackers)
    result = contest(standings=(standing("a", counts[0], best="contest"),), estimates=counts)
    shown = [text.split("<br>") for text in blocks.figure(present.matrix(result, NAMES)).layout.xaxis.ticktext]
    assert max(map(len, shown)) == 2
    assert max(len(line) for lines in shown[:-1] for line in lines) <= 15


def test_attackers_have_their_titles_on_the_axis_and_strangers_their_own_names() -> None:
    counts = [hits(20, anonymiser="a", attacker="dcr-diff"), hits(12, anonymiser="a", attacker="me")]
    result = contest(standings=(standing("a", counts[0], best="dcr-diff"),), estimates=tuple(counts))
    figure = blocks.figure(present.matrix(result, NAMES))
    shown = [text.replace("<br>", " ") for text in figure.layout.xaxis.ticktext]
    assert shown[0] == registry.plugins("released")["dcr-diff"].title
    assert shown[1] == "me"
    assert "dcr-diff" not in str(figure.data[0].customdata)
    organisers = contest(
        standings=(standing("a", counts[0]),), estimates=(hits(1, anonymiser="a", attacker="distance"),)
    )
    assert present.matrix(organisers, NAMES).columns == (registry.plugins("released")["contest"].title,)


def test_a_count_has_the_sign_of_its_whole_interval_beside_guessing() -> None:
    """Guessing finds 10: planted are one count above it, one below, and two whose interval holds it."""
    values = {"more": 16.0, "few": 4.0, "as many": 14.0, "just as many": 15.0}
    counts = tuple(hits(value, anonymiser="a", attacker=who) for who, value in values.items())
    matrix = present.matrix(contest(standings=(standing("a", counts[0]),), estimates=counts), NAMES)
    (row,) = matrix.rows
    assert [matrix.sign(count) for count in row.counts if count] == ["▲", "▽", "", ""]
    (field,) = blocks.figure(matrix).data
    assert [text.partition("<br>")[0] for text in field.text[0]] == ["▲ 16", "▽ 4", "14", "15", "▲ 16"]
    middle = (field.zmin + field.zmax) / 2
    assert middle == pytest.approx(matrix.guess), "the neutral colour is what guessing finds"


def test_usefulness_over_rounds_has_its_interval_and_that_of_one_round_none() -> None:
    useful = Estimate("pairs", 0.9, 0.88, 0.93, 0.95, "Student over rounds", 5)
    single, many = blocks.figure(frontier(SPOTS[1], replace(SPOTS[0], useful=useful))).data
    assert single.error_x.array is None
    assert many.error_x.array[0] == pytest.approx(0.03)
    assert many.error_x.arrayminus[0] == pytest.approx(0.02)
