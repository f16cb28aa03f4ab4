"""OMTH17: the moments are exact, post-processing is the only thing that moves them, and too few rows are refused."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from riskkit.core import Column, Floats, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators import stat
from riskkit.generators.stat import Draws, StandardisedRows, Stat, covariance_of, standardise, whitening
from riskkit.table.encode import from_one_hot, onehot, scale_column
from tests.tables import adult, mixed, needs_adult, numeric

EXACT = 1e-10


def release_of(table: Table, n: int, post: str = "none", seed: int = 0) -> Table:
    """A release of a fresh fit."""
    rng = np.random.default_rng(seed)
    return Stat(post).fit(table, rng).sample(n, rng)


def walked(table: Table, n: int) -> Table:
    """The independent columns of a release, before they are bent."""
    fitted = Stat().fit(table, np.random.default_rng(0))
    return Table(table.schema, *fitted.noise(n, np.random.default_rng(1)).walk(fitted.codes, fitted.numbers))


def moment_gaps(table: Table, release: Table) -> tuple[float, float]:
    """Largest gap of the means in standard deviations, and of the covariances in products of two of them.

    Both are centred on the table's mean before anything is summed, or large numbers would hide small faults.
    """
    real, made = onehot(table), onehot(release)
    centre, unit = real.mean(axis=0), real.std(axis=0)
    unit[unit == 0] = 1.0
    real, made = (real - centre) / unit, (made - centre) / unit
    means = np.abs(real.mean(axis=0) - made.mean(axis=0)).max()
    return float(means), float(np.abs(np.cov(real.T) - np.cov(made.T)).max())


def minmax_gaps(table: Table, release: Table) -> tuple[float, float]:
    """The same gaps where every number's domain is 0 to 1."""
    real, made = onehot(table, scale="minmax"), onehot(release, scale="minmax")
    means = np.abs(real.mean(axis=0) - made.mean(axis=0)).max()
    return float(means), float(np.abs(np.cov(real.T) - np.cov(made.T)).max())


@needs_adult
def test_moments_are_exact_on_adult() -> None:
    table = adult(drop=("education-num",))
    assert onehot(table).shape == (30_162, 96)
    release = release_of(table, len(table))
    assert max(moment_gaps(table, release)) < EXACT
    assert max(minmax_gaps(table, release)) < EXACT


@needs_adult
def test_moments_are_exact_in_a_short_release_that_misses_rare_levels() -> None:
    """1,000 rows cannot hold every level of 30,162; columns without one are filled by normal draws."""
    table = adult(drop=("education-num",))
    assert max(moment_gaps(table, release_of(table, 1_000))) < EXACT


@needs_adult
def test_moments_are_exact_with_a_column_and_its_twin() -> None:
    """education and education-num say the same, so the table's covariance has no inverse."""
    table = adult(2_000)
    assert max(moment_gaps(table, release_of(table, 2_000))) < EXACT


@pytest.mark.parametrize("n", [9, 57, 300, 1_000])
@pytest.mark.parametrize("missing", [True, False])
def test_moments_are_exact_whatever_the_number_of_rows(n: int, missing: bool) -> None:
    table = mixed(missing=missing)
    assert max(moment_gaps(table, release_of(table, n))) < EXACT


def test_moments_are_exact_where_the_first_level_is_in_no_row() -> None:
    """Without the dropped level the other ones add up to 1 in every row: a draw that cannot be whitened as it is."""
    table = mixed()
    kept = table.rows(table.codes[:, 0] != 0)
    assert max(moment_gaps(kept, release_of(kept, len(kept)))) < EXACT


def test_a_column_that_is_constant_in_this_world_stays_constant() -> None:
    table = mixed()
    kept = table.rows(table.codes[:, 1] == 0)
    release = release_of(kept, 200)
    assert max(moment_gaps(kept, release)) < EXACT
    assert not release.codes[:, 1].any()


def test_very_unequal_numbers_lose_no_digit() -> None:
    """One column has a variance of 1e20, another of 1e-12; each is exact in its own units."""
    rng = np.random.default_rng(0)
    base = rng.standard_normal(500)
    large, small = 1e12 + 1e10 * base, 1e-6 * (base + rng.standard_normal(500))
    columns = (numeric("large", large), numeric("small", small, decimals=9))
    table = Table(Schema(columns), np.empty((500, 0), dtype=np.int32), np.column_stack([large, small]))
    assert max(moment_gaps(table, release_of(table, 500))) < EXACT


def test_a_small_spread_around_a_large_number_is_exact() -> None:
    """A plain sum of 5,000 values near 1e6 is wrong by more than 1e-10 of their spread of 1."""
    value = np.round(1e6 + np.random.default_rng(0).standard_normal(5_000), 3)
    table = Table(Schema((numeric("value", value, decimals=3),)), np.empty((5_000, 0), dtype=np.int32), value[:, None])
    assert max(moment_gaps(table, release_of(table, 5_000))) < EXACT


def test_covariance_divided_by_n_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: whitening that divides by n while the table's covariance divides by n - 1."""
    table = mixed()

    def by_n(drawn: StandardisedRows, normal: Callable[[int], Floats]) -> Floats:
        wrong: Floats = whitening(drawn, normal) * np.sqrt(len(drawn.held) / (len(drawn.held) - 1))
        return wrong

    monkeypatch.setattr(stat, "whitening", by_n)
    assert max(moment_gaps(table, release_of(table, 300))) > 1e-4


def test_drawing_rows_whole_would_be_noticed() -> None:
    """The independent draw is a permutation of each column by itself: same histograms, no dependence."""
    table = mixed(3_000, missing=False)
    drawn = walked(table, 3_000)
    np.testing.assert_array_equal(np.sort(drawn.codes, axis=0), np.sort(table.codes, axis=0))
    np.testing.assert_array_equal(np.sort(drawn.numbers, axis=0), np.sort(table.numbers, axis=0))
    assert abs(np.corrcoef(table.codes[:, 0], table.numbers[:, 0])[0, 1]) > 0.3
    assert abs(np.corrcoef(drawn.codes[:, 0], drawn.numbers[:, 0])[0, 1]) < 4.5 / np.sqrt(3_000)


@pytest.mark.parametrize("n", [100, 450, 1_000])
def test_the_draw_matches_histograms_as_well_as_n_rows_can(n: int) -> None:
    table = mixed()
    drawn = walked(table, n)
    for j, column in enumerate(table.schema.categorical):
        wanted = n * np.bincount(table.codes[:, j], minlength=len(column.levels)) / len(table)
        assert np.all(np.abs(np.bincount(drawn.codes[:, j], minlength=len(column.levels)) - wanted) < 1)


def test_whitened_rows_have_mean_zero_and_covariance_one() -> None:
    rng = np.random.default_rng(0)
    matrix = rng.random((200, 6))
    matrix[:, 1] = 3.0
    matrix[:, 5] = matrix[:, 0] + 2 * matrix[:, 2]
    matrix[:, 4] = matrix[:, 3] + 1e-3 * matrix[:, 4]  # nearly dependent is not dependent
    standardise(matrix)
    held, bits = np.zeros((200, 0), dtype=np.int32), np.zeros((7, 4), dtype=np.uint64)
    drawn = StandardisedRows(held, bits, np.zeros(6), np.zeros(6), matrix, np.arange(6), matrix.any(axis=0))
    white = drawn.times(whitening(drawn, Draws.draw(0, 200, rng).normal))
    np.testing.assert_allclose(white.mean(axis=0), 0, atol=1e-13)
    np.testing.assert_allclose(np.cov(white.T), np.eye(6), atol=1e-12)


@pytest.mark.parametrize("missing", [True, False])
@pytest.mark.parametrize("world", ["all", "no first level", "a constant column"])
def test_rows_kept_as_codes_have_the_covariance_and_the_products_of_their_one_hot_form(
    missing: bool, world: str
) -> None:
    table = mixed(missing=missing)
    if world != "all":
        table = table.rows(table.codes[:, 0] != 0 if world == "no first level" else table.codes[:, 1] == 0)
    plain = onehot(table)
    standardise(plain)
    drawn = StandardisedRows.standardise(table.schema, table.codes, table.numbers)
    matrix = np.random.default_rng(0).standard_normal((plain.shape[1], 5))
    covariance = drawn.covariance()
    np.testing.assert_allclose(covariance, covariance_of(plain), atol=1e-12)
    np.testing.assert_allclose(drawn.times(matrix), plain @ matrix, atol=1e-11)
    fresh = np.random.default_rng(1).standard_normal((len(table), 2))
    standardise(fresh)
    drawn.replace(np.array([1, 4]), fresh)
    plain[:, [1, 4]] = fresh
    np.testing.assert_allclose(drawn.covariance(), covariance_of(plain), atol=1e-12)
    np.testing.assert_allclose(drawn.times(matrix), plain @ matrix, atol=1e-11)


@pytest.mark.parametrize("n", [9, 63, 64, 65, 129])
def test_levels_are_counted_to_the_last_row(n: int) -> None:
    """Rows are counted 64 at a time, and what is over in the last word."""
    table = mixed(n)
    plain = onehot(table)
    standardise(plain)
    drawn = StandardisedRows.standardise(table.schema, table.codes, table.numbers)
    np.testing.assert_allclose(drawn.covariance(), covariance_of(plain), atol=1e-12)


def test_noise_shared_by_fits_gives_each_the_bytes_of_its_own_sample() -> None:
    """A world that has lost a level needs more normal draws than the others, whoever asks first."""
    table = mixed()
    whole = Stat("none").fit(table, np.random.default_rng(0))
    lost = Stat("none").fit(table.rows(table.codes[:, 0] != 3), np.random.default_rng(0))
    fits = [whole.without(5), lost, whole.without(0), whole]
    for order in (fits, fits[::-1]):
        noise = order[0].noise(300, np.random.default_rng(7))
        for fitted in order:
            own, shared = fitted.sample(300, np.random.default_rng(7)), fitted.sample_from(noise)
            assert own.relaxed is not None
            assert shared.relaxed is not None
            assert own.relaxed.tobytes() == shared.relaxed.tobytes()
            assert (own.codes.tobytes(), own.numbers.tobytes()) == (shared.codes.tobytes(), shared.numbers.tobytes())


def test_rounding_keeps_values_beyond_the_domain_and_clipping_does_not() -> None:
    table = mixed()
    rounded, valid = release_of(table, 300, "round"), release_of(table, 300, "round+clip")
    assert rounded.relaxed is not None
    assert valid.relaxed is None
    matrix = rounded.relaxed
    decimals = [0, 0, 0, 0, 0, 0, 1, 0]  # ward (4), age, smoker, score and whether it is missing
    for j, places in enumerate(decimals):
        np.testing.assert_array_equal(matrix[:, j], np.round(matrix[:, j], places))
    age = table.schema.column("age")
    assert matrix[:, 4].max() > age.high or matrix[:, 4].min() < age.low
    assert np.nanmin(valid.numbers[:, 0]) >= age.low
    assert np.nanmax(valid.numbers[:, 0]) <= age.high


def test_codes_and_numbers_are_the_nearest_rows_to_the_relaxed_ones() -> None:
    table = mixed()
    for post in ("none", "round"):
        release = release_of(table, 300, post)
        assert release.relaxed is not None
        nearest = from_one_hot(np.array(release.relaxed), table.schema)
        np.testing.assert_array_equal(release.codes, nearest.codes)
        np.testing.assert_array_equal(release.numbers, nearest.numbers)


def test_post_processing_changes_nothing_but_the_publication() -> None:
    table = mixed()
    exact, valid = release_of(table, 300, "none"), release_of(table, 300, "round+clip")
    np.testing.assert_array_equal(exact.codes, valid.codes)
    np.testing.assert_array_equal(exact.numbers, valid.numbers)


def test_a_valid_release_is_far_from_exact() -> None:
    """Clipping moves the moments by far more than one row can: that is what hides the row from moment attacks."""
    table = mixed()
    assert max(moment_gaps(table, release_of(table, 300, "round+clip"))) > 1e-2


def test_too_few_rows_say_how_many_are_needed() -> None:
    table = mixed()  # 8 dimensions, all of which vary
    fitted = Stat().fit(table, np.random.default_rng(0))
    assert len(fitted.sample(9, np.random.default_rng(0))) == 9
    with pytest.raises(DesignError, match="at least 9 rows"):
        fitted.sample(8, np.random.default_rng(0))
    with pytest.raises(DesignError, match="at least two rows"):
        Stat().fit(table.rows([0]), np.random.default_rng(0))


def test_the_rows_needed_do_not_tell_which_levels_a_world_has() -> None:
    """One more row brings a level that no other has; both worlds must ask for the same number of rows."""
    table = mixed()
    for world in (table, table.rows(table.codes[:, 0] != 3)):
        with pytest.raises(DesignError, match="at least 9 rows"):
            Stat().fit(world, np.random.default_rng(0)).sample(8, np.random.default_rng(0))


def test_a_level_that_no_row_has_is_never_published_after_clipping() -> None:
    table = mixed()
    ward = replace(table.schema.column("ward"), levels=(*table.schema.column("ward").levels, *map(str, range(20))))
    wide = Table(table.schema.with_column(ward), table.codes, table.numbers)
    assert release_of(wide, 1_000, "round+clip").codes[:, 0].max() <= 4
    without_first = table.rows(table.codes[:, 0] != 0)
    assert release_of(without_first, 1_000, "round+clip").codes[:, 0].min() >= 1


def test_the_root_is_the_published_one() -> None:
    """``U L^½`` of the covariance itself, numbers in units of their domain, up to the signs the method leaves open."""
    table = mixed(missing=False)
    fitted = Stat().fit(table, np.random.default_rng(0))
    minmax = onehot(table, scale="minmax")
    values, vectors = np.linalg.eigh(np.cov(minmax.T))
    published = (vectors * np.sqrt(values))[:, ::-1]
    ours = fitted.root * minmax.std(axis=0, ddof=1)[:, None]
    signs = np.sign((published * ours).sum(axis=0))
    np.testing.assert_allclose(ours, published * signs, atol=1e-12)


def test_one_row_less_moves_the_root_a_little_even_where_it_takes_a_level_along() -> None:
    """The planted fault was to leave the vanished dimension out: all later ones changed their eigenvector."""
    table = mixed(2_000)
    only = replace(table.schema.column("ward"), levels=("east", "north", "only x", "south", "west", ""))
    codes = np.array(table.codes)
    codes[:, 0] += codes[:, 0] >= 2
    codes[7, 0] = 2
    whole = Table(table.schema.with_column(only), codes, table.numbers)
    first, two = (Stat().fit(world, np.random.default_rng(0)) for world in (whole, whole.without(7)))
    kept = first.sd > 0.05  # all but the vanished dimension
    assert kept.sum() == len(kept) - 1
    gap = np.abs(first.root * first.sd[:, None] - two.root * two.sd[:, None])[kept] / first.sd[kept, None]
    assert gap.max() < 0.02  # 0.002 to 0.004; more than 1.2 with the fault


def test_the_order_of_rows_moves_moments_by_rounding_alone() -> None:
    table = mixed()
    shuffled = table.rows(np.random.default_rng(3).permutation(len(table)))
    first, two = (Stat().fit(rows, np.random.default_rng(0)) for rows in (table, shuffled))
    np.testing.assert_array_equal(first.codes, two.codes)
    np.testing.assert_array_equal(first.numbers, two.numbers)
    np.testing.assert_allclose(first.mean, two.mean, rtol=1e-13)
    np.testing.assert_allclose(first.root @ first.root.T, two.root @ two.root.T, atol=1e-13)


def test_a_relaxed_number_is_scaled_like_any_other() -> None:
    table = mixed()
    release = release_of(table, 300)
    assert release.relaxed is not None
    age = Column("age", Kind.NUMERIC, low=table.schema.column("age").low, high=table.schema.column("age").high)
    np.testing.assert_array_equal(
        onehot(release, scale="minmax")[:, 4], scale_column(np.array(release.relaxed[:, 4]), age, "minmax")
    )
