"""What was noticed of a file, in the few words that a report may tell which is passed on."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from riskkit.report import noticed

TABLE = Path(__file__).resolve().parents[2] / "riskkit" / "table"


def codes(source: str) -> Iterator[str]:
    """The code of every problem that is noticed, not raised."""
    for node in ast.walk(ast.parse(source)):
        name = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Call) and name in ("Problem", "problem"):
            yield from (arg.value for arg in node.args[:2] if isinstance(arg, ast.Constant))


def test_every_code_has_words() -> None:
    known = {code for path in TABLE.glob("*.py") for code in codes(path.read_text(encoding="utf-8"))}
    assert len(known) > 60
    assert not known ^ set(noticed.TITLES)
    assert list(codes("problem(Gravity.REPAIR, 'planted', '', '')")) == ["planted"]


def test_a_report_says_the_words_and_not_the_code(monkeypatch: pytest.MonkeyPatch) -> None:
    assert noticed.title("blank_lines") == "Blank lines"
    monkeypatch.setenv("RISKKIT_LANGUAGE", "xx-marks")
    assert noticed.title("blank_lines") == "⟦Blank lines⟧"
    assert noticed.title("never_heard_of") == "never heard of"
