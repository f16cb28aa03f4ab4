"""How far model-seeded and traditional risk lie apart for the best attack there can be, by the size of the table.

    python benchmarks/records_gap.py [--page]

For a Bayesian network of degree 1 both risks are found without playing. A record's model-seeded risk in one table is
its certificate. The traditional game draws other people around the record for every release; its best attacker, told
which, adds up the same log ratios, so its AUC is that of the sums of many tables put together. What is left to chance
is which records and tables were drawn: intervals are from records drawn again. Results are kept in
``benchmarks/results/records_gap.json``, ``--page`` prints them as Markdown. Adult is read where tests find it.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from riskkit.core import Floats, Ints, Table  # noqa: E402
from riskkit.generators.bayesnet import BayesNet  # noqa: E402
from riskkit.seeds import stream  # noqa: E402
from riskkit.stats.atoms import Atoms  # noqa: E402
from riskkit.stats.optimal import Optimal, optimal  # noqa: E402
from tests.tables import adult  # noqa: E402

RESULTS = ROOT / "benchmarks" / "results" / "records_gap.json"
SIZES = (1_000, 3_000, 10_000)
RECORDS, TABLES, ROUNDS = 150, 12, 2_000
SHORT = 1_000
"""Rows of a release where it is not as long as the table."""
LIMITS = (0.6, 0.8)
MOVED = 2_000
"""Rows drawn where the network is another one without the record; the AUC is then near 1, and few rows show that."""


def law(every: Table, keys: Ints, row: int, size: int, number: int) -> Any:
    """What a released row says of that record among ``size - 1`` others, drawn anew for every number.

    Where the network is another one without the record it is found on rows drawn near the record.
    """
    rng = stream(1, "records gap", row, size, number)
    drawn = rng.permutation(len(every))[: size + 50]
    others = np.sort(drawn[keys[drawn] != keys[row]][: size - 1])
    fitted = BayesNet().fit(every.rows(np.append(others, row)), rng)
    exact = fitted.ratios().ratio(size - 1).law
    if exact is not None:
        return exact
    near = fitted.drawn_near(size - 1, MOVED, rng)
    return Atoms.weigh(near.value, near.weight, near.unseen)


def across(best: list[Optimal]) -> Floats:
    """(tables, tables) chance that a release of the one with the record looks more like it than one of the other."""
    out = np.empty((len(best), len(best)))
    for row, first in enumerate(best):
        below = np.cumsum(first.sums[0]) - first.sums[0] / 2
        grid = first.start + first.step * np.arange(len(below))
        for column, second in enumerate(best):
            places = second.start + second.step * np.arange(second.sums.shape[1])
            lost = float(second.sums[1] @ np.interp(places, grid, below, left=0.0, right=1.0))
            out[row, column] = 1 - first.quiet_in * second.quiet_out * lost
    return out


def risks(every: Table, keys: Ints, row: int, size: int) -> dict[str, Any]:
    """The best attack's AUC in each table, and when all tables are one game, by the rows of a release."""
    laws = [law(every, keys, row, size, number) for number in range(TABLES)]
    out: dict[str, Any] = {"moved": sum(isinstance(best, Atoms) for best in laws)}
    for name, n in (("short", SHORT), ("full", size)):
        chances = across([optimal(best, n) for best in laws])
        out[name] = [*np.diag(chances).round(5).tolist(), round(float(chances.mean()), 5)]
    return out


def play() -> dict[str, Any]:
    """Every size, with the processor time of each."""
    every = adult(45_222)
    keys = np.unique(every.keys(), return_inverse=True)[1]
    rows = np.sort(stream(1, "records gap", "rows").permutation(len(every))[:RECORDS]).tolist()
    out: dict[str, Any] = {"rows": rows, "tables": TABLES, "sizes": {}}
    for size in SIZES:
        started = time.process_time()
        results = [risks(every, keys, row, size) for row in rows]
        seconds = round(time.process_time() - started, 1)
        out["sizes"][str(size)] = {
            **{n: [result[n] for result in results] for n in ("short", "full", "moved")},
            "seconds": seconds,
        }
        print(size, seconds, flush=True)
    return out


def figures(risk: Floats) -> Floats:
    """Means of both risks, their root mean square gap, and at each limit the missed share and the share above it.

    ``risk`` (records, tables + 1), the last column the traditional one. Of the gap, the part between tables has its
    unbiased variance, so that few tables do not make it smaller.
    """
    seeded, other = risk[:, :-1], risk[:, -1:]
    square = seeded.var(axis=1, ddof=1) + (seeded.mean(axis=1) - other[:, 0]) ** 2
    out = [float(seeded.mean()), float(other.mean()), float(np.sqrt(square.mean()))]
    for limit in LIMITS:
        high = seeded > limit
        out += [float((other <= limit)[np.nonzero(high)[0], 0].mean()) if high.any() else np.nan, float(high.mean())]
    return np.array(out)


def figure(value: float, drawn: Floats) -> str:
    """A value with its 95 % interval from records drawn again."""
    if np.isnan(value):
        return "none above"
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def page(kept: dict[str, Any]) -> str:
    """The table of docs/records.md, and the ratio of the gaps.

    ``steady`` records leave the network as it is in every table that was drawn.
    """
    head = ["records", "rows of D", "rows of a release", "mean R_MS", "mean R_T", "RMSD"]
    head += [f"{what} {limit}" for limit in LIMITS for what in ("MR at", "share above")]
    lines, gaps = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)], {}
    for name, kind in (("full", "all"), ("short", "all"), ("full", "steady")):
        for size in SIZES:
            results = kept["sizes"][str(size)]
            risk = np.array(results[name])
            if kind == "steady":
                risk = risk[np.array(results["moved"]) == 0]
            again = np.random.default_rng(1).integers(0, len(risk), (ROUNDS, len(risk)))
            drawn = np.array([figures(risk[rows]) for rows in again])
            cells = [figure(*pair) for pair in zip(figures(risk), drawn.T, strict=True)]
            rows = size if name == "full" else SHORT
            lines.append(f"| {len(risk)} {kind} | {size:,} | {rows:,} | {' | '.join(cells)} |")
            if kind == "all":
                gaps[name, size] = figures(risk)[2], drawn[:, 2]
    for name in ("full", "short"):
        first, last = gaps[name, SIZES[0]], gaps[name, SIZES[-1]]
        ratio = figure(last[0] / first[0], last[1] / first[1])
        lines.append(f"\nRMSD at {SIZES[-1]:,} over that at {SIZES[0]:,}, {name}: {ratio}")
    return "\n".join(lines)


def main() -> None:
    """Find the risks, or print the page of those that are kept."""
    if sys.argv[1:] != ["--page"]:
        with threadpool_limits(1):
            RESULTS.write_text(json.dumps(play(), sort_keys=True) + "\n", encoding="utf-8")
    print(page(json.loads(RESULTS.read_text(encoding="utf-8"))))


if __name__ == "__main__":
    main()
