"""The figures of attacks on a released file: what they draw, against numbers known beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

from riskkit.dashboard import released_charts
from riskkit.questions.released.result import Attacked, ReleasedResult
from tests.report.test_released_findings import panel, result


@pytest.fixture
def named() -> list[tuple[str, Attacked]]:
    return [(one.attack.upper(), one) for one in ReleasedResult.of(result()).attacks]


def trace(figure: go.Figure, name: str) -> go.Scatter:
    (found,) = [drawn for drawn in figure.data if drawn.name == name]
    return found


def test_success_draws_every_auc_with_its_interval_and_its_control(named: list[tuple[str, Attacked]]) -> None:
    figure = released_charts.success(named)
    drawn = trace(figure, "this release")
    assert list(drawn.x) == [0.52, 0.72]
    np.testing.assert_allclose(drawn.x + drawn.error_x.array, [0.59, 0.76])
    np.testing.assert_allclose(drawn.x - drawn.error_x.arrayminus, [0.45, 0.67])
    assert list(drawn.marker.symbol) == ["circle-open", "triangle-up"], "shape says what lies above chance"
    assert list(trace(figure, "planted leak").x) == [0.74]
    assert figure.layout.shapes[0].x0 == 0.5
    assert figure.layout.meta.startswith("1 of 2 intervals lies wholly above guessing")


def test_no_interval_above_chance_is_said_so(named: list[tuple[str, Attacked]]) -> None:
    figure = released_charts.success(named[:1])
    assert figure.layout.meta == "No attack's interval lies wholly above guessing (AUC 0.50)"


def test_the_curve_is_that_of_the_scores_and_never_below_one_record(named: list[tuple[str, Attacked]]) -> None:
    straight = trace(released_charts.roc(*named[0], log=False), "this release")
    np.testing.assert_allclose([straight.x, straight.y], [[0, 0, 0.5, 1], [0, 1, 1, 1]])
    log = released_charts.roc(*named[0], log=True)
    assert min(trace(log, "this release").x) == pytest.approx(0.1), "ten records were not in"
    assert log.layout.xaxis.type == "log"


def test_a_share_with_an_interval_is_drawn_on_the_curve(named: list[tuple[str, Attacked]]) -> None:
    drawn = trace(released_charts.roc(*named[0], log=False), "with interval")
    assert (list(drawn.x), list(drawn.y)) == ([0.1], [0.2])
    np.testing.assert_allclose([drawn.error_y.array, drawn.error_y.arrayminus], [[0.1], [0.1]])


def test_an_attack_without_scores_has_an_empty_curve_and_no_fault(named: list[tuple[str, Attacked]]) -> None:
    who, one = named[1]
    alone = replace(one, scores=None)
    assert not released_charts.roc(who, alone, log=True).data
    assert not released_charts.scores(who, alone).data


def test_each_side_of_the_scores_adds_up_to_one(named: list[tuple[str, Attacked]]) -> None:
    figure = released_charts.scores(*named[0])
    for drawn, rows in zip(figure.data, ("was in, 10 rows", "was not, 10 rows"), strict=True):
        assert drawn.name == rows
        assert sum(drawn.y[:-2]) == pytest.approx(1)
    assert {drawn.line.dash for drawn in figure.data} == {"solid", "dash"}, "the dash repeats the colour"


def test_distances_of_both_sides_are_drawn_over_each_other() -> None:
    figure = released_charts.distances(panel()["dcr"], "Distance", "A finding")
    assert [drawn.name for drawn in figure.data] == ["real table, 9 rows", "holdout, 9 rows"]
    only = {side: given for side, given in panel()["dcr"].items() if side != "holdout"}
    assert [drawn.name for drawn in released_charts.distances(only, "Distance", "A finding").data] == [
        "real table, 9 rows"
    ]
