"""The verdict on a secret and the sentence beside it, for every state they can be in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskkit.core import Estimate
from riskkit.report.attributes import (
    DIFFER,
    HARDER,
    NO_CONTROL,
    NO_HOLDOUT,
    Decision,
    Limits,
    Sides,
    Told,
    decide,
    overall,
    planted,
    right_within,
    sentence,
)
from riskkit.stats.verdict import Verdict

LIMITS = Limits(0.0, 0.05)


def of(name: str, value: float, low: float, high: float) -> Estimate:
    return Estimate(name, value, low, high, 0.95, "made", 100)


NONE, LEAK = of("residual", 0.01, -0.02, 0.04), of("residual", 0.8, 0.75, 0.85)
LEVEL, FOUND = of("residual", 0.0, -0.03, 0.03), of("residual", 0.5, 0.4, 0.6)


@pytest.mark.parametrize(
    ("sides", "verdict", "says"),
    [
        (Sides(LEAK, LEVEL, FOUND), Verdict.LEAK, "80 % [75 %, 85 %]"),
        (Sides(LEAK, LEVEL, None), Verdict.LEAK, "above 0"),
        (Sides(LEAK, of("residual", 0.7, 0.6, 0.8), FOUND), Verdict.UNDECIDED, DIFFER),
        (Sides(LEAK, of("residual", 0.05, 0.01, 0.09), FOUND), Verdict.LEAK, "above 0"),
        (Sides(NONE, LEVEL, FOUND), Verdict.NO_LEAK, "below 0.05"),
        (Sides(NONE, of("residual", 0.05, 0.01, 0.09), FOUND), Verdict.NO_LEAK, "below 0.05"),
        (Sides(NONE, LEVEL, None), Verdict.UNDECIDED, NO_CONTROL),
        (Sides(NONE, LEVEL, of("residual", 0.1, 0.04, 0.2)), Verdict.UNDECIDED, "its silence says nothing"),
        (Sides(replace(NONE, high=0.051), LEVEL, FOUND), Verdict.UNDECIDED, "up to 0.051"),
        (Sides(of("residual", -0.1, -0.2, -0.01), LEVEL, FOUND), Verdict.UNDECIDED, HARDER),
        (Sides(NONE, of("residual", -0.1, -0.2, -0.01), FOUND), Verdict.UNDECIDED, HARDER),
        (Sides(None, None, None), Verdict.UNDECIDED, "cannot be compared"),
    ],
)
def test_the_verdict_of_every_state(sides: Sides, verdict: Verdict, says: str) -> None:
    found = decide(sides, limits=LIMITS, looks=3)
    assert found.verdict is verdict
    assert says in found.why
    assert found.looks == 3


def test_a_leak_has_to_reach_the_limit() -> None:
    assert decide(Sides(LEAK, LEVEL, FOUND), limits=Limits(0.76, 0.9), looks=1).verdict is not Verdict.LEAK
    assert "limit of 0.7" in decide(Sides(LEAK, LEVEL, FOUND), limits=Limits(0.7, 0.9), looks=1).why


def test_the_gravest_verdict_stands_for_all() -> None:
    leak, open_, none = (
        Decision(verdict, 0.0, "", 3, residual)
        for verdict, residual in ((Verdict.LEAK, LEAK), (Verdict.UNDECIDED, None), (Verdict.NO_LEAK, NONE))
    )
    assert overall([none, open_, leak]) == 2
    assert overall([none, open_]) == 1
    assert overall([leak, replace(leak, residual=replace(LEAK, low=0.78))]) == 1


GAIN = of("delta", 0.058, 0.05, 0.066)
TOLD = Told(
    "income",
    "age, sex",
    "control",
    "",
    of("accuracy", 0.754, 0.74, 0.77),
    of("accuracy", 0.812, 0.8, 0.82),
    GAIN,
    of("accuracy", 0.81, 0.8, 0.82),
    of("difference", 0.002, -0.010, 0.013),
    of("attributable", 0.002, -0.012, 0.016),
)
OPEN = Decision(Verdict.UNDECIDED, 0.05, "It could be more.", 1, NONE)


def test_a_fact_about_the_population() -> None:
    told = sentence(TOLD, Decision(Verdict.NO_LEAK, 0.05, "", 1, NONE))
    assert told == (
        "Knowing age, sex, the release raises the chance of guessing *income* from 0.754 to 0.812 (difference 0.058 "
        "[0.050, 0.066]); a model trained on the real data reaches 0.810; people who were in are no easier to guess "
        "than people who were not (difference 0.002 [-0.010, 0.013]). What leaks is a fact about the population, "
        "not about them."
    )


def test_a_leak_about_members() -> None:
    told = sentence(
        replace(TOLD, attributable=of("attributable", 0.34, 0.30, 0.38)), Decision(Verdict.LEAK, 0.0, "", 1, LEAK)
    )
    assert "people who were in are easier to guess" in told
    assert "34 % [30 %, 38 %] of the right guesses about them are owed to their having been in" in told
    assert "population" not in told


def test_nothing_leaks_where_the_release_does_not_help_either() -> None:
    told = sentence(replace(TOLD, delta=of("delta", 0.0, -0.01, 0.01)), Decision(Verdict.NO_LEAK, 0.05, "", 1, NONE))
    assert "is not shown to raise the chance" in told
    assert "fact about the population" not in told
    assert "Nothing is shown to leak" in told


def test_a_release_that_misleads() -> None:
    told = sentence(replace(TOLD, delta=of("delta", -0.04, -0.05, -0.03)), OPEN)
    assert "guesses worse than without it" in told


def test_undecided_says_so_and_why() -> None:
    told = sentence(TOLD, OPEN)
    assert "is open (difference 0.002" in told
    assert told.endswith("It could be more.")
    assert "no easier" not in told
    assert "not because of the release" in sentence(TOLD, replace(OPEN, why=DIFFER))
    assert "are harder to guess" in sentence(TOLD, replace(OPEN, why=HARDER))


def test_without_a_holdout_only_what_can_be_said() -> None:
    told = sentence(replace(TOLD, asked="members", difference=None, attributable=None), OPEN)
    assert "reaches 0.810 on records it has not seen" in told
    assert told.endswith(NO_HOLDOUT)
    assert "people who were in" not in told


def test_a_right_number_and_a_planted_leak_in_words() -> None:
    assert right_within(0.05, 0.5) == "to within 5 % (or 0.5)"
    assert right_within(0.05, 0.0) == "to within 5 %"
    assert right_within(0.0, 30.0) == "to within 30"
    assert "to within 5 %" in sentence(replace(TOLD, right=right_within(0.05, 0.0)), OPEN)
    assert planted(60, 600, 120).startswith("60 of 600 released rows")
