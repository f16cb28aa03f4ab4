"""No private name of another package is used: its next version may not have it, or mean something else by it.

Decided over the syntax trees: what is imported from elsewhere and begins with an underscore; such an attribute of a
module that was imported from elsewhere; and such an attribute of anything else, where no file of ours defines a name
like it.
"""

import ast
import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OURS = ("riskkit", "benchmarks", "tests", "pages", "sample_data")
PUBLIC = {"os._exit", "_fields", "_replace", "_asdict", "_make"}
"""What begins with an underscore and is documented: an end of a process, and what named tuples have."""
ASKED_BY_NAME = ("getattr", "setattr", "hasattr", "delattr")
EXCEPTIONS = {
    "riskkit/base/compilation.py": "numba's cache may hand out code of other types, and no public way names its files",
}
"""Files that do, and why."""


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name.strip("_") != ""


def is_ours(module: str) -> bool:
    return module.split(".")[0] in OURS


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All that a file is made of, which is gone through three times."""
    return tuple(ast.walk(tree))


def defined(tree: ast.AST) -> Iterator[str]:
    """Every name that a file gives to something of its own."""
    for node in nodes(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store(), value=ast.Name(id="self" | "cls")):
                yield node.attr


def foreign(tree: ast.AST) -> set[str]:
    """What names stand for modules and objects of other packages."""
    names = set()
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names if not is_ours(alias.name)}
        elif isinstance(node, ast.ImportFrom) and not is_ours(node.module or ""):
            names |= {alias.asname or alias.name for alias in node.names}
    return names


def root(node: ast.expr) -> str:
    """The name that an expression such as ``a.b().c`` begins with."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def private_names(tree: ast.AST, ours: set[str]) -> Iterator[str]:
    """Private names of other packages that a file uses; ``ours`` are those that files of ours define."""
    elsewhere = foreign(tree)
    for node in nodes(tree):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names if not is_ours(alias.name) and _any(alias.name))
            case ast.ImportFrom(module=str(module)) if not is_ours(module):
                yield from (f"{module}.{alias.name}" for alias in node.names if _any(f"{module}.{alias.name}"))
            case ast.Attribute(attr=name) if is_private(name):
                spelled = ast.unparse(node)
                if not {spelled, name} & PUBLIC and (root(node.value) in elsewhere or name not in ours):
                    yield spelled
            case ast.Call(func=ast.Name(id=how), args=[_, ast.Constant(value=str(name)), *_]) if how in ASKED_BY_NAME:
                if is_private(name) and name not in PUBLIC and name not in ours:
                    yield ast.unparse(node)


def _any(dotted: str) -> bool:
    return any(map(is_private, dotted.split(".")))


def trees() -> Mapping[str, ast.Module]:
    """Every file of the program."""
    command = ["git", "ls-files", "riskkit/*.py", "pages/*.py", "app.py"]
    files = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return {file: ast.parse((ROOT / file).read_text(encoding="utf-8")) for file in files if (ROOT / file).exists()}


def test_no_private_name_of_another_package_is_used_but_where_it_is_said_why() -> None:
    every = trees()
    ours = {name for tree in every.values() for name in defined(tree)}
    used = {file: names for file, tree in every.items() if (names := set(private_names(tree, ours)))}
    assert {file: names for file, names in used.items() if file not in EXCEPTIONS} == {}
    assert EXCEPTIONS.keys() <= used.keys(), "these do so no longer: take them off the list"


PLANTED = {
    "from scipy.special import _ufuncs": "scipy.special._ufuncs",
    "from numba.core._dispatcher import Dispatcher": "numba.core._dispatcher.Dispatcher",
    "import sklearn.utils._openmp_helpers": "sklearn.utils._openmp_helpers",
    "import atexit\natexit._run_exitfuncs()": "atexit._run_exitfuncs",
    "import argparse\ndef f(parser):\n    return parser._actions": "parser._actions",
    "from streamlit import runtime\nruntime.get_instance()._own": "runtime.get_instance()._own",
    "manager = 1\ngetattr(manager, '_session_mgr', None)": "getattr(manager, '_session_mgr', None)",
    "class Loss(Base):\n    def fit(self):\n        return self._get_loss()": "self._get_loss",
}


@pytest.mark.parametrize("source", PLANTED)
def test_a_planted_one_is_seen(source: str) -> None:
    assert list(private_names(ast.parse(source), {"_own"})) == [PLANTED[source]]


@pytest.mark.parametrize(
    "source",
    [
        "from riskkit.table import _kernels",
        "import os\nos._exit(1)",
        "def f(self, other):\n    return self._own + other._own",
        "from urllib.parse import urlsplit\nurlsplit('')._replace(query='')",
        "from __future__ import annotations",
    ],
)
def test_names_of_ours_and_documented_ones_are_left_alone(source: str) -> None:
    assert list(private_names(ast.parse(source), {"_own"})) == []
