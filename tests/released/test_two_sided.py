"""The distance attack from both sides: by hand, and against a release made to evade the one from one side."""

from __future__ import annotations

import numpy as np

from riskkit import registry
from riskkit.games.contest import deal, distinct, draw_sample
from riskkit.stats.hits import Draw
from riskkit.table.points import points_of_arrays
from tests.games.test_contest import wide


def test_gaps_on_a_line_are_those_counted_by_hand() -> None:
    release, targets = points_of_arrays([[[0.0], [10.0]], [[0.0], [1.0], [7.0], [20.0]]])
    score = registry.make("released", "two-sided").score(release, targets, None, np.random.default_rng(0))
    # in tenths of the range: 0 is closest to target 0 at 0, gap .1; 10 to target 2 at .3, next at .9, the larger gap
    np.testing.assert_allclose(score, [0.1 / 1.1, -0.1, 1 + 0.6 / 1.6, -1.0])
    alone = registry.make("released", "two-sided").score(release, targets.rows([1]), None, np.random.default_rng(0))
    np.testing.assert_allclose(alone, [-0.1])


def test_a_release_that_perturbs_exact_matches_evades_one_side_and_not_both() -> None:
    population = distinct(wide(6_000), 0, 1)
    is_in = draw_sample(population, 600, 1)
    sample = population.table.rows(np.flatnonzero(is_in))
    rng = np.random.default_rng(2)
    crowd = population.table.rows(rng.permutation(np.flatnonzero(~is_in))[:60])  # matches by chance
    moved = registry.parse("generators", "evasion:scale=0.5").fit(sample, rng).sample(600, rng)
    game = deal(population, is_in, moved.plus(crowd), 50, 1)
    counts = {
        name: game.hits(game.name_targets(game.scores(registry.parse("released", name), name), name))
        for name in ("contest", "two-sided")
    }
    guessing = Draw(6_000, 600, 50)
    assert guessing.lower_tail(counts["contest"]) < 0.01
    assert guessing.upper_tail(counts["two-sided"]) < 0.01
