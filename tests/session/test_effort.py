"""A whole audit at an effort: the same numbers from the command line, from Python and from the page."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import riskkit as rk
from riskkit.cli import main
from riskkit.dashboard.pages import release_run
from riskkit.jobs.store import Audit, Store
from riskkit.judging.provenance import Provenance
from riskkit.plans import Plan
from riskkit.questions.standard import Effort, Situation, StewardAnswers, plans_for
from tests.test_cli_verdicts import rows

SECRET = "diagnosis"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("effort")
    made = {"real": rows(1, 150), "synthetic": rows(3, 150), "holdout": rows(2, 150)}
    for name, lines in made.items():
        (folder / f"{name}.csv").write_text("\n".join([f"a,b,c,{SECRET}", *lines]) + "\n", encoding="utf-8")
    return {name: folder / f"{name}.csv" for name in made}


def words(files: dict[str, Path], *more: str) -> list[str]:
    return ["audit", "--workers", "1", *(f"--{name}={path}" for name, path in files.items()), "--quiet", *more]


def estimates(report: dict[str, Any]) -> dict[str, Any]:
    """What each question found, by its name."""
    return {entry["question"]: entry["finding"]["estimates"] for entry in report["questions"] if entry["finding"]}


def page_audit(home: Path, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch) -> Audit:
    """Those files and answers as somebody gives them to the page."""
    monkeypatch.setenv("RISKKIT_HOME", str(home))
    audit = Store.default().create("page")
    for slot, path in files.items():
        audit.load(slot, path.read_bytes(), name=path.name)
    audit.set_provenance(Provenance("stat"))
    audit.answer(StewardAnswers(known=("a", "b")))
    return audit


@pytest.fixture(scope="module")
def quick(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The report of the command at the least effort."""
    out = tmp_path_factory.mktemp("quick")
    assert main(words(files, "--effort=quick", "--made-by=stat", "--known=a,b", f"--out={out}")) in (3, 4)
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    return report


def test_command_and_python_find_the_same_and_the_page_asks_the_same(
    files: dict[str, Path], quick: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audited = rk.audit(
        files["real"], files["synthetic"], files["holdout"], made_by="stat", effort="quick", known=("a", "b")
    )
    audited.report(tmp_path / "python")
    other = json.loads((tmp_path / "python" / "report.json").read_text())
    assert audited.report(tmp_path / "alone.json") == tmp_path / "alone.json"
    assert json.loads((tmp_path / "alone.json").read_text())["overall"] == other["overall"]
    rows = {entry["question"]: entry for entry in other["questions"] if entry["finding"]}
    frame = audited.to_frame().set_index("question")
    assert set(rows) <= set(frame.index)
    for name, entry in rows.items():
        assert frame.loc[name, "sentence"] == entry["finding"]["sentence"]
        assert frame.loc[name, "verdict"] == entry["judgement"]["word"]
        assert frame.loc[name, "low"] <= frame.loc[name, "value"] <= frame.loc[name, "high"]
    assert list(estimates(quick)) == ["membership", "released", "records", "attributes", "singling-out", "linkability"]
    assert estimates(quick) == estimates(other)

    page = page_audit(tmp_path / "home", files, monkeypatch)
    assert set(asked_by(page)) == set(audited.plans)


def asked_by(page: Audit) -> list[Plan]:
    """What the page would play."""
    return [plan for plan, _ in release_run.effort_plans(page, page.tables()).runs]


@pytest.mark.parametrize("effort", Effort)
def test_the_page_asks_at_every_effort_what_a_command_asks(
    files: dict[str, Path], effort: Effort, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_audit(tmp_path / "home", files, monkeypatch)
    page.spend(effort)
    tables = rk.load(files["real"], files["synthetic"], files["holdout"], made_by="stat")
    asked = plans_for(Situation(tables, effort, "stat", StewardAnswers(known=("a", "b"))))
    assert set(asked_by(page)) == set(asked)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        (["--secrets=a"], "Only an audit with --effort reads --secrets"),
        (["--effort=quick", "--limit=contest=0.5"], "A limit is set for contest"),
        (["--effort=quick", "--secrets=nothing"], "There is no column 'nothing' in use"),
    ],
)
def test_what_cannot_be_asked_is_refused_before_any_work(
    files: dict[str, Path], more: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(words(files, *more, f"--out={tmp_path / 'out'}")) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("copied", "code"), [(60, 3), (0, 4)])
def test_without_a_holdout_the_file_is_looked_at_and_the_way_to_a_holdout_is_said(
    copied: int, code: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Sixty of 300 people are copied, to other lines: more than chance, as no two people are alike in either file."""
    rng = np.random.default_rng(5)
    real, release = (np.column_stack([rng.integers(18, 90, 300), *rng.normal(size=(2, 300)).round(2)]) for _ in "ab")
    release[rng.permutation(300)[:copied]] = real[rng.permutation(300)[:copied]]
    files = {}
    for name, people in (("real", real), ("synthetic", release)):
        files[name] = tmp_path / f"{name}.csv"
        lines = [f"{int(age)},{size},{weight}" for age, size, weight in people]
        files[name].write_text("\n".join(["age,size,weight", *lines]) + "\n", encoding="utf-8")
    assert main(words(files, "--effort=quick", f"--out={tmp_path / 'out'}")) == code
    printed = capsys.readouterr().out
    assert ("The release copies people." in printed) == (code == 3)
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    answer = next(entry for entry in report["questions"] if entry["question"] == "released")
    assert answer["judgement"]["code"] == "no_holdout"
    assert "riskkit holdout" in answer["judgement"]["settle"]
    assert (tmp_path / "out" / "report.pdf").exists()
    if code == 4:
        assert "riskkit holdout" in printed
    assert rk.audit(rk.load(**files), effort="quick").verdict == {3: "leak shown", 4: "undecided"}[code]


def test_questions_of_a_configuration_and_an_effort_exclude_each_other(
    files: dict[str, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    config = tmp_path / "audit.toml"
    config.write_text("[released]\n", encoding="utf-8")
    assert main(words(files, "--effort=quick", f"--config={config}", f"--out={tmp_path / 'out'}")) == 2
    assert "Leave out one of the two" in capsys.readouterr().err
