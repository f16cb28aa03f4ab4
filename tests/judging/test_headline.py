"""The verdict on a release allows for the number of questions: counted by hand, and as often wrong as it may be."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riskkit.judging.judge import OF_QUESTIONS, amount_in_words, together
from riskkit.judging.measurement import Measured
from riskkit.judging.reasons import Reason
from riskkit.seeds import stream
from tests.judging.made import limit, measured

WIDTH = 0.05


def shown_at(z: float, **changed: Any) -> Measured:
    """An AUC so many standard errors above guessing, at the interval of 95 %."""
    value = 0.5 + WIDTH * z
    return measured(value - 1.96 * WIDTH, value, min(value + 1.96 * WIDTH, 1.0), **changed)


def test_a_question_is_worth_its_own_chance_times_those_that_were_asked() -> None:
    chance = {0.5: 0.004}
    own = shown_at(3.0, chance=chance.get)
    others = [shown_at(0.0)] * 4
    np.testing.assert_allclose(together([(each, None) for each in (own, *others)]), [0.02, 1, 1, 1, 1])
    assert together([(own, None)])[0] == 0.004
    assert together([]).shape == (0,)


def test_what_shows_no_leak_by_itself_shows_none_with_others() -> None:
    """However small its chance: another thing stands in the way, or the limit is not exceeded."""
    barred = shown_at(4.0, reasons=(Reason("no_holdout"),))
    assert together([(barred, None)])[0] == 1.0
    assert together([(shown_at(4.0), limit(0.65))])[0] == 1.0
    assert together([(shown_at(4.0), limit(0.55))])[0] < 0.025


def test_a_limit_is_judged_by_what_lies_above_it() -> None:
    at_guessing, at_limit = (together([(shown_at(3.0), bar)])[0] for bar in (None, limit(0.55)))
    assert at_guessing < 0.003
    assert at_limit == pytest.approx(stats.norm.sf(2.0), rel=0.15), "two standard errors above the limit"
    asked = {0.5: 1e-9}
    kept = shown_at(3.0, chance=asked.get)
    assert together([(kept, limit(0.55))])[0] == at_limit, "what is known of guessing says nothing of a limit"


def test_without_a_chance_of_its_own_the_error_counts_for_every_look() -> None:
    alone, ten = shown_at(2.5), shown_at(2.5, looks=10)
    assert ten.p(0.5) == pytest.approx(10 * alone.p(0.5))
    assert replace(alone, strongest=None).p(0.5) == 1.0
    assert shown_at(-1.0, chance={0.5: 0.001}.get).p(0.5) == 1.0, "below guessing"


@pytest.mark.parametrize("questions", [1, 4, 7])
@pytest.mark.parametrize("alike", [0.0, 0.5])
def test_where_nobody_leaks_the_verdict_is_wrong_as_seldom_as_it_may_be(questions: int, alike: float) -> None:
    """Questions whose numbers hang together or not; each taken alone would be wrong several times as often."""
    times = 4_000
    rng = stream(1, "headline", questions, alike)
    z = np.sqrt(alike) * rng.standard_normal((times, 1)) + np.sqrt(1 - alike) * rng.standard_normal((times, questions))
    wrong = alone = 0
    for row in z:
        if row.max() < 1.9:  # none shows a leak
            continue
        own = together([(shown_at(each), None) for each in row])
        wrong += bool((own <= OF_QUESTIONS).any())
        alone += bool((row > 1.96).any())
    most = stats.binom.isf(1e-4, times, OF_QUESTIONS)
    assert wrong <= most
    assert wrong >= 0.4 * OF_QUESTIONS * times, "hardly anything would be shown"
    assert alone > most or questions == 1


def test_how_much_was_asked_in_words() -> None:
    assert amount_in_words(5, 5) == "5 questions"
    assert amount_in_words(1, 1) == "1 question"
    assert amount_in_words(4, 6) == "4 questions in 6 runs"
