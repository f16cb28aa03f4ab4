"""The glossary: every term that an ⓘ names is in the one file that explains it, and no meaning is written twice."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from riskkit.questions.attributes import words as attributes_words
from riskkit.questions.contest import words as contest_words
from riskkit.questions.explanations import words as explanations_words
from riskkit.questions.membership import words as membership_words
from riskkit.questions.records import words as records_words
from riskkit.questions.released import findings as released_words
from riskkit.show import glossary

ROOM = Path(glossary.__file__).resolve().parents[1]
WORDS = (
    membership_words,
    released_words,
    records_words,
    attributes_words,
    explanations_words,
    contest_words,
)


def named(tree: ast.AST) -> Iterator[tuple[str, str, int]]:
    """The terms that a file looks up by name: of which object, which term, on which line."""
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute)):
            continue
        of, where, term = node.value.value, node.value.attr, node.slice
        texts = [term.body, term.orelse] if isinstance(term, ast.IfExp) else [term]
        if where in ("GLOSSARY", "TERMS") and isinstance(of, ast.Name):
            yield from ((of.id, text.value, node.lineno) for text in texts if isinstance(text, ast.Constant))


def modules(tree: ast.AST) -> dict[str, ModuleType]:
    """What the names of imported modules of ours stand for in that file."""
    known = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("riskkit"):
            for alias in node.names:
                try:
                    known[alias.asname or alias.name] = importlib.import_module(f"{node.module}.{alias.name}")
                except ModuleNotFoundError:
                    continue
    return known


def missing(text: str) -> list[str]:
    """Terms that the file looks up and nobody explains."""
    tree = ast.parse(text)
    known = modules(tree)
    return [
        f"{of}[{term}] on line {line}"
        for of, term, line in named(tree)
        if term not in (known[of].TERMS if of == "glossary" else known[of].GLOSSARY)
    ]


SCREENS = sorted([*(ROOM / "dashboard").rglob("*.py"), *(ROOM.parent / "pages").glob("*.py")])


@pytest.mark.parametrize(
    "path",
    [p for p in SCREENS if "GLOSSARY[" in p.read_text() or "TERMS[" in p.read_text()],
    ids=lambda path: path.stem,
)
def test_every_term_of_a_page_is_explained(path: Path) -> None:
    assert missing(path.read_text(encoding="utf-8")) == []


def test_a_term_that_nobody_explains_is_seen() -> None:
    head = "from riskkit.questions.records import words as said\n"
    assert missing(head + 'x = said.GLOSSARY["certificate" if y else "nonsense"]') == ["said[nonsense] on line 2"]


def test_no_meaning_is_written_twice() -> None:
    meanings = list(glossary.TERMS.values())
    known = set(meanings)
    assert len(known) == len(meanings)
    copied = [
        f"{path.relative_to(ROOM)}:{node.lineno}"
        for path in sorted(ROOM.rglob("*.py"))
        if path != Path(glossary.__file__).resolve()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say"
        if node.args and isinstance(node.args[0], ast.Constant) and node.args[0].value in known
    ]
    assert copied == []


@pytest.mark.parametrize("words", WORDS, ids=lambda module: module.__name__.split(".", 2)[-1])
def test_a_question_has_its_terms_from_the_one_file(words: ModuleType) -> None:
    assert set(words.GLOSSARY.values()) <= set(glossary.TERMS.values())
    assert "record" in words.GLOSSARY


def test_the_report_explains_its_terms_in_the_words_of_the_pages() -> None:
    explained = glossary.report_glossary()
    assert explained["AUC"] == membership_words.GLOSSARY["auc"]
    assert set(glossary.REPORTED) <= set(glossary.TERMS)
    assert len(explained) == len(glossary.REPORTED)
