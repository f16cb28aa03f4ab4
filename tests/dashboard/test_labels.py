"""Labels of rows stand beside marks: no line at a value runs through one, in any picture with a row for each number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from riskkit.core import Estimate
from riskkit.dashboard import attributes_charts, audits_charts, charts, records_charts, released_charts
from riskkit.questions.released.result import Attacked
from riskkit.report.compare import Pair
from tests.dashboard.test_attributes_charts import answer
from tests.dashboard.test_charts import estimate


def struck(figure: go.Figure) -> list[str]:
    """The labels of rows that a line at a value runs through."""
    across = [
        (-np.inf, np.inf) if "domain" in str(shape.yref) else (shape.y0, shape.y1)
        for shape in figure.layout.shapes
        if shape.type == "line" and shape.x0 == shape.x1
    ]
    labels = [(note.y, note.text) for note in figure.layout.annotations if note.yref != "paper"]
    return [text for y, text in labels if any(low < y + 0.1 < high for low, high in across)]


def attacks() -> go.Figure:
    return charts.success([(f"Attack {at}", estimate("auc", 0.6, 0.5, 0.7)) for at in range(3)])


def released() -> go.Figure:
    auc = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)
    return released_charts.success([(name, Attacked(name, (auc,), auc, None)) for name in ("a", "b", "c")])


def bars() -> go.Figure:
    return attributes_charts.bars(answer(), "accuracy")


def coarser() -> go.Figure:
    return records_charts.coarser(0.8, [("age", 5, 0.7), ("ward", 5, 0.8)], 5)


def beside() -> go.Figure:
    one = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200, {"attack": "a"})
    return audits_charts.beside("released", [Pair("auc", {"attack": "a"}, one, replace(one, value=0.65))] * 3)


@pytest.mark.parametrize("drawn", [attacks, released, bars, coarser, beside], ids=lambda drawn: drawn.__name__)
def test_no_label_is_struck_through(drawn: Callable[[], go.Figure]) -> None:
    figure = drawn()
    assert any(shape.type == "line" for shape in figure.layout.shapes), "there is a line that could"
    assert struck(figure) == []
    figure.add_vline(0.5)
    assert len(struck(figure)) >= 2, "a line from edge to edge is seen"


def test_a_label_longer_than_a_phone_is_wide_goes_on_in_a_second_line() -> None:
    assert charts.row_label("0.75 [0.71, 0.79]", "Nearest record") == "<b>0.75 [0.71, 0.79]</b>  Nearest record"
    long = "Classifier · Trees 500, Smallest leaf 10"
    assert charts.row_label("0.75 [0.71, 0.79]", long) == f"<b>0.75 [0.71, 0.79]</b><br>{long}"
    lines = charts.row_label("0.75 [0.71, 0.79]", "n" * 90).replace("<b>", "").replace("</b>", "").split("<br>")
    assert [len(line) for line in lines] == [17, charts.PHONE]
    auc = Estimate("auc", 0.6, 0.5, 0.7, 0.95, "by hand", 200)
    short, tall = (
        released_charts.success([(who, Attacked("a", (auc,), auc, None))]).layout.height for who in ("a", long)
    )
    assert tall > short, "there is room for the second line"
