"""The view of explanation audits on a page: every number is one of the result, and each figure says what it shows."""

from dataclasses import replace
from typing import Any

import pytest

from riskkit.dashboard.frame.views import names
from riskkit.figures import blocks
from riskkit.figures.canvas import CHANCE, IN
from riskkit.questions.explanations import present
from riskkit.questions.explanations.play import run_explanations
from riskkit.questions.explanations.result import GAIN, ExplanationsResult
from riskkit.show.blocks import Picture, flat
from riskkit.show.model import Chart
from tests.questions.explanations.test_explanations import PLAN, files

RICH = replace(
    PLAN,
    auxiliary=(30, 120),
    defences=("gaussian:share=5", "references=5"),
    optimisers=("papers", "equal"),
)


@pytest.fixture(scope="module")
def result() -> ExplanationsResult:
    return ExplanationsResult.from_plain(run_explanations(files(), RICH).plain())


def features(result: ExplanationsResult, measure: str) -> Any:
    return blocks.figure(present.features(result, names(), "linear", measure))


def drawn(result: ExplanationsResult) -> dict[str, Any]:
    """The figures of the whole view, by the keys of their blocks."""
    every = flat(present.view(result, names()))
    return {block.key: blocks.figure(block) for block in every if isinstance(block, Picture)}


def traces(figure: Any) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data}


def test_bars_are_the_estimates_of_every_input(result: ExplanationsResult) -> None:
    figure = features(result, "success_rate")
    marks = traces(figure)
    assert list(marks["Least squares"].x) == [1.0, 1.0, 1.0]
    assert set(marks["Least squares"].marker.symbol) == {"triangle-up"}
    guess = result.attacker_estimate("success_rate", "constant_mode", "place")
    assert guess is not None
    assert marks["The most frequent value for everybody"].x[0] == guess.value
    assert "The median for everybody" not in marks, "only the constant guess that is hardest to beat"
    assert "The median for everybody" in traces(features(result, "mae"))
    assert "recovers 3 of 3 inputs" in figure.layout.meta
    assert {shape.fillcolor for shape in figure.layout.shapes} >= {IN}
    assert {shape.line.dash for shape in figure.layout.shapes if shape.line.color == CHANCE} == {"dot"}


def test_what_is_gained_stands_first_and_all_inputs_last() -> None:
    both = replace(RICH, attackers=("nearest",), victims=40)
    result = run_explanations(files(), both)
    picture = present.features(result, names(), "nearest", GAIN)
    assert isinstance(picture, Chart)
    assert result.best.most is not None
    first, gain = result.best.most
    assert (picture.bars[0].who, picture.bars[0].estimate) == (first, gain)
    assert [bar.who for bar in picture.bars][-1] == "all inputs together"
    values = [bar.estimate.value for bar in picture.bars[1:-1]]
    assert values == sorted(values, reverse=True)
    marked = {bar.who for bar in picture.bars if picture.role(bar) == "above"} - {"all inputs together"}
    assert marked == set(result.best.recovered)
    assert picture.ends[0] <= min(bar.estimate.low for bar in picture.bars)


def test_errors_of_rounding_do_not_blow_up_the_scale(result: ExplanationsResult) -> None:
    figure = blocks.figure(present.correlation(result, names(), "linear"))
    assert figure.layout.yaxis.range[1] > 0.1
    assert set(figure.data[0].text) == {"place", "weight", "pay"}


def test_sizes_are_a_line_for_each_attacker(result: ExplanationsResult) -> None:
    figure = drawn(result)["sizes"]
    assert [trace.name for trace in figure.data] == ["Least squares", "Nearest made-up rows"]
    assert list(figure.data[0].x) == [30, 120]
    assert "with 30 rows" in figure.layout.meta


def test_optimisers_are_ordered_at_every_rate(result: ExplanationsResult) -> None:
    figure = drawn(result)["optimisers"]
    assert [len(trace.x) for trace in figure.data] == [4, 4]
    assert {*figure.layout.yaxis.ticktext} == {"RMSprop", "Adam", "Momentum", "SGD"}
    assert figure.layout.meta.count("<") == 6


def test_the_frontier_marks_what_still_beats_the_constant_guess(result: ExplanationsResult) -> None:
    figure = drawn(result)["frontier"]
    marks = {
        text.replace("<br>", " "): shape
        for trace in figure.data
        for text, shape in zip(trace.text, trace.marker.symbol, strict=True)
    }
    assert marks["no defence"] == marks["5 reference rows"] == "triangle-up"
    assert [marks[name] for name in marks if name.startswith("Gaussian")] == ["circle-open"]
    assert "With 1 of 2 defences, no attack is shown" in figure.layout.meta
