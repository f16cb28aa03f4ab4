"""How a release was made: said by its steward, spelled as plans spell it, and matched by nothing less."""

from __future__ import annotations

import pytest

from riskkit.audit.provenance import provenance
from riskkit.errors import DesignError, ParameterError
from riskkit.judging.provenance import UNKNOWN, Provenance
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.records.plan import RecordsPlan


@pytest.mark.parametrize("text", ["", "  ", "unknown", " unknown "])
def test_nobody_said(text: str) -> None:
    nobody = provenance(text)
    assert nobody == UNKNOWN
    assert not nobody.is_known
    assert str(nobody) == "unknown"
    assert not nobody.covers("")
    assert not nobody.covers("stat")
    assert not nobody.covers("unknown")


def test_a_method_covers_itself_with_these_settings_alone() -> None:
    made_by = provenance("bayesnet:degree=2")
    assert made_by.is_known
    assert made_by.covers("bayesnet:degree=2")
    for other in ("bayesnet", "bayesnet:degree=3", "stat", "bayesnet:degree=2|stat", ""):
        assert not made_by.covers(other)


def test_it_is_spelled_as_plans_spell_it() -> None:
    """A setting that is the default, or written in another way, is the same method."""
    assert provenance("bayesnet:degree=1") == provenance("bayesnet"), "one parent is the default"
    for text in ("stat", " stat ", "bayesnet:degree=1", "pram:p=0.70"):
        spelled = provenance(text).method
        (planned,) = MembershipPlan(generators=(text.strip(),)).generators
        assert provenance(text).covers(planned)
        assert provenance(spelled).method == spelled
        assert provenance(text).covers(RecordsPlan(generator=text.strip()).generator)
    assert provenance(str(provenance("stat"))) == Provenance("stat")


@pytest.mark.parametrize("text", ["no such method", "bayesnet:no_such=1", "bayesnet:degree=many"])
def test_a_method_that_does_not_exist_is_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        provenance(text)


def test_how_often_a_table_was_released_decides_what_a_run_is_about() -> None:
    made_by = provenance("bayesnet", 4)
    assert made_by.settings == {"releases": 4, "one_fit": False}
    assert made_by.is_as_often({"releases": 4})
    assert not made_by.is_as_often({"releases": 3})
    assert not made_by.is_as_often({"releases": 4, "one_fit": True})
    assert not made_by.is_as_often({}), "a run from before releases were counted played one"
    once = provenance("bayesnet", 1, one_fit=True)
    assert once == Provenance("bayesnet")
    assert once.settings == {}
    assert once.is_as_often({})
    assert once.is_as_often({"releases": 1, "one_fit": True}), "one release has one fit"
    assert str(made_by) != str(provenance("bayesnet", 5)) != str(provenance("bayesnet", 5, one_fit=True))


@pytest.mark.parametrize("releases", [0, -1, 1_001, 2.5, "4", True])
def test_a_number_of_releases_that_cannot_be_is_refused(releases: object) -> None:
    with pytest.raises(DesignError, match="1 to 1,000 times"):
        provenance("bayesnet", releases)
