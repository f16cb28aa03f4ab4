"""The picture of two runs: it draws the pairs it says it draws, and its sentence is read from them."""

from __future__ import annotations

from riskkit.core import Estimate
from riskkit.dashboard.charts import audits_charts
from riskkit.report.compare import Pair


def pair(left: float, right: float, about: str = "", name: str = "auc") -> Pair:
    first, other = (Estimate(name, value, value - 0.05, value + 0.05, 0.95, "by hand", 20) for value in (left, right))
    return Pair(name, {"attack": about} if about else {}, first, other)


def test_both_runs_are_drawn_with_their_intervals() -> None:
    figure = audits_charts.beside("membership", [pair(0.5, 0.8, "mvl"), pair(0.6, 0.62, "dcr")])
    left, right = figure.data
    assert list(left.x) == [0.5, 0.6]
    assert list(right.x) == [0.8, 0.62]
    assert [round(reach, 6) for reach in left.error_x.array] == [0.05, 0.05]
    assert left.marker.symbol != right.marker.symbol
    assert [a > b for a, b in zip(left.y, right.y, strict=True)] == [True, True]
    assert (
        figure.layout.meta
        == "AUC (Mean and covariance (MVL)) is higher in B: 0.50 [0.45, 0.55] against 0.80 [0.75, 0.85]"
    )
    texts = [note.text for note in figure.layout.annotations]
    assert "guessing" in texts
    assert "Mean and covariance (MVL)  <b>apart</b>" in texts
    assert "Distance to the closest row" in texts


def test_where_nothing_is_apart_the_sentence_says_so() -> None:
    figure = audits_charts.beside("attributes", [pair(0.6, 0.62, name="mae")])
    assert figure.layout.meta == "Mean error: the intervals of A and B overlap everywhere"
    assert "guessing" not in [note.text for note in figure.layout.annotations], "no reference is known"


def test_of_many_numbers_those_that_differ_most_are_drawn_in_their_order() -> None:
    pairs = [pair(0.5, 0.5 + index / 100, str(index)) for index in range(30)]
    drawn = audits_charts.drawn(pairs)
    assert [pair.labels["attack"] for pair in drawn] == [str(index) for index in range(18, 30)]
    figure = audits_charts.beside("membership", pairs)
    assert str(figure.layout.meta).endswith("the picture shows the 12 of 30 that differ most")
    assert len(figure.data[0].x) == 12


def test_a_name_that_came_with_a_file_is_drawn_letter_by_letter() -> None:
    figure = audits_charts.beside(
        "attributes", [pair(0.5, 0.9, "<a href='x'>n</a>", "delta"), pair(0, 0.1, "b", "delta")]
    )
    drawn = " ".join(str(note.text) for note in figure.layout.annotations)
    assert "<a" not in drawn
    assert "&lt;a href" in drawn
