"""What attacks find in worlds with a known answer, and that these checks find the faults they are there for."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.released.classifier import Classifier, Ept, LoganD
from riskkit.released.density import Density, Domias, GenLra
from riskkit.released.ensemble import Ensemble
from riskkit.released.guided import Guided
from riskkit.released.texts import Levenshtein
from riskkit.released.values import Values
from tests.released import worlds

QUICK = LoganD(epochs=5)
NOISES = (0.0, 0.3, 1.0, 3.0)
FOUND = [
    (Classifier(), NOISES, 0.95),
    (Density(), NOISES, 0.6),
    (Domias(), NOISES, 0.7),
    (Ensemble(), NOISES, 0.95),
    (Ept(), NOISES, 0.85),
    (Ept(compare=True), NOISES, 0.85),
    (GenLra(), NOISES, 0.65),
    (Guided(), (0.0, 3.0), 0.6),
    (LoganD(epochs=60), (0.0, 3.0), 0.6),
    (Values(), (0.0, 0.3, 3.0), 0.6),
]
"""Each attack, the noise of releases that it is shown, and the least AUC that it reaches where there is none."""
ALONE = [
    Classifier(),
    Density(),
    Domias(),
    Domias(floor=0),
    Ept(),
    Ept(compare=True),
    GenLra(),
    GenLra(k=200, floor=0),
    QUICK,
    Values(),
]
"""Attacks that score each target by itself."""


@pytest.mark.parametrize(
    "attack",
    [attack for attack, *_ in FOUND if not isinstance(attack, LoganD)] + [Domias(floor=0), Levenshtein(), QUICK],
)
def test_nothing_is_found_in_an_independent_release(attack: Any) -> None:
    worlds.null_holds(attack)


@pytest.mark.parametrize(("attack", "noises", "least"), FOUND)
def test_noise_hides_what_copies_show(attack: Any, noises: tuple[float, ...], least: float) -> None:
    worlds.noise_hides(attack, noises, least)


@pytest.mark.parametrize("attack", [*ALONE, Ensemble()])
def test_singular_and_small_tables_are_survived(attack: Any) -> None:
    worlds.survives(attack)


@pytest.mark.parametrize("attack", ALONE)
def test_a_score_is_a_targets_own(attack: Any) -> None:
    worlds.own_score(attack)


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
