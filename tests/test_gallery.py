"""The notebooks of ``docs/gallery``: they run, what is kept with them is what running gives, and it holds no cell."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests import gallery

SAMPLE = gallery.FOLDER.parents[1] / "sample_data"
NAMES = {"steward", "researcher", "dp_engineer"}
TELLING = ("admission_date", "district")
"""Columns of the sample whose values no other text holds."""


def cells() -> set[str]:
    """Values of the tables that no text of riskkit's holds."""
    cells: set[str] = set()
    for path in SAMPLE.glob("*.csv"):
        with path.open(encoding="utf-8") as file:
            cells |= {row[column] for row in csv.DictReader(file) for column in TELLING if column in row}
    return cells


def shown(book: dict[str, Any]) -> list[dict[str, Any]]:
    """The outputs of a notebook, in order."""
    return [output for cell in book["cells"] for output in cell.get("outputs", [])]


def kinds(book: dict[str, Any]) -> list[list[str]]:
    return [sorted(output.get("data", {"stdout": ""})) for output in shown(book)]


def leaked(book: dict[str, Any]) -> set[str]:
    """The cells that stand in an output, as they are or as JSON writes them."""
    kept = json.dumps(shown(book), ensure_ascii=False)
    return {cell for cell in cells() if cell in kept}


@pytest.mark.parametrize("path", gallery.notebooks(), ids=lambda path: path.stem)
def test_what_is_kept_with_a_notebook_shows_figures_and_no_cell(path: Path) -> None:
    book = gallery.read(path)
    assert leaked(book) == set()
    planted = json.loads(json.dumps(book))
    next(cell for cell in planted["cells"] if cell.get("outputs"))["outputs"][0]["text"] = min(cells())
    assert leaked(planted) == {min(cells())}
    assert [gallery.PLOTLY, "text/plain"] in kinds(book)
    assert (book["nbformat"], book["metadata"]["kernelspec"]["name"]) == (4, "python3")


def test_there_is_one_for_each_of_three_readers() -> None:
    assert {path.stem for path in gallery.notebooks()} == NAMES
    page = (gallery.FOLDER.parent / "notebook.md").read_text(encoding="utf-8")
    assert all(f"gallery/{name}.ipynb" in page for name in NAMES)


@pytest.mark.second
@pytest.mark.parametrize("path", gallery.notebooks(), ids=lambda path: path.stem)
def test_a_notebook_runs_and_shows_what_is_kept_with_it(path: Path) -> None:
    book = gallery.executed(path)
    assert leaked(book) == set()
    assert kinds(book) == kinds(gallery.read(path)), "run python -m tests.gallery"
