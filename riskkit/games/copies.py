"""How the released rows lie beside the real ones: distances, and who is nearer. It describes and judges nothing.

Distances between rows neither pass nor fail a release: one that copies nobody can give everybody away, and a table of
few values is full of equal rows that mean nothing. Where a holdout is given, every figure stands beside the same
figure for people who were not in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riskkit.base import stages
from riskkit.core import Bools, Floats, Ints, Table
from riskkit.phrases import phrase
from riskkit.table.canonical import canonical
from riskkit.table.neighbours import nearest
from riskkit.table.people.persons import Persons
from riskkit.table.points import RowPoints, points_of

PAIRS = 60_000_000
"""Pairs of rows that one search looks at; where there are more, fewer rows are asked about, drawn at random."""
LEAST = 1_000
"""Rows that are asked about however large the table is."""
QUANTILES = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
BINS = 60
Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Share:
    """``count`` of ``of``; how many of a group of rows have something."""

    count: int
    of: int
    share: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "share", self.count / self.of if self.of else 0.0)


@dataclass(frozen=True, slots=True)
class Nearer:
    """The share of released rows that lie nearer to a real row than to a holdout row, both of one number; ties halve.

    The interval [low, high] is Wilson's at 95 % for ``n`` independent rows: released rows with the same nearest row
    count as one cluster (Kish), because they fall on one side together.
    """

    value: float
    low: float
    high: float
    n: float
    level: float = 0.95
    method: str = "Wilson, released rows with one nearest row as a cluster"


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """All figures. Those of ``holdout`` are missing where none was given, others where there are too few rows.

    ``near`` counts released rows that are no copies, yet lie nearer to their nearest real row than that row's nearest
    *other* real row does: within the table's own spacing. Rows that stand in the table twice have no spacing and are
    never counted. The holdout is judged by its own spacing, with as many rows.

    ``asked`` says how many rows the distances are taken of: ``synthetic`` released rows to ``of_each`` rows of each
    table, and ``back`` rows of each to the whole release. ``dcr`` is the distance from each row to the nearest released
    row, ``nndr`` that distance over the one to the second nearest; both by side, with quantiles and one histogram for
    all sides.
    """

    rows: Mapping[str, int]
    asked: Mapping[str, int]
    near: Mapping[str, Share]
    nearer_to_real: Nearer | None
    dcr: Mapping[str, Any] | None
    nndr: Mapping[str, Any] | None


def panel(
    real: Table,
    synthetic: Table,
    holdout: Table | None,
    rng: np.random.Generator,
    persons: Persons | None = None,
    threads: int | None = None,
) -> Panel:
    """Describe the release beside the real table and, where there is one, the holdout.

    Distances use as many real as holdout rows, and where a search would look at more than :data:`PAIRS` pairs a random
    part of the rows that are asked about. They are the same whatever the order of rows. Searches run on so many
    threads, which change no figure.

    Raises
    ------
    DesignError
        A table has no rows, or the schema no column to compare rows by.
    """
    tables = {"real": real} if holdout is None else {"real": real, "holdout": holdout}
    stages.say(phrase("Rows of the tables in one order"))
    (release, *points), undo = canonical(points_of([synthetic, *tables.values()]))
    of_each = min(map(len, points))
    chosen = {side: rng.permutation(len(own))[:of_each] for side, own in zip(tables, points, strict=True)}
    sides = {side: own.rows(places) for (side, places), own in zip(chosen.items(), points, strict=True)}
    queries = _some(release, of_each, rng)
    stages.say(phrase("Distances between rows"))
    out, back = {}, {}
    for done, (side, own) in enumerate(sides.items()):
        stages.part(done, 2 * len(sides))
        out[side] = nearest(queries, own, threads=threads)
    for done, (side, own) in enumerate(sides.items(), start=len(sides)):
        stages.part(done, 2 * len(sides))
        back[side] = nearest(_some(own, len(release), rng), release, min(2, len(release)), threads=threads)
    stages.say(phrase("Rows within the spacing of a table"))
    near = {
        side: _near(out[side][0][:, 0], out[side][1][:, 0], own, threads) for side, own in sides.items() if of_each > 1
    }
    return Panel(
        rows={**{side: len(table) for side, table in tables.items()}, "synthetic": len(synthetic)},
        asked={"synthetic": len(queries), "of_each": of_each, "back": len(back["real"][0])},
        near=near,
        nearer_to_real=_nearer(out["real"], out["holdout"], *_whose(chosen, undo[1:], persons))
        if "holdout" in out
        else None,
        dcr=_spread({side: near[0][:, 0] for side, near in back.items()}),
        nndr=_spread({side: _ratio(near[0]) for side, near in back.items()}, top=1.0) if len(release) > 1 else None,
    )


def _some(points: RowPoints, among: int, rng: np.random.Generator) -> RowPoints:
    """The points, or as many of them at random as may be asked about."""
    most = max(LEAST, PAIRS // max(among, 1))
    return points if len(points) <= most else points.rows(rng.permutation(len(points))[:most])


def _near(distance: Floats, places: Any, among: RowPoints, threads: int | None) -> Share:
    """Released rows within the spacing of the row they are nearest to, and no copies."""
    hit, where = np.unique(places, return_inverse=True)
    spacing = nearest(among.rows(hit), among, 2, threads=threads)[0][:, 1]
    within: Bools = (distance > 0) & (distance < spacing[where])
    return Share(int(within.sum()), len(distance))


def _whose(chosen: Mapping[str, Ints], undo: Sequence[Ints], persons: Persons | None) -> list[Ints]:
    """The number of the person of each row that was chosen, by side; its own where nobody is named."""
    if persons is None:
        return [np.arange(len(rows)) for rows in chosen.values()]
    return [
        own[np.argsort(back)][rows]
        for own, back, rows in zip((persons.real, persons.holdout_persons), undo, chosen.values(), strict=True)
    ]


def _nearer(real: tuple[Floats, Any], holdout: tuple[Floats, Any], of_real: Ints, of_holdout: Ints) -> Nearer:
    """Which side each released row lies nearer to; clusters are released rows whose nearest row is one person's."""
    gap = holdout[0][:, 0] - real[0][:, 0]
    share = float(np.where(gap > 0, 1.0, np.where(gap < 0, 0.0, 0.5)).mean())
    cluster = np.where(gap >= 0, of_real[real[1][:, 0]], -1 - of_holdout[holdout[1][:, 0]])
    size = np.unique(cluster, return_counts=True)[1]
    n = float(size.sum() ** 2 / (size**2).sum())
    middle = (share + Z_95**2 / (2 * n)) / (1 + Z_95**2 / n)
    reach = Z_95 / (1 + Z_95**2 / n) * np.sqrt(share * (1 - share) / n + Z_95**2 / (4 * n**2))
    return Nearer(share, max(min(float(middle - reach), share), 0.0), min(max(float(middle + reach), share), 1.0), n)


def _ratio(two: Floats) -> Floats:
    """Nearest over second nearest distance; 1 where both are nought, because neither is nearer."""
    first, second = two[:, 0], two[:, 1]
    return np.divide(first, second, out=np.ones_like(first), where=second > 0)


def _spread(sides: Mapping[str, Floats], top: float | None = None) -> dict[str, Any]:
    """Quantiles and counts by side, on edges that all sides share; the last bin holds whatever lies beyond."""
    everything = np.concatenate(list(sides.values()))
    reach = top if top is not None else float(np.quantile(everything, 0.99)) or float(everything.max()) or 1.0
    edges = np.linspace(0.0, reach, BINS + 1)
    return {
        "edges": edges.tolist(),
        **{
            side: {
                "n": len(values),
                "quantiles": {str(quantile): float(np.quantile(values, quantile)) for quantile in QUANTILES},
                "counts": np.histogram(np.minimum(values, reach), edges)[0].tolist(),
            }
            for side, values in sides.items()
        },
    }
