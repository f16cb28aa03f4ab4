"""Labels of rows stand beside marks: no line at a value runs through one, in any picture with a row for each number."""

import ast
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import plotly.graph_objects as go
import pytest

from riskkit import dashboard
from riskkit.core import Estimate
from riskkit.dashboard.pages import audits_compare
from riskkit.figures import blocks, canvas, records_charts
from riskkit.report import plots
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
    pair = Pair("auc", {"attack": "a"}, estimate, replace(estimate, value=0.65))
    return blocks.figure(audits_compare.chart("released", [pair] * 3))


@pytest.mark.parametrize("drawn", [released, secret, coarser, beside], ids=lambda drawn: drawn.__name__)
def test_no_label_is_struck_through(drawn: Callable[[], go.Figure]) -> None:
    figure = drawn()
    assert any(shape.type == "line" for shape in figure.layout.shapes), "there is a line that could"
    assert struck(figure) == []
    figure.add_vline(0.5)
    assert len(struck(figure)) >= 2, "a line from edge to edge is seen"


def test_a_label_longer_than_a_phone_is_wide_goes_on_below_and_loses_no_word() -> None:
    assert canvas.row_lines("0.75 [0.71, 0.79]", "Nearest record") == ["<b>0.75 [0.71, 0.79]</b>  Nearest record"]
    long = "Mean and covariance (MVL) · on Mean and covariance with all columns (OMTH17)"
    first, *lines = canvas.row_lines("0.75 [0.71, 0.79]", long)
    assert first == "<b>0.75 [0.71, 0.79]</b>"
    assert " ".join(lines) == long
    assert len(lines) == 2
    assert all(plots.wide(line) <= canvas.PHONE for line in lines)


def test_names_in_lines_are_no_markup() -> None:
    assert canvas.in_lines("<b> & co") == ["&lt;b&gt; &amp; co"]


AUC = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)
LONG = "a name that goes on for longer than a phone is wide, and then some, and then some more"


@pytest.mark.parametrize("many", [1, 2, 8])
@pytest.mark.parametrize("who", ["short", LONG])
@pytest.mark.parametrize("control", [None, AUC])
def test_every_label_stands_between_the_marks_above_and_its_own(many: int, who: str, control: Estimate | None) -> None:
    bars = tuple(Bar(who, AUC, control=control, about=f"{LONG} {place // 2}") for place in range(many))
    figure = blocks.figure(Chart("A sentence.", "AUC", bars, 0.5, (0.0, 1.0)))
    line, mark = 16, 6  # pixels, as the browser draws them
    words = [note for note in figure.layout.annotations if note.yref != "paper"]
    own, *planted = (drawn.y for drawn in figure.data)
    assert len(words) == len(own) == many
    above = 0.0
    for place, note in enumerate(words):
        assert note.y <= above
        assert note.y - line * (note.text.count("<br>") + 1) >= own[place] + mark
        above = (planted[0][place] if planted else own[place]) - mark
    lowest = -figure.layout.yaxis.range[0]
    assert -above <= lowest < figure.layout.height - figure.layout.margin.t


def test_titles_of_axes_are_set_in_lines_that_a_phone_shows() -> None:
    title = "AUC: share of pairs in which the release with the record is picked"
    figure = blocks.figure(Chart("A sentence.", title, (Bar("a", AUC),), 0.5))
    canvas.wrap_titles(figure)
    lines = figure.layout.xaxis.title.text.split("<br>")
    assert " ".join(lines) == title
    assert len(lines) == 2


def test_a_key_makes_room_for_a_title_of_two_lines() -> None:
    short, long = (canvas.empty("", 400).update_layout(legend={**canvas.KEY, "y": -0.2}) for _ in range(2))
    short.update_xaxes(title="share")
    long.update_xaxes(title="rows with the same keys (11 stands for 11 and more)")
    for figure in (short, long):
        canvas.wrap_titles(figure)
    assert long.layout.legend.y < short.layout.legend.y == -0.2


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
    assert canvas.row_lines("0.47", who) == [f"<b>0.47</b>  {who}"]
    number, *lines = canvas.row_lines("0.47", f"{who}と標的と順位")
    assert number == "<b>0.47</b>"
    assert "".join(lines) == f"{who}と標的と順位"
    assert len(lines) == 2
