"""Copies under any renumbering: planted ones are found, people who are not copied are not, whatever values are called.

Tables are small and their columns hang together, as those of real people do.
"""

import numpy as np
import numpy.typing as npt
import pytest
from scipy import stats

from riskkit.core import Column, Kind, Schema, Table
from riskkit.games.give_aways import Copied
from riskkit.games.recodes import count_recoded
from riskkit.stats.copies import chance_of_copies

LEVELS = (3, 5, 4, 6, 3, 7, 5, 4, 8, 4)
NUMBERS = 3
ROWS = 200
CODES = tuple(
    Column(f"q{place}", Kind.CATEGORICAL, levels=tuple("abcdefgh"[:many])) for place, many in enumerate(LEVELS)
)
SCHEMA = Schema((*CODES, *(Column(f"x{place}", Kind.NUMERIC) for place in range(NUMBERS))))


def people(seed: int, rows: int = ROWS, columns: int = len(LEVELS)) -> Table:
    """Answers and numbers of people, which follow one mood."""
    rng = np.random.default_rng(seed)
    mood = rng.normal(size=(rows, 1))
    raw = (mood * 0.6 + rng.normal(size=(rows, len(LEVELS)))) * np.array(LEVELS) / 5 + np.array(LEVELS) / 2.3
    numbers = np.round(np.exp(mood * 0.5 + rng.normal(size=(rows, NUMBERS)) * 0.5), 3)
    codes = np.clip(raw.astype(int), 0, np.array(LEVELS) - 1)
    codes[:, columns:] = 0
    return Table(SCHEMA, codes, numbers if columns == len(LEVELS) else np.zeros_like(numbers))


def joined(*parts: Table) -> Table:
    codes, numbers = (np.vstack([getattr(part, side) for part in parts]) for side in ("codes", "numbers"))
    return Table(SCHEMA, codes, numbers)


def leaky(members: Table, others: Table, many: int, seed: int) -> Table:
    """A release that copies so many members, in an order of chance."""
    release = joined(members.rows(np.arange(many)), others.rows(np.arange(len(members) - many)))
    return release.rows(np.random.default_rng(seed).permutation(len(release)))


def renumbered(table: Table, seed: int) -> Table:
    """Codes in an order of chance; numbers mirrored, moved and scaled, or bent."""
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.permutation(many)[column] for many, column in zip(LEVELS, table.codes.T, strict=True)])
    first, second, third = table.numbers.T
    return Table(SCHEMA, codes, np.column_stack([9 - first, 2.5 * second + 7, np.log(third + 1)]))


def counted(release: Table, seed: int, columns: int = len(LEVELS), holdout: int = ROWS) -> Copied:
    count = count_recoded(
        people(seed, columns=columns), release, people(seed + 1, holdout, columns), np.random.default_rng(seed)
    )
    assert count is not None
    return count


@pytest.mark.parametrize("seed", [10, 20, 30])
@pytest.mark.parametrize("many", [200, 100, 40])
def test_planted_copies_are_found_whatever_their_values_are_called(many: int, seed: int) -> None:
    """Nine of ten of them, and at most a few by chance of people who were not in."""
    release = renumbered(leaky(people(seed), people(seed + 2), many, seed), seed)
    count = counted(release, seed)
    assert 0.85 * many <= count.k_in <= many + 2
    assert (count.k_out, count.n_in, count.n_out, count.has_holdout) == (0, ROWS, ROWS, True)


def test_answers_alone_are_enough() -> None:
    """No number is left to lean on, and every question is renumbered."""
    release = renumbered(leaky(people(1, columns=9), people(3, columns=9), 100, 1), 1)
    count = counted(release, 1, columns=9)
    assert chance_of_copies(count.k_in, count.n_in, count.k_out, count.n_out) < 1e-9


def test_copies_of_a_wide_table_of_few_people_are_found() -> None:
    """Each column is looked at beside fifty of a hundred and twenty, which teach as much."""
    schema = Schema(tuple(Column(f"q{place}", Kind.CATEGORICAL, levels=tuple("abcde")) for place in range(120)))

    def wide(seed: int) -> npt.NDArray[np.int32]:
        rng = np.random.default_rng(seed)
        raw = rng.normal(size=(100, 1)) * 0.5 + rng.normal(size=(100, 120))
        return np.clip(raw * 1.2 + 2, 0, 4).astype(np.int32)

    real, others, holdout = wide(1), wide(2), wide(3)
    order, rng = np.random.default_rng(4).permutation(100), np.random.default_rng(5)
    copied = np.vstack([real[:50], others[:50]])[order]
    for release, expected in ((copied, 50), (others, 0)):
        codes = np.column_stack([rng.permutation(5).astype(np.int32)[column] for column in release.T])
        own, made, beside = (Table(schema, each, np.zeros((100, 0))) for each in (real, codes, holdout))
        count = count_recoded(own, made, beside, np.random.default_rng(6))
        assert count is not None
        assert (count.k_in, count.k_out) == (expected, 0)


def test_people_who_were_in_are_meant_and_not_the_holdout() -> None:
    """A release that copies the holdout copies no member."""
    holdout = people(2)
    release = renumbered(leaky(holdout, people(3), 150, 1), 1)
    count = count_recoded(people(1), release, holdout, np.random.default_rng(1))
    assert count is not None
    assert (count.k_in, count.k_out > 120) == (0, True)


def test_without_a_holdout_they_are_counted_all_the_same() -> None:
    release = renumbered(leaky(people(1), people(3), 100, 1), 1)
    count = count_recoded(people(1), release, None, np.random.default_rng(1))
    assert count is not None
    assert (count.k_in > 70, count.has_holdout) == (True, False)


def test_missing_answers_stay_missing() -> None:
    """A fifth of all numbers is not there, in real rows and in their copies."""

    def holed(seed: int) -> Table:
        table, rng = people(seed), np.random.default_rng(seed)
        return Table(SCHEMA, table.codes, np.where(rng.random(table.numbers.shape) < 0.2, np.nan, table.numbers))

    release = renumbered(leaky(holed(1), holed(3), 100, 1), 1)
    count = count_recoded(holed(1), release, holed(2), np.random.default_rng(1))
    assert count is not None
    assert (count.k_in > 70, count.k_out) == (True, 0)


def test_nothing_is_counted_where_no_column_can_be_matched() -> None:
    """One value in every column, and nothing else."""
    table = Table(SCHEMA, np.zeros((50, len(LEVELS))), np.zeros((50, NUMBERS)))
    assert count_recoded(table, table, table, np.random.default_rng(0)) is None


def chances(audits: int, first: int = 100) -> npt.NDArray[np.float64]:
    """How likely as many copies of members are by chance, in audits of releases of other people.

    Few columns, so that many have a copy by chance; every other release is renumbered, every third holdout is small.
    """
    out = []
    for seed in range(first, first + 3 * audits, 3):
        release = people(seed + 2, columns=4)
        release = renumbered(release, seed) if seed % 2 else release
        count = counted(release, seed, 4, ROWS if seed % 9 else ROWS // 2)
        out.append(chance_of_copies(count.k_in, count.n_in, count.k_out, count.n_out))
    return np.array(out)


def test_people_who_were_not_copied_are_hardly_ever_shown_to_be() -> None:
    """Of 30 audits at a chance of .025 more than four happen once in a thousand times."""
    assert stats.binom.sf(4, 30, 0.025) < 0.001
    assert (chances(30) <= 0.025).sum() <= 4


@pytest.mark.slow
@pytest.mark.parametrize("level", [0.025, 0.1, 0.5])
def test_people_who_were_not_copied_are_shown_no_oftener_than_they_may(level: float) -> None:
    assert (chances(400, 10_000) <= level).sum() <= stats.binom.ppf(0.999, 400, level)
