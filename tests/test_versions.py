"""Other versions of libraries give the same numbers to the digits that are printed; only the lock promises bytes.

``make oldest`` and ``make newest`` play this too, against what the locked versions came to (``sample_data/finished``).
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import sklearn

import riskkit
from riskkit.audit import sample
from riskkit.plans import Plan
from tests import versions

PLANS = (sample.SINGLING_OUT, sample.LINKABILITY, sample.ATTRIBUTES, sample.RELEASED)
"""What of the sample is asked without training a method."""
LOCK = versions.ROOT / "requirements.txt"
PRINTED = 0.005
"""Half of the last digit that is printed: numbers that are nearer print alike, or one apart where they lie astride."""


@pytest.fixture(scope="module")
def tables() -> riskkit.Tables:
    folder = sample.sample_folder()
    return riskkit.load(*(folder / name for name in sample.FILES.values()))


def of_the_lock(question: str) -> list[dict[str, Any]]:
    """The estimates that come with the sample."""
    kept = json.loads((sample.sample_folder() / "finished" / f"{question}.json").read_bytes())
    estimates: list[dict[str, Any]] = kept["result"]["estimates"]
    return estimates


@pytest.mark.second
@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.question)
def test_numbers_agree_to_the_digits_that_are_printed(plan: Plan, tables: riskkit.Tables) -> None:
    """Other versions of scikit-learn draw the guesses of a forest otherwise: each lies in the interval of the other."""
    now = [estimate.as_dict() for estimate in riskkit.ask(plan.question, tables, plan).estimates]
    kept = of_the_lock(plan.question)
    is_drawn = plan is sample.ATTRIBUTES and f"scikit-learn=={sklearn.__version__}\n" not in LOCK.read_text("utf-8")
    assert [labels(each) for each in now] == [labels(each) for each in kept]
    agree = overlap if is_drawn else print_alike
    assert [(each, was) for each, was in zip(now, kept, strict=True) if not agree(each, was)] == []


def labels(estimate: dict[str, Any]) -> dict[str, Any]:
    """All of an estimate but its numbers."""
    return {name: value for name, value in estimate.items() if not isinstance(value, float)}


def print_alike(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether value and interval are printed with the same digits."""
    return all(abs(first[name] - second[name]) < PRINTED for name in ("value", "low", "high"))


def overlap(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether each value lies in the interval of the other."""
    return all(
        interval["low"] <= other["value"] <= interval["high"] for interval, other in ((first, second), (second, first))
    )


def test_the_oldest_versions_are_the_lower_bounds() -> None:
    lines = versions.listed("oldest")
    assert "numpy==2.0.2" in lines
    assert all("==" in line for line in lines)
    assert not [line for line in versions.listed("newest") if re.match("torch|ctgan|rdt", line)]
    assert any(line.startswith("pandas>=2") for line in versions.listed("newest")), "3 too, for nothing holds it back"
    with pytest.raises(ValueError, match="no lower bound"):
        versions.oldest("numpy<3")
