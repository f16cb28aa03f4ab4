"""The attribute game: who learns from whom, who is asked, and what the baselines know.

Secrets are drawn so that they have nothing to do with what is known, and the model remembers its training by heart:
then it is right about exactly the rows it was trained on.
"""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.games import attribute
from riskkit.games.attribute import (
    CONTROL,
    DRAW,
    MAJORITY,
    MEMBERS,
    REAL,
    RELEASE,
    TESTED,
    WITHOUT,
    AttributeArms,
    AttributeQuestion,
    guess_sides,
    play,
)
from riskkit.registry import parse
from riskkit.table.features import Encoded, Features, Guess, guess_level
from tests.tables import mixed, numeric

BY_HEART = parse("inference", "tree:leaf=1")
TABLE = mixed(900)


def meaningless(n: int, seed: int, share: Sequence[float] = (0.25, 0.25, 0.25, 0.25)) -> Table:
    """Rows of an own number each, with a letter that has nothing to do with it."""
    rng = np.random.default_rng(seed)
    number = np.arange(n) * 10.0 + seed
    schema = Schema(
        (
            Column("letter", Kind.CATEGORICAL, levels=tuple("abcd"[: len(share)])),
            Column("number", Kind.NUMERIC, low=0.0, high=1e4, mean=5e3, sd=2e3),
        )
    )
    return Table(schema, rng.choice(len(share), n, p=share)[:, None], number[:, None])


ASK = AttributeQuestion("letter", ("number",), BY_HEART)


def dealt(question: AttributeQuestion = ASK, seed: int = 0, **asked: bool) -> AttributeArms:
    """A game whose release is the members themselves."""
    members, control = meaningless(400, 1), meaningless(400, 2)
    return play(members, members, control, question, np.random.default_rng(seed), **asked)


def share(answers: AttributeArms, trained_on: str, tested_on: str) -> float:
    return float(answers.arm(trained_on, tested_on).right.mean())


def check_who_learns_from_whom() -> None:
    answers = dealt(out_of_fold=True)
    assert share(answers, RELEASE, MEMBERS) == 1.0
    for pair in ((RELEASE, CONTROL), (REAL, CONTROL), (REAL, MEMBERS), (WITHOUT, MEMBERS), (WITHOUT, CONTROL)):
        assert abs(share(answers, *pair) - 0.25) < 0.1, pair


def check_baselines_come_from_the_release() -> None:
    release, members = meaningless(500, 3, (0.6, 0.2, 0.2)), meaningless(500, 4, (0.1, 0.2, 0.7))
    answers = play(release, members, None, ASK, np.random.default_rng(0))
    in_release = np.bincount(release.codes[:, 0], minlength=3) / 500
    assert (answers.arm(MAJORITY, MEMBERS).guess == 0).all()
    np.testing.assert_allclose(answers.arm(DRAW, MEMBERS).right, in_release[members.codes[:, 0]])


def check_copies_teach_no_model_that_compares() -> None:
    """Of a table that holds everybody twice, and a control of the same people."""
    once = meaningless(300, 1)
    twice = once.plus(once)
    answers = play(twice, twice, once, ASK, np.random.default_rng(0), out_of_fold=True)
    for side in (MEMBERS, CONTROL):
        assert abs(share(answers, WITHOUT, side) - 0.25) < 0.1


def crossed(n: int) -> Table:
    """Of each of ``n`` places twelve people with one letter, and four with the next."""
    letter = np.arange(n) % 4
    codes = np.repeat(np.column_stack([letter, np.arange(n)]), 16, axis=0)
    codes[np.arange(len(codes)) % 16 >= 12, 0] = (codes[np.arange(len(codes)) % 16 >= 12, 0] + 1) % 4
    schema = Schema(
        (
            Column("letter", Kind.CATEGORICAL, levels=tuple("abcd")),
            Column("place", Kind.CATEGORICAL, levels=tuple(f"{index:02d}" for index in range(n))),
        )
    )
    return Table(schema, codes, np.empty((len(codes), 0)))


def check_equal_rows_are_different_people() -> None:
    """Whoever is left out, most of their place have the same letter as twelve of its sixteen: three in four are right.

    With equal rows in one fold a place would mostly be learnt from the four, or the twelve, that have another letter.
    """
    table = crossed(20)
    question = AttributeQuestion("letter", ("place",), parse("inference", "cap"))
    answers = play(table, table, None, question, np.random.default_rng(0), out_of_fold=True)
    assert answers.arm(REAL, MEMBERS).right.sum() == 12 * 20
    assert share(answers, WITHOUT, MEMBERS) < 0.3


CHECKS = [
    check_who_learns_from_whom,
    check_baselines_come_from_the_release,
    check_copies_teach_no_model_that_compares,
    check_equal_rows_are_different_people,
]


@pytest.mark.parametrize("check", CHECKS)
def test_the_game_is_dealt_as_it_says(check: Callable[[], None]) -> None:
    check()


class TestPlantedFaults:
    """Each check above fails on the fault that it is there for."""

    def test_trained_on_the_control(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute._Deal.guesses
        monkeypatch.setattr(
            attribute._Deal, "guesses", lambda deal, trained, table, *rest: honest(deal, trained, CONTROL, *rest)
        )
        with pytest.raises(AssertionError):
            check_who_learns_from_whom()

    def test_a_ceiling_tested_on_its_own_rows(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute._Deal.guesses

        def own_rows(deal: Any, trained: str, table: str, *rest: Any) -> Any:
            return honest(deal, trained, CONTROL if trained == REAL else table, *rest)

        monkeypatch.setattr(attribute._Deal, "guesses", own_rows)
        with pytest.raises(AssertionError):
            check_who_learns_from_whom()

    def test_members_guessed_by_a_model_that_saw_them(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute._Deal.cross_fitted
        for arm in (REAL, WITHOUT):

            def seen(deal: Any, rng: np.random.Generator, arm: str = arm) -> Any:
                return {**honest(deal, rng), **deal.guesses(arm, MEMBERS, (MEMBERS,), rng)}

            monkeypatch.setattr(attribute._Deal, "cross_fitted", seen)
            with pytest.raises(AssertionError):
                check_who_learns_from_whom()

    def test_folds_that_part_equal_records_where_sides_are_compared(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute.folds
        monkeypatch.setattr(attribute, "folds", lambda cluster, *rest: honest(np.arange(len(cluster)), *rest))
        with pytest.raises(AssertionError):
            check_copies_teach_no_model_that_compares()

    def test_a_record_of_both_tables_in_two_folds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute.cross_fit

        def turned(model: Any, taught: Any, fold: Any, asked: Any, rng: Any) -> Any:
            known, own = asked.get(CONTROL, (None, fold))
            return honest(model, taught, fold, {**asked, CONTROL: (known, (own + 1) % 5)} if known else asked, rng)

        monkeypatch.setattr(attribute, "cross_fit", turned)
        with pytest.raises(AssertionError):
            check_copies_teach_no_model_that_compares()

    def test_equal_rows_in_one_fold(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute._Deal.cross_fitted

        def by_record(deal: Any, rng: Any) -> Any:
            guesses = honest(deal, rng)
            return {**guesses, (REAL, MEMBERS): guesses[WITHOUT, MEMBERS]}

        monkeypatch.setattr(attribute._Deal, "cross_fitted", by_record)
        with pytest.raises(AssertionError):
            check_equal_rows_are_different_people()

    def test_a_majority_of_the_labels_that_are_tested(self, monkeypatch: pytest.MonkeyPatch) -> None:
        honest = attribute._Deal.baselines

        def of_the_tested(deal: Any, tested: str) -> Any:
            guesses = honest(deal, tested)
            secret = deal.asked[tested].secret
            common = np.bincount(secret.codes, minlength=secret.n_levels).argmax()
            guesses[MAJORITY, tested] = guess_level(np.eye(secret.n_levels)[np.full(len(secret), common)])
            return guesses

        monkeypatch.setattr(attribute._Deal, "baselines", of_the_tested)
        with pytest.raises(AssertionError):
            check_baselines_come_from_the_release()


def test_the_constant_of_the_tested_is_that_of_each_side_and_the_other_that_of_the_release() -> None:
    """Letters: b in the release, c among the members, d in the control."""
    schema = meaningless(10, 1).schema
    parts = [np.repeat([0, number, 3 - number], [20, 50, 30]) for number in (1, 2)] + [np.repeat([0, 3], [40, 60])]
    tables = [Table(schema, part[:, None], np.arange(len(part), dtype=float)[:, None]) for part in parts]
    answers = play(*tables, AttributeQuestion("letter", ("number",), BY_HEART), np.random.default_rng(0))
    for trained_on, tested_on, level in (
        (MAJORITY, MEMBERS, 1),
        (MAJORITY, CONTROL, 1),
        (TESTED, MEMBERS, 2),
        (TESTED, CONTROL, 3),
    ):
        arm = answers.arm(trained_on, tested_on)
        assert (arm.guess == level).all()
        assert arm.right.mean() == (arm.truth == level).mean()


def test_every_arm_says_who_it_is_about() -> None:
    answers = dealt(out_of_fold=True)
    pairs = [(arm.trained_on, arm.tested_on) for arm in answers.arms]
    assert len(set(pairs)) == len(pairs) == 12
    tables = {MEMBERS: meaningless(400, 1), CONTROL: meaningless(400, 2)}
    for arm in answers.arms:
        np.testing.assert_array_equal(arm.rows, np.arange(400))
        np.testing.assert_array_equal(arm.truth, tables[arm.tested_on].codes[:, 0])
        assert arm.probability is not None
        assert arm.p_truth is not None
        assert arm.confidence is not None
        np.testing.assert_array_equal(arm.p_truth, arm.probability[np.arange(400), arm.truth])
        if arm.trained_on != DRAW:
            np.testing.assert_array_equal(arm.confidence, arm.probability.max(axis=1))


def test_equal_records_are_one_cluster_within_and_across_tables() -> None:
    members = meaningless(50, 1)
    control = members.rows([0, 0, 7]).plus(meaningless(20, 2))
    answers = play(members, members, control, ASK, np.random.default_rng(0))
    inside, outside = answers.arm(RELEASE, MEMBERS).cluster, answers.arm(RELEASE, CONTROL).cluster
    assert len(np.unique(inside)) == 50
    np.testing.assert_array_equal(outside[:3], inside[[0, 0, 7]])
    assert not np.isin(outside[3:], inside).any()


@pytest.mark.parametrize("name", ["forest:trees=5", "boosting:rounds=5", "linear", "copy", "cap"])
@pytest.mark.parametrize("secret", ["smoker", "age", "score"])
def test_neither_the_order_of_rows_nor_threads_nor_how_often_matters(name: str, secret: str) -> None:
    parts = [TABLE.rows(np.arange(number, number + 300)) for number in (0, 300, 600)]
    known = tuple(column.name for column in TABLE.schema.modelled if column.name != secret)
    question = AttributeQuestion(secret, known, parse("inference", name))
    plain = play(parts[0], parts[1], parts[2], question, np.random.default_rng(1), out_of_fold=True)
    order = np.random.default_rng(5).permutation(300)
    turned = [part.rows(order) for part in parts]
    with threadpool_limits(2):
        again = play(turned[0], turned[1], turned[2], question, np.random.default_rng(1), out_of_fold=True)
    back = np.argsort(order)
    present = ~np.isnan(TABLE.numbers[:, 1]) if secret == "score" else np.ones(900, dtype=bool)
    for arm, other in zip(plain.arms, again.arms, strict=True):
        start = 300 if arm.tested_on == MEMBERS else 600
        np.testing.assert_array_equal(arm.rows, np.flatnonzero(present[start : start + 300]))
        place = np.searchsorted(other.rows, back[arm.rows])
        np.testing.assert_array_equal(order[other.rows[place]], arm.rows)
        np.testing.assert_array_equal(arm.truth, other.truth[place])
        equal = arm.cluster  # of which row out of fold an answer is, of several equal ones, nobody can say
        np.testing.assert_allclose(_within(equal, arm.guess), _within(equal, other.guess[place]), rtol=1e-6)


def _within(cluster: np.ndarray, guess: np.ndarray) -> np.ndarray:
    """The guesses, those about equal rows in order."""
    return guess[np.lexsort((guess, cluster))]


def test_the_same_seed_gives_the_same_bytes_and_what_is_asked_beside_moves_nothing() -> None:
    question = AttributeQuestion("letter", ("number",), parse("inference", "forest:trees=10"))
    full, same = dealt(question, out_of_fold=True), dealt(question, out_of_fold=True)
    bare = dealt(question, ceiling=False)
    assert len(bare.arms) == 8
    for arm in full.arms:
        assert arm.guess.tobytes() == same.arm(arm.trained_on, arm.tested_on).guess.tobytes()
    for arm in bare.arms:
        assert arm.guess.tobytes() == full.arm(arm.trained_on, arm.tested_on).guess.tobytes()


def test_tables_may_be_encoded_beforehand() -> None:
    members, control = meaningless(100, 1), meaningless(100, 2)
    plain = play(members, members, control, ASK, np.random.default_rng(0))
    once = Encoded(members), Encoded(members), Encoded(control)
    again = play(*once, ASK, np.random.default_rng(0))
    for arm, other in zip(plain.arms, again.arms, strict=True):
        assert arm.guess.tobytes() == other.guess.tobytes()


@pytest.mark.parametrize(
    "name", ["forest:trees=20", "linear", "cap", "boosting:rounds=20", "copy", "tree", "network:updates=200"]
)
class TestHardSecrets:
    def play(self, name: str, tables: Sequence[Table], secret: str) -> AttributeArms:
        known = tuple(column.name for column in tables[0].schema.modelled if column.name != secret)
        release, members, control = tables
        return play(
            release,
            members,
            control,
            AttributeQuestion(secret, known, parse("inference", name)),
            np.random.default_rng(0),
        )

    def test_forty_levels_of_which_the_control_has_some_alone(self, name: str) -> None:
        wide = [0.1] * 5 + [0.5 / 35] * 35
        rng = np.random.default_rng(0)
        schema = Schema(
            (
                Column("forty", Kind.CATEGORICAL, levels=tuple(f"{index:02d}" for index in range(40))),
                Column("known", Kind.CATEGORICAL, levels=tuple("abcdef")),
            )
        )
        tables = []
        for levels in (20, 30, 40):
            codes = rng.choice(levels, 300, p=np.array(wide[:levels]) / sum(wide[:levels]))
            tables.append(Table(schema, np.column_stack([codes, np.minimum(codes, 5)]), np.empty((300, 0))))
        answers = self.play(name, tables, "forty")
        control = answers.arm(RELEASE, CONTROL)
        new = control.truth >= 20
        assert new.any()
        assert control.p_truth is not None
        assert (control.p_truth[new] == 0).all()
        common = np.bincount(tables[0].codes[:, 0]).argmax()
        assert (answers.arm(MAJORITY, CONTROL).guess == common).all()

    def test_ninety_nine_in_a_hundred_alike(self, name: str) -> None:
        tables = [meaningless(600, seed, (0.99, 0.01)) for seed in (1, 2, 3)]
        answers = self.play(name, tables, "letter")
        zeros = (tables[2].codes[:, 0] == 0).mean()
        assert share(answers, MAJORITY, CONTROL) == pytest.approx(zeros)
        assert share(answers, RELEASE, CONTROL) > 0.95

    def test_a_release_with_one_class_only(self, name: str) -> None:
        release = meaningless(200, 1)
        release = Table(release.schema, np.full((200, 1), 2), release.numbers)
        answers = self.play(name, [release, meaningless(200, 2), meaningless(200, 3)], "letter")
        assert (answers.arm(RELEASE, CONTROL).guess == 2).all()
        assert (answers.arm(MAJORITY, CONTROL).guess == 2).all()

    def test_a_number_below_at_and_above_zero_with_gaps(self, name: str) -> None:
        rng = np.random.default_rng(0)
        known = rng.integers(0, 3, 600).astype(float)
        secret = np.array([-50.0, 0.0, 80.0])[known.astype(int)] + np.round(rng.standard_normal(600))
        secret[rng.random(600) < 0.2] = np.nan
        schema = Schema((numeric("known", known), numeric("secret", secret)))
        whole = Table(schema, np.empty((600, 0)), np.column_stack([known, secret]))
        tables = [whole.rows(np.arange(number, number + 200)) for number in (0, 200, 400)]
        answers = self.play(name, tables, "secret")
        gaps = [int(np.isnan(table.numbers[:, 1]).sum()) for table in tables]
        assert [answers.left_out[which] for which in (RELEASE, MEMBERS, CONTROL)] == gaps
        middle = np.nanmedian(tables[0].numbers[:, 1])
        arm = answers.arm(RELEASE, CONTROL)
        assert (answers.arm(MAJORITY, CONTROL).guess == middle).all()
        assert np.isfinite(arm.guess).all()
        assert np.abs(arm.guess - arm.truth).mean() < 0.5 * np.abs(middle - arm.truth).mean()


def test_the_draws_of_a_number_are_the_values_of_the_release() -> None:
    question = AttributeQuestion("score", ("age",), BY_HEART)
    answers = play(TABLE.rows(np.arange(300)), TABLE, None, question, np.random.default_rng(0))
    arm = answers.arm(DRAW, MEMBERS)
    values = TABLE.numbers[:300, 1]
    np.testing.assert_array_equal(arm.prior, np.sort(values[~np.isnan(values)]))
    assert np.isnan(arm.guess).all()
    with pytest.raises(DesignError, match="tolerance"):
        _ = arm.right


def test_a_missing_category_is_a_level_that_is_asked_about() -> None:
    answers = play(TABLE, TABLE, None, AttributeQuestion("ward", ("age",), BY_HEART), np.random.default_rng(0))
    assert answers.left_out == {RELEASE: 0, MEMBERS: 0}
    assert (answers.arm(RELEASE, MEMBERS).truth == 4).any()


class Numberless:
    """A model that guesses no number."""

    title, name, guesses = "This model", "numberless", ("category",)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (lambda: AttributeQuestion("age", (), BY_HEART), "There is no known column"),
        (lambda: AttributeQuestion("age", ("ward", "ward"), BY_HEART), "named twice"),
        (lambda: AttributeQuestion("age", ("ward", "age"), BY_HEART), "both known and secret"),
        (lambda: AttributeQuestion("age", ("ward",), Numberless()), "This model cannot guess a number"),
        (lambda: AttributeQuestion("age", ("nobody",), BY_HEART), "no column named 'nobody'"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused(question: Callable[[], AttributeQuestion], sentence: str) -> None:
    with pytest.raises(DesignError, match=sentence):
        play(TABLE, TABLE, None, question(), np.random.default_rng(0))


def test_tables_without_anybody_to_ask_about_are_refused() -> None:
    gone = TABLE.rows(np.flatnonzero(np.isnan(TABLE.numbers[:, 1])))
    question = AttributeQuestion("score", ("age",), BY_HEART)
    with pytest.raises(DesignError, match="No row of the release has a value of 'score'"):
        play(gone, TABLE, None, question, np.random.default_rng(0))
    with pytest.raises(DesignError, match="No row of the holdout"):
        play(TABLE, TABLE, gone, question, np.random.default_rng(0))
    twin = TABLE.rows([0, 0])
    with pytest.raises(DesignError, match="one and the same record"):
        play(
            TABLE, twin, None, AttributeQuestion("ward", ("age",), BY_HEART), np.random.default_rng(0), out_of_fold=True
        )


def test_an_arm_that_was_not_played_is_told() -> None:
    with pytest.raises(DesignError, match="Nothing was trained on real"):
        dealt(ceiling=False).arm(REAL, CONTROL)


class Together:
    """Says of everybody how many people it was asked about at once."""

    together = True
    asked: ClassVar[list[int]] = []

    def guess(self, known: Features) -> Guess:
        self.asked.append(len(known))
        return Guess(known.table.codes[:, 0].astype(np.int64))


def test_a_model_that_guesses_people_together_is_asked_about_as_many_of_either_side() -> None:
    tables = {MEMBERS: mixed(250), CONTROL: mixed(100, seed=1)}
    sides = {name: Encoded(table).features(("ward",)) for name, table in tables.items()}
    guesses = guess_sides(Together(), sides, np.random.default_rng(0))
    assert Together.asked == [100] * 4
    for name, table in tables.items():
        np.testing.assert_array_equal(guesses[name].value, table.codes[:, 0])
