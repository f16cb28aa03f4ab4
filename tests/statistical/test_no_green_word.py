"""No file that leaks is told to be within a limit because of what it was not taken for; honest files often are."""

from collections import Counter
from datetime import UTC, datetime
from functools import cache

import pandas as pd
import pytest
from scipy.stats import binom

from riskkit.audit.give_aways import give_aways_of
from riskkit.audit.report_facts import build_findings, build_given
from riskkit.errors import InputError
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.measurement import Limit, Verdict
from riskkit.questions.standard import Effort, Situation, plans_for
from riskkit.report.build import doubts
from riskkit.session.play import play
from riskkit.show.model import Class, Findings, Given
from riskkit.show.names import Names
from riskkit.table.load import Tables, load
from riskkit.table.read.csv_text import read_csv
from riskkit.table.text import TextTable
from tests.statistical.pairs import Pair, carried, copies, honest

LEAKS = {pair.name: pair for pair in (*copies(), *carried())}
HONEST = {pair.name: pair for pair in honest()}
EVERY: dict[str, Pair] = LEAKS | HONEST
SOME, THIRD = tuple(HONEST)[::20], tuple(HONEST)[::3]
"""Honest pairs that are played, and looked at in full, in the second stage; all of them in the long simulations."""
FAIR = {"released": 0.65, "linkability": 0.2}
"""Limits that four hundred people a side can keep, where nobody leaks."""


def _text(table: pd.DataFrame | None, name: str) -> TextTable | None:
    return None if table is None else read_csv(table.to_csv(index=False).encode(), name=name)


@cache
def tables_of(name: str) -> Tables | None:
    """The tables of that pair; None where the files are refused by a sentence."""
    pair = EVERY[name]
    real, release, holdout = (
        _text(table, f"{name}.csv") for name, table in (("a", pair.real), ("b", pair.release), ("c", pair.holdout))
    )
    assert real is not None
    try:
        return load(real, release, holdout, choices=pair.choices)
    except InputError:
        return None


def noticed(facts: Given) -> list[str]:
    """What bars "within the limit" before any question is asked: give-aways and doubts, by code."""
    seen = [give_away.code for give_away in facts.give_aways if give_away.state in (State.SHOWN, State.OPEN)]
    return [
        *seen,
        *(doubt.code for doubt in doubts(facts, Names.of(facts, Class.RESTRICTED), ()) if doubt.code != "not_read"),
    ]


def findings_of(tables: Tables, give_aways: tuple[GiveAway, ...] | None = None) -> Findings:
    """What a report says after the questions of :data:`FAIR`, under their limits."""
    asked = [plan for plan in plans_for(Situation(tables, Effort.QUICK)) if plan.question in FAIR]
    runs = tuple(play(tables, plan, {file.slot: file.name for file in tables.files}) for plan in asked)
    facts = build_given("", tables, runs, give_aways=give_aways, kept={})
    limits = {question: Limit(value, "test") for question, value in FAIR.items()}
    return build_findings(facts, limits, kind=Class.RESTRICTED, made=datetime(2026, 1, 1, tzinfo=UTC))


def test_there_are_enough_of_them() -> None:
    assert len(LEAKS) >= 60
    assert len(HONEST) >= 60
    assert len(EVERY) == len(LEAKS) + len(HONEST)
    refused = [name for name in LEAKS if tables_of(name) is None]
    assert all(name.endswith("holdout the release") for name in refused), "the holdout is the real table there"


@pytest.mark.parametrize("name", LEAKS)
def test_no_leak_is_within_a_limit(name: str) -> None:
    """What is noticed of the files bars it; where nothing is, the questions must see the leak or stay undecided."""
    tables = tables_of(name)
    if tables is None:  # refused by a sentence: nothing is said of it
        return
    facts = build_given("", tables, (), kept={})
    assert noticed(facts) or findings_of(tables, facts.give_aways).overall.verdict is not Verdict.WITHIN


def _words(names: tuple[str, ...]) -> Counter[Verdict]:
    """The verdicts on these honest pairs."""
    out: Counter[Verdict] = Counter()
    for name in names:
        tables = tables_of(name)
        assert tables is not None
        out[findings_of(tables).overall.verdict] += 1
    return out


@pytest.mark.parametrize("name", HONEST)
def test_nothing_is_noticed_of_honest_files(name: str) -> None:
    tables = tables_of(name)
    assert tables is not None
    facts = build_given("", tables, (), give_aways=(), kept={})
    assert noticed(facts) == []


@pytest.mark.parametrize("names", [THIRD, pytest.param(tuple(HONEST), marks=pytest.mark.slow)], ids=["some", "all"])
def test_give_aways_of_honest_files_are_no_more_than_chance(names: tuple[str, ...]) -> None:
    """At 5 % a file, more than three of twenty, or six of sixty, have one in 2 to 3 % of cases."""
    shown = 0
    for name in names:
        tables = tables_of(name)
        assert tables is not None
        shown += any(give_away.state is State.SHOWN for give_away in give_aways_of(tables))
    assert shown <= binom.isf(0.03, len(names), 0.05)


@pytest.mark.parametrize("name", SOME)
def test_an_honest_file_is_within_a_fair_limit_or_undecided(name: str) -> None:
    assert _words((name,)).keys() <= {Verdict.WITHIN, Verdict.UNDECIDED}


@pytest.mark.slow
def test_two_thirds_of_honest_files_are_within_and_none_but_by_chance_above() -> None:
    words = _words(tuple(HONEST))
    assert words[Verdict.WITHIN] >= len(HONEST) * 2 / 3
    assert words[Verdict.ABOVE] + words[Verdict.LEAK] <= 6
