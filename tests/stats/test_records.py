"""Estimates of one released file: they count records, say so, and allow for every attack that was looked at."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Scores
from riskkit.errors import ParameterError, ScoreError, TooFewTrainings
from riskkit.stats import records, summary
from riskkit.stats.power import auc_standard_error, detectable_auc, detectable_auc_of_records


def scores(inside: list[float], outside: list[float], record: list[int] | None = None) -> Scores:
    value = np.array([*inside, *outside], dtype=float)
    named = np.arange(len(value)) if record is None else np.array(record)
    return Scores(value, np.arange(len(value)) < len(inside), named, np.zeros(len(value), dtype=int), "made")


def test_values_are_those_of_the_statistics_and_the_method_counts_records() -> None:
    played = scores([3, 4, 5, 6, 2.5, 7], [1, 2, 3.5, 0, 4.5, -1])
    by_records, plain = records.auc(played), summary.auc(played)
    assert (by_records.value, by_records.low, by_records.high, by_records.n) == (plain.value, plain.low, plain.high, 12)
    assert "record" in by_records.method
    assert "training" not in by_records.method


def test_copies_of_a_record_do_not_narrow_the_interval() -> None:
    rng = np.random.default_rng(1)
    inside, outside = rng.normal(1, 1, 30), rng.normal(0, 1, 30)
    once = records.auc(scores(inside.tolist(), outside.tolist()))
    twice = records.auc(
        scores(np.repeat(inside, 4).tolist(), np.repeat(outside, 4).tolist(), np.repeat(np.arange(60), 4).tolist())
    )
    taken_apart = records.auc(scores(np.repeat(inside, 4).tolist(), np.repeat(outside, 4).tolist()))
    assert twice.n == once.n == 60
    assert twice.high - twice.low == pytest.approx(once.high - once.low, rel=0.05)
    assert taken_apart.high - taken_apart.low < 0.6 * (once.high - once.low)


def test_too_few_records_and_constant_scores_are_sentences_about_records() -> None:
    with pytest.raises(TooFewTrainings, match="4 different records of members") as few:
        records.auc(scores([1, 2, 3, 4], [0] * 9))
    assert "training" not in str(few.value)
    with pytest.raises(ScoreError, match="every record the same score") as same:
        records.auc(scores([1] * 9, [1] * 9))
    assert "release" not in str(same.value)
    with pytest.raises(TooFewTrainings, match="at least 30 records from outside the data") as greyed:
        records.tpr_at_fpr(scores(list(range(29)), list(range(29))), 0.1)
    assert "training" not in str(greyed.value)
    with pytest.raises(ParameterError):
        records.tpr_at_fpr(scores([1] * 9, [2] * 9), 1.0)
    assert records.tpr_at_fpr(scores(list(range(30)), list(range(30))), 0.1).labels["fpr"] == "0.1"


def test_the_level_of_each_look() -> None:
    assert records.level_of_each(0.95, 1) == pytest.approx(0.95)
    assert records.level_of_each(0.95, 10) == pytest.approx(0.995)


def test_power_with_unequal_sides() -> None:
    assert detectable_auc_of_records(50, 50) == pytest.approx(detectable_auc(100), abs=1e-12)
    assert detectable_auc_of_records(1000, 100) == pytest.approx(detectable_auc_of_records(100, 1000), abs=0.003)
    assert detectable_auc_of_records(1000, 100) < detectable_auc_of_records(100, 100)
    least = detectable_auc_of_records(300, 100)
    null = np.sqrt(401 / (12 * 300 * 100))
    assert least == pytest.approx(0.5 + 1.96 * null + 0.8416 * auc_standard_error(least, 300, 100), abs=2e-3)
    with pytest.raises(ParameterError, match="1 of others"):
        detectable_auc_of_records(100, 1)


def test_printed_upper_ends_when_one_half_is_observed() -> None:
    for n, upper in ((100, 0.593), (500, 0.542), (1000, 0.53)):
        assert records.upper_if_half(n // 2, n // 2, level=0.9) == pytest.approx(upper, abs=4e-3)
