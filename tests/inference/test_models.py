"""What single inference models say, worked out by hand."""

from collections.abc import Sequence

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from riskkit.base.estimators import fill_classes
from riskkit.base.threads import with_cores
from riskkit.core import Column, Kind, Schema, Table
from riskkit.inference import learned
from riskkit.registry import parse
from riskkit.table.features import Encoded, Guess
from tests.tables import mixed, numeric

SECRET = "secret"
SCHEMA = Schema(
    (
        Column("a", Kind.CATEGORICAL, levels=("x", "y", "z")),
        Column("b", Kind.CATEGORICAL, levels=("p", "q")),
        Column("secret", Kind.CATEGORICAL, levels=("no", "yes", "never")),
        numeric("pay", np.array([-10.0, 0.0, 50.0])),
    )
)
RELEASE = Table(
    SCHEMA,
    np.array([[0, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 0, 1]]),
    np.array([[-10.0], [0.0], [50.0], [50.0], [0.0], [50.0]]),
)
ASKED = Table(SCHEMA, np.array([[0, 0, 0], [0, 1, 0], [1, 0, 0], [2, 1, 0]]), np.zeros((4, 1)))


def guessed(model: str, release: Table = RELEASE, asked: Table = ASKED, wanted: str = SECRET) -> Guess:
    known = ("a", "b")
    taught = Encoded(release).ask(wanted, known)
    fitted = parse("inference", model).fit(taught.known, taught.secret, np.random.default_rng(0))
    return fitted.guess(Encoded(asked).features(known))


def test_cap_gives_the_shares_of_the_rows_that_match() -> None:
    guess = guessed("cap")
    third = 1 / 3
    np.testing.assert_allclose(guess.probability, [[2 * third, third, 0], [0, 1, 0], [0, 1, 0], [third, 2 * third, 0]])
    assert guess.value.tolist() == [0, 1, 1, 1]
    assert guess.matched is not None
    assert guess.matched.tolist() == [True, True, True, False]


def test_cap_can_be_told_to_be_silent_where_nothing_matches() -> None:
    guess = guessed("cap:no_match=nothing")
    assert guess.probability is not None
    assert guess.probability[3].tolist() == [0, 0, 0]
    assert guess.value.tolist() == [0, 1, 1, -1]


def test_cap_gives_the_mean_of_numbers_that_match() -> None:
    np.testing.assert_allclose(guessed("cap", wanted="pay").value, [40 / 3, 50, 25, 140 / 6])


@pytest.mark.parametrize(
    ("model", "row", "expected"),
    [("copy", 0, [2 / 3, 1 / 3, 0]), ("copy", 3, [0, 1, 0]), ("copy:k=3", 0, [1 / 3, 2 / 3, 0])],
)
def test_copy_gives_the_shares_of_the_nearest_different_rows(model: str, row: int, expected: Sequence[float]) -> None:
    guess = guessed(model)
    assert guess.probability is not None
    np.testing.assert_allclose(guess.probability[row], expected)


def test_copy_wants_no_more_neighbours_than_there_are() -> None:
    np.testing.assert_allclose(guessed("copy:k=100", wanted="pay").value, 140 / 6)


@pytest.mark.parametrize("threads", [1, 3])
def test_the_forest_is_that_of_the_library_on_ordinal_columns(threads: int) -> None:
    """However many threads grow its trees.

    The reference is what others publish: a hundred trees, grown to the end, the root of the columns at a split.
    """
    table = mixed(300)
    known = ("ward", "age", "score")
    taught = Encoded(table).ask("smoker", known)
    with with_cores(threads):
        fitted = parse("inference", "forest").fit(taught.known, taught.secret, np.random.default_rng(3))
    seed = int(np.random.default_rng(3).integers(2**31))
    library = RandomForestClassifier(100, random_state=seed).fit(taught.known.ordinal(), taught.secret.codes)
    guess = fitted.guess(taught.known)
    np.testing.assert_array_equal(guess.probability, library.predict_proba(taught.known.ordinal()))


def test_the_forest_makes_leaves_larger_where_it_would_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = parse("inference", "forest")
    assert plain.affordable_leaf(30_000, 41) == 1
    assert plain.affordable_leaf(30_000, 0) == 1  # a number
    leaf = plain.affordable_leaf(30_000, 1000)
    assert leaf == 24
    assert 2 * 30_000 / leaf * 100 * 1000 * 8 <= learned.MOST_BYTES
    free = guessed("forest", mixed_into(), ASKED)
    monkeypatch.setattr(learned, "MOST_BYTES", 1)
    bound = guessed("forest", mixed_into(), ASKED)
    assert bound.probability is not None
    assert free.probability is not None
    assert np.ptp(bound.probability, axis=0).max() == 0  # one leaf
    assert np.ptp(free.probability, axis=0).max() > 0


def mixed_into() -> Table:
    """The release many times over."""
    return RELEASE.rows(np.tile(np.arange(6), 20))


def test_straight_lines_do_not_see_what_two_columns_tell_together() -> None:
    """The secret is whether ``a`` and ``b`` agree; a tree sees it, logistic regression stays at chance."""
    codes = np.array([[0, 0, 1], [1, 1, 1], [0, 1, 0], [1, 0, 0]])
    table = Table(SCHEMA, np.tile(codes, (25, 1)), np.zeros((100, 1)))
    asked = Table(SCHEMA, codes, np.zeros((4, 1)))
    straight, tree = guessed("linear", table, asked), guessed("tree", table, asked)
    assert straight.probability is not None
    np.testing.assert_allclose(straight.probability[:, :2], 0.5, atol=1e-3)
    assert tree.value.tolist() == [1, 1, 0, 0]


def test_logistic_regression_is_that_of_its_penalty() -> None:
    """At the optimum the slope of the fit equals that of the penalty, for every coefficient."""
    table = mixed(300, missing=False)
    taught = Encoded(table).ask("smoker", ("ward", "age"))
    wide = taught.known.onehot().astype(float)
    fitted = parse("inference", "linear:penalty=2").fit(taught.known, taught.secret, np.random.default_rng(0))
    coefficients = fitted.model.coef_[0]
    gap = taught.secret.codes - fitted.guess(taught.known).probability[:, 1]
    np.testing.assert_allclose(wide.T @ gap, 2 * coefficients, atol=0.1)


def test_ridge_is_that_of_its_penalty() -> None:
    taught = Encoded(mixed(300, missing=False)).ask("score", ("ward", "age"))
    wide = taught.known.onehot().astype(float)
    wide -= wide.mean(axis=0)
    values = taught.secret.values
    slope = np.linalg.solve(wide.T @ wide + 2 * np.eye(wide.shape[1]), wide.T @ (values - values.mean()))
    fitted = parse("inference", "linear:penalty=2").fit(taught.known, taught.secret, np.random.default_rng(0))
    column = taught.secret.column
    expected = np.clip(values.mean() + wide @ slope, column.low, column.high)
    np.testing.assert_allclose(fitted.guess(taught.known).value, expected, rtol=1e-5)


def test_boosting_takes_a_column_of_more_levels_than_it_has_bins() -> None:
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 300, 600), rng.integers(0, 2, 600)])
    columns = (
        Column("many", Kind.CATEGORICAL, levels=tuple(f"{index:03d}" for index in range(300))),
        Column("two", Kind.CATEGORICAL, levels=("a", "b")),
    )
    table = Table(Schema(columns), codes, np.empty((600, 0)))
    taught = Encoded(table).ask("two", ["many"])
    fitted = parse("inference", "boosting:rounds=5").fit(taught.known, taught.secret, np.random.default_rng(0))
    assert fitted.guess(taught.known).value.shape == (600,)


def test_levels_that_were_not_met_get_nothing() -> None:
    np.testing.assert_array_equal(fill_classes(np.array([[0.3, 0.7]]), [1, 3], 5), [[0, 0.3, 0, 0.7, 0]])


def test_linear_reconstruction_finds_secrets_of_people_whom_no_released_row_is_like() -> None:
    """Three people: (x, p), (x, q), (y, q). Half of x, all of p, none of y and q say yes: so the first alone does."""
    schema = Schema(
        (
            Column("a", Kind.CATEGORICAL, levels=("x", "y", "z")),
            Column("b", Kind.CATEGORICAL, levels=("p", "q", "r")),
            Column("secret", Kind.CATEGORICAL, levels=("no", "yes")),
        )
    )
    release = Table(schema, np.array([[0, 2, 1], [0, 2, 0], [1, 2, 0], [2, 0, 1], [2, 1, 0]]), np.empty((5, 0)))
    people = Table(schema, np.array([[0, 0, 0], [0, 1, 0], [1, 1, 0]]), np.empty((3, 0)))
    guess = guessed("linear-reconstruction", release, people)
    np.testing.assert_allclose(guess.probability, [[0, 1], [1, 0], [1, 0]], atol=1e-3)
    looked_up = guessed("cap", release, people)
    assert looked_up.matched is not None
    assert not looked_up.matched.any()
