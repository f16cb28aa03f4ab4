"""The figures of explanation audits: every number on them is one of the result, and each says what it shows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from riskkit.dashboard import explanations_charts as charts
from riskkit.dashboard.charts import CHANCE, IN
from riskkit.questions.explanations.play import defence_title, run_explanations
from riskkit.questions.explanations.result import ExplanationsResult
from tests.questions.explanations.test_explanations import PLAN, files

RICH = replace(
    PLAN,
    auxiliary=(30, 120),
    defences=("gaussian:share=5", "references=5"),
    optimisers=("papers", "equal"),
)


@pytest.fixture(scope="module")
def found() -> ExplanationsResult:
    return ExplanationsResult.of(run_explanations(files(), RICH).kept())


def traces(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def test_bars_are_the_estimates_of_every_input(found: ExplanationsResult) -> None:
    figure = charts.features(found, "linear", "success_rate", str)
    drawn = traces(figure)
    assert list(drawn["linear"].x) == [1.0, 1.0, 1.0]
    assert set(drawn["linear"].marker.symbol) == {"triangle-up"}
    guess = found.of_attacker("success_rate", "constant_mode", "place")
    assert guess is not None
    assert drawn["The most frequent value for everybody"].x[0] == guess.value
    assert "The median for everybody" not in drawn, "only the constant guess that is hardest to beat"
    assert "The median for everybody" in traces(charts.features(found, "linear", "mae", str))
    assert "recovers 3 of 3 inputs" in figure.layout.meta
    assert {shape.fillcolor for shape in figure.layout.shapes} >= {IN}
    assert {shape.line.dash for shape in figure.layout.shapes if shape.line.color == CHANCE} == {"dot"}


def test_errors_of_rounding_do_not_blow_up_the_scale(found: ExplanationsResult) -> None:
    figure = charts.correlation(found, "linear", str)
    assert figure.layout.yaxis.range[1] > 0.1
    assert set(figure.data[0].text) == {"place", "weight", "pay"}


def test_sizes_are_a_line_for_each_attacker(found: ExplanationsResult) -> None:
    figure = charts.sizes(found, str)
    assert [trace.name for trace in figure.data] == ["linear", "nearest"]
    assert list(figure.data[0].x) == [30, 120]
    assert "with 30 rows" in figure.layout.meta


def test_optimisers_are_ordered_at_every_rate(found: ExplanationsResult) -> None:
    figure = charts.optimisers(found)
    assert [len(trace.x) for trace in figure.data] == [4, 4]
    assert {*figure.data[0].y} == {"RMSprop", "Adam", "Momentum", "SGD"}
    assert figure.layout.meta.count("<") == 6


def test_the_frontier_marks_what_still_beats_the_constant_guess(found: ExplanationsResult) -> None:
    figure = charts.frontier(found, defence_title)
    marks = {trace.text[0]: trace.marker.symbol for trace in figure.data}
    assert marks["no defence"] == marks["5 reference rows"] == "triangle-up"
    assert [marks[name] for name in marks if name.startswith("Gaussian noise")] == ["circle-open"]
    assert "With 1 of 2 defences, no attack is shown" in figure.layout.meta
