"""Results read back for the page: nothing is lost, and a person's values stay masked until they are asked for."""

from __future__ import annotations

from typing import Any

import pytest

from riskkit.core import Estimate
from riskkit.errors import DesignError, StoreError
from riskkit.questions.explanations import present, words
from riskkit.questions.explanations.plan import ExplanationPlan
from riskkit.questions.explanations.play import run_explanations
from riskkit.questions.explanations.present import HIDDEN
from riskkit.questions.explanations.result import MODE, ExplanationsResult
from tests.questions.explanations.test_explanations import PLAN, files


@pytest.fixture(scope="module")
def kept() -> dict[str, Any]:
    return run_explanations(files(), PLAN).plain()


@pytest.fixture(scope="module")
def result(kept: dict[str, Any]) -> ExplanationsResult:
    return ExplanationsResult.from_plain(kept)


def test_everything_is_read_back(kept: dict[str, Any], result: ExplanationsResult) -> None:
    assert [e.as_dict() for e in result.estimates] == kept["estimates"]
    assert result.is_shown
    assert result.plain() == kept
    assert [attacker.successful for attacker in result.against] == [True, result.against[1].is_successful("overall")]
    assert (result.counts.looks, result.best.attacker, result.best.holds) == (8, "linear", "auxiliary")
    assert (result.attackers, result.counts.sizes) == (("linear", "nearest"), (120,))
    assert result.recovered["linear"] == result.features == ("place", "weight", "pay")
    assert result.attacker_estimate("mae", MODE, "pay") is not None
    assert result.attacker_estimate("mae", "nobody") is None
    assert [gain.as_dict() for gains in result.against[0].gains.values() for gain in gains] == [
        gain for gains in kept["attackers"][0]["gains"].values() for gain in gains
    ]


def test_a_victim_is_masked_until_it_is_asked_for(kept: dict[str, Any], result: ExplanationsResult) -> None:
    masked = present.victim(result, 3, "linear", revealed=False)
    assert {row[part] for row in masked for part in ("true", "recovered")} == {HIDDEN}
    shown = present.victim(result, 3, "linear", revealed=True)
    assert [row["true"] for row in shown] == kept["records"]["truth"][3]
    assert {row["right"] for row in shown} == {"✓ recovered"}


def test_a_person_has_a_sentence_over_models(kept: dict[str, Any], result: ExplanationsResult) -> None:
    assert "at least five models" in present.victim_sentence(result, 3, "linear")
    share = Estimate("success_rate", 0.8, 0.31, 0.99, 0.95, "by hand", 5).as_dict()
    several = ExplanationsResult.from_plain({**kept, "records": {**kept["records"], "shares": {"linear": [share]}}})
    says = "Over 5 models, 80 % [31 %, 99 %] of this person's values are recovered."
    assert present.victim_sentence(several, 0, "linear") == says


def test_what_is_passed_on_has_no_values_of_people(kept: dict[str, Any]) -> None:
    assert "records" in kept
    assert "records" not in ExplanationsResult.from_plain(kept).as_dict()


def test_a_result_without_its_people_is_read_and_one_without_its_numbers_is_refused(kept: dict[str, Any]) -> None:
    purged = {name: value for name, value in kept.items() if name != "records"} | {"purged": True}
    assert ExplanationsResult.from_plain(purged).records.truth == ()
    settings = {name: value for name, value in kept["settings"].items() if name != "looks"}
    with pytest.raises(StoreError, match=r"it has no 'looks'\. Start the run again\."):
        ExplanationsResult.from_plain({**kept, "settings": settings})


def test_a_kept_result_is_read_where_a_plug_in_it_names_is_gone(kept: dict[str, Any]) -> None:
    gone = {**kept, "settings": {**kept["settings"], "model": "somebodys-own"}}
    assert ExplanationsResult.from_plain(gone).plan.model == "somebodys-own"
    with pytest.raises(DesignError):
        ExplanationPlan(model="somebodys-own")


def test_more_victims_show_smaller_gains() -> None:
    assert "a gain of 0.20 or more" in words.could_show(200, 36, 0.95)
    assert "a gain of 0.09 or more" in words.could_show(1000, 36, 0.95)
