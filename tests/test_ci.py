"""What ``docs/ci`` hands out is run as it stands: on a release within its limit, one that leaks, and one undecided."""

import json
import os
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.test_cli_report import rows

pytestmark = pytest.mark.second
ROOT = Path(__file__).resolve().parents[1]
CI = ROOT / "docs" / "ci"
CASES = {"within": ("fresh", "released = 0.65", 0), "leak": ("copied", "released = 0.65", 3), "open": ("fresh", "", 4)}
"""What is released, the limit, and the exit code."""


def prepare(folder: Path, case: str) -> int:
    """The files of a project that releases a table; the exit code that its gate must have."""
    release, limit, code = CASES[case]
    made = {"real": rows(1), "holdout": rows(2), "release": rows(3) if release == "fresh" else rows(1)}
    for name, lines in made.items():
        (folder / f"{name}.csv").write_text("\n".join(["a,b,c,d,place", *lines]) + "\n", encoding="utf-8")
    asked = '[released]\nattacks = ["dcr", "nn-kde"]\nreference = "aside"\n'
    (folder / "audit.toml").write_text(f"[limits]\n{limit}\n{asked}", encoding="utf-8")
    return code


def run(folder: Path, script: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A script of a pipeline, in the folder of the project."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environ = {**os.environ, **more, "PATH": path, "PYTHONPATH": str(ROOT), "RISKKIT_HOME": str(folder / "home")}
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
    )


def read(name: str) -> Any:
    return yaml.safe_load((CI / name).read_text(encoding="utf-8"))


def github(folder: Path) -> subprocess.CompletedProcess[str]:
    """The composite action, its inputs put where GitHub puts them."""
    action = read("riskkit-gate/action.yml")
    paths = {"real": "real.csv", "synthetic": "release.csv", "holdout": "holdout.csv", "config": "audit.toml"}
    assert {name for name, about in action["inputs"].items() if about.get("required")} == set(paths)
    inputs = {name: paths.get(name, about.get("default")) for name, about in action["inputs"].items()}
    (step,) = action["runs"]["steps"]
    environ = {name: inputs[text.removeprefix("${{ inputs.").removesuffix(" }}")] for name, text in step["env"].items()}
    files = {"GITHUB_OUTPUT": str(folder / "outputs"), "GITHUB_STEP_SUMMARY": str(folder / "shown.md")}
    done = run(folder, step["run"], **environ, **files)
    assert (folder / "outputs").read_text(encoding="utf-8") == f"code={done.returncode}\n"
    assert (folder / "shown.md").read_bytes() == (folder / "riskkit-report" / "summary.md").read_bytes()
    return done


def gitlab(folder: Path) -> subprocess.CompletedProcess[str]:
    job = read("gitlab-ci.yml")["riskkit"]
    assert job["artifacts"]["when"] == "always"
    assert job["artifacts"]["reports"]["junit"] == "$OUT/junit.xml"
    return run(folder, "\n".join(job["script"]), **job["variables"])


def pre_commit(folder: Path) -> subprocess.CompletedProcess[str]:
    (hook,) = read("pre-commit-hooks.yaml")
    assert not hook["pass_filenames"]
    return run(folder, shlex.join(shlex.split(hook["entry"])))


@pytest.mark.parametrize(
    ("kind", "case"), [*(("github", case) for case in CASES), ("gitlab", "leak"), ("pre-commit", "open")]
)
def test_the_gate_stops_what_is_not_within_its_limit(kind: str, case: str, tmp_path: Path) -> None:
    code = prepare(tmp_path, case)
    done = {"github": github, "gitlab": gitlab, "pre-commit": pre_commit}[kind](tmp_path)
    assert done.returncode == code, done.stdout + done.stderr
    out = tmp_path / "riskkit-report"
    suite = ET.fromstring((out / "junit.xml").read_bytes()).find("testsuite")  # noqa: S314  our own
    assert suite is not None
    failed = {entry.get("name") for entry in suite.iter("testcase") if entry.find("failure") is not None}
    assert int(suite.get("failures", "")) == len(failed)
    assert int(suite.get("tests", "")) == len(list(suite.iter("testcase")))
    assert ("overall" in failed) is (code != 0)
    assert ("released" in failed) is (code != 0)
    assert bool(failed) is (code != 0)
    (collected,) = json.loads((out / "report.sarif").read_bytes())["runs"]
    assert {each["ruleId"].split("/")[1] for each in collected["results"] if each["kind"] == "fail"} == failed
    words = {0: "within the limit", 3: "leak shown", 4: "undecided"}
    badge = ET.fromstring((out / "badge.svg").read_bytes())  # noqa: S314  our own
    assert badge.get("aria-label", "").split(" · ")[0] == f"privacy audit: {words[code]}"
    assert badge.get("aria-label", "").endswith("limit 0.65 on released" if CASES[case][1] else "no limit")
    summary = (out / "summary.md").read_text(encoding="utf-8")
    assert words[code] in summary.splitlines()[0].lower()


def test_a_gate_without_files_has_no_verdict(tmp_path: Path) -> None:
    prepare(tmp_path, "open")
    (tmp_path / "release.csv").unlink()
    assert pre_commit(tmp_path).returncode == 2
