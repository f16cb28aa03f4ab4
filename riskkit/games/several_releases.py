"""Several releases of one table: a method whose release is so many releases of another, one after the other.

Games need not know of it: they ask for one release that is as long as all of them together. Two worlds can be meant.
Each release comes from *a fit of its own*: the table was synthesised anew every time. Or all come from *one fit* that
was sampled again and again. Where a fit draws nothing at random the two are the same.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Fitted, Floats, Generator, LeaveOneOut, Likelihood, Table
from riskkit.errors import DesignError
from riskkit.games.records import SharedNoise


def repeat(generator: Generator, releases: int, *, one_fit: bool = False) -> Generator:
    """The method that releases so often; of one release the method itself."""
    return generator if releases == 1 else Repeated(generator, releases, one_fit)  # type: ignore[return-value]


@dataclass(frozen=True)
class Repeated:
    """``releases`` releases of a method, from ``one_fit`` or each from a fit of its own.

    A sample of ``n`` rows holds all of them, the first release first. Each has the same share of the rows; where they
    do not come out even, the first ones have one row more.
    """

    inner: Generator
    releases: int
    one_fit: bool = False

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.inner.name

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        """Fit once, or as often as there are releases; once is enough where a fit draws nothing at random."""
        before = copy.deepcopy(rng.bit_generator.state)
        first = self.inner.fit(table, rng)
        if self.one_fit or rng.bit_generator.state == before:
            return stack_fits((first,) * self.releases)
        return stack_fits((first, *(self.inner.fit(table, rng) for _ in range(self.releases - 1))))


def stack_fits(fits: Sequence[Fitted]) -> RepeatedFits:
    """One release of each of these fits; it offers what they all offer beside releases."""
    return _kind(tuple(mixin for offer, mixin in _OFFERS if all(isinstance(fitted, offer) for fitted in fits)))(fits)


class RepeatedFits:
    """The fits of several releases, in their order."""

    def __init__(self, fits: Sequence[Any]) -> None:
        self.fits = tuple(fits)

    def __reduce__(self) -> tuple[Callable[[Sequence[Fitted]], RepeatedFits], tuple[Sequence[Fitted]]]:
        """Its class is made when it is needed, so other processes make it again."""
        return stack_fits, (self.fits,)

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """All releases, ``n`` rows together."""
        return _stack_rows([fitted.sample(size, rng) for fitted, size in self._each(n) if size])

    def _each(self, n: int) -> list[tuple[Any, int]]:
        """Every fit with the rows of its release."""
        many = len(self.fits)
        return [(fitted, n // many + (index < n % many)) for index, fitted in enumerate(self.fits)]

    def _make_of_different(self, make: Callable[[Any], Any]) -> list[Any]:
        """What is made of every fit, made once for each that is another one."""
        made = {id(fitted): make(fitted) for fitted in {id(fitted): fitted for fitted in self.fits}.values()}
        return [made[id(fitted)] for fitted in self.fits]


class _LessSome(RepeatedFits):
    """Of fits that can give rows up."""

    def without(self, rows: npt.ArrayLike) -> Fitted:
        """The same releases of the same table without these rows."""
        return stack_fits(self._make_of_different(lambda fitted: fitted.without(rows)))


class _OfKnownNoise(RepeatedFits):
    """Of fits whose releases need the same random numbers whichever rows were fitted.

    A noise may keep its stream and draw from it later, so each release has a stream of its own.
    """

    def sample(self, n: int, rng: np.random.Generator) -> Table:
        """All releases, ``n`` rows together."""
        return self.sample_from(self.noise(n, rng))

    def noise(self, n: int, rng: np.random.Generator) -> Any:
        """What the releases draw at random."""
        each = zip(self._each(n), rng.spawn(len(self.fits)), strict=True)
        return [fitted.noise(size, own) if size else None for (fitted, size), own in each]

    def sample_from(self, noise: Any) -> Table:
        """The releases with these random numbers."""
        drawn = zip(self.fits, noise, strict=True)
        return _stack_rows([fitted.sample_from(own) for fitted, own in drawn if own is not None])


class _WithLikelihood(RepeatedFits):
    """Of fits that can say how probable a row is."""

    def log_prob(self, table: Table) -> Floats:
        """(n,) the log-probability of each row, by the fit of the release that it stands in."""
        if len({id(fitted) for fitted in self.fits}) == 1:
            whole: Floats = self.fits[0].log_prob(table)
            return whole
        ends = np.cumsum([0, *(size for _, size in self._each(len(table)))]).tolist()
        parts = zip(self.fits, ends[:-1], ends[1:], strict=True)
        return np.concatenate([fitted.log_prob(table.rows(np.arange(low, high))) for fitted, low, high in parts])


_OFFERS: tuple[tuple[Any, type[RepeatedFits]], ...] = (
    (LeaveOneOut, _LessSome),
    (SharedNoise, _OfKnownNoise),
    (Likelihood, _WithLikelihood),
)


@cache
def _kind(mixins: tuple[type[RepeatedFits], ...]) -> type[RepeatedFits]:
    """The class of stacks that offer all of this."""
    return type("RepeatedFits", mixins, {}) if mixins else RepeatedFits


def _stack_rows(releases: Sequence[Table]) -> Table:
    """The rows of the first release, then those of the second, and so on."""
    schema = releases[0].schema
    if any(release.schema != schema for release in releases):
        raise DesignError.phrase("Only tables of one schema can be merged.")
    codes, numbers = ([getattr(release, part) for release in releases] for part in ("codes", "numbers"))
    return Table(schema, np.vstack(codes), np.vstack(numbers))


# A table that grows, released again and again: a method whose release is one release of every stage of the table.
#
# The rows stand in the order in which they came in. At every release the method is fitted anew to the rows that were
# there by then. A person who was there at the first release is in all of them or in none, so without the person every
# stage is shorter by their rows. Games need not know of it, see :mod:`riskkit.games.several_releases`.


def stages(table: Table, rows: tuple[int, ...], whole: int) -> list[Table]:
    """The table at every release, of which the first ``rows[t]`` were there at release ``t``.

    ``whole`` is the length of the table with everybody. Where ``table`` is shorter, whoever is not in it was there at
    the first release.

    Raises
    ------
    DesignError
        The table is longer than that, or nobody is left at the first release.
    """
    gone = whole - len(table)
    if gone < 0 or rows[0] - gone < 1:
        raise DesignError.phrase(
            "A table of {rows:,} rows is no stage of one that grew from {first:,} to {whole:,} rows.",
            rows=len(table),
            first=rows[0],
            whole=whole,
        )
    return [table.rows(np.arange(size - gone)) for size in rows]


def growing_method(generator: Generator, rows: tuple[int, ...]) -> Generator:
    """The method that is fitted to every stage of a table, and releases each; see :class:`Grown`."""
    return Grown(generator, rows)  # type: ignore[return-value]


@dataclass(frozen=True)
class Grown:
    """One release of every stage of a table; ``rows`` are how many rows each stage has, the last that of the table.

    A sample of ``n`` rows holds all of them, the first release first, each with the same share of the rows.
    """

    inner: Generator
    rows: tuple[int, ...]

    @property
    def name(self) -> str:
        """The name of the method."""
        return self.inner.name

    def fit(self, table: Table, rng: np.random.Generator) -> Fitted:
        """Fit once to every stage."""
        return stack_fits([self.inner.fit(stage, rng) for stage in stages(table, self.rows, self.rows[-1])])
