"""Every setting of every plan goes through the command line, JSON and a configuration, and is refused out of range."""

import argparse
import ast
import inspect
import itertools
import json
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, replace
from typing import Any

import pytest

from riskkit import registry
from riskkit.commands import command
from riskkit.commands._options import plan_of
from riskkit.dashboard.forms import plugin_forms
from riskkit.errors import DesignError, ParameterError
from riskkit.games.bags import OfPerson
from riskkit.plans import Plan, as_options, split_list
from riskkit.questions import questions
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.released.plan import ReleasedPlan
from riskkit.registry import Setting
from riskkit.report import labels

UNUSUAL: dict[str, dict[str, Any]] = {
    "membership": {
        "generators": ("bayesnet:bins=5", "histogram"), "targets": ("random",), "attacks": ("mvl:lam=0.5",), "k": 3,
        "together": True, "trainings": 30, "generations": 2, "n_syn": 77, "seed": 9, "level": 0.9, "control": False,
        "worlds": "resampled", "relation": "replace-one", "knowledge": "auxiliary", "rows": 50, "auxiliary": 0.25,
        "of_person": "best", "stands_out": "row",
        "releases": 4, "one_fit": True, "groups": ("age", "sex, or not"), "second_table": True,
    },
    "records": {
        "generator": "histogram", "records": "ids:3,17", "inside": 40, "outside": 30, "screen": 10, "again": 3,
        "shadows": 12, "n_syn": 55, "relation": "replace-one", "stand_in": 4, "traditional": 20,
        "knowledge": "auxiliary", "rank": "certificate", "certificate": True, "screen_limit": 0.7, "fpr": 0.05,
        "seed": 3, "level": 0.9, "people": 200, "draw": 2,
        "releases": 4, "one_fit": True, "groups": ("age", "sex, or not"), "yearly": "100,120,150",
        "second_table": True, "together": True, "by": "subsets", "trainings": 40, "share": 0.75, "sees": "model",
    },
    "released": {
        "attacks": ("dpi:k=5", "dcr"), "reference": "aside", "reference_share": 0.25, "max_rows": 500,
        "of_person": "best", "seed": 7, "level": 0.9, "groups": ("age", "sex, or not"),
    },
    "singling-out": {
        "columns": ("age", "sex, or not"), "size": 2, "groups": 5, "sets": 40, "max_rows": 500, "seed": 7, "level": 0.9,
        "by": ("age", "sex, or not"),
    },
    "linkability": {
        "columns": ("age", "sex, or not", "job"), "half": ("age",), "splits": 2, "group": 50, "max_rows": 500,
        "seed": 7, "level": 0.9, "by": ("age", "sex, or not"),
    },
    "keys": {
        "keys": ("age", "sex, or not"), "secrets": ("job",), "fraction": 0.25,
        "population": 5000, "size": 2, "level": 0.9,
    },
    "reconstruction": {
        "secrets": ("age", "sex, or not"), "known": ("job",), "groups": 5, "randomised_secret": True,
        "generator": "histogram", "max_rows": 500, "seed": 7, "level": 0.9, "by": ("age", "sex, or not"),
    },
    "one-run": {
        "generator": "histogram", "rows": 300, "made": True, "sees": "model", "attack": "density",
        "beside": "bayesnet:bins=5", "guesses_in": 30, "guesses_out": 20, "relation": "replace-one", "n_syn": 77,
        "delta": 0.001, "seed": 7, "level": 0.9, "groups": ("age", "sex, or not"), "halves": 64,
    },
    "attributes": {
        "secrets": ("age", "sex, or not"), "known": (("age", "a, b"), "greedy:3", ("others",)), "model": "best",
        "best_at": "population", "sweep": True, "sweep_model": "tree", "tolerance": 0.1, "absolute": 2.5,
        "confidence": 0.8, "groups": ("sex",), "no_match": "nothing", "baseline": "released", "second_table": True,
        "generator": "bayesnet", "randomised": 10, "targets": 20, "max_rows": 400, "seed": 2, "level": 0.9,
    },
    "explanations": {
        "target": "income", "model": "forest", "attackers": ("nearest",), "auxiliary": (100, 400),
        "trained_on": "synthetic", "layout": "one-hot", "explainer": "shap-kernel", "references": 20,
        "permutations": 10, "classes": 2, "defences": ("references=50", "trained-on=synthetic"),
        "optimisers": ("papers", "equal"), "victims": 30, "model_seeds": 1, "tolerance": 0.02, "seed": 5, "level": 0.9,
        "groups": ("age", "sex, or not"), "members": True,
    },
    "contest": {
        "anonymisers": ("rounding:base=5|pram:p=0.5,law=empirical", "identity"), "attackers": ("distance", "dpi:k=5"),
        "source": "bayesnet", "population": 900, "sample": 100, "release": 50, "guesses": 7, "draws": 3,
        "mode": "hide-and-seek", "rules": "paper", "condition": "age>=40", "scale": "raw", "classifiers": ("tree",),
        "secret": "income", "rounds": 5, "control": False, "seed": 8, "level": 0.9,
    },
    "households": {
        "household": "home", "anonymisers": ("rounding:base=5|pram:p=0.5,law=empirical", "identity"),
        "attackers": ("distance", "dpi:k=5"), "sample": 100, "release": 50, "asked": 20, "least": 3, "control": False,
        "seed": 8, "level": 0.9,
    },
}  # fmt: skip
"""A value beside the default for every setting that is an option."""
TOGETHER: dict[tuple[str, str], dict[str, Any]] = {
    ("membership", "worlds"): {"knowledge": "auxiliary"},
    ("records", "people"): {"records": "ids:3,17"},
    ("records", "sees"): {"by": "subsets"},
    ("records", "together"): {"records": "ids:3,17"},
    ("attributes", "generator"): {"randomised": 10},
    ("attributes", "randomised"): {"generator": "bayesnet"},
    ("attributes", "targets"): {"generator": "bayesnet", "randomised": 10},
    ("attributes", "sweep_model"): {"sweep": True},
    ("released", "reference_share"): {"reference": "aside"},
    ("reconstruction", "randomised_secret"): {"generator": "histogram"},
    ("contest", "population"): {"sample": 100},
    ("contest", "classifiers"): {"secret": "income"},
}
"""What a setting is of no use without."""


def optional(plan: type[Plan]) -> list[Setting]:
    """The settings that are options of the command line."""
    return [setting for setting in registry.settings(plan) if not setting.option.by_hand]


def another(setting: Setting) -> Any:
    """A value beside the default that follows from the setting alone; other kinds are listed in :data:`UNUSUAL`."""
    if setting.type is bool:
        return not setting.default
    if setting.choices is not None:
        return next(choice for choice in setting.choices if choice != setting.default)
    assert setting.type in (int, float), f"say in UNUSUAL what else {setting.name} may be"
    if setting.type is float:
        return 0.9 * setting.default or 0.5
    return setting.default + (1 if setting.high is None or setting.default < setting.high else -1)


def unusual(question: str) -> dict[str, Any]:
    """Another value of every setting; of a question that is not listed, those that follow from its settings."""
    if question in UNUSUAL:
        return UNUSUAL[question]
    return {setting.name: another(setting) for setting in optional(questions()[question].plan)}


def every_setting() -> Iterator[tuple[str, str]]:
    for name, question in questions().items():
        for setting in optional(question.plan):
            yield name, setting.name


def changed(question: str, name: str) -> Plan:
    """A plan with another value of that setting."""
    settings = {name: unusual(question)[name]} | TOGETHER.get((question, name), {})
    return questions()[question].plan(**settings)  # type: ignore[no-any-return]


def read_back(plan: Plan) -> Plan:
    """The plan that its own command asks for."""
    parser = argparse.ArgumentParser()
    command(plan.question).add_options(parser)
    words = shlex.split(plan.command("the real.csv", "r.csv", "h.csv"))
    assert words[:2] == ["riskkit", plan.question]
    return plan_of(parser.parse_args(words[2:]), type(plan))  # type: ignore[no-any-return]


@pytest.mark.parametrize("question", questions())
def test_another_value_is_known_of_every_setting(question: str) -> None:
    """So that none is forgotten here."""
    assert list(unusual(question)) == [setting.name for setting in optional(questions()[question].plan)]
    for setting in registry.settings(questions()[question].plan):
        assert setting.label != setting.name, f"{setting.name} has a label for people"
        assert setting.option.by_hand or setting.help, f"{setting.name} says what it does"


@pytest.mark.parametrize(("question", "name"), list(every_setting()))
def test_a_setting_comes_back_from_command_line_json_and_configuration(question: str, name: str) -> None:
    plan = changed(question, name)
    assert name in plan.changes()
    assert read_back(plan) == plan
    assert type(plan).from_dict(json.loads(json.dumps(plan.as_dict()))) == plan
    lines = [f"{key} = {toml(value)}" for key, value in plan.as_dict().items() if value is not None]
    assert type(plan).from_dict(tomllib.loads("\n".join(lines))) == plan


def toml(value: Any) -> str:
    """The value as a configuration writes it."""
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


@pytest.mark.parametrize("question", questions())
def test_the_usual_plan_comes_back(question: str) -> None:
    plan = questions()[question].plan()
    stand_for = {"attacks", "attackers", "by"}
    assert plan.changes().keys() <= stand_for, "groups of attacks, and as the method allows, are kept as what they mean"
    assert read_back(plan) == plan


def out_of_range() -> Iterator[tuple[str, str, Any]]:
    for name, question in questions().items():
        for spec in fields(question.plan):
            ends = spec.metadata
            for end, step in (("low", -1), ("above", 0), ("high", 1), ("below", 0)):
                if ends[end] is not None:
                    yield name, spec.name, ends[end] + step
            if ends["choices"] is not None:
                yield name, spec.name, "no such thing"
            if ends["is_needed"]:
                yield name, spec.name, ()


@pytest.mark.parametrize(("question", "name", "value"), list(out_of_range()))
def test_what_is_out_of_range_is_refused_by_its_label(question: str, name: str, value: Any) -> None:
    label = next(s.label for s in registry.settings(questions()[question].plan) if s.name == name)
    is_list = next(s for s in registry.settings(questions()[question].plan) if s.name == name).is_list
    value_of_kind = (value,) if is_list and value != () else value
    with pytest.raises(ParameterError) as refusal:
        replace(questions()[question].plan(), **{name: value_of_kind})
    assert str(refusal.value).startswith(label)
    assert name in str(refusal.value).lower().replace(" ", "_"), "as the command line calls it, too"


def test_a_text_where_a_list_is_meant_is_one_entry() -> None:
    plan = MembershipPlan(generators="histogram", attacks=["mvl", "mvl"])  # type: ignore[arg-type]
    assert plan.generators == ("histogram",)
    assert plan.attacks == ("mvl",), "each once"


def test_a_setting_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(
        ParameterError, match=r"has no setting 'atacks' \(did you mean 'attacks'\?\); its settings are attacks, ref"
    ):
        questions()["released"].plan.from_dict({"atacks": ["dcr"]})
    with pytest.raises(ParameterError, match="takes names with values; its settings are attacks"):
        questions()["released"].plan.from_dict(["dcr"])


@pytest.mark.parametrize("question", questions())
def test_a_flag_that_is_no_boolean_is_refused(question: str) -> None:
    plan = questions()[question].plan
    for setting in registry.settings(plan):
        if setting.type is bool:
            with pytest.raises(DesignError, match="it must be true or false"):
                plan(**{setting.name: 1})


def test_lists_with_commas_are_read_as_they_are_written() -> None:
    assert split_list(["dpi:k=5,dcr"]) == ("dpi:k=5", "dcr")
    assert split_list(["a:x=1,y=2,b, c:z=3"]) == ("a:x=1,y=2", "b", "c:z=3")
    assert split_list(["stat,pram:p=0.7,law=empirical", "noise"]) == ("stat", "pram:p=0.7,law=empirical", "noise")
    quoted, chained = 'external:command="a,b {train}",timeout=5', "rounding:base=5|pram:p=0.5,law=empirical"
    assert split_list([f"{quoted},stat"]) == (quoted, "stat")
    assert split_list([f"{chained},stat"]) == (chained, "stat")


@pytest.mark.parametrize("name", sorted(questions()))
def test_every_choice_has_words_and_no_code_is_shown(name: str) -> None:
    """On a form, on paper and in the reader's language; the command line keeps the codes."""
    for setting in registry.settings(questions()[name].plan):
        for code in setting.choices or ():
            words = setting.words[code]
            assert words not in (code, ""), (setting.name, code)
            assert plugin_forms.choice_in_words(setting, code) == words
            value = [code] if setting.is_list else code
            assert labels.plan_settings(name, {setting.name: value}, lambda _, spelled: spelled) == [
                (setting.label, words)
            ]
            assert code in " ".join(as_options(setting, (code,) if setting.is_list else code))
        assert len(set(setting.words.values())) == len(setting.words), "two choices are called the same"


def test_scores_of_a_person_are_the_ones_there_are() -> None:
    of_person = next(setting for setting in registry.settings(ReleasedPlan) if setting.name == "of_person")
    assert set(of_person.choices or ()) == set(map(str, OfPerson))


def by_hand(question: str) -> set[str]:
    """The fields that the plan of a question declares itself, with ``parameter``; others are declared once for all."""
    (made,) = (
        part for part in ast.parse(inspect.getsource(questions()[question].plan)).body if isinstance(part, ast.ClassDef)
    )
    return {
        part.target.id
        for part in made.body
        if isinstance(part, ast.AnnAssign)
        and isinstance(part.target, ast.Name)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Name)
        and part.value.func.id == "parameter"
    }


def twice_by_hand(plans: Mapping[str, type[Plan]], hands: Mapping[str, set[str]]) -> list[tuple[str, str, str]]:
    """The settings that are the same in two plans, and that one of them declares itself."""
    pairs = itertools.combinations(plans, 2)
    return [
        (first, second, spec.name)
        for first, second in pairs
        for spec in fields(plans[first])
        for twin in fields(plans[second])
        if spec.name == twin.name and alike(spec, twin)
        if spec.name in hands[first] | hands[second]
    ]


def alike(first: Field[Any], second: Field[Any]) -> bool:
    """Whether two declarations say the same of a setting, or call it the same, with the same default and range."""
    shape = ("label", "room", "low", "high", "above", "below", "choices")
    is_same = all(first.metadata[part] == second.metadata[part] for part in shape) and first.default == second.default
    return is_same or (bool(first.metadata["help"]) and first.metadata["help"] == second.metadata["help"])


def test_a_setting_that_several_plans_have_is_declared_once() -> None:
    """A label, a help or a range that is changed is changed in one place: in :mod:`riskkit.plans` or beside it."""
    plans = {name: known.plan for name, known in questions().items()}
    assert twice_by_hand(plans, {name: by_hand(name) for name in plans}) == []


def test_a_setting_that_is_declared_twice_is_seen() -> None:
    """Planted: the seed of one plan is taken for one that was written by hand."""
    plans: dict[str, type[Plan]] = {"membership": MembershipPlan, "released": ReleasedPlan}
    assert twice_by_hand(plans, {"membership": {"seed"}, "released": set()}) == [("membership", "released", "seed")]
    attacks = {name: {"attacks"} for name in plans}
    assert twice_by_hand(plans, attacks) == [], "both are called Attacks, and name others"
