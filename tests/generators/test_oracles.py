"""The oracles keep their word, so that a game that misses their closed form is at fault itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from riskkit.core import Brief
from riskkit.errors import DesignError
from tests.oracles import Bootstrap, ExactMatch, Identity, Independent
from tests.tables import mixed


def unique_row() -> int:
    """A row of ``mixed(200)`` that has no copy."""
    keys = [key.tobytes() for key in iter(mixed(200).keys())]
    return next(i for i, key in enumerate(keys) if keys.count(key) == 1)


def test_the_identity_is_recognised_without_fail() -> None:
    """KA1: exact match is always right."""
    table, x = mixed(200), unique_row()
    rng = np.random.default_rng(0)
    attack = ExactMatch().fit(Brief(table.rows([x])), rng)
    assert attack.score(Identity().fit(table, rng).sample(200, rng)).tolist() == [1.0]
    assert attack.score(Identity().fit(table.without(x), rng).sample(200, rng)).tolist() == [-1.0]
    with pytest.raises(DesignError, match="ask for as many"):
        Identity().fit(table, rng).sample(199, rng)


def test_the_bootstrap_leaks_as_often_as_a_row_is_drawn() -> None:
    """KA2: the share of releases that hold the row is 1 - (1 - 1/n)^n_syn, so AUC = 1 - .5 (1 - 1/n)^n_syn."""
    table, x, games = mixed(200), unique_row(), 2_000
    rng = np.random.default_rng(2)
    attack = ExactMatch().fit(Brief(table.rows([x])), rng)
    fitted = Bootstrap().fit(table, rng)
    found = np.mean([attack.score(fitted.sample(200, rng))[0] > 0 for _ in range(games)])
    miss = (1 - 1 / 200) ** 200
    assert abs(found - (1 - miss)) <= 4 * math.sqrt(miss * (1 - miss) / games)


def test_the_independent_generator_cannot_know_the_table() -> None:
    """KA10: the very same bytes from worlds with and without the target."""
    table, x = mixed(200), unique_row()
    releases = [
        Independent().fit(world, np.random.default_rng(0)).sample(300, np.random.default_rng(1))
        for world in (table, table.without(x), table.rows([0]))
    ]
    assert len({(release.codes.tobytes(), release.numbers.tobytes()) for release in releases}) == 1
    assert set(releases[0].codes[:, 0]) == {0, 1, 2, 3, 4}
