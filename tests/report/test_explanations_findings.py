"""Results read back for the page: nothing is lost, and a person's values stay masked until they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from riskkit.questions.explanations import findings as told
from riskkit.questions.explanations import words
from riskkit.questions.explanations.findings import HIDDEN, MODE, Finding
from riskkit.questions.explanations.play import run_explanations
from tests.questions.explanations.test_explanations import PLAN, files


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return run_explanations(files(), PLAN).kept()


@pytest.fixture(scope="module")
def found(kept: dict[str, Any]) -> Finding:
    return told.read(kept)


def test_everything_is_read_back(kept: dict[str, Any], found: Finding) -> None:
    assert [e.as_dict() for e in found.estimates] == kept["estimates"]
    assert found.is_shown
    assert found.successful == {"linear": True, "nearest": found.against[1].is_successful()}
    assert (found.looks, found.attacker, found.holds["linear"]) == (kept["settings"]["looks"], "linear", "auxiliary")
    assert (found.attackers, found.sizes) == (("linear", "nearest"), (120,))
    assert found.recovered["linear"] == found.features == ("place", "weight", "pay")
    assert found.of("mae", MODE, "pay") is not None
    assert found.of("mae", "nobody") is None
    assert [one.as_dict() for gains in found.against[0].gains.values() for one in gains] == [
        gain for gains in kept["attackers"][0]["gains"].values() for gain in gains
    ]


def sentence(found: Finding) -> str:
    return told.sentence(found, "linear", str)


def test_the_headline_ends_where_its_numbers_begin(found: Finding) -> None:
    first, rest = told.headline(sentence(found))
    assert first.endswith("recovers 3 of 3 inputs better than any constant guess.")
    assert rest.startswith("100 % [")


def test_a_victim_is_masked_until_it_is_asked_for(kept: dict[str, Any], found: Finding) -> None:
    masked = told.victim(found, 3, "linear", revealed=False)
    assert {row[part] for row in masked for part in ("true", "recovered")} == {HIDDEN}
    shown = told.victim(found, 3, "linear", revealed=True)
    assert [row["true"] for row in shown] == kept["records"]["truth"][3]
    assert {row["right"] for row in shown} == {"✓ recovered"}


def test_a_person_has_a_sentence_over_models(kept: dict[str, Any], found: Finding) -> None:
    assert "at least five models" in told.of_victim(found, 3, "linear")
    share = {"value": 0.8, "low": 0.31, "high": 0.99, "n": 5}
    several = told.read({**kept, "records": {**kept["records"], "shares": {"linear": [share]}}})
    says = "Over 5 models, 80 % [31 %, 99 %] of this person's values are recovered."
    assert told.of_victim(several, 0, "linear") == says


def test_what_is_passed_on_has_no_values_of_people(kept: dict[str, Any]) -> None:
    assert "records" in kept
    assert "records" not in told.shareable(kept)


def test_more_victims_show_smaller_gains() -> None:
    assert "a gain of 0.20 or more" in words.could_show(200, 36, 0.95)
    assert "a gain of 0.09 or more" in words.could_show(1000, 36, 0.95)
