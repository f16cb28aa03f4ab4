"""Numbers as they are printed: no end of an interval contradicts the sentence beside it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from riskkit import wording
from riskkit.core import Estimate, digits, interval
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Control, Limit, Measured


def estimate(value: float, low: float, high: float) -> Estimate:
    return Estimate("auc", value, low, high, 0.95, "test", 20)


@pytest.mark.parametrize(
    ("ends", "printed"),
    [
        ((0.16, 0.003, 0.34), "0.16 [0.003, 0.34]"),
        ((0.63, 0.5004, 0.71), "0.63 [0.5004, 0.71]"),
        ((0.52, 0.498, 0.55), "0.52 [0.50, 0.55]"),  # the interval holds guessing, and so does what is printed
        ((0.45, 0.41, 0.4979), "0.45 [0.41, 0.498]"),
        ((0.004, 0.003, 0.02), "0.004 [0.003, 0.02]"),
        ((-0.001, -0.02, 0.01), "0.00 [-0.02, 0.01]"),
        ((0.63, 0.55, 0.71), "0.63 [0.55, 0.71]"),
        ((0.01, 1e-8, 0.03), "0.01 [>0.00, 0.03]"),  # no decimals tell it from guessing
    ],
)
def test_an_end_has_the_decimals_that_tell_it_from_guessing(ends: tuple[float, float, float], printed: str) -> None:
    assert str(estimate(*ends)) == interval(*ends) == wording.number(estimate(*ends)) == printed


@given(st.floats(-1, 1), st.floats(0, 0.2), st.floats(0, 0.2), st.sampled_from([0.0, 0.5, 0.6, 0.25]))
def test_what_is_printed_holds_a_mark_where_the_interval_does(
    low: float, first: float, then: float, mark: float
) -> None:
    high = low + first + then
    if 0 < low - mark < 1e-5 or 0 < mark - high < 1e-5:
        return
    text = interval(low + first, low, high, mark)
    value, ends = text.split(" ", 1)
    below, above = (float(end.lstrip("<>")) for end in ends.strip("[]").split(", "))
    assert (below <= mark <= above) == (low <= mark <= high)
    assert below <= above
    assert below <= float(value) <= above or first == 0 or then == 0 or first + then < 0.01


def test_shares_do_not_contradict_either() -> None:
    assert wording.share(estimate(0.6, 0.503, 0.67)) == "60 % [50.3 %, 67 %]"
    assert wording.share(estimate(0.6, 0.53, 0.67)) == "60 % [53 %, 67 %]"
    assert wording.share(estimate(0.54, 0.5 + 1e-9, 0.59)) == "54 % [>50 %, 59 %]", "no number of decimals tells it"
    assert wording.share(estimate(0.46, 0.41, 0.5 - 1e-9)) == "46 % [41 %, <50 %]"
    assert wording.share(estimate(0.5, 0.5, 0.5)) == "50 % [50 %, 50 %]"
    assert wording.share_in_tenths(estimate(0.013, 0.0004, 0.02)) == "1.3 % [0.04 %, 2.0 %]"
    assert wording.share_in_tenths(estimate(0.013, 0.009, 0.017)) == "1.3 % [0.9 %, 1.7 %]"


def test_a_sentence_of_the_judge_agrees_with_the_number_in_it() -> None:
    strongest = estimate(0.7, 0.6021, 0.8)
    measured = Measured("auc", 0.5, strongest, strongest, "the attack", 1, Control(True, 0.0, ""), unit="record")
    limit = Limit(0.6, "a person", "2026-11-28")
    assert judge(measured, limit).why == "0.70 [0.602, 0.80] lies wholly above the limit (0.60)."
    assert digits(0.6021, 0.8, (0.6,)) == (3, 2)


def test_guessing_has_two_decimals_unless_an_end_beside_it_would_contradict() -> None:
    assert wording.level(2 / 3, estimate(0.67, 0.54, 0.79)) == "0.67"
    assert wording.level(2 / 3, estimate(0.7, 0.668, 0.79)) == "0.6667", "0.67 [0.67, 0.79] would not lie above it"
    assert wording.level(0.5, estimate(0.5, 0.5, 0.6)) == "0.50"
    assert wording.level(0.0925) == "0.0925", "a limit stands as it was set"
