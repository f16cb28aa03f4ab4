"""Singling out, linkability, reconstruction, one training and households, on the page made of plan and finding."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from riskkit import own, registry
from riskkit.base import places
from riskkit.core import Role
from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import state
from riskkit.jobs.store import Audit, ColumnChoice, Store
from riskkit.judging.provenance import Provenance
from riskkit.questions import question, questions
from riskkit.questions.households.plan import HouseholdsPlan
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.runs import work
from riskkit.questions.singling_out.play import SinglingOutPlan
from riskkit.seeds import stream
from tests.faults.workers import asked
from tests.pages.runs import finished, started
from tests.pages.screens import csv, healthy, loaded, of_question, shown, unmarked
from tests.questions.one_run.test_one_run import TooQuiet


@pytest.mark.second
@pytest.mark.parametrize(
    ("plan", "says", "labels"),
    [
        (
            SinglingOutPlan(size=2, groups=10),
            "of members are singled out",
            ["Columns known together, at most", "Groups of a numeric column", "Sets of columns, at most"],
        ),
        (
            LinkabilityPlan(splits=2, group=30),
            "the release links",
            ["Ways to split the columns, at most", "People linked at a time"],
        ),
        (
            ReconstructionPlan(secrets=("job", "score"), groups=5),
            "an attacker rebuilds",
            ["Groups of a number"],
        ),
    ],
    ids=lambda value: getattr(value, "question", ""),
)
def test_a_release_of_the_people_themselves(
    plan: Any, says: str, labels: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "exists", lambda _: False)  # no other page is there to link to
    audit = Store.default().create("Ward study")
    for slot, seed in (("real", 0), ("synthetic", 0)):
        audit.load(slot, csv(240, seed), name=f"{slot}.csv")
    screen = of_question(audit, plan.question)
    assert not screen.exception
    assert "This page needs the holdout table" in [str(header.value) for header in screen.header]
    audit.load("holdout", csv(240, 2), name="holdout.csv")
    screen = of_question(audit, plan.question)
    assert not screen.exception
    assert set(labels) < {field.label for field in screen.number_input}
    run = asked(audit, plan)
    assert work(run.path), run.progress
    screen.run()
    assert not screen.exception
    assert says in shown(screen)
    assert "Leak shown" in shown(screen)
    assert len(screen.get("plotly_chart")) == 2, "the looks, and for whom risk is highest"
    assert any("others by the strongest test" in expander.label for expander in screen.expander)
    listed = next(table.value for table in screen.dataframe if "Named by" in table.value)
    assert set(listed.columns) == {"Row", "Named by", "Value [interval]"}
    assert all(str(row).startswith("record ") for row in listed["Row"])


@pytest.mark.parametrize("name", ["singling-out", "linkability"])
def test_its_title_is_a_question_and_its_sign_its_own(name: str) -> None:
    known = question(name)
    screen = of_question(Store.default().create("New"), name)
    assert known.asks.endswith("?")
    assert known.asks in [unmarked(str(title.value)) for title in screen.title]
    assert sum(other.icon == known.icon for other in questions().values()) == 1
    assert not [path for path in (places.project() / "pages").glob("*.py") if f"/{known.icon}:" in path.read_text()]


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(own, "_REGISTERED", {})
    registry.register("generators", TooQuiet)
    yield
    registry.plugins.cache_clear()


def different(rows: int) -> bytes:
    """People in eight even columns that say nothing of each other."""
    drawn = stream(1, "people").integers(30, size=(rows, 8))
    return "\n".join(["a,b,c,d,e,f,g,h", *(",".join(f"v{value}" for value in line) for line in drawn)]).encode()


@pytest.mark.second
def test_the_form_asks_what_the_plan_says_and_a_leak_is_shown() -> None:
    audit = Store.default().create("Ward study")
    audit.load("real", csv(240, 0), name="real.csv")
    screen = of_question(audit, "one-run")
    assert not screen.exception
    assert "Use this where your method is too slow for Membership." in shown(screen)
    assert {"Canaries (audit rows), at most", "Rows guessed in", "Rows guessed out", "Delta"} <= {
        field.label for field in screen.number_input
    }
    menus = {field.label: field.options for field in screen.selectbox}
    assert menus["What the auditor sees"] == ["The release", "The trained method"]
    assert menus["A canary that is out"][0] == "It leaves nothing behind (add-one)"
    audit.set_provenance(Provenance("identity"))
    finished(audit, OneRunPlan(generator="identity", rows=60))
    screen = of_question(audit, "one-run")
    assert not screen.exception
    assert "Leak shown" in shown(screen)
    assert "show that its ε is at least" in shown(screen)
    assert "canaries" in shown(screen)
    assert len(screen.get("plotly_chart")) == 1
    assert "promises" not in " ".join(expander.label for expander in screen.expander)


@pytest.mark.second
@pytest.mark.usefixtures("planted")
def test_a_promise_that_is_not_kept_stands_in_red() -> None:
    audit = Store.default().create("Loud")
    audit.load("real", different(400), name="real.csv")
    audit.set_provenance(Provenance("too_quiet"))
    finished(audit, OneRunPlan(generator="too_quiet", rows=200, sees=MODEL, beside="mst:epsilon=1000000"))
    screen = of_question(audit, "one-run")
    assert not screen.exception
    assert any("promises ε = 1 and shows at least" in str(error.value) for error in screen.error)
    assert any("promises, and what is seen" in expander.label for expander in screen.expander)


ROWS = 300


@pytest.fixture
def audit() -> Audit:
    """The made table with a column that says who lives together."""
    head, *lines = csv(ROWS, 0).decode().splitlines()
    return loaded(real="\n".join([f"{head},home", *(f"{line},h{row // 5}" for row, line in enumerate(lines))]).encode())


def households_key(audit: Audit, *parts: str) -> str:
    return launch.key("households", audit, *parts)


@pytest.mark.usefixtures("timed")
def test_the_form_says_what_it_takes_and_a_leak_is_shown(audit: Audit, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = healthy(of_question(audit, "households"))
    menu = screen.selectbox(key=households_key(audit, "setting", "household"))
    assert (menu.value, "home" in menu.options) == (None, True)
    menu.set_value("home")
    screen.number_input(key=households_key(audit, "setting", "asked")).set_value(20)
    screen.multiselect(key=households_key(audit, "setting", "anonymisers")).set_value(["stat"])
    screen.multiselect(key=households_key(audit, "setting", "attackers")).set_value(["distance"])
    text = shown(healthy(screen.run()))
    assert "60 households of 5 people or more; 20 are asked about" in text
    assert "This takes" in text
    plan = started(screen, audit, "households", monkeypatch)
    assert (plan.household, plan.asked, plan.anonymisers) == ("home", 20, ("stat",))
    finished(audit, replace(plan, anonymisers=("identity", "stat")), run="d" * 32)
    screen = healthy(of_question(audit, "households"))
    text = shown(screen)
    assert "on 20 households (guessing 0.50), more than guessing explains" in text
    assert "Planted control, the sample itself as a release: " in text
    assert "What lowers it. With Mean and covariance (OMTH17) it is undecided" in text.replace("*", "")
    assert len(screen.get("plotly_chart")) == 1
    assert "riskkit households --real real.csv --household home" in screen.code[0].value


def test_the_role_names_the_households_and_the_command_says_it(audit: Audit) -> None:
    audit.choose({"home": ColumnChoice(role=Role.HOUSEHOLD)})
    plan = HouseholdsPlan(anonymisers=("identity",), attackers=("distance",), asked=20)
    finished(audit, plan, run="d" * 32)
    screen = healthy(of_question(audit, "households"))
    assert "on 20 households (guessing 0.50), more than guessing explains" in shown(screen)
    assert "--household home" in screen.code[0].value


def test_without_a_column_it_is_said_before_the_run(audit: Audit) -> None:
    screen = healthy(of_question(audit, "households"))
    assert "No column is known to say who lives together. If one does, choose it in the settings" in shown(screen)
    assert households_key(audit, "run") not in [button.key for button in screen.button], "there is nothing to run"
    assert not screen.get("plotly_chart"), "and no example"
    screen.selectbox(key=households_key(audit, "setting", "household")).set_value("home")
    assert not healthy(screen.run()).button(key=households_key(audit, "run")).disabled
    assert "does not apply" not in shown(screen), "the settings name the column"
    assert screen.get("plotly_chart")
    audit.choose({"home": ColumnChoice(role=Role.HOUSEHOLD)})
    assert not healthy(of_question(audit, "households")).button(key=households_key(audit, "run")).disabled, (
        "a role says it too"
    )
