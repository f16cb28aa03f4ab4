"""A fit of scikit-learn that says how much of it is done comes to the same bits, and says it while it takes long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.neural_network import MLPClassifier, MLPRegressor
from threadpoolctl import threadpool_limits

from riskkit import counted, stages

ROWS, COUNT = 300, 12
FORESTS = {"n_estimators": COUNT, "random_state": 7, "n_jobs": 1}
BOOSTED = {"n_estimators": COUNT, "random_state": 7}
BINNED = {"max_iter": COUNT, "early_stopping": False, "random_state": 7}
NETS = {"hidden_layer_sizes": (8,), "max_iter": COUNT, "n_iter_no_change": COUNT, "batch_size": 50}


def tables() -> tuple[Any, Any, Any]:
    """Rows with gaps, three classes and numbers that depend on them."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(ROWS, 5)).astype(np.float32)
    number = x @ np.arange(5) + rng.normal(size=ROWS)
    return x, np.digitize(number, [-1.0, 1.0]), number


def plain(make: Callable[[], Any]) -> Callable[[Any, Any], Any]:
    return lambda x, y: make().fit(x, y)


def a_network(kind: Callable[..., Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """A network as it is, and one that counts its passes."""
    return plain(lambda: kind(random_state=7, **NETS)), plain(
        lambda: kind(random_state=counted.Passes(7, COUNT), **NETS)
    )


Fit = Callable[[Any, Any], Any]
FITS: dict[str, tuple[Fit, Fit]] = {
    "classes by a forest": (
        plain(lambda: RandomForestClassifier(**FORESTS)),
        lambda x, y: counted.grown(RandomForestClassifier(**FORESTS), x, y),
    ),
    "numbers by a forest": (
        plain(lambda: RandomForestRegressor(max_features=1 / 3, **FORESTS)),
        lambda x, y: counted.grown(RandomForestRegressor(max_features=1 / 3, **FORESTS), x, y),
    ),
    "classes by boosting": (
        plain(lambda: GradientBoostingClassifier(**BOOSTED)),
        lambda x, y: GradientBoostingClassifier(**BOOSTED).fit(x, y, monitor=counted.monitor(COUNT)),
    ),
    "numbers by boosting": (
        plain(lambda: GradientBoostingRegressor(**BOOSTED)),
        lambda x, y: GradientBoostingRegressor(**BOOSTED).fit(x, y, monitor=counted.monitor(COUNT)),
    ),
    "classes by binned boosting": (
        plain(lambda: HistGradientBoostingClassifier(**BINNED)),
        lambda x, y: counted.Rounds(HistGradientBoostingClassifier(**BINNED)).fit(x, y),
    ),
    "numbers by binned boosting": (
        plain(lambda: HistGradientBoostingRegressor(**BINNED)),
        lambda x, y: counted.Rounds(HistGradientBoostingRegressor(**BINNED)).fit(x, y),
    ),
    "classes by a network": a_network(MLPClassifier),
    "numbers by a network": a_network(MLPRegressor),
    "classes by lines": (
        plain(lambda: LogisticRegression(max_iter=COUNT, tol=0.0)),
        plain(lambda: LogisticRegression(max_iter=COUNT, tol=0.0).set_callbacks(counted.Iterations(COUNT))),
    ),
}


def answers(fitted: Any, x: Any) -> bytes:
    """What a model says of every row."""
    return np.asarray(fitted.predict_proba(x) if hasattr(fitted, "predict_proba") else fitted.predict(x)).tobytes()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", FITS)
def test_a_counted_fit_is_the_same_to_the_bit_and_says_its_parts(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "QUICK", 0.0)
    monkeypatch.setattr(counted, "AT_ONCE", 0.0)  # tree by tree
    x, classes, numbers = tables()
    as_it_is, counts = FITS[name]
    y = classes if name.startswith("classes") else numbers
    heard: list[stages.Stage] = []
    with stages.heard(heard.append):
        stages.say("Fitting")
        fitted = counts(x, y)
    assert answers(fitted, x) == answers(as_it_is(x, y), x)
    assert {stage.total for stage in heard[1:]} == {COUNT}
    done = [stage.done for stage in heard[1:]]
    assert done == sorted(done)
    assert len(set(done)) >= COUNT


@pytest.mark.parametrize("at_once", [0.0, 1e9])
def test_a_forest_is_the_same_however_many_trees_it_grows_at_once(
    at_once: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted, "AT_ONCE", at_once)
    x, classes, _ = tables()
    fitted, as_it_is = counted.grown(RandomForestClassifier(**FORESTS), x, classes), FITS["classes by a forest"][0]
    for tree, other in zip(fitted.estimators_, as_it_is(x, classes).estimators_, strict=True):
        assert tree.random_state == other.random_state
        assert (tree.tree_.threshold == other.tree_.threshold).all()


@pytest.mark.parametrize("at_once", [0.0, 1e9])
@pytest.mark.parametrize("least", [1, 7])
def test_rows_that_are_worked_out_after_others_are_all_worked_out_once(
    at_once: float, least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counted, "AT_ONCE", at_once)
    monkeypatch.setattr(stages, "QUICK", 0.0)
    for rows in (0, 1, 7, 50):
        done: list[int] = []
        heard: list[stages.Stage] = []
        with stages.heard(heard.append):
            counted.by_rows(rows, lambda some: done.extend(range(some.start, some.stop)), least=least)  # noqa: B023
        assert done == list(range(rows))
        assert [(stage.done, stage.total) for stage in heard][-1:] == [(rows, rows)] * (rows > 0)


@pytest.mark.parametrize(("rows", "at_once"), [(6, [6]), (13, [13]), (14, [7, 7]), (20, [7, 13]), (22, [7, 7, 8])])
def test_no_rows_are_left_over_that_are_few(rows: int, at_once: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counted, "AT_ONCE", 0.0)
    sizes: list[int] = []
    counted.by_rows(rows, lambda some: sizes.append(some.stop - some.start), least=7)
    assert sizes == at_once


@pytest.mark.parametrize(("people", "columns"), [(5, 20), (1_279, 20), (1_280, 20), (4_000, 20), (4_000, 3)])
@pytest.mark.parametrize("k", [1, 5])
def test_the_nearest_rows_are_those_of_one_search(
    people: int, columns: int, k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many that are equally near too; rows of few columns are searched in a tree."""
    monkeypatch.setattr(counted, "AT_ONCE", 0.0)
    monkeypatch.setattr(stages, "QUICK", 0.0)
    rng = np.random.default_rng(5)
    among, asked = (np.round(rng.random((rows, columns))) for rows in (3_000, people))
    search = NearestNeighbors(n_neighbors=k, n_jobs=1).fit(among)
    heard: list[stages.Stage] = []
    with threadpool_limits(1):
        with stages.heard(heard.append):
            places = counted.near(search, asked)
        assert (places == search.kneighbors(asked, return_distance=False)).all()
    assert len(heard) == max(people // 1_280, 1)


def test_a_step_that_is_done_in_no_time_says_nothing_beside_other_news() -> None:
    heard: list[stages.Stage] = []
    with stages.heard(heard.append):
        stages.say("Fitting")
        counted.grown(RandomForestClassifier(n_estimators=1), *tables()[:2])
        stages.inner(1, 2)
    assert heard == [stages.Stage("Fitting")]


def test_parts_of_a_part_are_counted_among_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "QUICK", 0.0)
    heard: list[stages.Stage] = []
    with stages.heard(heard.append):
        stages.say("Guessing")
        with stages.within(2, 5):
            stages.inner(3, 10)
            stages.say("Guessing again")
        stages.part(3, 5)
    assert heard == [
        stages.Stage("Guessing"),
        stages.Stage("Guessing", 2, 5),
        stages.Stage("Guessing", 23, 50),
        stages.Stage("Guessing again"),
        stages.Stage("Guessing again", 3, 5),
    ]
