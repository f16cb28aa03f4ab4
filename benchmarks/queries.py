"""What the learned attacks cost a release and a record, beside the obvious loops: features first, then the model.

Run it alone: ``python benchmarks/queries.py``. One thread, best of several runs, processor time. The rows
are Adult's first 1,000 complete ones with all 15 columns where the table is at hand, else made ones of the same shape;
answers are checked to be those of the loops. The last part puts the model beside everything else a record costs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, rows
from riskkit.attacks.groundhog import FEATURES, Groundhog, correlations, histograms
from riskkit.attacks.queries import Queries
from riskkit.core import Attack, Brief, Floats, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.table.encode import layout, onehot
from riskkit.table.subset_counts import SubsetCounts

ROWS = 1_000


def taken(work: Callable[[], object], repeats: int) -> float:
    """Milliseconds of processor time, best of several runs."""
    work()
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return float(best * 1e3)


def mask_by_mask(record: Table, table: Table) -> list[int]:
    """All answers by the obvious loop: one set of columns after the other, over whole columns."""
    agrees = []
    for block in layout(table.schema):
        if block.column.is_numeric:
            agrees.append(table.numbers[:, block.source] >= record.numbers[0, block.source])
        else:
            agrees.append(table.codes[:, block.source] == record.codes[0, block.source])
    answers = []
    for mask in range(1, 2 ** len(agrees)):
        together = np.ones(len(table), dtype=bool)
        for column, agree in enumerate(agrees):
            if mask >> column & 1:
                together &= agree
        answers.append(int(together.sum()))
    return answers


def pair_by_pair(table: Table) -> Floats:
    """All correlations by the obvious loop: one pair of one-hot columns after the other."""
    matrix = onehot(table, scale="standard")
    out = []
    for first in range(matrix.shape[1]):
        for second in range(first + 1, matrix.shape[1]):
            x, y = matrix[:, first] - matrix[:, first].mean(), matrix[:, second] - matrix[:, second].mean()
            length = np.sqrt((x @ x) * (y @ y))
            out.append(x @ y / length if length > 1e-9 else 0.0)
    return np.array(out)


def numpy_histograms(table: Table) -> list[Floats]:
    """The levels and bins of every column, one after the other, by numpy on the domain."""
    out = []
    for block in layout(table.schema):
        if block.column.is_numeric:
            bounds = (block.column.low, block.column.high)
            out.append(np.histogram(table.numbers[:, block.source], 10, bounds)[0])
        else:
            out.append(np.bincount(table.codes[:, block.source], minlength=len(block.column.levels)))
    return out


def line(what: str, ours: float, other: float | None = None) -> None:
    """One line of the table."""
    beside = "" if other is None else f"{other:>12.3f}{other / ours:>9.0f}x"
    print(f"{what:52}{ours:>10.3f}{beside}")


def features(table: Table) -> None:
    """Features of one release, ours and the loops'."""
    print(f"{'features of a release':52}{'ms':>10}{'loop ms':>12}{'ratio':>10}")
    record = table.rows([0])
    queries = SubsetCounts.draw(record, rng=np.random.default_rng(0))
    assert queries.counts(table)[0].tolist() == mask_by_mask(record, table)
    assert np.allclose(correlations(table), pair_by_pair(table), atol=1e-9)
    slow = taken(lambda: mask_by_mask(record, table), 1)
    line(f"queries, all {len(queries):,} sets", taken(lambda: queries.counts(table), 300), slow)
    ten = SubsetCounts.draw(table.rows(np.arange(10)), rng=np.random.default_rng(0))
    line("queries, all sets for ten targets", taken(lambda: ten.counts(table), 50), 10 * slow)
    slow = taken(lambda: pair_by_pair(table), 1)
    line(f"correlations, {len(correlations(table)):,}", taken(lambda: correlations(table), 300), slow)
    slow_histograms = taken(lambda: numpy_histograms(table), 50)
    line(f"histograms, {len(histograms(table)):,}", taken(lambda: histograms(table), 300), slow_histograms)
    line("figures", taken(lambda: FEATURES["naive"](table), 300))
    line("ensemble: all three", taken(lambda: FEATURES["ensemble"](table), 300))


def models(table: Table, own: int) -> None:
    """What a record costs: own releases, features and the model; and a look at one release."""
    rng = np.random.default_rng(0)
    start = time.process_time()
    sides = [[BayesNet().fit(world, rng).sample(ROWS, rng) for _ in range(own)] for world in (table, table.without(0))]
    print(f"\n{2 * own} own releases of bayesnet take {(time.process_time() - start) * 1e3:.0f} ms")
    print(f"{'attack':52}{'fit ms':>10}{'look ms':>12}")
    brief = Brief(table.rows([0]), shadows_in=sides[0], shadows_out=sides[1])
    attacks: list[Attack] = [Queries(own=own), Queries(own=own, model="forest")]
    attacks += [Groundhog(own=own, model=model) for model in ("forest", "logistic", "k-nn", "svm")]
    attacks += [Groundhog(own=own, features="ensemble", model=model) for model in ("forest", "logistic", "k-nn", "svm")]
    for attack in attacks:
        start = time.process_time()
        fitted = attack.fit(brief, rng)
        fit = (time.process_time() - start) * 1e3
        look = taken(lambda fitted=fitted: fitted.score(table), 20)  # type: ignore[misc]
        shown = " ".join(str(getattr(attack, name)) for name in ("features", "model") if hasattr(attack, name))
        print(f"{attack.name + ' ' + shown:52}{fit:>10.0f}{look:>12.3f}")


def main() -> None:
    """Print the figures."""
    table = rows(ROWS)
    print(f"rows: {ROWS} of {'Adult' if ADULT.is_file() else 'made ones'}, {len(table.schema.modelled)} columns\n")
    with threadpool_limits(1):
        features(table)
        for own in (50, 200):
            models(table, own)


if __name__ == "__main__":
    main()
