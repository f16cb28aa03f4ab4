"""docs/statistics.md names every public function of the statistics, and no test that is not there."""

import re
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/statistics.md").read_text(encoding="utf-8")
TESTS = {str(path.relative_to(ROOT / "tests")): path for path in (ROOT / "tests").rglob("test_*.py")}


def functions_of(path: Path) -> list[str]:
    return re.findall(r"^def (\w+)\(", path.read_text(encoding="utf-8"), re.MULTILINE)


def unnamed(page: str, functions: Iterable[str]) -> list[str]:
    """The functions that a page does not name in code letters, alone or behind their module."""
    named = {word for code in re.findall(r"`([^`]+)`", page) for word in re.findall(r"\w+", code)}
    return [name for name in functions if name not in named]


def test_every_public_function_of_the_statistics_is_on_the_page() -> None:
    public = [name for path in (ROOT / "riskkit/stats").glob("*.py") for name in functions_of(path) if name[0] != "_"]
    assert len(public) > 100
    assert unnamed(PAGE, public) == []


def test_every_test_that_is_named_is_there() -> None:
    everywhere = {name for path in TESTS.values() for name in functions_of(path)}
    named = re.findall(r"`([\w/]+\.py)::(test_\w+)`", PAGE)
    assert len(named) > 50
    for file, test in named:
        assert test in functions_of(TESTS[file]), f"{file}::{test}"
    alone = re.findall(r"`(test_\w+)`", PAGE)
    assert [name for name in alone if name not in everywhere] == []


def test_what_is_left_out_is_seen() -> None:
    assert unnamed(PAGE, ["auc_interval", "an_interval_of_nothing"]) == ["an_interval_of_nothing"]
