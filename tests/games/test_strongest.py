"""The strongest model is chosen on the release, and on nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.games import attribute
from riskkit.games.strongest import ROWS, strongest
from riskkit.registry import parse
from riskkit.table.encode import onehot
from riskkit.table.features import Encoded
from tests.games.test_attribute import Numberless, meaningless
from tests.tables import mixed

MODELS = [parse("inference", name) for name in ("cap", "linear", "tree")]


def bent(n: int = 600, seed: int = 0) -> Table:
    """``smoker`` depends on two numbers together, which no straight line tells."""
    table = mixed(n, seed, missing=False)
    age = table.schema.column("age")
    score = table.schema.column("score")
    both = (table.numbers[:, 0] > age.mean) ^ (table.numbers[:, 1] > score.mean)
    codes = table.codes.copy()
    codes[:, 1] = both
    return Table(table.schema, codes, table.numbers)


def test_the_model_that_fits_is_chosen() -> None:
    choice = strongest(bent(), "smoker", ("age", "score"), MODELS, np.random.default_rng(0))
    assert choice.model.name == "tree"
    assert list(choice.reached) == ["cap", "linear", "tree"]
    assert choice.reached["tree"] > 0.9 > choice.reached["linear"]


def test_a_straight_line_wins_where_it_is_the_truth() -> None:
    rng = np.random.default_rng(0)
    table = mixed(600, missing=False)
    numbers = table.numbers.copy()
    numbers[:, 1] = onehot(table)[:, :3] @ [1.0, 2.0, 3.0] + 0.05 * table.numbers[:, 0] + 0.3 * rng.standard_normal(600)
    straight = Table(table.schema, table.codes, numbers)
    choice = strongest(straight, "score", ("ward", "age"), MODELS, np.random.default_rng(0))
    assert choice.model.name == "linear"
    assert max(choice.reached.values()) < 0  # errors with a minus before them


def test_equal_ones_go_to_the_first_and_remembering_by_heart_does_not_win() -> None:
    """Rows of the release that a model saw would be guessed without a fault by the tree."""
    majority, heart = parse("inference", "cap"), parse("inference", "tree:leaf=1")
    table = meaningless(600, 1, (0.8, 0.2))
    first = strongest(table, "letter", ("number",), [heart, majority], np.random.default_rng(0))
    assert first.model.name == "cap"
    same = strongest(table, "letter", ("number",), [majority, parse("inference", "cap")], np.random.default_rng(0))
    assert same.model is majority


def check_what_is_reached_is_what_new_people_are_guessed_with() -> None:
    """Few values, so that many people are equal: the share guessed rightly of released rows is that of others."""
    rng = np.random.default_rng(2)
    schema = Schema((*(Column(name, Kind.CATEGORICAL, levels=tuple("abcdef")) for name in "xyz"),))
    place = rng.integers(0, 6, (6000, 2))
    letter = np.where(rng.random(6000) < 0.6, place.sum(axis=1) % 6, rng.integers(0, 6, 6000))
    table = Table(schema, np.column_stack([place, letter]), np.empty((6000, 0)))
    release, others = table.rows(np.arange(3000)), Encoded(table.rows(np.arange(3000, 6000)))
    heart = parse("inference", "tree:leaf=1")
    reached = strongest(release, "z", ("x", "y"), [heart], rng).reached["tree"]
    taught, asked = Encoded(release).ask("z", ("x", "y")), others.ask("z", ("x", "y"))
    share = float((heart.fit(taught.known, taught.secret, rng).guess(asked.known).value == asked.secret.codes).mean())
    assert abs(reached - share) < 3 * np.sqrt(2 * share * (1 - share) / 3000)
    assert share > 0.6


def test_what_is_reached_is_what_new_people_are_guessed_with() -> None:
    check_what_is_reached_is_what_new_people_are_guessed_with()


def test_equal_rows_in_one_fold_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_record(model: Any, asked: Any, most: int, rng: Any) -> Any:
        record = np.unique(np.column_stack([asked.known.table.codes, asked.secret.codes]), axis=0, return_inverse=True)
        fold = attribute.folds(record[1], most, rng)
        return attribute.cross_fit(model, asked, fold, {"": (asked.known, fold)}, rng)[""]

    monkeypatch.setattr("riskkit.games.strongest.out_of_fold_guess", by_record)
    with pytest.raises(AssertionError):
        check_what_is_reached_is_what_new_people_are_guessed_with()


def test_a_long_release_is_looked_at_in_part_and_the_order_of_its_rows_does_not_matter() -> None:
    table = bent(ROWS + 1000)
    order = np.random.default_rng(1).permutation(len(table))
    plain = strongest(table, "smoker", ("age", "score"), MODELS, np.random.default_rng(0))
    turned = strongest(table.rows(order), "smoker", ("age", "score"), MODELS, np.random.default_rng(0))
    assert plain.reached == turned.reached


def test_models_that_cannot_guess_it_are_passed_over() -> None:
    able: list[Any] = [Numberless(), *MODELS]
    choice = strongest(mixed(), "age", ("ward",), able, np.random.default_rng(0))
    assert "numberless" not in choice.reached
    with pytest.raises(DesignError, match="None of the models guesses a number"):
        strongest(mixed(), "age", ("ward",), able[:1], np.random.default_rng(0))
