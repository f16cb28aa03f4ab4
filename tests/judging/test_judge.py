"""The judge: known answers for every rule it has, and what holds whatever is measured."""

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import riskkit.judging
import riskkit.stats
from riskkit.core import Estimate
from riskkit.judging.judge import _units_needed, judge, more
from riskkit.judging.measurement import DESCRIPTION, SHARES, TITLES, Control, Limit, Measured, Verdict, title
from riskkit.judging.reasons import REASONS, Bars
from riskkit.stats import summary
from tests.judging.made import FOUND, LIMITS, NONE, any_measured, auc, limit, measured, reason
from tests.report.audited import made

ABOVE, LEAK, UNDECIDED, WITHIN, DESCRIBED = Verdict


# --------------------------------------------------------------------------------------------------------------
# The four words


def test_the_words_from_the_gravest_to_the_mildest() -> None:
    assert [str(word) for word in sorted(Verdict, key=lambda verdict: verdict.gravity)] == [
        "above the limit",
        "leak shown",
        "undecided",
        "within the limit",
        "described",
    ]
    assert [word for word in Verdict if word.shows_leak] == [ABOVE, LEAK]


def test_every_verdict_has_a_word_and_an_icon() -> None:
    assert set(TITLES) == set(Verdict)
    assert {icon for icon, _ in TITLES.values()} == {"▲", "●", "◌", "–"}
    assert [title(word) for word in Verdict] == [
        "▲ Above the limit",
        "▲ Leak shown",
        "◌ Undecided",
        "● Within the limit",
        "– Described",
    ]


def test_what_describes_is_judged_by_no_limit() -> None:
    figures = measured(0.8, 0.9, 0.95, scale=DESCRIPTION)
    assert {judge(figures, bound).verdict for bound in (None, limit(0.6), limit(0.99))} == {DESCRIBED}


A_TITLE = "safe and effective importance sampling"
"""A paper that is cited."""


def test_no_word_promises_what_a_game_cannot_show() -> None:
    """The house plan: the word "safe" is not in the program."""
    assert not [word for word in Verdict if "safe" in word or "private" in word or "no leak" in word]
    for package in (riskkit.judging, riskkit.stats):
        assert package.__file__ is not None
        for source in Path(package.__file__).parent.glob("*.py"):
            text = source.read_text(encoding="utf-8").lower().replace(A_TITLE, "")
            assert "safe" not in text, source


# --------------------------------------------------------------------------------------------------------------
# Which side of the limit


@pytest.mark.parametrize(
    ("ends", "value", "word", "code"),
    [
        ((0.61, 0.7, 0.8), 0.6, ABOVE, "above_limit"),
        ((0.60, 0.7, 0.8), 0.6, UNDECIDED, "interval_holds_limit"),  # an end on the limit is not beyond it
        ((0.45, 0.5, 0.59), 0.6, WITHIN, "within_limit"),
        ((0.45, 0.5, 0.60), 0.6, UNDECIDED, "interval_holds_limit"),
        ((0.51, 0.55, 0.59), 0.6, WITHIN, "within_limit"),  # a leak is shown, but none above the limit
        ((0.51, 0.7, 0.8), None, LEAK, "above_guessing"),  # without a limit guessing is the bar
        ((0.50, 0.7, 0.8), None, UNDECIDED, "no_limit"),
        ((0.45, 0.5, 0.55), None, UNDECIDED, "no_limit"),  # and no absence can be shown
    ],
)
def test_an_interval_is_judged_by_the_side_of_the_limit_it_lies_on(
    ends: tuple[float, float, float], value: float | None, word: Verdict, code: str
) -> None:
    own = None if value is None else limit(value)
    judgement = judge(measured(*ends), own)
    assert (judgement.verdict, judgement.code, judgement.limit) == (word, code, own)
    assert bool(judgement.settle) == (word is UNDECIDED)
    assert judgement.shows_leak == (word in (ABOVE, LEAK))


@pytest.mark.parametrize("control", [FOUND, NONE, Control(True, -math.inf, "missed")])
def test_an_interval_above_the_limit_shows_a_leak_whatever_the_control(control: Control) -> None:
    numbers = measured(0.7, 0.8, 0.9, control=control, is_complete=False, lowest=auc(0.1, 0.2, 0.3))
    assert judge(numbers, limit(0.6)).verdict is ABOVE
    assert judge(numbers, None).verdict is LEAK


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        ({"control": NONE}, "no_control"),
        ({"control": Control(True, -math.inf, "missed")}, "control_missed"),
        ({"control": Control(True, 0.54, "found below .54 only, and intervals reach .55")}, "control_missed"),
        ({"control": Control(True, 0.55, "found below .55, which they reach")}, "control_missed"),
        ({"is_complete": False}, "silent"),
        ({"reasons": (reason("values_apart"),)}, "values_apart"),
        ({"reasons": (reason("sides_differ"),)}, "sides_differ"),
        ({"reasons": (reason("members_easier_anyway", of_a_part=True),)}, "members_easier_anyway"),
        ({"lowest": auc(0.40, 0.5, 0.6)}, "wrong_way_round"),
        ({"widest": auc(0.3, 0.5, 0.65)}, "interval_holds_limit"),
        ({"strongest": None, "widest": None}, "no_number"),
    ],
)
def test_whatever_spoils_the_absence_of_a_leak_leaves_it_undecided(trouble: dict[str, Any], code: str) -> None:
    clean = measured(0.45, 0.5, 0.55)
    assert judge(clean, limit(0.6)).verdict is WITHIN
    judgement = judge(replace(clean, **trouble), limit(0.6))
    assert (judgement.verdict, judgement.code) == (UNDECIDED, code)
    assert judgement.why
    assert judgement.settle


def test_the_absence_of_a_leak_is_shown_where_none_of_these_is_in_the_way() -> None:
    """Just on the other side of each: found below .595, lowest at .41, widest to .59."""
    other = {"control": Control(True, 0.595, "c"), "lowest": auc(0.41, 0.5, 0.6), "widest": auc(0.3, 0.5, 0.59)}
    assert judge(measured(0.45, 0.5, 0.55, **other), limit(0.6)).verdict is WITHIN


def test_a_planted_leak_found_beyond_all_intervals_says_enough_for_any_limit_above_them() -> None:
    """What is silent up to .58 is silent up to .60 and .90 too; a limit it does not reach is kept by no more."""
    numbers = measured(0.45, 0.5, 0.55, control=Control(True, 0.58, "found below .58"))
    assert [judge(numbers, limit(value)).verdict for value in (0.54, 0.56, 0.6, 0.9)] == [
        UNDECIDED,
        WITHIN,
        WITHIN,
        WITHIN,
    ]


def test_a_small_leak_within_the_limit_is_said() -> None:
    judgement = judge(measured(0.51, 0.55, 0.59), limit(0.6))
    assert judgement.verdict == WITHIN
    assert "was found. A small leak is shown, within the limit." in judgement.why
    clean = judge(measured(0.50, 0.55, 0.59), limit(0.6))
    assert clean.verdict == WITHIN
    assert "small leak" not in clean.why


def test_a_leak_above_guessing_is_said_where_the_limit_lies_within_the_interval() -> None:
    assert "A leak above guessing is shown." in judge(measured(0.55, 0.6, 0.65), limit(0.6)).why
    assert "above guessing" not in judge(measured(0.45, 0.55, 0.65), limit(0.6)).why


def test_more_rows_than_yours_show_no_leak_however_small() -> None:
    """Planted: [0.51, 0.59] lies above guessing, but for releases that give more away than yours."""
    judgement = judge(measured(0.51, 0.55, 0.59, reasons=(reason("more_rows"),)), limit(0.6))
    assert judgement.verdict == WITHIN
    assert "small leak" not in judgement.why
    open_ = judge(measured(0.51, 0.55, 0.65, reasons=(reason("more_rows"),)), limit(0.6))
    assert "above guessing" not in open_.why


@pytest.mark.parametrize(
    ("ends", "code", "word"),
    [
        ((0.7, 0.8, 0.9), "fewer_rows", ABOVE),  # fewer rows leak less, and these leak already
        ((0.7, 0.8, 0.9), "more_rows", UNDECIDED),
        ((0.45, 0.5, 0.55), "fewer_rows", UNDECIDED),
        ((0.45, 0.5, 0.55), "more_rows", WITHIN),  # even more rows do not leak
    ],
)
def test_the_size_of_a_release_bars_one_direction_alone(
    ends: tuple[float, float, float], code: str, word: Verdict
) -> None:
    judgement = judge(measured(*ends, reasons=(reason(code),)), limit(0.6))
    assert judgement.verdict is word
    assert (judgement.code == code) == (word is UNDECIDED)


def test_without_a_limit_too_more_rows_show_no_leak_and_fewer_do() -> None:
    high = measured(0.7, 0.8, 0.9)
    assert judge(replace(high, reasons=(reason("fewer_rows"),)), None).verdict is LEAK
    assert judge(replace(high, reasons=(reason("more_rows"),)), None).code == "more_rows"
    low = measured(0.45, 0.5, 0.55, reasons=(reason("fewer_rows"),))
    assert judge(low, None).code == "fewer_rows", "what hides a leak is said before the missing limit"


def test_sides_that_differ_without_the_release_take_the_leak_back_too() -> None:
    differ = measured(0.7, 0.8, 0.9, reasons=(reason("sides_differ"),))
    assert judge(differ, limit(0.6)).code == judge(differ, None).code == "sides_differ"
    nothing = replace(differ, strongest=None, widest=None)
    assert judge(nothing, None).code == "sides_differ", "it is told before the missing number"


def test_a_limit_that_guessing_reaches_is_exceeded_by_a_leak_alone() -> None:
    """A quarter of the rows named at random were in; a limit of 10 % is kept by no release, however made."""
    guessing = measured(0.20, 0.25, 0.30, scale="hits", guess=0.25)
    judgement = judge(guessing, limit(0.1))
    assert (judgement.verdict, judgement.code) == (UNDECIDED, "limit_below_guessing")
    assert "25.0 %" in judgement.why
    assert judge(replace(guessing, **ends(0.26, 0.3, 0.4)), limit(0.1)).verdict is ABOVE
    assert judge(replace(guessing, **ends(0.20, 0.25, 0.30)), limit(0.25)).code == "limit_below_guessing"
    assert judge(replace(guessing, **ends(0.20, 0.25, 0.30)), limit(0.35)).verdict is WITHIN


def ends(low: float, value: float, high: float) -> dict[str, Estimate]:
    estimate = auc(low, value, high)
    return {"strongest": estimate, "widest": estimate}


def test_a_score_of_households_is_judged_by_the_limit_of_its_question() -> None:
    judged = judge(measured(0.7, 0.8, 0.9, scale="score"), limit(0.6))
    assert (judged.verdict, judged.limit) == (ABOVE, limit(0.6))
    assert judge(measured(0.7, 0.8, 0.9, scale="score"), None).verdict is LEAK
    assert judge(measured(0.4, 0.5, 0.55, scale="score"), None).code == "no_limit"


def test_the_best_attack_there_can_be_rules_a_leak_out_or_nothing_does() -> None:
    bound = Control(True, math.inf, "computed")
    exact = measured(0.5, 0.62, 0.64, is_bound=True, control=bound)
    within, open_ = judge(exact, limit(0.65)), judge(exact, limit(0.63))
    assert within.verdict is WITHIN
    assert within.why.startswith("No leak above 0.65 is possible here: no attack can reach more than 0.64")
    assert open_.verdict is UNDECIDED
    assert "More trainings cannot rule it out" in open_.settle


# --------------------------------------------------------------------------------------------------------------
# What would decide it


def test_four_times_the_trainings_halve_the_interval() -> None:
    """0.50 + 0.20 reaches over 0.60; half of it ends there, which takes four times as many: 120 more than 40."""
    numbers = measured(0.3, 0.5, 0.7, seconds_each=2.0)
    remedy = more(numbers, 0.6)
    assert "120 more trainings (about 4 minutes)" in remedy
    assert judge(numbers, limit(0.6)).settle == remedy


def test_a_value_on_the_limit_is_settled_by_no_number_of_trainings() -> None:
    assert "no feasible number of trainings" in more(measured(0.5, 0.6, 0.7), 0.6)


@pytest.mark.parametrize(
    ("unit", "remedy"),
    [
        ("training", "120 more trainings would settle it."),
        ("record", "120 more records would settle it; they have to come from a larger holdout."),
        ("household", "120 more households would settle it; they have to come from a larger holdout."),
    ],
)
def test_who_cannot_be_made_has_to_come_from_somewhere(unit: str, remedy: str) -> None:
    assert more(measured(0.3, 0.5, 0.7, unit=unit), 0.6).endswith(remedy)


def test_an_attack_that_may_be_wrong_too_often_is_settled_by_its_own_interval() -> None:
    """0.50 - 0.20 lies beyond 0.40; half of it ends there: 120 more than 40, whatever the strongest attack."""
    numbers = measured(0.45, 0.5, 0.55, lowest=auc(0.3, 0.5, 0.55))
    assert "120 more trainings" in judge(numbers, limit(0.6)).settle
    sure = measured(0.45, 0.5, 0.55, lowest=auc(0.1, 0.2, 0.3))
    assert "attacks of another kind" in judge(sure, limit(0.6)).settle


def test_a_planted_leak_that_was_missed_says_how_many_trainings_would_show_it() -> None:
    """0.60 reaches down to 0.40; half of that ends at one half, which takes four times as many: 120 more than 40."""
    missed = Control(True, -math.inf, "missed", auc(0.4, 0.6, 0.8))
    numbers = measured(0.45, 0.5, 0.55, control=missed, seconds_each=2.0)
    assert "120 more trainings (about 4 minutes)" in judge(numbers, limit(0.6)).settle
    unseen = replace(missed, weakest=auc(0.3, 0.45, 0.6))
    assert "other attacks" in judge(replace(numbers, control=unseen), limit(0.6)).settle
    # found from .25 on, while intervals reach .5: 0.75 is .25 above that and reaches .5 down, so four times as many
    low = measured(0.25, 0.375, 0.5, control=Control(True, 0.25, "found below .25", auc(0.25, 0.75, 0.8)))
    assert "120 more trainings" in judge(low, limit(0.9)).settle
    hardly = replace(missed, weakest=auc(0.4, 0.505, 0.8))
    assert "no feasible number" in judge(replace(numbers, control=hardly), limit(0.6)).settle


def test_a_control_may_say_itself_why_it_was_missed_and_what_would_help() -> None:
    none = Control.none("none", missed="There is none here.", remedy="Ask elsewhere.")
    judgement = judge(measured(0.45, 0.5, 0.55, control=none), limit(0.6))
    assert (judgement.code, judgement.settle) == ("no_control", "Ask elsewhere.")
    assert judgement.why.startswith("There is none here. ")


def test_too_few_trainings_say_how_many_it_takes() -> None:
    """6 were played at 5 seconds each: 4 more make the 10 of an interval, 58 more the 64 of an AUC of 0.70."""
    few = Measured("auc", 0.5, None, None, "", 0, NONE, made=6, seconds_each=5.0)
    settle = judge(few, limit(0.6)).settle
    assert "4 more trainings (about 20 seconds)" in settle
    assert "58 more trainings (about 5 minutes)" in settle


def test_so_many_more_trainings_do_settle_it_in_simulation() -> None:
    """The promised number of trainings brings a null game below the limit about as often as it should."""
    rng = np.random.default_rng(5)
    promised, settled = [], 0
    for _ in range(60):
        first = summary.auc(made.scored(rng, 0.0, 40, 1))
        if first.value >= 0.57 or first.high < 0.6:
            continue
        shifted = replace(first, value=0.5, low=first.low - first.value + 0.5, high=first.high - first.value + 0.5)
        n = math.ceil(_units_needed(shifted, 0.6))
        promised.append(n)
        again = summary.auc(made.scored(rng, 0.0, 2 * math.ceil(n / 2), 1))
        settled += again.high < 0.6
    assert len(promised) > 20
    assert 80 < np.median(promised) < 200
    assert 0.3 < settled / len(promised) < 0.75  # at the value itself half of them end below, half above


# --------------------------------------------------------------------------------------------------------------
# Whatever is measured


@given(any_measured(), st.lists(LIMITS, min_size=2, max_size=4))
def test_a_higher_limit_is_exceeded_by_less(numbers: Measured, limits: list[Limit]) -> None:
    """Above a limit is above every lower one, and within a limit is within every higher one."""
    assume(numbers.scale != "score")
    words = [judge(numbers, limit).verdict for limit in sorted(limits, key=lambda limit: limit.value)]
    for lower, higher in pairwise(words):
        assert higher is not ABOVE or lower is ABOVE
        assert lower is not WITHIN or higher is WITHIN


@given(any_measured(), LIMITS)
def test_above_and_within_are_what_they_say(numbers: Measured, own: Limit) -> None:
    """The two definitions of the house plan, written down again."""
    assume(numbers.scale != "score")
    word, bars = judge(numbers, own).verdict, {reason.bars for reason in numbers.reasons}
    strongest, widest = numbers.strongest, numbers.widest
    assert word in (ABOVE, WITHIN, UNDECIDED)
    is_above = strongest is not None and strongest.low > max(own.value, numbers.guess)
    assert (word is ABOVE) == (is_above and not bars & {Bars.EVERYTHING, Bars.LEAK})
    is_below = widest is not None and widest.high < own.value and own.value > numbers.guess
    turned = numbers.lowest is None or 2 * numbers.guess - numbers.lowest.low < own.value
    reach = own.value if widest is None else min(own.value, widest.high)
    control = numbers.control.is_there and reach < numbers.control.found_below
    is_open = bool(bars & {Bars.EVERYTHING, Bars.ABSENCE})
    assert (word is WITHIN) == (
        is_below and turned and control and numbers.is_complete and not is_open and not is_above
    )


@given(any_measured())
def test_without_a_limit_a_leak_can_be_shown_and_never_its_absence(numbers: Measured) -> None:
    judged = judge(numbers, None)
    assert judged.verdict in (LEAK, UNDECIDED)
    if judged.verdict is LEAK:
        assert numbers.strongest is not None
        assert numbers.strongest.low > numbers.guess


@given(any_measured(), LIMITS, st.sampled_from(sorted(REASONS)))
def test_another_reason_decides_nothing(numbers: Measured, own: Limit, code: str) -> None:
    """It leaves the verdict as it is or undecided; it turns nothing into its opposite."""
    for each in (own, None):
        before = judge(numbers, each).verdict
        after = judge(replace(numbers, reasons=(*numbers.reasons, reason(code))), each).verdict
        assert after in (before, UNDECIDED)


@given(any_measured(), st.one_of(st.none(), LIMITS))
def test_every_judgement_says_why_and_what_would_decide_it(numbers: Measured, own: Limit | None) -> None:
    judged = judge(numbers, own)
    assert judged.why
    assert judged.code
    assert bool(judged.settle) == (judged.verdict is UNDECIDED)
    document = json.loads(json.dumps(judged.as_dict()))
    assert document["word"] == str(judged.verdict)
    assert document["code"] == judged.code
    assert "safe" not in " ".join((judged.why, judged.settle)).lower()


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        # .30 to .70 at 95 %: .20 is 1.96 standard errors, .842 more are .086, and .50 + .20 + .09 = .79
        (
            measured(0.3, 0.5, 0.7),
            "a leak of 0.79 or more (AUC) would be found; the interval ends at 0.70.",
        ),
        (
            measured(-0.1, 0.0, 0.1, scale="gain", guess=0.0),
            "a leak of 0.14 or more (gain) would be found; the",
        ),
        (
            measured(-0.1, 0.0, 0.1, scale="excess", guess=0.0, looks=9),
            "the highest interval of all 9 comparisons ends at 10.0 points.",
        ),
        (
            measured(0.05, 0.5, 0.95),
            "even the largest leak would be shown in fewer than 8 of 10 audits; the interval ends at 0.95.",
        ),
    ],
)
def test_how_large_a_leak_would_have_shown_itself_by_hand(numbers: Measured, text: str) -> None:
    assert text in judge(numbers, None).why
    assert text in judge(replace(numbers, control=NONE), limit(0.96)).why, "whatever else stands in the way"


@given(any_measured(), st.one_of(st.none(), LIMITS))
def test_neg9_what_could_have_shown_stands_wherever_no_leak_is_shown(numbers: Measured, own: Limit | None) -> None:
    """Not where nothing can be said at all: there the reason says that, and a number would promise something."""
    judged = judge(numbers, own)
    is_said = "8 of 10 audits" in judged.why and "interval" in judged.why
    has_numbers = numbers.strongest is not None and all(
        reason.bars is not Bars.EVERYTHING for reason in numbers.reasons
    )
    assert is_said == (has_numbers and not judged.shows_leak)
    if is_said:
        assert numbers.widest is not None
        end = f"{numbers.widest.high:.2f}"
        assert (
            f" ends at {numbers.level_in_words(numbers.widest.high) if numbers.scale in SHARES else end}." in judged.why
        )


@settings(max_examples=30)
@given(any_measured(), LIMITS)
def test_judging_is_the_same_every_time(numbers: Measured, own: Limit) -> None:
    assert judge(numbers, own) == judge(replace(numbers), replace(own))
