"""How many targets may be asked for, and that they are different records."""

from __future__ import annotations

import numpy as np

from riskkit.core import Floats, Ints, Table, Targets
from riskkit.errors import DesignError


def check_count(table: Table, k: int) -> None:
    """Refuse fewer than one target, and a table that has nothing to choose from.

    Raises
    ------
    DesignError
        Fewer than one target was asked for, or the table has no row or no column in use.
    """
    if k < 1:
        raise DesignError.phrase("{k} targets were asked for: ask for at least one.", k=k)
    if not len(table) or not table.schema.modelled:
        raise DesignError.phrase("The real table has no rows or no columns in use, so no target can be chosen from it.")


def first_different(table: Table, order: Ints, k: int) -> Targets:
    """The first ``k`` different records of the table in that order of its rows; of equal rows only the first.

    Raises
    ------
    DesignError
        There are fewer than ``k`` different records.
    """
    keys = table.keys()
    first: dict[bytes, int] = {}
    for row in order.tolist():
        first.setdefault(keys[row].tobytes(), row)
        if len(first) == k:
            index = np.array(list(first.values()))
            return Targets(index, table.rows(index))
    raise DesignError.phrase(
        "{k:,} targets were asked for, the real table has {rows:,} rows and {different:,} different "
        "records: ask for fewer targets.",
        k=k,
        rows=len(table),
        different=len(first),
    )


def ties(table: Table, standing: Floats, chosen: Targets) -> int:
    """How many different records stand out as much as the last of the targets and are none of them.

    ``standing`` (n,) says how much each row of the table stands out.
    """
    keys = table.keys()
    alike = np.flatnonzero(standing == standing[chosen.index].min())
    return len({keys[row].tobytes() for row in alike} - {keys[row].tobytes() for row in chosen.index})
