"""What a fit and a release as long cost from a thousand to a million rows: seconds, memory, slope and a figure.

Run it alone: ``python benchmarks/scaling.py [rows ...]``. One thread, processor time, the least of three runs (one for
a million rows), each generator and size in a process of its own so that its peak of memory is its own. The rows are
drawn again, with replacement, from Adult's where the table is at hand, else from made ones. Writes
``docs/generators-cost.svg``.
"""

from __future__ import annotations

import json
import math
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.generators import ADULT, rows
from riskkit import registry

SIZES = (1_000, 10_000, 100_000, 1_000_000)
SHOWN = {
    "stat": "#b45309",
    "histogram": "#0f766e",
    "bayesnet": "#1d4ed8",
    "bayesnet:degree=2": "#7c3aed",
}
FIGURE = Path(__file__).resolve().parents[1] / "docs" / "generators-cost.svg"
WIDTH, HEIGHT = 700, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 470, 24, 312

Point = tuple[int, float, float]
"""Rows, processor seconds, and megabytes beyond the table."""


def megabytes() -> float:
    """The most memory this process has held."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def measure(spelled: str, n: int) -> tuple[float, float]:
    """Seconds of a fit and a release of ``n`` rows, and how far memory rose above what the table itself takes."""
    generator, real = registry.parse("generators", spelled), rows(30_162)
    small = real.rows(slice(1_000))
    generator.fit(small, np.random.default_rng(0)).sample(1_000, np.random.default_rng(0))
    table = real.rows(np.random.default_rng(0).integers(len(real), size=n)) if n > 1_000 else small
    before, taken = megabytes(), []
    for seed in range(3 if n < SIZES[-1] else 1):
        rng, start = np.random.default_rng(seed), time.process_time()
        generator.fit(table, rng).sample(n, rng)
        taken.append(time.process_time() - start)
    return min(taken), megabytes() - before


def alone(spelled: str, n: int) -> Point:
    """:func:`measure` in a process of its own."""
    process = subprocess.run(
        [sys.executable, __file__, "--one", spelled, str(n)], capture_output=True, text=True, check=True
    )
    seconds, risen = json.loads(process.stdout)
    return n, seconds, risen


def slope(points: list[Point]) -> float:
    """Of the logarithm of seconds over the logarithm of rows, by least squares."""
    n, seconds, _ = zip(*points, strict=True)
    return float(np.polyfit(np.log(n), np.log(seconds), 1)[0])


def place(n: float, seconds: float, low: int, high: int) -> tuple[float, float]:
    """Where a point lies in the figure, both axes logarithmic; ``low`` and ``high`` are powers of ten of seconds."""
    x = LEFT + (RIGHT - LEFT) * (math.log10(n) - 3) / 3
    return x, BOTTOM - (BOTTOM - TOP) * (math.log10(seconds) - low) / (high - low)


def line(x: float, y: float, to_x: float, to_y: float) -> str:
    """One thin line of the grid."""
    return f'<line x1="{x:.0f}" y1="{y:.0f}" x2="{to_x:.0f}" y2="{to_y:.0f}" stroke="#e2e8f0"/>'


def words(x: float, y: float, text: str, anchor: str = "start", colour: str = "#334155") -> str:
    """A few words."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{text}</text>'


def figure(measured: dict[str, list[Point]]) -> str:
    """The seconds over the rows as an SVG."""
    every = [seconds for points in measured.values() for _, seconds, _ in points]
    low, high = math.floor(math.log10(min(every))), math.ceil(math.log10(max(every)))
    frame = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12"'
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {frame}>',
        f"<title>Seconds of a fit and a release over rows: {', '.join(measured)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for power in range(low, high + 1):
        y = place(1_000, 10.0**power, low, high)[1]
        out += [line(LEFT, y, RIGHT, y), words(LEFT - 8, y + 4, f"{10.0**power:g} s", "end")]
    for n in SIZES:
        x = place(n, 1, low, high)[0]
        out += [line(x, TOP, x, BOTTOM), words(x, BOTTOM + 18, f"{n:,}", "middle")]
    out.append(words((LEFT + RIGHT) / 2, BOTTOM + 38, "rows of 15 columns", "middle"))
    ends = sorted((place(*points[-1][:2], low, high)[1], name) for name, points in measured.items())
    label = -math.inf
    for y, name in ends:
        label = max(y, label + 16)
        points = measured[name]
        path = " ".join("{:.1f},{:.1f}".format(*place(*point[:2], low, high)) for point in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{SHOWN[name]}" stroke-width="2"/>')
        text = f"{name}: {points[-1][1]:.1f} s, slope {slope(points):.2f}"
        out.append(words(RIGHT + 8, label + 4, text, colour=SHOWN[name]).replace("<text", '<text font-size="11"'))
    return "\n".join([*out, "</svg>"]) + "\n"


def main(sizes: tuple[int, ...]) -> None:
    """Print the figures and draw them."""
    print(f"rows: {'Adult' if ADULT.is_file() else 'made'}; fit and release as long, one thread, processor seconds\n")
    print(f"{'generator':20} {'rows':>10} {'seconds':>9} {'us a row':>9} {'MB beyond the table':>20}")
    measured: dict[str, list[Point]] = {}
    for name in SHOWN:
        measured[name] = [alone(name, n) for n in sizes]
        for n, seconds, risen in measured[name]:
            print(f"{name:20} {n:>10,} {seconds:>9.3f} {1e6 * seconds / n:>9.2f} {risen:>20,.0f}", flush=True)
        print(f"{name:20} slope {slope(measured[name]):.2f}", flush=True)
    if sizes == SIZES:
        FIGURE.write_text(figure(measured), encoding="utf-8")


if __name__ == "__main__":
    with threadpool_limits(1):
        if sys.argv[1:2] == ["--one"]:
            print(json.dumps(measure(sys.argv[2], int(sys.argv[3]))))
        else:
            main(tuple(map(int, sys.argv[1:])) or SIZES)
