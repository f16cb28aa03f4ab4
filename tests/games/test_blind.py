"""The classifier without the release: no record helps to score itself, and what it sees."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from riskkit.core import Bools, Floats
from riskkit.games import blind as blind_module
from riskkit.games.blind import blind
from riskkit.seeds import stream
from riskkit.table.points import RowPoints, points_of_arrays
from tests.released.worlds import auc, people


def points(rows: Floats) -> RowPoints:
    return points_of_arrays([rows])[0]


def refitted(features: Floats, rows: Floats, is_in: Bools, penalty: float) -> Floats:
    """Ridge regression fitted again without each record, by the normal equations; in standard deviations."""
    out = np.empty(len(rows))
    labels = is_in - (is_in * rows).sum() / rows.sum()
    for index in range(len(rows)):
        kept = np.arange(len(rows)) != index
        known, weight = features[kept], rows[kept]
        left = known.T @ np.diag(weight) @ known + penalty * np.eye(features.shape[1])
        out[index] = features[index] @ np.linalg.lstsq(left, known.T @ (weight * labels[kept]), rcond=None)[0]
    return out / out.std()


def test_each_record_is_scored_by_a_fit_without_it() -> None:
    rng = stream(1, "test", "blind")
    record = np.repeat(np.arange(40), rng.integers(1, 4, 40))
    is_in = rng.random(40) < 0.4
    learner = blind(people(40, rng).rows(record), record, rng)
    for ridge, penalty in zip(learner.ridges, (blind_module.COLUMNS, blind_module.ALIKE), strict=True):
        by_hand = refitted(ridge.features, ridge.rows.astype(float), is_in, penalty)
        np.testing.assert_allclose(ridge.scores(is_in[None])[0], by_hand, atol=1e-9)
    assert np.array_equal(learner.score(is_in[record]), learner.scores(is_in[None])[0][record])


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300])
def test_city_blocks_are_scipys(scale: float) -> None:
    """Widths of no whole number of registers, duplicates, constants, numbers near the ends of what there is."""
    rng = np.random.default_rng(3)
    rows = np.column_stack([rng.normal(size=37), np.zeros(37), rng.integers(0, 2, (37, 5))]) * scale
    rows[5] = rows[20]
    for others in (rows[:1], rows[:7], rows[:33]):
        ours = blind_module._apart_by_column(rows, np.ascontiguousarray(others.T))
        np.testing.assert_allclose(ours, cdist(rows, others, "cityblock"), rtol=1e-14, atol=0)
        assert ours[5, 0] == ours[20, 0]


def test_many_deals_at_once_are_as_one_at_a_time() -> None:
    rng = stream(2, "test", "blind")
    learner = blind(people(50, rng), np.arange(50), rng)
    deals = rng.random((4, 50)) < 0.5
    np.testing.assert_allclose(learner.scores(deals), [learner.scores(deal[None])[0] for deal in deals], atol=1e-12)


def area(rows: Floats, is_in: Bools, seed: int = 1) -> float:
    """How well it tells the sides apart."""
    learner = blind(points(rows), np.arange(len(rows)), stream(seed, "test", "told"))
    return auc(np.concatenate([learner.score(is_in)[is_in], learner.score(is_in)[~is_in]]), int(is_in.sum()))


def drawn(n: int, p: int = 6, seed: int = 1) -> tuple[Floats, Bools]:
    return stream(seed, "test", "drawn", n, p).standard_normal((2 * n, p)), np.arange(2 * n) < n


@pytest.mark.parametrize(
    ("how", "least"),
    [
        (lambda x: x + 0.3, 0.66),  # all columns a little
        (lambda x: x * 0.8, 0.62),  # nearer to the middle, the same mean
        (lambda x: np.column_stack([np.sign(x[:, 1]) * np.abs(x[:, 0]), x[:, 1:]]), 0.6),  # no single column shows it
    ],
)
def test_a_difference_of_the_sides_is_seen(how: object, least: float) -> None:
    rows, is_in = drawn(600)
    rows[is_in] = how(rows[is_in])  # type: ignore[operator]
    assert area(rows, is_in) > least


def test_sides_that_do_not_differ_are_not_told_apart() -> None:
    areas = [area(*drawn(150, seed=seed)) for seed in range(40)]
    assert np.mean(areas) == pytest.approx(0.5, abs=4 * 0.034 / np.sqrt(40))


def test_no_seed_decides() -> None:
    """Where there are more records than landmarks these are drawn at random; the AUC must hardly move for it."""
    rows, is_in = drawn(900)
    rows[is_in] += 0.05
    areas = [area(rows, is_in, seed) for seed in range(4)]
    standard_error = np.sqrt(1801 / (12 * 900 * 900))
    assert np.ptp(areas) < standard_error / 2


def test_tables_of_any_shape_are_answered() -> None:
    rng = stream(3, "test", "blind")
    constant = np.ones((12, 3))
    learner = blind(points(constant), np.arange(12), rng)
    assert np.isfinite(learner.score(np.arange(12) < 6)).all()
    two = blind(points(rng.standard_normal((2, 1))), np.arange(2), rng)
    assert np.isfinite(two.score(np.array([True, False]))).all()
    codes = RowPoints(np.empty((30, 0)), rng.integers(0, 9, (30, 2)).astype(np.int32), (9, 9))
    assert np.isfinite(blind(codes, np.arange(30), rng).score(np.arange(30) < 15)).all()
