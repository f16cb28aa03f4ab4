"""The Membership page in every state it can be in, and one game played through it from end to end."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from riskkit import registry
from riskkit.audit.plan import ROOMS, Forecast, MembershipPlan
from riskkit.audit.questions import kept
from riskkit.audit.run import run_membership
from riskkit.audit.runs import STALE_AFTER, Run, read_json, write_json
from riskkit.audit.store import Audit, Store
from riskkit.core import Brief, Floats, Knowledge, Table
from riskkit.dashboard import membership
from riskkit.parameters import parameter
from riskkit.table.read import read_csv

APP = Path(__file__).resolve().parents[2] / "app.py"
PLAN = MembershipPlan(trainings=12, generations=2, n_syn=120)
FIRST = "7341"
"""A number that only one cell of the real table holds."""


def csv(seed: int) -> bytes:
    """120 made people; the first stands out."""
    rng = np.random.default_rng(seed)
    lines = ["ward,smoker,age,cost", f"west,yes,99,{FIRST}"]
    for _ in range(119):
        ward = rng.choice(["east", "north", "south"])
        lines.append(f"{ward},{rng.choice(['no', 'yes'])},{rng.integers(20, 80)},{rng.integers(100, 900)}")
    return "\n".join(lines).encode()


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    """An audit with a real and a synthetic table in a home of its own; no run yet."""
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    made = Store.default().create("Ward *stays*")
    made.put("real", read_csv(csv(0), name="real.csv"))
    made.put("synthetic", read_csv(csv(1), name="a release.csv"))
    return made


def page(audit: Audit | None, **query: str) -> AppTest:
    """The Membership page with that audit open."""
    at = AppTest.from_file(str(APP), default_timeout=60)
    for name, value in {**({"audit": audit.id} if audit else {}), **query}.items():
        at.query_params[name] = value
    at.run()
    at.switch_page("pages/2_membership.py").run()
    return healthy(at)


def healthy(at: AppTest) -> AppTest:
    assert not at.exception
    assert not any("Something unexpected" in error.value for error in at.error)
    return at


def faked(audit: Audit, state: str, plan: MembershipPlan = PLAN, *, run: str = "f" * 32, **more: Any) -> Run:
    """A run folder as the store and the worker leave it in that state."""
    made = Run(audit.path / "runs" / run)
    made.path.mkdir()
    write_json(made.path / "plan.json", {"plan": plan.as_dict(), "workers": 1, "revision": audit.revision})
    made.report(state, **more)
    made.beat()
    return made


def finished(audit: Audit, plan: MembershipPlan = PLAN, *, run: str = "f" * 32) -> Run:
    """A run that was really played, in this process."""
    made = faked(audit, "finished", plan, run=run)
    write_json(made.path / "result.json", {**kept(run_membership(audit.tables().real, plan)), "seconds": 1.0})
    return made


def text(at: AppTest) -> str:
    """All that the page says outside tables and charts, without what keeps Markdown off it."""
    kinds = (at.title, at.subheader, at.markdown, at.caption, at.error, at.warning, at.text, at.code)
    told = "\n".join(str(element.value) for kind in kinds for element in kind)
    return told.replace("\\", "").replace("\u2060", "")


def labels(at: AppTest) -> list[str]:
    return [button.label for button in at.button]


# --------------------------------------------------------------------------------------------------------------
# Before


def test_without_an_audit_the_page_shows_the_two_ways_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    at = page(None)
    assert at.title[0].value == "Membership"
    assert labels(at) == ["Open the sample audit", "Load your files"]


def test_the_form_starts_at_the_defaults_of_a_plan(audit: Audit) -> None:
    at = page(audit)
    key = f"membership.{audit.id}"
    default = MembershipPlan()
    for room in ROOMS:
        menu = at.multiselect(key=f"{key}.{room}")
        assert menu.value == list(getattr(default, room))
        plugins = [plugin for name, plugin in registry.plugins(room).items() if name != "external"]
        assert menu.options == [plugin.title for plugin in plugins if getattr(plugin, "family", "") != "calibration"]
    assert at.number_input(key=f"{key}.trainings").value == default.trainings
    assert at.number_input(key=f"{key}.generations").value == default.generations
    assert at.number_input(key=f"{key}.n_syn").value == 120, "as many rows as the release that was loaded"
    assert "Run" in labels(at)


def test_the_calibration_mechanisms_are_not_on_the_menu(audit: Audit) -> None:
    """They release the real table on purpose: nobody who sets up an audit may take one for a method."""
    menu = page(audit).multiselect(key=f"membership.{audit.id}.generators").options
    titles = {name: plugin.title for name, plugin in registry.plugins("generators").items()}
    hidden = {"identity", "bootstrap", "subsample", "leaky", "independent", "randomised_response"}
    hidden |= {"gaussian_mean", "laplace_count"}
    off = {"external"}  # it runs programs: only where the server was started for that
    assert {name for name, title in titles.items() if title not in menu} == hidden | off
    assert not any("calibration" in title for title in menu)


def test_before_it_runs_it_says_what_it_could_show_and_how_long_it_takes(audit: Audit) -> None:
    at = page(audit)
    assert "20 trainings tell a true AUC of 0.80 or more from guessing" in text(at)
    told = "100 trainings in all, the attackers' own and those with a planted leak included"
    assert told in text(at)
    assert "This takes **about" in text(at)


def test_a_wanted_effect_sets_the_trainings_it_needs(audit: Audit) -> None:
    at = page(audit)
    key = f"membership.{audit.id}"
    at.number_input(key=f"{key}.wanted").set_value(0.6).run()
    needed = at.button(key=f"{key}.use").label
    at.button(key=f"{key}.use").click().run()
    trainings = at.number_input(key=f"{key}.trainings").value
    assert needed == f"Use {trainings} trainings"
    assert trainings == pytest.approx(204, abs=6)
    at.toggle(key=f"{key}.control").set_value(False).run()
    assert f"{trainings + 20} trainings in all, the attackers' own included" in text(healthy(at))


def test_a_plan_that_cannot_be_played_is_a_sentence_before_it_runs(audit: Audit) -> None:
    at = page(audit)
    at.number_input(key=f"membership.{audit.id}.n_syn").set_value(5).run()
    assert any("5" in error.value and "rows" in error.value for error in healthy(at).error)


def test_no_attack_chosen_is_a_sentence_and_nothing_can_be_run(audit: Audit) -> None:
    at = page(audit)
    at.multiselect(key=f"membership.{audit.id}.attacks").set_value([]).run()
    assert "choose at least one" in text(healthy(at))
    assert at.button(key=f"membership.{audit.id}.run").disabled


def test_settings_outlive_a_change_of_page(audit: Audit) -> None:
    at = page(audit)
    key = f"membership.{audit.id}"
    at.number_input(key=f"{key}.trainings").set_value(30)
    at.multiselect(key=f"{key}.attacks").set_value(["neighbour"]).run()
    at.switch_page("pages/1_data.py").run()
    at.switch_page("pages/2_membership.py").run()
    assert at.number_input(key=f"{key}.trainings").value == 30
    assert at.multiselect(key=f"{key}.attacks").value == ["neighbour"]


def test_rows_chosen_on_the_map_become_the_targets(audit: Audit) -> None:
    at = page(audit)
    key = f"membership.{audit.id}"
    at.toggle(key=f"{key}.map").set_value(True).run()
    assert at.dataframe[0].value["row"].iloc[0] == 0, "the planted row stands out most"
    at.multiselect(key=f"{key}.targets").set_value(["listed"]).run()
    at.text_input(key=f"{key}.targets.listed.rows").set_value("0, 5").run()
    assert "Chosen rows: **0, 5**." in text(healthy(at))
    at.button(key=f"{key}.clear").click().run()
    assert at.multiselect(key=f"{key}.targets").value == ["selective"]
    assert FIRST not in text(healthy(at)), "the map and its table hold no value"


# --------------------------------------------------------------------------------------------------------------
# Meanwhile


def test_a_running_game_shows_stage_trainings_and_time_left(audit: Audit) -> None:
    faked(audit, "running", stage="Counted trainings: stat", done=30, total=120, seconds_left=41.0)
    at = page(audit)
    assert "Counted trainings: stat" in text(at)
    (bar,) = at.get("progress")
    assert bar.proto.value == 25
    assert bar.proto.text == "30 of 120 trainings done · about 41 seconds left"
    assert "Run" in labels(at), "the rest of the page stays usable"


def test_cancel_asks_the_worker_to_stop(audit: Audit) -> None:
    run = faked(audit, "running", stage="Counted trainings", done=30, total=120, seconds_left=41.0)
    at = page(audit)
    at.button(key="membership.cancel").click().run()
    assert run.is_cancelled
    assert "Stopping as soon as the trainings in hand are done" in text(healthy(at))


def test_a_waiting_game_says_so(audit: Audit) -> None:
    faked(audit, "queued")
    assert "Waiting for the work to start" in text(page(audit))


@pytest.mark.parametrize(
    ("state", "title", "onward", "more"),
    [
        ("failed", "This run failed", "Try again", {"error": "The stat generator needs at least two rows."}),
        ("cancelled", "This run was cancelled", "Run again", {}),
    ],
)
def test_a_game_without_result_says_why_and_the_way_on(
    audit: Audit, state: str, title: str, onward: str, more: dict[str, str]
) -> None:
    faked(audit, state, **more)
    at = page(audit)
    assert onward in labels(at)
    boxes = [*at.error, *at.warning]
    assert title in [box.proto.title for box in boxes]
    assert all(sentence in text(at) for sentence in more.values())


def test_an_interrupted_game_can_be_run_again(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    run = faked(audit, "running", stage="Counted trainings", done=3, total=12, seconds_left=9.0)
    long_ago = time.time() - STALE_AFTER - 60
    os.utime(run.path / "beat", (long_ago, long_ago))
    at = page(audit)
    assert "This run was interrupted" in [box.proto.title for box in at.warning]
    started: list[MembershipPlan] = []

    def start(_: Audit, plan: MembershipPlan, *, workers: int) -> Run:
        started.append(plan)
        assert workers >= 1
        return run

    monkeypatch.setattr(Audit, "start", start)
    at.button(key="membership.again").click().run()
    assert started == [PLAN]


# --------------------------------------------------------------------------------------------------------------
# After


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Audit]:
    """An audit with one finished run: two methods, three records, a leak that is there."""
    patch = pytest.MonkeyPatch()
    patch.setenv("RISKKIT_HOME", str(tmp_path_factory.mktemp("home")))
    made = Store.default().create("Played")
    made.put("real", read_csv(csv(0), name="real table.csv"))
    finished(made, MembershipPlan(("stat:post=none", "histogram"), trainings=60, generations=2, n_syn=120))
    yield made
    patch.undo()


def test_a_result_is_a_sentence_with_interval_chance_and_trainings(played: Audit) -> None:
    at = page(played)
    assert re.search(
        r"Knowing every other row of the data, an attacker tells in (over )?\d+ % \[\d+ %, (over )?\d+ %\] of releases "
        r"whether record 0 was in \(chance 50 %; 60 trainings\)\.",
        text(at),
    )
    assert "▲ Leak shown" in text(at)
    assert re.search(r"The strongest of 4 findings; the verdict allows for that: AUC (1\.00|0\.9\d) \[", text(at))
    assert words_without_control(at) == 0


def words_without_control(at: AppTest) -> int:
    return text(at).count("cannot be claimed")


def test_a_result_has_its_pictures_and_tables(played: Audit) -> None:
    at = page(played)
    assert len(at.get("plotly_chart")) == 3
    table = at.dataframe[0].value
    assert list(table["trainings"]) == [60] * 4
    assert all("[" in cell for cell in table["auc"])
    assert all("ceiling" in cell for cell in table["epsilon_lower"])
    assert not table[["attack", "generator", "record"]].duplicated().any()
    base = at.dataframe[1].value
    assert list(base["before"]) == ["50 %", "10 %", "1 %"]
    assert "It speaks of the records that were attacked" in text(at)


def test_the_settings_give_the_same_numbers_elsewhere(played: Audit) -> None:
    command, plan = (code.value for code in page(played).code)
    assert command.startswith("python -m riskkit membership --real 'real table.csv' --generator stat:post=none")
    assert "--trainings 60" in command
    assert '"n_syn": 120' in plan
    assert page(played).get("download_button")


def test_log_axes_and_another_game_can_be_looked_at(played: Audit) -> None:
    at = page(played)
    at.toggle(key="membership.log").set_value(True)
    at.selectbox(key="membership.game").set_value(1)
    at.selectbox(key="membership.attack").set_value(0).run()
    healthy(at)
    assert '"type":"log"' in at.get("plotly_chart")[1].proto.spec


def test_values_of_a_target_are_masked_until_asked_for(played: Audit) -> None:
    at = page(played)
    assert FIRST not in text(at)
    assert len(at.dataframe) == 3
    at.toggle(key="membership.reveal").set_value(True).run()
    shown = healthy(at).dataframe[3].value
    assert dict(zip(shown["Column"], shown["Value"], strict=True)) == {
        "ward": "west",
        "smoker": "yes",
        "age": "99",
        "cost": FIRST,
    }


def test_no_leak_shown_is_undecided_and_says_that_no_control_was_played(audit: Audit) -> None:
    plan = MembershipPlan(("histogram",), ("random",), ("mvl",), trainings=12, generations=1, n_syn=120, control=False)
    finished(audit, plan)
    at = page(audit)
    assert "◌ Undecided" in text(at)
    assert words_without_control(at) == 1
    assert "Planted leak" not in text(at)


def test_a_result_of_before_there_were_planted_leaks_still_opens(audit: Audit) -> None:
    run = finished(audit, MembershipPlan(("histogram",), ("random",), ("mvl",), trainings=12, n_syn=120))
    plan, result = read_json(run.path / "plan.json"), run.result
    del plan["plan"]["control"], result["control"], result["settings"]["control"]
    write_json(run.path / "plan.json", plan)
    write_json(run.path / "result.json", result)
    assert words_without_control(page(audit)) == 1


NULL = MembershipPlan(("independent",), ("random",), ("neighbour:own=3",), trainings=400, generations=1, n_syn=120)


def test_planted_leaks_have_a_line_each_and_no_leak_is_claimed_beside_them(audit: Audit) -> None:
    finished(audit, NULL)
    at = page(audit)
    assert "● No leak above an AUC of 0.60 shown" in text(at)
    assert re.search(
        r"✓ Planted leak found by Nearest neighbours · Own releases a side 3 on record \d+: AUC 0\.\d\d \[.*"
        r"where up to 0\.82 was planted and chance is 0\.50; 400 trainings",
        text(at),
    )


def test_a_planted_leak_that_was_not_found_takes_the_claim_back(audit: Audit) -> None:
    """The fault planted: the same numbers, but of the planted leak the attack made nothing."""
    run = finished(audit, NULL)
    result = run.result
    auc = next(estimate for estimate in result["estimates"] if estimate["name"] == "auc")
    result["control"][0] = {**result["control"][0], "auc": auc, "found": False}
    write_json(run.path / "result.json", result)
    at = page(audit)
    assert "◌ Undecided" in text(at)
    assert "this audit can show a leak but not its absence" in text(at)
    assert "○ Planted leak not found by Nearest neighbours" in text(at)


def test_fewer_than_five_trainings_an_arm_give_a_sentence_and_no_number(audit: Audit) -> None:
    finished(audit, MembershipPlan(trainings=8, generations=2, n_syn=120))
    at = page(audit)
    assert "There is no number to show" in text(at)
    assert "an interval needs at least 5 of each" in text(at)
    assert not at.get("plotly_chart")
    assert not at.dataframe
    assert "AUC 0" not in text(at)


def test_results_of_earlier_data_are_called_so(audit: Audit) -> None:
    finished(audit)
    audit.put("real", read_csv(csv(5), name="real.csv"))
    at = page(audit)
    assert "earlier version of the data" in text(at)
    assert "membership.reveal" not in [toggle.key for toggle in at.toggle], "the rows of today are not its targets"


def test_earlier_runs_can_be_looked_at_again(audit: Audit) -> None:
    old = finished(audit, run="a" * 32)
    later = time.time() + 5
    newest = faked(audit, "cancelled", MembershipPlan(seed=7), run="b" * 32)
    os.utime(newest.path / "plan.json", (later, later))
    at = page(audit)
    assert "This run was cancelled" in [box.proto.title for box in at.warning]
    (picker,) = [box for box in at.selectbox if box.label == "Run shown"]
    picker.set_value(old.id).run()
    assert at.query_params["run"] in (old.id, [old.id])
    assert "whether record" in text(at) or "was right about record" in text(at)


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
    at = page(audit)
    key = f"membership.{audit.id}"
    assert "Planted attack" in at.multiselect(key=f"{key}.attacks").options
    at.multiselect(key=f"{key}.attacks").set_value(["planted"]).run()
    at.slider(key=f"{key}.attacks.planted.weight").set_value(0.25)
    monkeypatch.setattr(Audit, "start", lambda _, plan, **__: faked(audit, "queued", plan))
    at.button(key=f"{key}.run").click().run()
    (run,) = audit.runs()
    assert run.plan.attacks == ("planted:weight=0.25",)


@pytest.mark.filterwarnings("ignore:subprocess:ResourceWarning")  # the worker outlives whoever started it, on purpose
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_game_from_the_form_to_the_sentence(audit: Audit) -> None:
    at = page(audit)
    key = f"membership.{audit.id}"
    at.number_input(key=f"{key}.trainings").set_value(12)
    at.number_input(key=f"{key}.generations").set_value(1)
    at.multiselect(key=f"{key}.attacks").set_value(["mvl"])
    at.button(key=f"{key}.run").click().run()
    (run,) = audit.runs()
    assert run.plan == MembershipPlan(attacks=("mvl",), trainings=12, generations=1, n_syn=120)
    at.button(key=f"{key}.run").click().run()
    assert len(audit.runs()) == 1, "pressing twice starts one run"
    end = time.monotonic() + 60
    while run.state in ("queued", "running") and time.monotonic() < end:
        time.sleep(0.2)
    assert run.state == "finished"
    at.run()
    assert "record 0" in healthy(at).subheader[0].value
    assert "12 trainings" in at.subheader[0].value


def test_a_heavy_generator_is_timed_only_when_asked(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choosing CTGAN makes nobody wait for a training that was not asked for."""
    timed: list[tuple[str, ...]] = []

    def forecasting(_: object, plan: MembershipPlan, *__: object, **___: object) -> Forecast:
        timed.append(plan.generators)
        return Forecast(1.0, 1, 1.0, 0.8)

    monkeypatch.setattr(membership, "forecast", forecasting)
    at = page(audit)
    before = len(timed)
    assert before > 0, "a light generator is timed by itself"
    at.multiselect(key=f"membership.{audit.id}.generators").set_value(["ctgan"]).run()
    assert not at.exception
    assert len(timed) == before
    assert "Estimate time" in labels(at)
