"""What is said of exact matches and of secrets drawn anew, word by word, from estimates made by hand."""

from __future__ import annotations

import pytest

from riskkit.core import Estimate
from riskkit.questions.attributes import words as again


def of(name: str, value: float, low: float, high: float, **labels: str) -> Estimate:
    return Estimate(name, value, low, high, 0.95, "made", 20, labels)


MEMBERS = [of("matched", 0.8, 0.75, 0.85, tested_on="members"), of("dcap", 0.3, 0.25, 0.35, tested_on="members")]
CONTROL = of("dcap", 0.1, 0.05, 0.15, tested_on="control")
FIRST = (
    "80 % [75 %, 85 %] of the members have a released row that agrees in all known columns. Looking the secret up "
    "there gains 0.300 [0.250, 0.350] over drawing from the release (DCAP)"
)


MORE = "Looking up gains more about members (difference 0.200 [0.100, 0.300]): what leaks is about them."
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
