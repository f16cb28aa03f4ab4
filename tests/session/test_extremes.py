"""The gravest releases and the emptiest, and faults in the midst of an audit: each ends in a verdict and a report."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from riskkit.audit import give_aways
from riskkit.cli import main
from riskkit.questions import questions
from riskkit.report import plots
from tests.played import played_once

__all__ = ["played_once"]

ALONE = '[released]\nattacks = ["dcr", "nn-kde"]\nreference = "aside"\n'
QUICK = f'{ALONE}[reconstruction]\nsecrets = ["illness", "income"]\n'
EVERY = f'{QUICK}[singling-out]\n[linkability]\n[attributes]\nsecrets = ["illness", "income"]\n'


def people(seed: int, n: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "ward": rng.choice(["north", "south", "east", "west"], n),
            "illness": rng.choice(["asthma", "flu", "gout", "none", "rash"], n, p=[0.4, 0.3, 0.2, 0.06, 0.04]),
            "weight": rng.normal(75, 12, n).round(1),
            "income": rng.integers(1, 60, n) * 100,
        }
    )


def recoded(real: pd.DataFrame) -> pd.DataFrame:
    words = {word: f"k{number}" for number, word in enumerate(sorted({*real["ward"], *real["illness"]}))}
    return real.replace({"ward": words, "illness": words})


REAL, HOLDOUT = people(1), people(2)
RELEASES = {
    "real": REAL,
    "shuffled": REAL.sample(frac=1, random_state=3),
    "holdout": HOLDOUT,
    "recoded": recoded(REAL),
    "constant": REAL.iloc[[0] * 80],
    "repeated": people(9).iloc[[5] * 60],
    "one row": REAL.iloc[:1],
}


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


def audit(release: pd.DataFrame, out: Path, config: str = QUICK, *more: str) -> tuple[int, dict[str, Any]]:
    """The exit code of that audit, and its report; empty where it wrote none."""
    folder = out.parent
    for name, table in (("real", REAL), ("holdout", HOLDOUT), ("release", release)):
        table.to_csv(folder / f"{name}.csv", index=False)
    (folder / "audit.toml").write_text(config, encoding="utf-8")
    files = {"real": "real", "synthetic": "release", "holdout": "holdout"}
    words = [word for option, name in files.items() for word in (f"--{option}", str(folder / f"{name}.csv"))]
    restricted = ("--class=restricted", "--asked-by=A. Steward", "--purpose=the board", "--confirm")
    code = main(
        ["audit", *words, "--config", str(folder / "audit.toml"), "--out", str(out), "--no-keep", *restricted, *more]
    )
    written = out / "report.json"
    return code, json.loads(written.read_text(encoding="utf-8")) if written.exists() else {}


def judged(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {entry["question"]: entry["judgement"] for entry in report["questions"] if entry["judgement"]}


@pytest.mark.second
@pytest.mark.parametrize(
    ("release", "code"),
    [("real", 3), ("shuffled", 3), ("recoded", 3), ("holdout", 4), ("constant", 4), ("repeated", 4), ("one row", 2)],
)
def test_an_extreme_release_is_answered_by_every_question(release: str, code: int, out: Path, capsys) -> None:
    """A full copy once ended the audit by the end of an axis: the graver the leak, the surer no word of it."""
    ended, report = audit(RELEASES[release], out, EVERY)
    printed = capsys.readouterr()
    assert ended == code
    assert "Traceback" not in printed.out + printed.err
    if code == 2:
        assert "at least 50 rows" in printed.err
        return
    assert "could not be asked" not in printed.err
    answers = judged(report)
    assert set(answers) == {"released", "singling-out", "linkability", "reconstruction", "attributes"}
    assert not [name for name, judgement in answers.items() if judgement["code"].startswith("run_")]
    for entry in report["questions"]:
        shares = [e for e in (entry["finding"] or {}).get("estimates", ()) if e["name"] == "reconstructed"]
        assert all(0 <= e["low"] <= e["value"] <= e["high"] <= 1 for e in shares)
    if release in ("real", "shuffled"):
        assert answers["reconstruction"]["word"] == answers["released"]["word"] == "leak shown"


class Fault(Exception):
    """What nobody foresaw."""


def raising(*_: Any, **__: Any) -> Any:
    raise Fault("a cell of somebody")


def swapped(monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    """The question of reconstruction with something of it that raises."""
    every = dict(questions())
    every["reconstruction"] = replace(every["reconstruction"], **changed)
    for module in ("riskkit.report.build", "riskkit.session.play"):
        monkeypatch.setattr(f"{module}.questions", lambda: every)


@pytest.mark.second
@pytest.mark.usefixtures("played_once")
@pytest.mark.parametrize("where", ["run", "read", "drawn"])
def test_a_fault_of_one_question_leaves_the_others_their_answers_and_the_report(
    where: str, out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """On a release that copies nobody."""
    if where == "drawn":
        monkeypatch.setattr(plots, "block", raising)
    else:
        swapped(monkeypatch, **{where: raising})
    code, report = audit(people(5), out, ALONE if where == "drawn" else QUICK, "--limit=released=0.8")
    text, answers = "".join(capsys.readouterr()), judged(report)
    assert "Traceback" not in text
    assert "a cell of somebody" not in text + json.dumps(report)
    assert not answers["released"]["code"].startswith("run_")
    assert next(entry for entry in report["questions"] if entry["question"] == "released")["finding"]["estimates"]
    assert (out / "report.pdf").stat().st_size > 10_000
    assert code == 4
    if where == "drawn":
        assert "could not be written" in (out / "report.html").read_text(encoding="utf-8")
        return
    assert answers["reconstruction"]["code"] == "run_failed"
    assert "could not be answered. It stopped on an unexpected Fault (" in answers["reconstruction"]["why"]


@pytest.mark.second
@pytest.mark.usefixtures("played_once")
def test_a_fault_beside_a_copied_file_leaves_the_leak_shown(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    swapped(monkeypatch, read=raising)
    code, report = audit(RELEASES["shuffled"], out)
    assert code == 3
    assert judged(report)["released"]["word"] == "leak shown"
    assert "The release copies people." in "".join(capsys.readouterr())


@pytest.mark.second
@pytest.mark.usefixtures("played_once")
def test_give_aways_that_cannot_be_looked_for_are_not_ruled_out(
    out: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setattr(give_aways, "look", raising)
    code, report = audit(people(5), out, ALONE, "--limit=released=0.8")
    assert report["overall"]["word"] == "undecided"
    assert code == 4
    assert "could not be checked. It stopped on an unexpected Fault (" in "".join(capsys.readouterr())
