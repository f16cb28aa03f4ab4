"""Names: locals say what they hold, and two classes of the package share a name only where that is on purpose."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SAY_NOTHING = frozenset({"found", "told", "said", "given", "one", "at"})
"""Names that say how a thing was come by, or that there is one of it, instead of what it is."""
OURS = frozenset({"riskkit", "riskkit_bench", "tests", "benchmarks", "sample_data"})
"""The packages whose names are ours to choose."""
PLUGINS = frozenset(
    {"attacks", "defences", "explained", "generators", "inference", "inverters", "released", "targets", "utility"}
)
"""Rooms of plug-ins: one method may stand in several, as a forest does that explains, guesses and inverts."""


def files_of(*folders: str) -> dict[str, str]:
    files = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in files}


def bound(tree: ast.AST) -> Iterator[str]:
    """Every name that is bound by itself: assigned, run over, handed in, imported, defined as a function.

    Fields and methods are read with what they belong to, and are left out; so are names of what is called, and names
    that others gave to what they made.
    """
    spared: set[int] = set()
    for node in ast.walk(tree):  # what holds a name comes before it
        if isinstance(node, ast.ClassDef):
            spared |= {id(part.target) if isinstance(part, ast.AnnAssign) else id(part) for part in node.body}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] not in OURS:
            spared |= {id(alias) for alias in node.names if alias.asname is None}
        if id(node) in spared:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ExceptHandler | ast.MatchAs | ast.MatchStar):
            yield node.name or ""


def that_say_nothing(text: str) -> set[str]:
    return set(bound(ast.parse(text))) & SAY_NOTHING


def test_every_name_says_what_it_holds() -> None:
    files = files_of("riskkit", "riskkit_bench", "pages", "benchmarks", "sample_data", "tests")
    assert len(files) > 1000
    assert {name: words for name, text in files.items() if (words := that_say_nothing(text))} == {}


@pytest.mark.parametrize(
    ("text", "is_fault"),
    [
        ("found = look()\n", True),
        ("found: int = 3\n", True),
        ("rows = [one for one in everything]\n", True),
        ("def shown(*, given=None): ...\n", True),
        ("from riskkit.questions.records import words as said\n", True),
        ("from riskkit.errors import told\n", True),
        ("def told(): ...\n", True),
        ("if (found := look()): ...\n", True),
        ("from hypothesis import settings as given\n", True),
        ("from hypothesis import given\n", False),
        ('class Draw:\n    at: int\n\n    def one(self): ...\n\n\ntext = say("{told}.", told=sentence)\n', False),
    ],
)
def test_a_name_that_says_nothing_is_seen_and_no_other(text: str, is_fault: bool) -> None:
    assert bool(that_say_nothing(text)) is is_fault


def are_one_thing(modules: list[str]) -> bool:
    """Whether they are the same thing in several rooms: of several questions, or of several kinds of plug-in.

    Within one room every class has a name of its own.
    """
    top = {module.split("/")[1] for module in modules}
    rooms = [module.rsplit("/", 1)[0] if top == {"questions"} else module.split("/")[1] for module in modules]
    return len(set(rooms)) == len(rooms) and (top == {"questions"} or top <= PLUGINS)


def shared(files: dict[str, str]) -> dict[str, int]:
    """The classes of one name in several modules, but those that are the same thing in several rooms."""
    places: defaultdict[str, list[str]] = defaultdict(list)
    for name, text in files.items():
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.ClassDef):
                places[statement.name].append(name)
    return {name: len(where) for name, where in places.items() if len(where) > 1 and not are_one_thing(where)}


ALLOWED = {"Answer": 2, "Audit": 2, "Budget": 2, "Column": 2, "Drawn": 3, "Listed": 2, "Spot": 2}
ALLOWED |= {"Table": 2, "Training": 2}
"""Classes that share a name, with the number of modules: the same thing where it is made and where it is shown, or what
methods of one kind each have for themselves. Take out what you rename."""


def test_two_classes_share_no_name_but_where_that_is_on_purpose() -> None:
    assert shared(files_of("riskkit", "riskkit_bench")) == ALLOWED


def test_a_second_class_of_one_name_is_seen() -> None:
    planted = "class Person: ...\n"
    assert shared({"riskkit/jobs/people.py": planted, "riskkit/stats/people.py": planted}) == {"Person": 2}
    assert shared({"riskkit/questions/records/a.py": planted, "riskkit/questions/records/b.py": planted})
    assert not shared({"riskkit/explained/grown.py": planted, "riskkit/inference/learned.py": planted})
    assert not shared({"riskkit/questions/records/a.py": planted, "riskkit/questions/released/a.py": planted})
