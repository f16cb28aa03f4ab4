"""The ensemble: its parts are the attacks of those names, its score is their mean rank."""

import numpy as np
import pytest

from riskkit import registry
from riskkit.released.ensemble import Ensemble, parts
from tests.released import worlds

SEVEN = ["dcr", "dcr-diff", "mc", "dpi", "domias", "classifier", "ept"]
DRAWING = {"classifier", "ept"}


def test_its_parts_are_the_attacks_of_those_names_at_their_defaults() -> None:
    world = worlds.copied(0.3, n=80)
    targets = world.members.plus(world.others)
    by_part = parts(world.release, targets, world.reference, np.random.default_rng(1))
    assert list(by_part) == SEVEN
    for name in set(SEVEN) - DRAWING:
        np.testing.assert_allclose(by_part[name], world.scores(registry.make("released", name)), atol=1e-9)
    for name in DRAWING:  # the same attack with other draws
        alone = world.scores(registry.make("released", name))
        assert np.corrcoef(by_part[name], alone)[0, 1] > 0.6


def test_its_score_is_the_mean_rank_with_ties_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    scores = {"a": np.array([3.0, 1.0, 1.0, 2.0]), "b": np.array([0.0, -1.0, 9.0, 9.0])}
    monkeypatch.setattr("riskkit.released.ensemble.parts", lambda *arguments: scores)
    world = worlds.copied(n=2)
    np.testing.assert_allclose(
        world.scores(Ensemble()), np.array([(4 + 2) / 2, (1.5 + 1) / 2, (1.5 + 3.5) / 2, (3 + 3.5) / 2]) / 4
    )


@worlds.needs_housing
def test_on_the_published_example_it_does_better_than_most_of_its_parts() -> None:
    world = worlds.housing()
    targets = world.members.plus(world.others)
    alone = [
        worlds.auc(score, 200)
        for score in parts(world.release, targets, world.reference, np.random.default_rng(0)).values()
    ]
    assert world.auc(Ensemble()) > np.median(alone)
