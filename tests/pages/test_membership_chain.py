"""A chain of anonymisers put together in the form: steps added, set, removed, and played as one method."""

from dataclasses import dataclass
from typing import ClassVar

import pytest
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.parameters import parameter
from riskkit.questions.membership.plan import MembershipPlan
from tests.pages import screens

MEMBERSHIP = "pages/2_membership.py"


@pytest.fixture
def audit() -> Audit:
    return screens.loaded(real=screens.csv(), synthetic=screens.csv(seed=1))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[MembershipPlan]:
    """The plans that *Run* would have played."""
    plans: list[MembershipPlan] = []

    def start(audit: Audit, plan: MembershipPlan, **_: int) -> Run:
        plans.append(plan)
        return Run(audit.path / "runs" / "none")

    monkeypatch.setattr(Audit, "start", start)
    return plans


def key(audit: Audit, *parts: str) -> str:
    return screens.field("membership", audit, "generators", *parts)


def with_rounding(audit: Audit) -> AppTest:
    """The page with rounding, an anonymiser, as the only method."""
    screen = screens.opened(audit, MEMBERSHIP)
    return screen.multiselect(key=key(audit)).set_value(["rounding"]).run()


def add(screen: AppTest, audit: Audit, step: str) -> AppTest:
    return screen.selectbox(key=key(audit, "rounding", "then")).set_value(step).run()


def chain(screen: AppTest) -> str:
    """The chain as the page spells it; nothing where it shows none."""
    (line, *_) = [line for line in screens.shown(screen).splitlines() if "command line reads it" in line] or [": "]
    return line.partition("reads it: ")[2]


def test_steps_are_added_set_and_shown_in_their_order(audit: Audit) -> None:
    screen = with_rounding(audit)
    assert chain(screen) == ""
    screen = add(add(screen, audit, "pram"), audit, "noise")
    assert not screen.exception
    assert chain(screen) == "rounding|pram|noise"
    assert screen.selectbox(key=key(audit, "rounding", "then")).value is None, "the menu waits for the next step"
    screen.slider(key=key(audit, "rounding", "step2", "p")).set_value(0.5)
    screen.number_input(key=key(audit, "rounding", "base")).set_value(20.0).run()
    assert chain(screen) == "rounding:base=20.0|pram:p=0.5|noise"
    text = screens.shown(screen)
    assert text.index("as step 2") < text.index("as step 3")


def test_a_removed_step_takes_its_settings_along_and_leaves_the_others_theirs(audit: Audit) -> None:
    """The fault planted: fields counted by place would hand the setting of step 2 to step 3."""
    screen = add(add(with_rounding(audit), audit, "pram"), audit, "pram")
    screen.slider(key=key(audit, "rounding", "step2", "p")).set_value(0.25)
    screen.slider(key=key(audit, "rounding", "step3", "p")).set_value(0.5).run()
    assert chain(screen) == "rounding|pram:p=0.25|pram:p=0.5"
    screens.press(screen, key(audit, "rounding", "step2", "remove"))
    assert chain(screen) == "rounding|pram:p=0.5"
    screen = add(screen, audit, "pram")
    assert chain(screen) == "rounding|pram:p=0.5|pram", "a new step starts at its defaults"


def test_a_method_that_draws_new_rows_offers_no_next_step(audit: Audit) -> None:
    screen = with_rounding(audit)
    offered = screen.selectbox(key=key(audit, "rounding", "then")).options
    families = {p.title: getattr(p, "family", "method") for p in registry.plugins("generators").values()}
    assert {families[title] for title in offered} == {"anonymiser"}
    assert len(offered) == sum(family == "anonymiser" for family in families.values())
    screen.multiselect(key=key(audit)).set_value(["histogram"]).run()
    assert not [box for box in screen.selectbox if box.label == "Then"]


def test_a_chain_outlives_a_change_of_page_and_is_what_is_run(audit: Audit, started: list[MembershipPlan]) -> None:
    screen = add(with_rounding(audit), audit, "pram")
    screen.slider(key=key(audit, "rounding", "step2", "p")).set_value(0.5).run()
    screen.switch_page(screens.DATA).run()
    screen.switch_page(MEMBERSHIP).run()
    assert chain(screen) == "rounding|pram:p=0.5"
    screens.press(screen, f"membership.{audit.id}.run")
    assert [plan.generators for plan in started] == [("rounding|pram:p=0.5",)]


@dataclass(frozen=True)
class Listing:
    """An anonymiser with a field into which anything can be typed."""

    name: ClassVar[str] = "listing"
    title: ClassVar[str] = "Listing"
    card: ClassVar[str] = "Does nothing."
    family: ClassVar[str] = "anonymiser"

    rows: tuple[int, ...] = parameter((), label="Rows", help="Which rows.")


def test_a_step_whose_settings_cannot_be_used_is_a_sentence_and_nothing_is_run(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = registry.plugins
    extra = {"generators": {"listing": Listing}}
    monkeypatch.setattr(registry, "plugins", lambda room: {**real(room), **extra.get(room, {})})
    screen = add(add(with_rounding(audit), audit, "listing"), audit, "pram")
    screen.text_input(key=key(audit, "rounding", "step2", "rows")).set_value("3, Smith").run()
    assert not screen.exception
    assert "Rows: Write whole numbers with commas between them, such as 3, 17." in screens.shown(screen)
    assert "as step 3" in screens.shown(screen), "the steps after it are still there"
    assert screen.button(key=f"membership.{audit.id}.run").disabled
