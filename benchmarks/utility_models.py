"""Table 4 of Miura and others, model by model: what boosted trees, a tree and support vectors learn from a release.

Run it alone: ``python benchmarks/utility_models.py [generator ...]``; it prints the table of ``docs/utility.md`` that
stands beside Table 4. Halves, releases and boosted trees are those of ``benchmarks/utility.py``; the tree and the
support vectors are scikit-learn's with their defaults, and a shallow tree is beside them. CTGAN takes minutes a
training, so it is not played here.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.utility import NETWORK, SECRET, halves, learnt, released
from riskkit.core import Floats, Ints, Role, Table
from riskkit.stats.intervals import critical
from riskkit.table.encode import onehot

SEEDS = 5
"""Independent trainings of each method, each with halves of its own."""
DEPTH = 5
"""Questions of the shallow tree: how deep the published one is, is not known."""
MODELS = ("boosted trees", "tree", "shallow tree", "support vectors")
PRINTED = (0, 1, 1, 2)
"""Which printed figure stands beside each of them."""
PRIVATE = "privbayes"
SHOWN = ("the real half", "stat", NETWORK, PRIVATE)
PAPER: Mapping[str, tuple[float, float, float]] = {
    "stat": (0.79272, 0.77526, 0.78904),
    NETWORK: (0.83664, 0.83394, 0.82484),
    "ctgan": (0.81504, 0.80246, 0.81314),
    PRIVATE: (0.79742, 0.80796, 0.79012),
}
"""Accuracy of XGBoost, of a tree and of support vectors, as printed in Table 4."""
Model = Callable[[Table, Table, int], float]


def parted(table: Table) -> tuple[Floats, Ints]:
    """All columns but the secret as a matrix, numbers as standard scores; and the secret's codes."""
    column = table.schema.column(SECRET)
    place = table.schema.categorical.index(column)
    schema = table.schema.with_column(replace(column, role=Role.IGNORED))
    others = Table(schema, np.delete(table.codes, place, axis=1), table.numbers)
    return onehot(others, scale="standard", drop_first=False), table.codes[:, place].astype(np.int64)


def accuracy(made: DecisionTreeClassifier | SVC, release: Table, test: Table) -> float:
    """The share of test rows whose secret that model tells rightly once it has learnt from the release."""
    rows, secrets = parted(release)
    asked, truth = parted(test)
    return float((made.fit(rows, secrets).predict(asked) == truth).mean())


def models() -> dict[str, Model]:
    """Each model as a function of a release, test rows and a seed."""
    return {
        MODELS[0]: lambda release, test, seed: learnt(release, test, seed).accuracy,
        MODELS[1]: lambda release, test, seed: accuracy(DecisionTreeClassifier(random_state=seed), release, test),
        MODELS[2]: lambda release, test, seed: accuracy(
            DecisionTreeClassifier(max_depth=DEPTH, random_state=seed), release, test
        ),
        MODELS[3]: lambda release, test, _: accuracy(SVC(), release, test),
    }


def next_one(values: Floats) -> tuple[float, float]:
    """Where one more training would lie, 95 %: the mean and Student's interval of a single further value."""
    reach = critical(0.95, len(values)) * values.std(ddof=1) * np.sqrt(1 + 1 / len(values))
    return float(values.mean() - reach), float(values.mean() + reach)


def cell(values: Floats, printed: float | None) -> str:
    """The mean, where one more training would lie, and the printed figure beside it."""
    low, high = next_one(values)
    text = f"{values.mean():.3f} [{low:.3f}, {high:.3f}]"
    if printed is None:
        return f"{text} | "
    place = "inside" if low <= printed <= high else "below" if printed < low else "above"
    return f"{text} | {printed:.3f}, {place}"


def row(name: str, accuracies: Mapping[str, Floats], seconds: float) -> str:
    """One line of the table."""
    printed = PAPER.get(name)
    cells = [cell(accuracies[model], printed and printed[place]) for model, place in zip(MODELS, PRINTED, strict=True)]
    return f"| {name} | {' | '.join(cells)} | {seconds:.0f} |"


def main(shown: tuple[str, ...]) -> None:
    """Print the table."""
    print(f"| learnt from | {' | printed | '.join(MODELS)} | printed | seconds |")
    print("|---" * (2 * len(MODELS) + 2) + "|", flush=True)
    split = [halves(seed) for seed in range(SEEDS)]
    for name in shown:
        start = time.process_time()
        releases = [train if name == SHOWN[0] else released(name, train, seed) for seed, (train, _) in enumerate(split)]
        accuracies = {
            model: np.array([learn(release, split[seed][1], seed) for seed, release in enumerate(releases)])
            for model, learn in models().items()
        }
        print(row(name, accuracies, time.process_time() - start), flush=True)


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SHOWN)
