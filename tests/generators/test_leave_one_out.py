"""Every fit that can leave a row out gives what a refit without that row gives, for every row.

The generators are found by walking the registry; a new one that claims it is held to this without a line added here.
"""

from dataclasses import fields, is_dataclass, replace
from typing import Any, get_type_hints

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import MISSING, Column, Fitted, Kind, LeaveOneOut, Likelihood, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators.bayesnet import FittedWithoutRow, Node
from riskkit.generators.engines import network
from riskkit.generators.stat import FittedStat, Stat
from riskkit.table.encode import onehot
from tests.contracts.test_generators import VARIANTS
from tests.generators.nasty import nasty
from tests.tables import mixed, numeric

EXACT = 1e-12


def claims(spelled: str) -> bool:
    """Whether the fits of a generator say that they can leave a row out; nothing is fitted to learn it."""
    return hasattr(get_type_hints(registry.parse("generators", spelled).fit)["return"], "without")


SEQUENTIAL = [spelled for spelled in VARIANTS if spelled.partition(":")[0] == "synthpop" and "proper" not in spelled]
"""Sequential trees say it by their fit, not by their class: one that resamples the table first cannot."""

CLAIMED = [spelled for spelled in VARIANTS if claims(spelled)] + SEQUENTIAL


def awkward() -> Table:
    """Forty rows in which one person alone holds a level, a number, a missing value, nearly all of a spread."""
    rng = np.random.default_rng(5)
    n = 40
    town = rng.integers(2, size=n)
    town[3] = 2  # the only one
    ill = np.zeros(n, dtype=int)
    ill[7] = 1  # without this row a constant
    income = np.round(1000 + 50 * rng.standard_normal(n))
    income[11] = 1e9
    children = np.full(n, 2.0)
    children[13] = 3.0
    weight = np.round(70 + 10 * rng.standard_normal(n), 1)
    weight[17] = np.nan
    columns = (
        Column("town", Kind.CATEGORICAL, levels=("a", "b", "only x", "in no row")),
        Column("ill", Kind.CATEGORICAL, levels=("no", "yes", MISSING), has_missing=True),
        numeric("income", income),
        numeric("children", children),
        numeric("weight", weight, decimals=1),
        numeric("always", np.full(n, 4.0)),
    )
    numbers = np.column_stack([income, children, weight, np.full(n, 4.0)])
    return Table(Schema(columns), np.column_stack([town, ill]).astype(np.int32), numbers)


def differences(first: Any, two: Any, where: str = "fit") -> list[str]:
    """The parameters in which two fits differ by more than rounding, by name.

    A root is compared by what it is the root of: where columns depend on each other a root's rounding is the square
    root of a digit, in directions that carry nothing. Releases of one seed are compared besides.
    """
    if where.endswith(".root"):
        first, two = first @ first.T, two @ two.T
    first, two = (fitted.count() if isinstance(fitted, FittedWithoutRow) else fitted for fitted in (first, two))
    if type(first) is not type(two):
        return [where]
    if isinstance(first, Node):  # a cell that no row holds is as good as not there
        first, two = (
            replace(node, cells=node.cells[node.tally > 0], tally=node.tally[node.tally > 0]) for node in (first, two)
        )
    if isinstance(first, np.ndarray):
        if first.shape != two.shape:
            return [where]
        near = np.allclose(first, two, rtol=EXACT, atol=EXACT, equal_nan=True)
        same = near if first.dtype.kind == "f" else np.array_equal(first, two)
        return [] if same else [where]
    if is_dataclass(first):
        pairs = [(getattr(first, spec.name), getattr(two, spec.name), spec.name) for spec in fields(first)]
        return [difference for a, b, name in pairs for difference in differences(a, b, f"{where}.{name}")]
    if isinstance(first, np.random.Generator):
        return [] if first.bit_generator.state == two.bit_generator.state else [where]
    if isinstance(first, tuple):
        if len(first) != len(two):
            return [where]
        return [
            difference
            for i, (a, b) in enumerate(zip(first, two, strict=True))
            for difference in differences(a, b, f"{where}.{i}")
        ]
    return [] if first == two else [where]


def fit(spelled: str, table: Table) -> Any:
    """A fit of the generator that is spelled so."""
    return registry.parse("generators", spelled).fit(table, np.random.default_rng(0))


def refused(spelled: str, table: Table) -> str | None:
    """What a fit to this table is refused with; None where it is not."""
    try:
        fit(spelled, table)
    except DesignError as error:
        return str(error)
    return None


def releases_differ(left: Fitted, right: Fitted) -> bool:
    """Whether releases of one seed differ: in any byte of a valid row, or beyond rounding in a real-valued one."""
    a, b = (fitted.sample(64, np.random.default_rng(1)) for fitted in (left, right))
    if a.relaxed is not None and b.relaxed is not None and not np.allclose(a.relaxed, b.relaxed, rtol=0, atol=1e-9):
        return True
    return a.codes.tobytes() != b.codes.tobytes() or a.numbers.tobytes() != b.numbers.tobytes()


def test_there_are_generators_that_claim_it() -> None:
    assert {"stat", "histogram", "copula", "bayesnet", "privbayes", "synthpop"} <= set(CLAIMED)


@pytest.mark.parametrize("spelled", CLAIMED)
def test_a_claim_is_kept_by_the_fit(spelled: str) -> None:
    assert isinstance(fit(spelled, mixed(60)), LeaveOneOut)


@pytest.mark.parametrize("spelled", CLAIMED)
def test_it_is_a_refit_for_every_row_of_a_table(spelled: str) -> None:
    table = mixed(40)
    whole = fit(spelled, table)
    for row in range(len(table)):
        left, again = whole.without(row), fit(spelled, table.without(row))
        assert differences(left, again) == [], row
        assert not releases_differ(left, again), row
        if isinstance(again, Likelihood):
            assert isinstance(left, Likelihood)
            rows = table.rows([row, *range(0, len(table), 4)])
            np.testing.assert_allclose(left.log_prob(rows), again.log_prob(rows), rtol=0, atol=EXACT)


@pytest.mark.parametrize("spelled", CLAIMED)
def test_it_is_a_refit_where_a_row_takes_a_value_along(spelled: str) -> None:
    table = awkward()
    whole = fit(spelled, table)
    for row in range(len(table)):
        assert differences(whole.without(row), fit(spelled, table.without(row))) == [], row


@pytest.mark.parametrize("spelled", CLAIMED)
def test_rows_can_leave_one_after_another(spelled: str) -> None:
    table = mixed(60)
    left = fit(spelled, table)
    for row in (59, 0, 7, 7):
        left, table = left.without(row), table.without(row)
    assert differences(left, fit(spelled, table)) == []


def leavers(table: Table, rng: np.random.Generator) -> list[int]:
    """Two rows or more, in no order: now and then one of them twice, now and then all of those who are equal."""
    order = rng.permutation(len(table))
    chosen = order[: int(rng.integers(2, len(table) + 1))].tolist()
    if rng.random() < 0.3:
        keys = table.keys()
        chosen = np.union1d(np.flatnonzero(keys == keys[order[0]]), order[:2]).tolist()
    return [*chosen, *chosen[:1]] if rng.random() < 0.2 else chosen


def set_differences(spelled: str, seed: int) -> list[str]:
    """What differs between the fit to a nasty table less some rows and a refit: a parameter, a refusal, a release."""
    rng = np.random.default_rng(seed)
    table = nasty(seed)
    rows = leavers(table, rng)
    rest = table.without(rows)
    if (refusal := refused(spelled, rest)) is not None:
        if refused(spelled, table) is not None:
            return []
        with pytest.raises(DesignError) as raised:
            fit(spelled, table).without(rows)
        return [] if str(raised.value) == refusal else ["refusal"]
    left, again = fit(spelled, table).without(rows), fit(spelled, rest)
    differing = differences(left, again)
    n = 64 if refused_release(again) is None else 0
    if n and spelled.partition(":")[0] != "copula":
        a, b = (each.sample(n, np.random.default_rng(1)) for each in (left, again))
        same = a.codes.tobytes() == b.codes.tobytes() and a.numbers.tobytes() == b.numbers.tobytes()
        differing += [] if same else ["release"]
    return differing


def refused_release(fitted: Fitted) -> str | None:
    """Why no release of 64 rows can be drawn; None where one can."""
    try:
        fitted.sample(64, np.random.default_rng(1))
    except DesignError as error:
        return str(error)
    return None


@pytest.mark.parametrize("spelled", CLAIMED)
@pytest.mark.parametrize("tables", [8, pytest.param(500, marks=pytest.mark.slow)])
def test_a_set_of_rows_leaves_as_in_a_refit(spelled: str, tables: int) -> None:
    """Small nasty tables: rare chains, ties, copies."""
    assert {seed: differing for seed in range(tables) if (differing := set_differences(spelled, seed))} == {}


@pytest.mark.parametrize("spelled", CLAIMED)
def test_a_set_that_forgets_one_of_its_rows_is_seen(spelled: str) -> None:
    """The planted fault: the row with the lowest number stays."""
    table = mixed(60)
    again = fit(spelled, table.without([3, 17, 40]))
    assert differences(fit(spelled, table).without([40, 3, 17]), again) == []
    assert differences(fit(spelled, table).without([40, 17]), again)


@pytest.mark.parametrize("spelled", CLAIMED)
def test_a_set_of_one_row_is_that_row_to_the_last_bit(spelled: str) -> None:
    table = mixed(60)
    whole = fit(spelled, table)
    a, b = (left.sample(64, np.random.default_rng(1)) for left in (whole.without(5), whole.without([5])))
    assert a.codes.tobytes() + a.numbers.tobytes() == b.codes.tobytes() + b.numbers.tobytes()


@pytest.mark.parametrize("spelled", CLAIMED)
def test_the_fit_itself_is_left_as_it_was(spelled: str) -> None:
    table = mixed(60)
    whole = fit(spelled, table)
    whole.without(3)
    assert differences(whole, fit(spelled, table)) == []


@pytest.mark.parametrize("spelled", CLAIMED)
def test_a_table_that_is_too_short_without_the_row_is_refused_as_in_a_fit(spelled: str) -> None:
    """One row at a time leaves until a fit would be refused; the same sentence must come."""
    table = mixed(60).rows([0, 1, 2])
    left = fit(spelled, table)
    while (refusal := refused(spelled, table.without(0))) is None:
        left, table = left.without(0), table.without(0)
        assert differences(left, fit(spelled, table)) == []
    with pytest.raises(DesignError) as raised:
        left.without(0)
    assert str(raised.value) == refusal


@pytest.mark.parametrize("spelled", CLAIMED)
def test_planted_faults_are_seen(spelled: str) -> None:
    """A fit that forgets to leave the row out, and one that leaves out the row's neighbour."""
    table = mixed(300)
    whole = fit(spelled, table)
    for row in (0, 17, 298):
        again = fit(spelled, table.without(row))
        assert differences(whole, again)
        assert differences(whole.without(row + 1), again)


def test_a_moment_that_is_off_in_the_eleventh_digit_is_seen() -> None:
    table = mixed(300)
    left, again = Stat().fit(table, np.random.default_rng(0)).without(5), fit("stat", table.without(5))
    assert isinstance(left, FittedStat)
    for name in ("mean", "sd", "correlation"):
        wrong = replace(left.moments, **{name: getattr(left.moments, name) * (1 + 1e-10)})
        assert differences(replace(left, moments=wrong), again) == [f"fit.moments.{name}"]


def test_a_relaxed_table_loses_a_row_like_any_other() -> None:
    """Its weights of levels are no zeros and ones: their sum can be 0 in a dimension that is not constant."""
    valid = mixed(60)
    relaxed = onehot(valid)
    relaxed[:, 0] = 0.0
    relaxed[[1, 2, 5], 0] = 1.0, -1.0, 1.0
    table = replace(valid, relaxed=relaxed)
    whole = fit("stat", table)
    for row in range(len(table)):
        assert differences(whole.without(row), fit("stat", table.without(row))) == []


@pytest.mark.parametrize(("rows", "largest"), [(3, 2), (64, 2), (65, 2), (200, 3)])
def test_the_sums_without_any_row_are_those_of_a_new_count(
    rows: int, largest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where what agrees is counted for all rows at once, in a dense table or by sorting, and where it is too much."""
    rng = np.random.default_rng(rows)
    sizes = (2, 3, 9, 40)
    columns = np.stack([rng.integers(0, size, rows) for size in sizes]).astype(np.int32)
    columns[:, 1] = columns[:, 0]
    sums = network.CountLogSums.count(columns, sizes, largest)
    for kept, dense in ((10**6, 1 << 16), (10**6, 4), (0, 1 << 16)):
        monkeypatch.setattr(network, "KEPT", kept)
        monkeypatch.setattr(network, "DENSE", dense)
        without = network.sums_without(columns, sizes, sums)
        for row in (0, 1, rows - 1):
            anew = network.CountLogSums.count(np.delete(columns, row, axis=1), sizes, largest)
            for ours, theirs in zip(without(row).by_size, anew.by_size, strict=True):
                np.testing.assert_array_equal(ours, theirs)
