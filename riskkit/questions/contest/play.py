"""A contest of an audit: its tables, and the files that were handed in beside them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.contest.forecast import ContestForecast, forecast_contest, forecast_snake
from riskkit.questions.contest.handed import HandedIn
from riskkit.questions.contest.households import homes, play_snake, unseen
from riskkit.questions.contest.plan import SNAKE, ContestPlan
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.run import run_contest
from riskkit.table.load import Tables
from riskkit.table.schema import Choice
from riskkit.table.text import TextTable


class Kept(Protocol):
    """What a contest needs of the audit it is played in, beside its tables."""

    @property
    def path(self) -> Path:
        """The audit's folder."""

    @property
    def choices(self) -> dict[str, Choice]:
        """What was decided about columns."""

    @property
    def revision(self) -> str:
        """The hash of files and choices."""

    def text(self, slot: str) -> TextTable | None:
        """A file as it was read."""

    def tables(self, choices: Mapping[str, Choice] | None = None) -> Tables:
        """The typed tables, as they would be with other choices."""


def foresee(audit: Kept, tables: Tables, plan: ContestPlan, *, workers: int = 1) -> ContestForecast | None:
    """What the plan will cost on the tables of an audit; None where that cannot be told.

    Raises
    ------
    DesignError
        The plan cannot be played there.
    """
    if plan.mode != SNAKE:
        return forecast_contest(tables, plan, workers=workers)
    real, household = with_homes(audit, plan)
    return forecast_snake(real.real, household, plan, workers=workers)


def run(tables: Tables, plan: ContestPlan, **how: Any) -> ContestResult:
    """The result of a contest that reads no file beside the tables.

    Raises
    ------
    DesignError
        It is one on households, or with releases made elsewhere.
    """
    if plan.mode == SNAKE or plan.given or plan.bundle:
        raise DesignError(
            phrase(
                "A contest on households, or with releases made elsewhere, reads files of its own. Ask it with "
                "the command: python -m riskkit contest."
            )
        )
    return run_contest(tables, plan, **how)


def play(tables: Tables, plan: ContestPlan, *, audit: Kept | None = None, **how: Any) -> dict[str, Any]:
    """What is kept of a run; households, handed-in releases and bundles need the ``audit`` they belong to.

    Raises
    ------
    DesignError
        There is no audit where one is needed, or a file that was handed in is gone.
    """
    if audit is None:
        return run(tables, plan, **how).kept()
    if plan.mode == SNAKE:
        real, household = with_homes(audit, plan)
        return play_snake(real.real, household, plan, **how).kept()
    handed = HandedIn.of(audit)
    releases = {name: handed.release(name, sha256, tables.schema) for name, sha256 in plan.given}
    result = run_contest(tables, plan, releases=releases, keep=plan.bundle, **how)
    if plan.bundle:
        handed.keep_bundle(result, audit.revision)
    return result.kept()


def with_homes(audit: Kept, plan: ContestPlan) -> tuple[Tables, Any]:
    """The tables without the column of households, and that column of the real table.

    Raises
    ------
    DesignError
        No real table is loaded, or it has no such column.
    """
    text = audit.text("real")
    if text is None:
        raise DesignError(phrase("No real table is loaded yet; load it on the Data page."))
    household = homes(text, plan.household)
    return audit.tables({**audit.choices, **unseen(plan.household)}), household
