"""Over records drawn from a population, one release fixed: coverage at the null, and the look without the release."""

import numpy as np
import pytest

from riskkit.core import Bools, Floats, Ints, Scores
from riskkit.games.blind import blind
from riskkit.seeds import stream
from riskkit.stats import permutation, records
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of_arrays
from tests.released.worlds import people
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
        interval = auc_of_nearness(targets, is_in, release, record if clustered else None)
        covered += interval.low <= 0.5 <= interval.high
    return covered


@pytest.mark.parametrize(("n", "copies"), [(20, 1), (100, 1), (60, 3)])
def test_the_interval_over_records_covers_one_half_when_nothing_leaks(n: int, copies: int) -> None:
    assert times_covered(200, n, copies) >= fewest(200)


def test_counting_copies_of_a_record_as_records_does_not_cover() -> None:
    assert times_covered(80, 60, 4, clustered=False) < 0.8 * 80


def blind_p(rows: Floats, is_in: Bools, rng: np.random.Generator, record: Ints | None = None, deals: int = 99) -> float:
    """The p-value of the look without the release."""
    (targets,) = points_of_arrays([rows])
    named = np.arange(len(is_in)) if record is None else record
    learner = blind(targets, named, rng)
    return permutation.p_of_relearnt(learner.scores, is_in, named, deals, rng)[0]


def split(shift: float, n: int, p: int, seed: int) -> tuple[Floats, Bools, np.random.Generator]:
    """Two sides of n records, the first shifted by so many standard deviations in each of p columns."""
    rng = stream(seed, "blind", "test", n, p)
    rows, is_in = rng.standard_normal((2 * n, p)), np.arange(2 * n) < n
    rows[is_in] += shift
    return rows, is_in, rng


def test_a_shift_in_time_blocks() -> None:
    """NEG6: .2 standard deviations in each of ten columns, which the best classifier tells with an AUC of .673."""
    assert all(blind_p(*split(0.2, 1000, 10, seed)) == 0.01 for seed in range(3))


def test_a_random_split_is_rarely_blocked() -> None:
    assert sum(blind_p(*split(0.0, 100, 10, seed)) <= 0.05 for seed in range(60)) <= 9


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(150, 10), (40, 1)])
def test_of_500_random_splits_no_more_than_45_are_blocked(n: int, p: int) -> None:
    """NEG6, and none at all would be a look that sees nothing: one in twenty is what the level says."""
    blocked = sum(blind_p(*split(0.0, n, p, seed), deals=199) <= 0.05 for seed in range(500))
    assert 8 <= blocked <= 45


@pytest.mark.slow
def test_of_500_random_splits_of_records_with_copies_no_more_than_45_are_blocked() -> None:
    """Larger records on either side, sides of unequal size, codes beside numbers."""
    blocked = rows_for_records = 0
    for seed in range(500):
        rng = stream(seed, "blind", "copies")
        record = np.repeat(np.arange(120), rng.geometric(0.5, 120))
        targets, is_in = people(120, rng).rows(record), np.arange(120)[record] < 80
        learner = blind(targets, record, rng)
        blocked += permutation.p_of_relearnt(learner.scores, is_in, record, 199, rng)[0] <= 0.05
        if seed < 20:
            rows = np.arange(len(record))
            mutant = blind(targets, rows, rng)
            rows_for_records += permutation.p_of_relearnt(mutant.scores, is_in, rows, 199, rng)[0] <= 0.05
    assert 8 <= blocked <= 45
    assert rows_for_records >= 15, "the twin that takes rows for records knows the record it is asked about"


def test_a_difference_that_no_single_column_shows_blocks() -> None:
    rng = stream(1, "blind", "xor")
    rows = rng.standard_normal((1000, 2))
    is_in = (rows[:, 0] * rows[:, 1] > 0) ^ (rng.random(1000) < 0.3)
    assert blind_p(rows, is_in, rng) == 0.01


def test_the_answer_hardly_depends_on_the_seed() -> None:
    """A shift that is seen in about half of the audits: here the split of a cross-fit used to decide."""
    rows, is_in, _ = split(0.1, 250, 10, 3)
    p_values = [blind_p(rows, is_in, stream(seed, "blind", "seed"), deals=999) for seed in range(5)]
    assert 0.001 < np.mean(p_values) < 0.2
    assert np.ptp(p_values) < 6 * np.sqrt(np.mean(p_values) / 1000)


def test_taking_parts_that_share_their_records_for_independent_blocks_too_often() -> None:
    """A mutant: scores of a five-part cross-fit judged as if from a fixed classifier."""
    blocked = 0
    for seed in range(80):
        rng = stream(seed, "blind", "pooled")
        rows, is_in = rng.standard_normal((200, 10)), np.arange(200) < 100
        part, value = rng.permutation(200) % 5, np.empty(200)
        for number in range(5):
            known = part != number
            weights = np.linalg.lstsq(rows[known], is_in[known] - 0.5, rcond=None)[0]
            value[~known] = rows[~known] @ weights
        blocked += records.auc(Scores(value, is_in, np.arange(200), np.zeros(200, dtype=int), "pooled")).low > 0.5
    assert blocked > 80 * 0.05
