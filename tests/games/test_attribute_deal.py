"""Who is asked about, which leak is planted, which columns a greedy attacker knows, and which model is strongest."""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.games import attribute
from riskkit.games.attribute_deal import FEWEST_PLANTED, PLANTED_SHARE, AttributeDeal, deal
from riskkit.games.strongest import ROWS, strongest, worst_known
from riskkit.registry import parse
from riskkit.table.encode import onehot
from riskkit.table.features import Encoded
from tests.games.test_attribute import Numberless, meaningless
from tests.tables import mixed

FAST = parse("inference", "tree:leaf=20")


def rows(n: int, seed: int) -> Table:
    """``first`` mostly tells which half of the letters the secret is in, ``second`` less often which of the two."""
    rng = np.random.default_rng(seed)
    secret = rng.integers(0, 4, n)

    def noisy(bit: np.ndarray, share: float) -> np.ndarray:
        return np.where(rng.random(n) < share, bit, rng.integers(0, 2, n))

    names = ("other", "second", "first", "secret")
    schema = Schema(
        (*(Column(name, Kind.CATEGORICAL, levels=tuple("abcd")) for name in names), Column("x", Kind.NUMERIC, high=1.0))
    )
    codes = np.column_stack([rng.integers(0, 4, n), noisy(secret % 2, 0.6), noisy(secret // 2, 0.9), secret])
    return Table(schema, codes, rng.random((n, 1)))


def dealt(max_rows: int = 10_000, n: int = 400) -> AttributeDeal:
    return deal(rows(n, 1), rows(n, 2), rows(n, 3), max_rows=max_rows, seed=1)


def test_the_planted_leak_is_what_it_says() -> None:
    game = dealt()
    assert game.control is not None
    planted = game.planted
    assert planted is not None
    assert len(planted.release) == len(game.release)
    assert planted.copies == int(PLANTED_SHARE * len(game.release))
    assert np.isin(planted.inside.keys, planted.release.keys).sum() == planted.copies
    assert len(planted.inside) == 2 * planted.copies
    assert not np.isin(planted.outside.keys, planted.release.keys).any()
    both = np.concatenate([planted.inside.keys, planted.outside.keys])
    assert np.array_equal(np.sort(both), np.sort(game.control.keys))


def test_a_person_who_stands_twice_in_the_holdout_is_on_one_side() -> None:
    holdout = rows(200, 3)
    game = deal(rows(400, 1), rows(400, 2), holdout.plus(holdout), max_rows=10_000, seed=1)
    assert game.planted is not None
    assert not np.isin(game.planted.inside.keys, game.planted.outside.keys).any()


def test_no_leak_is_planted_among_too_few() -> None:
    assert dealt(n=4 * FEWEST_PLANTED - 1).planted is None
    assert deal(rows(50, 1), rows(50, 2), None, max_rows=99, seed=1).planted is None


def test_at_most_so_many_are_asked_and_the_release_is_whole() -> None:
    game = dealt(max_rows=100)
    assert game.control is not None
    assert (len(game.members), len(game.control), len(game.release), game.spared) == (100, 100, 400, 600)
    assert np.array_equal(rows(400, 1).rows(game.row).keys(), game.members.table.keys())


def test_those_who_are_asked_do_not_depend_on_the_order_of_the_file() -> None:
    shuffled = rows(400, 1).rows(np.random.default_rng(0).permutation(400))
    other = deal(shuffled, rows(400, 2), rows(400, 3), max_rows=100, seed=1)
    assert np.array_equal(np.sort(other.members.keys), np.sort(dealt(max_rows=100).members.keys))


def test_records_of_both_tables_are_left_out_of_the_comparison_on_both_sides() -> None:
    real = rows(100, 1)
    game = deal(real, rows(100, 2), rows(50, 3).plus(real.rows([0, 0, 1])), max_rows=999, seed=1)
    apart = game.apart
    assert apart is not None
    assert (apart.shared_members, apart.shared_control, apart.evened) == (2, 3, 0)
    assert (len(game.members), len(apart.members), len(apart.control)) == (100, 100, 53)
    assert np.flatnonzero(~apart.members).tolist() == [0, 1]
    assert np.flatnonzero(~apart.control).tolist() == [50, 51, 52]


def test_a_record_is_known_to_stand_in_both_tables_also_where_few_are_asked() -> None:
    real = rows(300, 1)
    game = deal(real, rows(100, 2), real.rows(np.arange(150)), max_rows=40, seed=1)
    apart = game.apart
    assert apart is not None
    assert not apart.control.any()
    assert np.array_equal(apart.members, game.row >= 150)


def test_without_a_holdout_nobody_is_compared() -> None:
    assert deal(rows(50, 1), rows(50, 2), None, max_rows=99, seed=1).apart is None


def test_an_empty_table_is_a_sentence() -> None:
    with pytest.raises(DesignError, match="holdout has no row"):
        deal(rows(10, 1), rows(10, 2), rows(0, 3), max_rows=99, seed=1)


def test_a_greedy_attacker_knows_the_columns_that_tell_most_first() -> None:
    release = Encoded(rows(1500, 1))
    assert worst_known(release, "secret", 1, FAST, 1) == ("first",)
    assert worst_known(release, "secret", 2, FAST, 1) == ("first", "second")
    assert set(worst_known(release, "secret", 9, FAST, 1)) == {"first", "second", "other", "x"}


def test_a_table_of_one_column_has_nothing_to_know() -> None:
    alone = Schema((Column("secret", Kind.CATEGORICAL, levels=("a", "b")),))
    with pytest.raises(DesignError, match="no column beside"):
        worst_known(Encoded(Table(alone, np.zeros((5, 1)), np.empty((5, 0)))), "secret", 1, FAST, 1)


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
