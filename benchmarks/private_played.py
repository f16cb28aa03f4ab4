"""How near played attacks come to what a private method allows, on rows of Adult.

    python benchmarks/private_played.py METHOD [--targets 8] [--trainings 300] [--fits 0]

The model-seeded game: the table with and without a record. Trainings with everybody are shared by all records, those
without a record are its own. Played are ``f_error`` by the law of the noise, the best white box attack, and as
published; and with ``--fits`` the black box ``likelihood`` of so many own trainings a side. Beside them stands what the
best white box attack reaches by its law: its log ratio weighs each training with the record as one without, so that
AUC needs trainings of one side alone. Intervals (95 %) of means over records are from records drawn again, with the
error of shared trainings added by drawing trainings again.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from riskkit import registry  # noqa: E402
from riskkit.core import Brief, Floats, Table  # noqa: E402
from riskkit.games.membership import view_for  # noqa: E402
from riskkit.questions.promises import certificate, claim  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.stats.privacy import auc_cap  # noqa: E402
from riskkit.targets.vulnerable import isolation  # noqa: E402
from tests.tables import adult  # noqa: E402

ROWS, AGAIN = 1_000, 500


def auc(inside: Floats, outside: Floats) -> float:
    """The share of pairs in the right order; ties count one half."""
    gap = inside[:, None] - outside[None]
    return float((gap > 0).mean() + (gap == 0).mean() / 2)


def by_its_law(ratio: Floats) -> float:
    """The AUC of a log ratio from draws with the record alone: ``exp(-ratio)`` weighs them as draws without."""
    weight = np.exp(-ratio) / np.exp(-ratio).sum()
    order = np.argsort(ratio)
    below = np.cumsum(weight[order]) - weight[order] / 2
    return float(below.mean())


def played(table: Table, method: str, row: int, attacks: list[Any], with_all: list[Any], trainings: int) -> Floats:
    """(attacks, 2, trainings) scores with and without that record."""
    generator, world = registry.parse("generators", method), table.without(row)
    brief = Brief(targets=table.rows([row]), data=world, generator=generator)
    fits = [attack.fit(brief, stream(1, "played", row)) for attack in attacks]
    out = np.empty((len(attacks), 2, trainings))
    for number in range(trainings):
        rng = stream(1, "played", "out", row, number)
        own = generator.fit(world, rng)
        for side, (model, release) in enumerate((with_all[number], (own, own.sample(ROWS, rng)))):
            out[:, side, number] = [float(fit.score(view_for(fit, model, release))[0]) for fit in fits]
    return out


def main() -> None:
    """Play, and print a JSON object."""
    parser = argparse.ArgumentParser()
    parser.add_argument("method")
    parser.add_argument("--targets", type=int, default=8)
    parser.add_argument("--trainings", type=int, default=300)
    parser.add_argument("--fits", type=int, default=0)
    options = parser.parse_args()
    table = adult(ROWS)
    start, generator = time.process_time(), registry.parse("generators", options.method)
    named = ["f_error", "f_error:weigh=errors", *([f"likelihood:fits={options.fits}"] if options.fits else [])]
    attacks = [registry.parse("attacks", name) for name in named]
    half = options.targets // 2
    odd = np.argsort(-isolation(table, 5), kind="stable")[:half].tolist()
    rest = stream(1, "played", "records").permutation(np.setdiff1d(np.arange(ROWS), odd))
    rows = [*odd, *rest[: options.targets - half].tolist()]
    with_all = []
    for number in range(options.trainings):
        rng = stream(1, "played", "in", number)
        fitted = generator.fit(table, rng)
        with_all.append((fitted, fitted.sample(ROWS, rng)))
    scores = np.array([played(table, options.method, row, attacks, with_all, options.trainings) for row in rows])
    rng, columns = stream(1, "played", "again"), len(table.schema.modelled)
    again = []
    for _ in range(AGAIN):
        who = rng.integers(len(rows), size=len(rows))
        shared = rng.integers(options.trainings, size=options.trainings)
        drawn = []
        for record in who:
            own = rng.integers(options.trainings, size=options.trainings)
            sides = [(scores[record, a, 0][shared], scores[record, a, 1][own]) for a in range(len(named))]
            drawn.append([*(auc(*each) for each in sides), by_its_law(scores[record, 0, 0][shared])])
        again.append(np.mean(drawn, axis=0))
    each = [
        [*(auc(*scores[record, a]) for a in range(len(named))), by_its_law(scores[record, 0, 0])]
        for record in range(len(rows))
    ]
    ends = np.quantile(again, [0.025, 0.975], axis=0)
    claimed, relation = claim(options.method), "add-one"
    aucs = {
        name: {
            "mean": round(float(np.mean(each, axis=0)[column]), 4),
            "interval": ends[:, column].round(4).tolist(),
            "least": round(min(aucs[column] for aucs in each), 4),
            "most": round(max(aucs[column] for aucs in each), 4),
        }
        for column, name in enumerate([*named, "f_error by its law"])
    }
    print(
        json.dumps(
            {
                "method": options.method,
                "records": len(rows),
                "trainings": options.trainings,
                "promise": auc_cap(claimed.epsilon or 0.0, claimed.delta),
                "certificate": certificate(options.method, relation, ROWS, columns),
                "played": aucs,
                "seconds": round(time.process_time() - start, 1),
            },
            indent=1,
        )
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
