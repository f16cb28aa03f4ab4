"""What the Membership page shows of games that were really played."""

import re
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from riskkit.jobs.store import Audit, Store
from riskkit.judging.measurement import own
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.table.read.csv_text import read_csv
from tests.pages.membership import FIRST, PLAN, page, people, stays, text
from tests.pages.runs import changed, faked, finished
from tests.pages.screens import healthy, unmarked

NULL = MembershipPlan(("independent",), ("random",), ("neighbour:own=3",), trainings=400, generations=1, n_syn=120)


@pytest.fixture
def audit() -> Audit:
    """Real and released people; no run yet."""
    return stays()


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Audit]:
    """A home, and an audit in it with one finished run: two methods, three records, a leak that is there."""
    home = tmp_path_factory.mktemp("home")
    made = Store(home).create("Played")
    made.put("real", read_csv(people(0), name="real table.csv"))
    finished(made, MembershipPlan(("stat:post=none", "histogram"), trainings=60, generations=2, n_syn=120))
    return home, made


@pytest.fixture
def played(once: tuple[Path, Audit], monkeypatch: pytest.MonkeyPatch) -> Audit:
    """That audit, in the home that the app opens."""
    home, made = once
    monkeypatch.setenv("RISKKIT_HOME", str(home))
    return made


def words_without_control(screen: AppTest) -> int:
    return text(screen).count("No control was planted")


def test_a_result_is_a_sentence_with_interval_chance_and_trainings(played: Audit) -> None:
    screen = page(played)
    assert re.search(
        r"Knowing every other row of the data, an attacker who sees one release with record 0 and one without picks "
        r"the right one in (over )?\d+ % \[\d+ %, (over )?\d+ %\] of cases \(chance 50 %; 60 trainings\)\.",
        text(screen),
    )
    assert "▲ Leak shown" in text(screen)
    why = next(text for text in screen.markdown if "lies wholly above guessing" in text.value)
    assert re.match(r"(1\.00|0\.9\d) \[0\.\d\d, .+\] lies wholly above guessing \(0\.50\)\.", unmarked(why.value))
    assert "is corrected for 2 findings" in why.help
    assert words_without_control(screen) == 0


def test_a_result_has_its_pictures_and_tables(played: Audit) -> None:
    screen = page(played)
    assert len(screen.get("plotly_chart")) == 4
    other, own, base, bounds = (frame.value for frame in screen.dataframe)
    assert "If it had been made by" in " ".join(fold.label for fold in screen.expander)
    for table in (own, other):
        assert list(table["trainings"]) == [60] * 2, "each method has its own"
        assert all("[" in cell for cell in table["auc"])
        assert all("ceiling" in cell for cell in table["epsilon_lower"])
        assert not table["who"].duplicated().any()
    assert not other.equals(own)
    assert list(base["before"]) == ["50 %", "10 %", "1 %"]
    assert [text.partition(": ")[0] for text in bounds["reading"]] == 2 * [
        "At the attack's own cut",
        "At the best of several cuts",
        "Bayesian interval",
    ]
    assert "ceiling" in bounds["epsilon"][1]
    assert "These numbers are about the records that were attacked" in text(screen)


def test_log_axes_and_another_game_can_be_looked_at(played: Audit) -> None:
    screen = page(played)
    screen.toggle(key="membership.log").set_value(True)
    screen.selectbox(key="membership.game").set_value(1)
    screen.selectbox(key="membership.attack").set_value(0).run()
    healthy(screen)
    assert '"type":"log"' in screen.get("plotly_chart")[1].proto.spec


def test_values_of_a_target_are_masked_until_asked_for(played: Audit) -> None:
    screen = page(played)
    assert FIRST not in text(screen)
    assert len(screen.dataframe) == 4
    screen.toggle(key="membership.reveal").set_value(True).run()
    shown = healthy(screen).dataframe[4].value
    assert dict(zip(shown["Column"], shown["Value"], strict=True)) == {
        "ward": "west",
        "smoker": "yes",
        "age": "99",
        "cost": FIRST,
    }


def test_no_leak_shown_is_undecided_and_says_that_no_control_was_played(audit: Audit) -> None:
    plan = MembershipPlan(("histogram",), ("random",), ("mvl",), trainings=12, generations=1, n_syn=120, control=False)
    finished(audit, plan)
    audit.limit_to({"membership": own(0.99)})
    screen = page(audit)
    assert "◌ Undecided" in text(screen)
    assert words_without_control(screen) == 1
    assert "Planted leak" not in text(screen)


def test_planted_leaks_have_a_line_each_and_no_leak_is_claimed_beside_them(audit: Audit) -> None:
    finished(audit, NULL)
    audit.limit_to({"membership": own(0.6)})
    screen = page(audit)
    assert "● Within the limit" in text(screen)
    assert re.search(
        r"✓ Planted leak found by Nearest neighbours · Attacker's releases per side: 3 on record \d+: AUC 0\.\d\d \[.*"
        r"where up to 0\.82 was planted and chance is 0\.50; 400 trainings",
        text(screen),
    )


def test_a_planted_leak_that_was_not_found_takes_the_claim_back(audit: Audit) -> None:
    """The fault planted: the same numbers, but of the planted leak the attack made nothing."""
    run = finished(audit, NULL)
    result = run.result
    auc = next(estimate for estimate in result["estimates"] if estimate["name"] == "auc")
    result["control"][0] = {**result["control"][0], "auc": auc, "found": False}
    changed(run, result=result)
    audit.limit_to({"membership": own(0.6)})
    screen = page(audit)
    assert "◌ Undecided" in text(screen)
    assert "A planted leak was not found, so finding no leak elsewhere proves nothing" in text(screen)
    assert "○ Planted leak not found by Nearest neighbours" in text(screen)


def test_fewer_than_five_trainings_an_arm_give_a_sentence_and_no_number(audit: Audit) -> None:
    finished(audit, MembershipPlan(trainings=8, generations=2, n_syn=120))
    screen = page(audit)
    assert "There is no number to show" in text(screen)
    assert "an interval needs at least 5 of each" in text(screen)
    assert not screen.get("plotly_chart")
    assert not screen.dataframe
    assert "AUC 0" not in text(screen)


def test_results_of_earlier_data_are_called_so(audit: Audit) -> None:
    finished(audit, PLAN)
    audit.put("real", read_csv(people(5), name="real.csv"))
    screen = page(audit)
    assert "earlier version of the data" in text(screen)
    assert "membership.reveal" not in [toggle.key for toggle in screen.toggle], "the rows of today are not its targets"


def test_earlier_runs_can_be_looked_at_again(audit: Audit) -> None:
    old = finished(audit, PLAN, run="a" * 32)
    later = time.time() + 5
    faked(audit, "cancelled", MembershipPlan(seed=7), run="b" * 32, created=later)
    screen = page(audit)
    assert "This run was cancelled" in [box.proto.title for box in screen.warning]
    (picker,) = [box for box in screen.selectbox if box.label == "Run shown"]
    picker.set_value(old.id).run()
    assert screen.query_params["run"] in (old.id, [old.id])
    assert "one release with record" in text(screen)


def test_a_setting_the_attack_chose_is_drawn_over_all_its_values(audit: Audit) -> None:
    finished(audit, MembershipPlan(("stat",), attacks=("mvl:tune=true,own=6",), trainings=20, n_syn=120, control=False))
    screen = page(audit)
    assert re.search(
        r"The attack chose λ = \S+, right in \S+ % \[.+\] of 12 releases of its own; on the 20 trainings that count it "
        r"is right in \S+ % \[",
        text(screen),
    )
    assert "none of them counts in the result" in text(screen)
    assert "values in the order tried" in screen.get("plotly_chart")[3].proto.spec
    assert '"name":"on its own releases"' in screen.get("plotly_chart")[3].proto.spec
    assert "On the same releases" not in text(screen)
