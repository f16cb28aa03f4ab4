"""The pages of the API are made of docstrings, offline, and with every warning taken for an error."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import riskkit

pytestmark = pytest.mark.second

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs" / "api"
NO_PROXY = {f"{scheme}_proxy": "http://127.0.0.1:9" for scheme in ("http", "https", "HTTP", "HTTPS")}
"""Whoever asks for anything outside is refused."""


def test_every_module_that_is_named_is_there() -> None:
    named = [name for page in PAGES.glob("*.md") for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)]
    assert len(named) == len(set(named)) > 50
    assert all(importlib.import_module(name).__doc__ for name in named)


def test_every_public_module_of_the_statistics_is_a_page_s() -> None:
    """Statistics and judging are what others build on: none is left out by accident."""
    named = {name for page in PAGES.glob("*.md") for name in re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)}
    rooms = (importlib.import_module(f"riskkit.{room}") for room in ("stats", "judging", "show", "games"))
    there = {f"{room.__name__}.{part.name}" for room in rooms for part in pkgutil.iter_modules(room.__path__)}
    assert there - named == set()


def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    env = {**os.environ, **NO_PROXY, "NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, encoding="utf-8")
    assert built.returncode == 0, built.stdout + built.stderr
    facade = (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    assert [name for name in riskkit.__all__ if name not in facade] == []
    statistics = (tmp_path / "site" / "stats" / "index.html").read_text(encoding="utf-8")
    assert 'id="riskkit.stats.roc.auc_value"' in statistics
    assert "the chance that a trial" in statistics, "its docstring"
    fetched = re.findall(r'(?:src|rel="stylesheet" href)="(https?://[^"]+)', facade + statistics)
    assert fetched == [], "a page that is read offline fetches nothing"


def test_a_faulty_docstring_is_seen(tmp_path: Path) -> None:
    """A page that names what there is not ends the build."""
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.md").write_text("# Nothing\n\n::: riskkit.stats.no_such_module\n", encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    plan = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").replace("docs_dir: docs/api", f"docs_dir: {pages}")
    plan = re.sub(r"^nav:\n(?:  .*\n)+", "", plan, flags=re.MULTILINE).replace("paths: [.]", f"paths: [{ROOT}]")
    config.write_text(plan, encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert built.returncode != 0
    assert "no_such_module" in built.stdout + built.stderr
