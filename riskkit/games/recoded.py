"""Copies under any renumbering: real rows that stand in a release once each of its values is read as the right one.

What released values mean is worked out from the real table and the holdout together
(:mod:`riskkit.games.meanings`), so nothing of it knows who was in: people who were in and people who were not are as
likely to have a copy by chance, and are counted as copies are (:mod:`riskkit.games.give_aways`).
"""

from __future__ import annotations

import numpy as np

from riskkit.core import Column, Ints, Kind, Schema, Table
from riskkit.games.give_aways import Copied, copied
from riskkit.games.meanings import read_as
from riskkit.table.people.persons import Persons


def recoded(
    real: Table, release: Table, holdout: Table | None, rng: np.random.Generator, persons: Persons | None = None
) -> Copied | None:
    """Count the copies under the renumbering that fits best; None where no column can be matched.

    Columns that cannot be are left out of all tables, so a row stands in the release where all others are met.
    """
    read = read_as(real if holdout is None else real.plus(holdout), release, rng)
    if read is None:
        return None
    known, released = map(_table, read)
    members, others = np.arange(len(real)), np.arange(len(real), len(known))
    beside = None if holdout is None else known.rows(others)
    return copied(known.rows(members), released, beside, rng, persons)


def _table(places: Ints) -> Table:
    """Rows of places as a table of numbers."""
    schema = Schema(tuple(Column(str(place), Kind.NUMERIC) for place in range(places.shape[1])))
    return Table(schema, np.empty((len(places), 0), dtype=np.int32), places.astype(np.float64))
