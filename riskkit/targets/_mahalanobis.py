"""Mahalanobis distance of records from the middle of a table: how far they stand out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Floats, Table
from riskkit.errors import ParameterError
from riskkit.table import encode
from riskkit.targets._plausible import ColumnRule, rules, twins

ENCODINGS = ("onehot", "label")

CHUNK = 1 << 20
"""Cells encoded at a time (8 MiB), so that no whole one-hot matrix of a large table is held."""

RANK_TOLERANCE = 1e-9
"""Directions with less than this share of the largest variance (after standardising) count as having none."""

FLAT = 1e-12
"""A dimension whose standard deviation is below this share of its mean is constant but for rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsoid:
    """Middle and spread of a table, ready to measure records.

    ``centre`` (p,) is the mean of the encoded rows. ``whiten`` (p, r) maps an encoded row to coordinates in which the
    table has unit variance in r uncorrelated directions; M is the length there. Dimensions without variance, columns
    that repeat an earlier one, and directions without variance have no part in it, so they add nothing to M.
    """

    encoding: str
    centre: Floats
    whiten: Floats

    @property
    def origin(self) -> Floats:
        """(r,) where the zero of the encoding lies in whitened coordinates."""
        return -self.centre @ self.whiten

    def distance(self, table: Table) -> Floats:
        """(n,) M for each row of the table."""
        lengths = [
            np.sqrt((((part - self.centre) @ self.whiten) ** 2).sum(axis=1)) for part in _encode(table, self.encoding)
        ]
        return np.concatenate(lengths) if lengths else np.zeros(0)


def ellipsoid(table: Table, encoding: str = "onehot", known: Sequence[ColumnRule] | None = None) -> Ellipsoid:
    """Middle and spread of the table (n, not n - 1, in the denominator).

    ``known`` are its :func:`~riskkit.targets._plausible.rules` where the caller has them already.
    """
    if encoding not in ENCODINGS:
        raise ParameterError.phrase(
            "The encoding is {encoding!r}; it may be {encodings}.",
            encoding=encoding,
            encodings=tuple(map(repr, ENCODINGS)),
        )
    centre, covariance = _moments(table, encoding)
    spread = np.sqrt(np.diag(covariance))
    used = spread > FLAT * np.abs(centre)
    used[_dimensions_of(table, encoding, twins(rules(table) if known is None else known))] = False
    whiten = np.zeros((len(centre), 0))
    if used.any():
        values, vectors = np.linalg.eigh(covariance[np.ix_(used, used)] / np.outer(spread[used], spread[used]))
        kept = values > RANK_TOLERANCE * values[-1]
        whiten = np.zeros((len(centre), int(kept.sum())))
        whiten[used] = vectors[:, kept] / np.sqrt(values[kept]) / spread[used, None]
    return Ellipsoid(encoding, centre, whiten)


def outlierness(table: Table, encoding: str = "onehot") -> Floats:
    """How far each row stands out: its Mahalanobis distance M from the middle of the table.

    M = sqrt((x - mu)^T Sigma^-1 (x - mu)) with mean and covariance (denominator n) of the encoded rows. In these
    units a row of the table can reach sqrt(n - 1) at most, which the only row with a certain value does.

    ``onehot`` makes each level but the first a dimension: rare values stand out. ``label`` takes the code of a level
    as a number: extreme numbers stand out. Two columns that determine each other one to one count once, the later is
    left out; what else is linearly dependent adds nothing. A missing number is a dimension of its own (``onehot``) or
    the mean of its column (``label``).

    Returns
    -------
    (n,) float64, 0 or greater, no unit.

    References
    ----------
    .. [1] Miura et al., the membership game: the selective target is the row with the largest M.
    """
    return ellipsoid(table, encoding).distance(table)


def _moments(table: Table, encoding: str) -> tuple[Floats, Floats]:
    """Mean and covariance (denominator n) of the encoded rows.

    Each piece is centred on its own mean before pieces are put together, so large numbers do not cancel.
    """
    seen, size = 0, _size(table, encoding)
    centre, squares = np.zeros(size), np.zeros((size, size))
    for part in _encode(table, encoding):
        mean = part.mean(axis=0)
        gap, both = mean - centre, seen + len(part)
        centred = part - mean
        squares += centred.T @ centred + np.outer(gap, gap) * (seen * len(part) / both)
        centre += gap * (len(part) / both)
        seen = both
    return centre, squares / max(seen, 1)


def columns_to_dimensions(table: Table, columns: Sequence[int]) -> list[int]:
    """The dimensions of the one-hot matrix that belong to modelled columns at these positions."""
    blocks = encode.layout(table.schema)
    return [
        dimension
        for position in columns
        for dimension in range(blocks[position].start, blocks[position].start + blocks[position].width)
    ]


def _dimensions_of(table: Table, encoding: str, columns: Sequence[int]) -> list[int]:
    return list(columns) if encoding == "label" else columns_to_dimensions(table, columns)


def _size(table: Table, encoding: str) -> int:
    return len(table.schema.modelled) if encoding == "label" else encode.width(table.schema)


def _encode(table: Table, encoding: str) -> Iterator[Floats]:
    """The encoded table, some rows at a time."""
    size = _size(table, encoding)
    step = max(
        CHUNK // max(size, 1), size, 1
    )  # at least as many rows as columns, so that p x p sums stay the lesser cost
    for start in range(0, len(table), step):
        part = table.rows(np.arange(start, min(start + step, len(table))))
        yield encode.labels(part) if encoding == "label" else encode.onehot(part)
