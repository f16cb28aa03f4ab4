"""How long a run takes, from the same of few rows and of twice as many, by a clock that counts rows."""

import math
from collections.abc import Callable

import pytest

from riskkit.questions.forecasts import Forecast, extrapolate, pilot, shared_seconds, spread, trial_rows


@pytest.mark.parametrize(
    ("few", "many", "whole"),
    [(1.0, 2.0, 20.0), (1.0, 4.0, 400.0), (1.0, 9.0, 900.0), (3.0, 4.0, 22.0), (2.0, 2.0, 2.0), (2.0, 1.0, 1.0)],
)
def test_growth_is_carried_on_and_never_faster_than_the_square(few: float, many: float, whole: float) -> None:
    assert extrapolate(few, many, 10.0) == pytest.approx(whole)
    assert extrapolate(few, many, 0.5) == many, "no less than what was seen"


def test_a_pilot_tells_what_is_loaded_once_from_what_grows_with_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds to load, a second a row, and a minute to prepare, which no run needs."""
    clock, played = [0.0], list[int]()
    monkeypatch.setattr("riskkit.questions.forecasts.time.perf_counter", lambda: clock[0])

    def prepare(rows: int) -> Callable[[], object]:
        clock[0] += 60

        def work() -> None:
            clock[0] += rows + (0 if played else 5)
            played.append(rows)

        return work

    assert pilot(prepare, 2400) == (5.0, 200.0, 2400.0)
    assert played == [200, 200, 400]


def test_a_trial_costs_less_than_the_run_and_stands_for_it() -> None:
    assert [trial_rows(whole) for whole in (40, 300, 2400, 100_000)] == [40, 60, 200, 600]
    assert [spread("abcdefg"[:most]) for most in (0, 2, 7)] == [(), ("a", "b"), ("a", "d", "g")]
    assert [shared_seconds(2.0, 6, workers) for workers in (1, 3, 100)] == [12.0, 4.0, 2.0]


def test_where_nobody_knows_how_long_it_takes_no_seconds_are_written() -> None:
    assert Forecast(2.0, {"rows": 3}, "Much.").as_dict() == {"seconds": 2.0, "rows": 3, "could_show": "Much."}
    assert Forecast(math.inf, {"rows": 3}).as_dict() == {"rows": 3}
