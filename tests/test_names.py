"""Names of the package: locals say what they hold, and two classes share a name only where that is on purpose.

Each check is shown to see what it is there for: a planted fault.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAY_NOTHING = frozenset({"found", "told", "said", "given", "one", "at"})
"""Names that say how a thing was come by, or that there is one of it, instead of what it is."""
LATER: dict[str, str] = {}
"""Files whose names are still to be mended, and why."""

PLUGINS = frozenset(
    {"attacks", "defences", "explained", "generators", "inference", "inverters", "released", "targets", "utility"}
)
"""Rooms of plug-ins: one method may stand in several, as a forest does that explains, guesses and inverts."""


def sources() -> dict[str, str]:
    files = [*(ROOT / "riskkit").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(files)}


def bound(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that is bound by itself: assigned, run over, handed in, imported, defined as a function.

    Fields and methods are read with what they belong to, and are left out; so are names of what is called.
    """
    members = {
        id(statement)
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for statement in kind.body
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    fields = {
        id(statement.target)
        for kind in ast.walk(tree)
        if isinstance(kind, ast.ClassDef)
        for statement in kind.body
        if isinstance(statement, ast.AnnAssign)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            yield node.lineno, node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, node.arg
        elif isinstance(node, ast.alias):
            yield node.lineno, node.asname or node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) not in members:
            yield node.lineno, node.name
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, node.name


def that_say_nothing(files: dict[str, str]) -> list[str]:
    return [
        f"{name}:{line} {word}"
        for name, text in files.items()
        if name not in LATER
        for line, word in bound(ast.parse(text))
        if word in SAY_NOTHING
    ]


def test_every_name_says_what_it_holds() -> None:
    assert that_say_nothing(sources()) == []


def test_files_whose_names_are_to_be_mended_are_there() -> None:
    files = sources()
    for name in LATER:
        assert any(word in SAY_NOTHING for _, word in bound(ast.parse(files[name]))), name


@pytest.mark.parametrize(
    "fault",
    [
        "found = look()\n",
        "found: int = 3\n",
        "rows = [one for one in everything]\n",
        "def shown(*, given=None): ...\n",
        "first = max(rows, key=lambda at: at)\n",
        "from riskkit.questions.records import words as said\n",
        "from riskkit.errors import told\n",
        "def told(): ...\n",
        "if (found := look()): ...\n",
        "with opened() as one: ...\n",
        "for at, row in enumerate(rows): ...\n",
    ],
)
def test_a_name_that_says_nothing_is_seen(fault: str) -> None:
    assert len(that_say_nothing({"planted.py": fault})) == 1


def test_fields_methods_and_figures_of_a_sentence_are_not_meant() -> None:
    kept = 'class Draw:\n    at: int\n\n    def one(self): ...\n\n\ntext = say("{told}.", told=sentence)\n'
    assert that_say_nothing({"planted.py": kept}) == []


def room(module: str) -> str:
    return module.split("/")[1]


def are_one_thing(modules: list[str]) -> bool:
    """Whether they are the same thing in several rooms: of several questions, or of several kinds of plug-in.

    Within one room every class has a name of its own.
    """
    rooms = [module.rsplit("/", 1)[0] if room(module) == "questions" else room(module) for module in modules]
    if len(set(rooms)) < len(rooms):
        return False
    return all(room(module) == "questions" for module in modules) or {room(module) for module in modules} <= PLUGINS


def shared(files: dict[str, str]) -> dict[str, list[str]]:
    """The classes of one name in several modules, but those that are the same thing in several rooms."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in files.items():
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.ClassDef):
                places[statement.name].append(name)
    return {name: modules for name, modules in places.items() if len(modules) > 1 and not are_one_thing(modules)}
