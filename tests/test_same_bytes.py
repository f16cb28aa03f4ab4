"""One worker and two give the same bytes: the numbers of every question, and every file of a report of all of them.

The table of ``docs/same-bytes.md`` is what this compares.
"""

import io
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from riskkit.jobs.store import Store
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
generator = "histogram"
randomised = 5
sweep = true
[membership]
generators = ["histogram"]
targets = ["random"]
attacks = ["mvl:tune=true,own=5", "neighbour"]
k = 2
trainings = 12
generations = 2
n_syn = 60
[records]
generator = "histogram"
records = "random:3"
inside = 12
outside = 12
again = 1
certificate = true
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


def kept(home: Path) -> dict[str, tuple[int, bytes]]:
    """By how many workers each question was played, and what is kept of it."""
    (audit,) = Store(home).audits()
    return {run.question: (run.workers, run.result_bytes) for run in audit.runs()}


def test_a_report_and_all_that_is_kept_are_the_same_bytes(folder: Path) -> None:
    """In processes of their own, whose hashes of texts have other seeds."""
    asked = set(tomllib.loads(CONFIG)) - {"release", "limits"}
    both, results = [], []
    for workers in ("1", "2"):
        out, home = folder / f"with-{workers}", folder / f"home-{workers}"
        words = ["--config", str(folder / "audit.toml"), "--out", str(out), "--made", MADE, "--appendix", "--quiet"]
        command = [sys.executable, "-m", "riskkit", "audit", *named(folder), *words, "--workers", workers]
        environ = {**os.environ, "RISKKIT_HOME": str(home), "PYTHONHASHSEED": workers}
        assert subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode in (0, 3, 4)
        both.append(written(out))
        results.append(kept(home))
    assert differing(*both) == []
    assert results[0] == {name: (1, result) for name, (_, result) in results[1].items()}
    assert {name: workers for name, (workers, _) in results[1].items()} == dict.fromkeys(asked, 2)
    assert {"report.pdf", "report.html", "report.json", "evidence.zip", "evidence.zip: report.pdf"} <= set(both[0])
    for word in (b'"seconds"', b'"workers"'):
        assert word not in both[0]["report.json"]
    planted = {**both[1], "report.json": both[1]["report.json"].replace(b"}", b', "workers": 2}', 1)}
    assert differing(both[0], planted) == ["report.json"], "a byte more is seen"
    rows = set(re.findall(r"^\| `([\w.-]+)` \|", DOCS.read_text(encoding="utf-8"), re.MULTILINE))
    assert rows >= {name for name in both[0] if ":" not in name}
