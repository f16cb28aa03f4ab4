"""What is installed: pinned with hashes, looked up one by one, listed; and what has a licence of its own says so."""

import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from packaging.requirements import Requirement

from tests.packages import LIST, PIN, audited, every, left_out, run_alone, sbom
from tests.test_config import normal

pytestmark = pytest.mark.locked
ROOT = Path(__file__).resolve().parents[1]
SERVICE = "https://pypi.org/pypi/zipp/4.1.2/json"


def needed(names: list[str], known: set[str]) -> Iterator[tuple[str, str]]:
    """Every package that these need on this system, as they say themselves; those with an extra, with what it needs."""
    waiting = [Requirement(name) for name in names]
    while waiting:
        asked = waiting.pop()
        if (mark := f"{normal(asked.name)}[{','.join(sorted(asked.extras))}]") in known:
            continue
        known.add(mark)
        here = metadata.distribution(asked.name)
        yield normal(asked.name), here.version.partition("+")[0]
        for line in here.requires or ():
            requirement = Requirement(line)
            if requirement.marker is None or any(
                requirement.marker.evaluate({"extra": extra}) for extra in ("", *asked.extras)
            ):
                waiting.append(requirement)


def test_what_is_needed_to_run_is_what_the_first_part_of_the_list_holds() -> None:
    """Worked out from what the installed packages say that they need, not by the tool that made the list."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    needed_here = dict(needed([line for line in lines if line and line[0] != "#"], set()))
    assert {name: version for name, version in needed_here.items() if name != "pip"} == {
        name: version for name, version in run_alone().items() if name in needed_here
    }
    others = {name for name in run_alone() if name.startswith(("cuda-", "nvidia-", "triton"))}
    others |= {"colorama", "setuptools", "tzdata", "tomlkit"}
    assert set(run_alone()) - set(needed_here) <= others, "needed on another system, or for graphics cards, alone"


def test_make_installs_what_is_pinned_and_by_hash_where_that_is_asked() -> None:
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    installs = [line for line in make.splitlines() if " pip install " in line]
    assert len(installs) == 4
    assert sum("-c .venv/versions.txt" in line for line in installs) == 2
    assert sum("--require-hashes -r constraints.txt" in line for line in installs) == 1


def test_make_leaves_the_command_that_documents_use(tmp_path: Path) -> None:
    """A folder with a space in its name, and called from another one."""
    clone = tmp_path / "a clone"
    (clone / "riskkit").mkdir(parents=True)
    (clone / "riskkit" / "__main__.py").write_text("import sys; print(sys.argv[1:])", encoding="utf-8")
    shutil.copy(ROOT / "Makefile", clone)
    words = ["make", "-s", f"PYTHON={sys.executable} -m venv --without-pip .venv; true", ".venv/bin/riskkit"]
    subprocess.run(words, cwd=clone, check=True, capture_output=True)
    command = [str(clone / ".venv" / "bin" / "riskkit"), "app", "two words"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "['app', 'two words']\n"
    assert " && riskkit app" not in (ROOT / "README.md").read_text(encoding="utf-8")


def test_a_package_that_was_not_looked_up_is_a_fault() -> None:
    wanted = {"a": "1", "b": "2", "c": "3", "d": "4"}
    report = {
        "dependencies": [
            {"name": "a", "version": "1", "vulns": []},
            {"name": "b", "skip_reason": "Dependency not found on PyPI"},
            {"name": "c", "version": "2", "vulns": []},
        ]
    }
    assert left_out(report, wanted) == ["b", "c", "d"]


def test_a_service_that_answers_of_nothing_is_a_fault_with_a_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever pip-audit ends with: a mirror that knows no fault makes it say that there is none."""
    for status, out, err in ((0, "", "No known vulnerabilities found"), (1, "", "Dependency not found on PyPI")):
        ended = subprocess.CompletedProcess((), status, out, err)
        monkeypatch.setattr(subprocess, "run", lambda *_, ended=ended, **__: ended)
        code, output = audited()
        assert code == 1
        assert output.startswith(f"0 of {len(every())} packages looked up.")


def test_the_list_for_a_release_names_every_package_that_runs() -> None:
    document = json.loads(sbom())
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    assert document["metadata"]["component"]["name"] == "riskkit"
    assert {part["name"]: part["version"] for part in document["components"]} == run_alone()
    assert {part["purl"] for part in document["components"]} == {f"pkg:pypi/{n}@{v}" for n, v in run_alone().items()}
    (licence,) = (part["description"] for part in document["components"] if part["name"] == "ctgan")
    assert "BUSL" in licence or "Business Source" in licence or "BSL" in licence


def test_what_has_a_business_source_licence_stands_apart_and_says_so() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    restricted = {"ctgan", "rdt"}
    extras = project["optional-dependencies"]
    others = [*project["dependencies"], *extras["app"], *extras["explain"]]
    assert not restricted & {normal(Requirement(line).name) for line in others}
    assert restricted <= {normal(Requirement(line).name) for line in extras["deep"]}
    line = next(number for number, line in enumerate(text.splitlines()) if line.startswith("deep = "))
    assert "Business Source License" in text.splitlines()[line - 1]
    for page in ("README.md", "docs/security-files.md", "NOTICE"):
        assert "Business Source License" in " ".join((ROOT / page).read_text(encoding="utf-8").split())


@pytest.mark.second
def test_a_file_with_another_hash_is_not_installed(tmp_path: Path) -> None:
    """The pins of one small package as they are, and with one letter of each hash changed."""
    block = next(pin[0] for pin in PIN.finditer(LIST.read_text(encoding="utf-8")) if pin[1] == "toolz")
    right, wrong = tmp_path / "right.txt", tmp_path / "wrong.txt"
    right.write_text(block)
    wrong.write_text("\n".join(_altered(line) for line in block.splitlines()) + "\n")
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--require-hashes", "-d", str(tmp_path), "-r"]
    done = subprocess.run([*command, str(right)], capture_output=True, text=True)
    if done.returncode and "DO NOT MATCH" not in done.stderr:
        pytest.skip("no package index can be reached from here")
    assert done.returncode == 0, done.stderr
    done = subprocess.run([*command, str(wrong)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stderr


def _altered(line: str) -> str:
    """The line with another first digit in its hash."""
    start, sign, digits = line.partition("sha256:")
    return start + sign + ("1" if digits[:1] == "0" else "0") + digits[1:] if sign else line


@pytest.fixture
def _service() -> None:
    """Skips where nobody answers: behind a mirror there are packages, but nobody who knows of their faults."""
    try:
        with urlopen(SERVICE, timeout=20):
            return
    except HTTPError as error:
        why = f"status {error.code}"
        error.close()
    except (URLError, TimeoutError, ConnectionError):
        why = "no answer"
    pytest.skip(f"0 of {len(every())} packages looked up: the service (pypi.org) cannot be reached from here, {why}")


@pytest.mark.second
@pytest.mark.usefixtures("_service")
def test_every_package_is_looked_up_and_none_is_known_to_be_vulnerable() -> None:
    status, output = audited()
    assert status == 0, output
    assert f"{len(every())} of {len(every())} packages" in output


@pytest.mark.second
@pytest.mark.usefixtures("_service")
def test_a_package_that_is_known_to_be_vulnerable_is_found(tmp_path: Path) -> None:
    listed = tmp_path / "old.txt"
    listed.write_text(f"jinja2==2.4.1 \\\n    --hash=sha256:{'0' * 64}\n")
    assert audited(listed)[0] == 1
