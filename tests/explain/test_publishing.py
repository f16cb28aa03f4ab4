"""What readers of published explanations keep, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.explain.publishing import fidelity

EXACT = np.array([[4.0, -3.0, 2.0, 1.0, 0.5]])


@pytest.mark.parametrize(
    ("published", "rank", "top"),
    [
        ([8.0, -6.0, 4.0, 2.0, 1.0], 1.0, 1.0),
        ([-8.0, 6.0, -4.0, -2.0, -1.0], -1.0, 1.0),
        ([0.0, 0.0, 0.0, 0.0, 0.0], 0.0, 0.6),  # all tie: each of five features has three of five places
        ([0.5, 1.0, 2.0, -3.0, 4.0], -0.3, 1 / 3),
    ],
)
def test_ranks_and_top_three_by_hand(published: list[float], rank: float, top: float) -> None:
    kept = fidelity(EXACT, np.array([published]))
    np.testing.assert_allclose(kept.rank, [rank], atol=1e-12)
    np.testing.assert_allclose(kept.top, [top], atol=1e-12)


def test_features_that_tie_for_a_place_share_it() -> None:
    kept = fidelity(EXACT, np.array([[4.0, 0.0, 0.0, 0.0, 0.5]]))
    np.testing.assert_allclose(kept.top, [5 / 9])  # one for sure, and two that share one place with a third


def test_what_differs_by_rounding_alone_is_a_tie() -> None:
    exact = np.array([[1.0, 0.0, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(fidelity(exact, exact + 1e-14 * np.arange(5)).rank, [1.0])


def test_other_rows_are_refused() -> None:
    with pytest.raises(DesignError, match=r"row by row"):
        fidelity(EXACT, np.zeros((2, 5)))
