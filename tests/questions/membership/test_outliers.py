"""The map of who stands out, against the definition."""

import numpy as np
import pytest

from riskkit.questions.membership.people import outlier_map
from riskkit.table.encode import onehot
from tests.tables import mixed


def test_distances_are_mahalanobis_and_farthest_first() -> None:
    table = mixed(200)
    matrix = onehot(table)
    centred = matrix - matrix.mean(axis=0)
    inverse = np.linalg.pinv(np.cov(matrix, rowvar=False, bias=True))
    wanted = np.sqrt(np.einsum("ij,jk,ik->i", centred, inverse, centred))
    outliers = outlier_map(table)
    assert outliers.distance == pytest.approx(wanted[outliers.row])
    assert (np.diff(outliers.distance) <= 0).all()
    assert outliers.median == pytest.approx(np.median(wanted))
    assert outliers.total == 200


def test_main_directions_are_standard_and_uncorrelated_over_all_rows() -> None:
    outliers = outlier_map(mixed(200))
    place = np.column_stack([outliers.across, outliers.up])
    assert np.cov(place, rowvar=False, bias=True) == pytest.approx(np.eye(2), abs=1e-9)


def test_the_first_direction_carries_the_most_variance() -> None:
    """Planted: taken from the other end, the directions would explain less of the standardised table."""
    table = mixed(300, missing=False)
    outliers = outlier_map(table)
    matrix = onehot(table)[outliers.row]
    standard = (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)
    largest = np.linalg.eigvalsh(np.corrcoef(matrix, rowvar=False))[::-1]
    loadings = standard.T @ outliers.across / len(standard)
    assert (loadings**2).sum() == pytest.approx(largest[0])
