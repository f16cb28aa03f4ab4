"""Attribute inference across two tables on made cohorts: a leak that lives in neither table alone, and none at all.

The fault planted here: rows of the second table asked about as if each were a person of its own.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import riskkit as rk
from riskkit.core import Estimate, Floats, Schema, Table
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.table.load import Tables
from sample_data import two_tables

SLOTS = {"real": "real", "synthetic": "release", "holdout": "holdout"}
PEOPLE = 600
NULLS, FEW = 200, 150
LEVEL = 0.95

WITHIN = AttributePlan(secrets=("district",))
FROM_CHILDREN = AttributePlan(secrets=("district",), known=("second-table",), second_table=True)
FROM_PARENT = AttributePlan(secrets=("most_frequent(diagnosis)",), known=("first-table",), second_table=True)


def cohort(folder: Path, leak: str, people: int, seed: int) -> Tables:
    two_tables.write(folder, leak, people, seed)
    return rk.load(
        *(folder / f"patients_{name}.csv" for name in SLOTS.values()),
        person="patient",
        children={slot: folder / f"visits_{name}.csv" for slot, name in SLOTS.items()},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("across")


def residual(tables: Tables, plan: AttributePlan) -> Estimate:
    (compared,) = run_attributes(tables, plan).compared
    assert compared.sides.residual is not None
    return compared.sides.residual


def easier(folder: Path, leak: str, *plans: AttributePlan) -> list[Estimate]:
    """How much easier members are to guess in a cohort with that leak, by each of these plans."""
    tables = cohort(folder, leak, PEOPLE, 1)
    return [residual(tables, plan) for plan in plans]


@pytest.mark.second
def test_a_leak_that_lives_across_tables_is_seen_from_the_second_alone(folder: Path) -> None:
    within, from_children = easier(folder, "across", WITHIN, FROM_CHILDREN)
    assert within.low <= 0
    assert from_children.low > 0.1


@pytest.mark.second
def test_a_leak_in_both_tables_is_seen_in_both_directions(folder: Path) -> None:
    """And within the first table."""
    assert all(each.low > 0 for each in easier(folder, "both", WITHIN, FROM_CHILDREN, FROM_PARENT))


@pytest.mark.second
@pytest.mark.parametrize(
    "leak", ["children", *(pytest.param(leak, marks=pytest.mark.slow) for leak in ("none", "parent"))]
)
def test_a_leak_in_one_table_joins_nothing_across(folder: Path, leak: str) -> None:
    """Copied patients with visits of somebody else, or the other way round, say nothing of what belongs together."""
    from_children, from_parent = easier(folder, leak, FROM_CHILDREN, FROM_PARENT)
    assert from_children.low <= 0
    assert from_parent.low <= 0


# --- no leak: how often one is shown --------------------------------------------------------------------------------


def rows_as_people(tables: Tables) -> Tables:
    """The faulty tables: a row for each child with the columns of its parent, and nobody's name."""
    children = tables.children
    assert children is not None
    schema = Schema((*tables.schema.columns, *children.schema.modelled))
    every: dict[str, Table] = {}
    for slot, parents in (("real", tables.real), ("synthetic", tables.synthetic), ("holdout", tables.holdout)):
        assert parents is not None
        join, own = children.joins[slot], children.tables[slot]
        place = np.zeros(join.group.max() + 1, dtype=np.int64)
        place[join.group] = np.arange(len(join.group))
        above = parents.rows(place[join.owner])
        every[slot] = Table(schema, np.hstack([above.codes, own.codes]), np.hstack([above.numbers, own.numbers]))
    return replace(tables, **every, schema=schema, persons=None, children=None)  # type: ignore[arg-type]


def shown(folder: Path, seed: int) -> list[bool]:
    """Whether a leak is shown in one cohort without one: from the children, from the parent, by rows as people."""
    tables = cohort(folder, "none", FEW, seed)
    faulty = AttributePlan(secrets=("district",), known=(("day", "diagnosis", "ward", "cost"),), model="tree")
    asked = (
        (tables, replace(FROM_CHILDREN, model="tree")),
        (tables, replace(FROM_PARENT, model="tree")),
        (rows_as_people(tables), faulty),
    )
    return [residual(own, plan).low > 0 for own, plan in asked]


@pytest.mark.slow
def test_without_a_leak_one_is_shown_no_more_often_than_said(folder: Path) -> None:
    rates: Floats = np.mean([shown(folder, seed) for seed in range(1000, 1000 + NULLS)], axis=0)
    allowed = (1 - LEVEL) / 2  # an end of an interval of both sides
    noise = 2.6 * np.sqrt(allowed * (1 - allowed) / NULLS)
    assert rates[0] <= allowed + noise
    assert rates[1] <= allowed + noise
    assert rates[2] > allowed + noise  # the fault of counting rows as people
