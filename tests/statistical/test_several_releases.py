"""Stacked releases: files that resemble each other widen nothing and narrow nothing, for people are counted, not rows.

Given the real table all files of a release lean on the same fit, so what one says of a person the next says again. The
stack asks about every person once, however many files there are. Whoever counts a person once a file calls far more
than 5 % of innocent releases a leak; that is shown too.
"""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from riskkit.core import Column, Floats, Kind, Schema, Scores, Table
from riskkit.games.released_deal import deal
from riskkit.stats import records
from tests.points import Nearness

pytestmark = pytest.mark.second
SCHEMA = Schema(tuple(Column(name, Kind.NUMERIC, low=-9.0, high=9.0, sd=1.0, decimals=3) for name in ("x", "y")))
FILES, ROWS, ASKED = 5, 60, 80


def table(rows: Floats) -> Table:
    return Table(SCHEMA, np.empty((len(rows), 0), dtype=np.int32), np.round(rows, 3))


def releases(fitted: Floats, noise: float, rng: np.random.Generator) -> list[Table]:
    """Files of one fit: every row lies near one of the few people that the method kept, the same for all files."""
    kept = fitted[rng.permutation(len(fitted))[:20]]
    return [table(kept[rng.integers(20, size=ROWS)] + noise * rng.standard_normal((ROWS, 2))) for _ in range(FILES)]


def scores_of(files: list[Table], real: Table, holdout: Table, seed: int) -> Scores:
    stack = files[0]
    for release in files[1:]:
        stack = stack.plus(release)
    return deal(real, stack, holdout, max_rows=10_000, seed=seed).scores(Nearness())


def misses(audits: int, seed: int) -> tuple[float, float]:
    """How often the stack, and whoever counts a person once a file, shows a leak where nobody leaked."""
    stacked, file_by_file = [], []
    for audit in range(audits):
        rng = np.random.default_rng([seed, audit])
        real, holdout, others = (rng.standard_normal((ASKED, 2)) for _ in range(3))
        files = releases(others, 0.3, rng)
        stacked.append(records.auc(scores_of(files, table(real), table(holdout), audit)))
        each = [scores_of([release], table(real), table(holdout), audit) for release in files]
        value, is_in = (np.concatenate([getattr(scored, name) for scored in each]) for name in ("value", "is_in"))
        number = np.arange(len(value))
        file_by_file.append(records.auc(Scores(value, is_in, number, np.zeros_like(number), "nearness")))
    return tuple(float(np.mean([not e.low <= 0.5 <= e.high for e in some])) for some in (stacked, file_by_file))  # type: ignore[return-value]


@pytest.mark.parametrize("audits", [120, pytest.param(300, marks=pytest.mark.slow)])
def test_innocent_releases_are_called_a_leak_as_often_as_they_should(audits: int) -> None:
    right, wrong = misses(audits, 1)
    assert right < 0.05 + 3 * np.sqrt(0.05 * 0.95 / audits)
    assert wrong > 0.2


def test_the_truth_of_releases_that_leak_lies_in_the_interval() -> None:
    """Of a population of 4,000 on either side 80 are asked about; the AUC of all is the truth of these very files."""
    inside = []
    for audit in range(200):
        rng = np.random.default_rng([2, audit])
        members, others = rng.standard_normal((4_000, 2)), rng.standard_normal((4_000, 2))
        files = releases(members[:40], 0.05, rng)
        files[0] = table(np.vstack([files[0].numbers, members[:1_500]]))
        stack = np.vstack([release.numbers for release in files])
        near = [-cdist(np.round(side, 3), stack).min(axis=1) for side in (members, others)]
        truth = float(np.mean(np.searchsorted(np.sort(near[1]), near[0]) / len(others)))
        some = [side[rng.permutation(4_000)[:ASKED]] for side in (members, others)]
        interval = records.auc(scores_of(files, table(some[0]), table(some[1]), audit))
        inside.append(interval.low <= truth <= interval.high)
    assert np.mean(inside) > 0.905
