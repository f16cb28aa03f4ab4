"""``riskkit compare``: the lines, the JSON, and what it refuses."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from riskkit.cli import main
from riskkit.jobs.store import Audit, Store
from riskkit.questions.attributes.plan import AttributePlan
from tests.audit.test_comparison import play, table

PLAN = AttributePlan(secrets=("job",), known=(("age",),), model="tree")


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Audit, Audit]:
    """A release that copies people and one that does not, both asked about a secret."""
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    made = []
    for name, seed in (("copies", 1), ("others", 3)):
        audit = Store.default().create(name)
        for slot, content in (("real", table(1)), ("synthetic", table(seed)), ("holdout", table(2))):
            audit.load(slot, content, name=f"{slot}.csv")
        play(audit, PLAN, "a")
        made.append(audit)
    return made[0], made[1]


def test_two_releases_are_compared_in_lines_and_in_json(two: tuple[Audit, Audit], call: Callable[..., str]) -> None:
    ids = [audit.id[:10] for audit in two]
    printed = call(["compare", *ids])
    assert "Of the 1 question that both were asked, release B shows less in 1." in printed
    assert "Copied rows: A exposes people, B nothing found" in printed
    assert "↓ Attributes: Lower" in printed
    assert "job, knowing age" in printed
    assert call(["compare", *(audit.name for audit in two)]) == printed, "audits are named by their names too"
    document = json.loads(call(["compare", *ids, "--json"]))
    (line,) = document["questions"]
    assert line["change"] == "lower"
    assert line["paired"][0]["difference"]["high"] < 0
    assert line["sentence"] in printed


def test_what_cannot_be_compared_is_a_sentence(two: tuple[Audit, Audit], capsys: pytest.CaptureFixture[str]) -> None:
    first, second = two
    assert main(["compare", first.id, "nothing"]) == 2
    assert "No audit begins with 'nothing' here" in capsys.readouterr().err
    Store.default().create(second.name)
    assert main(["compare", first.id, second.name]) == 2
    assert "2 audits have the name 'others'; say which by its id: " in capsys.readouterr().err
    second.load("real", table(9), name="real.csv")
    assert main(["compare", first.id, second.id]) == 2
    assert "different real tables" in capsys.readouterr().err
