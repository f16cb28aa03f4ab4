"""What an audit of every record will cost, from a short timed pilot, and the smallest risk it can show."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.questions.records.people import crowd_of, people_asked, play_tables
from riskkit.questions.records.plan import TOP, RecordsPlan
from riskkit.questions.records.play import field_of, first_asks, outlierness_of, whom
from riskkit.questions.records.refusals import check
from riskkit.questions.records.subsets import game, score_trainings
from riskkit.questions.records.units import FIXED, FRESH, Field, ReleaseCounts, judge_scores
from riskkit.stats.power import detectable_auc_of_records
from riskkit.table.agreements import Places, Words
from riskkit.table.load import Tables

Made = TypeVar("Made")
PILOT = "pilot"
LOOKS, LONG = 3, 1.0
"""Releases of each kind that are timed, or one where it takes longer than so many seconds."""


@dataclass(frozen=True, slots=True)
class RecordsForecast:
    """``seconds`` for the workers that were given, ``trainings`` in all, and the bytes that shared releases take.

    ``detectable_auc`` is the true AUC of one record that is told from chance with 80 % power, and ``detectable_among``
    that of one among all of them, with the error shared by all (Bonferroni). Lists have p-values, which are one-sided.
    """

    seconds: float
    records: int
    trainings: int
    seconds_per_record: float
    memory: int
    detectable_auc: float
    detectable_among: float


def forecast(tables: Tables, plan: RecordsPlan, *, workers: int = 1) -> RecordsForecast:
    """Time a few releases of every kind and one look at them, and multiply.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    tables, _ = play_tables(plan.summarise(tables), plan)
    check(tables, plan)
    real = tables.real
    if plan.is_by_subsets:
        return _on_parts(tables, plan, workers)
    needs_order = plan.records.startswith(TOP) and not plan.ranks_by_certificate
    started = time.perf_counter()
    with single_thread():
        order = outlierness_of(real) if needs_order else np.zeros(len(real))
        ranking = time.perf_counter() - started
        crowd = crowd_of(tables)
        who = None if crowd is None else people_asked(crowd, plan, order)
        rows = whom(real, plan, order) if who is None else who.first
        field = field_of(tables, plan, rows, who)
        shadows, asks = field.shadows(plan.shadows), first_asks(plan)
        fresh = ReleaseCounts(FIXED, FRESH, plan.inside, plan.outside)
        again = min(plan.again, len(rows))
        pilots = {game: Pilot.time(field, game) for game in dict.fromkeys([FIXED, *(a.game for a in (shadows, *asks))])}
        look = _look(field, plan, pilots[FIXED])
    first = sum(pilots[ask.game].own * ask.own for ask in (shadows, *asks)) + look
    later = sum(pilots[ask.game].own * ask.own for ask in (shadows, fresh)) + look
    every = (shadows, *asks)
    shelves = (*every, fresh) if again else every
    shared = sum(pilots[ask.game].shared * ask.shared for ask in shelves)
    own = len(rows) * first + again * later
    trainings = sum(ask.shared for ask in shelves) + len(rows) * sum(ask.own for ask in every)
    trainings += again * (shadows.own + fresh.own)
    cells = plan.n_seen * len(real.schema.modelled) * np.dtype(field.agreement.kind).itemsize
    counted, error = min(asks[0].shared, asks[0].own), 1 - plan.level
    return RecordsForecast(
        seconds=ranking + (shared + own) / max(workers, 1),
        records=len(rows),
        trainings=trainings,
        seconds_per_record=first,
        memory=int(cells * sum(ask.shared for ask in shelves)),
        detectable_auc=detectable_auc_of_records(counted, counted, alpha=error),
        detectable_among=detectable_auc_of_records(counted, counted, alpha=error / len(rows)),
    )


def _on_parts(tables: Tables, plan: RecordsPlan, workers: int) -> RecordsForecast:
    """Time a training on a random part of the people, and every attack on its release; it serves everybody."""
    crowd = crowd_of(tables)
    order, inside = np.zeros(len(tables.real)), plan.trainings_with
    asked = whom(tables.real, plan, order) if crowd is None else people_asked(crowd, plan, order).numbers
    play = game(tables.real, crowd, plan, asked)
    with single_thread():
        each, _ = _time(lambda training: score_trainings(play, [training]))
    sides, error = (inside, plan.trainings - inside), 1 - plan.level
    return RecordsForecast(
        seconds=plan.trainings * each / max(workers, 1),
        records=len(asked),
        trainings=plan.trainings,
        seconds_per_record=plan.trainings * each / len(asked),
        memory=plan.trainings * len(play.asked) * len(play.attacks) * np.dtype(np.float64).itemsize,
        detectable_auc=detectable_auc_of_records(*sides, alpha=error),
        detectable_among=detectable_auc_of_records(*sides, alpha=error / len(asked)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """Seconds of one release of a game that all records share, and of one own; and those that were made to find out."""

    shared: float
    own: float
    places: Places
    words: tuple[Words, ...]

    @classmethod
    def time(cls, field: Field, name: str) -> Pilot:
        """Time the game of that name, its own releases for the first record."""
        game = field.games[name]
        shared, places = _time(lambda records: field.agreement.places(game.shared(PILOT, records)))
        own, words = _time(lambda records: field.own(name, 0, PILOT, [records]))
        return cls(shared, own, np.stack(places), tuple(np.concatenate(group) for group in zip(*words, strict=True)))


def _time(make: Callable[[int], Made]) -> tuple[float, list[Made]]:
    """Seconds of one, and all that were made; the first loads what is loaded once and is not timed."""
    made = [make(0)]
    started = time.perf_counter()
    while len(made) <= LOOKS and (len(made) == 1 or time.perf_counter() - started < LONG):
        made.append(make(len(made)))
    return (time.perf_counter() - started) / (len(made) - 1), made


def _look(field: Field, plan: RecordsPlan, pilot: Pilot) -> float:
    """Seconds to learn and to score one record, its releases made."""
    releases = min(len(pilot.places), len(pilot.words[0]))
    shadows, shelf = ReleaseCounts(FIXED, PILOT, releases, releases), {(FIXED, PILOT): pilot.places[:releases]}
    words = tuple(group[:releases] for group in pilot.words)
    judge_scores(field, 0, shelf, lambda *_: words, shadows, [])  # compiles, or loads what was compiled
    started = time.perf_counter()
    judge_scores(field, 0, shelf, lambda *_: words, shadows, [shadows])
    return (time.perf_counter() - started) / releases * plan.shadows
