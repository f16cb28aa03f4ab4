"""The attack on agreement of columns: against its definition, counted pair by pair, and on rows of parts of people."""

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Floats
from riskkit.released.agreement import TARGETS, AgreementOfColumns
from riskkit.table.points import RowPoints, points_of_arrays
from tests.points import auc
from tests.released import worlds

RNG = np.random.default_rng


def by_definition(release: RowPoints, targets: RowPoints, share: float) -> Floats:
    """(n_targets,) the largest sum of ``ln(share n / k)`` over columns, where ``k`` rows are as near."""
    weight = np.zeros((len(targets), len(release)))
    for column in range(release.numbers.shape[1]):
        apart = np.abs(targets.numbers[:, column, None] - release.numbers[None, :, column])
        near = (apart[:, None, :] <= apart[:, :, None]).sum(axis=2)
        weight += np.maximum(np.log(share * len(release) / near), 0.0)
    for column in range(release.codes.shape[1]):
        same = targets.codes[:, column, None] == release.codes[None, :, column]
        many = np.maximum(same.sum(axis=1, keepdims=True), 1)
        weight += np.where(same, np.maximum(np.log(share * len(release) / many), 0.0), 0.0)
    return weight.max(axis=1)


@pytest.mark.parametrize("share", [0.001, 0.2, 0.37, 1.0])
@pytest.mark.parametrize("seed", range(8))
def test_it_is_what_its_definition_says(seed: int, share: float) -> None:
    """Ties, doubles, constant columns, values beyond all released ones, one released row."""
    rng = RNG(seed)
    rows, many = int(rng.integers(1, 40)), TARGETS + 3

    def some(n: int) -> RowPoints:
        grid = rng.integers(-3, 4, (n, 3)) / 2
        numbers = np.column_stack([grid, rng.normal(size=n), np.ones(n), rng.normal(0, 10, n).round(-1)])
        return RowPoints(numbers, rng.integers(0, 4, (n, 2)).astype(np.int32), (4, 4))

    release, targets = some(rows), some(many)
    got = AgreementOfColumns(share=share).score(release, targets, None, rng)
    assert got == pytest.approx(by_definition(release, targets, share))


def test_rows_that_take_a_few_columns_of_a_person_each_its_own_are_found_by_no_distance() -> None:
    rng = RNG(3)
    members, others, drawn = (rng.normal(size=(500, 14)).round(1) for _ in range(3))
    taken = rng.random(members.shape).argsort(axis=1) < 6  # other columns in every row
    release, targets, inside = points_of_arrays(
        [np.where(taken, members, drawn), np.vstack([members, others]), members]
    )
    is_in = np.arange(1000) < 500
    assert auc(AgreementOfColumns().score(release, targets, None, rng), is_in) > 0.85
    for name in ("dcr", "mc", "nndr", "domias", "groups"):
        assert auc(registry.parse("released", name).score(release, targets, inside, rng), is_in) < 0.7


def test_where_nothing_leaks_it_is_right_as_often_as_not() -> None:
    aucs = [worlds.null(n=400, seed=seed).auc(AgreementOfColumns()) for seed in range(20)]
    assert np.mean(aucs) == pytest.approx(0.5, abs=3 * np.sqrt(801 / (12 * 400**2)) / np.sqrt(20))
