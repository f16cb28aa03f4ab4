"""Style, types and docstrings of every file, by the settings of ``pyproject.toml``.

Each check is shown to see what it is there for: a planted fault, checked with the same settings.
"""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.locked
ROOT = Path(__file__).resolve().parents[1]
CHECKED = """import gc, sys

gc.set_threshold = gc.enable = lambda *_: None
gc.disable()
from mypy.__main__ import console_entry

sys.argv[0] = "mypy"
console_entry()
"""
"""mypy that never looks for garbage: nearly all that it makes is used to its end, and a third of its time was looking.

It switches the search on itself, so that is taken from it; the memory it takes goes from 1.6 to 3 GB.
"""


def run(*arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    """A tool of this environment, run in the project's root."""
    tool, *options = arguments
    started = ("-c", CHECKED) if tool == "mypy" else ("-m", tool)
    return subprocess.run(
        [sys.executable, *started, *options], cwd=ROOT, input=stdin, capture_output=True, text=True, encoding="utf-8"
    )


@pytest.mark.parametrize("words", [("check", "--output-format", "concise"), ("format", "--check")])
def test_ruff_finds_nothing(words: tuple[str, ...]) -> None:
    checked = run("ruff", *words, ".")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.second
def test_types_hold() -> None:
    checked = run("mypy", "riskkit", "riskkit_bench", "app.py", "pages", "sample_data")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.second
def test_types_of_the_tests_hold() -> None:
    checked = run("mypy")
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("fault", "rule"),
    [
        ('"""Module."""\n\n\ndef shown() -> int:\n    return 1\n', "D103"),
        ("class Shown:\n    pass\n", "D100"),
        ('"""Module."""\n\nimport os\n', "F401"),
        ('"""Module."""\n\nprint("debug")\n', "T201"),
        ('"""Module."""\n\nfrom .core import Table\n\n__all__ = ["Table"]\n', "TID252"),
        ('"""Module."""\n\nimport numpy as np\n\nnp.random.seed(1)\n', "NPY002"),
        ('"""Module."""\n\ntry:\n    import a\nexcept Exception:\n    a = None\n', "BLE001"),
    ],
)
def test_ruff_sees_a_planted_fault(fault: str, rule: str) -> None:
    checked = run(
        "ruff", "check", "--output-format", "concise", "--stdin-filename", "riskkit/planted.py", "-", stdin=fault
    )
    assert checked.returncode == 1
    assert rule in checked.stdout


def test_mypy_sees_a_planted_fault(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("def shown(x):\n    return x\n", encoding="utf-8")
    checked = run("mypy", str(planted))
    assert checked.returncode == 1
    assert "no-untyped-def" in checked.stdout
