"""How large a table becomes when each category is a dimension, and where that ends: looked at before it is encoded."""

from __future__ import annotations

from riskkit.core import Column, Schema
from riskkit.errors import DesignError, Gravity, Problem
from riskkit.phrases import phrase

MOST_COLUMNS = 5_000
"""How many dimensions the one-hot form may have."""
MOST_CELLS = 250_000_000
"""How many numbers it may have, rows times dimensions: 2 GB of them."""
DO = phrase("Group its values, leave the column out, or take a random part of the rows.")


def dimensions(column: Column, *, drop_first: bool = True) -> int:
    """How many dimensions a column in use is encoded as.

    A number is one, two where the column has missing values; a category is one for each level, less the first where
    that is dropped.
    """
    if column.is_numeric:
        return 1 + column.has_missing
    return max(len(column.levels) - drop_first, 0)


def refuse_too_large(schema: Schema, rows: int, size: int) -> None:
    """Refuse to encode so many rows in so many dimensions.

    Raises
    ------
    DesignError
        They are too many; names the column with most levels, and says what to do.
    """
    if rows * size <= MOST_CELLS and (size <= MOST_COLUMNS or size <= MOST_COLUMNS + len(schema.modelled)):
        return  # the limit is for a form without the first levels: with them it has so many columns more
    widest = _widest(schema)
    raise DesignError(
        phrase(
            "With a column for each category the table has {rows:,} rows and {size:,} columns, {needed:,.1f} GB of "
            "numbers; at most {most:,} columns and {room:,.1f} GB are encoded. Column {name!r} has most levels: "
            "{levels:,}. {do}",
            rows=rows,
            size=size,
            needed=_gigabytes(rows * size),
            most=MOST_COLUMNS,
            room=_gigabytes(MOST_CELLS),
            name=widest.name,
            levels=len(widest.levels),
            do=DO,
        )
    )


def width_problems(schema: Schema, rows: int, file: str) -> list[Problem]:
    """What to say of a file whose table is too large for the methods that encode it whole."""
    size = sum(dimensions(column, drop_first=False) for column in schema.modelled)
    if rows * size <= MOST_CELLS:
        return []
    widest = _widest(schema)
    what = phrase(
        "Methods that make a column of each category would need {needed:,.1f} GB for this table; they refuse more than "
        "{most:,.1f} GB. This column has most levels: {levels:,}.",
        needed=_gigabytes(rows * size),
        most=_gigabytes(MOST_CELLS),
        levels=len(widest.levels),
    )
    return [Problem(Gravity.WARNING, "too_wide", what, DO, file, widest.name, count=len(widest.levels))]


def _widest(schema: Schema) -> Column:
    return max(schema.modelled, key=lambda column: len(column.levels))


def _gigabytes(cells: int) -> float:
    return 8 * cells / 1e9
