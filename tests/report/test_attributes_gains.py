"""Gains by measure, ratios and how they read, from a result made by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from riskkit.questions.attributes import findings
from riskkit.questions.attributes import findings as gains
from riskkit.questions.attributes.findings import Risk
from riskkit.questions.attributes.result import AttributesResult
from riskkit.stats.gains import Baseline, leakage_ratio
from riskkit.stats.guesses import CategoryGuesses
from tests.report.test_attributes_findings import estimate, result, settings

CONTROL = {"tested_on": "control", "trained_on": "release"}
REAL = {**CONTROL, "trained_on": "real"}


def made(*, ratio: tuple[float, float] | None = (0.99, 0.08), baseline: str = "tested") -> dict[str, Any]:
    """Accuracy that gains nothing from either; an AUC of .631 from the release and .632 from the real table."""
    auc = {"metric": "auc"}
    estimates = [
        estimate("accuracy", 0.845, trained_on="baseline_tested", tested_on="control", metric="accuracy"),
        estimate("accuracy", 0.155, trained_on="baseline_majority", tested_on="control", metric="accuracy"),
        estimate("accuracy", 0.841, **CONTROL, metric="accuracy"),
        estimate("accuracy", 0.846, **REAL, metric="accuracy"),
        estimate("delta", -0.004, 0.005, **CONTROL, metric="accuracy", baseline=baseline),
        estimate("delta", 0.001, 0.005, **REAL, metric="accuracy", baseline=baseline),
        estimate("auc", 0.5, 0.0, trained_on="baseline_tested", tested_on="control", **auc),
        estimate("auc", 0.631, 0.02, **CONTROL, **auc),
        estimate("auc", 0.632, 0.02, **REAL, **auc),
        estimate("delta", 0.131, 0.02, **CONTROL, **auc, baseline="chance"),
        estimate("delta", 0.132, 0.02, **REAL, **auc, baseline="chance"),
    ]
    if ratio is not None:
        estimates.append(estimate("leakage_ratio", *ratio, **CONTROL, **auc, baseline="chance"))
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
    labels = {**CONTROL, "metric": "macro_f1", "baseline": "tested"}
    kept["estimates"] += [estimate("delta", 0.07, **labels), estimate("leakage_ratio", random.value, 0.1, **labels)]
    last = gains.readings(AttributesResult.from_plain(kept))[1]
    assert (last["metric"], last["leakage_ratio"], last["risk"]) == ("macro_f1", random.value, None)
    (read,) = findings.summarise(AttributesResult.from_plain(kept))
    assert gains.reading(read) == ""


def test_the_reading_says_that_no_verdict_stands_on_it() -> None:
    assert gains.reading(answer()) == (
        "Guesses from the release beside guesses from the real data (train on synthetic, test on real), read by "
        "themselves: AUC: high risk, the release adds 99 % [91 %, 107 %] of what the real data would add. A ratio "
        "above one half is high, a ratio below it low. The ratio is the same with and without a leak about "
        "people, so the verdict rests on members compared with people outside the data."
    )
    assert gains.reading(answer(ratio=None)) == ""


def test_the_sentence_has_both_baselines_and_the_ratio() -> None:
    sentence = findings.sentence(answer())
    assert "84.5 % without it, the most frequent level of the people tested, and 84.1 % with it" in sentence
    assert "but the release raises AUC from 0.500, which is chance, to 0.631 (gain Δ 0.131 [0.111, 0.151])" in sentence
    assert "a model trained on the real data reaches 84.6 %" in sentence
    assert "by AUC, the release adds 99 % [91 %, 107 %] of what the real data would add (leakage ratio)" in sentence
    assert "This audit shows no leak" not in sentence


def test_a_missing_ratio_is_explained_by_its_denominator() -> None:
    missing = gains.no_ratio(answer())
    assert "over the baseline): Guessed rightly 0.00 [0.00, 0.01]. Such a model" in missing
    assert "AUC" not in missing
    assert "AUC 0.13 [0.11, 0.15]" in gains.no_ratio(answer(ratio=None))
