"""The attack that is guided by usefulness, by hand."""

import numpy as np
import pytest

from riskkit.released.guided import Guided, _weights
from riskkit.table.points import RowPoints


def letters(rows: str) -> RowPoints:
    """Rows of two categories, written as pairs of letters."""
    codes = np.array([["ab".index(letter) for letter in row] for row in rows.split()], dtype=np.int32)
    return RowPoints(np.empty((len(codes), 0)), codes, (2, 2))


def test_one_step_by_hand() -> None:
    # release: ab 2 of 3, ba 1 of 3. Targets: ab 1, ba 2, bb 1 of 4, weighing 1/4 each at first.
    # lack over want + usual: ab (2/3 - 1/4) / (2/3 + 1/4) = 5/11; ba (1/3 - 1/2) / (1/3 + 1/2) = -1/5; bb -1/1
    score = Guided(rounds=1).score(letters("ab ab ba"), letters("ab ba ba bb"), None, np.random.default_rng(0))
    assert score == pytest.approx([5 / 11, -1 / 5, -1 / 5, -1])


def test_steps_bring_the_weights_to_the_counts_of_the_release() -> None:
    release, targets = letters("ab ab ba bb"), letters("ab ab ba ba ba bb aa")
    weight = _weights(Guided(rounds=100).score(release, targets, None, np.random.default_rng(0)), 1.0)
    assert weight == pytest.approx([1 / 4, 1 / 4, 1 / 12, 1 / 12, 1 / 12, 1 / 4, 0], abs=0.01)


def test_nobody_weighs_more_than_a_released_row() -> None:
    weight = _weights(np.log(np.array([8.0, 1.0, 1.0])), 0.4)
    assert weight == pytest.approx([0.4, 0.3, 0.3])
    assert _weights(np.zeros(4), 0.25) == pytest.approx([0.25] * 4)
