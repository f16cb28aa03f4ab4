"""A question is one folder: command line, configuration, store, report and comparison find it there, and nothing else
is edited."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import riskkit as rk
from riskkit import questions
from riskkit.cli import main
from riskkit.commands import abouts
from riskkit.dashboard.frame import state
from riskkit.jobs.store import Store
from riskkit.judging.measurement import Limit
from riskkit.questions.limits import check
from riskkit.questions.runs import work
from riskkit.report.compare import reference
from tests.faults.workers import asked
from tests.pages.screens import AUDIT, csv, of_question, opened, shown

FOLDER = Path(__file__).with_name("planted")


@pytest.fixture(autouse=True)
def planted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The folder of the new question beside the others."""
    monkeypatch.setattr(questions, "__path__", [*questions.__path__, str(FOLDER)])
    questions.questions.cache_clear()
    yield
    questions.questions.cache_clear()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A release of which every row is a real one, and one row besides."""
    real = csv(60, 1)
    for name, data in (("real", real), ("synthetic", real)):
        (tmp_path / f"{name}.csv").write_bytes(data)
    return {name: str(tmp_path / f"{name}.csv") for name in ("real", "synthetic")}


def test_it_is_a_command_with_its_settings(capsys: pytest.CaptureFixture[str], files: dict[str, str]) -> None:
    assert abouts()["repeats"].startswith("how often a row of the release")
    with pytest.raises(SystemExit):
        main(["repeats", "--help"])
    assert "--fewest" in capsys.readouterr().out
    words = ["repeats", "--real", files["real"], "--synthetic", files["synthetic"], "--limit", "0.2"]
    assert main([*words, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["verdicts"][0]["word"] == "above the limit"
    assert document["estimates"][0]["value"] == 1.0
    assert "scores" not in document
    assert main(words) == 0
    lines = capsys.readouterr().out
    assert "ABOVE THE LIMIT. 100% of the members stand in the release as they are." in lines
    assert "Members repeated" in lines
    assert main([*words[:-2], "--fewest", "200"]) == 2
    assert (
        "Times a row must be repeated (fewest) is 200; it must be at least 1 and at most 100" in capsys.readouterr().err
    )


def test_a_configuration_and_the_report_know_it(
    capsys: pytest.CaptureFixture[str], files: dict[str, str], tmp_path: Path
) -> None:
    config, out = tmp_path / "audit.toml", tmp_path / "report"
    config.write_text("[repeats]\n[limits]\nrepeats = 0.2\n")
    words = ["--real", files["real"], "--synthetic", files["synthetic"], "--config", str(config), "--out", str(out)]
    assert main(["audit", *words]) == 3, capsys.readouterr()
    report = json.loads((out / "report.json").read_text(encoding="utf-8"))
    answer = next(answer for answer in report["questions"] if answer["question"] == "repeats")
    assert answer["title"] == "Repeated rows"
    assert check({"repeats": Limit(0.2, "board")}) == []
    assert reference("repeats", "repeated") == 0.0


def test_python_asks_it_with_no_line_of_its_own(files: dict[str, str]) -> None:
    tables = rk.load(**files)
    answer = rk.ask("repeats", tables, limit=0.2, fewest=1)
    assert rk.repeats(tables, limit=0.2).as_dict() == answer.as_dict()  # type: ignore[attr-defined]
    assert (answer.question, answer.verdict) == ("repeats", "above the limit")
    assert (answer.estimates[0].value, answer.estimates[0].n, answer.notes) == (1.0, 60, ())
    assert answer.to_frame()["name"].tolist() == ["repeated"]
    assert "scores" not in answer.as_dict()
    assert answer.kept["scores"] == [1.0]
    assert "100% of the members stand in the release as they are." in repr(answer)
    assert "scores" not in repr(answer.result)
    assert answer.pictures == ("chart",)
    assert answer.plot().data
    with pytest.raises(rk.RiskkitError, match="Of the question repeats no setting stands without its name: fewest"):
        rk.ask("repeats", tables, 2)
    with pytest.raises(rk.RiskkitError, match=r"no setting 'fewst' \(did you mean 'fewest'\?\)"):
        rk.ask("repeats", tables, fewst=2)
    with pytest.raises(AttributeError, match="no attribute 'repeat'"):
        rk.repeat  # type: ignore[attr-defined]  # noqa: B018


def test_the_store_keeps_its_runs(tmp_path: Path) -> None:
    (tmp_path / "audits").mkdir()
    audit = Store(tmp_path).create("New")
    for slot in ("real", "synthetic"):
        audit.load(slot, csv(60, 1), name=f"{slot}.csv")
    run = asked(audit, questions.question("repeats").plan())
    assert work(run.path), run.progress
    assert run.result is not None
    assert run.result["estimates"][0]["n"] == 60


def test_the_dashboard_lists_its_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    audit = Store.default().create("New")
    for slot in ("real", "synthetic"):
        audit.load(slot, csv(60, 1), name=f"{slot}.csv")
    screen = opened(audit, AUDIT)
    assert not screen.exception
    links = [str(link.proto.label) for link in screen.get("page_link")]
    assert any("Repeated rows" in label for label in links), links


def test_its_page_asks_and_shows_with_no_line_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path))
    monkeypatch.setattr(state, "exists", lambda _: False)  # no other page is there to link to
    audit = Store.default().create("New")
    for slot in ("real", "synthetic"):
        audit.load(slot, csv(60, 1), name=f"{slot}.csv")
    page = of_question(audit, "repeats")
    assert not page.exception
    assert "How many members stand in the release as they are?" in shown(page)
    assert [field.label for field in page.number_input] == ["Times a row must be repeated", "Level of the intervals"]
    run = asked(audit, questions.question("repeats").plan())
    assert work(run.path), run.progress
    page.run()
    assert not page.exception
    assert "100% of the members stand in the release as they are." in shown(page)
    assert "It says nothing of rows that differ in one value." in shown(page)
    assert len(page.get("plotly_chart")) == 1
