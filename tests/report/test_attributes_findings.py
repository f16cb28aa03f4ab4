"""A kept round of guesses read back, and its sentences, matches, gains and ratios word by word, by hand."""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Estimate
from riskkit.plain import plain
from riskkit.questions.attributes import findings, words
from riskkit.questions.attributes import findings as gains
from riskkit.questions.attributes import words as again
from riskkit.questions.attributes.findings import Risk
from riskkit.questions.attributes.outcome import Sides
from riskkit.questions.attributes.result import AttributesResult
from riskkit.stats.gains import Baseline, leakage_ratio
from riskkit.stats.guesses import CategoryGuesses
from tests.speaking import speak

ABOUT = {"secret": "income", "known": "age, sex", "model": "forest"}
GAIN = (
    "the release raises the chance of guessing “income” from 75.0 %, the most frequent level of the "
    "people tested, to 81.0 % (gain Δ 6.0 % [1.0 %, 11.0 %])"
)
CEILING = "a model trained on the real data reaches 82.0 %"
SIDES = (
    "Knowing age, sex, the release makes “income” easier to guess of people in the data than of others (residual 0.40 "
    "[0.30, 0.50])"
)
LEAK = "What leaks is about the very people in the data."


def estimate(name: str, value: float, half: float = 0.05, **labels: str) -> dict[str, Any]:
    ends = {"value": value, "low": value - half, "high": value + half}
    return {"name": name, **ends, "level": 0.95, "method": "by hand", "n": 200, **ABOUT, **labels}


def compared(residual: float, **more: Any) -> dict[str, Any]:
    """Members beside the control, at the level that allows for three looks."""
    sides = {name: estimate("residual", value, 0.1) for name, value in (("residual", residual), ("planted", 0.5))}
    about = {"columns": ["age", "sex"], "kind": "category", "share": "accuracy", "right": ""}
    return {**ABOUT, **sides, "without": None, **about, **more}


def settings(looks: int, baseline: str = "tested") -> dict[str, Any]:
    """What was asked, and how many were counted."""
    left_out = dict.fromkeys(("spared", "shared", "shared_holdout", "dropped_to_even"), 0)
    people = {"n_members": 120, "n_control": 80, "n_release": 200, "planted": None}
    return {**people, **left_out, "looks": looks, "baseline": baseline}


def guesses(row: list[int], confidence: list[float], exposed: list[bool]) -> dict[str, Any]:
    """What is known of single members."""
    guessed = dict.fromkeys(("right", "baseline_right", "never_in_right"), exposed)
    return {**ABOUT, "row": row, "confidence": confidence, "exposed": exposed, **guessed}


def result(residual: float = 0.4, **more: Any) -> dict[str, Any]:
    """One secret, its members easier to guess by that residual."""
    control, members = {"tested_on": "control", "metric": "accuracy"}, {"tested_on": "members", "metric": "accuracy"}
    return {
        "estimates": [
            estimate("accuracy", 0.7, trained_on="baseline_tested", **members),
            estimate("accuracy", 0.75, trained_on="baseline_tested", **control),
            estimate("accuracy", 0.9, trained_on="release", **members),
            estimate("accuracy", 0.81, trained_on="release", **control),
            estimate("accuracy", 0.82, trained_on="real", **control),
            estimate("difference", 0.09, trained_on="release", metric="accuracy"),
            estimate("delta", 0.2, trained_on="release", **members),
            estimate("delta", 0.06, trained_on="release", **control),
            estimate("delta", 0.01, trained_on="release", tested_on="control", metric="balanced_accuracy"),
            estimate("delta", 0.02, trained_on="real", **control),
            estimate("residual", 0.0, trained_on="real", metric="accuracy"),
            estimate("residual", residual, trained_on="release", metric="accuracy"),
            estimate("exposed", 30.0, trained_on="release"),
            estimate("exposed_by_chance", 20.0, trained_on="release"),
            estimate("exposed_beyond_chance", 10.0, half=3.0, trained_on="release"),
        ],
        "compared": [compared(residual)],
        "sweep": [],
        "groups": [],
        "notes": ["A note."],
        "settings": settings(3),
        "refused": [],
        "randomised": [],
        "records": [
            guesses([3, 17, 99], [1.0, 0.95, 0.9], [False, True, True]),
            {**guesses([5], [1.0], [True]), "secret": "sex"},
        ],
        **more,
    }


def secret_answer(residual: float = 0.4, **more: Any) -> findings.SecretAnswer:
    (answer,) = findings.summarise(AttributesResult.from_plain(result(residual, **more)))
    return answer


def test_each_comparison_is_that_of_the_release_on_the_control() -> None:
    answer = secret_answer()
    contrasts = {name: answer.contrast(name) for name in ("delta", "residual", "leakage_ratio")}
    assert contrasts["delta"] is not None
    assert contrasts["residual"] is not None
    assert (contrasts["delta"].value, contrasts["residual"].value) == (0.06, 0.4)
    assert contrasts["leakage_ratio"] is None


def test_the_baseline_is_that_of_the_control_and_of_the_members_where_there_is_none() -> None:
    bar = secret_answer().bar("baseline", "accuracy")
    assert bar is not None
    assert bar.value == 0.75
    without = [estimate for estimate in result()["estimates"] if estimate.get("tested_on") != "control"]
    alone = secret_answer(estimates=without).bar("baseline", "accuracy")
    assert alone is not None
    assert alone.value == 0.7


def test_estimates_of_another_known_set_are_not_mixed_in() -> None:
    """Planted: the same secret from other columns stands first in the list."""
    other = {**estimate("residual", -0.9, trained_on="release", metric="accuracy"), "known": "age"}
    residual = secret_answer(estimates=[other, *result()["estimates"]]).contrast("residual")
    assert residual is not None
    assert residual.value == 0.4


def test_the_sentence_is_made_of_the_numbers_where_it_is_read() -> None:
    assert findings.sentence(secret_answer()) == f"{SIDES}; {GAIN}; {CEILING}. {LEAK}"
    renamed = findings.sentence(secret_answer(), secret="column 3", known="2 columns")  # noqa: S106  a column
    assert renamed.startswith("Knowing 2 columns, the release makes “column 3” easier to guess of people in")
    assert "income" not in renamed


def test_a_leak_is_read_first_where_there_is_one() -> None:
    assert secret_answer().is_shown
    first, rest = findings.headline(secret_answer())
    assert first == f"{SIDES}."
    assert rest == f"{GAIN[0].upper()}{GAIN[1:]}; {CEILING}. {LEAK}"


def test_without_a_leak_the_reason_of_the_verdict_is_read_first_too() -> None:
    quiet = secret_answer(0.0)
    assert not quiet.is_shown
    first, rest = findings.headline(quiet)
    assert first.startswith("Knowing age, sex, the release is not shown to make “income” easier to guess of people in")
    assert rest.startswith("The release raises the chance of guessing “income”")
    assert rest.endswith("what leaks is a fact about the population, not about these people.")


def test_the_line_of_the_page_audit_says_first_what_the_verdict_stands_on() -> None:
    """Planted: the release helps nobody to guess, and yet people in it are easier to guess."""
    flat = [{**each, "low": -0.1} if each["name"] == "delta" else each for each in result()["estimates"]]
    shown = findings.plain(secret_answer(estimates=flat), secret="income", known="age, sex")  # noqa: S106  a column
    assert shown == "Knowing age, sex, an attacker guesses “income” right more often for members than for others."
    quiet = findings.plain(secret_answer(0.0), secret="income", known="age, sex")  # noqa: S106  a column
    assert quiet == "Knowing age, sex, an attacker guesses “income” right for 90.0 % of members and 81.0 % of others."


def test_a_sentence_of_one_clause_stays_whole() -> None:
    bare = secret_answer(estimates=[])
    assert findings.headline(bare) == (
        "Knowing age, sex, what the release adds for income could not be measured.",
        "",
    )


def test_the_verdict_says_what_it_rests_on() -> None:
    assert findings.stands_on(secret_answer()) == (
        "A leak planted as a control has a residual of 0.50 [0.40, 0.60]. The verdict is corrected for testing 3 "
        "secrets and known sets."
    )
    assert findings.stands_on(secret_answer(compared=[compared(0.4, planted=None)], settings=settings(1))) == ""


def test_what_the_judge_takes_is_kept_as_it_was() -> None:
    """At the level of all looks, whatever the narrower estimate beside it says."""
    sides = secret_answer().compared
    assert sides.residual is not None
    assert [sides.residual.low, sides.residual.high] == pytest.approx([0.3, 0.5])
    assert (sides.without, sides.planted and sides.planted.value) == (None, 0.5)
    kept = plain(Sides(sides.residual, None, None))
    assert kept == {"residual": sides.residual.as_dict(), "without": None, "planted": None}


def test_exposed_people_are_rows_of_this_answer_beside_what_luck_would_name() -> None:
    answer = secret_answer()
    assert [(person.row, person.confidence) for person in answer.exposed] == [(17, 0.95), (99, 0.9)]
    assert findings.title(answer) == "Guessed with confidence, beyond chance: 10 [7, 13] people"
    assert "At least 7 people are. The rule cannot tell which" in findings.rule(answer)
    assert "3 were made" in findings.rule(answer), "the interval is for one look"


def test_nobody_is_shown_to_be_exposed_where_luck_names_as_many() -> None:
    counts = [estimate("exposed_beyond_chance", -1.0, half=3.0, trained_on="release")]
    counts += [each for each in result()["estimates"] if each["name"] in ("exposed", "exposed_by_chance")]
    assert "Nobody is shown to be" in findings.rule(secret_answer(estimates=counts))
    assert findings.title(secret_answer(estimates=counts[1:])) == "", "no number, no title"


def test_a_result_without_records_is_read_too() -> None:
    without = AttributesResult.from_plain(AttributesResult.from_plain(result()).as_dict())
    assert findings.summarise(without)[0].exposed == ()


def test_fields_of_a_sweep_keep_what_was_corrected_and_what_was_refused() -> None:
    field = {**ABOUT, "set": "all other columns", "columns": ["age", "sex"], "refusal": "", "shown": False}
    field |= {"kind": "category", "corrected": None}
    shown = {**field, "delta": estimate("delta", 0.2), "residual": estimate("residual", 0.2)}
    refused = {**field, "delta": None, "residual": None, "refusal": "Too few."}
    first, second = AttributesResult.from_plain(result(sweep=[shown, refused])).sweep
    assert (first.known_set, first.columns) == ("all other columns", ("age", "sex"))
    assert first.is_marked("delta")
    assert not first.is_marked("residual"), "its own interval lies above 0, but not when all were looked at"
    assert (second.is_marked("delta"), second.refusal) == (False, "Too few.")


@pytest.mark.parametrize(("looks", "least"), [(1, 0.11), (24, 0.15)])
def test_more_looks_need_a_larger_residual(looks: int, least: float) -> None:
    """By hand: (z + 0.84) sqrt(0.25 (1/2000 + 1/1000)) / 0.5, where z is 1.96 for one look and 3.08 for 24."""
    assert f"a residual of {least:.2f} or more" in words.could_show(2000, 1000, looks, 0.95)


def test_before_a_run_it_is_said_when_nothing_can_be_shown() -> None:
    assert "none of others" in words.could_show(2000, 0, 1, 0.95)
    assert "no residual can be shown" in words.shows(10, 10, 1, 1.0)
    assert words.asks(12, 2) == "12 columns × 2 known sets: 24 questions in all"


def test_where_clauses_are_sentences_the_first_stands_large(monkeypatch: pytest.MonkeyPatch) -> None:
    speak(monkeypatch, "ja")
    large, small = findings.headline(secret_answer())
    assert large.endswith("。")
    assert large.count("。") == 1
    assert small.count("。") > 1


def of(name: str, value: float, low: float, high: float, **labels: str) -> Estimate:
    return Estimate(name, value, low, high, 0.95, "made", 20, labels)


MEMBERS = [of("matched", 0.8, 0.75, 0.85, tested_on="members"), of("dcap", 0.3, 0.25, 0.35, tested_on="members")]
CONTROL = of("dcap", 0.1, 0.05, 0.15, tested_on="control")
FIRST = (
    "80 % [75 %, 85 %] of the members have a released row that agrees in all known columns. Looking the secret up "
    "there gains 0.300 [0.250, 0.350] over drawing from the release (DCAP)"
)


MORE = (
    "By this measure alone, not corrected for the number of looks, looking up gains more about members (difference "
    "0.200 [0.100, 0.300])."
)
SAME = (
    "Looking up is not shown to gain more about members (difference 0.000 [-0.100, 0.100]). What looking up tells "
    "is a fact about the population."
)
LESS = "Looking up gains less about members (difference -0.200 [-0.300, -0.100])."


@pytest.mark.parametrize(
    ("apart", "says"),
    [
        (of("dcap_apart", 0.2, 0.1, 0.3), MORE),
        (of("dcap_apart", 0.0, -0.1, 0.1), SAME),
        (of("dcap_apart", -0.2, -0.3, -0.1), LESS),
    ],
)
def test_exact_matches_are_told_beside_people_who_were_not_in(apart: Estimate, says: str) -> None:
    sentence = again.match_sentence([*MEMBERS, CONTROL, apart])
    assert sentence == f"{FIRST}; for people outside the data, 0.100 [0.050, 0.150]. {says}"


def test_without_a_control_or_a_match_it_says_so() -> None:
    assert again.match_sentence(MEMBERS).endswith("cannot be said without people outside the data.")
    assert again.match_sentence([]) == ""
    assert again.beside("nothing", has_numbers=False) == [f"CAP: {again.NO_MATCH['nothing']}"]
    assert again.beside("prior", has_numbers=True)[1] == again.EXACT
    assert again.handling([of("cap", 0.1, 0, 1, model="cap:no_match=nothing")]) == again.NO_MATCH["nothing"]


SHARES = [of("randomised_success", 0.31, 0.28, 0.34), of("randomised_chance", 0.30, 0.29, 0.31)]


@pytest.mark.parametrize(
    ("gain", "is_shown", "says"),
    [
        ((0.01, -0.02, 0.04), False, "row leaks is not shown; a gain of up to 0.040 cannot be ruled out."),
        ((-0.03, -0.05, -0.01), False, "That a person's own row leaks is not shown."),
        ((0.4, 0.3, 0.5), True, "No fact about the population can tell a draw: what leaks is a person's own row."),
    ],
)
def test_drawn_secrets_of_a_category(gain: tuple[float, float, float], is_shown: bool, says: str) -> None:
    estimates = [*SHARES, of("randomised_gain", *gain)]
    sentence = again.randomised_sentence("job", "bayesnet", estimates, targets=40, is_category=True, is_shown=is_shown)
    assert sentence.startswith(
        "In 20 new trainings of bayesnet, 40 people had their “job” drawn at random before. The draw is guessed "
        "rightly in 31 % [28 %, 34 %] of the cases, where chance gives 30 % (difference "
    )
    assert sentence.endswith(says)


def test_drawn_secrets_of_a_number() -> None:
    gain = [of("randomised_gain", 0.1, -0.1, 0.3)]
    sentence = again.randomised_sentence("age", "stat", gain, targets=4, is_category=False, is_shown=False)
    assert "nearer to the draw than chance allows by 0.100 [-0.100, 0.300] standard deviations" in sentence
    assert sentence.endswith("a gain of up to 0.300 standard deviations cannot be ruled out.")


def test_the_cost_is_told_in_trainings() -> None:
    assert again.cost_in_trainings("stat", 20, 100, 2) == (
        "40 trainings of stat, 20 for each secret and known set, each with 100 secrets drawn anew."
    )
    assert again.cost_in_trainings("stat", 20, 1, 1) == "20 trainings of stat, each with 1 secret drawn anew."


OTHERS = {"tested_on": "control", "trained_on": "release"}
REAL = {**OTHERS, "trained_on": "real"}


def made(*, ratio: tuple[float, float] | None = (0.99, 0.08), baseline: str = "tested") -> dict[str, Any]:
    """Accuracy that gains nothing from either; an AUC of .631 from the release and .632 from the real table."""
    auc = {"metric": "auc"}
    estimates = [
        estimate("accuracy", 0.845, trained_on="baseline_tested", tested_on="control", metric="accuracy"),
        estimate("accuracy", 0.155, trained_on="baseline_majority", tested_on="control", metric="accuracy"),
        estimate("accuracy", 0.841, **OTHERS, metric="accuracy"),
        estimate("accuracy", 0.846, **REAL, metric="accuracy"),
        estimate("delta", -0.004, 0.005, **OTHERS, metric="accuracy", baseline=baseline),
        estimate("delta", 0.001, 0.005, **REAL, metric="accuracy", baseline=baseline),
        estimate("auc", 0.5, 0.0, trained_on="baseline_tested", tested_on="control", **auc),
        estimate("auc", 0.631, 0.02, **OTHERS, **auc),
        estimate("auc", 0.632, 0.02, **REAL, **auc),
        estimate("delta", 0.131, 0.02, **OTHERS, **auc, baseline="chance"),
        estimate("delta", 0.132, 0.02, **REAL, **auc, baseline="chance"),
    ]
    if ratio is not None:
        estimates.append(estimate("leakage_ratio", *ratio, **OTHERS, **auc, baseline="chance"))
    return result(estimates=estimates, settings=settings(1, baseline))


def answer(**how: Any) -> findings.SecretAnswer:
    (secret_answer,) = findings.summarise(AttributesResult.from_plain(made(**how)))
    return secret_answer


def test_every_measure_stands_on_its_own_baseline() -> None:
    accuracy, auc = gains.gains(answer())
    assert (accuracy.measure, accuracy.over, accuracy.ratio, accuracy.risk) == ("accuracy", "tested", None, None)
    assert [bar and bar.value for bar in (auc.baseline, auc.release, auc.real)] == [0.5, 0.631, 0.632]
    assert (auc.over, auc.risk) == ("chance", Risk.HIGH)


def test_the_other_constant_takes_the_place_of_the_first_where_it_was_asked_for() -> None:
    for baseline, first, other in (("tested", 0.845, 0.155), ("released", 0.155, 0.845)):
        secret_answer = answer(baseline=baseline)
        bars = [secret_answer.bar(side, "accuracy") for side in ("baseline", "other baseline")]
        assert [bar and bar.value for bar in bars] == [first, other]
        chance = secret_answer.bar("baseline", "auc")
        assert chance is not None
        assert chance.value == 0.5
        assert f"“income”: {100 * first:.1f} % without it, the most frequent level of the " in findings.sentence(
            secret_answer
        )
        assert ("released rows" in findings.sentence(secret_answer)) == (baseline == "released")


@pytest.mark.parametrize(
    ("ratio", "risk"),
    [((0.99, 0.08), "high"), ((0.6, 0.09), "high"), ((0.2, 0.1), "low"), ((-0.5, 0.3), "low"), ((0.5, 0.1), "open")],
)
def test_a_ratio_is_read_by_which_end_its_whole_interval_is_nearer_to(ratio: tuple[float, float], risk: str) -> None:
    read_as = gains.gains(answer(ratio=ratio))[1].risk
    assert read_as is not None
    assert read_as.value == risk
    (_, auc) = gains.readings(AttributesResult.from_plain(made(ratio=ratio)))
    assert (auc["metric"], auc["baseline"], auc["leakage_ratio"], auc["risk"]) == ("auc", "chance", ratio[0], risk)


def test_a_ratio_of_macro_f1_is_a_number_and_no_reading() -> None:
    """Guesses drawn at random from a release of no use gain over a constant one as much as those from the real data."""
    rng, n = np.random.default_rng(1), 4000
    truth, release, real = rng.choice(2, (3, n), p=[0.7, 0.3])
    base = Baseline(CategoryGuesses(truth, np.zeros(n)))
    random = leakage_ratio(CategoryGuesses(truth, release), CategoryGuesses(truth, real), base, metric="macro_f1")
    assert random.low > gains.HALF, "planted: nothing is learnt, and yet it would read as a high risk"
    kept = made(ratio=None)
    labels = {**OTHERS, "metric": "macro_f1", "baseline": "tested"}
    kept["estimates"] += [estimate("delta", 0.07, **labels), estimate("leakage_ratio", random.value, 0.1, **labels)]
    last = gains.readings(AttributesResult.from_plain(kept))[1]
    assert (last["metric"], last["leakage_ratio"], last["risk"]) == ("macro_f1", random.value, None)
    (read,) = findings.summarise(AttributesResult.from_plain(kept))
    assert gains.reading(read) == ""


def test_the_reading_says_that_no_verdict_stands_on_it() -> None:
    assert gains.reading(answer()) == (
        "Guesses from the release beside guesses from the real data (train on synthetic, test on real), read by "
        "themselves: AUC: the release adds more than half of what the real data would add (99 % [91 %, 107 %]). The "
        "ratio is the same with and without a leak about people, so no verdict rests on it: the verdict rests on "
        "members compared with people outside the data."
    )
    assert gains.reading(answer(ratio=None)) == ""


def test_a_missing_ratio_is_explained_by_its_denominator() -> None:
    missing = gains.no_ratio(answer())
    assert "over the baseline): Guessed rightly 0.00 [0.00, 0.01]. Such a model" in missing
    assert "AUC" not in missing
    assert "AUC 0.13 [0.11, 0.15]" in gains.no_ratio(answer(ratio=None))
