"""What an attribute plan accepts, how it is written and read, and what it asks of a schema."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Role, Schema
from riskkit.errors import DesignError
from riskkit.questions.attributes.plan import AttributePlan, parse_known
from riskkit.questions.attributes.play import run_attributes
from tests.questions.attributes.test_attributes import PLAN, apart
from tests.tables import mixed, numeric


def test_a_plan_says_what_it_is() -> None:
    plan = AttributePlan(("job",), ("others", ("place", "a, b"), "greedy:2"), model="best", sweep=True, groups=("pay",))
    assert plan.label == "job from all other columns or place, a, b or the worst 2, and every column in turn"


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("others", "others"),
        ("greedy:3", "greedy:3"),
        ("age, sex", ("age", "sex")),
        ('"a, b",sex', ("a, b", "sex")),
        ("others,", ("others",)),
        (" second-table", "second-table"),
        ("first-table,", ("first-table",)),
        ("first-table,age", ("first-table", "age")),
    ],
)
def test_known_sets_are_read(text: str, known: object) -> None:
    assert parse_known(text) == known


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"known": ("everything",)}, "no known set"),
        ({"known": ("greedy:0",)}, "no known set"),
        ({"known": ("others", "second-table")}, "ask across both tables"),
        ({"second_table": True, "generator": "bayesnet", "randomised": 10}, "are of one table"),
        ({"known": ((),)}, "names no column"),
    ],
)
def test_a_plan_that_cannot_be_is_a_sentence(settings: dict[str, Any], says: str) -> None:
    with pytest.raises(DesignError, match=says):
        AttributePlan(**settings)


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (AttributePlan(("nobody",)), "no column named 'nobody'"),
        (AttributePlan(known=(("nobody",),)), "no column named 'nobody'"),
        (AttributePlan(groups=("nobody",)), "no column named 'nobody'"),
        (AttributePlan(("job",), (("job",),)), "There is no known column"),
    ],
)
def test_columns_that_are_not_there_are_sentences(plan: AttributePlan, says: str) -> None:
    with pytest.raises(DesignError, match=says):
        run_attributes(apart(100), plan)


def test_a_release_is_needed() -> None:
    with pytest.raises(DesignError, match="load the release"):
        run_attributes(replace(apart(100), synthetic=None), PLAN)


def test_the_secrets_are_those_of_the_role_else_the_last_column() -> None:
    schema = mixed(50).schema
    assert AttributePlan().secrets_of(schema) == ("score",)
    marked = schema.with_column(replace(schema.column("ward"), role=Role.SECRET))
    assert AttributePlan().secrets_of(marked) == ("ward",)
    assert AttributePlan(("all",)).secrets_of(schema) == ("ward", "age", "smoker", "score")


def test_the_tolerance_of_a_column_falls_back_on_its_last_decimal() -> None:
    values = np.array([1.0, 2.0])
    schema = Schema((numeric("whole", values), numeric("tenths", values, decimals=1)))
    day = Column("day", Kind.DATE, low=0.0, high=9.0)
    plan = AttributePlan(tolerance=0.1)
    assert plan.tolerance_of(schema, "whole").absolute == 0.5
    assert plan.tolerance_of(schema, "tenths").absolute == pytest.approx(0.05)
    assert replace(plan, absolute=2.0).tolerance_of(schema, "whole").absolute == 2.0
    assert plan.tolerance_of(Schema((day,)), "day").relative == 0.0
