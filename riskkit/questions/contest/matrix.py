"""What the releases of a contest come to: the matrix of hits, who may take part, points, and the frontier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from riskkit.base import distributions
from riskkit.core import Estimate, Ints
from riskkit.games.anonymity import Anonymity, worst
from riskkit.games.contest import ContestPopulation
from riskkit.phrases import phrase
from riskkit.questions.contest import points
from riskkit.questions.contest.plan import SEEK, ContestPlan
from riskkit.questions.contest.played import Bundle, PlayedRelease
from riskkit.questions.contest.points import Row, Spot
from riskkit.questions.contest.ranking import Entry, Ranking, ranking
from riskkit.questions.contest.result import (
    ContestResult,
    Counts,
    Guessing,
    Order,
    Others,
    Planted,
    Safety,
    Standing,
)
from riskkit.questions.contest.usefulness import LEARNT, about, frontiers, learnt_from, measures
from riskkit.questions.opponents import CONTROL
from riskkit.stats.hits import Draw, best_of_random_law, hits, over_rounds
from riskkit.stats.intervals import clopper_pearson
from riskkit.table.usefulness import TreeQuestion


@dataclass(frozen=True)
class Matrix:
    """Every release as it was played. ``uploaded`` names those that were given; ``control`` is the planted one."""

    plan: ContestPlan
    population: ContestPopulation
    played: tuple[PlayedRelease, ...]
    uploaded: tuple[str, ...]
    questions: tuple[TreeQuestion, ...]
    control: PlayedRelease | None = None

    def result(self, *, keep: bool = False) -> ContestResult:
        """All that is kept; with ``keep`` the releases too, for the bundle."""
        draw, rows = self.draw, self.rows
        pictures = {measure: self.frontier(measure) for measure in self.drawn}
        measured = self._measures()
        return ContestResult(
            plan=self.plan,
            estimates=tuple(hits for row in rows for hits in row.hits.values()) + tuple(self.useful.values()),
            counts=Counts(len(self.population)),
            chance=None if draw is None else _guessing(draw, len(self.plan.attackers)),
            standings=() if draw is None else tuple(self._standing(row, draw) for row in rows),
            ranking=self.ranking,
            controls=() if draw is None else tuple(self._controls(draw)),
            frontiers=pictures,
            sentences=() if draw is None else tuple(points.sentence(row, draw, self.plan.mode) for row in rows),
            uploads=points.uploaded_sentences(pictures[self.drawn[0]]),
            lesson="" if draw is None else points.lesson(rows, draw),
            measures={name: about(name, self.plan.secret) for name in measured},
            order=Order(measured, self.drawn),
            others=self._others(),
            trees=tuple(f"{tree.column}={tree.level}, {tree.depth} deep" for tree in self.questions),
            notes=self.notes,
            bundle=Bundle(self.population, self.played) if keep else None,
        )

    @cached_property
    def draw(self) -> Draw | None:
        """What every attacker was asked; None where nothing could be played."""
        first = next((release for release in self.played if release.asked), None)
        if first is None:
            return None
        guesses = first.inside if self.plan.mode == SEEK else self.plan.guesses
        return Draw(first.asked, first.inside, guesses)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The matrix, one row an anonymiser in the order of the plan."""
        draw = self.draw
        if draw is None:
            return ()
        out = []
        for name in self.anonymisers:
            own = [release for release in self.played if release.anonymiser == name and release.hits]
            attackers = [who for who in own[0].hits if all(who in release.hits for release in own)] if own else []
            if not attackers:
                continue
            counts = {who: np.array([release.hits[who] for release in own], dtype=np.int64) for who in attackers}
            each = 1 - (1 - self.plan.level) / len(attackers)
            plain, wide = (
                {
                    who: _hits(count, draw, level).labelled(anonymiser=name, attacker=who)
                    for who, count in counts.items()
                }
                for level in (self.plan.level, each)
            )
            out.append(points.row(name, plain, wide, draw))
        return tuple(out)

    @property
    def anonymisers(self) -> tuple[str, ...]:
        """Everybody whose releases were played, in the order of the plan."""
        return tuple(dict.fromkeys(release.anonymiser for release in self.played))

    @cached_property
    def useful(self) -> dict[tuple[str, str], Estimate]:
        """Usefulness by anonymiser and measure, as far as it has an interval.

        Over rounds it is Student's. Of one release only the accuracy of a model has one, over the people it was asked
        about; the other numbers describe that release and estimate nothing.
        """
        out = {}
        for name in self.anonymisers:
            own = self._of(name)
            for measure in _shared([release.usefulness for release in own]):
                values = np.array([release.usefulness[measure] for release in own])
                if self.plan.rounds > 1:
                    value = _mean(values, measure, self.plan.level)
                elif measure.split(" ")[0] in LEARNT:
                    value = _share(float(values[0]), own[0].useful.tested, measure, self.plan.level)
                else:
                    continue
                out[name, measure] = value.labelled(anonymiser=name)
        return out

    def _of(self, name: str) -> list[PlayedRelease]:
        return [release for release in self.played if release.anonymiser == name and release.usefulness]

    def usefulness(self, name: str) -> dict[str, float]:
        """Every measure of an anonymiser's releases, its mean over rounds."""
        return _over([release.useful.sample for release in self._of(name)])

    def elsewhere(self, name: str) -> dict[str, float]:
        """The same against people whom no release was made from."""
        return _over([release.useful.elsewhere for release in self._of(name)])

    def frontier(self, measure: str) -> tuple[Spot, ...]:
        """Every anonymiser by usefulness and the hits of its best attacker, and who beats it."""
        spots = []
        for row in self.rows:
            name, value = row.anonymiser, self.usefulness(row.anonymiser).get(measure)
            if value is not None:
                useful = self.useful.get((name, measure))
                spots.append(Spot(name, value, useful, row.worst, name in self.uploaded))
        return points.frontier(spots)

    @cached_property
    def ranking(self) -> Ranking:
        """Who wins, who may not take part and why, and what attackers are paid."""
        preliminary, entries = dict(self.plan.preliminary), []
        for row in self.rows:
            _, missed = points.qualifies(self.usefulness(row.anonymiser), self.plan.rules)
            counts = {name: hits.value for name, hits in row.hits.items()}
            entries.append(Entry(row.anonymiser, counts, row.worst, missed, preliminary.get(row.anonymiser)))
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
        notes = (note for release in every for note in release.notes)
        return tuple(dict.fromkeys([*(known if self.plan.condition else ()), *notes]))

    @property
    def drawn(self) -> tuple[str, ...]:
        """Measures that a frontier is drawn for: those that suit any table, then what is learnt from the release."""
        return (*frontiers(), *(learnt_from("accuracy", spelled) for spelled in self.plan.classifiers))

    def _measures(self) -> tuple[str, ...]:
        learnt = (learnt_from(part, spelled) for spelled in self.plan.classifiers for part in LEARNT)
        return (*measures(), *learnt)

    def _controls(self, draw: Draw) -> list[Planted]:
        """What each attacker finds of the planted control; none where it was not played."""
        counts = {} if self.control is None else self.control.hits
        labelled = [
            hits(count, draw, level=self.plan.level).labelled(anonymiser=CONTROL, attacker=name)
            for name, count in counts.items()
        ]
        return [Planted(control, points.is_found(control, draw)) for control in labelled]

    def _others(self) -> Others:
        sample = {} if self.control is None else self.control.useful.elsewhere
        return Others(max((release.useful.tested for release in self.played), default=0), dict(sample))

    def _standing(self, row: Row, draw: Draw) -> Standing:
        name, useful = row.anonymiser, self.usefulness(row.anonymiser)
        preliminary = dict(self.plan.preliminary).get(name)
        takes_part, missed = points.qualifies(useful, self.plan.rules)
        safety = (100 * (1 - end / draw.guesses) for end in (row.worst.value, row.worst.high, row.worst.low))
        return Standing(
            name=name,
            is_uploaded=name in self.uploaded,
            best=row.best,
            worst=row.worst,
            looks=len(row.hits),
            chance=row.chance,
            safety=Safety(*safety),
            preliminary=preliminary,
            anonymity=self._anonymity(name),
            points=points.anonymiser_points(row.worst.value / draw.guesses, preliminary),
            evaded=points.evaded(row, draw),
            usefulness=useful,
            elsewhere=self.elsewhere(name),
            takes_part=takes_part,
            misses=missed,
        )

    def _anonymity(self, name: str) -> Anonymity | None:
        counted = [release.anonymity for release in self.played if release.anonymiser == name]
        known = [anonymity for anonymity in counted if anonymity is not None]
        return worst(known) if known else None


def _hits(counts: Ints, draw: Draw, level: float) -> Estimate:
    return hits(int(counts[0]), draw, level=level) if len(counts) == 1 else over_rounds(counts, draw, level=level)


def _mean(values: Sequence[float] | Any, measure: str, level: float) -> Estimate:
    n, mean = len(values), float(np.mean(values))
    reach = float(distributions.t.ppf((1 + level) / 2, n - 1) * np.std(values, ddof=1) / np.sqrt(n))
    return Estimate(measure, mean, mean - reach, mean + reach, level, "Student over rounds", n)


def _share(value: float, of: int, measure: str, level: float) -> Estimate:
    """The share of so many people told rightly."""
    low, high = (float(end) for end in clopper_pearson(value * of, of, (1 - level) / 2))
    return Estimate(measure, value, min(low, value), max(high, value), level, "Clopper-Pearson over people asked", of)


def _shared(rounds: Sequence[Mapping[str, float]]) -> list[str]:
    """What every round has."""
    return [name for name in rounds[0] if all(name in values for values in rounds)] if rounds else []


def _over(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean over rounds of what every round has."""
    return {name: float(np.mean([values[name] for values in rounds])) for name in _shared(rounds)}


def _guessing(draw: Draw, attackers: int) -> Guessing:
    mean, most = best_of_random_law(draw, attackers)
    return Guessing(draw.population, draw.members, draw.guesses, draw.expected, attackers, mean, most)
