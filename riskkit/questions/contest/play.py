"""A contest of an audit: its tables, and the files that were handed in beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from riskkit.errors import DesignError
from riskkit.phrases import phrase
from riskkit.questions.contest.handed import HandedIn
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.result import ContestResult
from riskkit.questions.contest.run import run_contest
from riskkit.table.load import Tables


class Kept(Protocol):
    """What a contest needs of the audit it is played in, beside its tables."""

    @property
    def path(self) -> Path:
        """The audit's folder."""

    @property
    def revision(self) -> str:
        """The hash of files and choices."""


def run(tables: Tables, plan: ContestPlan, **how: Any) -> ContestResult:
    """The result of a contest that reads no file beside the tables.

    Raises
    ------
    DesignError
        It is one with releases made elsewhere.
    """
    if plan.given or plan.bundle:
        raise DesignError(
            phrase(
                "A contest with releases made elsewhere reads files of its own. Ask it with the command: "
                "python -m riskkit contest."
            )
        )
    return run_contest(tables, plan, **how)


def play(tables: Tables, plan: ContestPlan, *, audit: Kept | None = None, **how: Any) -> dict[str, Any]:
    """What is kept of a run; handed-in releases and bundles need the ``audit`` they belong to.

    Raises
    ------
    DesignError
        There is no audit where one is needed, or a file that was handed in is gone.
    """
    if audit is None:
        return run(tables, plan, **how).kept()
    handed = HandedIn.of(audit)
    releases = {name: handed.release(name, sha256, tables.schema) for name, sha256 in plan.given}
    result = run_contest(tables, plan, releases=releases, keep=plan.bundle, **how)
    if plan.bundle:
        handed.keep_bundle(result, audit.revision)
    return result.kept()
