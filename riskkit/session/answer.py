"""What a question comes to in Python: verdict, estimates and pictures, printed without a row, a score or a cell."""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from riskkit import wording
from riskkit.base import extras
from riskkit.core import Estimate
from riskkit.errors import DesignError, nearest
from riskkit.judging.measurement import Limit
from riskkit.language import counting
from riskkit.plans import Plan
from riskkit.questions import question
from riskkit.session import verdicts
from riskkit.session.tables import provenance_of
from riskkit.session.verdicts import Verdicts, answer_shape
from riskkit.show.model import Class
from riskkit.table.load import Tables

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go


@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """A question that was asked of tables, and what it comes to.

    ``plan`` is what was asked and ``result`` all that was measured, with scores of single people: it stays with those
    who may see the real table. ``kept`` is the result as plain values. What is printed, here and as HTML, is the
    verdict with its reasons: no cell of a table, no row number, no score.
    """

    tables: Tables
    plan: Plan
    result: Any
    kept: Mapping[str, Any]
    limit: Limit | None = None

    @property
    def question(self) -> str:
        """The name of the question."""
        return self.plan.question

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Every estimate with its interval, in the order of the plan."""
        return tuple(self.result.estimates)

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside the numbers."""
        return tuple(self.result.notes)

    @property
    def verdict(self) -> str:
        """The word of the judge on this release; empty where nothing was asked about this release."""
        return self.verdicts.word

    @cached_property
    def verdicts(self) -> Verdicts:
        """Give-aways, and every finding with its judgement, in words that hold no value and no row number."""
        made_by = provenance_of(self.tables)
        with counting(self.tables.unit):
            return verdicts.verdicts(self.limit, made_by, self.tables, self.plan, self.kept, kind=Class.SHAREABLE)

    def as_dict(self) -> dict[str, Any]:
        """The same plain values that the command line prints with ``--json``."""
        with counting(self.tables.unit):
            return answer_shape(question(self.question).as_dict(self.result), self.tables, self.verdicts)

    def to_frame(self) -> pd.DataFrame:
        """The estimates as a frame of pandas: ``name``, ``value``, ``low``, ``high``, ``n``, then labels as columns."""
        import pandas as pd

        first = ("name", "value", "low", "high", "n")
        rows = [estimate.as_dict() for estimate in self.estimates]
        every = list(dict.fromkeys([*first, *(name for row in rows for name in row if name not in OWN), *OWN]))
        return pd.DataFrame(rows, columns=every)

    @property
    def pictures(self) -> tuple[str, ...]:
        """The names of the pictures that :meth:`plot` makes, the most telling first."""
        return tuple(self._figures)

    def plot(self, picture: str = "") -> go.Figure:
        """The figure of plotly that the page of this question shows; of several the first, or the one of that name.

        Raises
        ------
        DesignError
            There is no such picture, or no number to draw.
        MissingLibrary
            The libraries of the dashboard are not installed.
        """
        there = self._figures
        if not there:
            raise DesignError("There is no number to draw; the notes say why.")
        if picture and picture not in there:
            near = nearest(picture, there)
            raise DesignError(f"There is no picture {picture!r}{near}; there are {', '.join(there)}.")
        return there[picture or next(iter(there))]

    @cached_property
    def _figures(self) -> Mapping[str, Any]:
        extras.require("app", "A picture")
        from riskkit.figures.blocks import pictures

        charts = [finding.chart for finding, _ in self.verdicts.judged if finding.chart is not None]
        limit = None if self.limit is None else self.limit.value
        with counting(self.tables.unit):
            return pictures(self.question, self.kept, limit, charts)

    def __repr__(self) -> str:
        about = f"{self.question}, {wording.plural(len(self.estimates), 'estimate')}"
        with counting(self.tables.unit):
            return "\n".join([about, *self.verdicts.lines()]).rstrip()

    def _repr_html_(self) -> str:
        lines = [html.escape(line) for line in str(self).splitlines()]
        return f"<div><strong>{lines[0]}</strong><br>{'<br>'.join(lines[1:])}</div>"


OWN = ("level", "method")
"""What stands behind the labels of a frame."""
