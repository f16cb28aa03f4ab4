"""The curve and its area: counted by hand, two ways, and unmoved by what must not move them."""

import numpy as np
import pytest

from riskkit.errors import ScoreError, TooFewTrainings
from riskkit.seeds import stream
from riskkit.stats import auc
from riskkit.stats.arms import split
from riskkit.stats.roc import auc_value, roc
from tests.stats import make, naive

# In: 3 2 2 1 0, out: 2 1 0 -1 -2.
# 3 beats 5; 2 beats 4 and ties 1, twice; 1 beats 3 and ties 1; 0 beats 2 and ties 1: 18 + 4 halves = 20 of 25.
INSIDE, OUTSIDE = [3, 2, 2, 1, 0], [2, 1, 0, -1, -2]


def test_ten_rows_counted_by_hand() -> None:
    assert auc(make.scores(INSIDE, OUTSIDE)).value == 20 / 25


def test_curve_of_ten_rows_has_one_point_for_each_distinct_score() -> None:
    curve = roc(make.scores(INSIDE, OUTSIDE))
    np.testing.assert_array_equal(curve.cuts, [np.inf, 3, 2, 1, 0, -1, -2])
    np.testing.assert_allclose(curve.tpr, [0, 0.2, 0.6, 0.8, 1, 1, 1], atol=1e-15)
    np.testing.assert_allclose(curve.fpr, [0, 0, 0.2, 0.4, 0.6, 0.8, 1], atol=1e-15)


def test_area_under_the_curve_is_the_auc() -> None:
    rng = stream(1, "roc area")
    scores = make.scores(rng.integers(0, 9, 40), rng.integers(0, 7, 30))
    curve = roc(scores)
    assert np.trapezoid(curve.tpr, curve.fpr) == pytest.approx(auc(scores).value, abs=1e-12)


@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_ranks_agree_with_counting_every_pair(levels: int) -> None:
    rng = stream(2, "two implementations", levels)
    for _ in range(60):
        inside, outside = (rng.integers(0, levels, rng.integers(5, 25)).astype(float) for _ in range(2))
        fast = float(auc_value(*split(make.scores(inside, outside))))
        assert fast == pytest.approx(naive.auc(inside.tolist(), outside.tolist()), abs=1e-12)


def test_monotone_transform_of_the_scores_changes_no_bit() -> None:
    rng = stream(3, "monotone")
    inside, outside = rng.standard_normal(40) + 0.5, rng.standard_normal(35)
    plain = auc(make.scores(inside, outside))
    for transform in (np.exp, np.arctan, lambda x: 1e6 * x**3):
        assert auc(make.scores(transform(inside), transform(outside))) == plain


def test_exchanged_labels_give_one_minus_the_auc_to_the_last_bit() -> None:
    rng = stream(4, "exchanged")
    for _ in range(100):  # a rounding that is off in one of 20 is met but in 6 of 1,000 such hundreds
        scores = make.scores(rng.integers(0, 12, 23), rng.integers(0, 12, 31))
        larger, smaller = sorted([auc(scores).value, auc(make.swapped(scores)).value], reverse=True)
        assert smaller == 1 - larger
        assert larger == 1 - smaller


def test_order_of_the_trials_does_not_matter() -> None:
    rng = stream(5, "order")
    scores = make.scores(rng.standard_normal(40) + 1, rng.standard_normal(40), generations=4)
    order = rng.permutation(80)
    shuffled = type(scores)(
        scores.value[order], scores.is_in[order], scores.training[order], scores.target[order], scores.attack
    )
    assert auc(shuffled).value == auc(scores).value
    assert auc(shuffled).low == pytest.approx(auc(scores).low, abs=1e-12)


def test_score_that_points_the_wrong_way_is_shown_so() -> None:
    scores = make.scores(np.arange(5.0), np.arange(5.0) + 10)
    assert auc(scores).value == 0


def _hull_auc(inside: np.ndarray, outside: np.ndarray) -> float:
    """A mutant: the area under the upper convex hull of the curve."""
    curve, hull = roc(make.scores(inside, outside)), [(0.0, 0.0)]
    for point in zip(curve.fpr[1:], curve.tpr[1:], strict=True):
        while len(hull) > 1 and _turn(hull[-2], hull[-1], point) >= 0:
            hull.pop()
        hull.append((float(point[0]), float(point[1])))
    return float(np.trapezoid([y for _, y in hull], [x for x, _ in hull]))


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def test_scores_that_know_nothing_average_one_half_and_flattering_areas_do_not() -> None:
    rng, band = stream(6, "null"), 4 * 0.058 / np.sqrt(250)
    drawn = rng.standard_normal((250, 2, 50))
    ours = np.array([auc(make.scores(*pair)).value for pair in drawn])
    assert abs(ours.mean() - 0.5) < band
    assert np.maximum(ours, 1 - ours).mean() > 0.5 + 2 * band
    assert np.mean([_hull_auc(*pair) for pair in drawn]) > 0.5 + 2 * band


def test_one_truth_only_is_refused() -> None:
    with pytest.raises(ScoreError, match="same truth"):
        roc(make.scores([1, 2, 3, 4, 5], []))


def test_four_trainings_of_many_generations_have_no_curve() -> None:
    with pytest.raises(TooFewTrainings, match="more generations do not help"):
        roc(make.scores(np.arange(40.0), np.arange(40.0), generations=10))
