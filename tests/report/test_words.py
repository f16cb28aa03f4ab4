"""The sentences, word for word, for estimates whose numbers were made up here."""

import pytest

from riskkit import wording
from riskkit.core import Estimate, Knowledge
from riskkit.errors import ParameterError
from riskkit.questions.membership import words
from riskkit.show import promise
from riskkit.stats.epsilon import BOUNDS


def estimate(name: str, value: float, low: float, high: float, n: int = 40, **labels: str) -> Estimate:
    about = {"record": "17", "position": "0", "generator": "stat", "target": "selective", "attack": "mvl"}
    return Estimate(name, value, low, high, 0.95, "made up", n, {**about, **labels})


def test_what_is_no_better_than_guessing_is_said_to_be_so() -> None:
    text = words.auc(estimate("auc", 0.52, 0.41, 0.63), Knowledge.NONE)
    assert text.endswith(
        "in 52 % [41 %, 63 %] of cases (chance 50 %; 40 trainings; not distinguishable from guessing)."
    )
    assert "worse than guessing" in words.auc(estimate("auc", 0.3, 0.2, 0.4), Knowledge.EXACT)


def test_auc_is_a_choice_between_two_releases() -> None:
    text = words.auc(estimate("auc", 0.78, 0.71, 0.84, n=400), Knowledge.AUXILIARY)
    assert text == (
        "Knowing other people of the same population, an attacker who sees one release with record 17 and one without "
        "picks the right one in 78 % [71 %, 84 %] of cases (chance 50 %; 400 trainings)."
    )


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ({"record": "17"}, "record 17"),
        ({"record": "made up", "position": "1"}, "made-up record 2"),
        ({"record": "3+17"}, "records 3 and 17 as one group"),
        ({"record": "3+17+20"}, "records 3, 17 and 20 as one group"),
        ({"record": "1+2+3+4+5+6"}, "6 records as one group"),
    ],
)
def test_records_are_named(labels: dict[str, str], text: str) -> None:
    assert words.record(labels) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0 %"), (0.004, "under 1 %"), (0.5, "50 %"), (0.996, "over 99 %"), (1, "100 %")]
)
def test_nothing_is_rounded_to_none_or_all(value: float, text: str) -> None:
    assert wording.percent(value) == text


def test_numbers_carry_their_interval_and_epsilon_its_ceiling() -> None:
    assert wording.number(estimate("auc", 0.78, 0.71, 0.84)) == "0.78 [0.71, 0.84]"
    assert wording.number(estimate("epsilon_lower", 0.52, 0.52, 1.2)) == "0.52 (ceiling 1.20)"


@pytest.mark.parametrize("name", BOUNDS)
def test_a_bound_of_nothing_never_reads_as_an_epsilon_of_zero(name: str) -> None:
    """ "ε is at least 0.00 [0.00, 0.00]" was taken for a proof of privacy."""
    for bound in (0.0, 0.004):
        text = wording.number(Estimate(name, bound, bound, 0.61, 0.95, "m", 10))
        units = "canaries" if "one_run" in name else "trainings"
        assert text == f"not shown (10 {units} could show up to 0.61)"
    assert wording.number(Estimate(name, 0.01, 0.01, 0.61, 0.95, "m", 10)) == "0.01 (ceiling 0.61)"
    assert "not shown (10 trainings could show up to 0.00)" in promise.most(10)
    assert "at least 1.84" in promise.most(50)


def test_a_result_as_json_says_how_its_bounds_read() -> None:
    kept = {
        "estimates": [estimate("epsilon_lower", 0, 0, 0.81).as_dict(), estimate("auc", 0.5, 0.3, 0.7).as_dict()],
        "records": [{"row": 3, "epsilon": [0.0, 0.81], "n": 20}],
    }
    readings = promise.with_readings(kept)
    assert readings["estimates"][0]["reads"].startswith("not shown (")
    assert "reads" not in readings["estimates"][1]
    assert readings["records"][0]["epsilon_reads"] == "not shown (20 trainings could show up to 0.81)"
    assert "reads" not in kept["estimates"][0], "what is kept stays as it is"


def test_every_measure_has_its_reference() -> None:
    assert words.reference(estimate("accuracy", 0.6, 0.5, 0.7)) == 0.5
    assert words.reference(estimate("advantage", 0.6, 0.5, 0.7)) == 0.0
    assert words.reference(estimate("tpr_at_fpr", 0.6, 0.5, 0.7, fpr="0.01")) == 0.01


def test_an_interval_that_touches_chance_is_not_above_it() -> None:
    assert not words.is_above_chance(estimate("auc", 0.6, 0.5, 0.7))
    assert words.is_above_chance(estimate("auc", 0.6, 0.501, 0.7))
    assert not words.is_above_chance(estimate("tpr_at_fpr", 0.3, 0.09, 0.5, fpr="0.1"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.2, "about a second"),
        (12.4, "about 12 seconds"),
        (240, "about 4 minutes"),
        (7800, "about 2 h 10 min"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert wording.duration(seconds) == text


def test_power_agrees_with_the_table_of_needed_trainings() -> None:
    assert words.trainings_needed(0.7) == pytest.approx(64, abs=2), "two ends at 2.5 %: 50 for one at 5 %"
    assert "20 trainings tell a true AUC of 0.84 or more" in words.detectable(20)
    text = words.detectable(20, looks=8, trials=5)
    assert "of 0.99 or more" in text
    assert "corrected for 8 findings" in text


def test_two_trainings_can_show_nothing() -> None:
    with pytest.raises(ParameterError, match="Ask for more trainings"):
        words.detectable(2)


def test_no_word_says_safe() -> None:
    """The words of verdicts stand in tests/judging."""
    everything = " ".join([*words.GLOSSARY.values(), *words.TITLES.values(), words.ABSENCE])
    assert "safe" not in everything


def test_every_measure_shown_has_a_plain_meaning() -> None:
    assert set(words.TITLES) <= set(words.GLOSSARY)


def test_what_an_attack_takes_is_what_it_must_know_and_what_it_trains() -> None:
    assert words.attacker(Knowledge.EXACT, 100).endswith("below. It trains the method 100 times itself in every game.")
    assert words.attacker(Knowledge.NONE, 0) == "The attacker has only the release. It trains nothing itself."
