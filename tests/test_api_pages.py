"""The pages of the API are made of docstrings, offline, and with every warning taken for an error."""

import importlib
import logging
import os
import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import griffe
import pytest

import riskkit

pytestmark = pytest.mark.second

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "api"
NO_PROXY = {f"{scheme}_proxy": "http://127.0.0.1:9" for scheme in ("http", "https", "HTTP", "HTTPS")}
"""Whoever asks for anything outside is refused."""


def named_modules() -> list[str]:
    return [name for page in PAGES.glob("*.md") for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)]


def test_every_module_that_is_named_is_there() -> None:
    named = named_modules()
    assert len(named) == len(set(named)) > 50
    assert all(importlib.import_module(name).__doc__ for name in named)


def test_every_public_module_of_the_statistics_is_a_page_s() -> None:
    """Statistics and judging are what others build on: none is left out by accident."""
    named = set(named_modules())
    rooms = (importlib.import_module(f"riskkit.{room}") for room in ("stats", "judging", "show", "games"))
    there = {f"{room.__name__}.{part.name}" for room in rooms for part in pkgutil.iter_modules(room.__path__)}
    assert there - named == set()


def parts(whole: griffe.Object) -> Iterator[griffe.Object]:
    """What a page shows of it: itself, its classes and functions, and theirs."""
    yield whole
    for part in whole.members.values():
        if isinstance(part, griffe.Object) and not part.is_module:
            yield from parts(part)


def warnings(package: griffe.Object, names: list[str], caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the parser of docstrings says of these modules, and ``mkdocs build --strict`` ends with."""
    with caplog.at_level(logging.WARNING, "griffe"):
        for name in names:
            for part in parts(package[name.partition(".")[2]] if "." in name else package):
                if part.docstring is not None:
                    part.docstring.parse("numpy", warn_unknown_params=False, warnings=True)
    return caplog.messages


def test_every_docstring_of_the_pages_is_read_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    package = griffe.load("riskkit", search_paths=[ROOT])
    assert isinstance(package, griffe.Object)
    assert warnings(package, named_modules(), caplog) == []


def test_a_faulty_docstring_is_seen(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    docstring = "Count.\n\n    Parameters\n    ----------\n    rows : int\n        Rows.\n\n    Ends: two.\n    "
    fault = f'def f(rows):\n    """{docstring}"""\n'
    (tmp_path / "planted.py").write_text(fault, encoding="utf-8")
    package = griffe.load("planted", search_paths=[tmp_path])
    assert isinstance(package, griffe.Object)
    assert len(warnings(package, ["planted"], caplog)) == 1


@pytest.mark.slow
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    env = {**os.environ, **NO_PROXY, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, encoding="utf-8")
    assert built.returncode == 0, built.stdout + built.stderr
    facade = (tmp_path / "site" / "api" / "index.html").read_text(encoding="utf-8")
    assert [name for name in riskkit.__all__ if name not in facade] == []
    statistics = (tmp_path / "site" / "api" / "stats" / "index.html").read_text(encoding="utf-8")
    assert 'id="riskkit.stats.roc.auc_value"' in statistics
    assert "the chance that a trial" in statistics, "its docstring"
    fetched = re.findall(r'(?:src|rel="stylesheet" href)="(https?://[^"]+)', facade + statistics)
    assert fetched == [], "a page that is read offline fetches nothing"
