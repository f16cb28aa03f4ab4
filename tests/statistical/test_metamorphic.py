"""KA16 through whole audits: how a table is written down changes no number.

A method may depend on the order of rows and columns (a chain of conditional trees does). What must not is all that is
around it: who is attacked, which worlds are dealt, what attacks see, and the statistics. So the method is given the
same table every time, whatever happened to the one that is audited, and its release gets the same change.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit.core import MISSING, Brief, Column, FittedAttack, Floats, Kind, Knowledge, Schema, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import MembershipResult
from tests.oracles import stand_beside
from tests.tables import mixed

ROWS = 80
ATTACKS = (
    "mvl:scale=minmax",
    "neighbour:own=4",
    "queries:own=6",
    "groundhog:features=hist,own=6,model=logistic",
    "likelihood",
)
"""All but the naive figures of Groundhog, which hold the number of the usual level itself, as published."""
Change = Callable[[Table], Table]


def as_it_is(table: Table) -> Table:
    return table


def other_rows(table: Table) -> Table:
    return table.rows(np.random.default_rng(1).permutation(len(table)))


def other_columns(table: Table) -> Table:
    """Numbers before categories, and both in the opposite order."""
    columns = (*table.schema.numeric[::-1], *table.schema.categorical[::-1])
    return Table(Schema(columns), table.codes[:, ::-1], table.numbers[:, ::-1])


def other_names(table: Table) -> Table:
    columns = tuple(
        replace(column, name=f"{9 - index} {column.kind}") for index, column in enumerate(table.schema.columns)
    )
    return Table(Schema(columns), table.codes, table.numbers)


def other_codes(table: Table) -> Table:
    """The levels of every category in another order; that which stands for a missing one stays the last."""
    columns, codes = dict(zip(table.schema.columns, table.schema.columns, strict=True)), table.codes.copy()
    for index, column in enumerate(table.schema.categorical):
        known = len(column.levels) - (MISSING in column.levels)
        new = np.append(np.roll(np.arange(known), 1), np.arange(known, len(column.levels)))
        codes[:, index] = new[table.codes[:, index]]
        levels = tuple(column.levels[place] for place in np.argsort(new))
        columns[column] = replace(column, levels=levels)
    return Table(Schema(tuple(columns.values())), codes, table.numbers)


def one_more_column(table: Table) -> Table:
    """Two, one of each kind, in which all people are alike."""
    same = (
        Column("country", Kind.CATEGORICAL, levels=("here",)),
        Column("year", Kind.NUMERIC, low=2020.0, high=2020.0, mean=2020.0, sd=0.0),
    )
    n = len(table)
    codes = np.column_stack([np.zeros(n, dtype=np.int32), table.codes])
    return Table(Schema((*same, *table.schema.columns)), codes, np.column_stack([np.full(n, 2020.0), table.numbers]))


CHANGES = (other_rows, other_columns, other_names, other_codes, one_more_column)


def undone(table: Table, change: Change) -> Table:
    """Rows of a changed table as they were before the change, in an order that no order of rows can move."""
    plain = mixed(ROWS).schema
    if change is other_columns:
        table = Table(plain, table.codes[:, ::-1], table.numbers[:, ::-1])
    elif change is one_more_column:
        table = Table(plain, table.codes[:, 1:], table.numbers[:, 1:])
    elif change is other_codes:
        codes = table.codes.copy()
        for index, (old, new) in enumerate(zip(plain.categorical, table.schema.categorical, strict=True)):
            codes[:, index] = np.array([old.levels.index(level) for level in new.levels])[codes[:, index]]
        table = Table(plain, codes, table.numbers)
    else:
        table = Table(plain, table.codes, table.numbers)
    return table.rows(np.lexsort((*table.numbers.T, *table.codes.T)))


@dataclass(frozen=True)
class Around:
    """A network that is always given the table as it was; its releases are changed as the table was."""

    name: ClassVar[str] = "around"
    title: ClassVar[str] = "Around"
    card: ClassVar[str] = "A network."
    change: ClassVar[Change] = as_it_is

    def fit(self, table: Table, rng: np.random.Generator) -> Any:
        change = type(self).change
        fitted: Any = BayesNet().fit(undone(table, change), rng)

        class Fitted:
            def sample(self, n: int, rng: np.random.Generator) -> Table:
                return change(fitted.sample(n, rng))

            def log_prob(self, rows: Table) -> Floats:
                plain: Floats = fitted.log_prob(undone(rows, change))
                return plain

        return Fitted()


@dataclass(frozen=True)
class ByPlace:
    """The planted fault: an attack that goes by which row is first and which column is first."""

    name: ClassVar[str] = "by_place"
    title: ClassVar[str] = "By place"
    card: ClassVar[str] = "Reads one cell."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        class Fitted:
            def score(self, release: Table) -> Floats:
                return np.array([float(release.codes[0, 0]) - release.codes[:, 0].mean()])

        return Fitted()


EXTRA: dict[str, dict[str, Any]] = {"generators": {"around": Around}, "attacks": {"by_place": ByPlace}, "targets": {}}


def played(change: Change, target: str, attacks: tuple[str, ...] = ATTACKS) -> MembershipResult:
    with pytest.MonkeyPatch.context() as patch:
        stand_beside(patch, EXTRA)
        patch.setattr(Around, "change", staticmethod(change))
        plan = MembershipPlan(("around",), (target,), attacks, trainings=16, generations=2, n_syn=60, control=False)
        return run_membership(change(mixed(ROWS)), plan)


@cache
def plain(target: str) -> MembershipResult:
    return played(as_it_is, target)


@pytest.mark.parametrize("target", ["selective", "vulnerable"])
@pytest.mark.parametrize("change", CHANGES)
def test_how_a_table_is_written_changes_no_number(change: Change, target: str) -> None:
    changed = played(change, target)
    for before, after in zip(plain(target).findings, changed.findings, strict=True):
        assert before.labels["attack"] == after.labels["attack"]
        places = [int(finding.labels["record"]) for finding in (before, after)]
        moved = np.random.default_rng(1).permutation(ROWS)[places[1]] if change is other_rows else places[1]
        assert moved == places[0], "the same person is attacked"
        for left, right in zip(before.estimates.values(), after.estimates.values(), strict=True):
            numbers = [(e.name, e.n, e.method) for e in (left, right)]
            assert numbers[0] == numbers[1]
            assert (left.value, left.low, left.high) == pytest.approx((right.value, right.low, right.high), abs=1e-9)


def test_an_attack_that_goes_by_place_would_be_caught() -> None:
    def scores_of(change: Change) -> bytes:
        return played(change, "selective", ("by_place",)).findings[0].scores.value.tobytes()

    assert all(
        scores_of(change) != scores_of(as_it_is) for change in (other_rows, other_columns, other_codes, one_more_column)
    )
    assert scores_of(other_names) == scores_of(as_it_is)
