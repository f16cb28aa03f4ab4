"""What the game for every record says in a report: counted by hand, and careful about having looked at many."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import pytest

from riskkit.report.audited.model import Class, Limit, Played
from riskkit.report.audited.names import FEW
from riskkit.stats.verdict import Verdict
from tests.report.audited import made


def record(row: int, value: float, half: float = 0.05, *, leaks: bool = False) -> dict[str, Any]:
    return {
        "row": row, "stage": "fresh", "auc": [value, value - half, value + half], "n": 400, "leaks": leaks,
        "listed": leaks,
    }  # fmt: skip


def run(records: list[dict[str, Any]], above: float = 3.0) -> Played:
    count = {
        "name": "records_above", "value": above, "low": max(above - 2, 0.0), "high": above + 4, "level": 0.95,
        "method": "m", "n": 400, "limit": "0.8", "generator": "bayesnet",
    }  # fmt: skip
    plan = {"generator": "bayesnet", "records": "all", "seed": 1, "level": 0.95}
    result = {
        "estimates": [count], "settings": plan, "notes": [], "total": 1000, "records": records, "seconds": 400.0,
    }  # fmt: skip
    return Played("records", "e" * 32, "finished", plan, result, "python -m riskkit records --real secret.csv", 1)


def answer(played: Played, limit: float | None = None, kind: Class = Class.SHAREABLE):
    limits = {} if limit is None else {"records": Limit(limit, "t")}
    found = made.found(made.given(played), limits, kind)
    return next(one for one in found.answers if one.question == "records")


def test_the_strongest_record_is_judged_as_the_best_of_all() -> None:
    """At 95 % it lies above one half by itself; as the best of 100 its interval reaches below."""
    many = [record(row, 0.5, 0.05) for row in range(99)] + [record(99, 0.56, 0.05)]
    assert answer(run(many)).judgement.verdict is Verdict.UNDECIDED
    assert answer(run(many[-1:])).judgement.verdict is Verdict.LEAK


def test_the_interval_is_as_much_wider_as_the_normal_law_says() -> None:
    found = answer(run([record(row, 0.9, 0.05) for row in range(20)])).finding.measured.strongest
    wide = NormalDist().inv_cdf(1 - 0.05 / 40) / NormalDist().inv_cdf(0.975)
    assert found.low == pytest.approx(0.9 - 0.05 * wide)
    assert found.high == pytest.approx(min(0.9 + 0.05 * wide, 1.0))
    assert found.level == pytest.approx(1 - 0.05 / 20)


def test_no_planted_leak_no_absence() -> None:
    clean = run([record(row, 0.5, 0.01) for row in range(5)])
    assert answer(clean, 0.7).judgement.verdict is Verdict.UNDECIDED


def certified(row: int, value: float, high: float) -> dict[str, Any]:
    return {**record(row, 0.5, 0.01), "certificate": {"auc": [value, value, high]}}


def test_the_best_attack_there_can_be_rules_a_leak_out() -> None:
    """Exact, so nothing is widened: every record at .64 or below, and no attack can do better."""
    exact = [certified(row, 0.60 + row / 100, 0.60 + row / 100) for row in range(5)]
    judged = answer(run(exact), 0.7).judgement
    assert judged.verdict is Verdict.NO_LEAK
    assert "the best attack there can be reaches 0.64 on the most exposed record" in judged.why
    above = answer(run(exact), 0.63).judgement
    assert above.verdict is Verdict.UNDECIDED
    assert "No number of trainings rules it out" in above.settle


def test_one_record_without_the_best_attack_leaves_it_undecided() -> None:
    judged = answer(run([certified(0, 0.6, 0.6), record(1, 0.5, 0.01)]), 0.7).judgement
    assert judged.verdict is Verdict.UNDECIDED
    assert "not computed for every record" in judged.why
    assert "page Membership" in judged.settle


def test_a_best_attack_found_on_drawn_rows_is_widened_for_all_of_them() -> None:
    """.60 + .05 is below .66 by itself; as one of 100 it reaches .60 + .05 · 3.48 / 1.96 = .69."""
    drawn = [certified(row, 0.60, 0.65) for row in range(100)]
    assert answer(run(drawn[:1]), 0.66).judgement.verdict is Verdict.NO_LEAK
    assert answer(run(drawn), 0.66).judgement.verdict is Verdict.UNDECIDED
    assert answer(run(drawn)).finding.measured.widest.high == pytest.approx(0.6888, abs=2e-4)


def test_a_leak_is_shown_whatever_the_best_attack() -> None:
    seen = {**record(0, 0.9, 0.02), "certificate": {"auc": [0.95, 0.95, 0.95]}}
    assert answer(run([seen]), 0.7).judgement.verdict is Verdict.LEAK


def test_records_at_risk_are_sorted_and_named_by_reference_only() -> None:
    played = run([record(17, 0.6), record(18, 0.9, leaks=True), record(19, 0.5)])
    shared, own = (answer(played, kind=kind).finding for kind in Class)
    assert [one.reference for one in own.at_risk] == ["record 18", "record 17"]
    assert all("R-" in one.reference for one in shared.at_risk)
    assert FEW in shared.sentence
    assert "1 are shown" in own.sentence
    assert not [e for e in shared.estimates if e.name == "records_above"]
    assert [e for e in own.estimates if e.name == "records_above"]
