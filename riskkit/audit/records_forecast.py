"""What an audit of every record will cost, from a short timed pilot, and the smallest risk it can show."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from riskkit.audit.records import check, field_of, first_asks, outlierness_of, whom
from riskkit.audit.records_draw import at_play
from riskkit.audit.records_plan import TOP, RecordsPlan
from riskkit.audit.records_units import FIXED, FRESH, Ask, Field, judged
from riskkit.games.records import words_of
from riskkit.stats.power import detectable_auc
from riskkit.table.load import Tables

LOOKS, LONG = 3, 1.0
"""Releases of each kind that are timed, or one where it takes longer than so many seconds."""


@dataclass(frozen=True, slots=True)
class RecordsForecast:
    """``seconds`` for the workers that were given, ``trainings`` in all, and the bytes that shared releases take.

    ``detectable_auc`` is the true AUC of one record that is told from chance with 80 % power (one-sided 5 %), and
    ``detectable_among`` that of one among all of them, with the error shared by all (Bonferroni).
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
    tables, _ = at_play(tables, plan)
    check(tables, plan)
    real = tables.real
    needs_order = plan.records.startswith(TOP) and not plan.ranks_by_certificate
    started = time.perf_counter()
    with threadpool_limits(1):
        order = outlierness_of(real) if needs_order else np.zeros(len(real))
        ranking = time.perf_counter() - started
        rows = whom(real, plan, order)
        field = field_of(tables, plan, rows)
        shadows, asks = field.shadows(plan.shadows), first_asks(plan)
        fresh = Ask(FIXED, FRESH, plan.inside, plan.outside)
        again = min(plan.again, len(rows))
        pace = {ask: _pace(field, ask) for ask in dict.fromkeys((shadows, *asks, fresh))}
        look = _look(field, plan)
    first = sum(pace[ask][1] * ask.own for ask in (shadows, *asks)) + look
    later = sum(pace[ask][1] * ask.own for ask in (shadows, fresh)) + look
    shared = sum(pace[ask][0] * ask.shared for ask in (shadows, *asks, fresh))
    own = len(rows) * first + again * later
    every = (shadows, *asks)
    trainings = sum(ask.shared for ask in (*every, fresh)) + len(rows) * sum(ask.own for ask in every)
    trainings += again * (shadows.own + fresh.own)
    cells = plan.n_syn * len(real.schema.modelled) * np.dtype(field.agreement.kind).itemsize
    counted = 2 * min(asks[0].shared, asks[0].own)
    return RecordsForecast(
        seconds=ranking + (shared + own) / max(workers, 1),
        records=len(rows),
        trainings=trainings,
        seconds_per_record=first,
        memory=int(cells * sum(ask.shared for ask in (*every, fresh))),
        detectable_auc=detectable_auc(counted),
        detectable_among=detectable_auc(counted, alpha=0.05 / len(rows)),
    )


def _pace(field: Field, ask: Ask) -> tuple[float, float]:
    """Seconds of one shared release of that kind, and of one own."""
    game, row, stage = field.games[ask.game], int(field.rows[0]), "pilot"
    field.agreement.places(game.shared(stage, 0))  # loads what is loaded once
    words_of(field.agreement, 0, game.own(row, stage, [0]))
    started = time.perf_counter()
    done = 0
    while done < LOOKS and (not done or time.perf_counter() - started < LONG):
        field.agreement.places(game.shared(stage, done))
        done += 1
    shared = (time.perf_counter() - started) / done
    started, done = time.perf_counter(), 0
    while done < LOOKS and (not done or time.perf_counter() - started < LONG):
        words_of(field.agreement, 0, game.own(row, stage, [done]))
        done += 1
    return shared, (time.perf_counter() - started) / done


def _look(field: Field, plan: RecordsPlan) -> float:
    """Seconds to learn and to score one record, its releases made."""
    shadows = Ask(FIXED, "pilot", LOOKS, LOOKS)
    shelf = {
        (FIXED, "pilot"): np.stack([field.agreement.places(field.fixed.shared("pilot", at)) for at in range(LOOKS)])
    }
    words = words_of(field.agreement, 0, field.fixed.own(int(field.rows[0]), "pilot", range(LOOKS)))
    judged(field, 0, shelf, lambda *_: words, shadows, [])  # compiles, or loads what was compiled
    started = time.perf_counter()
    judged(field, 0, shelf, lambda *_: words, shadows, [shadows])
    return (time.perf_counter() - started) / LOOKS * plan.shadows
