"""What every inference model keeps to: found by walking the folder, so a new file is tested by being there."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import MISSING, Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.registry import parse, spell
from riskkit.table.features import NO_GUESS, Encoded, Features, Guess
from tests.contracts import rooms
from tests.tables import mixed, numeric

SECRETS = {"category": "smoker", "number": "age"}


QUICK: dict[str, dict[str, Any]] = {"network": {"updates": 300}, "boosting": {"rounds": 30}}
"""Settings under which a model learns small tables without haste at every test."""

MODELS = pytest.mark.parametrize("model", rooms.made("inference", QUICK), ids=spell)
EACH = pytest.mark.parametrize(
    ("model", "kind"),
    [
        pytest.param(model, kind, id=f"{spell(model)}-{kind}")
        for model in rooms.made("inference", QUICK)
        for kind in model.guesses
    ],
)
"""Each model with each kind of secret that it guesses."""


def others(table: Table, secret: str) -> tuple[str, ...]:
    return tuple(column.name for column in table.schema.modelled if column.name != secret)


def guess(model: Any, train: Table, test: Table, secret: str, known: tuple[str, ...] = (), seed: int = 0) -> Guess:
    """What the model says of the test rows; the shape of every answer is looked at here."""
    names = known or others(train, secret)
    taught, asked = Encoded(train).ask(secret, names), Encoded(test).features(names)
    guesses = model.fit(taught.known, taught.secret, np.random.default_rng(seed)).guess(asked)
    column = train.schema.column(secret)
    assert guesses.value.shape == (len(test),)
    assert guesses.matched is None or guesses.matched.shape == (len(test),)
    if column.is_numeric:
        assert guesses.probability is None
        assert ((guesses.value >= column.low) & (guesses.value <= column.high)).all()
        return guesses
    assert guesses.probability is not None
    assert guesses.probability.shape == (len(test), len(column.levels))
    assert guesses.probability.min() >= 0
    total = guesses.probability.sum(axis=1)
    silent = guesses.value == NO_GUESS
    np.testing.assert_allclose(total[~silent], 1.0, atol=1e-5)
    assert (total[silent] == 0).all()
    assert (guesses.value[~silent] == guesses.probability[~silent].argmax(axis=1)).all()
    return guesses


@EACH
@pytest.mark.parametrize("missing", [True, False])
def test_guesses_every_row_of_another_table(model: Any, kind: str, missing: bool) -> None:
    secret = SECRETS[kind]
    both = mixed(400, missing=missing)
    guess(model, both.rows(np.arange(200)), both.rows(np.arange(200, 400)), secret)


@EACH
def test_the_same_stream_gives_the_same_guesses_and_no_other_chance_is_used(model: Any, kind: str) -> None:
    secret = SECRETS[kind]
    with rooms.only_its_own_chance():
        first, again = (guess(model, mixed(), mixed(seed=1), secret) for _ in range(2))
    assert first.value.tobytes() == again.value.tobytes()


@EACH
def test_the_order_in_which_rows_are_asked_about_changes_nothing(model: Any, kind: str) -> None:
    secret = SECRETS[kind]
    order = np.random.default_rng(2).permutation(300)
    plain, turned = (
        guess(model, mixed(), mixed(seed=1), secret),
        guess(model, mixed(), mixed(seed=1).rows(order), secret),
    )
    np.testing.assert_allclose(turned.value, plain.value[order], rtol=1e-5)


@pytest.mark.parametrize("name", ["cap", "copy"])
@pytest.mark.parametrize("kind", SECRETS)
def test_models_that_look_rows_up_do_not_see_the_order_of_the_training(name: str, kind: str) -> None:
    order = np.random.default_rng(2).permutation(300)
    model = parse("inference", name)
    plain = guess(model, mixed(), mixed(seed=1), SECRETS[kind])
    turned = guess(model, mixed().rows(order), mixed(seed=1), SECRETS[kind])
    np.testing.assert_allclose(turned.value, plain.value, rtol=1e-12)


@EACH
def test_guesses_what_one_known_column_decides(model: Any, kind: str) -> None:
    """A model at chance, or one that looks at the wrong column, is seen here."""
    table = decided()
    secret = "letter" if kind == "category" else "value"
    known = ("twin",)
    guesses = guess(model, table.rows(np.arange(200)), table.rows(np.arange(200, 300)), secret, known)
    truth = Encoded(table.rows(np.arange(200, 300))).ask(secret, known)
    truth_in_order = truth.secret.truth[np.argsort(truth.at)]
    if kind == "category":
        assert (guesses.value == truth_in_order).mean() == 1.0
    else:
        spread = table.schema.column(secret).sd
        assert np.abs(guesses.value - truth_in_order).mean() < 0.5 * spread


def decided() -> Table:
    """Rows in which ``twin`` decides both ``letter`` and ``value``; ``still`` is the same for everybody."""
    twin = np.random.default_rng(0).integers(0, 4, 300).astype(np.int32)
    value = np.array([-40.0, 0.0, 25.0, 90.0])[twin]
    still = np.full(300, 7.0)
    levels = ("a", "b", "c", "d")
    columns = (
        Column("twin", Kind.CATEGORICAL, levels=levels),
        Column("letter", Kind.CATEGORICAL, levels=levels),
        numeric("value", value),
        numeric("still", still),
    )
    return Table(Schema(columns), np.column_stack([twin, (twin * 3) % 4]), np.column_stack([value, still]))


@EACH
def test_a_training_of_one_value_says_that_value(model: Any, kind: str) -> None:
    table = decided()
    secret = "letter" if kind == "category" else "value"
    same = table.rows(np.flatnonzero(table.codes[:, 0] == 2))
    known = ("still", "twin")
    guesses = guess(model, same, table, secret, known)
    silent = (
        guesses.value == NO_GUESS if guesses.matched is not None and kind == "category" else np.zeros(300, dtype=bool)
    )
    expected = (2 * 3) % 4 if kind == "category" else 25.0
    np.testing.assert_allclose(guesses.value[~silent], expected)
    assert (~silent)[table.codes[:, 0] == 2].all()


@EACH
def test_constant_columns_and_a_single_row_do_no_harm(model: Any, kind: str) -> None:
    table = decided()
    secret = "letter" if kind == "category" else "value"
    guess(model, table, table, secret, ("still",))
    guess(model, table.rows([5]), table, secret)


@EACH
def test_learning_from_nothing_is_refused_with_a_sentence(model: Any, kind: str) -> None:
    secret = SECRETS[kind]
    with pytest.raises(DesignError, match=r"nothing can be learnt of it\.$"):
        guess(model, mixed().rows([]), mixed(), secret)


@MODELS
def test_levels_the_training_never_had_are_survived(model: Any) -> None:
    """Known levels that only the asked rows have, secret levels that only the truth has, numbers beyond the rest."""
    table = mixed(400)
    few = table.rows(np.flatnonzero((table.codes[:, 0] < 2) & (table.numbers[:, 0] < 60)))
    assert len(few) > 50
    for secret in ("smoker", "ward"):
        guesses = guess(model, few, table, secret)
        if secret == "ward":
            assert guesses.probability is not None
            assert (guesses.probability[:, 2:] == 0).all()


@MODELS
def test_missing_values_that_only_the_asked_rows_have_are_survived(model: Any) -> None:
    table = mixed(400)
    whole = table.rows(np.flatnonzero(~np.isnan(table.numbers[:, 1])))
    guess(model, whole, table, "smoker")


@MODELS
def test_a_missing_category_is_a_level_that_can_be_guessed(model: Any) -> None:
    table = mixed(400)
    column = table.schema.column("ward")
    assert column.levels[-1] == MISSING
    lost = table.codes[:, 0] == len(column.levels) - 1
    numbers = table.numbers.copy()
    numbers[:, 0] = np.where(lost, 99.0, 30.0)  # the number tells who is missing
    telling = Table(table.schema, table.codes, numbers)
    guesses = guess(model, telling, telling, "ward", ("age",))
    assert (guesses.value[lost] == len(column.levels) - 1).mean() > 0.9


@MODELS
def test_many_levels_and_a_rare_one(model: Any) -> None:
    rng = np.random.default_rng(0)
    codes = np.column_stack([np.r_[0, rng.integers(1, 40, 399)], rng.integers(0, 3, 400)])
    columns = (
        Column("forty", Kind.CATEGORICAL, levels=tuple(f"{index:02d}" for index in range(40))),
        Column("three", Kind.CATEGORICAL, levels=("a", "b", "c")),
    )
    table = Table(Schema(columns), codes, np.empty((400, 0)))
    guess(model, table, table, "forty")
    guess(model, table, table, "three")


@EACH
def test_the_tables_are_left_as_they_were(model: Any, kind: str) -> None:
    secret = SECRETS[kind]
    table = mixed()
    encoded = Encoded(table)
    asked = encoded.ask(secret, others(table, secret))
    matrix, truth = asked.known.matrix.copy(), np.array(asked.secret.truth)
    model.fit(asked.known, asked.secret, np.random.default_rng(0)).guess(asked.known)
    np.testing.assert_array_equal(asked.known.matrix, matrix)
    np.testing.assert_array_equal(asked.secret.truth, truth)


def test_a_model_that_looks_at_nothing_is_seen() -> None:
    """The fault the check of one deciding column is there for."""
    blind = _Blind(parse("inference", "tree"))
    with pytest.raises(AssertionError):
        test_guesses_what_one_known_column_decides(blind, "category")


class _Blind:
    """A model whose known columns were all set to the same value."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.guesses, self.name = inner, inner.guesses, "blind"

    def fit(self, known: Features, secret: Any, rng: Any) -> Any:
        return self.inner.fit(replace(known, matrix=np.zeros_like(known.matrix)), secret, rng)
