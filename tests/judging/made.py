"""Measurements made by hand, and random ones for what holds of all."""

import math
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from riskkit.core import Estimate
from riskkit.judging.measurement import Control, Limit, Measured
from riskkit.judging.reasons import REASONS, Reason

FOUND, NONE = Control(True, math.inf, "found"), Control.none("none")
FIGURES: dict[str, dict[str, Any]] = {
    "values_apart": {"columns": "ward, age"},
    "kinds_apart": {"columns": "ward, age"},
    "not_read": {"columns": "ward, age"},
    "ambiguous_dates": {"columns": "ward, age"},
    "unclear_dates": {"columns": "ward, age"},
    "zones_differ": {"columns": "ward, age"},
    "missing_code": {"columns": "ward, age"},
    "value_labels": {"columns": "ward, age"},
    "unread_column": {"columns": "ward, age"},
    "codes_apart": {"columns": "ward, age"},
    "line_apart": {"columns": "ward, age"},
    "grids_differ": {"columns": "ward, age"},
    "another_method": {"respect": "the distance", "value": "0.227", "low": "0.100", "high": "0.110", "releases": 12},
    "fewer_rows": {"played": 500, "released": 1200},
    "parts_of_people": {"share": "50 %"},
    "more_rows": {"played": 2000, "released": 1200},
    "evaded": {"attackers": "Closest row"},
}
"""What the sentences of reasons need; the rest need nothing."""


def reason(code: str, *, of_a_part: bool = False) -> Reason:
    """The reason of that code with figures."""
    return Reason(code, FIGURES.get(code, {}), of_a_part)


def auc(low: float, value: float, high: float, n: int = 40) -> Estimate:
    """An AUC as if it had been measured."""
    return Estimate("auc", value, low, high, 0.95, "test", n)


def measured(low: float, value: float, high: float, **changed: Any) -> Measured:
    """One attack of that interval, beside a planted leak that was found."""
    estimate = auc(low, value, high)
    return replace(Measured("auc", 0.5, estimate, estimate, "an attack", 1, FOUND), **changed)


def limit(value: float) -> Limit:
    """A limit somebody set."""
    return Limit(value, "board", "2026-03-03")


ENDS = st.lists(st.floats(0, 1, width=32), min_size=3, max_size=3).map(sorted)


@st.composite
def any_measured(draw: st.DrawFn) -> Measured:
    """Anything that a question can hand to the judge: several attacks, reasons, controls, and gaps."""
    scale, guess = draw(
        st.sampled_from([("auc", 0.5), ("residual", 0.0), ("gain", 0.0), ("hits", 0.25), ("score", 0.5)])
    )
    each = [auc(*ends, n=draw(st.integers(1, 500))) for ends in draw(st.lists(ENDS, max_size=4))]
    reasons = draw(st.lists(st.builds(reason, st.sampled_from(sorted(REASONS)), of_a_part=st.booleans()), max_size=2))
    below = draw(st.sampled_from([math.inf, -math.inf, 0.55, 0.7]))
    weakest = draw(st.sampled_from([None, auc(0.4, 0.55, 0.7), auc(0.6, 0.7, 0.8)]))
    return Measured(
        scale=scale,
        guess=guess,
        strongest=max(each, key=lambda entry: entry.low, default=None),
        widest=max(each, key=lambda entry: entry.high, default=None),
        who="an attack",
        looks=len(each),
        control=draw(st.sampled_from([NONE, Control(True, below, "told", weakest)])),
        unit=draw(st.sampled_from(["training", "record", "victim", "named row", "household"])),
        lowest=draw(st.sampled_from([None, *each])),
        is_complete=draw(st.booleans()),
        reasons=tuple(reasons),
        seconds_each=draw(st.sampled_from([0.0, 1.5])),
        made=draw(st.integers(0, 60)),
        is_bound=draw(st.booleans()),
    )


LIMITS = st.floats(0.001, 0.999).map(limit)
