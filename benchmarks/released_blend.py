"""Does an attack that learns from shadow releases how to weigh all others beat them on releases it never saw?

Run it alone: ``python benchmarks/released_blend.py [release ...]``, or ``... nulls`` for how often it would call an
innocent release a leak. Needs the shared data folder. Prints, for each release, the AUC of the blend, of ``dcr-diff``
and of the rank ensemble on the same people, and the blend's gain over each with its 95 % interval.

The blend, settled before a release is looked at: the people whom a target may be compared with fall into three parts.
Surrogate methods (a Bayesian network, sequential trees, a Gaussian copula) are fitted to the first part and release a
row for each person; every attack of the ensemble and of ``MORE`` scores the first two parts on each of these shadow
releases, compared with the third; a logistic regression of who was in the first part on the ranks of the scores gives
the weights. The target's score is the weighted sum of its own ranks on the release.

Nobody is counted whom a surrogate was fitted to. With ``--aside`` half of the holdout is set aside for the surrogates,
as an attacker with other people's rows would, and the other half is counted; else people fall into two parts, and those
of each are scored by surrogates of the other, whoever they are, real or holdout. In both the labels of the counted
people decide no score, so they may be exchanged.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
from scipy.stats import norm, rankdata
from sklearn.linear_model import LogisticRegression

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.released_known import DATA, RELEASES, tables_of
from riskkit import registry
from riskkit.core import Column, Estimate, Floats, Kind, Schema, Table
from riskkit.games.released import ComparisonGroup, ReleasedGame
from riskkit.games.released_deal import deal
from riskkit.released._distances import require_reference
from riskkit.released.ensemble import parts
from riskkit.seeds import stream
from riskkit.stats.permutation import joint_aucs
from riskkit.stats.records import auc
from riskkit.stats.same import auc_difference
from riskkit.table.points import RowPoints
from tests.released import worlds

ROWS = 800
"""People asked about, at most, on a side."""
SURROGATES = ("bayesnet", "synthpop", "copula")
SHADOWS = 1
"""Shadow releases of each surrogate for each part of the people, each of other people."""
LEARNT_FROM = 400
"""People a part, at most, that shadow releases are made of and asked about."""
MORE = ("contest", "collision", "nndr")
"""Attacks beside those of the ensemble; their settings are the defaults."""
RIVALS = ("dcr-diff", "ensemble")


@dataclass(frozen=True)
class Blend:
    """The weighted sum of the ranks of all attacks, with weights from shadow releases."""

    name: ClassVar[str] = "blend"
    title: ClassVar[str] = "Blend"
    card: ClassVar[str] = "Weighs the ranks of other attacks by what they reached on shadow releases."
    needs_reference: ClassVar[bool] = True
    scores_together: ClassVar[bool] = True

    def score(
        self, release: RowPoints, targets: RowPoints, reference: RowPoints | None, rng: np.random.Generator
    ) -> Floats:
        """(n_targets,) higher means in."""
        others = require_reference(reference, self.title)
        shadows = [self._shadow(surrogate, others, rng) for surrogate in SURROGATES for _ in range(SHADOWS)]
        rows, is_in = (np.concatenate(side) for side in zip(*shadows, strict=True))
        learner = LogisticRegression(C=1.0, max_iter=1000).fit(rows, is_in)
        asked: Floats = all_ranks(release, targets, others, rng) @ learner.coef_[0]
        return asked

    @staticmethod
    def _shadow(spelled: str, people: RowPoints, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """The ranks on one shadow release, and who was in."""
        most = min(len(people) // 3, LEARNT_FROM)
        drawn = rng.permutation(len(people))[: 3 * most].reshape(3, -1)
        inside, outside, others = (people.rows(order) for order in drawn)
        table, back = as_table(people, inside)
        fitted = registry.parse("generators", spelled).fit(table, rng)
        shadow = back.points(fitted.sample(most, rng))
        return all_ranks(shadow, inside.plus(outside), others, rng), np.repeat([1.0, 0.0], most)


def all_ranks(release: RowPoints, targets: RowPoints, reference: RowPoints, rng: np.random.Generator) -> Floats:
    """(n_targets, n_attacks) the ranks of all attacks as normal scores, so that releases can be compared."""
    scores = list(parts(release, targets, reference, rng).values())
    scores += [registry.parse("released", name).score(release, targets, reference, rng) for name in MORE]
    return np.column_stack([norm.ppf((rankdata(score) - 0.5) / len(targets)) for score in scores])


def as_table(people: RowPoints, rows: RowPoints) -> tuple[Table, Back]:
    """The rows as a table that a method can be fitted to, and the way back; the domain is that of all people."""
    raw = people.raw().numbers
    columns = []
    for index, column in enumerate(raw.T):
        decimals = next((digits for digits in range(7) if np.allclose(column, np.round(column, digits), atol=1e-8)), 7)
        low, high, mean, sd = float(column.min()), float(column.max()), float(column.mean()), float(column.std() or 1.0)
        columns.append(Column(f"n{index}", Kind.NUMERIC, low=low, high=high, mean=mean, sd=sd, decimals=decimals))
    for index, size in enumerate(people.sizes):
        levels = tuple(f"{level:06d}" for level in range(size))
        columns.append(Column(f"c{index}", Kind.CATEGORICAL, levels=levels))
    return Table(Schema(tuple(columns)), rows.codes, rows.raw().numbers), Back(people)


@dataclass(frozen=True)
class Back:
    """From a table that was made of points to points of the same layout."""

    like: RowPoints

    def points(self, table: Table) -> RowPoints:
        """The rows of the table."""
        numbers = table.numbers
        if self.like.scales:
            mean, unit = np.array(self.like.scales).T
            numbers = (numbers - mean) / unit
        return replace(self.like, numbers=numbers, codes=table.codes, texts=None)


def games(name: str, compared: ComparisonGroup) -> ReleasedGame:
    """The game of one release; that of synthmia_housing is of plain numbers."""
    if name == "housing":
        return housing(compared)
    tables = tables_of(name)
    assert tables.synthetic is not None
    assert tables.holdout is not None
    return deal(tables.real, tables.synthetic, tables.holdout, compared=compared, max_rows=ROWS, seed=1)


def housing(compared: ComparisonGroup) -> ReleasedGame:
    """200 members, others, released rows and reference rows; the reference joins the others."""
    names = ("mem.csv", "non_mem.csv", "synth.csv", "ref.csv")
    arrays = [np.loadtxt(DATA / "synthmia_housing" / file, delimiter=",", skiprows=1) for file in names]
    whole = np.vstack(arrays)
    columns = tuple(
        Column(f"n{index}", Kind.NUMERIC, low=low, high=high, mean=mean, sd=sd, decimals=6)
        for index, (low, high, mean, sd) in enumerate(
            zip(whole.min(0), whole.max(0), whole.mean(0), whole.std(0), strict=True)
        )
    )
    members, others, release, reference = (
        Table(Schema(columns), np.empty((len(array), 0), np.int32), array) for array in arrays
    )
    return deal(members, release, others.plus(reference), compared=compared, max_rows=ROWS, seed=1)


def gain(name: str, compared: ComparisonGroup) -> list[Estimate]:
    """Print what each attack reaches on a release, and the blend's gain over its rivals; the gains."""
    start = time.perf_counter()
    game = games(name, compared)
    blend = game.scores(Blend())
    line, gains = f"blend {auc(blend)}", []
    for rival in RIVALS:
        scores = game.scores(registry.parse("released", rival))
        difference = auc_difference(blend, scores)
        gains.append(difference)
        line += f" | {rival} {_long(auc(scores))}, gain {_long(difference)}"
    line = line.replace(f"blend {auc(blend)}", f"blend {_long(auc(blend))}")
    print(f"{name}: {line} ({time.perf_counter() - start:.0f} s)", flush=True)
    return gains


def _long(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"


def mean_gain(gains: list[Estimate]) -> str:
    """The mean over releases; its interval is as wide as if all erred together, for most are of the same people."""
    value, low, high = (
        float(np.mean([getattr(estimate, end) for estimate in gains])) for end in ("value", "low", "high")
    )
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def nulls(times: int = 200, n: int = 90) -> None:
    """How often the blend calls a release of other people a leak, at 5 %."""
    calls = 0
    for seed in range(times):
        rng = stream(seed, "blend", "nulls")
        sides = [worlds.people(n, rng) for _ in range(3)]
        columns = [
            Column(f"x{index}", Kind.NUMERIC, low=-6, high=6, mean=0.0, sd=1.3, decimals=2) for index in range(4)
        ]
        columns += [
            Column(f"c{index}", Kind.CATEGORICAL, levels=tuple("abc"[:size])) for index, size in enumerate((3, 2))
        ]
        tables = [Table(Schema(tuple(columns)), side.codes, np.round(side.numbers, 2)) for side in sides]
        game = deal(*tables, max_rows=ROWS, seed=seed)
        calls += min(joint_aucs([game.scores(Blend())], game.rng("labels"), level=0.95).p) <= 0.05
        print(f"{calls} of {seed + 1}", end="\r", flush=True)
    most = times * 0.05 + 3 * math.sqrt(times * 0.05 * 0.95)
    print(f"called a leak: {calls} of {times} innocent releases, at most {most:.0f} if it holds its 5 %")


def main() -> None:
    """The gain on the releases that are named, or on all."""
    if not DATA.is_dir():
        print("The shared data folder is not on this machine.")
        return
    names = [name for name in sys.argv[1:] if name != "--aside"]
    if names == ["nulls"]:
        nulls()
        return
    compared = ComparisonGroup.ASIDE if "--aside" in sys.argv else ComparisonGroup.CROSS
    gains = [gain(name, compared) for name in names or [*RELEASES, "housing"]]
    for rival, own in zip(RIVALS, zip(*gains, strict=True), strict=True):
        print(f"mean gain over {rival}: {mean_gain(list(own))}")


if __name__ == "__main__":
    main()
