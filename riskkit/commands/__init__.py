"""The commands of :mod:`riskkit.cli`; the folder is the list, and each question is a command.

A command is one file with ``ABOUT = "..."``, what the list of commands says of it (nothing: it is not for people);
``add_options(parser)``; and ``run(options)``, which does it and returns the exit code. Files that begin with an
underscore are shared; ``check_plugin.py`` is the command ``check-plugin``. A question without such a file is asked by
:mod:`riskkit.commands._ask`. Only the command that is run is imported: with the engine behind it that takes seconds.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import pkgutil
from pathlib import Path
from typing import Protocol, cast

from riskkit import own
from riskkit.base.extras import require
from riskkit.questions import POINTS, folders, question

BENCH = {"bench": "run many attacks on many methods and tables, and write the table of leaks"}
"""The command of riskkit-bench, the other package of this repository, and what it says of itself."""


class Command(Protocol):
    """What a command can do: a file of this folder, or a question."""

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Its options."""

    def run(self, options: argparse.Namespace) -> int:
        """Do what the options ask for; returns the exit code."""


def abouts() -> dict[str, str]:
    """What each command says of itself, by name, sorted; read from the files, which are not imported."""
    files = [info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_")]
    of_files = {file.replace("_", "-"): _about(Path(__file__).with_name(f"{file}.py")) for file in files}
    asks = {name: _meaning(folder) for name, folder in folders().items() if name not in of_files}
    others = {name: f"a question of the package {package}" for name, package in own.package_names(POINTS).items()}
    return dict(sorted({**others, **of_files, **asks, **BENCH}.items()))


def command(name: str) -> Command:
    """The command of that name; :class:`MissingLibrary` where the package that brings it is not installed."""
    if name in BENCH:
        require("bench", f"The command {name}")
        return cast(Command, importlib.import_module("riskkit_bench.command"))
    file = name.replace("-", "_")
    if Path(__file__).with_name(f"{file}.py").is_file():
        return cast(Command, importlib.import_module(f"{__name__}.{file}"))
    ask: Command = importlib.import_module(f"{__name__}._ask").AskCommand(question(name))
    return ask


def _meaning(folder: Path) -> str:
    """The first line of what the folder of a question says of itself."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]


def _about(file: Path) -> str:
    """The text that is assigned to ``ABOUT`` at the top of that file."""
    for line in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "ABOUT" for to in line.targets):
            return str(ast.literal_eval(line.value))
    raise AttributeError(f"{file.name} has no ABOUT.")
