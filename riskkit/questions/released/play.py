"""Attacking a released file: every attack on the same records, a planted leak beside each, one verdict over all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from threadpoolctl import threadpool_limits

from riskkit.core import Estimate
from riskkit.discreet import Discreet
from riskkit.errors import DesignError, told
from riskkit.games.copies import panel
from riskkit.games.released import ReleasedGame
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.blind import Blind
from riskkit.questions.refusals import NO_RELEASE
from riskkit.questions.released import sentences as said
from riskkit.questions.released.grades import (
    FPRS,
    ReleasedFinding,
    Together,
    graded,
    together,
)
from riskkit.questions.released.people import People, people
from riskkit.questions.released.plan import ReleasedPlan, what_it_can_show
from riskkit.questions.released.texts import children_notes, text_notes
from riskkit.questions.released.units import answered, count
from riskkit.questions.unit import unit_of
from riskkit.released._caps import DENSITY_ROWS
from riskkit.seeds import stream
from riskkit.stats.joint import Joint
from riskkit.stats.posterior import posteriors
from riskkit.table.load import Tables
from riskkit.table.persons import Persons
from riskkit.table.rare import WIDTH, width

GAME = {
    "question": "released",
    "random": "which people of the population were in; the release is fixed",
    "unit": "record",
}
"""The game, for every result. The plan says the rest."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReleasedResult(Discreet):
    """A finished plan: one finding an attack, in the order of the plan, and what they reach together.

    ``joint`` is None where no attack gave a number; ``game`` and ``blind`` are None where there was no holdout: nothing
    can be said of membership then. ``second`` counts the rows of a second table by slot; empty where there is none.
    """

    plan: ReleasedPlan
    game: ReleasedGame | None
    findings: tuple[ReleasedFinding, ...]
    blind: Blind | None
    joint: Joint | None
    together: tuple[Together, ...]
    panel: dict[str, Any]
    people: People
    notes: tuple[str, ...]
    persons: Persons | None = None
    second: Mapping[str, int] = field(default_factory=dict)

    @property
    def unit(self) -> dict[str, Any]:
        """What is counted, where it is people of several rows."""
        return unit_of(self.persons)

    @property
    def _second(self) -> dict[str, Any]:
        """What is told of a second table, where there is one."""
        return {"second_table": dict(self.second)} if self.second else {}

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All estimates, in order."""
        return tuple(estimate for finding in self.findings for estimate in finding.estimates)

    def as_dict(self) -> dict[str, Any]:
        """All but the scores of single records, as plain values; whatever the workers, the same."""
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), **_counts(self.game), **self.unit, **self._second},
            "blind": None if self.blind is None else self.blind.as_dict(),
            "together": {
                "permutations": 0 if self.joint is None else self.joint.permutations,
                "each": [one.as_dict() for one in self.together],
            },
            "control": [finding.control.as_dict() for finding in self.findings if finding.control],
            "power": _power(self.game, self.joint),
            "base_rates": _base_rates(self.estimates),
            "panel": self.panel,
            "named": self.people.as_dict(),
            "notes": list(self.notes),
        }

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict` and the scores of each record beside it; never for a report that is passed on."""
        scores = [_kept_scores(f, self.game) for f in self.findings if f.scores]
        return {**self.as_dict(), "scores": scores, "records": [dict(each) for each in self.people.each]}


def run_released(
    tables: Tables,
    plan: ReleasedPlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> ReleasedResult:
    """Run every attack of the plan on the release.

    Parameters
    ----------
    workers
        Processes that attack side by side. They change the time, never a number.
    progress, cancelled
        Told how far it is, and asked whether to stop, after every attack on a part of the people.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        There is no release, or no record is left to ask about.
    """
    with threadpool_limits(1):  # more threads would change the last bits of sums with the number of cores
        if tables.synthetic is None:
            raise DesignError(NO_RELEASE)
        rng = stream(plan.seed, "released", "panel")
        about = panel(tables.real, tables.synthetic, tables.holdout, rng, tables.persons).as_dict()
        if tables.holdout is None:
            return ReleasedResult(plan, None, (), None, None, (), about, People(0, 0, ()), (said.NO_HOLDOUT,))
        game = plan.game(tables)
        games = {"attack": game, "control": _planted(game)}
        pool = Pool(workers, Clock(count(games, plan.attacks), progress), cancelled)
        answers, blind = answered(games, plan.attacks, plan.level, pool)
        findings = graded(answers, plan, game, games["control"])
        joint, each = together(findings, plan, game, blind)
        scores = [finding.scores for finding in findings if finding.scores is not None]
        named = people(scores, game.row, plan.seed, apart=blind.apart)
    notes = [
        *_notes(game),
        *text_notes(tables, plan, len(game.release)),
        *children_notes(tables, plan),
        *(note for finding in findings for note in finding.notes),
    ]
    told = tuple(dict.fromkeys(notes))
    second = {} if tables.children is None else {slot: len(rows) for slot, rows in tables.children.tables.items()}
    return ReleasedResult(plan, game, findings, blind, joint, each, about, named, told, tables.persons, second)


def _planted(game: ReleasedGame) -> ReleasedGame | str:
    """The game with the planted leak, or the sentence why none can be planted."""
    try:
        return game.planted()
    except DesignError as refusal:
        return told(refusal)


# --------------------------------------------------------------------------------------------------------------
# What stands beside them


def _counts(game: ReleasedGame | None) -> dict[str, int]:
    if game is None:
        return {}
    left = game.left_out
    return {
        "n_in": game.records(True),
        "n_out": game.records(False),
        "n_reference": game.n_reference,
        "dropped_both": left.real + left.holdout,
        "dropped_real": left.real,
        "dropped_holdout": left.holdout,
        "dropped_to_even": left.evened,
    }


def _notes(game: ReleasedGame) -> list[str]:
    left = game.left_out
    notes: list[str] = []
    if left.real:
        notes.append(
            phrase(
                "{real:,} rows of the real table and {holdout:,} of the holdout are equal to one another; they "
                "are left out on both sides, because such a person was in and yet stands among those who were "
                "not.",
                real=left.real,
                holdout=left.holdout,
            )
        )
    if left.evened:
        notes.append(
            phrase(
                "{rows:,} rows of records that the larger table holds several times are left out, because such "
                "records would stand in it more often by its size alone.",
                rows=left.evened,
            )
        )
    if max(len(game.release), game.n_reference) > DENSITY_ROWS:
        notes.append(
            phrase(
                "Densities are taken of {rows:,} rows of a larger table, drawn at random; distances of all rows.",
                rows=DENSITY_ROWS,
            )
        )
    if game.release.sizes and width(game.release) > WIDTH:
        notes.append(
            phrase(
                "The columns have {width:,} numbers and categories together. Densities and learned attacks tell "
                "the {most} most frequent apart and take a column's rare ones for one; distances tell all apart.",
                width=width(game.release),
                most=WIDTH,
            )
        )
    if left.spared:
        notes.append(
            phrase("{rows:,} rows are over the maximum that is asked about; drawn at random.", rows=left.spared)
        )
    return notes


def _power(game: ReleasedGame | None, joint: Joint | None) -> dict[str, float] | None:
    """What these attacks together could show on these records."""
    if game is None or joint is None:
        return None
    try:
        return what_it_can_show(game.records(True), game.records(False), *joint.reach)
    except DesignError:
        return None


def _base_rates(estimates: Sequence[Estimate]) -> list[dict[str, Any]]:
    """What an accusation at 10 % false alarms means, by how likely the record was in beforehand."""
    named = [e for e in estimates if e.name == "tpr_at_fpr" and e.labels["fpr"] == f"{FPRS[0]:g}"]
    return [
        {
            "attack": estimate.labels["attack"],
            "fpr": FPRS[0],
            "prior": prior,
            "posterior": {"value": posterior.value, "low": posterior.low, "high": posterior.high},
        }
        for estimate in named
        for prior, posterior in posteriors(estimate)
    ]


def _kept_scores(finding: ReleasedFinding, game: ReleasedGame | None) -> dict[str, Any]:
    assert finding.scores is not None
    assert game is not None
    return {
        "attack": finding.attack,
        "value": finding.scores.value.tolist(),
        "is_in": finding.scores.is_in.tolist(),
        "record": finding.scores.training.tolist(),
        "row": game.row.tolist(),
    }
