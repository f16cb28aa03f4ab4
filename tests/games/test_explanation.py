"""The explanation game on made tables whose leak is known, counted by hand."""

import pickle
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.explain.publishing import Inverted
from riskkit.games.explanation import (
    BASELINES,
    Evidence,
    attack,
    equals_reference,
    expose,
    grade,
    guess,
    members_and_others,
    readers,
)
from riskkit.games.explanation_deal import ExplanationDeal, Offer, deal, serve
from riskkit.registry import parse
from riskkit.stats.recovery import is_successful, join, membership
from tests.tables import mixed, numeric

LINEAR = Offer("answer", parse("explained", "linear"))


def toy(n: int = 400, seed: int = 0) -> Table:
    """Four numbers, the third a product of two hidden ones, and ``answer = x1 - x3 x4``."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 4))
    x[:, 2] = rng.standard_normal(n) * rng.standard_normal(n)
    rows = np.round(np.column_stack([x, x[:, 0] - x[:, 2] * x[:, 3]]), 2)
    names = ("x1", "x2", "x3", "x4", "answer")
    columns = tuple(numeric(name, values, decimals=2) for name, values in zip(names, rows.T, strict=True))
    return Table(Schema(columns), np.empty((n, 0), dtype=np.int32), rows)


@cache
def toy_deal() -> ExplanationDeal:
    return deal(toy(), None, "answer", victims=60, auxiliary=100)


@cache
def evidence(layout: str = "label", model: str = "linear", references: int = 1) -> Evidence:
    """A mixed table with missing values; the answer is the category ``smoker``."""
    offer = Offer("smoker", parse("explained", model), layout=layout, references=references)
    return expose(mixed_deal(), offer, 0, auxiliary=200, made_up=200)


@cache
def mixed_deal() -> ExplanationDeal:
    table = mixed(1400)
    real, synthetic = table.rows(np.arange(900)), table.rows(np.arange(900, 1400))
    return deal(real, synthetic, "smoker", victims=100, auxiliary=200)


@pytest.mark.parametrize("references", [1, 30])
def test_a_linear_model_gives_every_input_away(references: int) -> None:
    """The toy example: linear model, linear attacker, whatever the reference; MAE below 1e-12, all right."""
    seen = expose(toy_deal(), replace(LINEAR, references=references), 0, auxiliary=100, made_up=100)
    graded = attack(seen, parse("inverters", "linear"), 100, np.random.default_rng(0))
    assert graded.columns == ("x1", "x2", "x3", "x4")
    assert graded.error.mean() < 1e-12
    assert graded.right.all()


@pytest.mark.parametrize("explainer", ["permutation", "exact"])
def test_sampled_values_of_a_linear_model_are_exact(explainer: str) -> None:
    offer = replace(LINEAR, explainer=explainer, permutations=1)
    seen = expose(toy_deal(), offer, 0, auxiliary=100, made_up=10)
    assert attack(seen, parse("inverters", "linear"), 100, np.random.default_rng(0)).error.mean() < 1e-12


def test_five_rows_are_enough_and_four_are_not() -> None:
    """A line in four explanations has five numbers to find."""
    seen = expose(toy_deal(), LINEAR, 0, auxiliary=100, made_up=10)
    inverter = parse("inverters", "linear")
    assert attack(seen, inverter, 5, np.random.default_rng(0)).error.mean() < 1e-9
    assert attack(seen, inverter, 4, np.random.default_rng(0)).error.mean() > 1e-3


@pytest.mark.parametrize("layout", ["label", "one-hot"])
def test_explanations_that_say_nothing_give_nothing_away(layout: str) -> None:
    """The null: with the victims' explanations exchanged among them, nobody beats the constant guess."""
    seen = evidence(layout)
    order = np.random.default_rng(1).permutation(len(seen.phi))
    blind = replace(seen, phi=seen.phi[order])
    rng = np.random.default_rng(0)
    constants = [join([guess(blind, name, 200, rng)]) for name in ("constant_median", "constant_mode")]
    for name in ("linear", "tree", "forest:trees=20", "knn", "network:epochs=50", "nearest"):
        assert not is_successful(join([attack(blind, parse("inverters", name), 200, rng)]), *constants), name
        if name != "nearest":
            text = join([attack(seen, parse("inverters", "linear"), 200, rng)])
            assert is_successful(text, *constants)


def test_the_groups_share_no_row_and_victims_are_different_records() -> None:
    real = toy(500)
    dealt = deal(real, None, "answer", victims=50, auxiliary=100)
    parts = [dealt.train, dealt.pool, dealt.victims]
    assert sum(map(len, parts)) == 500
    keys = np.concatenate([part.keys() for part in parts])
    assert len(np.unique(keys)) == len(np.unique(real.keys()))
    copies = real.plus(real)
    twice = deal(copies, None, "answer", victims=600, auxiliary=100)
    assert len(np.unique(twice.victims.keys())) == len(twice.victims) == 500


def test_the_order_of_the_file_changes_nothing() -> None:
    order = np.random.default_rng(3).permutation(400)
    plain, turned = (deal(table, None, "answer", victims=60, auxiliary=100) for table in (toy(), toy().rows(order)))
    for part in ("train", "pool", "victims"):
        assert getattr(plain, part).numbers.tobytes() == getattr(turned, part).numbers.tobytes()


def test_a_model_seed_keeps_the_victims_and_draws_the_rest_anew() -> None:
    first, again, other = (expose(toy_deal(), LINEAR, seed, auxiliary=50, made_up=50) for seed in (0, 0, 1))
    assert first.phi.tobytes() == again.phi.tobytes()
    assert first.made_up.phi.tobytes() == again.made_up.phi.tobytes()
    assert first.inputs.tobytes() == other.inputs.tobytes()
    assert not np.array_equal(first.references, other.references)
    assert not np.array_equal(first.auxiliary.inputs, other.auxiliary.inputs)
    fewer = expose(toy_deal(), LINEAR, 0, auxiliary=20, made_up=50)
    np.testing.assert_array_equal(fewer.auxiliary.inputs, first.auxiliary.inputs[:20])


def test_the_references_are_none_of_the_rows_the_attacker_has() -> None:
    service, pool = serve(toy_deal(), replace(LINEAR, references=20), 0)
    known = {row.tobytes() for row in service.encoder.encode(pool)}
    assert not known & {row.tobytes() for row in service.references}
    assert len(pool) == len(toy_deal().pool) - 20


def test_grades_by_hand() -> None:
    columns: tuple[Column, ...] = (
        numeric("pay", np.array([0.0, 100.0])),
        Column("ward", Kind.CATEGORICAL, levels=("a", "b", "c")),
    )
    columns += (Column("sex", Kind.CATEGORICAL, levels=("f", "m")),)
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 3, 300), rng.integers(0, 2, 300)])
    table = Table(Schema(columns), codes, rng.integers(0, 101, (300, 1)).astype(float))
    dealt = deal(table, None, "sex", victims=5, auxiliary=50)
    seen = expose(dealt, Offer("sex", parse("explained", "linear")), 0, auxiliary=50, made_up=5)
    answers = seen.inputs + np.array([[0.04, 0.2], [0.05, -0.2], [0.06, 0.3], [-0.05, 0.0], [0.0, 0.24]])
    graded = grade(seen, Inverted(answers, np.ones(answers.shape, dtype=bool)), 0.05)
    assert graded.columns == ("pay", "ward")
    np.testing.assert_allclose(graded.error, np.abs(answers - seen.inputs))
    inside = (answers[:, 0] >= 0) & (answers[:, 0] <= 1)
    assert graded.right[inside, 0].tolist() == np.array([1, 1, 0, 1, 1])[inside].tolist()
    ward = seen.inputs[:, 1]
    expected = np.where(ward < 1, [1, 1, 0, 1, 1], 1)  # of the last level nothing lies above
    assert graded.right[:, 1].tolist() == expected.tolist()


def test_missing_numbers_are_not_graded() -> None:
    for layout in ("label", "one-hot"):
        seen = evidence(layout)
        missing = np.isnan(seen.victims.numbers[:, 1])
        assert missing.any()
        graded = attack(seen, parse("inverters", "linear"), 200, np.random.default_rng(0))
        index = graded.columns.index("score")
        np.testing.assert_array_equal(np.isnan(graded.error[:, index]), missing)
        np.testing.assert_array_equal(np.isnan(graded.right[:, index]), missing)
        assert not np.isnan(np.delete(graded.error, index, axis=1)).any()


def test_one_hot_answers_are_valid_categories() -> None:
    """A category is right where its own feature is the largest, however small all of them are."""
    seen = evidence("one-hot")
    answers = seen.inputs * 0.1
    ward = grade(seen, Inverted(answers, np.ones(answers.shape, dtype=bool)), 0.05)
    index = ward.columns.index("ward")
    assert ward.right[:, index].all()
    levels = next(span.width for span in seen.encoder.spans if span.column.name == "ward")
    np.testing.assert_allclose(ward.error[:, index], 0.9 / levels)


def test_baselines_say_what_they_are_said_to() -> None:
    seen = evidence()
    known = seen.auxiliary.inputs
    guesses = {name: guess(seen, name, 200, np.random.default_rng(1)).estimates for name in BASELINES}
    np.testing.assert_allclose(guesses["constant_median"], np.tile(np.median(known, axis=0), (100, 1)))
    ward = [span.column.name for span in seen.encoder.spans].index("ward")
    often = np.bincount(np.round(known[:, ward] * 4).astype(int)).argmax()
    assert (guesses["constant_mode"][:, ward] == often / 4).all()
    assert set(guesses["empirical"][:, ward]) <= set(known[:, ward])
    assert abs(guesses["uniform"].mean() - 0.5) < 0.06
    assert abs(guesses["normal"].std() - 0.24) < 0.04
    with pytest.raises(DesignError, match=r"no baseline 'luck'"):
        guess(seen, "luck", 10, np.random.default_rng(0))


def test_the_constant_mode_is_the_best_constant_for_the_rate() -> None:
    seen = evidence()
    mode, median = (guess(seen, f"constant_{name}", 200, np.random.default_rng(0)) for name in ("mode", "median"))
    assert np.nanmean(mode.right) >= np.nanmean(median.right)
    assert np.nanmean(median.error) <= np.nanmean(mode.error)


@pytest.mark.parametrize("model", ["linear", "logistic", "forest:trees=10"])
def test_a_value_of_0_names_who_equals_the_single_reference(model: str) -> None:
    """Recall is 1 by the null-feature axiom; against a linear model precision too."""
    seen = evidence(model=model)
    says, equal = equals_reference(seen)
    assert equal.any()
    assert (~equal).any()
    assert says[equal].all()
    if model == "linear":
        assert equal[says].all()


def test_many_references_say_nothing_of_the_kind() -> None:
    with pytest.raises(DesignError, match=r"several reference rows"):
        equals_reference(evidence(references=50))


def test_a_feature_the_model_does_not_look_at_names_nobody() -> None:
    seen = evidence()
    phi, known = seen.phi.copy(), seen.auxiliary.phi.copy()
    phi[:, 0], known[:, 0] = 0, 0
    says, _ = equals_reference(replace(seen, phi=phi, auxiliary=replace(seen.auxiliary, phi=known)))
    assert not says[:, 0].any()


def test_a_defence_is_applied_to_everybody_and_costs_the_reader() -> None:
    plain = Offer("smoker", parse("explained", "linear"))
    noisy = replace(plain, defence=parse("defences", "laplace:share=2"))
    rounded = replace(plain, defence=parse("defences", "rounding:decimals=1"))
    seen = {
        name: expose(mixed_deal(), offer, 0, auxiliary=200, made_up=50)
        for name, offer in (("plain", plain), ("noisy", noisy), ("rounded", rounded))
    }
    for part in (seen["rounded"].phi, seen["rounded"].auxiliary.phi, seen["rounded"].made_up.phi):
        np.testing.assert_array_equal(part, np.round(part, 1))
    error = {
        name: np.nanmean(attack(each, parse("inverters", "linear"), 200, np.random.default_rng(0)).error)
        for name, each in seen.items()
    }
    assert error["plain"] < 1e-12 < 0.01 < error["rounded"]
    assert error["noisy"] > 0.05
    read = {name: readers(mixed_deal(), offer, 0, seen[name]) for name, offer in (("plain", plain), ("noisy", noisy))}
    assert read["plain"].rank.min() > 1 - 1e-12
    assert read["plain"].top.min() == 1
    assert read["noisy"].rank.mean() < 0.7


def test_few_orders_blur_the_explanation_of_a_model_that_is_not_linear() -> None:
    offer = Offer("smoker", parse("explained", "svm"), explainer="permutation", permutations=1)
    dealt = mixed_deal()
    correlations = []
    for orders in (1, 50):
        plan = replace(offer, permutations=orders)
        correlations.append(readers(dealt, plan, 0, expose(dealt, plan, 0, auxiliary=10, made_up=10)).rank.mean())
    assert correlations[0] < correlations[1]
    assert correlations[1] > 0.95


def test_a_model_of_the_synthetic_table_is_explained_for_the_same_victims() -> None:
    offer = Offer("smoker", parse("explained", "linear"), trained_on="synthetic")
    real, made = (
        expose(mixed_deal(), replace(offer, trained_on=name), 0, auxiliary=50, made_up=50)
        for name in ("real", "synthetic")
    )
    np.testing.assert_array_equal(real.inputs, made.inputs)
    assert not np.array_equal(real.phi, made.phi)
    assert readers(mixed_deal(), offer, 0, made).rank.mean() < 1
    with pytest.raises(DesignError, match=r"none is loaded"):
        expose(toy_deal(), replace(LINEAR, trained_on="synthetic"), 0)


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(DesignError, match=r"need more"):
        deal(toy(30), None, "answer", victims=25, auxiliary=10)
    with pytest.raises(DesignError, match=r"500 rows was asked for; there are 200"):
        attack(evidence(), parse("inverters", "linear"), 500, np.random.default_rng(0))
    with pytest.raises(DesignError, match=r"at least 1 reference"):
        Offer("smoker", parse("explained", "linear"), references=0)
    with pytest.raises(DesignError, match=r"fewer than the 5000 asked for"):
        expose(mixed_deal(), Offer("smoker", parse("explained", "linear"), references=5000), 0)
    with pytest.raises(DesignError, match=r"cannot learn a number"):
        expose(toy_deal(), Offer("answer", parse("explained", "logistic")), 0)


def test_evidence_travels_to_a_worker_and_gives_the_same_answers() -> None:
    seen = evidence()
    sent = pickle.dumps(seen)
    assert len(sent) < 500_000
    there, here = (
        attack(each, parse("inverters", "forest:trees=5"), 200, np.random.default_rng(0))
        for each in (pickle.loads(sent), seen)
    )
    assert there.estimates.tobytes() == here.estimates.tobytes()


def test_members_and_others_stand_once_and_nowhere_else() -> None:
    """Rows that stand twice are asked about on neither side."""
    dealt = mixed_deal()
    twice = replace(dealt, train=dealt.train.plus(dealt.victims.rows([0])), pool=dealt.pool.plus(dealt.train.rows([1])))
    for each in (dealt, twice):
        members, others = each.members()
        keys = each.train.plus(each.pool).plus(each.victims).keys()
        alone = (each.victims.keys()[:, None] == keys).sum(axis=1) == 1
        assert len(members) == len(others) == alone.sum()
        assert all((keys == record).sum() == 1 for record in (*members.keys(), *others.keys()))
        assert np.isin(members.keys(), each.train.keys()).all()
        assert np.isin(others.keys(), each.victims.keys()).all()
    assert not np.isin(dealt.victims.rows([0]).keys(), twice.members()[1].keys()).any()
    assert not np.isin(dealt.train.rows([1]).keys(), twice.members()[0].keys()).any()


def test_a_model_that_keeps_single_rows_gives_its_training_away() -> None:
    """Drawn answers of two classes: members' are all right, of others half: .75 by the answer alone."""
    offer = Offer("smoker", parse("explained", "tree:depth=30"))
    parts = members_and_others(mixed_deal().by_heart("smoker"), offer, 0)
    assert parts.answer[0].all()
    for inside, outside in (parts.answer, parts.explanation):
        assert membership(inside[None], outside[None]).low > 0.6
    np.testing.assert_array_equal(parts.explanation[0] > 0, parts.answer[0] > 0)


class Strangers(ExplanationDeal):
    """A deal whose members are people of the pool, whom the model has not learnt from either."""

    def members(self) -> tuple[Table, Table]:
        return self.pool.rows(np.arange(len(self.victims))), self.victims


@pytest.mark.parametrize("seeds", [1, 5])
@pytest.mark.parametrize("explainer", ["auto", "counterfactuals"])
def test_of_200_nulls_one_in_twenty_is_called_at_most(explainer: str, seeds: int) -> None:
    """A tree that keeps single rows, asked about two sides it never met."""
    offer = Offer("smoker", parse("explained", "tree:depth=30"), explainer=explainer, references=10)  # type: ignore[arg-type]
    called, outside = 0, 0
    for number in range(200 if seeds == 1 else 60):
        rows = mixed(360, seed=number).without([])
        dealt = deal(rows, None, "smoker", victims=60, auxiliary=60, seed=number)
        nobody = Strangers(dealt.train, None, dealt.pool, dealt.victims, number)
        parts = [members_and_others(nobody, offer, seed).explanation for seed in range(seeds)]
        auc = membership(np.stack([part[0] for part in parts]), np.stack([part[1] for part in parts]))
        called += auc.low > 0.5
        outside += not auc.low <= 0.5 <= auc.high
    assert called <= 0.05 * (number + 1)
    assert outside <= 0.085 * (number + 1)
