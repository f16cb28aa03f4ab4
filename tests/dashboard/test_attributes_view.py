"""The view of attribute inference: what its pictures draw and its sentences say, against numbers known beforehand."""

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from riskkit.core import Estimate
from riskkit.figures import blocks
from riskkit.questions.attributes import present
from riskkit.questions.attributes.findings import SecretAnswer, foremost
from riskkit.questions.attributes.outcome import About, Sides
from riskkit.questions.attributes.result import Swept
from riskkit.show.blocks import Group, Sentence, flat
from riskkit.show.model import Chart, Class
from riskkit.show.names import Names

NAMES = Names.all_told({})
SIDES = {
    "baseline": ("baseline_tested", "control"),
    "control": ("release", "control"),
    "members": ("release", "members"),
    "ceiling": ("real", "control"),
}


def estimate(name: str, value: float, low: float, high: float, **labels: str) -> Estimate:
    return Estimate(name, value, low, high, 0.95, "by hand", 200, labels)


def of_side(side: str, value: float, name: str = "accuracy") -> Estimate:
    trained_on, tested_on = SIDES[side]
    return estimate(name, value, value - 0.02, value + 0.03, trained_on=trained_on, tested_on=tested_on)


def answer(*more: Estimate, column: str = "income") -> SecretAnswer:
    values = {"baseline": 0.75, "control": 0.81, "members": 0.9, "ceiling": 0.82}
    guesses = tuple(of_side(side, value) for side, value in values.items())
    return SecretAnswer(column, "age, sex", "forest", (*guesses, *more), Sides(None, None, None))


def bars(asked: SecretAnswer, measure: str) -> go.Figure:
    return blocks.figure(present.bars(asked, measure, NAMES))


def heatmap(cells: list[Swept], what: str) -> go.Figure:
    return blocks.figure(present.grid(cells, what, NAMES))


def points(figure: go.Figure) -> dict[str, Any]:
    """By the first word of its name every mark with the ends of its interval, shape and height, from the top."""
    every = {
        str(held[0]).partition(":")[0]: (x, low, high, symbol, y)
        for drawn in figure.data
        for held, x, y, low, high, symbol in zip(
            drawn.customdata,
            drawn.x,
            drawn.y,
            drawn.error_x.arrayminus,
            drawn.error_x.array,
            drawn.marker.symbol,
            strict=True,
        )
    }
    return dict(sorted(every.items(), key=lambda item: -item[1][-1]))


def words_of(figure: go.Figure) -> str:
    return str(figure.layout.meta)


def test_members_stand_above_others_and_both_beside_baseline_and_ceiling() -> None:
    figure = bars(answer(), "accuracy")
    drawn = points(figure)
    assert list(drawn) == ["Members", "Others", "Baseline", "Ceiling"]
    assert [float(x) for x, *_ in drawn.values()] == [0.9, 0.81, 0.75, 0.82]
    np.testing.assert_allclose([(low, high) for _, low, high, *_ in drawn.values()], [(0.02, 0.03)] * 4)
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert [(line.x0, line.line.dash) for line in lines] == [(0.75, "dot")] * 4 + [(0.82, "dash")] * 4


def test_every_bar_is_told_apart_without_its_colour() -> None:
    figure = bars(answer(), "accuracy")
    symbols = [symbol for *_, symbol, _ in points(figure).values()]
    assert len(set(symbols)) == 4
    texts = [note.text for note in figure.layout.annotations]
    assert "<b>81.0 % [79.0 %, 84.0 %]</b><br>Others: people outside the data (control)" in texts


def test_the_finding_says_whether_people_in_it_are_easier_to_guess() -> None:
    gain = estimate("delta", 0.06, 0.04, 0.08, metric="accuracy", trained_on="release")
    easier = estimate("residual", 0.4, 0.2, 0.6, trained_on="release")
    no_easier = estimate("residual", 0.0, -0.1, 0.1, trained_on="release")

    def compared(with_it: Estimate, without: Estimate, *more: Estimate) -> SecretAnswer:
        return replace(answer(*more), compared=Sides(with_it, without, None))

    sentence = words_of(bars(compared(easier, no_easier, gain), "accuracy"))
    assert sentence == "Members are easier to guess than others; one guess for everybody: 75.0 %"
    assert "not shown to be easier" in words_of(bars(compared(no_easier, no_easier, gain, easier), "accuracy"))
    assert words_of(bars(compared(easier, easier, gain), "accuracy")).endswith("beyond 75.0 %"), "easier without it too"
    no_gain = estimate("delta", 0.01, -0.01, 0.03, metric="accuracy", trained_on="release")
    assert "does not clearly improve" in words_of(bars(answer(no_gain), "accuracy"))


def test_without_a_holdout_baseline_and_members_are_drawn() -> None:
    members = estimate("accuracy", 0.9, 0.8, 0.95, trained_on="release", tested_on="members")
    baseline = estimate("accuracy", 0.7, 0.6, 0.8, trained_on="baseline_tested", tested_on="members")
    alone = SecretAnswer("income", "age", "forest", (members, baseline), Sides(None, None, None))
    assert list(points(bars(alone, "accuracy"))) == ["Members", "Baseline"]


def test_an_error_may_go_beyond_one_and_a_negative_r2_is_on_the_axis() -> None:
    error = of_side("control", 12.0, "mae")
    assert bars(answer(error), "mae").layout.xaxis.range[1] > 12
    worse = of_side("control", -0.4, "r2")
    assert bars(answer(worse), "r2").layout.xaxis.range[0] < -0.4


def test_the_name_of_a_column_is_no_markup() -> None:
    mean = answer(of_side("control", 3.0, "mae"), column="<a href=x>pay</a>")
    assert "<a" not in bars(mean, "mae").layout.xaxis.title.text


def swept(
    secret: str, known: str, columns: tuple[str, ...], delta: Estimate | None, residual: Estimate | None = None
) -> Swept:
    return Swept(About(secret, known, "forest"), known, columns, "category", delta, residual, None, False, "")


@pytest.fixture
def cells() -> list[Swept]:
    low, high = estimate("delta", -0.1, -0.2, 0.0), estimate("delta", 0.3, 0.2, 0.4)
    return [
        swept("income", "all others", ("age", "sex"), high, estimate("residual", 0.02, -0.1, 0.1)),
        swept("income", "age", ("age",), low),
        swept("sex", "all others", ("age", "income"), low),
    ]


def test_the_heatmap_has_every_field_in_its_place(cells: list[Swept]) -> None:
    figure = heatmap(cells, "delta")
    (drawn,) = figure.data
    np.testing.assert_array_equal(drawn.z, [[0.3, -0.1], [-0.1, np.nan]])
    assert drawn.text[0][0] == "▲ +0.30", "a sign says what lies above 0"
    assert drawn.text[0][1] == "-0.10"
    assert drawn.text[1][1] == "–"
    assert (drawn.zmin, drawn.zmax) == (-0.3, 0.3), "0 is in the middle of the colours"
    assert list(figure.layout.yaxis.ticktext) == ["income", "sex"]
    assert words_of(figure).startswith(
        "In 1 of 3 fields the release improves the guess beyond the baseline; most for income"
    )


def test_the_heatmap_of_the_residual_is_another_one(cells: list[Swept]) -> None:
    (drawn,) = heatmap(cells, "residual").data
    np.testing.assert_array_equal(drawn.z, [[0.02, np.nan], [np.nan, np.nan]])
    assert "known: age, sex" in drawn.customdata[0][0]
    assert "no number" in drawn.customdata[0][1]
    assert drawn.customdata[1][1] == "sex<br>not asked<br>no number"


def test_a_sweep_without_a_number_says_so() -> None:
    (group,) = present._sweep([swept("income", "age", ("age",), None)], NAMES)
    assert [*flat([group])] == [Sentence("sweep", "No field of the sweep has a number; the notes say why.")]


SHAREABLE = Names(Class.SHAREABLE, b"key", ("income", "sex", "age"), {})


def test_who_may_not_see_rows_is_told_no_column_and_no_free_text(cells: list[Swept]) -> None:
    """Planted: all of it is there for those who may."""
    drawn = estimate("randomised_gain", 0.2, 0.1, 0.3, trained_on="rerun")
    asked = replace(answer(drawn), again="Guesses of income by Quokka.", columns=("age", "sex"))
    refused = replace(cells[1], delta=None, refusal="Too few levels of income.")
    other = replace(asked, secret="sex")  # noqa: S106  a column

    def text_for(names: Names) -> str:
        return str([*present.answer_blocks((asked, other), (cells[0], refused, cells[2]), names, 0)])

    own = {"income", "Quokka", "Too few levels"}
    assert {word for word in own if word in text_for(NAMES)} == own
    assert [word for word in own if word in text_for(SHAREABLE)] == []
    assert "known set 1" in text_for(SHAREABLE)


def test_the_numbers_of_every_answer_stand_once_and_those_of_the_others_are_for_files() -> None:
    answers = answer(), answer(of_side("control", 3.0, "mae"), column="sex")
    for place in (0, 1):
        blocks_of = present.answer_blocks(answers, (), NAMES, place)
        keys = [block.key for block in flat(blocks_of)]
        assert len(set(keys)) == len(keys)
        (others,) = (block for block in blocks_of if isinstance(block, Group) and block.key == "others")
        assert not others.on_paper
        first = next(block for block in blocks_of if isinstance(block, Chart))
        assert answers[place].secret in first.sentence
    assert "others" not in [block.key for block in present.answer_blocks((answer(),), (), NAMES, 0)]


def test_the_answer_in_front_is_the_one_the_verdict_stands_on() -> None:
    def with_residual(low: float | None, without: float = -0.1) -> SecretAnswer:
        own = None if low is None else estimate("residual", low + 0.1, low, low + 0.2)
        beside = estimate("residual", without + 0.1, without, without + 0.2)
        return replace(answer(), compared=Sides(own, beside, None))

    assert foremost([]) == 0
    assert foremost([with_residual(None), with_residual(0.1), with_residual(0.2)]) == 2
    assert foremost([with_residual(0.1), with_residual(0.3, without=0.2)]) == 0, "easier without the release too"
    assert foremost([with_residual(None), with_residual(0.3, without=0.2)]) == 1
