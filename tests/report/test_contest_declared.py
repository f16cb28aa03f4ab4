"""Declarations of anonymisers: how they are read, what is counted beside them, and whether a delta follows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from riskkit.core import Estimate
from riskkit.errors import DesignError
from riskkit.games.anonymity import Anonymity
from riskkit.questions.contest.plan import FORM, ContestPlan, Declaration
from riskkit.questions.contest.result import Guessing
from riskkit.questions.contest.words import lines
from tests.contest_results import contest, standing


def test_a_declaration_is_read_as_it_is_written() -> None:
    assert Declaration.read(FORM) == Declaration("sampling and suppression", 5, 5, (0.1, 0.5), 0.8, 1e-6)
    assert Declaration.read("methods=PRAM, then noise") == Declaration("PRAM, then noise")
    assert Declaration.read(" epsilon = 1 , k=3") == Declaration(k=3, epsilon=1)
    assert Declaration.read("pk=20,presence=0:1") == Declaration(pk=20, presence=(0, 1))


def test_a_declaration_of_before_is_read_as_what_it_means() -> None:
    """A chance of .2 is Pk-anonymity of k = 5; an upper end has 0 as the lower one."""
    assert Declaration.read("pk=0.2,presence=0.5") == Declaration(pk=5, presence=(0, 0.5))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "k",
        "k=",
        "k=2.5",
        "k=0",
        "q=3",
        "k=3,k=4",
        "pk=1.5",
        "pk=0",
        "pk=x",
        "presence=0.5:0.1",
        "presence=0.1:",
        "presence=0:2",
        "delta=x",
        "methods= ",
    ],
)
def test_what_is_no_declaration_gets_a_sentence(text: str) -> None:
    with pytest.raises(DesignError, match=r"\.|written like") as refused:
        Declaration.read(text)
    assert "2.5" not in str(refused.value)


COUNTED = Anonymity(1, 3, 40, 38, 0.25, 1.0)
WORST = Estimate("hits", 10, 5, 15, 0.95, "by hand", 100)


def line_of(*declared: tuple[str, str]) -> str:
    plan = replace(ContestPlan(anonymisers=("stat",)), declared=declared)
    result = contest(
        plan=plan,
        chance=Guessing(100_000, 10_000, 100, 10.0, 2, 13.0, 18),
        standings=(standing("stat", WORST, anonymity=COUNTED),),
    )
    (line,) = lines(result)
    return line


def test_what_is_counted_stands_beside_what_is_declared() -> None:
    assert line_of().startswith(
        "stat: the k counted is 1 over all columns and 3 over the categories. People of the population who"
    )
    assert "25% to 100% are members" in line_of()
    assert "It declares" not in line_of()
    assert "It declares: coding, k = 5, Pk = 20, δ-presence = (0.1, 0.4), ε = 1." in line_of(
        ("stat", "k=5,pk=20,presence=0.1:0.4,epsilon=1,methods=coding")
    )


def test_a_delta_that_does_not_follow_from_k_and_sampling_is_called_so() -> None:
    """The figures of the paper: k = 5, a tenth sampled, epsilon .8."""
    five = line_of(("stat", "k=5,epsilon=0.8,delta=1e-6"))
    assert "prove δ = 0.00043, where the groups were made without looking at the rows" in five
    assert five.endswith("the declared δ = 1e-06 does not follow.")
    assert line_of(("stat", "k=10,epsilon=0.8,delta=1e-6")).endswith("the declared δ = 1e-06 follows.")
    assert line_of(("stat", "k=10,epsilon=0.8")).endswith("looking at the rows.")
