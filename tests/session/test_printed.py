"""What a notebook keeps of what it printed: shapes, counts and verdicts, never a cell, a level or a score."""

from functools import cache
from typing import Any

import pandas as pd
import pytest

import riskkit as rk
from riskkit.session.tables import text_of
from tests.session.people import people

SMALL: dict[str, dict[str, Any]] = {
    "membership": {"generator": "bayesnet", "attack": "neighbour", "trainings": 12, "generations": 1, "n_syn": 100},
    "records": {
        "generator": "bayesnet", "records": [3, 17], "inside": 10, "outside": 10, "shadows": 5, "again": 0,
        "n_syn": 100, "certificate": True,
    },
    "released": {"attacks": "dcr"},
    "one-run": {"generator": "bayesnet", "rows": 40, "n_syn": 100},
    "singling-out": {"size": 2},
    "linkability": {"splits": 2},
    "reconstruction": {"secrets": ["place", "member"]},
    "attributes": {"secret": "place", "model": "tree", "groups": "member"},
    "explanations": {"target": "place", "attacker": "linear", "auxiliary": 60, "victims": 30, "model_seeds": 1},
    "contest": {
        "source": "people", "guesses": 40, "anonymiser": "stat", "attackers": ["distance", "dcr-diff"],
    },
}  # fmt: skip
"""A small run of every question."""


@cache
def tables() -> rk.Tables:
    return rk.load(*(people(seed=seed) for seed in range(3)), made_by="bayesnet")


@cache
def answer(question: str) -> rk.Answer:
    return rk.ask(question, tables(), **SMALL[question])


def cells() -> set[str]:
    """Every cell of the three files as it is written there, and numbers also as Python writes them."""
    frames = [people(seed=seed) for seed in range(3)]
    return {str(cell) for frame in frames for column in frame.columns for cell in frame[column]}


def leaks(thing: Any) -> set[str]:
    """The cells that stand in what is printed of it."""
    printed = [repr(thing), str(thing), f"{thing}", getattr(thing, "_repr_html_", str)()]
    return {cell for cell in cells() if any(cell in text for text in printed)}


def test_a_cell_in_what_is_printed_is_seen() -> None:
    assert leaks(people().head(1)) >= {str(people().pay[0]), people().place[0]}


@pytest.mark.parametrize("name", ["real", "synthetic", "holdout", "schema", "problems", "files", "apart"])
def test_tables_show_shapes(name: str) -> None:
    assert leaks(tables()) == leaks(getattr(tables(), name)) == set()
    assert repr(tables()) == (
        "Tables(real 300 rows, synthetic 300 rows, holdout 300 rows; 4 columns in use, "
        f"{len(tables().problems)} remarks, made by bayesnet)"
    )
    assert repr(tables().real) == "Table(300 rows, 4 columns)"


def test_a_file_as_it_was_read_shows_no_cell() -> None:
    assert leaks(text_of(people(), "real")) == set()


@pytest.mark.parametrize("question", SMALL)
def test_answers_show_verdicts(question: str) -> None:
    shown = answer(question)
    assert leaks(shown) == leaks(shown.result) == leaks(shown.verdicts) == leaks(shown.plan) == set()
    assert shown.question == question
    assert repr(shown).startswith(f"{question}, {len(shown.estimates)} estimate")
    words = {"UNDECIDED", "LEAK SHOWN", "WITHIN THE LIMIT", "ABOVE THE LIMIT"}
    assert any(word in repr(shown) for word in words)
    assert len(repr(shown)) < 4_000
    for part in getattr(shown.result, "findings", ()):
        assert leaks(part) == set()


@pytest.mark.parametrize("question", SMALL)
def test_estimates_are_a_frame(question: str) -> None:
    shown = answer(question)
    frame = shown.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns[:5]) == ["name", "value", "low", "high", "n"]
    assert len(frame) == len(shown.estimates) > 0
    assert [tuple(row) for row in frame[["value", "low", "high"]].to_numpy()] == [
        (e.value, e.low, e.high) for e in shown.estimates
    ]
    labels = {name for e in shown.estimates for name in e.labels}
    assert set(frame.columns) == {"name", "value", "low", "high", "n", "level", "method"} | labels


@pytest.mark.parametrize("question", SMALL)
def test_pictures_are_figures_of_plotly_and_one_of_another_name_is_refused(question: str) -> None:
    shown = answer(question)
    assert shown.pictures
    assert shown.plot().to_dict() == shown.plot(shown.pictures[0]).to_dict()
    assert all(shown.plot(picture).data for picture in shown.pictures)
    with pytest.raises(rk.DesignError, match=f"There is no picture 'moon'; there are {shown.pictures[0]}"):
        shown.plot("moon")
