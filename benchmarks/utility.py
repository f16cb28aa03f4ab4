"""What a release is still good for: telling the income of people from a model that was trained on it.

Run it alone: ``python benchmarks/utility.py [generator ...]``; it prints a table in Markdown. Half of Adult's 30,162
complete rows trains the generator, gradient-boosted trees learn from a release as long, and the other half tests them.
Every seed halves the table anew and is one independent training. CTGAN takes minutes a training, so it is run when it
is named. The first part of ``docs/utility.md`` is the output for ``stat bayesnet bayesnet:bins=20,degree=2 ctgan copula
synthpop``.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, rows
from benchmarks.train_on_synthetic import Learnt, train_on_synthetic
from riskkit import registry
from riskkit.core import Floats, Table
from riskkit.stats.intervals import critical

ROWS = 30_162
SECRET = "income"
SEEDS = 3
NETWORK = "bayesnet:bins=20,degree=2"
"""The network whose accuracy is nearest to that of the BN in the literature, which does not say how its own is set."""
SHOWN = ("stat", NETWORK)
PAPER = {"stat": 0.793, NETWORK: 0.837, "ctgan": 0.815}
"""Accuracy of XGBoost in Miura and others, Table 4, on half of Adult; one training each, no interval."""


HEAD = f"""# What can be learnt from a release

Half of Adult's {ROWS:,} complete rows trains the generator, which releases as many; gradient-boosted trees learn the
{SECRET} from the release and are tested on the other half. Mean of {SEEDS} independent trainings, each with halves of
its own, and Student's 95 % interval over them. Settings that are not named are at their defaults (CTGAN: 100 epochs in
batches of 500). The literature is Table 4 of Miura and others. Made by `benchmarks/utility.py`.

| learnt from | accuracy | balanced accuracy | literature | seconds of processor |
|---|---|---|---|---|"""


def halves(seed: int) -> tuple[Table, Table]:
    """The rows to train on and those to test on."""
    table = rows(ROWS)
    shuffled = np.random.default_rng([seed, 0]).permutation(len(table))
    return table.rows(shuffled[: len(table) // 2]), table.rows(shuffled[len(table) // 2 :])


def released(name: str, train: Table, seed: int) -> Table:
    """A release as long as the table, of a training of its own."""
    rng = np.random.default_rng([seed, 1])
    release: Table = registry.parse("generators", name).fit(train, rng).sample(len(train), rng)
    return release


def learnt(release: Table, test: Table, seed: int) -> Learnt:
    """What the trees learn from the release."""
    return train_on_synthetic(release, test, SECRET, np.random.default_rng([seed, 2]))


def interval(values: Floats) -> str:
    """The mean and Student's 95 % interval over independent trainings."""
    mean, reach = values.mean(), critical(0.95, len(values)) * values.std(ddof=1) / np.sqrt(len(values))
    return f"{mean:.4f} [{mean - reach:.4f}, {mean + reach:.4f}]"


def row(name: str, learners: list[Learnt], seconds: float = np.nan) -> str:
    """One line of the table."""
    accuracy = interval(np.array([each.accuracy for each in learners]))
    balanced = interval(np.array([each.balanced for each in learners]))
    paper = f"{PAPER[name]:.3f}" if name in PAPER else ""
    taken = "" if np.isnan(seconds) else f"{seconds:.2f}"
    return f"| {name} | {accuracy} | {balanced} | {paper} | {taken} |"


def constant(each: Learnt, test: Table) -> Learnt:
    """What saying the most frequent level of everyone achieves."""
    levels = len(np.unique(test.codes[:, [column.name for column in test.schema.categorical].index(SECRET)]))
    return Learnt(each.majority, 1 / levels, each.majority, each.n)


def main(shown: tuple[str, ...]) -> None:
    """Print the table."""
    if not ADULT.is_file():
        sys.exit("The Adult table is not at hand; made rows would say nothing of use.")
    split = [halves(seed) for seed in range(SEEDS)]
    print(HEAD)
    real = [learnt(train, test, seed) for seed, (train, test) in enumerate(split)]
    print(row("the real half (ceiling)", real))
    print(row("its majority", [constant(each, test) for each, (_, test) in zip(real, split, strict=True)]), flush=True)
    accuracies: dict[str, Floats] = {}
    for name in shown:
        start = time.process_time()
        releases = [released(name, train, seed) for seed, (train, _) in enumerate(split)]
        taken = (time.process_time() - start) / SEEDS
        learners = [learnt(release, split[seed][1], seed) for seed, release in enumerate(releases)]
        print(row(name, learners, taken), flush=True)
        accuracies[name] = np.array([each.accuracy for each in learners])
    print("\nAccuracy of one less that of another, seed by seed:\n")
    for less, more in pairwise(sorted(shown, key=lambda name: accuracies[name].mean())):
        print(f"- {more} less {less}: {interval(accuracies[more] - accuracies[less])}")


if __name__ == "__main__":
    main(tuple(sys.argv[1:]) or SHOWN)
