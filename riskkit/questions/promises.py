"""What the methods of a plan promise, as they declare it themselves, and how that is held against what is seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from riskkit import registry
from riskkit.core import Estimate, Kind, Role, Scores
from riskkit.errors import RiskkitError, ScoreError, TooFewTrainings
from riskkit.show.model import Given, Played
from riskkit.show.promise import Promised
from riskkit.stats import summary
from riskkit.stats.composition import Loss, compose
from riskkit.stats.epsilon import epsilon_lower
from riskkit.stats.one_run import Guesses, one_run
from riskkit.stats.privacy import auc_cap, epsilon_of_auc


@runtime_checkable
class LossDeclared(Protocol):
    """Optional: a generator that says what each of its steps costs one person, from the noise that it really adds."""

    def losses(self, relation: str, rows: int, columns: int) -> tuple[Loss, ...]:
        """The losses, in the order of the steps, of a fit to ``rows`` rows (with the person) of ``columns`` columns.

        ``relation`` says how the two tables differ; see :mod:`riskkit.stats.composition` for what a loss is.
        """


@dataclass(frozen=True, slots=True)
class Claim:
    """What a method promises: epsilon and delta for two data sets that differ by ``relation``.

    ``is_gaussian`` says that they are told apart as two normal distributions are.
    """

    epsilon: float | None = None
    relation: str = ""
    is_gaussian: bool = False
    delta: float = 0.0

    def holds_for(self, relation: str) -> bool:
        """Whether the promise is about worlds that differ so."""
        return self.epsilon is not None and self.relation == relation


def claim(generator: str, fits: int = 1) -> Claim:
    """The promise of the generator that is spelled so: its epsilon and delta, and for which two data sets.

    Of several fits to one table it is that of all of them, whose epsilons and deltas add up.

    A generator declares in ``guarantee`` how they differ, in ``trade_off`` that they are told apart as two normal
    distributions are, and has its ``epsilon`` and, where it has one, its ``delta`` among its settings.
    """
    made = registry.parse("generators", generator)
    relation = str(getattr(made, "guarantee", ""))
    epsilon = fits * float(made.epsilon) if relation else None
    is_gaussian = getattr(made, "trade_off", "") == "gaussian"
    delta = min(fits * float(getattr(made, "delta", 0.0)), 1.0) if relation else 0.0
    return Claim(epsilon, relation, is_gaussian, delta)


def claim_of(generator: str, fits: int = 1) -> Claim | None:
    """The same; None of a method of somebody's own that is not here."""
    try:
        return claim(generator, fits)
    except RiskkitError:
        return None


def fits_of(plan: Mapping[str, Any]) -> int:
    """How many fits to one table the attacker of that plan sees the releases of."""
    return 1 if plan.get("one_fit") else int(plan.get("releases", 1))


def certificate(generator: str, relation: str, rows: int, columns: int, fits: int = 1) -> float | None:
    """The best AUC of any attack on releases of that generator, by the noise it adds; None where it declares none.

    It holds however many releases are drawn from each of so many fits to one table, whose losses add up.
    """
    made = registry.parse("generators", generator)
    if not isinstance(made, LossDeclared) or rows < 1 or columns < 1:
        return None
    return compose(made.losses(relation, rows, columns) * fits).auc


@dataclass(frozen=True, slots=True)
class PlayedTables:
    """The tables that were played on: how two of them differ, rows with the person, and columns that are modelled.

    So many ``fits`` to the table are what the attacker sees the releases of.
    """

    relation: str
    rows: int
    columns: int
    fits: int = 1

    @classmethod
    def read(cls, relation: str, rows: int, facts: Given, plan: Mapping[str, Any] | None = None) -> PlayedTables:
        """Of a run on the real table of an audit; ``rows`` where the worlds have another size than it, or 0."""
        real = next((file.rows for file in facts.files if file.slot == "real"), 0)
        kinds, roles = (Kind.NUMERIC, Kind.DATE, Kind.CATEGORICAL), (Role.KNOWN, Role.SECRET)
        modelled = [name for name, kind, role in facts.columns if kind in kinds and role in roles]
        return cls(relation, rows or real, len(modelled), fits_of(plan or {}))


GAMES, ONE_RUN = "membership", "one-run"
SEEN_TOGETHER = (GAMES, "records", ONE_RUN)
"""Questions whose runs are seen together: games of many trainings for few records or for many, and guesses in one."""


@dataclass(frozen=True, slots=True)
class OneRun:
    """The guesses in one training of a method: on how many audit rows, and each number of guesses with the right ones.

    ``delta`` is that at which epsilon is bounded.
    """

    audited: int
    guesses: tuple[Guesses, ...]
    delta: float

    @classmethod
    def read(cls, result: Mapping[str, Any]) -> OneRun:
        """Of a kept result."""
        guesses = tuple(
            Guesses(int(tried["in"]), int(tried["out"]), int(tried["right"])) for tried in result["guesses"]
        )
        return cls(int(result["settings"]["audited"]), guesses, float(result["settings"]["delta_used"]))


def find_one_run(facts: Given, method: str, relation: str) -> OneRun | None:
    """The one training of that method among the runs of the audit: of several the one with most audit rows."""
    runs = [
        OneRun.read(run.result)
        for run in _current(facts, ONE_RUN)
        if run.result and run.plan.get("generator") == method and run.plan.get("relation") == relation
    ]
    return max(runs, key=lambda run: run.audited, default=None)


def games_of(facts: Given, method: str, relation: str) -> list[Scores]:
    """What attacks said in games of many trainings of that method, among the runs of the audit."""
    return [
        Scores(
            value=np.asarray(scores["value"], dtype=np.float64),
            is_in=np.asarray(scores["is_in"], dtype=np.bool_),
            training=np.asarray(scores["training"], dtype=np.int64),
            target=np.zeros(len(scores["value"]), dtype=np.int64),
            attack=str(scores["attack"]),
        )
        for run in _current(facts, GAMES)
        if run.plan.get("relation", "add-one") == relation and not run.plan.get("together")
        for scores in (run.result or {}).get("scores", ())
        if scores["generator"] == method
    ]


def _current(facts: Given, question: str) -> Iterator[Played]:
    """The finished runs of that question on the data as it is."""
    return (run for run in facts.runs if run.question == question and run.is_current and run.result is not None)


def promise_block(
    method: str,
    called: str,
    game: PlayedTables,
    seen: Estimate | Sequence[Scores] | None,
    level: float = 0.95,
    once: OneRun | None = None,
) -> Promised | None:
    """The block of that method; None where it promises nothing.

    Parameters
    ----------
    called
        What people call the method.
    seen
        The scores of all attacks on it; or the AUC of the strongest, at a level that allows for all looks.
    level
        Of what is read from scores, for all of them together; with ``once``, of both together.
    once
        The guesses in one training, where that was asked; of another delta than the promised one they say nothing.
    """
    try:
        claimed = claim(method, game.fits)
        certified = certificate(method, game.relation, game.rows, game.columns, game.fits)
    except RiskkitError:  # a method of somebody's own that is not here
        return None
    if claimed.epsilon is None:
        return None
    is_played = claimed.holds_for(game.relation)
    epsilon, delta = claimed.epsilon, claimed.delta
    if once is not None and once.delta > delta:
        once = None
    has_games = bool(seen) or once is None
    if once is not None and has_games:  # either may be wrong with half of the chance
        level = 1 - (1 - level) / 2
    allowed = auc_cap(epsilon, delta) if is_played else None
    auc, bound = (seen, 0.0) if seen is None or isinstance(seen, Estimate) else strongest_attack(seen, delta, level)
    shown = None if auc is None else max(bound, epsilon_of_auc(auc.low, delta))
    return Promised(
        called,
        epsilon,
        delta,
        claimed.relation,
        is_played,
        allowed,
        certified,
        auc,
        shown,
        None if once is None else one_run(once.audited, once.guesses, delta=once.delta, level=level).value,
        has_games,
        game.fits,
    )


def strongest_attack(scores: Sequence[Scores], delta: float, level: float) -> tuple[Estimate | None, float]:
    """The strongest of these attacks by its AUC, and the largest lower bound of epsilon at that delta.

    Each attack is looked at twice; the level allows for all looks (Bonferroni).
    """
    each = 1 - (1 - level) / max(2 * len(scores), 1)
    strongest, bound = None, 0.0
    for score in scores:
        try:
            auc = summary.auc(score, level=each)
            bound = max(bound, epsilon_lower(score, delta=delta, level=each).value)
        except (ScoreError, TooFewTrainings):
            continue
        strongest = auc if strongest is None or auc.low > strongest.low else strongest
    return strongest, bound
