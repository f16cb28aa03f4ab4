"""The Gaussian copula: exact marginals, dependence that coarse columns keep, and correlations that fit together."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from riskkit.core import MISSING, Column, Floats, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.generators import copula
from riskkit.generators.copula import TERMS, Copula, FittedCopula, latent_correlation
from tests.tables import mixed, numeric

NOISE = 4.5 * 1.8 / math.sqrt(20_000)
"""A correlation of 20,000 rows that are cut in two at .8 strays no further: cutting costs a factor of 1.8 at most."""


def fit(table: Table) -> FittedCopula:
    """A fit; there is nothing random in it."""
    return Copula().fit(table, np.random.default_rng(0))


def latent(table: Table) -> Floats:
    """The correlations that a fit has settled."""
    root = fit(table).root
    return root @ root.T


def cut_up(r: float, n: int, seed: int = 0) -> Table:
    """Normal variables of pairwise correlation ``r``: a yes or no, a category of four levels, a number."""
    rng = np.random.default_rng(seed)
    normal = math.sqrt(1 - r) * rng.standard_normal((n, 3)) + math.sqrt(r) * rng.standard_normal((n, 1))
    number = np.round(np.exp(3 + normal[:, 2]), 2)
    columns = (
        Column("ill", Kind.CATEGORICAL, levels=("no", "yes")),
        Column("grade", Kind.CATEGORICAL, levels=("a", "b", "c", "d")),
        numeric("cost", number, decimals=2),
    )
    codes = np.column_stack([normal[:, 0] > 0.8, np.searchsorted([-0.5, 0.2, 1.5], normal[:, 1])])
    return Table(Schema(columns), codes, number[:, None])


def categories(*levels: int) -> Schema:
    """A schema of categories with this many levels."""
    columns = [Column(f"c{j}", Kind.CATEGORICAL, levels=tuple(f"l{i}" for i in range(k))) for j, k in enumerate(levels)]
    return Schema(tuple(columns))


def test_scores_are_those_counted_by_hand() -> None:
    """Shares 1/4, 0, 1/2, 1/4 have their middles at 1/8, nowhere, 1/2 and 7/8."""
    score, cuts, rises = copula._scores(np.array([1, 0, 2, 1]))
    upper = ndtri(7 / 8)
    np.testing.assert_allclose(score, [-upper, 0, 0, upper], atol=1e-15)
    np.testing.assert_allclose(cuts, [ndtri(1 / 4), ndtri(3 / 4)])
    np.testing.assert_allclose(rises, [upper, upper])


def test_the_series_is_the_integral_it_stands_for() -> None:
    """Against numbers: the step function times each polynomial, summed over a fine grid of the normal density."""
    counts = np.array([5, 2, 9, 1])
    score, cuts, rises = copula._scores(counts)
    line = np.linspace(-9, 9, 1_800_001)
    density = np.exp(-(line**2) / 2) / math.sqrt(2 * math.pi) * (line[1] - line[0])
    step = score[np.searchsorted(cuts, line)]
    series = copula._series([cuts], [rises])[0]
    for degree in (1, 2, 3, 7):
        polynomial = np.polynomial.hermite_e.hermeval(line, np.eye(degree + 1)[degree])
        assert series[degree - 1] == pytest.approx(
            (step * polynomial * density).sum() / math.sqrt(math.factorial(degree)), abs=1e-5
        )


@pytest.mark.parametrize("agree", [0.5, 0.55, 0.7, 0.8, 0.25])
def test_two_even_yes_or_no_columns_have_the_correlation_of_the_closed_form(agree: float) -> None:
    """Sheppard 1899: two normal variables have the same sign with probability 1/2 + arcsin(r)/pi."""
    n = 2_000
    same = round(n * agree / 2)
    codes = np.repeat([[0, 0], [1, 1], [0, 1], [1, 0]], [same, same, n // 2 - same, n // 2 - same], axis=0)
    correlation = latent(Table(categories(2, 2), codes, np.empty((n, 0))))[0, 1]
    assert correlation == pytest.approx(math.sin(math.pi * (agree - 0.5)), abs=1e-6)


@pytest.mark.parametrize("r", [0.0, 0.3, 0.7])
def test_the_correlation_behind_cut_up_columns_is_found(r: float) -> None:
    """Null and planted: each pair's correlation, however coarse its columns are."""
    correlations = latent(cut_up(r, 20_000))[np.triu_indices(3, 1)]
    assert np.all(np.abs(correlations - r) < NOISE)


def test_plain_correlation_of_the_scores_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: no allowance for columns being coarse."""

    def plain(covariance: Floats, series: Floats) -> Floats:
        assert series.shape == (len(covariance), TERMS)
        spread = np.sqrt(np.diag(covariance))
        return covariance / np.outer(spread, spread)

    monkeypatch.setattr(copula, "latent_correlation", plain)
    correlations = latent(cut_up(0.7, 20_000))[np.triu_indices(3, 1)]
    assert np.all(0.7 - correlations[:2] > 3 * NOISE)  # the pairs with a yes or no; .22 and .20 too low


def test_scores_of_a_release_go_together_as_the_tables_do() -> None:
    table, n = cut_up(0.6, 2_000), 100_000
    fitted = fit(table)
    release = fitted.sample(n, np.random.default_rng(1))

    def together(rows: Table) -> Floats:
        scores = [copula._scores(count)[0] for count in fitted.counts]
        cost = np.searchsorted(fitted.values[2], rows.numbers[:, 0])
        columns = [scores[0][rows.codes[:, 0]], scores[1][rows.codes[:, 1]], scores[2][cost]]
        return np.cov(np.column_stack(columns).T, bias=True)

    assert np.all(np.abs(together(release) - together(table)) < 4.5 * math.sqrt(2 / n))


def test_every_value_is_released_with_its_share() -> None:
    """The cuts are exact, and the release follows them."""
    table, n = mixed(), 40_000
    fitted = fit(table)
    for count in fitted.counts:
        edges = np.concatenate([[-np.inf], copula._cuts(count), [np.inf]])
        np.testing.assert_allclose(np.diff(ndtr(edges)), count / 300, atol=1e-12)
    release = fitted.sample(n, np.random.default_rng(1))
    for j in range(2):
        share = np.bincount(table.codes[:, j], minlength=5) / 300
        seen = np.bincount(release.codes[:, j], minlength=5) / n
        assert np.all(np.abs(seen - share) <= 4.5 * np.sqrt(share * (1 - share) / n))
    for j in range(2):
        values, counts = np.unique(table.numbers[:, j], return_counts=True)
        released, seen_counts = np.unique(release.numbers[:, j], return_counts=True)
        np.testing.assert_array_equal(released, values)
        share = counts / 300
        assert np.all(np.abs(seen_counts / n - share) <= 4.5 * np.sqrt(share * (1 - share) / n))


def test_a_level_that_no_row_has_is_never_released() -> None:
    """First, between and last: the interval of no length is never hit."""
    codes = np.array([1, 3, 3, 1, 3, 1], dtype=np.int32)[:, None]
    release = fit(Table(categories(5), codes, np.empty((6, 0)))).sample(5_000, np.random.default_rng(1))
    assert set(release.codes[:, 0]) == {1, 3}


def test_missing_is_a_state_of_its_own_that_leans_on_other_columns() -> None:
    """Income is missing where age is high; the release must keep that, and age must never be missing."""
    rng = np.random.default_rng(2)
    n = 3_000
    age = np.round(50 + 10 * rng.standard_normal(n))
    income = np.where(age + 5 * rng.standard_normal(n) > 60, np.nan, np.round(900 + 100 * rng.standard_normal(n)))
    schema = Schema((numeric("age", age), numeric("income", income)))
    table = Table(schema, np.empty((n, 0), dtype=np.int32), np.column_stack([age, income]))
    release = fit(table).sample(20_000, np.random.default_rng(3))
    assert not np.isnan(release.numbers[:, 0]).any()
    missing, wanted = np.isnan(release.numbers[:, 1]), np.isnan(income).mean()
    assert abs(missing.mean() - wanted) < 4.5 * math.sqrt(wanted * (1 - wanted) / 20_000)
    assert release.numbers[missing, 0].mean() - release.numbers[~missing, 0].mean() > 5


def test_a_missing_category_keeps_its_place_at_the_end() -> None:
    table = mixed()
    assert table.schema.categorical[0].levels[-1] == MISSING
    fitted = fit(table)
    np.testing.assert_array_equal(fitted.counts[0], np.bincount(table.codes[:, 0], minlength=5))
    assert np.isnan(fitted.values[3][-1])
    assert fitted.counts[3][-1] == np.isnan(table.numbers[:, 1]).sum()


@pytest.mark.parametrize("levels", [2, 3, 6])
def test_twins_stay_twins(levels: int) -> None:
    """A column and its copy have correlation 1; a column and its reverse -1 where the shares allow it."""
    rng = np.random.default_rng(0)
    codes = rng.integers(levels, size=400)
    table = Table(categories(levels, levels), np.column_stack([codes, codes]), np.empty((400, 0)))
    release = fit(table).sample(2_000, rng)
    np.testing.assert_array_equal(release.codes[:, 0], release.codes[:, 1])
    mirrored = Table(table.schema, np.column_stack([codes, levels - 1 - codes]), np.empty((400, 0)))
    assert latent(mirrored)[0, 1] == pytest.approx(-1.0, abs=1e-9)


def test_correlations_that_do_not_fit_together_are_brought_together() -> None:
    """Each pair is possible, the three are not: one eigenvalue is -.8. The others say what is left."""
    torn = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    assert np.linalg.eigvalsh(torn).min() < -0.7
    root = copula._root(torn)
    np.testing.assert_allclose(root @ root.T, [[1, 0.5, -0.5], [0.5, 1, 0.5], [-0.5, 0.5, 1]], atol=1e-12)


def test_correlations_that_fit_together_are_left_alone() -> None:
    """No ridge: only negative eigenvalues are touched."""
    normal = np.random.default_rng(0).standard_normal((200, 6))
    normal[:, 5] = normal[:, 0]  # singular
    whole = np.corrcoef(normal.T)
    root = copula._root(whole)
    np.testing.assert_allclose(root @ root.T, whole, atol=1e-12)


def test_a_covariance_beyond_reach_gets_the_furthest_correlation() -> None:
    series = np.zeros((2, TERMS))
    series[:, 0] = 1.0
    for wanted, reached in ((3.0, 1.0), (-3.0, -1.0), (0.25, 0.25)):
        assert latent_correlation(np.array([[1, wanted], [wanted, 1]]), series)[0, 1] == pytest.approx(
            reached, abs=1e-15
        )


def test_a_column_without_spread_is_alone_and_constant() -> None:
    table = mixed()
    kept = table.rows(table.codes[:, 1] == 0)
    fitted = fit(kept)
    np.testing.assert_array_equal(fitted.root[2], [0, 0, 1, 0])
    assert not fitted.sample(500, np.random.default_rng(1)).codes[:, 1].any()


def test_one_column_alone_is_its_histogram() -> None:
    codes = np.array([0, 1, 1, 1], dtype=np.int32)[:, None]
    release = fit(Table(categories(2), codes, np.empty((4, 0)))).sample(20_000, np.random.default_rng(1))
    assert abs(release.codes.mean() - 0.75) < 4.5 * math.sqrt(0.75 * 0.25 / 20_000)


def test_the_order_of_rows_does_not_matter() -> None:
    table = mixed()
    first, two = fit(table), fit(table.rows(np.random.default_rng(3).permutation(len(table))))
    np.testing.assert_allclose(first.root, two.root, atol=1e-12)
    for a, b in zip(first.counts, two.counts, strict=True):
        np.testing.assert_array_equal(a, b)


def test_too_little_to_learn_from_is_refused() -> None:
    with pytest.raises(DesignError, match="at least two rows and one column"):
        fit(mixed().rows([0]))
    with pytest.raises(DesignError, match="at least two rows and one column"):
        fit(Table(Schema(()), np.empty((5, 0), dtype=np.int32), np.empty((5, 0))))


def test_a_value_that_one_person_has_gives_that_person_away() -> None:
    """It is no null: with the person each release row shows the value with chance 1/n, without never."""
    n = 200
    codes = np.zeros((n, 2), dtype=np.int32)
    codes[:100, 1] = 1
    codes[17, 0] = 1
    table = Table(categories(2, 2), codes, np.empty((n, 0)))
    whole, rng = fit(table), np.random.default_rng(4)
    shown = whole.sample(100_000, rng).codes[:, 0].mean()
    assert abs(shown - 1 / n) < 4.5 * math.sqrt(1 / n / 100_000)
    assert not whole.without(17).sample(100_000, rng).codes[:, 0].any()
