"""A condition that everybody in a sample meets, as in ``illness=diabetes`` or ``age>=40``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from riskkit.core import Bools, Table
from riskkit.errors import DesignError
from riskkit.phrases import phrase

_SIGNS: Mapping[str, Callable[..., Bools]] = {">=": np.greater_equal, "<=": np.less_equal, "=": np.equal}


def meets(table: Table, condition: str) -> Bools:
    """(n,) whether each row meets the condition: a column, a sign (``=``, ``>=``, ``<=``) and a value.

    A category may only be equal to one of its levels. A missing number meets nothing.

    Raises
    ------
    DesignError
        There is no such column in use, or no such level; no sentence shows what was written.
    """
    for column in sorted(table.schema.modelled, key=lambda candidate: -len(candidate.name)):
        rest = condition.strip().removeprefix(column.name).lstrip()
        sign = next((mark for mark in _SIGNS if rest.startswith(mark)), "")
        if not condition.strip().startswith(column.name) or not sign:
            continue
        value = rest.removeprefix(sign).strip()
        if not column.is_numeric:
            if sign != "=" or value not in column.levels:
                raise DesignError(
                    phrase("The condition of the sample names no level of that column; write COLUMN=LEVEL.")
                )
            position = table.schema.categorical.index(column)
            return np.asarray(table.codes[:, position] == column.levels.index(value))
        try:
            number = float(value)
        except ValueError as error:
            raise DesignError(
                phrase("The condition of the sample compares a number with something that is none.")
            ) from error
        return np.asarray(_SIGNS[sign](table.numbers[:, table.schema.numeric.index(column)], number))
    raise DesignError(
        phrase(
            "The condition of the sample names no column in use; write COLUMN=LEVEL, COLUMN>=NUMBER or COLUMN<=NUMBER."
        )
    )
