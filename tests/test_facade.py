"""What ``import riskkit`` gives."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import riskkit

ROOT = Path(__file__).resolve().parents[1]


def test_the_list_is_sorted_short_and_without_repeats() -> None:
    assert riskkit.__all__ == sorted(set(riskkit.__all__))
    assert len(riskkit.__all__) <= 20


def test_the_list_is_complete() -> None:
    """Every name the facade imports is on it, the version aside."""
    tree = ast.parse(Path(riskkit.__file__).read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imported - {"__version__"} == set(riskkit.__all__)


@pytest.mark.parametrize("name", riskkit.__all__)
def test_every_name_is_there_and_says_what_it_is(name: str) -> None:
    thing = getattr(riskkit, name)
    text = inspect.getdoc(thing) or ""
    assert len(text) > 20
    assert not text.startswith(f"{name}(")  # the signature a dataclass without a docstring gets


def test_the_version_is_three_numbers() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.?\w+)?", riskkit.__version__)


def test_what_the_readme_calls_is_there() -> None:
    called = set(re.findall(r"riskkit\.([a-z_]+)\(", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert called
    assert called <= set(riskkit.__all__)


def test_the_readme_reads_a_table_as_it_says() -> None:
    table = riskkit.read_table(ROOT / "sample_data" / "real.csv")
    assert isinstance(table, riskkit.Table)
    assert len(table) > 0
