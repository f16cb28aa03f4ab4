"""What a run that stopped before its end can honestly show: the trainings it has, counted as what they are.

Only a game of membership has such a part. Its trainings are independent, their order was drawn before the first of
them, and whoever stopped it had seen how many were done and no score, so the first n of N are a smaller game of the
same design, with the wider intervals of n. Other questions are one comparison of whole groups and have no part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from riskkit.base.threads import single_thread
from riskkit.core import Floats, Targets
from riskkit.errors import Cancelled, DesignError
from riskkit.jobs.ledger import Ledger
from riskkit.jobs.machine import environment
from riskkit.jobs.pool import Clock, Pool, keeping
from riskkit.jobs.runs import LIVE, Run
from riskkit.jobs.store import Audit
from riskkit.phrases import phrase
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import (
    as_scores,
    counted_trainings,
    finding,
    halves_of,
    labels_of,
    maps_before_counted,
    opening_notes,
    result_of,
    unit,
)
from riskkit.questions.membership.result import Outcome
from riskkit.questions.runs import plan_of
from riskkit.table.load import Tables

NO_PART = phrase(
    "What is done of this question is kept, but no part of its answer can be shown by itself: it compares whole "
    "groups. Resume it to have the answer."
)


def partial(audit: Audit, run: Run) -> dict[str, Any]:
    """What the kept trainings of a stopped run come to, as a finished result has it, without any verdict.

    ``partial`` says for every game how many of its trainings were played. A game with fewer trainings than an interval
    needs has notes and no estimate; one that was not begun is not there.

    Raises
    ------
    DesignError
        It is being played or has finished, its question has no part, its data or the code has changed since.
    """
    if run.state in LIVE or run.state == "finished":
        raise DesignError.phrase("Only a run that was stopped has a part to show.")
    if run.question != MembershipPlan.question:
        raise DesignError(NO_PART)
    if run.revision != audit.revision or run.request.get("environment") != environment():
        raise DesignError.phrase(
            "The data, riskkit or a library was changed since, so what is done cannot be read any more."
        )
    plan: MembershipPlan = plan_of(run)
    tables = plan.summarise(audit.tables())
    chosen = {target: plan.choose(tables.real, target, tables.persons) for target in plan.targets}
    played = list(_findings(plan, tables, chosen, Ledger.reading(run.path, is_closed=True)))
    notes = opening_notes(plan, tables.real, chosen, tables.persons)
    notes += [note for finding, _ in played for note in finding.notes]
    result = result_of(plan, [finding for finding, _ in played], notes, unit(plan, tables.persons))
    games = [{**finding.labels, "trainings": done, "of": plan.counted} for finding, done in played]
    return {**result.plain(), "partial": games}


def _findings(
    plan: MembershipPlan, tables: Tables, chosen: Mapping[str, Targets], book: Ledger
) -> Iterator[tuple[Outcome, int]]:
    """Game after game, the finding of each attack and the trainings behind it, up to where the run stopped.

    Own releases and fits are passed over: what attacks made of a counted training is kept with it.
    """
    pool = Pool(1, Clock(plan.total_units(), lambda _: None), lambda: True)
    people = plan.people(tables.real, tables.holdout, tables.persons)
    with keeping(book), single_thread(), suppress(Cancelled):
        halves = halves_of(plan, people, plan.generators, pool)
        for cell in plan.cells():
            game = plan.game(people, cell, chosen[cell.target], halves.get(cell.generator))
            labels = labels_of(plan, cell, chosen[cell.target], tables.persons)
            who = f"{labels['generator']}, {labels['target']} target"
            book.pages += maps_before_counted(plan)
            played = list(_until_stopped(counted_trainings(game, pool, who, ())))
            if played:
                for scores in as_scores(played, game, plan):
                    yield finding(scores, plan, labels), len(played)
            if len(played) < plan.counted:
                return


def _until_stopped(trainings: Iterator[Floats]) -> Iterator[Floats]:
    """The trainings that are there, in their order, up to the first that is not."""
    with suppress(Cancelled):
        yield from trainings
