"""The order of the rows: a release in the order of the real file says which row was made from whom."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from riskkit.core import Codes, Floats, Ints, Table
from riskkit.errors import Gravity, Problem
from riskkit.phrases import phrase
from riskkit.table.text import TextTable

Cells = Floats | Codes
_SHIFTS = (0.1, 0.23, 0.37, 0.5, 0.61, 0.83)
"""By how much of the table the release is moved, to see how often cells agree where rows are not the same."""
_SURE = 6.0
"""How many standard errors the agreement in place must lie above that elsewhere."""
_LEAST = 0.05
"""By how much the share of cells that agree must be larger in place than elsewhere."""
_MOST = 20_000
"""About how many rows are compared."""


def order_problems(tables: Mapping[str, Table], texts: Mapping[str, TextTable]) -> list[Problem]:
    """What to say of sorted rows, and of a release in the order of the real file."""
    problems = [problem for slot, table in tables.items() for problem in _sorted(table, texts[slot].name)]
    if "synthetic" in tables:
        problems += _same_order(tables["real"], tables["synthetic"], texts["synthetic"].name)
    return problems


def _sorted(table: Table, file: str) -> list[Problem]:
    """Columns by which the rows are sorted, from the lowest to the highest or the other way round."""
    schema = table.schema
    columns: list[tuple[str, Cells]] = [
        (c.name, table.numbers[:, position]) for position, c in enumerate(schema.numeric)
    ]
    columns += [(c.name, table.codes[:, position]) for position, c in enumerate(schema.categorical)]
    what = phrase("The rows are sorted by this column.")
    do = phrase("Shuffle the rows before the file is released: their order can tell who is who.")
    return [
        Problem(Gravity.WARNING, "sorted_rows", what, do, file, name, count=len(table))
        for name, values in columns
        if _is_sorted(values)
    ]


def _is_sorted(values: Cells) -> bool:
    """Whether the numbers only rise or only fall, over more than two steps; a few rows spare most columns the rest."""
    for some in (values[:100], values):
        steps = np.diff(some)
        if not ((steps >= 0).all() or (steps <= 0).all()):
            return False
    return len(values) >= 20 and int((steps != 0).sum()) >= 3


def _same_order(real: Table, release: Table, file: str) -> list[Problem]:
    """Whether rows in the same place agree in clearly more cells than rows in different places."""
    n = min(len(real), len(release))
    if n < 20:
        return []
    rows = np.arange(0, n, max(n // _MOST, 1))
    here = _agreement(real, release, rows, n, 0)
    elsewhere = max((_agreement(real, release, rows, n, max(int(n * part), 1)) for part in _SHIFTS), key=np.mean)
    more = here - elsewhere
    gain, error = float(more.mean()), float(more.std() / np.sqrt(len(rows)))
    if gain < _LEAST or gain < _SURE * error:
        return []
    what = phrase(
        "The rows stand in the order of the real file: in the same place {here:.0%} of the cells "
        "agree, elsewhere {elsewhere:.0%}.",
        here=here.mean(),
        elsewhere=elsewhere.mean(),
    )
    do = phrase("Shuffle the rows before the release: their order tells which row was made from whom.")
    return [Problem(Gravity.WARNING, "same_order", what, do, file, count=n)]


def _agreement(real: Table, release: Table, rows: Ints, n: int, shift: int) -> Floats:
    """For each of these real rows the share of its cells that the release has too, ``shift`` rows further on."""
    same = np.zeros(len(rows))
    moved = (rows + shift) % n
    for mine, other in ((real.codes, release.codes), (real.numbers, release.numbers)):
        same += (mine[rows] == other[moved]).sum(axis=1)
    return same / len(real.schema.modelled)
