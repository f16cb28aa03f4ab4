"""The view of attacks on a released file: what page and paper draw of it, against numbers known beforehand."""

from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as Tree

import numpy as np
import plotly.graph_objects as go
import pytest

from riskkit.audit.report_facts import titles
from riskkit.dashboard.frame.views import names
from riskkit.figures import blocks, rows
from riskkit.questions.released import present
from riskkit.questions.released.result import Attacked, ReleasedResult
from riskkit.report import plots
from riskkit.show import in_words
from riskkit.show.blocks import Axis, Distribution, Group, Numbers, Picture, RocCurve, Sentence, flat
from riskkit.show.model import Class
from riskkit.show.names import Names
from tests.report.test_released_findings import panel, result

SHAREABLE = Names(Class.SHAREABLE, b"key", (), titles())


def shown(kept: dict[str, Any], reader: Names | None = None) -> dict[str, Any]:
    """The blocks of the view by their keys."""
    return {block.key: block for block in flat(present.view(ReleasedResult.from_plain(kept), reader or names()))}


def attacks() -> tuple[Attacked, ...]:
    return ReleasedResult.from_plain(result()).attacks


def curve(attack: Attacked, *, is_log: bool = True) -> RocCurve:
    (drawn,) = present.roc(attack, names(), is_log=is_log)
    return drawn


def trace(figure: go.Figure, name: str) -> go.Scatter:
    (drawn,) = [each for each in figure.data if each.name == name]
    return drawn


def test_success_draws_every_auc_with_its_interval_and_its_control() -> None:
    block = shown(result())["success"]
    figure = blocks.figure(block)
    drawn = trace(figure, "this release")
    assert list(drawn.x) == [0.72, 0.52], "the strongest first"
    upper = np.array(drawn.x) + np.array(drawn.error_x.array)
    lower = np.array(drawn.x) - np.array(drawn.error_x.arrayminus)
    np.testing.assert_allclose([lower, upper], [[0.67, 0.45], [0.76, 0.59]])
    assert list(drawn.marker.symbol) == ["triangle-up", "circle-open"], "shape says what lies above chance"
    planted = trace(figure, "planted leak")
    assert (list(planted.x), list(planted.marker.symbol)) == ([0.74], ["diamond"])
    assert planted.y[0] == pytest.approx(drawn.y[0] - rows.PLANTED), "in the row of its attack"
    assert figure.layout.shapes[0].x0 == 0.5
    assert figure.layout.meta.startswith("1 of 2 intervals lies wholly above guessing; the highest AUC is 0.72")
    texts = [node.text or "" for node in Tree.fromstring(plots.svg(block)).iter()]  # noqa: S314  drawn just now
    for number in ("0.72 [0.67, 0.76]", "0.74 [0.70, 0.78]", "0.52 [0.45, 0.59]"):
        assert number in texts
    assert "On the planted leak: 0.74, between 0.70 and 0.78." in in_words.picture_in_words(block)


def test_no_interval_above_chance_is_said_so() -> None:
    quiet = [estimate for estimate in result()["estimates"] if estimate["attack"] == "dcr"]
    assert shown(result(estimates=quiet))["success"].sentence == (
        "No attack's interval lies wholly above guessing (AUC 0.50)"
    )


def test_an_interval_below_all_axes_is_drawn_whole() -> None:
    low = [{**estimate, "value": 0.3, "low": 0.2, "high": 0.4} for estimate in result()["estimates"]]
    block = shown(result(estimates=low))["success"]
    assert block.ends == (0.2, 1.0)
    assert blocks.figure(block).layout.xaxis.range[0] < 0.2


def test_the_curve_is_that_of_the_scores_and_never_below_one_record() -> None:
    dcr = attacks()[0]
    straight = trace(blocks.figure(curve(dcr, is_log=False)), "this release")
    np.testing.assert_allclose([straight.x, straight.y], [[0, 0, 0.5, 1], [0, 1, 1, 1]])
    log = blocks.figure(curve(dcr))
    assert min(trace(log, "this release").x) == pytest.approx(0.1), "ten records were not in"
    assert log.layout.xaxis.type == "log"


def test_a_share_with_an_interval_is_drawn_on_the_curve_and_said() -> None:
    block = curve(attacks()[0], is_log=False)
    drawn = trace(blocks.figure(block), "with interval")
    assert (list(drawn.x), list(drawn.y)) == ([0.1], [0.2])
    np.testing.assert_allclose([drawn.error_y.array, drawn.error_y.arrayminus], [[0.1], [0.1]])
    assert "At 10 % false alarms: 0.20, between 0.10 and 0.30." in in_words.picture_in_words(block)


def test_paper_draws_the_curve_where_the_page_does() -> None:
    """The corner of (0, 0), (0, 1), (1, 1) on linear axes, and the first place that logarithmic ones can show."""
    straight, log = (
        [
            [tuple(map(float, place.split(","))) for place in node.attrib["points"].split()]
            for node in Tree.fromstring(plots.svg(curve(attacks()[0], is_log=is_log))).iter()  # noqa: S314  our own
            if node.tag.endswith("polyline")
        ]
        for is_log in (False, True)
    )
    left, right = plots.LEFT, plots.WIDTH - plots.SIDE
    corners = [(left, plots.BOTTOM), (left, plots.TOP), ((left + right) / 2, plots.TOP), (right, plots.TOP)]
    np.testing.assert_allclose(straight[0], corners)
    np.testing.assert_allclose(log[0][0], (left, plots.BOTTOM))
    assert log[0][2][0] == pytest.approx(left + (right - left) * (1 + np.log10(0.5)), abs=0.1)


def test_an_attack_without_scores_has_no_curve_and_no_fault() -> None:
    alone = replace(attacks()[1], scores=None)
    assert [*present.roc(alone, names()), *present.scores(alone, names())] == []
    bare = shown(result(scores=[]))
    assert not {"roc", "scores"} & set(bare)
    assert {"success", "estimates"} <= set(bare)


def test_each_side_of_the_scores_adds_up_to_one() -> None:
    (block,) = present.scores(attacks()[0], names())
    figure = blocks.figure(block)
    for drawn, name in zip(figure.data, ("member, 10 rows", "other, 10 rows"), strict=True):
        assert drawn.name == name
        assert sum(drawn.y[:-2]) == pytest.approx(1)
    assert [drawn.line.dash for drawn in figure.data] == ["solid", "dash"], "the dash repeats the colour"


def test_distances_of_both_sides_are_drawn_over_each_other() -> None:
    drawn = shown(result())["dcr"]
    assert [side[0] for side in drawn.sides] == ["real table, 9 rows compared", "holdout, 9 rows compared"]
    only = {side: known for side, known in panel()["dcr"].items() if side != "holdout"}
    alone = shown(result(panel=panel(dcr=only, nndr=None)))
    assert [side[0] for side in alone["dcr"].sides] == ["real table, 9 rows compared"]
    assert "nndr" not in alone


def test_half_of_a_side_lies_between_the_ends_that_are_said() -> None:
    edges = tuple(map(float, range(11)))
    shares = (0.0, 0.2, 0.1, 0.2, 0.2, 0.2, 0.1, 0.0, 0.0, 0.0)
    spread = Distribution("s", "A sentence", Axis("Score"), Axis("Share"), edges, (("member", True, shares),))
    assert in_words.picture_in_words(spread).endswith("member: half between 3 and 6.")


def test_those_who_may_not_see_rows_are_shown_no_single_score_and_no_distance() -> None:
    """Planted: for whoever may see them they are there."""
    scored = result(scores=[{**result()["scores"][0], "attack": "domias"}])
    everything, withheld = shown(scored), shown(scored, SHAREABLE)
    assert set(everything) - set(withheld) == {"roc", "scores", "near", "dcr", "nndr"}


def test_what_paper_has_on_the_page_of_the_question_is_in_no_fold() -> None:
    for block in present.view(ReleasedResult.from_plain(result()), names()):
        if isinstance(block, Group) and block.key == "panel":
            assert not block.is_folded
            assert [each.about for each in block.blocks if isinstance(each, Sentence) and each.about] == [
                "Near copies",
                "Nearer to whom",
            ]


def test_every_estimate_is_in_the_table_and_every_picture_in_words() -> None:
    kept = result()
    every = shown(kept)
    (table,) = [block for block in every.values() if isinstance(block, Numbers)]
    cells = {cell for row in table.texts() for cell in row}
    assert {"0.52 [0.45, 0.59]", "0.20 [0.10, 0.30]", "0.72 [0.67, 0.76]", "0.74 [0.70, 0.78]"} <= cells
    for block in every.values():
        if isinstance(block, Picture):
            assert len(in_words.picture_in_words(block)) > 40


@pytest.mark.parametrize(("bar", "finders", "sign"), [(0.5, 1, "●"), (0.72, 0, "◌")])
def test_the_planted_leak_is_found_above_the_limit_alone(bar: float, finders: int, sign: str) -> None:
    group, is_found = present.control(ReleasedResult.from_plain(result()), names(), bar)
    assert group.title == f"Planted leak: {finders} of 1 attack found it, 1 had no plant"
    assert is_found == bool(finders)
    _, own, silent = (block.text for block in group.blocks if isinstance(block, Sentence))
    assert own.startswith(sign)
    assert silent == "◌ Too few."
