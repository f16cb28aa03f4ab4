"""Rows as the features of an explained model, and features back as valid rows.

Every feature lies in [0, 1], scaled by the frozen domain of the schema and never by the rows at hand, so the same
record has the same features whoever encodes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from riskkit.core import Column, Floats, Schema, Table
from riskkit.errors import DesignError, nearest
from riskkit.table.encode import scale_column, to_domain

Layout = Literal["label", "one-hot"]
LAYOUTS: tuple[Layout, ...] = ("label", "one-hot")


@dataclass(frozen=True, slots=True)
class Span:
    """Where one column lies among the features: from ``start``, ``width`` of them."""

    column: Column
    source: int
    start: int
    width: int

    @property
    def slice(self) -> slice:
        """Its features."""
        return slice(self.start, self.start + self.width)


@dataclass(frozen=True, slots=True, eq=False)
class Encoder:
    """From rows to features and back, settled once.

    ``label`` is one feature a column: a number by its domain, a category by its code over the last code. ``one-hot``
    is one feature for each level instead, none dropped, and for a number with missing values a second one that says
    so. Nothing is learnt from rows but ``fill`` (n_numeric,), what stands for a missing number: the median of the
    training rows. In ``label`` that is all there is of it, so :meth:`decode` gives the median back; a missing category
    is a level like any other.
    """

    schema: Schema
    layout: Layout
    fill: Floats
    spans: tuple[Span, ...]

    @classmethod
    def fit(cls, train: Table, columns: Sequence[str], layout: Layout = "label") -> Encoder:
        """The encoder of these columns, in file order whatever the order they were named in.

        Parameters
        ----------
        train
            The rows the model learns from.
        columns
            The names of the features' columns; the model's target is not among them.

        Raises
        ------
        DesignError
            No such layout or column, a column that is not in use, or no column at all.
        """
        if layout not in LAYOUTS:
            raise DesignError(
                f"There is no layout {layout!r}{nearest(layout, LAYOUTS)}; choose one of {', '.join(LAYOUTS)}."
            )
        small = _only(train, columns)
        schema = small.schema
        if not schema.modelled:
            raise DesignError.phrase("A model needs at least one feature. Choose a column beside the target.")
        means = np.array([column.mean for column in schema.numeric])
        known = [values[~np.isnan(values)] for values in small.numbers.T]
        fill = np.array([np.median(v) if v.size else mean for v, mean in zip(known, means, strict=True)])
        return cls(schema, layout, fill.astype(np.float64), _spans(schema, layout))

    @property
    def width(self) -> int:
        """How many features there are."""
        return self.spans[-1].start + self.spans[-1].width

    @property
    def names(self) -> tuple[str, ...]:
        """(width,) what each feature stands for: ``column``, ``column=level`` or ``column is missing``."""
        out: list[str] = []
        for span in self.spans:
            if span.column.is_numeric or self.layout == "label":
                out += [span.column.name, f"{span.column.name} is missing"][: span.width]
            else:
                out += [f"{span.column.name}={level or 'missing'}" for level in span.column.levels]
        return tuple(out)

    def encode(self, table: Table) -> Floats:
        """(n, width) features in [0, 1] of the rows; of a relaxed release those of its nearest valid rows.

        Raises
        ------
        DesignError
            The table has not these columns.
        """
        small = _only(table, [column.name for column in self.schema.modelled])
        if small.schema != self.schema:
            raise DesignError("These rows have another schema than those the model learnt from. Load them together.")
        out = np.zeros((len(small), self.width))
        for span in self.spans:
            if span.column.is_numeric:
                values = small.numbers[:, span.source]
                missing = np.isnan(values)
                shown = np.where(missing, self.fill[span.source], values)
                out[:, span.start] = scale_column(shown, span.column, "minmax")
                if span.width == 2:
                    out[:, span.start + 1] = missing
            elif self.layout == "label":
                out[:, span.start] = small.codes[:, span.source] / _last(span.column)
            else:
                out[np.arange(len(small)), span.start + small.codes[:, span.source]] = 1.0
        return out

    def decode(self, matrix: Floats) -> Table:
        """The nearest valid rows: nearest code or largest of its levels, numbers rounded and clipped to their domain.

        A number is missing where its flag is above one half. Half way between two codes the higher one is taken.
        """
        x = np.asarray(matrix, dtype=np.float64)
        codes = np.zeros((len(x), len(self.schema.categorical)), dtype=np.int32)
        numbers = np.zeros((len(x), len(self.schema.numeric)))
        for span in self.spans:
            part, column = x[:, span.slice], span.column
            if column.is_numeric:
                numbers[:, span.source] = to_domain(column.low + part[:, 0] * (column.high - column.low), column)
                if span.width == 2:
                    numbers[part[:, 1] > 0.5, span.source] = np.nan
            elif self.layout == "label":
                last = _last(column)
                codes[:, span.source] = np.clip(np.floor(part[:, 0] * last + 0.5), 0, len(column.levels) - 1)
            else:
                codes[:, span.source] = part.argmax(axis=1)
        return Table(self.schema, codes, numbers)

    def by_column(self, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """(n, width, ...) values of features summed to (n, columns, ...), as Shapley values of one column are."""
        return np.add.reduceat(values, [span.start for span in self.spans], axis=1)


def _only(table: Table, columns: Sequence[str]) -> Table:
    """The rows with these columns alone."""
    schema, wanted = table.schema, set(columns)
    for name in columns:
        if not schema.column(name).is_modelled:
            raise DesignError.phrase(
                "Column {name!r} is not in use, so no model can learn from it. Give it another role on the Data page.",
                name=name,
            )
    codes = [position for position, column in enumerate(schema.categorical) if column.name in wanted]
    numbers = [position for position, column in enumerate(schema.numeric) if column.name in wanted]
    small = Schema(tuple(column for column in schema.modelled if column.name in wanted))
    return Table(small, table.codes[:, codes], table.numbers[:, numbers])


def _spans(schema: Schema, layout: Layout) -> tuple[Span, ...]:
    """Where each column lies, in file order."""
    spans: list[Span] = []
    start = 0
    for column in schema.modelled:
        one_hot = 1 + column.has_missing if column.is_numeric else len(column.levels)
        width = 1 if layout == "label" else one_hot
        among = schema.numeric if column.is_numeric else schema.categorical
        spans.append(Span(column, among.index(column), start, width))
        start += width
    return tuple(spans)


def _last(column: Column) -> int:
    """The last code of a category; 1 where there is one level only, so that it can be divided by."""
    return max(len(column.levels) - 1, 1)
