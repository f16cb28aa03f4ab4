"""One worker and two give the same bytes: the numbers of every question, and every file of a report of all of them.

The table of ``docs/same-bytes.md`` is what this compares.
"""

import hashlib
import io
import re
import tomllib
import zipfile
from pathlib import Path

import pytest

from riskkit.cli import main
from riskkit.jobs.store import Store
from riskkit.questions import questions
from tests.pages.screens import csv

pytestmark = pytest.mark.second
ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs" / "same-bytes.md"
MADE = "2026-11-21T09:00:00+00:00"
CONFIG = """
[release]
made_by = "histogram"
[limits]
released = 0.8
[released]
attacks = ["dcr", "dcr-diff", "density"]
[attributes]
secrets = ["job"]
model = "tree"
[membership]
generators = ["histogram"]
targets = ["random"]
attacks = ["neighbour"]
trainings = 12
generations = 2
n_syn = 60
[records]
generator = "histogram"
records = "random:3"
inside = 12
outside = 12
again = 0
shadows = 4
n_syn = 40
[contest]
anonymisers = ["identity", "stat"]
attackers = ["distance"]
source = "people"
guesses = 30
rules = "none"
[explanations]
target = "job"
attackers = ["linear"]
victims = 10
auxiliary = [50]
model_seeds = 1
permutations = 2
"""
Written = dict[str, bytes]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of an audit and its configuration."""
    made = tmp_path_factory.mktemp("same")
    for seed, slot in enumerate(("real", "synthetic", "holdout")):
        (made / f"{slot}.csv").write_bytes(csv(240, seed))
    (made / "audit.toml").write_text(CONFIG, encoding="utf-8")
    return made


def named(folder: Path) -> list[str]:
    return [word for slot in ("real", "synthetic", "holdout") for word in (f"--{slot}", str(folder / f"{slot}.csv"))]


def written(out: Path) -> Written:
    """Every file of a report, those within the evidence pack too."""
    files = {path.name: path.read_bytes() for path in sorted(out.iterdir())}
    with zipfile.ZipFile(io.BytesIO(files["evidence.zip"])) as pack:
        return {**files, **{f"evidence.zip: {name}": pack.read(name) for name in pack.namelist()}}


def differing(first: Written, second: Written) -> list[str]:
    return [name for name in sorted({*first, *second}) if first.get(name) != second.get(name)]


def test_a_report_of_every_question_is_the_same_bytes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(folder / "home"))
    assert set(questions()) & set(tomllib.loads(CONFIG)) == set(tomllib.loads(CONFIG)) - {"release", "limits"}
    both = []
    for workers in ("1", "2"):
        out = folder / f"with-{workers}"
        words = ["--config", str(folder / "audit.toml"), "--out", str(out), "--made", MADE, "--appendix", "--quiet"]
        assert main(["audit", *named(folder), *words, "--workers", workers]) in (0, 3, 4)
        both.append(written(out))
    assert differing(*both) == []
    assert {"report.pdf", "report.html", "report.json", "evidence.zip", "evidence.zip: report.pdf"} <= set(both[0])
    for word in (b'"seconds"', b'"workers"'):
        assert word not in both[0]["report.json"]
    planted = {**both[1], "report.json": both[1]["report.json"].replace(b"}", b', "workers": 2}', 1)}
    assert differing(both[0], planted) == ["report.json"], "a byte more is seen"
    rows = set(re.findall(r"^\| `([\w.-]+)` \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows >= {name for name in both[0] if ":" not in name}


@pytest.mark.parametrize("name", sorted(set(tomllib.loads(CONFIG)) - {"release", "limits"}))
def test_the_answer_and_the_kept_result_of_a_question_are_the_same_bytes(
    folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    answers, kept = set(), set()
    plan = questions()[name].plan
    files = named(folder)
    files[0] = f"--{plan.real}"
    asked = plan.from_dict(tomllib.loads(CONFIG)[name]).command(real="REAL", synthetic="SYN", holdout="HOLD").split()
    words = [name, *files, *(word for word in asked[4:] if word not in FILES)]
    for workers in ("1", "2"):
        monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / f"home-{workers}"))
        assert main([*words, "--workers", workers, "--keep", "Same", "--json", "--quiet"]) == 0
        answers.add(capsys.readouterr().out)
        (audit,) = Store.default().audits()
        (run,) = audit.runs()
        kept.add(hashlib.sha256(run.result_bytes).hexdigest())
        assert run.workers == int(workers)
    assert len(answers) == len(kept) == 1


FILES = {"--real", "--base", "--synthetic", "--holdout", "REAL", "SYN", "HOLD"}
