"""The chart of a setting that an attack chose: both lines as they were given, the chosen value marked."""

from __future__ import annotations

from riskkit.core import Estimate
from riskkit.dashboard.choices import sweep
from riskkit.questions.membership.choices import Sweep

LABELS = {"generator": "stat", "target": "random", "position": "0", "record": "3", "attack": "mvl:tune=true"}


def estimates(*values: float) -> tuple[Estimate, ...]:
    return tuple(Estimate("accuracy", v, v - 0.1, v + 0.1, 0.95, "made up", 20) for v in values)


def test_both_lines_are_drawn_over_the_values_and_the_chosen_one_is_marked() -> None:
    found = Sweep(LABELS, "lam", (0.0, 0.1, 0.5, 1.0), 2, estimates(0.5, 0.6, 0.9, 0.7), estimates(0.4, 0.8, 0.6, 0.5))
    figure = sweep(found, "λ")
    own, counted = figure.data[2:]
    assert (list(own.y), own.name, own.line.dash) == ([0.5, 0.6, 0.9, 0.7], "on its own releases", "dash")
    assert (list(counted.y), counted.name) == ([0.4, 0.8, 0.6, 0.5], "on the releases that count")
    assert list(figure.data[0].y) == [e.low for e in found.counted]
    assert [shape.x0 for shape in figure.layout.shapes if shape.x0 == shape.x1] == [2]
    assert figure.layout.meta.startswith("The attack chose λ = 0.5, right in 90 %")
    assert list(figure.layout.xaxis.ticktext) == ["0", "1"]
    bare = sweep(Sweep(LABELS, "lam", (0.0, 1.0), 0, (), estimates(0.4, 0.8)), "λ")
    assert [trace.name for trace in bare.data[2:]] == ["on the releases that count"]
