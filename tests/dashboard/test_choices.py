"""The chart of a setting that an attack chose: both lines as they were given, the chosen value marked."""

from riskkit.core import Estimate
from riskkit.figures import blocks
from riskkit.questions.membership.result import Sweep
from riskkit.questions.membership.view import sweep
from riskkit.report import plots
from riskkit.show import in_words

LABELS = {"generator": "stat", "target": "random", "position": "0", "record": "3", "attack": "mvl:tune=true"}


def estimates(*values: float) -> tuple[Estimate, ...]:
    return tuple(Estimate("accuracy", v, v - 0.1, v + 0.1, 0.95, "made up", 20) for v in values)


SWEEP = Sweep(LABELS, "lam", (0.0, 0.1, 0.5, 1.0), 2, estimates(0.5, 0.6, 0.9, 0.7), estimates(0.4, 0.8, 0.6, 0.5))


def test_both_lines_are_drawn_over_the_values_and_the_chosen_one_is_marked() -> None:
    figure = blocks.figure(sweep(SWEEP, "λ", 0))
    *band, counted, own = figure.data
    assert [list(edge.y) for edge in band] == [[e.low for e in SWEEP.counted], [e.high for e in SWEEP.counted]]
    assert (list(own.y), own.name, own.line.dash) == ([0.5, 0.6, 0.9, 0.7], "on its own releases", "dash")
    assert (list(counted.y), counted.name) == ([0.4, 0.8, 0.6, 0.5], "on the releases that count")
    assert band[1].fill == "tonexty"
    assert [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1] == [2]
    assert figure.layout.meta.startswith("The attack chose λ = 0.5, right in 90 %")
    assert list(figure.layout.xaxis.ticktext) == ["0", "0.1", "0.5", "1"]
    assert figure.layout.xaxis.type == "linear"
    bare = blocks.figure(sweep(Sweep(LABELS, "lam", (0.0, 1.0), 0, (), estimates(0.4, 0.8)), "λ", 0))
    assert [trace.name for trace in bare.data[2:]] == ["on the releases that count"]


def test_paper_and_words_name_every_value_and_the_chosen_one() -> None:
    block = sweep(SWEEP, "λ", 0)
    paper = plots.svg(block)
    assert [text for text in ("0", "0.1", "0.5", "1") if f">{text}<" not in paper] == []
    assert ">chosen<" in paper
    assert "on its own releases: at 0: 0.50, between 0.40 and 0.60; at 0.1: 0.60" in in_words.picture_in_words(block)


def test_of_many_values_the_axis_names_some_and_the_last() -> None:
    many = Sweep(LABELS, "lam", tuple(map(float, range(40))), 3, (), estimates(*[0.5] * 40))
    block = sweep(many, "λ", 0)
    assert [block.name(place) for place in block.named] == [
        "0",
        "4",
        "8",
        "12",
        "16",
        "20",
        "24",
        "28",
        "32",
        "36",
        "39",
    ]
