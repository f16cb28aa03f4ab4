"""Verdict and sentences of explanation audits, from figures made by hand."""

from __future__ import annotations

import pytest

from riskkit.core import Estimate
from riskkit.report import explanations as said
from riskkit.report.explanations import Against, Told, Tried
from riskkit.stats.verdict import Verdict


def of(low: float, value: float, high: float, name: str = "success_rate") -> Estimate:
    return Estimate(name, value, low, high, 0.95, "by hand", 100)


BEATS, OPEN, NIL = (of(0.1, 0.2, 0.3),) * 4, (of(-0.1, 0.1, 0.3),) * 4, (of(-0.02, 0.0, 0.02),) * 4
ONE_SHORT = (*BEATS[:3], of(-0.01, 0.1, 0.3))
"""It beats the constant guesses in three of the four comparisons."""


def against(overall: tuple[Estimate, ...], age: tuple[Estimate, ...], *, planted: bool = True) -> Against:
    return Against("linear", {"overall": overall, "age": age}, planted)


@pytest.mark.parametrize(
    ("one", "verdict", "recovered"),
    [
        (against(BEATS, BEATS), Verdict.LEAK, ("age",)),
        (against(BEATS, NIL), Verdict.LEAK, ()),
        (against(NIL, BEATS), Verdict.LEAK, ("age",)),
        (against(ONE_SHORT, ONE_SHORT), Verdict.UNDECIDED, ()),
        (against(OPEN, NIL), Verdict.UNDECIDED, ()),
        (against(NIL, NIL), Verdict.NO_LEAK, ()),
        (against(NIL, NIL, planted=False), Verdict.UNDECIDED, ()),
        (Against("linear", {}, planted=True), Verdict.UNDECIDED, ()),
    ],
)
def test_the_verdict_of_one_attacker(one: Against, verdict: Verdict, recovered: tuple[str, ...]) -> None:
    found = said.decide([one], rule_out=0.1, looks=2)
    assert (found.verdict, found.recovered) == (verdict, recovered)


def test_an_input_without_a_number_takes_back_that_no_leak_is_shown() -> None:
    found = said.decide([against(NIL, NIL)], rule_out=0.1, looks=3, columns=("age", "ward"))
    assert (found.verdict, found.why) == (Verdict.UNDECIDED, said.SILENT)
    assert said.decide([against(NIL, NIL)], rule_out=0.1, looks=2, columns=("age",)).verdict is Verdict.NO_LEAK
    assert said.decide([against(NIL, BEATS)], rule_out=0.1, looks=3, columns=("age", "ward")).verdict is Verdict.LEAK


def test_the_attacker_named_is_the_one_that_recovers_most() -> None:
    weak, strong = against(NIL, BEATS), Against("forest", {"overall": BEATS, "age": BEATS}, planted=True)
    assert said.decide([weak, strong], rule_out=0.1, looks=4).attacker == "forest"
    assert said.decide([strong, weak], rule_out=0.1, looks=4).attacker == "forest"


def test_sentences_carry_number_interval_and_the_constant_guess() -> None:
    told = Told(
        2, "random forest", "Least squares", "holding 10 other people's rows", of(0.8, 0.9, 0.95), of(0.3, 0.4, 0.5)
    )
    leak = said.sentence(told, said.decide([against(BEATS, BEATS)], rule_out=0.1, looks=2))
    assert leak.startswith("From 2 Shapley values of random forest an attacker (Least squares, holding 10")
    assert "recovers 1 of 2 inputs better than any constant guess: 90 % [80 %, 95 %]" in leak
    assert "40 % [30 %, 50 %]" in leak
    none = said.sentence(told, said.decide([against(NIL, NIL)], rule_out=0.1, looks=2))
    assert "not shown to recover any input" in none
    assert "Other attackers may reach more" in none


def test_the_defence_named_stops_the_attack_and_keeps_most() -> None:
    half, most = of(0.4, 0.5, 0.6, "top_three"), of(0.8, 0.9, 0.95, "top_three")
    stops = [Tried("noise", of(0.3, 0.4, 0.5), False, half), Tried("bins", of(0.3, 0.4, 0.5), False, most)]
    assert "With bins no attacker" in said.defences([*stops, Tried("none", of(0.9, 0.95, 1.0), True, most)])
    assert said.defences([Tried("noise", of(0.7, 0.8, 0.9), True, half)]).startswith("It is not stopped by noise")
    assert said.defences([]) == ""
