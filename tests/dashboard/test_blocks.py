"""Every kind of block: the page, the paper and the words of a picture hold all of its numbers."""

from itertools import count
from typing import Any
from xml.etree import ElementTree as Tree

import numpy as np
import pytest

from riskkit.core import Estimate
from riskkit.figures import blocks, canvas
from riskkit.report import plots
from riskkit.report.views import printed_blocks
from riskkit.show import in_words
from riskkit.show.blocks import (
    Axis,
    Column,
    Curve,
    Distribution,
    Dots,
    Grid,
    Group,
    Line,
    Numbers,
    Picture,
    Point,
    Points,
    Reference,
    RocCurve,
    RocLine,
    Sentence,
    Series,
    estimates,
    is_on_page,
    map_estimates,
)
from riskkit.show.model import Bar, Chart, sides

_NUMBER = count(11, 2)


def number() -> Estimate:
    """A number that no other block has."""
    value = next(_NUMBER) / 100
    return Estimate("share", value, value - 0.005, value + 0.005, 0.95, "by hand", 20, {"feature": "pay"})


DOTS = Dots(
    "dots",
    "Two of three rows are beaten",
    Axis("share", (0.0, 1.0)),
    ("first <b>", "second", "third"),
    (
        Series("constant", "constant", (number(), number(), None)),
        Series("attack", "measured", (number(), None, number())),
    ),
    frozenset({"second"}),
)
COMPARED = Dots(
    "compared",
    "Both alike",
    Axis("error"),
    ("one", "two"),
    tuple(Series(who, "compared", (number(), number())) for who in ("left", "right")),
)
CURVE = Curve(
    "curve",
    "More rows help",
    Axis("rows"),
    Axis("share", (0.0, 1.0)),
    (Line("attack", (20, 80), (number(), number())), Line("other", (20,), (number(),))),
    "rows",
    Reference("guess 0.10", 0.1),
)
POINTS = Points(
    "points",
    "One is stopped",
    "Defence",
    Axis("kept", (0.0, 1.0)),
    Axis("recovered", (0.0, 1.0)),
    tuple(
        Point(who, across, up, (f"kept {across}", f"recovered {up}"), kind)
        for who, across, up, kind in (("none", number(), number(), "leak"), ("noise", number(), number(), "stopped"))
    ),
    is_measured_across=True,
    reference=Reference("guess 0.10", 0.1),
)
INTERVALS = Chart("Above guessing", "share", (Bar("attack", number()), Bar("guess", number(), "baseline")), 0.0)
CONTROLLED = Chart("Found", "share", (Bar("attack", number(), control=number()), Bar("other", number())), 0.0)
ROC = RocCurve(
    "roc",
    "One is better",
    Axis("false alarms"),
    Axis("named"),
    (RocLine("one", (0.0, 0.1, 1.0), (0.0, 0.5, 1.0)), RocLine("other", (0.0, 1.0), (0.0, 1.0))),
    tuple(number().label(fpr=fpr) for fpr in ("0.1", "0.01")),
    0.001,
)
SPREAD = Distribution(
    "spread",
    "Alike",
    Axis("score"),
    Axis("share"),
    (0.0, 1.0, 2.0),
    (("member", True, (0.3, 0.7)), ("was not", False, (0.6, 0.4))),
)
GRID = Grid(
    "gains",
    "One of four fields is above 0",
    "Gain",
    "Known",
    ("first <b>", "second"),
    ("all", "some"),
    ((number(), None), (number(), number())),
    ((True, False), (False, False)),
    "above 0",
    ((False, False), (True, False)),
    (("", "not asked"), ("", "")),
)
EVERY = (DOTS, COMPARED, CURVE, POINTS, INTERVALS, CONTROLLED, ROC, SPREAD)


@pytest.mark.parametrize("picture", EVERY, ids=lambda picture: picture.key)
def test_a_page_draws_every_number_with_its_interval_and_its_words(picture: Picture) -> None:
    figure = blocks.figure(picture)
    drawn: list[tuple[float, float, float]] = []
    for trace in figure.data:
        for letter in ("x", "y"):
            error = getattr(trace, f"error_{letter}")
            if error.array is not None:
                ends = zip(getattr(trace, letter), error.arrayminus, error.array, strict=True)
                drawn += [(value, value - less, value + more) for value, less, more in ends]
    every = {e.value: e for e in estimates([picture])}
    assert {round(value, 9) for value, *_ in drawn} <= {round(value, 9) for value in every}
    guessed = {
        e.value for s in getattr(picture, "series", ()) if s.kind in ("guess", "constant") for e in s.estimates if e
    }
    assert {round(value, 9) for value, *_ in drawn} == {round(v, 9) for v in set(every) - guessed}
    for value, low, high in drawn:
        known = next(e for v, e in every.items() if abs(v - value) < 1e-9)
        assert (low, high) == pytest.approx((known.low, known.high))
    assert {round(float(x), 9) for trace in figure.data for x in (*trace.x, *trace.y)} >= {round(v, 9) for v in every}
    assert figure.layout.meta == picture.sentence
    assert "<b>" not in str(figure.layout.yaxis.ticktext)


@pytest.mark.parametrize("picture", [*EVERY, GRID], ids=lambda picture: picture.key)
def test_words_and_paper_hold_every_number(picture: Picture) -> None:
    spoken = in_words.picture_in_words(picture)
    assert all(f"{e.value:.2f}" in spoken for e in estimates([picture]))
    drawing = Tree.fromstring(plots.svg(picture))  # noqa: S314  drawn just now
    assert drawing.findtext("{http://www.w3.org/2000/svg}title") == spoken
    (block,) = printed_blocks([picture], 2)
    assert (block["title"], block["alt"]) == (picture.sentence, spoken)


def test_what_is_beaten_is_said_and_not_only_coloured() -> None:
    assert "Guesses are beaten in: second." in in_words.picture_in_words(DOTS)
    assert "none: kept" in (spoken := in_words.picture_in_words(POINTS))
    assert spoken.count("guessing is beaten") == 1
    shapes = {
        text: shape
        for trace in blocks.figure(POINTS).data
        for text, shape in zip(trace.text, trace.marker.symbol, strict=True)
    }
    assert shapes == {"none": "triangle-up", "noise": "circle-open"}


def test_a_map_has_every_field_in_its_place_and_says_which_is_marked() -> None:
    (field,) = blocks.figure(GRID).data
    known = [[None if e is None else e.value for e in row] for row in GRID.cells]
    assert [[None if np.isnan(z) else z for z in row] for row in field.z] == known
    assert [text.startswith("▲") for row in field.text for text in row] == [True, False, False, False]
    assert "<b>" not in str(blocks.figure(GRID).layout.yaxis.ticktext)
    assert "not asked" in field.customdata[0][1]
    assert in_words.picture_in_words(GRID).count("; above 0.") == 1


def test_members_and_others_are_one_picture_under_what_both_are_about() -> None:
    pairs = (*sides("age, <b>", number(), number()), *sides("ward", number(), number()))
    figure = blocks.figure(Chart("Found", "share", pairs, None, as_shares=True))
    over = [note.text for note in figure.layout.annotations]
    assert [text.partition("<br>")[0] for text in over[::2]] == ["age, &lt;b&gt;", "ward"]
    assert ["ward" in text for text in over] == [False, False, True, False], "written once"
    spoken = in_words.picture_in_words(Chart("Found", "share", pairs, None, as_shares=True))
    assert [spoken.count(f"{who}: ward: ") for who in ("members", "others")] == [1, 1], "each by itself for the ear"
    assert {mark.marker.color for mark in figure.data} == {canvas.IN, canvas.OUT}


def test_a_triangle_is_wholly_above_guessing_and_a_name_is_no_markup() -> None:
    low, high = (Estimate("share", value, value - 0.1, value + 0.1, 0.95, "by hand", 20) for value in (0.05, 0.3))
    figure = blocks.figure(Chart("s", "share", (Bar("<b>", low), Bar("b", high), Bar("c", high, "baseline")), 0.0))
    assert [tuple(marks.marker.symbol) for marks in figure.data] == [("circle-open", "triangle-up"), ("square",)]
    assert "&lt;b&gt;" in figure.layout.annotations[0].text


def test_what_is_for_files_alone_is_not_printed() -> None:
    table = Numbers("t", "Table", (Column("a", "A"), Column("b", "B")), (("x", number()),))
    text = Sentence("s", "Said beside it.")
    others = Group("others", "Others", (table,), on_paper=False)
    parts = [*printed_blocks([Group("g", "All", (text, table), caption="Counted."), others], 2)]
    assert [part["kind"] for part in parts] == ["heading", "p", "table", "p"]
    assert estimates([others]), "they are in the files"


def test_a_wide_table_is_set_in_parts_that_repeat_the_first_column_and_leave_none_out() -> None:
    columns = (*(Column(f"c{index}", f"Column {index}") for index in range(9)), Column("long", "Long", width=0))
    row: tuple[Any, ...] = (*(f"cell {index}" for index in range(8)), number(), "not on paper")
    parts = [*printed_blocks([Group("g", "All", (Numbers("t", "Table", columns, (row,)),))], 2)]
    assert [part["kind"] for part in parts] == ["heading", "table", "table"]
    assert [part["head"][0] for part in parts[1:]] == ["Column 0", "Column 0"]
    assert {head for part in parts[1:] for head in part["head"]} == {f"Column {index}" for index in range(9)}
    assert all(len(part["head"]) <= 6 for part in parts[1:])


@pytest.mark.parametrize("picture", [*EVERY, GRID, Group("g", "All", EVERY)], ids=lambda picture: picture.key)
def test_labels_are_replaced_in_every_block(picture: Any) -> None:
    bare = map_estimates(picture, lambda e: e.label(feature="hidden"))
    assert {e.labels["feature"] for e in estimates([bare])} == ({"hidden"} if estimates([picture]) else set())
    assert len(estimates([bare])) == len(estimates([picture]))


def test_details_are_printed_behind_and_other_sentences_on_the_page_of_the_question() -> None:
    folded = Group("fold", "Fold", (Sentence("f", "Folded."),), is_folded=True)
    view = (Sentence("s", "Small.", is_small=True), Sentence("l", "Large."), folded)
    assert [block.key for block in view if is_on_page(block)] == ["l"]
    behind = printed_blocks((block for block in view if not is_on_page(block)), 3)
    assert [block["text"] for block in behind] == ["Small.", "Fold", "Folded."]
