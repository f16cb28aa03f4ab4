"""Everybody in the table of leaks: how many people are exposed beyond chance, where a plan asks for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from riskkit.errors import DesignError
from riskkit.games.released import ReleasedAttack
from riskkit.questions.records import subsets
from riskkit.released.distances import Dcr
from riskkit_bench import page
from riskkit_bench.plan import Saying
from riskkit_bench.results import PARTS, read
from tests.bench.made import figures, plan, played

MORE = "[parts]\ntrainings = 32\nmethods = ['bootstrap', 'identity']\n"


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    attacks: tuple[tuple[str, ReleasedAttack], ...] = (("dcr", Dcr()),)
    monkeypatch.setattr(subsets, "attacks", lambda: attacks)


@pytest.mark.usefixtures("quick")
def test_a_method_that_copies_rows_exposes_people_and_the_page_says_so(tmp_path: Path) -> None:
    stored = plan(tmp_path, "bootstrap", "identity", "independent", more=MORE)
    results = played(stored)
    cell, refused = (cell for cell in results.cells if cell.kind == PARTS)
    assert (cell.method, refused.method) == ("bootstrap", "identity")
    assert "cannot be released" in refused.why
    assert cell.exposed is not None
    assert cell.exposed[1] == 60
    assert cell.exposed[0] >= 30
    assert cell.people[0].auc[0] > 0.9
    assert (cell.n, cell.trainings) == (32, 32)
    text = page.html(results, [])
    assert "People exposed, of 100, if half of them are in" in text
    assert f"{cell.exposed[0]} of 60 people" in text
    assert '<span class="muted" title="not played">–</span>' in text  # of independent
    saying = Saying("Copies give {made/bootstrap/combination} people away.", ("made/bootstrap/combination",))
    sentence = page.html(replace(results, plan=replace(results.plan, saying=(saying,))), [])
    assert f"Copies give {cell.exposed[0]} of 60 people away." in sentence
    assert f"made/bootstrap/combination</a> {cell.exposed[0]} of 60" in sentence
    results.save(stored.path.with_suffix(".json"))
    assert figures(read(stored.path.with_suffix(".json"), stored)) == figures(results)


def test_a_plan_that_does_not_ask_has_no_such_column(tmp_path: Path) -> None:
    results = played(plan(tmp_path, "independent"))
    assert not any(cell.kind == PARTS for cell in results.cells)
    assert "People exposed" not in page.html(results, [])


def test_too_few_trainings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DesignError, match="at least 10"):
        plan(tmp_path, "identity", more="[parts]\ntrainings = 4\n")
