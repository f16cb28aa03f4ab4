"""The page of one training: its form from the plan, what is shown, and a broken promise in red."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from riskkit import own, registry
from riskkit.jobs.store import Store
from riskkit.judging.provenance import Provenance
from riskkit.questions.one_run.plan import MODEL, OneRunPlan
from riskkit.seeds import stream
from tests.pages.runs import finished
from tests.pages.screens import csv, of_question, shown
from tests.questions.one_run.test_one_run import TooQuiet


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
    assert "for methods that take too long to train again and again." in shown(screen)
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
