"""The verdict on a secret and the sentence beside it, for every state they can be in."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from riskkit.core import Estimate
from riskkit.judging.judge import judge
from riskkit.judging.measurement import Judgement, Measured, Verdict, own
from riskkit.judging.reasons import REASONS
from riskkit.questions.attributes.findings import SecretAnswer, sentence
from riskkit.questions.attributes.outcome import NO_CONTROL, NO_HOLDOUT, Sides, describe_planted, measure
from riskkit.questions.attributes.play import again, right_within


def of(name: str, value: float, low: float, high: float) -> Estimate:
    return Estimate(name, value, low, high, 0.95, "made", 100)


def residual(value: float, low: float, high: float) -> Estimate:
    return of("residual", value, low, high)


NONE, LEAK = residual(0.01, -0.02, 0.04), residual(0.8, 0.75, 0.85)
LEVEL, FOUND = residual(0.0, -0.03, 0.03), residual(0.5, 0.4, 0.6)
EASIER = REASONS["members_easier_anyway"].why
HARDER = REASONS["members_harder"].why
NOT_COMPARED = REASONS["not_compared"].why


def together(sides: Sequence[Sides], *, silent: Sequence[str] = (), has_holdout: bool = True) -> Measured:
    """What the judge takes of these, called a, b, c."""
    return measure(sides, list("abc"), looks=3, people=200, silent=silent, has_holdout=has_holdout)


def judged(*sides: Sides, limit: float | None = 0.05, **more) -> Judgement:
    return judge(together(sides, **more), None if limit is None else own(limit))


@pytest.mark.parametrize(
    ("sides", "verdict", "code"),
    [
        (Sides(LEAK, LEVEL, FOUND), Verdict.ABOVE, "above_limit"),
        (Sides(LEAK, LEVEL, None), Verdict.ABOVE, "above_limit"),
        (Sides(LEAK, residual(0.7, 0.6, 0.8), FOUND), Verdict.UNDECIDED, "members_easier_anyway"),
        (Sides(LEAK, residual(0.05, 0.01, 0.09), FOUND), Verdict.ABOVE, "above_limit"),
        (Sides(NONE, LEVEL, FOUND), Verdict.WITHIN, "within_limit"),
        (Sides(NONE, residual(0.05, 0.01, 0.09), FOUND), Verdict.WITHIN, "within_limit"),
        (Sides(NONE, LEVEL, None), Verdict.UNDECIDED, "no_control"),
        (Sides(NONE, LEVEL, residual(0.1, 0.04, 0.2)), Verdict.UNDECIDED, "control_missed"),
        (Sides(residual(0.01, -0.02, 0.051), LEVEL, FOUND), Verdict.UNDECIDED, "interval_holds_limit"),
        (Sides(residual(-0.1, -0.2, -0.01), LEVEL, FOUND), Verdict.UNDECIDED, "members_harder"),
        (Sides(NONE, residual(-0.1, -0.2, -0.01), FOUND), Verdict.UNDECIDED, "members_harder"),
        (Sides(None, None, None), Verdict.UNDECIDED, "not_compared"),
    ],
)
def test_the_verdict_of_every_state(sides: Sides, verdict: Verdict, code: str) -> None:
    judgement = judged(sides)
    assert (judgement.verdict, judgement.code) == (verdict, code)
    without = judged(sides, limit=None)
    assert (without.verdict is Verdict.LEAK) == (verdict is Verdict.ABOVE)
    assert together([sides]).looks == 3


def test_what_stands_in_the_way_says_so() -> None:
    assert judged(Sides(NONE, LEVEL, None)).why.startswith(NO_CONTROL)
    assert judged(Sides(None, None, None), has_holdout=False).code == "no_holdout_for_secrets"
    assert "intervals reach 5.1 %" in judged(Sides(residual(0.01, -0.02, 0.051), LEVEL, FOUND)).why


def test_a_leak_has_to_reach_the_limit() -> None:
    assert judged(Sides(LEAK, LEVEL, FOUND), limit=0.76).verdict is Verdict.UNDECIDED
    assert "above the limit (70.0 %)" in judged(Sides(LEAK, LEVEL, FOUND), limit=0.7).why


def test_of_several_secrets_the_strongest_is_judged_and_the_widest_bounds() -> None:
    strong = Sides(replace(LEAK, low=0.78), LEVEL, FOUND)
    wide = Sides(residual(0.3, 0.0, 0.9), LEVEL, FOUND)
    measured = together([Sides(NONE, LEVEL, FOUND), strong, wide])
    assert measured.strongest is strong.residual
    assert measured.widest is wide.residual
    assert (measured.who, measured.looks, measured.is_complete) == ("b", 3, True)
    assert judged(Sides(NONE, LEVEL, FOUND), Sides(NONE, LEVEL, FOUND)).verdict is Verdict.WITHIN
    assert judged(Sides(NONE, LEVEL, FOUND), wide).verdict is Verdict.UNDECIDED


def test_a_secret_that_is_easier_anyway_is_set_aside_and_bars_an_absence() -> None:
    anyway = Sides(LEAK, residual(0.7, 0.6, 0.8), FOUND)
    measured = together([anyway, Sides(NONE, LEVEL, FOUND)])
    assert (measured.strongest, measured.who) == (NONE, "b")
    assert judge(measured, own(0.05)).code == "members_easier_anyway"
    assert judged(anyway, Sides(residual(0.3, 0.2, 0.4), LEVEL, FOUND)).verdict is Verdict.ABOVE


def test_what_gave_no_number_bars_an_absence_alone() -> None:
    nothing = Sides(None, None, FOUND)
    assert judged(Sides(NONE, LEVEL, FOUND), nothing).code == "silent"
    assert judged(Sides(LEAK, LEVEL, FOUND), nothing).verdict is Verdict.ABOVE
    refused = judged(Sides(NONE, LEVEL, FOUND), silent=["ward from age"])
    assert (refused.code, refused.why.partition(" gave")[0]) == ("silent", "ward from age")


def test_the_planted_leak_found_worst_decides_how_low_silence_says_something() -> None:
    """Found at 0.4 or above beside one, at 0.04 or above beside the other: 0.05 is out of sight there."""
    weak = Sides(NONE, LEVEL, residual(0.1, 0.04, 0.2))
    control = together([Sides(NONE, LEVEL, FOUND), weak]).control
    assert control.found_below == 0.04
    assert control.weakest is not None
    assert control.weakest.n == 200, "people, who are counted"
    assert judged(Sides(NONE, LEVEL, FOUND), Sides(NONE, LEVEL, None)).code == "no_control"


QUIET = Sides(NONE, LEVEL, FOUND)
GAIN = of("delta", 0.058, 0.05, 0.066)
RATIO = of("leakage_ratio", 1.024, 0.95, 1.1)
BY_AUC = (
    of("auc", 0.5, 0.5, 0.5).label(trained_on="baseline_tested", tested_on="control"),
    of("auc", 0.631, 0.61, 0.65).label(trained_on="release", tested_on="control"),
    of("delta", 0.131, 0.11, 0.15).label(trained_on="release", tested_on="control", metric="auc"),
)


def answer(
    sides: Sides = QUIET, gain: Estimate = GAIN, *more: Estimate, asked: str = "control", right: str = ""
) -> SecretAnswer:
    """What was guessed of an income from age and sex by whoever was ``asked``."""
    estimates = (
        of("accuracy", 0.754, 0.74, 0.77).label(trained_on="baseline_tested", tested_on=asked),
        of("accuracy", 0.812, 0.8, 0.82).label(trained_on="release", tested_on=asked),
        of("accuracy", 0.81, 0.8, 0.82).label(trained_on="real", tested_on=asked),
        gain.label(trained_on="release", tested_on=asked),
    )
    return SecretAnswer("income", "age, sex", "tree", (*estimates, *more), sides, right=right)


def by_share(ratio: Estimate = RATIO, **metric: str) -> Estimate:
    """The leakage ratio, of the share of right guesses or of another measure."""
    return ratio.label(trained_on="release", tested_on="control", **metric)


def test_a_fact_about_the_population() -> None:
    """No verdict and no limit stand in the sentence: that people are not easier to guess is not shown by it."""
    assert sentence(answer(QUIET, GAIN, by_share())) == (
        "Knowing age, sex, the release is not shown to make “income” easier to guess of people in the data than of "
        f"others (residual {QUIET.residual}); the release raises the chance of guessing “income” from 75.4 %, the most "
        "frequent level of the people tested, to 81.2 % (gain Δ 5.8 % [5.0 %, 6.6 %]); a model trained on the real "
        "data reaches 81.0 %; the release adds 102 % [95 %, 110 %] of what the real data would add (leakage ratio). As "
        "far as this audit shows, what leaks is a fact about the population, not about these people."
    )


def test_a_leak_about_members() -> None:
    text = sentence(answer(Sides(LEAK, LEVEL, FOUND)))
    assert text.startswith(
        "Knowing age, sex, the release makes “income” easier to guess of people in the data than of others (residual "
        f"{LEAK}); the release raises the chance"
    ), "the reason of the verdict comes first, with the number that it stands on and no other"
    assert "population" not in text
    assert text.endswith("What leaks is about the very people in the data.")


def test_nothing_leaks_where_the_release_does_not_help_either() -> None:
    text = sentence(answer(QUIET, of("delta", 0.0, -0.01, 0.01)))
    assert "is not shown to raise the chance" in text
    assert "fact about the population" not in text
    assert "This audit shows no leak" in text


def test_what_the_share_of_right_guesses_hides_is_said_where_the_auc_shows_it() -> None:
    """A rare level: nobody is guessed to have it, and yet the release tells who is likelier to."""
    flat = of("delta", -0.004, -0.01, 0.002)
    ratio = by_share(of("leakage_ratio", 0.99, 0.9, 1.08), metric="auc")
    text = sentence(answer(QUIET, flat, *BY_AUC, ratio))
    assert "is not shown to raise the chance" in text
    assert "; but the release raises AUC from 0.500, which is chance, to 0.631 (gain Δ 0.131 [0.110, 0.150]); " in text
    assert "; by AUC, the release adds 99 % [90 %, 108 %] of what the real data would add (leakage ratio). " in text
    assert text.endswith("a fact about the population, not about these people.")
    assert "would add" not in sentence(answer(QUIET, flat, *BY_AUC))
    assert "This audit shows no leak" in sentence(answer(QUIET, flat))


def test_a_share_that_rises_says_nothing_of_other_measures() -> None:
    text = sentence(answer(QUIET, GAIN, *BY_AUC, by_share()))
    assert "AUC" not in text
    assert "adds 102 % [95 %, 110 %]" in text


def test_a_release_that_misleads() -> None:
    text = sentence(answer(QUIET, of("delta", -0.04, -0.05, -0.03)))
    assert "guesses from the release are worse than guesses without it" in text


def test_people_who_differ_anyway_are_said_to() -> None:
    anyway = sentence(answer(Sides(LEAK, residual(0.7, 0.6, 0.8), FOUND)))
    assert "not because of the release" in anyway
    assert anyway.endswith(EASIER)
    harder = sentence(answer(Sides(residual(-0.1, -0.2, -0.01), LEVEL, FOUND)))
    assert "is harder to guess" in harder
    assert harder.endswith(HARDER)


def test_without_a_holdout_only_what_can_be_said() -> None:
    text = sentence(answer(Sides(None, None, None), asked="members"))
    assert "reaches 81.0 % on records it has not seen" in text
    assert text.endswith(NO_HOLDOUT)
    assert "people in the data than" not in text


def test_a_holdout_that_leaves_too_few_to_compare_is_not_asked_for() -> None:
    text = sentence(answer(Sides(None, None, None)))
    assert text.endswith(NOT_COMPARED)


def test_a_right_number_and_a_planted_leak_in_words() -> None:
    assert right_within(0.05, 0.5) == "to within 5 % (or 0.5)"
    assert right_within(0.05, 0.0) == "to within 5 %"
    assert right_within(0.0, 30.0) == "to within 30"
    assert right_within(0.0, 5e-7) == "to within 0.0000005", "no power of ten in a sentence"
    for kept in (right_within(0.05, 0.5), right_within(0.025, 0.0), right_within(0.0, 30.0), right_within(0.1, 0.005)):
        assert again(str(kept)) == kept
    assert again("something else") == "something else"
    assert "to within 5 %" in sentence(answer(right=right_within(0.05, 0.0)))
    assert describe_planted(60, 600, 120).startswith("60 of 600 released rows")
