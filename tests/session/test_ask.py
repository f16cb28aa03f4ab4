"""Asking a question in Python: plans, keywords, plug-ins as text, object and class, and what is refused."""

import tomllib
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import riskkit as rk
from riskkit import own, registry
from riskkit.attacks.mvl import PLUGIN as MVL
from riskkit.core import Brief, FittedAttack, Knowledge, Table
from riskkit.errors import ParameterError, PluginError
from riskkit.parameters import check_parameters, parameter
from riskkit.questions import questions
from riskkit.questions.standard import Effort, Situation, plans_for
from riskkit.session.ask import plan_of
from riskkit.table.load import Tables
from tests.session.people import people


@dataclass(frozen=True)
class Copies:
    """Sees the target itself in the release."""

    name: ClassVar[str] = "copies-of-mine"
    title: ClassVar[str] = "Copies"
    card: ClassVar[str] = "Counts the rows that equal the target."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    weight: float = parameter(1.0, label="Weight", help="What a copy counts.", low=0.0, high=9.0)

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    def shadows(self) -> int:
        return 0

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedAttack:
        return Counting(brief.targets, self.weight)


@dataclass(frozen=True)
class Counting:
    targets: Table
    weight: float

    def score(self, release: Table) -> Any:
        keys = self.targets.keys()
        return np.array([self.weight * np.mean(release.keys() == key) for key in keys]) - 1e-9


@pytest.fixture(autouse=True)
def none_is_left(monkeypatch: pytest.MonkeyPatch) -> Any:
    """What a test registers is gone afterwards."""
    monkeypatch.setattr(own, "_REGISTERED", {})
    registry.plugins.cache_clear()
    yield
    registry.plugins.cache_clear()


def test_every_question_can_be_asked_and_is_at_the_top() -> None:
    for name, question in questions().items():
        assert callable(getattr(rk, name.replace("-", "_")))
        assert question.main in ["", *(setting.name for setting in registry.settings(question.plan))]
    six = {"membership", "released", "records", "attributes", "explanations", "contest"}
    assert six <= set(rk.__all__) & {name for name, question in questions().items() if question.main}


def test_a_plan_keywords_and_both_are_the_same() -> None:
    plan = rk.MembershipPlan(generators=("bayesnet",), attacks=("mvl",), trainings=40)
    for plan_given, settings in (
        (plan, {}),
        (None, {"generators": ["bayesnet"], "attacks": ("mvl",), "trainings": 40}),
        ("bayesnet", {"attack": "mvl", "trainings": 40}),
        (None, {"generator": "bayesnet", "attack": MVL, "trainings": 40}),
        (rk.MembershipPlan(generators=("bayesnet",), trainings=40), {"attacks": MVL()}),
    ):
        assert plan_of("membership", plan_given, settings) == plan
    assert plan_of("records", "bayesnet", {"records": [3, 17]}).as_dict()["records"] == "ids:3,17"
    assert plan_of("records", None, {"records": 3}).as_dict()["records"] == "ids:3"


@pytest.mark.parametrize(
    ("question", "setting", "text"),
    [
        ("membership", "generators", "stat"),
        ("membership", "attacks", "mvl"),
        ("membership", "targets", "random"),
        ("released", "attacks", "dcr"),
        ("attributes", "secrets", "place"),
        ("attributes", "groups", "place"),
        ("contest", "anonymisers", "stat"),
        ("explanations", "attackers", "linear"),
        ("explanations", "defences", "rounding"),
    ],
)
def test_a_text_where_several_are_meant_is_one(question: str, setting: str, text: str) -> None:
    """In Python and in a configuration; read letter by letter it gave "There is no 's'"."""
    asked = plan_of(question, None, {setting: (text,)})
    assert getattr(plan_of(question, None, {setting: text}), setting) == getattr(asked, setting) == (text,)
    written = tomllib.loads(f'{setting} = "{text}"')
    assert questions()[question].plan.from_dict(written) == asked


def membership_of(settings: dict[str, Any]) -> rk.MembershipPlan:
    """The plan of membership with these settings."""
    plan = plan_of("membership", None, settings)
    assert isinstance(plan, rk.MembershipPlan)
    return plan


def test_a_plug_in_of_mine_is_an_object_a_class_a_name_and_a_text() -> None:
    for attack in (Copies(), Copies):
        assert membership_of({"attacks": ["mvl", attack]}).attacks == ("mvl", "copies-of-mine")
    heavy = membership_of({"attacks": Copies(weight=2.0)})
    assert heavy.attacks == ("copies-of-mine:weight=2.0",)
    assert heavy == plan_of("membership", None, {"attacks": "copies-of-mine:weight=2"})
    assert "copies-of-mine" in rk.plugins("attacks")
    assert list(heavy.made_attacks()) == [Copies(weight=2.0)]


def test_the_attack_of_mine_is_played() -> None:
    answer = rk.membership(people(60), "histogram", attacks=Copies(), trainings=12, generations=1, n_syn=60)
    assert {estimate.labels["attack"] for estimate in answer.estimates} == {"copies-of-mine"}


def test_a_class_is_registered_once_again_and_never_in_the_place_of_another() -> None:
    assert rk.register("attacks", Copies) is Copies
    assert rk.register("attacks", Copies) is Copies
    again: Any = dataclass(frozen=True)(type("Copies", (Copies,), {"__module__": Copies.__module__}))
    again.__qualname__ = Copies.__qualname__
    assert rk.register("attacks")(again) is again
    assert rk.plugins("attacks")["copies-of-mine"] is again
    with pytest.raises(PluginError, match="the name 'mvl' is taken by another plug-in of attacks"):
        rk.register("attacks", dataclass(frozen=True)(type("Other", (Copies,), {"name": "mvl"})))
    with pytest.raises(PluginError, match="no room 'attack'"):
        rk.register("attack", Copies)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"name": "two words"}, "may hold letters, digits, _ and - alone"),
        ({"name": 3}, "has no name; add name"),
        ({"title": " "}, "has no title"),
        ({"card": None}, "has no card"),
        ({"fit": None}, "needs a method fit"),
    ],
)
def test_what_is_no_plug_in_is_refused_with_what_it_lacks(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(PluginError, match=says):
        rk.register("attacks", dataclass(frozen=True)(type("Odd", (Copies,), changed)))
    with pytest.raises(PluginError, match="must be a frozen dataclass"):
        plan_of("membership", None, {"attacks": 3})


@pytest.mark.parametrize(
    ("question", "plan", "settings", "says"),
    [
        ("released", None, {"atacks": "dcr"}, r"released has no setting 'atacks' \(did you mean 'attacks'\?\)"),
        ("membership", None, {"trainigs": 9}, r"no setting 'trainigs' \(did you mean 'trainings'\?\)"),
        ("membership", None, {"attacks": "mvll"}, r"There is no 'mvll' in attacks \(did you mean 'mvl'\?\)"),
        ("membership", None, {"attacks": "mvl:lamb=1"}, r"no parameter 'lamb' \(did you mean 'lam'\?\)"),
        ("membership", "stat", {"generators": "stat"}, "The setting generators is given twice"),
        ("membership", None, {"generator": "stat", "generators": "stat"}, "is given twice"),
        ("membership", rk.ReleasedPlan(), {}, "This is a plan of released; the question membership needs"),
        ("membership", None, {"trainings": "many"}, "of a kind that it cannot have"),
        ("contest", None, {"anonymiserz": "stat"}, r"its settings are anonymisers,(?!.* given)"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_the_nearest_right_one(
    question: str, plan: Any, settings: dict[str, Any], says: str
) -> None:
    with pytest.raises((rk.DesignError, ParameterError), match=says):
        plan_of(question, plan, settings)


def test_a_question_that_is_not_there_and_a_table_that_is_missing_are_named() -> None:
    with pytest.raises(rk.DesignError, match=r"no question 'membershp' \(did you mean 'membership'\?\)"):
        rk.ask("membershp", people())
    with pytest.raises(rk.DesignError, match="needs a table beside the real one: load synthetic too"):
        rk.released(people())
    with pytest.raises(rk.DesignError, match="must lie between"):
        rk.released(people(), limit=3)


# --- a whole audit --------------------------------------------------------------------------------------------------


def _situation(tables: Tables) -> Situation:
    return Situation(tables, Effort.QUICK, tables.made_by)


def test_what_applies_is_asked_and_nothing_else() -> None:
    def asked(**files: Any) -> list[str]:
        return [plan.question for plan in plans_for(_situation(rk.load(people(), **files)))]

    both = {"synthetic": people(seed=1), "holdout": people(seed=2)}
    assert asked(synthetic=both["synthetic"]) == ["released"]  # what can be said without a holdout, and how to make one
    assert asked(**both) == ["released", "attributes", "singling-out", "linkability"]
    assert asked(**both, made_by="bayesnet") == [
        "membership",
        "released",
        "records",
        "attributes",
        "singling-out",
        "linkability",
    ]
    assert asked(synthetic=both["synthetic"], made_by="bayesnet") == ["membership", "records"]
    with pytest.raises(rk.DesignError, match="No release is loaded"):
        rk.audit(people())
    with pytest.raises(rk.DesignError, match=r"no effort 'quik' \(did you mean 'quick'\?\)"):
        rk.audit(rk.load(people(), **both), effort="quik")
    with pytest.raises(rk.DesignError, match="A limit is set for membership, which these tables do not let ask"):
        rk.audit(rk.load(people(), **both), limits={"membership": 0.6})
