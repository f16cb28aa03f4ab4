"""What 1,600 explanations cost here and with the shap library, in one run, and that both give the same values.

Run alone: ``python benchmarks/shapley.py [forest boosting network]``; writes ``benchmarks/results/shapley.md``. Adult's
complete training rows where the table is at hand, else made ones; one reference row, fifty permutations. The peer,
shap's permutation explainer, is timed on a few rows after one to warm up and scaled, since it needs a time per row; it
asks scikit-learn's own forest and boosted trees, and of the network the very function that is asked here.

Two things must be said of the peer. It walks each order there and back, so ours is timed doing the same
(``antithetic``), and walking fifty orders once. And it is told a number of evaluations, not of orders: given those of
fifty orders of all features, it walks more orders where features are equal to the reference. So it is timed with that
number, as it is commonly called, and with the number that makes it walk fifty. Processor seconds, one thread.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np
import pandas as pd
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, made, typed
from riskkit import registry
from riskkit.core import Floats, Table
from riskkit.explain.features import Encoder
from riskkit.explain.shapley import CoalitionGame, Predict, exact, permutation
from riskkit.explain.trees import TreeEnsemble

RESULT = Path(__file__).resolve().parent / "results" / "shapley.md"
TRAINING, EXPLAINED, ORDERS = 20_000, 1_600, 50
PEER_ROWS = {"forest": (10, 4), "boosting": (30, 20), "network": (40, 30)}
"""Rows the peer is timed on, one feature a column and one a level."""
GOALS = {("forest", 14): 200, ("boosting", 14): 50, ("network", 14): 20, ("network", 119): 10}
LIBRARY: dict[str, Callable[[int], Any]] = {
    "forest": lambda seed: RandomForestClassifier(100, max_depth=5, random_state=seed),
    "boosting": lambda seed: GradientBoostingClassifier(random_state=seed),
}


@dataclass(frozen=True)
class Setting:
    """A model, the rows to explain and their reference."""

    model: Any
    library: Any
    x: Floats
    reference: Floats

    @property
    def game(self) -> Predict | CoalitionGame:
        """What is asked here."""
        return self.model if isinstance(self.model, TreeEnsemble) else self.model.predict

    @property
    def asked(self) -> Predict:
        """What the peer asks."""
        return self.library.predict_proba if self.library else self.model.predict


def people() -> tuple[Table, str]:
    """Adult's complete training rows with education-num as a category, so that there are 119 levels and numbers."""
    if not ADULT.is_file():
        return made(TRAINING + EXPLAINED + 1), "category 0"
    frame = pd.read_csv(ADULT, keep_default_na=False)
    frame = frame[~(frame == "?").any(axis=1)]
    return typed(frame.assign(**{"education-num": frame["education-num"].map("{:02d}".format)})), "income"


@cache
def setting(name: str, one_hot: bool) -> Setting:
    """A model trained on some rows, and others to explain."""
    table, target = people()
    columns = [column.name for column in table.schema.modelled if column.name != target]
    order = np.random.default_rng(0).permutation(len(table))
    train, shown = table.rows(order[:TRAINING]), table.rows(order[TRAINING : TRAINING + EXPLAINED + 1])
    encoder = Encoder.fit(train, columns, "one-hot" if one_hot else "label")
    index = [column.name for column in table.schema.categorical].index(target)
    x, y = encoder.encode(train), train.codes[:, index]
    model = registry.make("explained", name).fit(x, y, np.random.default_rng(1))
    library = LIBRARY[name](int(np.random.default_rng(1).integers(2**31))).fit(x, y) if name in LIBRARY else None
    rows = encoder.encode(shown)
    case = Setting(model, library, rows[1:], rows[:1])
    np.testing.assert_allclose(case.asked(rows), model.predict(rows), atol=1e-9)
    return case


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result of the work and its processor seconds."""
    start = time.process_time()
    out = work()
    return out, time.process_time() - start


def ours(case: Setting, *, antithetic: bool) -> tuple[Floats, float]:
    """Our values of every row and the least time of three."""
    rng = np.random.default_rng(5)
    runs = [
        timed(lambda: permutation(case.game, case.x, case.reference, ORDERS, rng, antithetic=antithetic).phi)
        for _ in range(4)
    ]
    return runs[-1][0], min(seconds for _, seconds in runs[1:])  # the first compiles


def theirs(case: Setting, rows: int, *, fifty: bool) -> tuple[Floats, float]:
    """The peer's values of the first rows, and the time it would take for all.

    With ``fifty`` each row gets as many evaluations as fifty orders of the features that differ take; else as many as
    fifty orders of all features take.
    """
    import shap

    explainer = shap.PermutationExplainer(case.asked, shap.maskers.Independent(case.reference), seed=0)
    differing = (case.x != case.reference).sum(axis=1)
    many = differing if fifty else np.full(len(case.x), case.x.shape[1])

    def explain(row: int) -> Floats:
        values: Floats = explainer(
            case.x[row : row + 1], max_evals=ORDERS * (2 * int(many[row]) + 1), silent=True
        ).values
        return values

    explain(0)
    values, seconds = timed(lambda: np.concatenate([explain(row) for row in range(rows)]))
    return values, seconds * len(case.x) / rows


def error(values: Floats, truth: Floats) -> float:
    """The root mean square distance of the first class from the exact values, of as many rows as there are of them."""
    return float(np.sqrt(((values[: len(truth), :, 0] - truth) ** 2).mean()))


def sampled(name: str, one_hot: bool) -> str:
    """One line of the table of sampled values."""
    case = setting(name, one_hot)
    features, rows = case.x.shape[1], PEER_ROWS[name][one_hot]
    both, same = ours(case, antithetic=True)
    plain, once = ours(case, antithetic=False)
    _, common = theirs(case, rows, fifty=False)
    peer, exactly = theirs(case, rows, fifty=True)
    few = np.flatnonzero((case.x[:rows] != case.reference).sum(axis=1) <= 14)
    truth = exact(case.game, case.x[few], case.reference).phi[:, :, 0]
    errors = [f"{error(values[few], truth):.1e}" for values in (peer, both, plain)]
    seconds = f"{common:,.1f} | {exactly:,.1f} | {same:.2f} | {once:.2f}"
    ratios = f"{common / same:,.0f} | {exactly / same:,.0f} | {common / once:,.0f} | {GOALS.get((name, features), '')}"
    return f"| {name} | {features} | {rows} | {seconds} | {ratios} | {' | '.join(errors)} |"


def of_trees(name: str, one_hot: bool, references: int) -> str:
    """One line of the table of tree values: of the score, all rows."""
    import shap

    case = setting(name, one_hot)
    assert isinstance(case.model, TreeEnsemble)
    others = np.vstack([case.reference, case.x[: references - 1]])
    model = case.model
    model.shapley(case.x[:2], others, [1])
    wanted = model.score(case.x)[:, 1] - model.score(others)[:, 1].mean()
    ours_of_trees, here = timed(lambda: model.shapley(case.x, others, [1]))
    explainer = shap.TreeExplainer(case.library, others, feature_perturbation="interventional")
    explainer.shap_values(case.x[:2], check_additivity=False)
    peer, there = timed(lambda: explainer.shap_values(case.x, check_additivity=False))
    peer = peer[:, :, 1] if peer.ndim == 3 else peer
    ours_off, theirs_off = (np.abs(values.sum(axis=1) - wanted).max() for values in (ours_of_trees[:, :, 0], peer))
    return (
        f"| {name} | {case.x.shape[1]} | {references} | {there:.3f} | {here:.3f} | {theirs_off:.0e} | {ours_off:.0e} |"
    )


HEAD = """# {explained:,} explanations, here and with the shap library

One run of `benchmarks/shapley.py` on {table}; models trained on {training:,} rows; processor seconds on one thread.

Values by permutations, one reference row. The peer was timed on the rows named and scaled. *usual*: it has the
evaluations of {orders} orders of all features, and spends them on the features that differ from the reference.
*{orders}*: it walks {orders} orders of those, each there and back. *both ways* is the same work here, *once* walks each
order once. Errors are root mean squares against enumeration, over those rows with at most 14 differing features.

| model | features | rows | shap s, usual | shap s, {orders} | both ways s | once s \
| usual / both ways | {orders} / both ways | usual / once | goal | error, shap {orders} | both ways | once |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""
TREES = """
Exact values of trees, all rows, the score of the second class; the peer is shap's TreeExplainer, interventional. *off*
is the largest distance of the sum of a row's values from its score: the peer takes the wrong branch where a feature
lies within single precision of a threshold.

| model | features | references | shap s | here s | shap off | here off |
|---|---|---|---|---|---|---|
"""


def main(names: list[str]) -> None:
    """Measure, print and write."""
    table = "Adult" if ADULT.is_file() else "made rows"
    text = HEAD.format(explained=EXPLAINED, table=table, training=TRAINING, orders=ORDERS)
    print(text, end="")
    for name in names:
        for one_hot in (False, True):
            text += (line := sampled(name, one_hot) + "\n")
            print(line, end="", flush=True)
    text += TREES
    for name in [name for name in names if name in LIBRARY]:
        for one_hot, references in ((False, 1), (False, 100), (True, 1), (True, 100)):
            text += (line := of_trees(name, one_hot, references) + "\n")
            print(line, end="", flush=True)
    text += f"\nLoad of the 2-core machine at the end: {os.getloadavg()[0]:.1f}.\n"
    RESULT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    with catch_warnings(), threadpool_limits(1):
        simplefilter("ignore")  # what other people's packages say of one another
        main(sys.argv[1:] or list(PEER_ROWS))
