"""A program of the steward's own gives the same numbers wherever it lies: streams of chance know its role alone."""

import json
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit import plans, registry
from riskkit.generators import external
from riskkit.generators.external import External
from riskkit.questions.contest.entries import first_sample
from riskkit.questions.contest.plan import ContestPlan
from riskkit.questions.contest.run import run_contest
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.households.play import run_households
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.people import crowd_of, people_asked
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import field_of
from tests.generators.own_generator import HERE
from tests.questions.contest.test_contest import BASE
from tests.questions.households.test_households import tables as homes

CONTEST = ContestPlan(
    anonymisers=("identity",),
    attackers=("distance",),
    source="base",
    population=300,
    sample=50,
    guesses=20,
    control=False,
    classifiers=(),
)
HOMES = HouseholdsPlan("home", ("identity",), ("distance",), sample=150, asked=20)


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(external.ALLOWED, "1")


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """The same program in two folders."""
    copies = tmp_path / "a" / "own_program.py", tmp_path / "a folder, of another name" / "mine.py"
    for copy in copies:
        copy.parent.mkdir()
        shutil.copy(HERE / "own_program.py", copy)
    return copies


def lies(path: Path, **more: Any) -> str:
    """The program there, as a plan spells it."""
    words = f"{shlex.join([sys.executable, str(path)])} bootstrap {{train}} {{n}} {{seed}} {{out}}"
    return registry.spelling("generators", External(command=words, **more))


def shown(path: Path, result: Any) -> str:
    """All numbers and sentences of a result, without the spelling of its method."""
    return json.dumps(result.plain(), default=str).replace(json.dumps(lies(path))[1:-1], "METHOD")


def of_contest(path: Path) -> str:
    return shown(path, run_contest(BASE, replace(CONTEST, anonymisers=("identity", lies(path)))))


def of_households(path: Path) -> str:
    return shown(path, run_households(homes(), replace(HOMES, anonymisers=("identity", lies(path)))))


def of_membership(path: Path) -> str:
    plan = MembershipPlan(generators=("bayesnet", lies(path)), k=1)
    chosen = plan.choose(BASE.real, plan.targets[0])
    games = [plan.game(plan.people(BASE.real), cell, chosen) for cell in plan.cells()]
    return str([game.rng("trial", 1).integers(2**60) for game in games])


def of_records(path: Path) -> str:
    plan = RecordsPlan(generator=lies(path), records="ids:3")
    rows = np.arange(len(BASE.real))
    who = people_asked(crowd_of(BASE), plan, np.zeros(len(rows)), rows)
    game = field_of(BASE, plan, who).fixed_table
    return str(game.deal.rng("first").integers(2**60))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "numbers", [of_contest, of_households, of_membership, of_records], ids=lambda each: each.__name__
)
def test_the_same_program_in_another_folder_gives_the_same_numbers(
    numbers: Callable[[Path], str], places: tuple[Path, Path]
) -> None:
    first, second = map(numbers, places)
    assert first == second


def test_a_python_object_of_another_package_is_dealt_the_same_people() -> None:
    """What is downloaded is what the contest plays on: both name the sample by the role of whom it is dealt to."""
    first, second = (f"external:python={where}:Model" for where in ("mine.a", "b"))
    of_first, of_second = (
        first_sample(BASE, replace(CONTEST, anonymisers=("stat", own)), own) for own in (first, second)
    )
    assert of_first == of_second != first_sample(BASE, CONTEST, "identity")


def test_a_method_is_called_as_it_is_spelled_but_for_what_names_files() -> None:
    for text in ("bayesnet", "mst:epsilon=2.0", "rounding:base=10.0|noise", "external:timeout=5"):
        assert plans.label(text, (text,)) == text
    words = External(command="/a/b {train} {n} {out}", timeout=5)
    for own in (words, External(program="/a/c", timeout=5), External(python="a.b:C", timeout=5)):
        assert plans.label(registry.spell(own)) == "external:timeout=5"


def test_two_programs_of_one_plan_have_chance_of_their_own(places: tuple[Path, Path]) -> None:
    """They would differ by nothing else; a method that stands between them moves neither."""
    first, second = map(lies, places)
    both = [plans.label(text, (first, "bayesnet", second)) for text in (first, second)]
    assert both == [plans.label(text, (first, second)) for text in (first, second)] == ["external", "external #2"]
