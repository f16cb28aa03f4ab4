"""Whether the method that was named can have made the release: what the release keeps of the real table, beside what
releases of that method keep.

A question about a method is about the release only where that very method, with those settings, made it, and nobody
but the steward says so. A method named by mistake would clear a file that another one made.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from scipy import special

from riskkit import registry
from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.records import Deal
from riskkit.jobs.pool import Pool
from riskkit.judging.reasons import Reason
from riskkit.language import Readings, kept
from riskkit.phrases import phrase
from riskkit.plans import label
from riskkit.questions.forecasts import SharedTrainings
from riskkit.seeds import stream
from riskkit.table.load import Tables
from riskkit.table.neighbours import nearest
from riskkit.table.points import points_of
from riskkit.utility.histograms import COARSE, histogram_errors, pair_agreement

RELEASES, FEW_RELEASES = 12, 6
"""So many releases of the method are made for it; fewer where a training takes long."""
LEVEL = 0.001
"""How often a release of the method may be taken for another's; split between all respects."""
MOST = 2_000
"""Rows of a table that are compared."""
SEED = 0
"""Whoever asks of the same method and table finds the releases that another question made."""
RESPECTS = Readings(
    {
        "columns": kept("the mean difference of a column from the real one"),
        "pairs": kept("the mean difference of a pair of columns from the real one"),
        "nearest": kept("the mean distance from a released row to the nearest real one"),
    }
)
"""In what a release is compared, in the order in which it is said."""
SLACK = {"columns": 0.01, "pairs": 0.01, "nearest": 0.05}
"""Differences that a file written with other decimals may have; of the distance as a share of it."""


@dataclass(frozen=True, slots=True)
class ReleaseOrigin:
    """What a release keeps in the respect in which it is most unlike releases of a method on the same table.

    ``value`` is its own, ``low`` and ``high`` are the ends of the method's; ``is_other`` says that the method made no
    such release.
    """

    generator: str
    respect: str
    value: float
    low: float
    high: float
    releases: int
    is_other: bool


def compare(generator: str, real: Table, release: Table, own: Sequence[Table]) -> ReleaseOrigin:
    """The release beside the method's own ones. Were it one of them, it would be no further off than they are.

    In each respect the method's releases are taken as normal, and the release as one more of them: the interval for
    one more value from so few follows Student's t.
    """
    table = np.array([_keeps(real, each) for each in (release, *own)])
    value, others, n = table[0], table[1:], len(own)
    spread = others.std(axis=0, ddof=1) * np.sqrt(1 + 1 / n)
    reach = float(-special.stdtrit(n - 1, LEVEL / 2 / len(RESPECTS)))
    slack = np.array(list(SLACK.values())) * np.where(np.array(list(RESPECTS)) == "nearest", others.mean(axis=0), 1.0)
    off = np.abs(value - others.mean(axis=0)) / np.maximum(np.maximum(reach * spread, slack), 1e-9)
    worst = int(off.argmax())
    low, high = float(others[:, worst].min()), float(others[:, worst].max())
    return ReleaseOrigin(generator, list(RESPECTS)[worst], float(value[worst]), low, high, n, bool(off[worst] > 1))


def _keeps(real: Table, release: Table) -> tuple[float, ...]:
    """What the release keeps, in the order of :data:`RESPECTS`."""
    near, there = points_of([release, real])
    errors = float(histogram_errors(release, real, bins=COARSE).mean())
    return errors, 1 - pair_agreement(release, real), float(nearest(near, there)[0].mean())


def _some(table: Table, most: int = MOST) -> Table:
    rows = stream(SEED, "origin", "rows").permutation(len(table))[:most]
    return table if len(table) <= most else table.rows(np.sort(rows))


def release_to_compare(tables: Tables, *, second_table: bool) -> Table | None:
    """The release that is set beside others, of several the first; None without one.

    Nor is one where the method trains on a second table too: the trainings here are on the first alone.
    """
    if tables.synthetic is None or second_table:
        return None
    return tables.synthetic if tables.stack is None else tables.each_release()[0].synthetic


def units(release: Table | None, generators: Sequence[str]) -> int:
    """How many trainings :func:`origins_of` makes."""
    return 0 if release is None else sum(len(_names(generator)) for generator in generators)


def origins_of(
    real: Table, release: Table | None, generators: Sequence[str], pool: Pool
) -> tuple[ReleaseOrigin, ...] | None:
    """Of each of these methods whether it can have made the release of the real table; None without a release.

    A method that refuses to make so many rows is left out: a game is then of releases with fewer, which says so itself.
    """
    if release is None:
        return None
    every = []
    for generator in generators:
        with suppress(DesignError):
            every.append(_origin(real, release, generator, pool))
    return tuple(every)


def trainings_of(generator: str, seconds: float) -> SharedTrainings:
    """What :func:`origins_of` trains of that method, for a forecast: each takes so many seconds."""
    return SharedTrainings(frozenset(_names(generator)), seconds)


def _names(generator: str) -> list[str]:
    """What each release of the method is called that this one is set beside, by whoever asks for it."""
    count = FEW_RELEASES if fits.is_long(registry.parse("generators", generator)) else RELEASES
    return [f"origin {label(generator)} {each}" for each in range(count)]


def _origin(real: Table, release: Table, generator: str, pool: Pool) -> ReleaseOrigin:
    """The release beside some of the method, of which as many rows are taken: some methods refuse to make fewer."""
    size = max(len(release), len(real))
    deal = Deal(registry.parse("generators", generator), size, SEED, (label(generator), "origin"))
    names = _names(generator)
    stage = phrase("Comparing your release with others of the method")
    own = pool.map(stage, _make, (deal, real), range(len(names)), names=[f"{name} {size}" for name in names])
    most = min(len(release), MOST)
    return compare(generator, _some(real), _some(release, most), [_some(each, most) for each in own])


def _make(game: tuple[Deal, Table], numbers: Sequence[int]) -> list[Table]:
    """One release of a training on the whole table for each of these numbers."""
    deal, real = game
    return deal.trained_each([real] * len(numbers), [deal.rng(each) for each in numbers])


def reasons(origins: Iterable[ReleaseOrigin] | None, methods: Iterable[str]) -> tuple[Reason, ...]:
    """Why a game on these methods clears no release: the method made no such one."""
    for origin in origins or ():
        if origin.is_other and origin.generator in set(methods):
            figures = {
                "respect": RESPECTS[origin.respect],
                "value": f"{origin.value:.3f}",
                "low": f"{origin.low:.3f}",
                "high": f"{origin.high:.3f}",
                "releases": origin.releases,
            }
            return (Reason("another_method", figures),)
    return ()
