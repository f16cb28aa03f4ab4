"""Labels of rows stand beside marks: no line at a value runs through one, in any picture with a row for each number."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from riskkit import dashboard
from riskkit.core import Estimate
from riskkit.figures import audits_charts, blocks, canvas, records_charts, rows
from riskkit.report.compare import Pair
from riskkit.show.model import Bar, Chart
from tests.dashboard.test_attributes_view import answer, bars


def struck(figure: go.Figure) -> list[str]:
    """The labels of rows that a line at a value runs through."""
    across = [
        (-np.inf, np.inf) if "domain" in str(shape.yref) else (shape.y0, shape.y1)
        for shape in figure.layout.shapes
        if shape.type == "line" and shape.x0 == shape.x1
    ]
    labels = [(note.y, note.text) for note in figure.layout.annotations if note.yref != "paper"]
    return [text for y, text in labels if any(low < y + 0.1 < high for low, high in across)]


def released() -> go.Figure:
    auc = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)
    return blocks.figure(Chart("A sentence.", "AUC", tuple(Bar(name, auc, control=auc) for name in "abc"), 0.5))


def secret() -> go.Figure:
    return bars(answer(), "accuracy")


def coarser() -> go.Figure:
    return records_charts.coarser(0.8, [("age", 5, 0.7), ("ward", 5, 0.8)], 5)


def beside() -> go.Figure:
    estimate = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200, {"attack": "a"})
    return audits_charts.beside("released", [Pair("auc", {"attack": "a"}, estimate, replace(estimate, value=0.65))] * 3)


@pytest.mark.parametrize("drawn", [released, secret, coarser, beside], ids=lambda drawn: drawn.__name__)
def test_no_label_is_struck_through(drawn: Callable[[], go.Figure]) -> None:
    figure = drawn()
    assert any(shape.type == "line" for shape in figure.layout.shapes), "there is a line that could"
    assert struck(figure) == []
    figure.add_vline(0.5)
    assert len(struck(figure)) >= 2, "a line from edge to edge is seen"


def test_a_label_longer_than_a_phone_is_wide_goes_on_in_a_second_line() -> None:
    assert canvas.row_label("0.75 [0.71, 0.79]", "Nearest record") == "<b>0.75 [0.71, 0.79]</b>  Nearest record"
    long = "Classifier · Trees 500, Smallest leaf 10"
    assert canvas.row_label("0.75 [0.71, 0.79]", long) == f"<b>0.75 [0.71, 0.79]</b><br>{long}"
    lines = canvas.row_label("0.75 [0.71, 0.79]", "n" * 90).replace("<b>", "").replace("</b>", "").split("<br>")
    assert [len(line) for line in lines] == [17, canvas.PHONE]
    auc = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)
    short, tall = (
        blocks.figure(Chart("A sentence.", "AUC", (Bar(who, auc),), 0.5)).layout.height for who in ("a", long)
    )
    assert tall > short, "there is room for the second line"


@pytest.mark.parametrize("rows", [2, 4, 8])
@pytest.mark.parametrize("who", ["short", "a name that goes on for longer than a phone is wide, and then some"])
def test_a_label_stays_clear_of_the_marks_of_the_row_above(rows: int, who: str) -> None:
    bars = tuple(Bar(who, Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)) for _ in range(rows))
    figure = blocks.figure(Chart("A sentence.", "AUC", bars, 0.5, (0.0, 1.0)))
    title_and_axis, line, mark = 78, 16, 6  # pixels
    row = (figure.layout.height - title_and_axis) / (rows + 0.25)
    lines = max(label.text.count("<br>") + 1 for label in figure.layout.annotations)
    assert 0.24 * row + lines * line <= row - mark


@pytest.mark.parametrize("rows", [1, 2, 4, 8])
@pytest.mark.parametrize("who", ["short", "a name that goes on for longer than a phone is wide, and then some"])
def test_the_first_label_stays_clear_of_the_word_over_the_line_of_guessing(rows: int, who: str) -> None:
    bars = tuple(Bar(who, Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)) for _ in range(rows))
    figure = blocks.figure(Chart("A sentence.", "AUC", bars, 0.5, (0.0, 1.0)))
    title_and_axis, line = 78, 16  # pixels
    row = (figure.layout.height - title_and_axis) / (rows + 0.25)
    chance, first = figure.layout.annotations[:2]
    assert chance.text == "chance"
    lines = first.text.count("<br>") + 1
    over = lines * line - (0.75 - 0.24) * row
    assert over <= chance.yshift
    assert chance.yshift + line <= figure.layout.margin.t, "and is in the picture itself"


def test_a_label_stays_clear_of_the_planted_leak_of_the_row_above() -> None:
    auc = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)
    for who in ("short", "a name that goes on for longer than a phone is wide, and then some"):
        bars = tuple(Bar(who, auc, control=auc) for _ in range(8))
        figure = blocks.figure(Chart("A sentence.", "AUC", bars, 0.5, (0.0, 1.0)))
        title_axis_and_key, line, mark = 78 + rows.UNDER, 16, 6  # pixels
        row = (figure.layout.height - title_axis_and_key) / (8 + 0.25)
        lines = max(label.text.count("<br>") + 1 for label in figure.layout.annotations)
        assert 0.24 * row + lines * line <= (1 + rows.PLANTED) * row - mark


def test_every_field_of_several_choices_shows_all_of_them() -> None:
    calls = [
        (path.name, node)
        for path in Path(dashboard.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and any(isinstance(part, ast.Attribute) and part.attr == "multiselect" for part in (node.func, *node.args))
    ]
    assert len(calls) > 10
    assert [f"{name}:{call.lineno}" for name, call in calls if "wrap" not in {key.arg for key in call.keywords}] == []


def test_a_full_width_letter_takes_the_room_of_two() -> None:
    who = "平均と共分散・生成手法：ベイジアンネットワーク"
    assert canvas.width(who) == 2 * len(who)
    assert canvas.row_label("0.47", who) == f"<b>0.47</b>  {who}"
    line = canvas.row_label("0.47", f"{who}と標的と順位").partition("<br>")[2]
    assert line == f"{who}と標…", "as much as there is room for"
    assert canvas.width(line[:-1]) < canvas.PHONE
