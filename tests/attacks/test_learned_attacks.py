"""Queries and Groundhog: nothing on a method that leaks nothing, the planted leak where there is one."""

from functools import cache

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from riskkit.attacks._learned import DEPTH, LEARNERS, TREES, Forest, Judge, Scaling, learn, shrunken
from riskkit.attacks.queries import Queries
from riskkit.core import Brief, Estimate
from riskkit.generators.whole_rows import Bootstrap
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.targets.vulnerable import Vulnerable
from tests.tables import mixed
from tests.worlds import fixed_worlds

ROWS, TRAININGS, OWN = 100, 160, 25
ATTACKS = (
    "queries:own=25",
    "queries:model=forest,own=25",
    "queries:numbers=outward,sets=9,own=25",
    "groundhog:own=25",
    "groundhog:features=ensemble,model=logistic,own=25",
    "groundhog:features=hist,model=k-nn,own=25",
    "groundhog:features=corr,model=svm,own=25",
)
PLANTED = {name: "bootstrap" if name.startswith("queries") else "leaky:p=0.8" for name in ATTACKS}


@cache
def aucs(generator: str) -> dict[str, Estimate]:
    """The AUC of every attack on the same releases, at a level of .999."""
    plan = MembershipPlan(
        (generator,),
        ("vulnerable",),
        ATTACKS,
        trainings=TRAININGS,
        generations=1,
        n_syn=ROWS,
        level=0.999,
        control=False,
    )
    estimates = run_membership(mixed(ROWS), plan).estimates
    return {estimate.labels["attack"]: estimate for estimate in estimates if estimate.name == "auc"}


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_is_found_where_nothing_leaks(attack: str) -> None:
    auc = aucs("independent")[attack]
    assert auc.low <= 0.5 <= auc.high
    assert auc.high < 0.75


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_planted_leak_is_found(attack: str) -> None:
    assert aucs(PLANTED[attack])[attack].low > 0.5


def test_queries_come_near_the_best_attack_on_a_bootstrap() -> None:
    best = Bootstrap().best_auc(ROWS, ROWS)
    auc = aucs("bootstrap")["queries:own=25"]
    assert auc.value > best - 0.05
    assert auc.low <= best


def test_queries_on_labels_that_mean_nothing_learn_nothing() -> None:
    """The planted fault: shadows of both sides from one world. Scores then cannot tell the worlds apart for sure."""
    table, rng = mixed(ROWS), np.random.default_rng(2)
    worlds = fixed_worlds(table, Vulnerable().choose(table, 1, rng))
    inside, outside = (Bootstrap().fit(world, rng) for world in (worlds.pos, worlds.neg))

    def gap(source_in: object) -> float:
        sides = [[side.sample(ROWS, rng) for _ in range(OWN)] for side in (source_in, outside)]  # type: ignore[attr-defined]
        brief = Brief(worlds.targets, shadows_in=sides[0], shadows_out=sides[1])
        fitted = Queries(own=OWN).fit(brief, rng)
        shown = [[fitted.score(side.sample(ROWS, rng))[0] for _ in range(60)] for side in (inside, outside)]
        return float(np.mean(shown[0]) - np.mean(shown[1])) / np.std(shown[0] + shown[1])

    assert gap(inside) > 0.8
    assert abs(gap(outside)) < 0.8


def test_targets_of_a_group_share_the_release_and_have_a_model_each() -> None:
    table, rng = mixed(ROWS), np.random.default_rng(4)
    worlds = fixed_worlds(table, Vulnerable().choose(table, 3, rng))
    sides = [[Bootstrap().fit(world, rng).sample(ROWS, rng) for _ in range(5)] for world in (worlds.pos, worlds.neg)]
    together = Queries(own=5).fit(Brief(worlds.targets, shadows_in=sides[0], shadows_out=sides[1]), rng)
    shown = Bootstrap().fit(worlds.pos, rng).sample(ROWS, rng)
    for index in range(3):
        alone = Brief(worlds.targets.rows([index]), shadows_in=sides[0], shadows_out=sides[1])
        assert Queries(own=5).fit(alone, rng).score(shown)[0] == together.score(shown)[index]


# --- the models -----------------------------------------------------------------------------------------------------


def features(n: int = 30, p: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two sides that differ in three features."""
    rng = np.random.default_rng(seed)
    sides = rng.normal(5, 2, (2, n, p))
    sides[0, :, :3] += 3.0
    return sides[0], sides[1]


def made(learner: str, inside: np.ndarray, outside: np.ndarray) -> Judge:
    if learner == "shrunken":
        return shrunken(iter(inside), iter(outside))
    return learn(learner, inside, outside, np.random.default_rng(1))


EVERY = pytest.mark.parametrize("learner", ["shrunken", *sorted(LEARNERS)])


@EVERY
def test_every_model_tells_the_sides_apart_on_new_releases(learner: str) -> None:
    judge = made(learner, *features())
    inside, outside = (np.array([judge(row) for row in side]) for side in features(seed=1))
    assert (inside[:, None] > outside).mean() > 0.65
    assert np.sign(inside.mean()) >= 0


@EVERY
def test_features_that_never_differ_are_no_reason_to_fail(learner: str) -> None:
    same = np.ones((6, 4))
    assert made(learner, same, same)(np.array([1.0, 2.0, 1.0, 1.0])) == 0.0


def test_the_forest_gives_the_votes_of_scikit_learn() -> None:
    inside, outside = features()
    rows = np.vstack([inside, outside]).astype(np.float32)
    scaling = Scaling.fit(rows)
    model = RandomForestClassifier(TREES, max_depth=DEPTH, random_state=3).fit(scaling(rows), [1] * 30 + [0] * 30)
    ours, new = Forest.flatten(scaling, model), np.vstack(features(seed=5))
    np.testing.assert_allclose([ours(row) for row in new], model.predict_proba(scaling(new))[:, 1] - 0.5, atol=1e-12)


def test_the_logistic_line_is_that_of_scikit_learn_on_all_features() -> None:
    inside, outside = features()
    rows = np.vstack([inside, outside])
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0) / np.sqrt(rows.shape[1])
    model = LogisticRegression(tol=1e-8, max_iter=10_000).fit(scaled, [1] * 30 + [0] * 30)
    judge = learn("logistic", inside, outside, np.random.default_rng(1))
    np.testing.assert_allclose([judge(row) for row in rows], model.decision_function(scaled), atol=5e-3)


def test_the_support_vector_machine_is_that_of_scikit_learn() -> None:
    inside, outside = features()
    rows = np.vstack([inside, outside]).astype(np.float32)
    scaling, new = Scaling.fit(rows), np.vstack(features(seed=5))
    model = SVC(gamma=1.0).fit(scaling(rows), [1] * 30 + [0] * 30)
    judge = learn("svm", inside, outside, np.random.default_rng(1))
    np.testing.assert_allclose([judge(row) for row in new], model.decision_function(scaling(new)), rtol=0, atol=1e-12)


def test_the_shrunken_line_weighs_by_the_cube_of_the_correlation() -> None:
    inside, outside = features(n=10, p=5)
    rows = np.vstack([inside, outside])
    truth = np.repeat([1.0, -1.0], 10)
    weight = np.array([np.corrcoef(column, truth)[0, 1] for column in rows.T]) ** 3
    weight /= np.abs(weight).sum()
    wanted = ((rows - rows.mean(axis=0)) / rows.std(axis=0)) @ weight
    judge = made("shrunken", inside, outside)
    np.testing.assert_allclose([judge(row) for row in rows], wanted, atol=1e-5)
