"""Where the columns of a schema stand among the codes or the numbers of its tables."""

from __future__ import annotations

from riskkit.core import Schema


def places(schema: Schema) -> dict[str, int]:
    """The position of each modelled column in :attr:`Table.codes` or :attr:`Table.numbers`, by its name.

    Looked for column by column, a table of thousands of columns would take time with their square.
    """
    return {
        column.name: position for kind in (schema.categorical, schema.numeric) for position, column in enumerate(kind)
    }
