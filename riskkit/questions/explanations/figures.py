"""What was played, as estimates: of every attacker, of every defence, of single columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from riskkit import registry
from riskkit.core import Estimate, Floats, Table
from riskkit.errors import ScoreError, message_of
from riskkit.games.explanation import CONSTANTS
from riskkit.questions.explanations.plan import NONE, ExplanationPlan
from riskkit.questions.explanations.units import PlayedUnit
from riskkit.stats import recovery
from riskkit.stats.recovery import OVERALL, Recovered, Spread, crossed, mean_interval
from riskkit.table.features import Secret

MEASURES: tuple[recovery.Measure, ...] = ("success_rate", "mae")
MEDIAN, MODE = CONSTANTS
Tries = dict[tuple[str, int], Recovered]


def joined(parts: Sequence[PlayedUnit]) -> Tries:
    """The answers of one offer under all model seeds, by attacker and rows held."""
    return {key: recovery.join([part.answers[key] for part in parts]) for key in parts[0].answers}


class Figures:
    """Collects the estimates of one audit; what cannot be estimated becomes a note."""

    def __init__(self, plan: ExplanationPlan, most: int) -> None:
        self.plan, self.most = plan, most
        self.estimates: list[Estimate] = []
        self.notes: list[str] = []

    def _add(self, make: Callable[[], Estimate], **labels: str) -> None:
        try:
            self.estimates.append(make().labelled(**labels))
        except ScoreError as refusal:
            self.notes.append(message_of(refusal))

    def measures(self, offer: str, tries: Tries) -> None:
        """Success rate and error of everybody who was played against that offer; of each column where it is judged."""
        rates = self.plan.compared() if offer == NONE else {}
        for (name, rows), recovered in tries.items():
            in_detail = offer == NONE and rows == self.most and name not in set(rates) - set(self.plan.attackers)
            for column in (OVERALL, *recovered.columns) if in_detail else (OVERALL,):
                for measure in MEASURES:
                    labels = {"attacker": name, "rows": str(rows), "defence": offer}
                    labels |= {"rates": rates[name]} if name in rates and rows == self.most else {}
                    self._add(
                        lambda f=recovered, m=measure, c=column: recovery.estimate(f, m, c, level=self.plan.level),  # type: ignore[misc]
                        **labels,
                    )

    def gains(self, tries: Tries) -> None:
        """How much better than the constant guess that is hardest to beat in that measure; for one look each."""
        for name in self.plan.attackers:
            recovered = tries[name, self.most]
            for column in (OVERALL, *recovered.columns):
                for measure, against in (("success_rate", MODE), ("mae", MEDIAN)):
                    constant = tries[against, self.most]
                    self._add(
                        lambda f=recovered, k=constant, m=measure, c=column: recovery.gain(  # type: ignore[misc]
                            f, k, m, c, level=self.plan.level
                        ),
                        attacker=name,
                        rows=str(self.most),
                        defence=NONE,
                        against=against,
                    )

    def accepted(self, tries: Tries) -> None:
        """What attackers that may decline to answer stand by: Luo's share, under its own name."""
        for name in self.plan.attackers:
            if registry.parse("inverters", name).holds == "random":
                recovered = tries[name, self.most]
                for make in (recovery.acceptance, recovery.accepted_mae):
                    self._add(
                        lambda f=recovered, m=make: m(f, level=self.plan.level),  # type: ignore[misc]
                        attacker=name,
                        rows=str(self.most),
                        defence=NONE,
                    )

    def read(self, offer: str, parts: Sequence[PlayedUnit]) -> None:
        """What honest readers still have of the exact values."""
        kept = [part.read for part in parts if part.read is not None]
        for name, cells, scale in (
            ("rank_correlation", np.stack([ranks.rank for ranks in kept]), 2),
            ("top_three", np.stack([ranks.top for ranks in kept]), 1),
        ):
            shown = (cells + 1) / 2 if scale == 2 else cells
            made = _mean(name, shown, scale, self.plan.level)
            self.estimates.append(made.labelled(defence=offer, seeds=str(len(kept))))


def _mean(name: str, cells: Floats, scale: int, level: float) -> Estimate:
    """The mean of cells (seeds, victims) between 0 and 1; on a scale of 2 it is shown between -1 and 1."""
    spread: Spread = crossed(cells)
    low, high = mean_interval(spread, level)
    shift = scale - 1
    value, *ends = (scale * float(end) - shift for end in (spread.mean, low, high))
    over = "victims, one model" if len(cells) == 1 else "victims and model seeds, crossed"
    method = f"Korn-Graubard of a bounded mean, over {over}"
    return Estimate(name, value, ends[0], ends[1], level, method, cells.shape[1])


def against_constants(tries: Tries, attacker: str, most: int, level: float) -> dict[str, tuple[Estimate, ...]]:
    """The gains of one attacker over both constant guesses in both measures, overall and of every column that has any.

    A column of which too few victims have a value is left out.
    """
    recovered = tries[attacker, most]
    out: dict[str, tuple[Estimate, ...]] = {}
    for column in (OVERALL, *recovered.columns):
        try:
            out[column] = tuple(
                recovery.gain(recovered, tries[constant, most], measure, column, level=level)
                for constant in CONSTANTS
                for measure in MEASURES
            )
        except ScoreError:
            continue
    return out


def tied(rows: Table, column: str, target: str, level: float) -> Estimate | None:
    """How much a column has to do with the target; None where one of the two does not vary."""
    first, second = Secret.of(rows, column), Secret.of(rows, target)
    there = first.present & second.present
    try:
        if first.kind == second.kind == "category":
            return recovery.cramers_v(first.codes[there], second.codes[there], level=level)
        if first.kind == second.kind:
            return recovery.squared_correlation(first.values[there], second.values[there], level=level)
        number, group = (first, second) if first.kind == "number" else (second, first)
        return recovery.correlation_ratio(number.values[there], group.codes[there], level=level)
    except ScoreError:
        return None
