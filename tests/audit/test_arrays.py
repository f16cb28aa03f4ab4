"""Attacks on plain arrays: raw numbers in, one score a target out, in the caller's order."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import riskkit
from riskkit.errors import DesignError, ParameterError

RNG = np.random.default_rng(1)
RELEASE, TARGETS, REFERENCE = (RNG.normal(size=(n, 4)) * [1, 10, 0.1, 1] for n in (80, 50, 60))


def test_the_scores_are_those_of_the_definition_on_raw_numbers() -> None:
    near, far = cdist(TARGETS, RELEASE).min(axis=1), cdist(TARGETS, REFERENCE).min(axis=1)
    assert riskkit.score_arrays("dcr", RELEASE, TARGETS) == pytest.approx(-near)
    assert riskkit.score_arrays("dcr-diff", RELEASE, TARGETS, REFERENCE) == pytest.approx(far - near)


@pytest.mark.parametrize("attack", ["dcr", "dcr-diff", "domias", "classifier"])
def test_neither_rows_nor_columns_have_an_order(attack: str) -> None:
    """That no attack goes by an order is promised in ``tests/contracts/test_released.py``; arrays keep the caller's."""
    plain = riskkit.score_arrays(attack, RELEASE, TARGETS, REFERENCE, 3)
    assert plain.shape == (50,)
    orders = [RNG.permutation(len(rows)) for rows in (RELEASE, TARGETS, REFERENCE)]
    columns = RNG.permutation(4)
    release, targets, reference = (
        rows[order][:, columns] for rows, order in zip((RELEASE, TARGETS, REFERENCE), orders, strict=True)
    )
    assert np.array_equal(riskkit.score_arrays(attack, release, targets, reference, 3), plain[orders[1]])


def test_settings_are_given_by_name_and_lists_are_arrays() -> None:
    few, many = (riskkit.score_arrays("dpi", RELEASE, TARGETS, REFERENCE, k=k) for k in (3, 30))
    assert not np.array_equal(few, many)
    assert riskkit.score_arrays("dcr", [[0.0], [5.0]], [[1.0], [7.0]]).tolist() == [-1.0, -2.0]


def test_what_cannot_be_scored_is_a_sentence() -> None:
    with pytest.raises(ParameterError, match="no 'magic' in released"):
        riskkit.score_arrays("magic", RELEASE, TARGETS)
    with pytest.raises(ParameterError, match="no parameter 'q'"):
        riskkit.score_arrays("dcr", RELEASE, TARGETS, q=1)
    with pytest.raises(DesignError, match="reference"):
        riskkit.score_arrays("dcr-diff", RELEASE, TARGETS)
    with pytest.raises(DesignError, match="second table"):
        riskkit.score_arrays("children-alone", RELEASE, TARGETS)
    with pytest.raises(DesignError, match="columns"):
        riskkit.score_arrays("dcr", RELEASE, TARGETS[:, :2])
