"""Over records drawn from a population, one release fixed: coverage at the null, and the look without the release."""

from __future__ import annotations

import numpy as np
import pytest

from riskkit.core import Floats, Scores
from riskkit.games import blind as blind_module
from riskkit.games.blind import blind
from riskkit.seeds import stream
from riskkit.stats import records
from riskkit.table.neighbours import nearest
from riskkit.table.points import Points, points_of_arrays
from tests.statistical.simulate import fewest

LEVEL = 0.95


def auc_of_nearness(targets: Floats, is_in: np.ndarray, release: Floats, record: np.ndarray | None = None):
    asked, released = points_of_arrays([targets, release])
    value = -nearest(asked, released)[0][:, 0]
    named = np.arange(len(value)) if record is None else record
    return records.auc(Scores(value, is_in, named, np.zeros(len(value), dtype=int), "nearness"), level=LEVEL)


def times_covered(times: int, n: int, copies: int = 1, *, clustered: bool = True) -> int:
    """Audits of one release that leaks nothing whose interval holds .5; every record stands ``copies`` times."""
    release = stream(1, "coverage", "release").standard_normal((200, 3))
    covered = 0
    for audit in range(times):
        drawn = stream(1, "coverage", n, copies, audit).standard_normal((2 * n, 3))
        record = np.repeat(np.arange(2 * n), copies)
        targets, is_in = drawn[record], record < n
        found = auc_of_nearness(targets, is_in, release, record if clustered else None)
        covered += found.low <= 0.5 <= found.high
    return covered


@pytest.mark.parametrize(("n", "copies"), [(20, 1), (100, 1), (60, 3)])
def test_the_interval_over_records_covers_one_half_when_nothing_leaks(n: int, copies: int) -> None:
    assert times_covered(300, n, copies) >= fewest(300)


def test_counting_copies_of_a_record_as_records_does_not_cover() -> None:
    assert times_covered(150, 60, 4, clustered=False) < 0.8 * 150


def blind_low(shift: float, n: int, p: int, seed: int) -> float:
    """The lower end of the look without the release, members shifted by so many standard deviations."""
    rng = stream(seed, "blind", "test", n, p)
    given = rng.standard_normal((2 * n, p))
    is_in = np.arange(2 * n) < n
    given[is_in] += shift
    (targets,) = points_of_arrays([given])
    return _low(targets, is_in, rng)


def _low(targets: Points, is_in: np.ndarray, rng: np.random.Generator) -> float:
    record = np.arange(len(is_in))
    value, part = blind(targets, is_in, record, rng)
    scores = Scores(value, is_in, record, record * 0, "blind")
    return records.cross_fitted_auc(scores, part, level=LEVEL).low


def test_a_shift_in_time_blocks() -> None:
    assert all(blind_low(0.2, 1000, 10, seed) > 0.5 for seed in range(3))


def test_a_random_split_is_rarely_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blind_module, "TREES", 5)  # as calibrated as a hundred, and sooner done
    assert sum(blind_low(0.0, 100, 10, seed) > 0.5 for seed in range(60)) <= 7


@pytest.mark.slow
def test_of_500_random_splits_no_more_than_45_are_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blind_module, "TREES", 20)
    assert sum(blind_low(0.0, 150, 10, seed) > 0.5 for seed in range(500)) <= 45


def test_a_difference_that_no_single_column_shows_blocks() -> None:
    rng = stream(1, "blind", "xor")
    given = rng.standard_normal((3000, 2))
    is_in = (given[:, 0] * given[:, 1] > 0) ^ (rng.random(3000) < 0.3)
    (targets,) = points_of_arrays([given])
    assert _low(targets, is_in, rng) > 0.5


def test_taking_parts_that_share_their_records_for_independent_blocks_too_often() -> None:
    """A mutant: the scores of a five-part cross-fit pooled as if each record had been asked of a fixed classifier."""
    blocked = 0
    for seed in range(150):
        rng = stream(seed, "blind", "pooled")
        given, is_in = rng.standard_normal((200, 10)), np.arange(200) < 100
        part, value = rng.permutation(200) % 5, np.empty(200)
        for number in range(5):
            known = part != number
            weights = np.linalg.lstsq(given[known], is_in[known] - 0.5, rcond=None)[0]
            value[~known] = given[~known] @ weights
        blocked += records.auc(Scores(value, is_in, np.arange(200), np.zeros(200, dtype=int), "pooled")).low > 0.5
    assert blocked > 150 * 0.05


def test_records_of_many_rows_stay_in_one_part() -> None:
    """Else the forest knows the record it is asked about, and a random split is told apart."""
    rng = stream(3, "blind", "copies")
    record = np.repeat(np.arange(120), 5)
    given, is_in = rng.standard_normal((120, 5))[record], record < 60
    (targets,) = points_of_arrays([given])
    value, part = blind(targets, is_in, record, rng)
    assert all(len(set(part[record == one].tolist())) == 1 for one in range(120))
    assert records.cross_fitted_auc(Scores(value, is_in, record, record * 0, "blind"), part).low < 0.5
    value, part = blind(targets, is_in, np.arange(600), rng)
    assert records.cross_fitted_auc(Scores(value, is_in, np.arange(600), record * 0, "split"), part).low > 0.7
