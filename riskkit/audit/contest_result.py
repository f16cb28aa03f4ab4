"""A finished contest: the matrix of hits, who may take part, points, and the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import t as student

from riskkit.audit.contest_plan import ContestPlan
from riskkit.core import Bools, Estimate, Ints, Table
from riskkit.games.contest import Population
from riskkit.report import contest as said
from riskkit.report.contest import Placed, Point, Row
from riskkit.stats.hits import Draw, best_of_random_law, hits, over_rounds
from riskkit.utility.measures import MEASURES
from riskkit.utility.trees import Question

GAME = {
    "question": "contest",
    "random": "who of the population was in the sample, and the anonymiser's seed",
    "unit": "named row of one release; round where several were played",
}
"""The game, for every result. The plan says the rest."""
USEFUL = ("pairs", "histogram", "correlation", "trees")
"""Measures that a frontier is drawn for, the first one at first."""


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """One release. ``hits`` and ``named`` (rows of the population, surest first) by attacker.

    ``asked`` rows were asked about, ``inside`` of which were in; both are 0 where it could not be played.
    """

    anonymiser: str
    number: int
    is_in: Bools
    hits: Mapping[str, int]
    named: Mapping[str, Ints]
    usefulness: Mapping[str, float]
    asked: int
    inside: int
    release: Table | None
    notes: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class ContestResult:
    """A finished plan. ``uploaded`` names the releases that were given."""

    plan: ContestPlan
    population: Population
    played: tuple[Played, ...]
    uploaded: tuple[str, ...]
    questions: tuple[Question, ...]

    @cached_property
    def draw(self) -> Draw | None:
        """What every attacker was asked; None where nothing could be played."""
        first = next((one for one in self.played if one.asked), None)
        if first is None:
            return None
        guesses = first.inside if self.plan.mode == "hide-and-seek" else self.plan.guesses
        return Draw(first.asked, first.inside, guesses)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The matrix, one row an anonymiser in the order of the plan."""
        if self.draw is None:
            return ()
        out = []
        for name in dict.fromkeys(one.anonymiser for one in self.played):
            own = [one for one in self.played if one.anonymiser == name and one.hits]
            attackers = [a for a in own[0].hits if all(a in one.hits for one in own)] if own else []
            if not attackers:
                continue
            found = {a: np.array([one.hits[a] for one in own], dtype=np.int64) for a in attackers}
            each = 1 - (1 - self.plan.level) / len(attackers)
            plain, wide = (
                {a: self._hits(count, level).labelled(anonymiser=name, attacker=a) for a, count in found.items()}
                for level in (self.plan.level, each)
            )
            out.append(said.row(name, plain, wide, self.draw))
        return tuple(out)

    def _hits(self, found: Ints, level: float) -> Estimate:
        assert self.draw is not None
        if len(found) == 1:
            return hits(int(found[0]), self.draw, level=level)
        return over_rounds(found, self.draw, level=level)

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Hits of every attacker against every anonymiser, then usefulness where rounds give it an interval."""
        return tuple(e for row in self.rows for e in row.hits.values()) + tuple(self.useful.values())

    @cached_property
    def useful(self) -> dict[tuple[str, str], Estimate]:
        """Usefulness by anonymiser and measure, with Student's interval over rounds; empty of one round."""
        if self.plan.rounds == 1:
            return {}
        out = {}
        for name in dict.fromkeys(one.anonymiser for one in self.played):
            for measure in self._measured(name):
                values = np.array([one.usefulness[measure] for one in self._of(name)])
                out[name, measure] = _mean(values, measure, self.plan.level).labelled(anonymiser=name)
        return out

    def _of(self, name: str) -> list[Played]:
        return [one for one in self.played if one.anonymiser == name and one.usefulness]

    def _measured(self, name: str) -> list[str]:
        own = self._of(name)
        return (
            [measure for measure in own[0].usefulness if all(measure in one.usefulness for one in own)] if own else []
        )

    def usefulness(self, name: str) -> dict[str, float]:
        """Every measure of an anonymiser's releases, its mean over rounds."""
        return {m: float(np.mean([one.usefulness[m] for one in self._of(name)])) for m in self._measured(name)}

    def frontier(self, measure: str = USEFUL[0]) -> tuple[Placed, ...]:
        """Every anonymiser by usefulness and the hits of its best attacker, and who beats it."""
        points = []
        for row in self.rows:
            found = self.usefulness(row.anonymiser)
            if measure in found:
                useful = self.useful.get((row.anonymiser, measure))
                own = row.anonymiser in self.uploaded
                points.append(Point(row.anonymiser, found[measure], useful, row.worst, own))
        return said.frontier(points)

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be played, and why; each once."""
        return tuple(dict.fromkeys(note for one in self.played for note in one.notes))

    def as_dict(self) -> dict[str, Any]:
        """All but rows of people, as plain values; whatever the workers, the same."""
        placed = self.frontier()
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), "rows_in_population": len(self.population)},
            "chance": None if self.draw is None else _chance(self.draw, len(self.plan.attackers)),
            "anonymisers": [self._row(row) for row in self.rows],
            "attackers": self._attackers(),
            "frontiers": {measure: [_placed(one) for one in self.frontier(measure)] for measure in USEFUL},
            "sentences": [
                *(said.sentence(row, self.draw, self.plan.mode) for row in self.rows if self.draw is not None),
                *filter(None, [said.uploaded_sentence(placed)]),
                said.LESSON,
            ],
            "measures": {name: {"title": m.title, "plain": m.plain} for name, m in MEASURES.items()},
            "trees": [f"{q.column}={q.level}, {q.depth} deep" for q in self.questions],
            "notes": list(self.notes),
        }

    def _row(self, row: Row) -> dict[str, Any]:
        assert self.draw is not None
        found = self.usefulness(row.anonymiser)
        qualified, missed = said.qualifies(found, self.plan.rules)
        rate = row.worst.value / self.draw.guesses
        return {
            "anonymiser": row.anonymiser,
            "uploaded": row.anonymiser in self.uploaded,
            "best_attacker": row.best,
            "worst": row.worst.as_dict(),
            "looks": len(row.hits),
            "chance_of_guessing": row.chance,
            "safety": {end: 100 * (1 - getattr(row.worst, at) / self.draw.guesses) for end, at in _ENDS},
            "points": said.anonymiser_points(rate),
            "verdict": str(said.verdict(row, self.draw)),
            "evaded": list(said.evaded(row, self.draw)),
            "usefulness": found,
            "takes_part": qualified,
            "misses": list(missed),
        }

    def _attackers(self) -> list[dict[str, Any]]:
        """The points of each attacker over the anonymisers that take part."""
        if self.draw is None:
            return []
        part = [row for row in self.rows if said.qualifies(self.usefulness(row.anonymiser), self.plan.rules)[0]]
        largest = {row.anonymiser: row.worst.value / self.draw.guesses for row in part}
        names = dict.fromkeys(attacker for row in self.rows for attacker in row.hits)
        rates = {a: {r.anonymiser: r.hits[a].value / self.draw.guesses for r in part if a in r.hits} for a in names}
        return [{"attacker": name, "points": said.attacker_points(rates[name], largest)} for name in names]


_ENDS = (("value", "value"), ("low", "high"), ("high", "low"))
"""Ends of an interval of hits that become those of safety, which is 100 less as many per cent."""


def _mean(values: Sequence[float] | Any, measure: str, level: float) -> Estimate:
    n, mean = len(values), float(np.mean(values))
    reach = float(student.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Estimate(measure, mean, mean - reach, mean + reach, level, "Student over rounds", n)


def _chance(draw: Draw, attackers: int) -> dict[str, float]:
    mean, most = best_of_random_law(draw, attackers)
    return {
        "population": draw.population,
        "members": draw.members,
        "guesses": draw.guesses,
        "expected": draw.expected,
        "best_of": attackers,
        "best_mean": mean,
        "best_seldom_over": most,
    }


def _placed(one: Placed) -> dict[str, Any]:
    point = one.point
    return {
        "name": point.name,
        "usefulness": point.usefulness,
        "useful": None if point.useful is None else point.useful.as_dict(),
        "worst": point.worst.as_dict(),
        "uploaded": point.uploaded,
        "dominated_by": list(one.dominated_by),
        "shown_better": list(one.shown_better),
    }
