"""The checks that every attack on a released file is held to find the faults they are there for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.released.density import Density, Domias
from tests.released import worlds


@dataclass(frozen=True)
class Faulty:
    """An attack with a fault: its sign swapped, or its score leaning on who is asked about first."""

    attack: Any
    fault: str

    def score(self, release, targets, reference, rng) -> Floats:
        scores = self.attack.score(release, targets, reference, rng)
        if self.fault == "sign":
            return -scores
        if self.fault == "order":
            return scores - 0.5 * np.arange(len(scores)) / len(scores) * scores.std()
        return scores - scores.mean()


@pytest.mark.parametrize("attack", [Density(), Domias()])
def test_a_swapped_sign_is_seen(attack: Any) -> None:
    with pytest.raises(AssertionError):
        worlds.noise_hides(Faulty(attack, "sign"), (0.0, 3.0), least=0.55)


def test_a_score_that_leans_to_the_members_is_seen() -> None:
    with pytest.raises(AssertionError):
        worlds.null_holds(Faulty(Domias(), "order"))


def test_a_score_that_hangs_on_the_other_targets_is_seen() -> None:
    with pytest.raises(AssertionError):
        worlds.own_score(Faulty(Density(), "mean"))


def test_ties_count_one_half() -> None:
    assert worlds.auc(np.array([1.0, 0.0, 0.0, -1.0]), 2) == 0.875
