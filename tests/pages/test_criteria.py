"""Singling out, linkability, reconstruction from form to result, on the page made of their plan and finding."""

from __future__ import annotations

from typing import Any

import pytest

from riskkit.base import places
from riskkit.jobs.store import Store
from riskkit.questions import question, questions
from riskkit.questions.linkability.play import LinkabilityPlan
from riskkit.questions.reconstruction.play import ReconstructionPlan
from riskkit.questions.runs import work
from riskkit.questions.singling_out.play import SinglingOutPlan
from tests.faults.workers import asked
from tests.pages.screens import csv, of_question, shown, unmarked


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
def test_a_release_of_the_people_themselves(plan: Any, says: str, labels: list[str]) -> None:
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
    assert any("People named" in expander.label for expander in screen.expander)
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
