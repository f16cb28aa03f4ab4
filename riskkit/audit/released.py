"""Attacking a released file: every attack on the same records, a planted leak beside each, one verdict over all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.audit.pool import Clock, Pool, Progress
from riskkit.audit.released_plan import ReleasedPlan, what_it_can_show
from riskkit.core import Estimate, Scores
from riskkit.errors import DesignError, TooFewTrainings
from riskkit.games.blind import blind
from riskkit.games.copies import panel
from riskkit.games.released import ReleasedGame
from riskkit.report import released as said
from riskkit.report.findings import meaning
from riskkit.seeds import stream
from riskkit.stats import records
from riskkit.table.load import Tables

GAME = {
    "question": "released",
    "random": "which people of the population were in; the release is fixed",
    "unit": "record",
}
"""The game, for every result. The plan says the rest."""
FPRS = (0.1, 0.01)
"""Shares of false alarms at which the share named is given, where there are records enough."""


@dataclass(frozen=True, slots=True, eq=False)
class Control:
    """What an attack made of the leak planted for it; where ``auc`` is None, ``why`` says why there is no number."""

    attack: str
    auc: Estimate | None
    planted: str
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "attack": self.attack,
            "auc": None if self.auc is None else self.auc.as_dict(),
            "planted": self.planted,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedFinding:
    """What one attack did. ``scores`` is None where it could not be run; the notes then say why."""

    attack: str
    scores: Scores | None
    estimates: tuple[Estimate, ...]
    control: Control | None
    notes: tuple[str, ...]

    @property
    def has_auc(self) -> bool:
        """Whether it counts as looked at."""
        return any(estimate.name == "auc" for estimate in self.estimates)


@dataclass(frozen=True, slots=True, eq=False)
class Blind:
    """How well the sides are told apart without the release. ``blocked`` where they are."""

    auc: Estimate | None
    blocked: bool
    why: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "auc": None if self.auc is None else self.auc.as_dict(),
            "blocked": self.blocked,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedResult:
    """A finished plan: one finding an attack, in the order of the plan.

    ``game`` and ``blind`` are None where there was no holdout: nothing can be said of membership then.
    """

    plan: ReleasedPlan
    game: ReleasedGame | None
    findings: tuple[ReleasedFinding, ...]
    blind: Blind | None
    panel: dict[str, Any]
    notes: tuple[str, ...]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All estimates, in order."""
        return tuple(estimate for finding in self.findings for estimate in finding.estimates)

    def as_dict(self) -> dict[str, Any]:
        """All but the scores of single records, as plain values; whatever the workers, the same."""
        looks = sum(finding.has_auc for finding in self.findings)
        return {
            "estimates": [estimate.as_dict() for estimate in self.estimates],
            "settings": {**GAME, **self.plan.as_dict(), **_counts(self.game)},
            "blind": None if self.blind is None else self.blind.as_dict(),
            "control": [finding.control.as_dict() for finding in self.findings if finding.control],
            "power": None if self.game is None else _power(self.game, self.plan, looks),
            "base_rates": _base_rates(self.estimates),
            "panel": self.panel,
            "notes": list(self.notes),
        }

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict` and the scores of each record beside it; never for a report that is passed on."""
        return {**self.as_dict(), "scores": [_kept_scores(f, self.game) for f in self.findings if f.scores]}


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
        Told how far it is, and asked whether to stop, after every attack.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        There is no release, or no record is left to ask about.
    """
    with threadpool_limits(1):  # more threads would change the last bits of sums with the number of cores
        if tables.synthetic is None:
            raise DesignError("No synthetic table is loaded; load the release on the Data page.")
        about = panel(tables.real, tables.synthetic, tables.holdout, stream(plan.seed, "released", "panel")).as_dict()
        if tables.holdout is None:
            return ReleasedResult(plan, None, (), None, about, (said.NO_HOLDOUT,))
        game = plan.game(tables)
        without = _blind(game, plan)
        findings = _attack(game, plan, Pool(workers, Clock(len(plan.attacks), progress), cancelled))
    notes = [*_notes(game), *(note for finding in findings for note in finding.notes)]
    return ReleasedResult(plan, game, tuple(findings), without, about, tuple(dict.fromkeys(notes)))


# --------------------------------------------------------------------------------------------------------------
# Units of work

Answer = Scores | str
"""The scores of an attack, or the sentence why there are none."""


def _attack(game: ReleasedGame, plan: ReleasedPlan, pool: Pool) -> list[ReleasedFinding]:
    """Every attack on the game, and on the game with the planted leak."""
    planted: ReleasedGame | str
    try:
        planted = game.planted()
    except DesignError as refusal:
        planted = str(refusal)
    answers = list(pool.map("Attacks on the release", _answers, game, plan.attacks, planted))
    return [
        _finding(text, answer, control, plan, planted)
        for text, (answer, control) in zip(plan.attacks, answers, strict=True)
    ]


def _answers(game: ReleasedGame, attacks: Sequence[str], planted: ReleasedGame | str) -> list[tuple[Answer, Answer]]:
    return [(_answer(game, text, "attack"), _answer(planted, text, "control")) for text in attacks]


def _answer(game: ReleasedGame | str, text: str, what: str) -> Answer:
    if isinstance(game, str):
        return game
    try:
        return game.scores(registry.parse("released", text), what, text)
    except DesignError as refusal:
        return str(refusal)


# --------------------------------------------------------------------------------------------------------------
# Grades


def _finding(
    attack: str, answer: Answer, control: Answer, plan: ReleasedPlan, planted: ReleasedGame | str
) -> ReleasedFinding:
    if isinstance(answer, str):
        return ReleasedFinding(attack, None, (), None, (f"{attack} was not run: {answer}",))
    wanted: list[Callable[[], Estimate]] = [lambda: records.auc(answer, level=plan.level)]
    wanted += [lambda fpr=fpr: records.tpr_at_fpr(answer, fpr, level=plan.level) for fpr in FPRS]  # type: ignore[misc]
    estimates: list[Estimate] = []
    notes: list[str] = []
    for make in wanted:
        try:
            estimates.append(make().labelled(attack=attack))
        except TooFewTrainings as refusal:  # of all attacks alike
            notes.append(str(refusal))
        except DesignError as refusal:
            notes.append(f"{attack}: {refusal}")
    return ReleasedFinding(attack, answer, tuple(estimates), _control(attack, control, plan, planted), tuple(notes))


def _control(attack: str, answer: Answer, plan: ReleasedPlan, planted: ReleasedGame | str) -> Control:
    what = "nothing"
    if not isinstance(planted, str):
        what = said.planted(planted.copies, len(planted.release), planted.records(True))
    try:
        if isinstance(answer, str):
            raise DesignError(answer)
        return Control(attack, records.auc(answer, level=plan.level).labelled(attack=attack), what)
    except DesignError as refusal:
        return Control(attack, None, what, str(refusal))


def _blind(game: ReleasedGame, plan: ReleasedPlan) -> Blind:
    value, part = blind(game.targets, game.is_in, game.record, game.rng("blind"))
    scores = Scores(value, game.is_in, game.record, game.record * 0, "without the release")
    try:
        auc = records.cross_fitted_auc(scores, part, level=plan.level)
    except DesignError as refusal:
        return Blind(None, False, str(refusal))
    return Blind(auc, auc.low > 0.5)


# --------------------------------------------------------------------------------------------------------------
# What stands beside them


def _counts(game: ReleasedGame | None) -> dict[str, int]:
    if game is None:
        return {}
    left = game.left_out
    return {
        "n_in": game.records(True),
        "n_out": game.records(False),
        "n_reference": 0 if game.reference is None else len(game.reference),
        "dropped_both": left.real + left.holdout,
        "dropped_real": left.real,
        "dropped_holdout": left.holdout,
        "dropped_to_even": left.evened,
    }


def _notes(game: ReleasedGame) -> list[str]:
    left = game.left_out
    notes = []
    if left.real:
        notes.append(
            f"{left.real:,} rows of the real table and {left.holdout:,} of the holdout are equal to one another; they "
            "are left out on both sides, because such a person was in and yet stands among those who were not."
        )
    if left.evened:
        notes.append(
            f"{left.evened:,} rows of records that the larger table holds several times are left out, because such "
            "records would stand in it more often by its size alone."
        )
    if left.spared:
        notes.append(f"{left.spared:,} rows are over the maximum that is asked about; drawn at random.")
    return notes


def _power(game: ReleasedGame, plan: ReleasedPlan, looks: int) -> dict[str, float] | None:
    try:
        return what_it_can_show(game.records(True), game.records(False), level=plan.level, looks=looks)
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
        for prior, posterior in meaning(estimate)
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
