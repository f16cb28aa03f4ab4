"""What is planted in a release, the leak of known size that an attack must find: copies of people, slightly changed, or
their values alone, for an attack that is there to see these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Bools, Ints
from riskkit.table import large
from riskkit.table.evidence.overlap import LEAST, share_of_codes, share_of_numbers
from riskkit.table.points import Bags, RowPoints, Texts, values_of

LEAST_TELLING = 0.5
"""Share of people with a value that nobody else has, below which values name too few of them to be planted."""
NOISE, EXCHANGED = 0.05, 0.05
"""Planted copies are not exact: noise on numbers in standard deviations, the share of categories, and of the words of
free texts, exchanged."""


class PlantedKind(StrEnum):
    """What is planted. An attack says with ``looks_for`` which it is there to see; rows where it says nothing."""

    ROWS = "rows"
    """Copies of people, slightly changed."""
    VALUES = "values"
    """Each value of these people as it is, in whatever row."""


def scatter_values(
    rows: RowPoints, people: RowPoints, places: RowPoints, release: RowPoints, rng: np.random.Generator
) -> RowPoints:
    """The rows ``places`` of the release with the values of ``rows``, as many, each column in an order of its own.

    A column whose released values hardly meet those of ``people`` stays as it is, as in :func:`change_rows`.
    """
    numbers = rng.permuted(rows.numbers, axis=0)
    codes = rng.permuted(rows.codes, axis=0)
    numbers = np.where(_hardly_met(share_of_numbers, people.numbers, release.numbers), places.numbers, numbers)
    codes = np.where(_hardly_met(share_of_codes, people.codes, release.codes), places.codes, codes).astype(np.int32)
    return replace(places, numbers=numbers, codes=codes)


def with_own_value(people: RowPoints, owner: Ints) -> float:
    """The share of these people, whose rows have the ``owner`` (n,), who have a value that no other row has."""
    numbers, codes = values_of([people])
    alone = np.zeros(len(people), dtype=bool)
    for column in (*numbers, *codes):
        alone |= np.bincount(column)[column] == 1
    return float((np.bincount(owner, weights=alone) > 0).mean())


def change_rows(rows: RowPoints, people: RowPoints, release: RowPoints, rng: np.random.Generator) -> RowPoints:
    """The rows with a little noise on numbers and a few categories taken from rows of the release.

    A column whose released values hardly meet those of people may be written in another way, and then a copy of a row
    would be written so too: there all values are taken from rows of the release, and an attack that needs the column
    is seen to miss the copies.
    """
    numbers = rows.numbers + NOISE * rng.standard_normal(rows.numbers.shape)
    exchanged = rng.random(rows.codes.shape) < EXCHANGED
    other = release.rows(rng.integers(len(release), size=len(rows)))
    exchanged |= _hardly_met(share_of_codes, people.codes, release.codes)
    numbers = np.where(_hardly_met(share_of_numbers, people.numbers, release.numbers), other.numbers, numbers)
    codes = np.where(exchanged, other.codes, rows.codes).astype(np.int32)
    texts = _change_texts(rows.texts, other.texts, rng)
    return replace(rows, numbers=numbers, codes=codes, texts=texts, children=_change_bags(rows, people, release, rng))


def _change_bags(rows: RowPoints, people: RowPoints, release: RowPoints, rng: np.random.Generator) -> Bags | None:
    """The rows of a second table, changed as those of the first are; as many of each person as they were."""
    if rows.children is None or people.children is None or release.children is None:
        return None
    own, every, released = (points.children.pack() for points in (rows, people, release) if points.children)
    if not len(own.rows) or not len(released.rows):
        return own
    return replace(own, rows=change_rows(own.rows, every.rows, released.rows, rng))


def _change_texts(texts: Texts | None, other: Texts | None, rng: np.random.Generator) -> Texts | None:
    """The texts (n, n_texts) with as large a share of words exchanged for words of the others as of categories."""
    if texts is None or other is None:
        return None
    pairs = zip(texts.ravel().tolist(), other.ravel().tolist(), strict=True)
    return np.array([_reword(*pair, rng) for pair in pairs], dtype=object).reshape(texts.shape)


def _reword(text: str, other: str, rng: np.random.Generator) -> str:
    """The text with a few words exchanged for words of the other."""
    words, donors = text.split(), other.split()
    for position in np.flatnonzero(rng.random(len(words)) < EXCHANGED).tolist() if donors else ():
        words[position] = donors[int(rng.integers(len(donors)))]
    return " ".join(words)


def _hardly_met(share: Callable[[Any, Any], float], people: npt.NDArray[Any], release: npt.NDArray[Any]) -> Bools:
    """(columns,) whether too few of the released values are values of people
    (:data:`riskkit.table.evidence.overlap.LEAST`)."""
    return np.array(
        [share(own, released) < LEAST for own, released in zip(people.T, release.T, strict=True)], dtype=np.bool_
    )


def with_rows(release: RowPoints, places: Ints, rows: RowPoints) -> RowPoints:
    """The release with these rows in the places ``places`` (k,)."""
    numbers, codes = large.join_rows([release.numbers]), large.join_rows([release.codes])
    numbers[places], codes[places] = rows.numbers, rows.codes
    texts = None if release.texts is None else release.texts.copy()
    if texts is not None:
        texts[places] = rows.texts
    bags = None
    if release.children is not None and rows.children is not None:
        bags = release.children.with_bags(places, rows.children)
    return replace(release, numbers=numbers, codes=codes, texts=texts, children=bags)
