"""What a membership game costs: Bayesian network, 1,000 rows x 15 columns, 200 trainings x 5 generations, 3 attacks.

Run alone: ``python benchmarks/membership.py``. It times the whole game with one worker and with two (each a fresh
pool of processes), checks that both give the same bytes, and compares with the obvious way, in which every attack has
releases made for itself.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from riskkit.core import Column, Kind, Schema, Table
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership

PLAN = MembershipPlan(
    generators=("bayesnet",),
    targets=("selective",),
    attacks=("mvl", "mvl:variant=syn", "neighbour"),
    trainings=200,
    generations=5,
    n_syn=1000,
    seed=1,
    control=False,
)


def made_table(n: int = 1000, categories: int = 9, numbers: int = 6, seed: int = 0) -> Table:
    """A mixed table of the shape of Adult: 9 dependent categories of 2 to 41 levels, 6 numbers."""
    rng = np.random.default_rng(seed)
    sizes = (2, 2, 5, 6, 7, 7, 14, 16, 41)[:categories]
    latent = rng.standard_normal(n)
    columns: list[Column] = []
    codes, values = [], []
    for index, size in enumerate(sizes):
        noisy = latent + rng.standard_normal(n)
        codes.append(np.clip(((noisy + 3) / 6 * size).astype(int), 0, size - 1))
        columns.append(Column(f"c{index}", Kind.CATEGORICAL, levels=tuple(f"{level:02d}" for level in range(size))))
    for index in range(numbers):
        number = np.round(100 * np.exp(0.5 * latent + 0.5 * rng.standard_normal(n)))
        values.append(number)
        columns.append(
            Column(f"x{index}", Kind.NUMERIC, low=number.min(), high=number.max(), mean=number.mean(), sd=number.std())
        )
    return Table(Schema(tuple(columns)), np.column_stack(codes), np.column_stack(values))


def timed(table: Table, plan: MembershipPlan, workers: int) -> tuple[float, str]:
    """Seconds of the whole run, and its JSON."""
    start = time.perf_counter()
    result = run_membership(table, plan, workers=workers)
    return time.perf_counter() - start, json.dumps(result.as_dict(), sort_keys=True)


def main() -> None:
    """Print the table."""
    table = made_table()
    timed(table, replace(PLAN, trainings=2), 1)  # load and compile once
    seconds, bytes_of_one = timed(table, PLAN, 1)
    seconds_of_two, bytes_two = timed(table, PLAN, 2)
    alone = sum(timed(table, replace(PLAN, attacks=(attack,)), 1)[0] for attack in PLAN.attacks)
    print(f"{PLAN.total_trainings()} trainings, {PLAN.trainings * PLAN.generations} counted releases, 3 attacks")
    print(f"1 worker            {seconds:6.1f} s")
    print(f"2 workers           {seconds_of_two:6.1f} s   (processes start cold)")
    print(f"attack by attack    {alone:6.1f} s   {alone / seconds:.1f} x as long as sharing the releases")
    print(f"same bytes with 1 and 2 workers: {'yes' if bytes_of_one == bytes_two else 'NO'}")


if __name__ == "__main__":
    main()
