"""The SNAKE challenge: whole households were in or out, and attackers are scored by how sure they rightly were."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_limits

from riskkit import registry
from riskkit.audit.contest_plan import ContestPlan
from riskkit.core import Estimate, Role, Table
from riskkit.errors import DesignError
from riskkit.games import households
from riskkit.seeds import stream
from riskkit.stats.weighted import snake
from riskkit.table.load import Tables, load
from riskkit.table.read import read_csv
from riskkit.table.schema import Choice

SNAKE = "snake"


def play_snake(
    table: Table, household: npt.ArrayLike, plan: ContestPlan, *, asked: int = 100, least: int = 5
) -> tuple[tuple[Estimate, ...], tuple[str, ...]]:
    """The score of every attacker against every anonymiser, and what could not be run.

    Parameters
    ----------
    household
        (n,) equal for rows of one household.
    asked, least
        How many households are asked about, and rows each has at least.

    Raises
    ------
    DesignError
        There are too few such households.
    """
    with threadpool_limits(1):
        game = households.deal(table, household, rows=plan.sample, asked=asked, least=least, seed=plan.seed)
        found: list[Estimate] = []
        notes: list[str] = []
        for name in plan.anonymisers:
            rng = stream(plan.seed, "snake", "release", name)
            try:
                release = (
                    registry.parse("generators", name).fit(game.sample, rng).sample(plan.release or plan.sample, rng)
                )
            except DesignError as refusal:
                notes.append(f"{name} was not played: {refusal}")
                continue
            for attacker, attack in plan.made_attackers.items():
                try:
                    sure = game.sureness(attack, f"{attacker} {name}", release)
                except DesignError as refusal:
                    notes.append(f"{attacker} against {name} was not run: {refusal}")
                    continue
                found.append(snake(sure, game.is_in, level=plan.level).labelled(anonymiser=name, attacker=attacker))
    return tuple(found), tuple(notes)


def run_snake(
    options: argparse.Namespace, listed: Callable[[Sequence[str]], tuple[str, ...]]
) -> tuple[dict[str, Any], Tables, list[str]]:
    """What the command line asks for, with the households in a column that attackers do not see."""
    if not options.household:
        raise DesignError("Name the column that says who lives together: --household COLUMN.")
    text = read_csv(options.base, name=options.base.name)
    if options.household not in text.columns:
        raise DesignError("The base has no column of that name for its households. Check how it is spelled.")
    tables = load(text, choices={options.household: Choice(role=Role.IGNORED)})
    lists = {"anonymisers": options.anonymisers, "attackers": options.attackers}
    given: dict[str, Any] = {name: listed(texts) for name, texts in lists.items() if texts}
    plan = replace(
        ContestPlan(**given), source="base", population=len(tables.real), sample=options.sample, seed=options.seed,
        release=options.release, level=options.level,
    )  # fmt: skip
    found, notes = play_snake(tables.real, np.array(text.data.column(options.household).to_pylist()), plan)
    settings = {**plan.as_dict(), "question": "contest", "mode": SNAKE, "household": options.household}
    said = {"estimates": [e.as_dict() for e in found], "settings": settings, "notes": list(notes)}
    lines = [f"{e.labels['anonymiser']:<32} {e.labels['attacker']:<22} {e} (guessing 0.50)" for e in found]
    return said, tables, lines
