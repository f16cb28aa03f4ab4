"""A kept result read back, its strongest finding, and the base rate by hand."""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Estimate, Scores
from riskkit.questions.membership.play import grade
from riskkit.questions.membership.result import MembershipResult, Outcome, PlantedControl, headline
from riskkit.stats.privacy import posteriors


def kept(*signals: float, trainings: int = 40, generations: int = 2, level: float = 0.95) -> dict[str, Any]:
    """A result as the worker writes it: one attack a signal, that many standard deviations between the arms."""
    estimates, scores, notes = [], [], []
    for index, signal in enumerate(signals):
        rng = np.random.default_rng(index)
        is_in = np.repeat(np.arange(trainings) % 2 == 0, generations)
        training = np.repeat(np.arange(trainings), generations)
        value = rng.standard_normal(len(is_in)) + signal * (is_in - 0.5)
        labels = {"generator": "stat", "target": "selective", "position": "0", "record": "17", "attack": f"a{index}"}
        made = Scores(value, is_in, training, np.zeros(len(value), dtype=np.int64), labels["attack"])
        graded, remarks = grade(made, level=level)
        estimates += [estimate.label(**labels).as_dict() for estimate in graded]
        notes += remarks
        scores.append({**labels, "value": value.tolist(), "is_in": is_in.tolist(), "training": training.tolist()})
    settings = {"question": "membership", "generators": ["stat"]}
    return {"estimates": estimates, "settings": settings, "scores": scores, "notes": notes}


def outcomes(result: dict[str, Any]) -> tuple[Outcome, ...]:
    return MembershipResult.from_plain(result).outcomes


def test_each_attack_gets_its_own_estimates_back() -> None:
    result = kept(0.0, 4.0)
    weak, strong = outcomes(result)
    assert weak.estimates["auc"].value < 0.7 < 0.9 < strong.estimates["auc"].value
    assert strong.estimates["auc"].labels["attack"] == "a1"
    assert strong.estimates["auc"].n == 40
    assert len(strong.scores) == 80


def test_the_strongest_is_the_one_with_the_highest_lower_end() -> None:
    best = headline(outcomes(kept(0.0, 4.0, 1.0)))
    assert best is not None
    assert (best.outcome.labels["attack"], best.looks) == ("a1", 3)
    assert best.auc.labels["attack"] == "a1"
    assert best.high == best.auc.high, "here the strongest reaches highest too"


def test_a_perfect_score_on_few_trainings_does_not_beat_a_sure_one() -> None:
    lucky, sure = (*outcomes(kept(9.0, trainings=10)), *outcomes(kept(3.0, trainings=400)))
    best = headline([lucky, sure])
    assert best is not None
    assert lucky.estimates["auc"].value > sure.estimates["auc"].value
    assert best.outcome is sure


def test_what_is_judged_allows_for_many_looks() -> None:
    """Planted: at the level of one look, this finding would be a leak; as the best of ten it is none."""
    alone = headline(outcomes(kept(0.9)))
    assert alone is not None
    assert alone.auc.low > 0.5
    among = headline(outcomes(kept(0.9, *[0.0] * 9)))
    assert among is not None
    assert among.outcome.labels["attack"] == "a0"
    assert among.outcome.estimates["auc"].low > 0.5
    assert among.auc.low < 0.5
    assert among.auc.level == pytest.approx(0.995)


def control(is_found: bool, attack: str = "a0") -> PlantedControl:
    """A leak planted for that attack, found with an AUC wholly above one half or not."""
    low = 0.6 if is_found else 0.4
    auc = Estimate("auc", 0.7, low, 0.8, 0.95, "made up", 40)
    return PlantedControl({"attack": attack, "target": "selective", "position": "0"}, 0.9, auc, ())


def test_planted_leaks_that_were_missed_are_counted_and_none_where_one_was_not_planted() -> None:
    """The judge shows no absence without them: the number is None, not 0."""
    games = outcomes(kept(0.0, 0.0, trainings=400))
    headlines = [
        headline(games, planted)
        for planted in (
            [],
            [control(True)],
            [control(True), control(True, "a1")],
            [control(True), control(False, "a1")],
        )
    ]
    assert [best and best.missed for best in headlines] == [None, None, 0, 1]
    assert [planted.is_found for planted in (control(True), control(False))] == [True, False]
    assert not PlantedControl({}, 0.9, None, ("Too few.",)).is_found


def test_too_few_trainings_make_no_headline_and_no_curve() -> None:
    (few,) = outcomes(kept(4.0, trainings=8))
    assert few.estimates == {}
    assert few.curve() is None
    assert headline([few]) is None


def test_base_rate_by_hand() -> None:
    """TPR .6 at FPR .1: .857, .40 and .057 (statistics, base rate)."""
    estimate = Estimate("tpr_at_fpr", 0.6, 0.3, 0.9, 0.95, "made up", 40, {"fpr": "0.1"})
    after = posteriors(estimate)
    assert [prior for prior, _ in after] == [0.5, 0.1, 0.01]
    assert [posterior.value for _, posterior in after] == pytest.approx([0.857, 0.40, 0.057], abs=5e-4)
    assert all(posterior.low < posterior.value < posterior.high for _, posterior in after)
