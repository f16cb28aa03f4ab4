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
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)
"""What binds a name that it holds itself."""
OURS = frozenset({"riskkit", "riskkit_bench", "tests", "benchmarks", "sample_data"})
"""The packages whose names are ours to choose."""
PLUGINS = frozenset(
    {"attacks", "defences", "explained", "generators", "inference", "inverters", "released", "targets", "utility"}
)
"""Rooms of plug-ins: one method may stand in several, as a forest does that explains, guesses and inverts."""


def sources() -> dict[str, str]:
    files = [*(ROOT / "riskkit").rglob("*.py"), *(ROOT / "riskkit_bench").rglob("*.py"), *(ROOT / "pages").glob("*.py")]
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in sorted(files)}


def bound(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every name that is bound by itself: assigned, run over, handed in, imported, defined as a function.

    Fields and methods are read with what they belong to, and are left out; so are names of what is called, and names
    that others gave to what they made.
    """
    theirs = {
        id(alias)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] not in OURS
        for alias in node.names
        if alias.asname is None
    }
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
        elif isinstance(node, ast.alias) and id(node) not in theirs:
            yield node.lineno, node.asname or node.name
        elif isinstance(node, NAMED) and node.name and id(node) not in members:
            yield node.lineno, node.name


def that_say_nothing(files: dict[str, str]) -> list[str]:
    return [
        f"{name}:{line} {word}"
        for name, text in files.items()
        for line, word in bound(ast.parse(text))
        if word in SAY_NOTHING
    ]


def of_folder(name: str) -> dict[str, str]:
    return {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in (ROOT / name).rglob("*.py")}


def test_every_name_says_what_it_holds() -> None:
    tests = of_folder("tests")
    assert tests
    files = sources() | of_folder("benchmarks") | of_folder("sample_data") | tests
    assert that_say_nothing(files) == []


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


def test_a_name_of_another_package_is_meant_only_where_we_give_it_anew() -> None:
    assert that_say_nothing({"planted.py": "from hypothesis import given\n"}) == []
    assert len(that_say_nothing({"planted.py": "from hypothesis import settings as given\n"})) == 1


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


IN_TWO_ROOMS = {
    "Answer": 2,
    "Audit": 2,
    "Column": 2,
    "Spot": 2,
}
"""The same thing where it is made and where it is shown.

An audit and its answers, in the store or a report and in Python; a method on the frontier, of a contest and of its
report; a column, of a table of people and of a table of numbers.
"""
OF_EACH_METHOD = {
    "Budget": 2,
    "Drawn": 3,
    "HandWritten": 2,
    "Training": 2,
}
"""What methods of one kind each have for themselves: the part of the one is the part of the other."""
HANDED_OUT = {
    "Table": 2,
}
"""Of the nouns of the core, what a program sees that never imports riskkit: recipes have a table of their own."""
TO_BE_TOLD_APART = {
    "Listed": 2,
}
"""Classes that are not the same thing and still share a name, with the number of modules. Take out what you rename."""
ALLOWED = IN_TWO_ROOMS | OF_EACH_METHOD | HANDED_OUT | TO_BE_TOLD_APART


def test_two_classes_share_no_name() -> None:
    places = shared(sources())
    assert {name: modules for name, modules in places.items() if len(modules) > ALLOWED.get(name, 0)} == {}


def test_every_name_that_may_be_shared_is() -> None:
    assert {name: len(modules) for name, modules in shared(sources()).items()} == ALLOWED


def test_a_second_class_of_one_name_is_seen() -> None:
    planted = "class Person: ...\n"
    rooms = {"riskkit/jobs/people.py": planted, "riskkit/stats/people.py": planted}
    assert shared(rooms) == {"Person": list(rooms)}
    assert shared({"riskkit/questions/records/a.py": planted, "riskkit/questions/records/b.py": planted})


def test_the_same_thing_in_two_rooms_may_have_one_name() -> None:
    planted = "class Forest: ...\n"
    assert shared({"riskkit/explained/forest.py": planted, "riskkit/inference/forest.py": planted}) == {}
    assert shared({"riskkit/questions/records/a.py": planted, "riskkit/questions/released/a.py": planted}) == {}
