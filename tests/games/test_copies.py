"""The descriptive panel: counted by hand, against planted copies, in every order; k and delta-presence by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.games import copies
from riskkit.games.anonymity import Anonymity, anonymity, worst
from riskkit.games.copies import Panel, Share, panel
from riskkit.plain import plain
from tests.tables import from_frame, mixed


def line(*values: float) -> Table:
    """A table of one number whose distances are plain differences."""
    column = Column("x", Kind.NUMERIC, low=0, high=100, mean=0, sd=1)
    return Table(Schema((column,)), np.empty((len(values), 0)), np.array(values, dtype=float)[:, None])


def described(real: Table, release: Table, holdout: Table | None = None, seed: int = 1) -> Panel:
    return panel(real, release, holdout, np.random.default_rng(seed))


def split(n: int, seed: int = 0) -> tuple[Table, Table, Table]:
    """Real rows, holdout rows and an independent release, all of one population."""
    whole = mixed(3 * n, seed)
    order = np.random.default_rng(seed).permutation(3 * n)
    return whole.rows(order[:n]), whole.rows(order[n : 2 * n]), whole.rows(order[2 * n :])


# --------------------------------------------------------------------------------------------------------------
# Counted by hand


def test_a_near_copy_lies_within_the_spacing_of_its_real_row() -> None:
    """Real 0, 10, 13, spaced 10, 3, 3. By hand: 1 is near 0; 9 is near 10; 6.5 is not near 10; 0 is a copy."""
    assert described(line(0, 10, 13), line(1, 9, 6.5, 0)).near["real"] == Share(2, 4)


def test_a_row_that_stands_twice_has_no_spacing() -> None:
    assert described(line(5, 5, 50), line(5.1)).near["real"] == Share(0, 1)


def test_the_share_nearer_to_real_by_hand() -> None:
    """1 is nearer to real 0, 9 nearer to holdout 10, 5 lies half way; three clusters."""
    nearer_to_real = described(line(0), line(1, 9, 5), line(10)).nearer_to_real
    assert nearer_to_real is not None
    assert nearer_to_real.value == 0.5
    assert nearer_to_real.n == pytest.approx(9 / 5), "1 and 5 share their nearest row: clusters of 2 and 1"


def test_dcr_and_nndr_by_hand() -> None:
    description = described(line(0, 4), line(1, 3), line(10, 20))
    assert description.dcr is not None
    assert description.nndr is not None
    assert description.dcr["real"]["quantiles"]["0.5"] == 1
    assert description.dcr["holdout"]["quantiles"]["0.5"] == pytest.approx((7 + 17) / 2)
    assert description.nndr["real"]["quantiles"]["0.5"] == pytest.approx(1 / 3)
    assert description.nndr["holdout"]["quantiles"]["0.5"] == pytest.approx((7 / 9 + 17 / 19) / 2)


def test_two_equal_released_rows_on_a_real_one_have_the_ratio_one() -> None:
    nndr = described(line(5), line(5, 5)).nndr
    assert nndr is not None
    assert nndr["real"]["quantiles"]["0.5"] == 1


# --------------------------------------------------------------------------------------------------------------
# What a release of that kind must look like


def test_members_as_the_release() -> None:
    real, holdout, _ = split(400)
    description = described(real, real, holdout)
    assert description.nearer_to_real is not None
    assert description.nearer_to_real.low > 0.9
    assert description.dcr is not None
    assert description.dcr["real"]["quantiles"]["0.99"] == 0
    assert description.dcr["holdout"]["quantiles"]["0.5"] > 0


def test_near_copies_show_without_a_single_copy() -> None:
    real, holdout, _ = split(400)
    rng = np.random.default_rng(1)
    moved = Table(real.schema, real.codes, real.numbers + 0.3 * rng.standard_normal(real.numbers.shape))
    description = described(real, moved, holdout)
    assert description.near["real"].count > 1.3 * description.near["holdout"].count


@pytest.mark.slow
def test_the_interval_holds_a_half_in_independent_releases() -> None:
    """Coverage over 200 worlds, within 3 standard errors of 95 %."""
    held = 0
    for seed in range(200):
        nearer_to_real = described(*(split(150, seed)[number] for number in (0, 2, 1)), seed=seed).nearer_to_real
        assert nearer_to_real is not None
        held += nearer_to_real.low <= 0.5 <= nearer_to_real.high
    assert held >= 200 * 0.95 - 3 * np.sqrt(200 * 0.95 * 0.05)


@pytest.mark.slow
def test_counting_released_rows_as_independent_would_not_hold() -> None:
    """Planted: few released values on many rows. Counted one by one the interval is far too narrow."""
    held = naive = 0
    for seed in range(200):
        real, holdout, release = split(150, seed)
        few = release.rows(np.random.default_rng(seed).integers(8, size=600))
        nearer_to_real = described(real, few, holdout, seed).nearer_to_real
        assert nearer_to_real is not None
        held += nearer_to_real.low <= 0.5 <= nearer_to_real.high
        naive += abs(nearer_to_real.value - 0.5) <= 1.96 * np.sqrt(0.25 / 600)
    assert held >= 200 * 0.95 - 3 * np.sqrt(200 * 0.95 * 0.05)
    assert naive < 100


# --------------------------------------------------------------------------------------------------------------
# The same whatever the order and the names


def test_order_of_rows_and_columns_names_and_codes_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even where only some rows are asked about, and the tables are of different size."""
    monkeypatch.setattr(copies, "PAIRS", 1_000)
    monkeypatch.setattr(copies, "LEAST", 50)
    real, holdout, release = split(120)
    holdout = holdout.rows(np.arange(80))
    before = plain(described(real, release, holdout))
    rng = np.random.default_rng(5)
    shuffled = [renamed(table.rows(rng.permutation(len(table)))) for table in (real, release, holdout)]
    after = plain(described(*shuffled))
    assert after == before


def renamed(table: Table) -> Table:
    """The same rows with columns turned round, other names, and levels in the opposite order."""
    columns = tuple(
        replace(column, name=f"{index} 列", levels=tuple(reversed(column.levels)))
        for index, column in enumerate(reversed(table.schema.columns))
    )
    tops = np.array([len(column.levels) - 1 for column in table.schema.categorical])
    return Table(Schema(columns), (tops - table.codes)[:, ::-1], table.numbers[:, ::-1])


def test_the_same_seed_gives_the_same_panel_where_rows_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "PAIRS", 1_000)
    monkeypatch.setattr(copies, "LEAST", 50)
    real, holdout, release = split(200)
    first = described(real, release, holdout)
    assert first.asked == {"synthetic": 50, "of_each": 200, "back": 50}
    assert plain(first) == plain(described(real, release, holdout))
    assert plain(first) != plain(described(real, release, holdout, seed=2))


# --------------------------------------------------------------------------------------------------------------
# Little and odd tables


def test_one_row_each() -> None:
    panel = plain(described(line(1), line(1), line(2)))
    assert panel["near"] == {}
    assert panel["nndr"] is None


def test_without_a_holdout_only_the_real_side_is_told() -> None:
    real, _, release = split(60)
    panel = plain(described(real, release))
    assert set(panel["near"]) == {"real"}
    assert panel["nearer_to_real"] is None
    assert "holdout" not in panel["dcr"]


def test_constant_columns_and_missing_values_survive() -> None:
    frame = pd.DataFrame({"same": ["a"] * 40, "fixed": [3] * 40})
    flat = from_frame(frame)
    assert described(flat, flat, flat).near["real"].count == 0
    real, holdout, release = split(40)
    assert np.isnan(real.numbers).any()
    assert described(real, release, holdout).dcr is not None


def test_a_table_without_rows_gets_a_sentence() -> None:
    with pytest.raises(DesignError):
        described(line(), line(1.0))


def test_a_smaller_holdout_is_met_by_as_many_real_rows() -> None:
    real, holdout, release = split(200)
    description = described(real, release, holdout.rows(np.arange(50)))
    assert description.asked["of_each"] == 50
    assert description.near["real"].of == description.near["holdout"].of == 200
    assert description.dcr is not None
    assert description.dcr["real"]["n"] == description.dcr["holdout"]["n"] == 50


SCHEMA = Schema(
    (Column("x", Kind.CATEGORICAL, levels=("a", "b", "c")), Column("n", Kind.NUMERIC, low=0, high=9, mean=4, sd=2))
)


def rows(text: str) -> Table:
    """``a1 b2``: the letter is the category, the digit the number."""
    parts = text.split()
    return Table(SCHEMA, np.array([["abc".index(p[0])] for p in parts]), np.array([[float(p[1])] for p in parts]))


def test_counts_by_hand() -> None:
    population, is_in = rows("a1 a2 a3 a4 b1 b2 c1"), np.array([1, 1, 0, 0, 0, 1, 0], dtype=bool)
    # a1 twice, a3, b9 twice: the smallest group is a3 alone; by letters 3 and 2. a1 and a3 stand in it, a1 was in.
    # Of the four a two were in, of the two b one; c was not released.
    narrow = anonymity(rows("a1 a1 a3 b9 b9"), population, is_in)
    assert narrow == Anonymity(k=1, k_categories=2, held=2, held_in=1, low=0.5, high=0.5)
    wide = anonymity(rows("a1 a1 c5 c5"), population, is_in)
    assert (wide.k, wide.held, wide.low, wide.high) == (2, 1, 0.0, 0.5)
    copy = anonymity(population.rows(np.flatnonzero(is_in)), population, is_in)
    assert (copy.held, copy.held_in) == (3, 3), "the sample itself holds all who were in and nobody else"
    assert worst([narrow, wide]) == Anonymity(1, 2, 3, 2, 0.0, 0.5)
    with pytest.raises(DesignError, match="no row"):
        anonymity(population.rows([]), population, is_in)
