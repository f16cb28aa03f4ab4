"""A running thing looks alive: in the place of Run stands how far it is, and what is there already is said."""

from dataclasses import replace
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.dashboard.forms import pilots
from riskkit.jobs.store import Audit
from riskkit.questions.forecasts import Forecast
from riskkit.questions.released.plan import ReleasedPlan
from tests.pages.runs import changed, faked, finished, started
from tests.pages.screens import csv, field, healthy, keys, loaded, opened, press, shown

PAGE = "pages/2_membership.py"
PLAN = ReleasedPlan(attacks=("dcr",))
key = partial(field, "released")


@pytest.fixture
def audit() -> Audit:
    return loaded(real=csv(60), synthetic=csv(60, 1), holdout=csv(60, 2))


def page(audit: Audit) -> AppTest:
    """The form that asks for :data:`PLAN`."""
    screen = healthy(opened(audit, PAGE, question="released"))
    screen.multiselect(key=key(audit, "released")).set_value(["dcr"])
    return healthy(screen.run())


def toasts(screen: AppTest) -> list[str]:
    return [str(toast.value) for toast in screen.toast]


def test_run_becomes_how_far_it_is_and_cancel_where_the_finger_is(audit: Audit) -> None:
    run = faked(audit, "running", PLAN, run=audit.run_of(PLAN).id, stage="Attacking", done=2, total=8)
    screen = page(audit)
    assert key(audit, "run") not in keys(screen)
    assert [str(bar.proto.text) for bar in screen.get("progress")][-1].startswith("2 of 8")
    press(screen, "released.cancel.here")
    assert run.is_cancelled


def test_other_settings_can_be_run_beside_it(audit: Audit) -> None:
    faked(audit, "running", PLAN, run=audit.run_of(PLAN).id, done=2, total=8)
    screen = page(audit)
    screen.multiselect(key=key(audit, "released")).set_value(["mc"]).run()
    assert key(audit, "run") in keys(healthy(screen))
    assert "released.cancel.here" not in keys(screen)


def test_the_same_settings_again_are_said_to_be_there(audit: Audit) -> None:
    finished(audit, PLAN, run=audit.run_of(PLAN).id)
    screen = page(audit)
    assert "These numbers are there already" in shown(screen)
    press(screen, key(audit, "run"))
    assert len(audit.runs()) == 1
    assert ["These numbers are there already" in toast for toast in toasts(healthy(screen))] == [True]
    assert toasts(screen.run()) == [], "said once"


def test_a_start_is_said_once(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = page(audit)
    assert "These numbers are there already" not in shown(screen)
    started(screen, audit, "released", monkeypatch)
    assert ["The run has started" in toast for toast in toasts(healthy(screen))] == [True]


def test_the_end_is_said_when_it_comes(audit: Audit) -> None:
    run = finished(audit, PLAN, run=audit.run_of(PLAN).id)
    changed(run, state="running")
    screen = page(audit)
    changed(run, state="finished")
    screen.run()
    assert "These numbers are there already" in shown(healthy(screen))


@pytest.mark.parametrize("state", ["cancelled", "interrupted", "failed"])
def test_a_stopped_run_has_one_way_to_go_on(audit: Audit, state: str) -> None:
    faked(audit, state, PLAN, run=audit.run_of(PLAN).id, done=1, total=8)
    screen = page(audit)
    assert "released.again" in keys(screen)
    assert key(audit, "run") not in keys(screen)
    screen.multiselect(key=key(audit, "released")).set_value(["mc"]).run()
    assert key(audit, "run") in keys(healthy(screen)), "other settings are another run"


def test_how_long_a_first_run_takes_is_said_before_it_is_asked_for(
    audit: Audit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pilots, "beside", lambda *_, lost: None)
    monkeypatch.setattr(pilots, "is_known", lambda _: False)
    assert "Timing it on this computer" in shown(page(audit))
    monkeypatch.setattr(pilots, "beside", lambda *_, lost: replace(lost, forecast=Forecast(150.0)))
    screen = page(audit)
    assert "This takes **about 3 min" in shown(screen).replace("minutes", "min")
