"""The Membership page before a game and while one runs, a new attack file, and one game played from end to end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from riskkit import registry
from riskkit.core import Brief, Floats, Knowledge, Table
from riskkit.jobs.leases import STALE_AFTER
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.parameters import parameter
from riskkit.questions.membership.plan import ROOMS, MembershipPlan
from riskkit.questions.runs import plan_of
from tests.pages.membership import FIRST, PLAN, key, page, stays, text
from tests.pages.runs import changed, ended, faked, started, without_clock, worker_outlives_test
from tests.pages.screens import healthy, keys, labels, press, shown


@pytest.fixture
def audit() -> Audit:
    """Real and released people; no run yet."""
    return stays("stat")


# --------------------------------------------------------------------------------------------------------------
# Before


def test_without_an_audit_the_page_shows_the_two_ways_on() -> None:
    screen = page(None)
    assert screen.title[0].value == "Can someone tell that a person is in the data?"
    assert labels(screen) == ["Open the sample audit", "Load your files"]


def test_the_form_starts_at_the_defaults_of_a_plan(audit: Audit) -> None:
    screen = page(audit)
    default = MembershipPlan()
    for room in ROOMS:
        menu = screen.multiselect(key=key(audit, room))
        assert menu.value == list(getattr(default, room))
        plugins = registry.plugins(room).values()
        assert menu.options == [plugin.title for plugin in plugins if getattr(plugin, "family", "") != "calibration"]
    assert screen.number_input(key=key(audit, "trainings")).value == default.trainings
    assert screen.number_input(key=key(audit, "generations")).value == default.generations
    assert screen.number_input(key=key(audit, "n_syn")).value == 120, "as many rows as the release that was loaded"
    assert "Run" in labels(screen)


def test_the_calibration_mechanisms_are_not_on_the_menu(audit: Audit) -> None:
    """They release the real table on purpose: nobody who sets up an audit may take one for a method."""
    menu = page(audit).multiselect(key=key(audit, "generators")).options
    titles = {name: plugin.title for name, plugin in registry.plugins("generators").items()}
    hidden = {"identity", "bootstrap", "subsample", "leaky", "independent", "randomised_response"}
    hidden |= {"gaussian_mean", "laplace_count"}
    assert {name for name, title in titles.items() if title not in menu} == hidden
    assert not any("calibration" in title for title in menu)


@pytest.mark.usefixtures("timed")
def test_before_it_runs_it_says_what_it_could_show_and_how_long_it_takes(audit: Audit) -> None:
    screen = page(audit)
    assert "20 trainings tell a true AUC of 0.92 or more from guessing" in text(screen)
    sentence = "100 trainings in all, including the attackers' own and those with a planted leak"
    assert sentence in text(screen)
    assert "This takes **about" in text(screen)


def test_a_wanted_effect_sets_the_trainings_it_needs(audit: Audit) -> None:
    screen = page(audit)
    screen.number_input(key=key(audit, "wanted")).set_value(0.6).run()
    needed = screen.button(key=key(audit, "use")).label
    press(screen, key(audit, "use"))
    trainings = screen.number_input(key=key(audit, "trainings")).value
    assert needed == f"Use {trainings} trainings"
    assert trainings == pytest.approx(316, abs=6)
    screen.toggle(key=key(audit, "setting", "control")).set_value(False).run()
    assert f"{trainings + 20} trainings in all, including the attackers' own" in text(healthy(screen))


@pytest.mark.usefixtures("timed")
def test_a_plan_that_cannot_be_played_is_a_sentence_before_it_runs(audit: Audit) -> None:
    screen = page(audit)
    screen.number_input(key=key(audit, "n_syn")).set_value(5).run()
    assert any("5" in error.value and "rows" in error.value for error in healthy(screen).error)


def test_settings_outlive_a_change_of_page(audit: Audit) -> None:
    screen = page(audit)
    screen.number_input(key=key(audit, "trainings")).set_value(30)
    screen.multiselect(key=key(audit, "attacks")).set_value(["neighbour"]).run()
    screen.switch_page("pages/1_data.py").run()
    screen.switch_page("pages/2_membership.py").run()
    assert screen.number_input(key=key(audit, "trainings")).value == 30
    assert screen.multiselect(key=key(audit, "attacks")).value == ["neighbour"]


def test_rows_chosen_on_the_map_become_the_targets(audit: Audit) -> None:
    screen = page(audit)
    screen.toggle(key=key(audit, "map")).set_value(True).run()
    assert screen.dataframe[0].value["row"].iloc[0] == 0, "the planted row stands out most"
    screen.multiselect(key=key(audit, "targets")).set_value(["listed"]).run()
    screen.text_input(key=key(audit, "targets", "listed", "rows")).set_value("0, 5").run()
    assert "Chosen rows: **0, 5**." in text(healthy(screen))
    press(screen, key(audit, "clear"))
    assert screen.multiselect(key=key(audit, "targets")).value == ["selective"]
    assert FIRST not in text(healthy(screen)), "the map and its table hold no value"


# --------------------------------------------------------------------------------------------------------------
# Meanwhile


def test_a_running_game_shows_stage_steps_and_time_left(audit: Audit) -> None:
    faked(audit, "running", PLAN, stage="Counted trainings: stat", done=30, total=120, seconds_left=41.0)
    screen = page(audit)
    assert "Counted trainings: stat" in text(screen)
    (bar,) = screen.get("progress")
    assert bar.proto.value == 25
    assert without_clock(bar.proto.text) == "30 of 120 steps done · about 41 seconds left"
    assert "Run" in labels(screen), "the rest of the page stays usable"


def test_a_waiting_game_says_so(audit: Audit) -> None:
    faked(audit, "queued", PLAN)
    assert "Waiting for the work to start" in text(page(audit))


def test_an_interrupted_game_can_be_run_again(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    run = faked(audit, "running", PLAN, stage="Counted trainings", done=3, total=12, seconds_left=9.0)
    changed(run, ticks=time.monotonic() - STALE_AFTER - 60)
    screen = page(audit)
    assert "This run was interrupted" in [box.proto.title for box in screen.warning]
    played: list[MembershipPlan] = []

    def start(_: Audit, plan: MembershipPlan, *, workers: int) -> Run:
        played.append(plan)
        assert workers >= 1
        return run

    monkeypatch.setattr(Audit, "start", start)
    press(screen, "membership.again")
    assert played == [PLAN]


# --------------------------------------------------------------------------------------------------------------
# A plug-in nobody has heard of, and the whole way


@dataclass(frozen=True)
class Planted:
    """Guesses at random from the size of the first code: a plug-in file dropped into the folder."""

    name: ClassVar[str] = "planted"
    title: ClassVar[str] = "Planted attack"
    card: ClassVar[str] = "Looks at one number of the release. Needs nothing."
    knowledge: ClassVar[Knowledge] = Knowledge.NONE
    shadows: ClassVar[int] = 0

    weight: float = parameter(0.5, label="Weight", help="How much it counts.", low=0.0, high=1.0)

    def fit(self, brief: Brief, rng: np.random.Generator) -> Planted:
        return self

    def score(self, release: Table) -> Floats:
        return np.array([self.weight * (release.numbers[:, 0].mean() - 50)])


def test_a_new_attack_file_gets_its_menu_entry_and_its_form(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    real = registry.plugins

    def with_planted(room: str) -> dict[str, type[Any]]:
        return {**real(room), **({"planted": Planted} if room == "attacks" else {})}

    monkeypatch.setattr(registry, "plugins", with_planted)
    screen = page(audit)
    assert "Planted attack" in screen.multiselect(key=key(audit, "attacks")).options
    screen.multiselect(key=key(audit, "attacks")).set_value(["planted"]).run()
    screen.slider(key=key(audit, "attacks", "planted", "weight")).set_value(0.25)
    assert started(screen, audit, "membership", monkeypatch).attacks == ("planted:weight=0.25",)


@worker_outlives_test
def test_one_game_from_the_form_to_the_sentence(audit: Audit) -> None:
    screen = page(audit)
    screen.number_input(key=key(audit, "trainings")).set_value(12)
    screen.number_input(key=key(audit, "generations")).set_value(1)
    screen.multiselect(key=key(audit, "attacks")).set_value(["mvl"])
    press(screen, key(audit, "run"))
    (run,) = audit.runs()
    assert plan_of(run) == MembershipPlan(attacks=("mvl",), trainings=12, generations=1, n_syn=120)
    assert key(audit, "run") not in keys(screen), "progress stands in its place, so that it cannot be pressed twice"
    assert ended(run, within=60) == "finished"
    screen.run()
    assert "record 0" in healthy(screen).header[0].value
    assert "12 trainings" in shown(screen)


def test_the_cards_of_attacks_say_what_each_takes(audit: Audit) -> None:
    shown_text = text(page(audit))
    assert "knows every other row of the data, unless chosen otherwise below. It trains nothing itself." in shown_text
    assert "It trains the method 20 times itself in every game." in shown_text
    assert shown_text.count("Leave it out where") == 2
