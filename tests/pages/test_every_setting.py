"""Every setting of every plan can be entered on the page of its question: form and command line cannot drift."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.core import Role
from riskkit.dashboard.forms import plan_forms
from riskkit.dashboard.pages import question_page
from riskkit.jobs.store import Audit, ColumnChoice
from riskkit.judging.provenance import Provenance
from riskkit.questions import questions
from tests.pages.runs import started
from tests.pages.screens import csv, field, healthy, loaded, opened, refusals
from tests.test_plans import UNUSUAL

pytestmark = pytest.mark.second
FORMS = {
    "membership": "2_membership",
    "released": "2_membership",
    "records": "3_records",
    "attributes": "4_attributes",
    "explanations": "5_explanations",
    "contest": "6_contest",
}
"""The page of each question that asks for settings in words of its own."""
KINDS = ("number_input", "selectbox", "multiselect", "toggle", "slider", "text_input", "text_area", "button_group")
Steps = Sequence[Mapping[tuple[str, ...], Any]]
"""What is entered, in fields that are there only when the step before was taken: parts of a key, and the value."""

BEFORE: Mapping[str, Steps] = {
    "records": [{("who",): "ids"}, {("ids",): "3, 17", ("best", "True"): False}],
    "attributes": [{("secrets",): ["job"]}],
    "explanations": [{("setting", "victims"): 10, ("target",): "job"}],
    "contest": [{("source",): "base", ("swept",): [], ("generators",): ["stat"]}],
}
"""What the other settings of a question need beside them."""
BY_HAND: Mapping[str, Sequence[tuple[Steps, Mapping[str, Any]]]] = {
    "membership": [
        (
            [
                {("generators",): ["histogram"], ("targets",): ["random"], ("attacks",): ["groundhog"], ("k",): 3,
                 ("together",): True, ("trainings",): 30, ("generations",): 2, ("n_syn",): 77,
                 ("worlds",): "resampled", ("relation",): "replace-one", ("world_rows",): 50},
            ],
            {"generators": ("histogram",), "targets": ("random",), "attacks": ("groundhog",), "k": 3, "together": True,
             "trainings": 30, "generations": 2, "n_syn": 77, "worlds": "resampled", "relation": "replace-one",
             "knowledge": "auxiliary", "rows": 50},
        ),
        ([{("knowledge", "fixed"): "auxiliary"}, {("auxiliary",): 0.25}], {"auxiliary": 0.25}),
    ],
    "released": [
        (
            [{("released",): ["dcr"], ("compared",): "aside"}, {("reference",): 0.75}],
            {"attacks": ("dcr",), "reference": "aside", "reference_share": 0.75},
        ),
    ],
    "records": [
        (
            [
                {("generator",): "histogram", ("who",): "ids", ("trainings",): 40, ("n_syn",): 55, ("shadows",): 12,
                 ("again",): 3, ("screen",): 10, ("knowledge",): "auxiliary", ("traditional",): True,
                 ("outside",): 30},
                {("ids",): "3, 17", ("screen_limit",): 0.7},
            ],
            {"generator": "histogram", "records": "ids:3,17", "inside": 40, "outside": 30, "n_syn": 55, "shadows": 12,
             "again": 3, "screen": 10, "screen_limit": 0.7, "knowledge": "auxiliary", "traditional": 40},
        ),
        (
            [{("who",): "ids"}, {("ids",): "3, 17"}, {("together",): True}],
            {"records": "ids:3,17", "together": True},
        ),
        (
            [{("who",): "top"}, {("rank",): "certificate", ("best", "True"): True}],
            {"rank": "certificate", "certificate": True},
        ),
        (
            [
                {("who",): "all"},
                {("by", "seeds"): "subsets"},
                {("trainings",): 32, ("share",): 0.4, ("setting", "sees"): "model"},
            ],
            {"by": "subsets", "trainings": 32, "share": 0.4, "sees": "model"},
        ),
    ],
    "attributes": [
        (
            [
                {("secrets",): ["job"], ("known",): ["chosen"], ("model",): "tree", ("sweep",): True,
                 ("generator",): "bayesnet", ("groups",): ["ward"], ("confidence",): 0.8, ("no_match",): "nothing",
                 ("baseline",): "released"},
                {("columns",): ["age"], ("randomised",): 10, ("targets",): 20, ("tolerance",): 10.0,
                 ("absolute",): 2.5},
            ],
            {"secrets": ("job",), "known": (("age",),), "model": "tree", "sweep": True, "generator": "bayesnet",
             "randomised": 10, "targets": 20, "tolerance": 0.1, "absolute": 2.5, "groups": ("ward",),
             "confidence": 0.8, "no_match": "nothing", "baseline": "released"},
        ),
    ],
    "explanations": [
        (
            [
                {("target",): "job", ("model",): "forest", ("inverters",): ["nearest"], ("rows",): 30,
                 ("source",): "synthetic", ("explainer",): "shap", ("references",): 10,
                 ("defences",): ["rounding", "references=10", "trained-on=synthetic"],
                 ("optimisers",): ["tuned"], ("tolerance",): 2.0,
                 ("setting", "victims"): 20},
            ],
            {"target": "job", "model": "forest", "attackers": ("nearest",), "auxiliary": (30,),
             "trained_on": "synthetic", "explainer": "shap", "references": 10,
             "defences": ("rounding", "references=10", "trained-on=synthetic"),
             "optimisers": ("tuned",), "tolerance": 0.02},
        ),
    ],
    "contest": [
        (
            [
                {("source",): "base", ("generators",): ["stat"], ("swept",): [], ("released",): ["contest"]},
                {("guesses",): 7, ("rules",): "paper", ("rounds",): 5, ("classifiers",): ["tree"],
                 ("secret",): "ward"},
                {("base", "population"): 90, ("base", "sample"): 20, ("base", "condition"): "job"},
                {("base", "condition", "job"): "clerk"},
            ],
            {"anonymisers": ("stat",), "attackers": ("distance",), "source": "base", "population": 90, "sample": 20,
             "guesses": 7, "rules": "paper", "rounds": 5, "classifiers": ("tree",), "secret": "ward",
             "condition": "job=clerk"},
        ),
        (
            [{("mode",): "hide-and-seek", ("generators",): ["stat"], ("swept",): [], ("released",): ["contest"]}],
            {"mode": "hide-and-seek", "anonymisers": ("stat",), "attackers": ("distance",)},
        ),
    ],
}  # fmt: skip
"""What is entered in fields that a page draws itself, and the settings that come of it."""
ALONE: Mapping[tuple[str, str], Any] = {("records", "yearly"): "100,110,120"}
"""Settings that exclude others, and so are entered by themselves."""

ELSEWHERE: Mapping[str, set[str]] = {
    "attributes": {"second_table"},
    "membership": {"second_table"},
    "records": {"second_table"},
}
"""Settings that take a second table, and are walked in ``test_attributes_across.py`` and ``test_both_tables.py``."""


def put(screen: AppTest, key: str, value: Any) -> None:
    """Enter a value in the field of that key, whatever its kind."""
    (widget,) = [widget for kind in KINDS for widget in getattr(screen, kind) if widget.key == key]
    widget.set_value(value)


def entered(question: str, audit: Audit, steps: Steps) -> AppTest:
    """The page of that question after these steps."""
    screen = opened(audit, f"pages/{FORMS[question]}.py", question=question)
    for step in steps:
        for parts, value in step.items():
            put(screen, field(question, audit, *parts), value)
        screen.run()
    assert refusals(healthy(screen)) == []
    return screen


def files(*, holdout: bool = True) -> Audit:
    more = {"holdout": csv(150, 2)} if holdout else {}
    audit = loaded(real=csv(120, 0), synthetic=csv(120, 1), **more)
    audit.set_provenance(Provenance("bayesnet"))
    return audit


def drawn(question: str) -> list[str]:
    """The settings that a page draws from the plan: those that are walked nowhere."""
    walked = {name for _, expected in BY_HAND[question] for name in expected} | ELSEWHERE.get(question, set())
    return [setting.name for setting in plan_forms.settings(questions()[question].plan) if setting.name not in walked]


def test_every_question_is_known_here() -> None:
    written = {name for name in questions() if isinstance(question_page.page_of(name), str)}
    assert set(FORMS) == written, "others have the page that is made of their plan"


@pytest.mark.parametrize("question", FORMS)
def test_what_a_page_asks_in_its_own_words_is_walked_here(question: str) -> None:
    """So that no field can be missing: what is not walked has a field that is made of the plan."""
    audit = files()
    screen, start = entered(question, audit, BEFORE.get(question, ())), field(question, audit, "setting", "")
    every = [str(widget.key) for kind in KINDS for widget in getattr(screen, kind)]
    every = [key for key in every if not key.endswith(".new")]  # from where something is added to the field above
    assert sorted(key.removeprefix(start) for key in every if key.startswith(start)) == sorted(drawn(question))


@pytest.mark.parametrize("question", FORMS)
def test_every_other_setting_is_drawn_from_the_plan(question: str, monkeypatch: pytest.MonkeyPatch) -> None:
    audit = files()
    wanted = {name: UNUSUAL[question][name] for name in drawn(question) if (question, name) not in ALONE}
    wanted |= {"groups": ("age", "ward")} if "groups" in wanted else {}  # a menu of the columns that there are
    steps = [*BEFORE.get(question, ()), {("setting", name): value for name, value in wanted.items()}]
    plan = started(entered(question, audit, steps), audit, question, monkeypatch)
    assert {name: getattr(plan, name) for name in wanted} == wanted


@pytest.mark.parametrize("question", ["records", "released", "membership", "explanations"])
def test_groups_are_chosen_from_the_columns_in_use(question: str) -> None:
    """One that is taken out of use afterwards is offered no more, and is no longer asked for."""
    audit = files()
    screen = entered(question, audit, [*BEFORE.get(question, ()), {("setting", "groups"): ["age", "ward"]}])
    menu = screen.multiselect(key=field(question, audit, "setting", "groups"))
    assert menu.options == ["age", "ward", "job", "score"]
    audit.choose({"ward": ColumnChoice(role=Role.IGNORED)})
    menu = healthy(screen.run()).multiselect(key=field(question, audit, "setting", "groups"))
    assert (menu.options, menu.value) == (["age", "job", "score"], ["age"])


@pytest.mark.parametrize(("question", "name"), ALONE)
def test_a_setting_that_goes_with_no_other_is_drawn_too(
    question: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit, value = files(), ALONE[question, name]
    steps = [*BEFORE.get(question, ()), {("setting", name): value}]
    plan = started(entered(question, audit, steps), audit, question, monkeypatch)
    assert getattr(plan, name) == value


@pytest.mark.parametrize(
    ("question", "place"), [(question, index) for question, cases in BY_HAND.items() for index in range(len(cases))]
)
def test_what_is_entered_is_what_is_run(question: str, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, expected = BY_HAND[question][place]
    audit = files(holdout="auxiliary" not in expected)
    plan = started(entered(question, audit, steps), audit, question, monkeypatch)
    assert {name: getattr(plan, name) for name in expected} == expected
