"""Playing it: coins, one training, scores, guesses; and the same with a method that is known to leak."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import Fitted, Floats, Generator, Table
from riskkit.errors import DesignError
from riskkit.games.crowd import Crowd
from riskkit.games.one_run import OneRunGame, deal, deal_on_part, know
from riskkit.games.subsets import Subsets
from riskkit.generators.engines.deep import TrainedTogether
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.questions import parts
from riskkit.questions.for_whom import by_scores, check_groups
from riskkit.questions.forecasts import Forecast, SharedTrainings, pilot
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.questions.one_run.result import AuditRow, Counts, Guessed, OneRunResult, Planted
from riskkit.questions.promises import claim
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats.one_run import Guesses, grade, one_run, one_run_gaussian, one_run_p, tries
from riskkit.table.load import Tables

CONTROL = "bootstrap"
"""The mechanism that plants the leak: it releases drawn rows as they are, and its model knows no others."""
FEW = 200
"""Rows by which it is seen, before the training, whether the method can say how probable a row is."""
GAUSSIAN_DELTA = 1e-5
"""The delta at which the epsilon of a Gaussian method is given that promises none."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainingPart:
    """One training: its game, what is trained, and what the auditor sees; ``release`` where that is there already."""

    game: OneRunGame
    generator: str
    plan: OneRunPlan
    reference: Table | None
    release: Table | None = None

    def scores(self) -> Floats:
        """(m,) of the audit rows."""
        if self.release is not None:
            return self.game.by_release(self.release, registry.parse("released", self.plan.attack), self.reference)
        generator = registry.parse("generators", self.generator)
        if self.plan.sees == MODEL:
            self._check_model(generator)
        fitted = self.game.train(generator)
        if self.plan.sees == MODEL:
            return self.game.by_model(fitted, self._beside())
        attack = registry.parse("released", self.plan.attack)
        return self.game.by_release(self.game.release(generator, fitted), attack, self.reference)

    def _check_model(self, generator: Any) -> None:
        """Refuse a method that cannot say how probable a row is before it is trained for an hour.

        Every neural method of riskkit shows its inside.
        """
        if isinstance(generator, TrainedTogether):
            return
        others, fitted = self.game.others, None
        few = others.rows(np.arange(min(FEW, len(others))))
        with suppress(DesignError):  # it may want more rows than these; then nothing is known yet
            fitted = generator.fit(few, self.game.rng("check"))
        if fitted is not None:
            know(fitted, few, self.game.rng("check"))

    def _beside(self) -> Fitted | None:
        """What is compared with; the inside of a network with nothing but the same method trained on other rows."""
        if not is_beside(self.plan, self.generator):
            return None
        fitted: Fitted = registry.parse("generators", self.plan.beside).fit(self.game.others, self.game.rng("beside"))
        return fitted


def is_beside(plan: OneRunPlan, method: str) -> bool:
    """Whether what the trained ``method`` says of a row is compared with what the other one does."""
    if not plan.beside:
        return False
    both = [registry.parse("generators", spelled) for spelled in (method, plan.beside)]
    are_networks = [isinstance(each, TrainedTogether) for each in both]
    return not any(are_networks) or both[0].name == both[1].name


def run_one_run(tables: Tables, plan: OneRunPlan, **steering: Unpack[Steering]) -> OneRunResult:
    """The result of that plan.

    Raises
    ------
    DesignError
        There are too few rows, the attack needs people who are not there, or the method cannot say how probable a row
        is where the auditor sees the model.
    """
    for spelled in filter(None, (plan.generator, plan.beside)):
        registry.check_ready(registry.parse("generators", spelled))
    check_groups(tables.real, plan.groups)
    halves = halves_of(tables, plan)
    game = deal_game(tables, plan, halves)
    each = {
        "audit": TrainingPart(game, plan.generator, plan, tables.holdout),
        "control": TrainingPart(game.again("planted"), CONTROL, plan, tables.holdout),
    }
    pool = Pool.open(len(each) + (halves is not None), **steering)
    with single_thread():
        if halves is not None:
            (release,) = parts.release_each(halves, pool, [0])
            each["audit"] = replace(each["audit"], release=release)
        scores = dict(zip(each, pool.map(phrase("Training once"), _scores, each, list(each)), strict=True))
    return result_of(tables, plan, {what: (each[what].game, scores[what]) for what in each})


def halves_of(tables: Tables, plan: OneRunPlan) -> Subsets | None:
    """The trainings on random halves of the people of whose first one it is; None of a training of its own.

    Raises
    ------
    DesignError
        There are too few people.
    """
    if not plan.halves:
        return None
    own = np.arange(len(tables.real)) if tables.persons is None else tables.persons.real
    blocks, nobody = parts.blocks_of(plan.halves, parts.HALF), np.empty(0, dtype=np.int64)
    rows = plan.n_syn or len(tables.real)
    return parts.deal_parts(tables.real, Crowd.group(own), plan.generator, blocks, rows, plan.seed, nobody)


def deal_game(tables: Tables, plan: OneRunPlan, halves: Subsets | None) -> OneRunGame:
    """The audit rows and their coins: those of ``halves``, see :func:`halves_of`, or of a training of its own.

    Raises
    ------
    DesignError
        There are too few rows, or fewer than are to be guessed.
    """
    if halves is not None:
        return deal_on_part(
            tables.real,
            halves.crowd,
            halves.is_in[:, 0],
            most=plan.rows,
            n_syn=halves.deal.n_syn,
            seed=plan.seed,
            guesses=plan.guesses_in + plan.guesses_out,
        )
    return deal(
        tables.real,
        most=plan.rows,
        made=plan.made,
        relation=plan.relation,
        n_syn=plan.n_syn,
        seed=plan.seed,
        guesses=plan.guesses_in + plan.guesses_out,
    )


def _scores(each: Mapping[str, TrainingPart], units: Sequence[str]) -> list[Floats]:
    return [each[what].scores() for what in units]


def numbers(plan: OneRunPlan, canaries: int) -> tuple[tuple[int, int], ...]:
    """How many rows are guessed in and out: as the plan fixes it, else all that are tried."""
    if plan.guesses_in + plan.guesses_out:
        return ((plan.guesses_in, plan.guesses_out),)
    return tuple((side, side) for side in tries(canaries))


def result_of(tables: Tables, plan: OneRunPlan, played: Mapping[str, tuple[OneRunGame, Floats]]) -> OneRunResult:
    """The result of the games of that plan on these tables with their scores: the audit, and the planted leak."""
    game, scores = played["audit"]
    audited, promise = len(game.audited), claim(plan.generator)
    delta = plan.delta or promise.delta
    guesses = {what: _guesses(plan, *part) for what, part in played.items()}
    labels = {"generator": plan.generator} | ({} if plan.sees == MODEL else {"attack": plan.attack})
    own = guesses["audit"]
    estimates = [one_run(audited, own, delta=delta, level=plan.level)]
    if promise.is_gaussian:
        estimates.append(one_run_gaussian(audited, own, delta=delta or GAUSSIAN_DELTA, level=plan.level))
    least = min(len(own) * one_run_p(audited, guessed.n_guesses, guessed.right, 0.0) for guessed in own)
    planted = one_run(audited, guesses["control"], level=plan.level)
    return OneRunResult(
        plan=plan,
        estimates=tuple(estimate.label(**labels) for estimate in estimates),
        counts=Counts(audited, len(game.world), game.n_syn, delta),
        guesses=Guessed.list_all(own),
        p=min(1.0, least),
        control=Planted(CONTROL, planted, Guessed.list_all(guesses["control"])),
        notes=_notes(plan, game),
        scores=tuple(
            AuditRow(-1 if plan.made else int(row), float(value), bool(coin))
            for row, value, coin in zip(game.audited, scores, game.is_in, strict=True)
        ),
        for_whom=None if plan.made else _for_whom(tables, plan, game, scores),
    )


def _for_whom(tables: Tables, plan: OneRunPlan, game: OneRunGame, scores: Floats) -> ForWhom:
    """For whom the auditor tells audit rows that are in best from those that are out; of several of a person, one."""
    own = np.arange(len(tables.real)) if tables.persons is None else tables.persons.real
    people = scores, game.is_in, own[game.audited], game.audited
    attack = plan.attack if plan.sees != MODEL else ""
    return by_scores((tables.real, tables.real), people, attack, plan.groups, game.rng("groups"), plan.level)


def _guesses(plan: OneRunPlan, game: OneRunGame, scores: Floats) -> list[Guesses]:
    """Every number of guesses, one number after another; equal scores are parted alike in all of them."""
    return [grade(scores, game.is_in, *each, game.rng("ties")) for each in numbers(plan, len(scores))]


def _notes(plan: OneRunPlan, game: OneRunGame) -> tuple[str, ...]:
    """What must be said beside the numbers."""
    notes: list[str] = []
    if plan.sees == MODEL and plan.beside and not is_beside(plan, plan.generator):
        notes.append(
            phrase(
                "A network has no probability of a row. What its inside says was compared with no other method; name "
                "the same method to compare with."
            )
        )
    if plan.made:
        notes.append(
            phrase(
                "{rows:,} canaries were made up for this audit; part of them was in the training. Do not publish "
                "a release that was made of it.",
                rows=len(game.audited) + len(game.stand_ins),
            )
        )
    elif plan.halves:
        notes.append(
            phrase(
                "The training is the first of {trainings:,} on random halves of the people, which other questions of "
                "an audit share. {used:,} canaries were used: people of one row, which stands once in the real table.",
                trainings=plan.halves,
                used=len(game.audited),
            )
        )
    elif len(game.audited) < plan.rows:
        notes.append(
            phrase(
                "{asked:,} canaries were asked for and {used:,} were used: at most half of the records that stand "
                "once in the real table.",
                asked=plan.rows,
                used=len(game.audited),
            )
        )
    return tuple(notes)


# What one training would take, and the most it could show.


def forecast(tables: Tables, plan: OneRunPlan, *, workers: int = 1) -> Forecast:  # noqa: ARG001  it is one training
    """Train on few rows, on twice as many, and carry on to all of them; ``ceiling`` is the most that ε could be shown.

    Raises
    ------
    DesignError, ParameterError
        The plan cannot be played on these tables.
    """
    generator = registry.parse("generators", plan.generator)
    registry.check_ready(generator)
    halves = halves_of(tables, plan)
    game = deal_game(tables, plan, halves)
    m, delta = len(game.audited), plan.delta or claim(plan.generator).delta
    every = [Guesses(called_in, other, called_in + other) for called_in, other in numbers(plan, m)]
    ceiling = one_run(m, every, delta=delta, level=plan.level).high
    rng = stream(plan.seed, "one-run", "pilot")
    order = rng.permutation(len(game.world))

    def train(rows: int) -> Callable[[], object]:
        return partial(_train, generator, game, plan, game.world.rows(np.sort(order[:rows])), rng)

    trial = pilot(train, len(game.world))
    shared = () if halves is None else (SharedTrainings.count(halves, 1, trial.whole),)
    return Forecast(trial.loads + trial.whole, {"audited": m, "ceiling": ceiling}, shared=shared)


def _train(generator: Generator, game: OneRunGame, plan: OneRunPlan, world: Table, rng: np.random.Generator) -> None:
    """What the run does of rows of the world: a training, and a release where one is seen."""
    fitted = generator.fit(world, rng)
    if plan.sees != MODEL:
        fitted.sample(max(len(world), game.n_syn * len(world) // len(game.table)), rng)
