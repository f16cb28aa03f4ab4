"""Three verdicts, and how little it takes to be undecided."""

from __future__ import annotations

from pathlib import Path

import pytest

import riskkit.stats
from riskkit.core import Estimate
from riskkit.errors import ParameterError
from riskkit.stats.epsilon import epsilon_lower
from riskkit.stats.verdict import Verdict, judge
from tests.stats import make


def _auc(low: float, high: float) -> Estimate:
    return Estimate("auc", (low + high) / 2, low, high, 0.95, "given", 100)


@pytest.mark.parametrize("control", [True, False, None])
def test_interval_above_the_limit_shows_a_leak_whatever_the_control(control: bool | None) -> None:
    assert judge(_auc(0.61, 0.9), 0.6, positive_control_found=control) is Verdict.LEAK


def test_interval_below_the_limit_shows_none_only_if_the_planted_leak_was_found() -> None:
    assert judge(_auc(0.4, 0.59), 0.6, positive_control_found=True) is Verdict.NO_LEAK
    assert judge(_auc(0.4, 0.59), 0.6, positive_control_found=False) is Verdict.UNDECIDED
    assert judge(_auc(0.4, 0.59), 0.6, positive_control_found=None) is Verdict.UNDECIDED


@pytest.mark.parametrize(("low", "high"), [(0.5, 0.7), (0.6, 0.7), (0.5, 0.6)])
def test_interval_that_touches_the_limit_is_undecided(low: float, high: float) -> None:
    assert judge(_auc(low, high), 0.6, positive_control_found=True) is Verdict.UNDECIDED


def test_epsilon_bound_can_show_a_leak_but_never_its_absence() -> None:
    weak, strong = epsilon_lower(make.answers(25, 50, 25, 50)), epsilon_lower(make.answers(50, 50, 0, 50))
    assert judge(weak, 8.0, positive_control_found=True) is Verdict.UNDECIDED
    assert judge(strong, 1.0, positive_control_found=True) is Verdict.LEAK


@pytest.mark.parametrize("limit", [float("nan"), float("inf")])
def test_limit_that_is_no_number_is_refused(limit: float) -> None:
    with pytest.raises(ParameterError):
        judge(_auc(0.4, 0.5), limit, positive_control_found=True)


def test_no_word_promises_what_a_game_cannot_show() -> None:
    assert all("safe" not in verdict and "private" not in verdict for verdict in Verdict)
    for source in Path(riskkit.stats.__file__).parent.glob("*.py"):
        assert "safe" not in source.read_text(encoding="utf-8").lower()
