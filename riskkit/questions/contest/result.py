"""A finished contest: the matrix of hits, who may take part, points, and the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.stats import t as student

from riskkit.core import Bools, Estimate, Ints, Table
from riskkit.discreet import Discreet
from riskkit.games.anonymity import Anonymity, worst
from riskkit.games.contest import Population
from riskkit.phrases import phrase
from riskkit.questions.contest import points as said
from riskkit.questions.contest.plan import CONTROL, SEEK, ContestPlan
from riskkit.questions.contest.points import Placed, Point, Row
from riskkit.questions.contest.ranking import Entry, Ranking, ranking
from riskkit.questions.contest.usefulness import LEARNT, about, frontiers, learnt_from, measures
from riskkit.stats.hits import Draw, best_of_random_law, hits, over_rounds
from riskkit.stats.intervals import clopper_pearson
from riskkit.table.usefulness import TreeQuestion

GAME = {
    "question": "contest",
    "random": "who of the population was in the sample, and the anonymiser's seed",
    "unit": "named row of one release; round where several were played",
}
"""The game, for every result. The plan says the rest."""


@dataclass(frozen=True, slots=True)
class Useful:
    """How useful a release is, by measure: against the sample it was made from, and ``elsewhere`` against people whom
    no release was made from. ``tested`` of those people were asked about by trees and models."""

    found: Mapping[str, float]
    elsewhere: Mapping[str, float]
    tested: int


@dataclass(frozen=True, slots=True, eq=False)
class Played:
    """One release. ``hits`` and ``named`` (rows of the population, surest first) by attacker.

    ``asked`` rows were asked about, ``inside`` of which were in; both are 0 where it could not be played. ``rows`` are
    those asked about, and ``release`` is what they were asked of, where these are kept for the bundle.
    """

    anonymiser: str
    number: int
    is_in: Bools
    hits: Mapping[str, int]
    named: Mapping[str, Ints]
    useful: Useful
    asked: int
    inside: int
    notes: tuple[str, ...]
    release: Table | None = None
    rows: Ints | None = None
    anonymity: Anonymity | None = None

    @property
    def usefulness(self) -> Mapping[str, float]:
        """Every measure against the sample; empty where it could not be measured."""
        return self.useful.found


def unplayed(anonymiser: str, number: int, is_in: Bools, note: str) -> Played:
    """One that could not be played, and why."""
    return Played(anonymiser, number, is_in, {}, {}, Useful({}, {}, 0), 0, 0, (note,))


@dataclass(frozen=True, eq=False, repr=False)
class ContestResult(Discreet):
    """A finished plan. ``uploaded`` names the releases that were given; ``control`` is the planted one, if any."""

    plan: ContestPlan
    population: Population
    played: tuple[Played, ...]
    uploaded: tuple[str, ...]
    questions: tuple[TreeQuestion, ...]
    control: Played | None = None

    @cached_property
    def draw(self) -> Draw | None:
        """What every attacker was asked; None where nothing could be played."""
        first = next((one for one in self.played if one.asked), None)
        if first is None:
            return None
        guesses = first.inside if self.plan.mode == SEEK else self.plan.guesses
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

    @cached_property
    def controls(self) -> Mapping[str, Estimate]:
        """What each attacker finds of the planted control; empty where none was played."""
        if self.control is None or self.draw is None:
            return {}
        return {
            name: hits(found, self.draw, level=self.plan.level).labelled(anonymiser=CONTROL, attacker=name)
            for name, found in self.control.hits.items()
        }

    @property
    def seeing(self) -> tuple[str, ...]:
        """The attackers that found the planted control: the sample itself."""
        draw = self.draw
        return () if draw is None else tuple(name for name, hits in self.controls.items() if said.is_found(hits, draw))

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """Hits of every attacker against every anonymiser, then usefulness where it has an interval."""
        return tuple(e for row in self.rows for e in row.hits.values()) + tuple(self.useful.values())

    @cached_property
    def useful(self) -> dict[tuple[str, str], Estimate]:
        """Usefulness by anonymiser and measure, as far as it has an interval.

        Over rounds it is Student's. Of one release only the accuracy of a model has one, over the people it was asked
        about; the other numbers describe that release and estimate nothing.
        """
        out = {}
        for name in dict.fromkeys(one.anonymiser for one in self.played):
            own = self._of(name)
            for measure in self._measured(name):
                values = np.array([one.usefulness[measure] for one in own])
                if self.plan.rounds > 1:
                    found = _mean(values, measure, self.plan.level)
                elif measure.split(" ")[0] in LEARNT:
                    found = _share(float(values[0]), own[0].useful.tested, measure, self.plan.level)
                else:
                    continue
                out[name, measure] = found.labelled(anonymiser=name)
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
        return _over([one.useful.found for one in self._of(name)])

    def elsewhere(self, name: str) -> dict[str, float]:
        """The same against people whom no release was made from."""
        return _over([one.useful.elsewhere for one in self._of(name)])

    def frontier(self, measure: str = "") -> tuple[Placed, ...]:
        """Every anonymiser by usefulness and the hits of its best attacker, and who beats it."""
        measure = measure or self.drawn[0]
        points = []
        for row in self.rows:
            found = self.usefulness(row.anonymiser)
            if measure in found:
                useful = self.useful.get((row.anonymiser, measure))
                own = row.anonymiser in self.uploaded
                points.append(Point(row.anonymiser, found[measure], useful, row.worst, own))
        return said.frontier(points)

    @cached_property
    def ranking(self) -> Ranking:
        """Who wins, who may not take part and why, and what attackers are paid."""
        preliminary, entries = dict(self.plan.preliminary), []
        for row in self.rows:
            _, missed = said.qualifies(self.usefulness(row.anonymiser), self.plan.rules)
            hits = {name: found.value for name, found in row.hits.items()}
            entries.append(Entry(row.anonymiser, hits, row.worst, missed, preliminary.get(row.anonymiser)))
        return ranking(entries, 1 if self.draw is None else self.draw.guesses)

    @property
    def notes(self) -> tuple[str, ...]:
        """What could not be played, and why; each once."""
        every = (*self.played, *([self.control] if self.control else []))
        known = (
            phrase(
                "Only who meets {condition} could be in, which everybody knows; nobody else is asked about.",
                condition=self.plan.condition,
            ),
        )
        notes = (note for one in every for note in one.notes)
        return tuple(dict.fromkeys([*(known if self.plan.condition else ()), *notes]))

    def as_dict(self) -> dict[str, Any]:
        """All but rows of people, as plain values; whatever the workers, the same."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), "rows_in_population": len(self.population)},
            "chance": None if self.draw is None else _chance(self.draw, len(self.plan.attackers)),
            "anonymisers": [self._row(row) for row in self.rows],
            "ranking": self.ranking.as_dict(),
            "controls": self._controls(),
            "frontiers": {measure: [_placed(one) for one in self.frontier(measure)] for measure in self.drawn},
            "sentences": [said.sentence(row, self.draw, self.plan.mode) for row in self.rows if self.draw],
            "uploads": list(said.uploaded_sentences(self.frontier())),
            "lesson": "" if self.draw is None else said.lesson(self.rows, self.draw),
            "measures": {name: self._about(name) for name in self._measures()},
            "order": {"measures": list(self._measures()), "frontiers": list(self.drawn)},
            "other_people": self._other_people(),
            "trees": [f"{q.column}={q.level}, {q.depth} deep" for q in self.questions],
            "notes": list(self.notes),
        }

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict`: a contest names no row of anybody, so there is nothing more to keep."""
        return self.as_dict()

    @property
    def drawn(self) -> tuple[str, ...]:
        """Measures that a frontier is drawn for: those that suit any table, then what is learnt from the release."""
        return (*frontiers(), *(learnt_from("accuracy", spelled) for spelled in self.plan.classifiers))

    def _measures(self) -> tuple[str, ...]:
        learnt = (learnt_from(part, spelled) for spelled in self.plan.classifiers for part in LEARNT)
        return (*measures(), *learnt)

    def _about(self, name: str) -> dict[str, str]:
        measure = about(name, self.plan.secret)
        return {"title": measure.title, "plain": measure.plain}

    def _controls(self) -> list[dict[str, Any]]:
        return [{**found.as_dict(), "found": name in self.seeing} for name, found in self.controls.items()]

    def _other_people(self) -> dict[str, Any]:
        """What the real rows themselves reach against people whom no release was made from, and how many these are."""
        useful = None if self.control is None else self.control.useful
        tested = max((one.useful.tested for one in self.played), default=0)
        return {"rows": tested, "sample": dict(useful.elsewhere) if useful else {}}

    def _row(self, row: Row) -> dict[str, Any]:
        assert self.draw is not None
        draw, found = self.draw, self.usefulness(row.anonymiser)
        preliminary = dict(self.plan.preliminary).get(row.anonymiser)
        qualified, missed = said.qualifies(found, self.plan.rules)
        return {
            "anonymiser": row.anonymiser,
            "uploaded": row.anonymiser in self.uploaded,
            "best_attacker": row.best,
            "worst": row.worst.as_dict(),
            "looks": len(row.hits),
            "chance_of_guessing": row.chance,
            "safety": {end: 100 * (1 - getattr(row.worst, at) / draw.guesses) for end, at in _ENDS},
            "preliminary": preliminary,
            "anonymity": self._anonymity(row.anonymiser),
            "points": said.anonymiser_points(row.worst.value / draw.guesses, preliminary),
            "evaded": list(said.evaded(row, draw)),
            "usefulness": found,
            "elsewhere": self.elsewhere(row.anonymiser),
            "takes_part": qualified,
            "misses": list(missed),
        }

    def _anonymity(self, name: str) -> dict[str, float] | None:
        found = [one.anonymity for one in self.played if one.anonymiser == name and one.anonymity is not None]
        return worst(found).as_dict() if found else None


_ENDS = (("value", "value"), ("low", "high"), ("high", "low"))
"""Ends of an interval of hits that become those of safety, which is 100 less as many per cent."""


def _mean(values: Sequence[float] | Any, measure: str, level: float) -> Estimate:
    n, mean = len(values), float(np.mean(values))
    reach = float(student.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Estimate(measure, mean, mean - reach, mean + reach, level, "Student over rounds", n)


def _share(value: float, of: int, measure: str, level: float) -> Estimate:
    """The share of so many people told rightly."""
    low, high = (float(end) for end in clopper_pearson(value * of, of, (1 - level) / 2))
    return Estimate(measure, value, min(low, value), max(high, value), level, "Clopper-Pearson over people asked", of)


def _over(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over rounds of what every round has."""
    shared = [name for name in rounds[0] if all(name in one for one in rounds)] if rounds else []
    return {name: float(np.mean([one[name] for one in rounds])) for name in shared}


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
