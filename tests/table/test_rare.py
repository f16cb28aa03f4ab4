"""Rare levels as one, against counting level by level."""

from collections import Counter

import numpy as np
import pytest

from riskkit.table.points import RowPoints, pool_rare, width


def rows(n: int, seed: int, sizes: tuple[int, ...] = (2, 40, 90)) -> RowPoints:
    """Rows whose levels are the rarer, the higher; one number."""
    rng = np.random.default_rng(seed)
    codes = [np.minimum(rng.geometric(min(3 / size, 0.6), n) - 1, size - 1) for size in sizes]
    return RowPoints(rng.normal(size=(n, 1)), np.column_stack(codes).astype(np.int32), sizes)


def test_a_narrow_table_comes_back_as_it_is() -> None:
    part = rows(50, 1)
    assert pool_rare([part], [part], most=width(part))[0] is part
    numbers = RowPoints(np.zeros((3, 9)), np.empty((3, 0), dtype=np.int32), ())
    assert pool_rare([numbers], [numbers], most=4)[0] is numbers


@pytest.mark.parametrize("most", [20, 60, 132])
def test_frequent_levels_stay_apart_and_rare_ones_are_one(most: int) -> None:
    release, targets = rows(500, 1), rows(300, 2)
    (ours, theirs) = pool_rare([release, targets], [release], most)
    assert width(ours) <= most
    assert ours.sizes == theirs.sizes
    for column in range(3):
        counts = Counter(release.codes[:, column].tolist())
        before, after = (
            np.concatenate([left.codes[:, column], right.codes[:, column]])
            for left, right in ((release, targets), (ours, theirs))
        )
        named = {level: set(after[before == level].tolist()) for level in set(before.tolist())}
        assert all(len(new) == 1 for new in named.values())  # rows of one level stay together
        alone = Counter(min(new) for new in named.values())
        kept = [level for level, new in named.items() if alone[min(new)] == 1]
        gone = [level for level in named if level not in kept]
        assert counts.most_common(1)[0][0] in kept
        assert min(counts[level] for level in kept) >= max((counts[level] for level in gone), default=0)


def test_every_column_keeps_a_level_where_columns_are_many() -> None:
    part = rows(100, 3, sizes=(5,) * 30)
    (out,) = pool_rare([part], [part], most=40)
    assert set(out.sizes) == {2}
    assert all(len(set(column.tolist())) == 2 for column in out.codes.T)


def test_levels_nobody_counted_has_are_pooled() -> None:
    counted = RowPoints(np.zeros((4, 1)), np.array([[0], [1], [0], [1]], dtype=np.int32), (9,))
    asked = RowPoints(np.zeros((3, 1)), np.array([[7], [8], [1]], dtype=np.int32), (9,))
    (out,) = pool_rare([asked], [counted], most=5)
    assert out.codes[0, 0] == out.codes[1, 0] != out.codes[2, 0]
