"""The commands of :mod:`riskkit.cli`; the folder is the list.

A command is one file with ``ABOUT = "..."``, what the list of commands says of it (nothing: it is not for people);
``add_options(parser)``; and ``run(options)``, which does it and returns the exit code. Files that begin with an
underscore are shared; ``check_plugin.py`` is the command ``check-plugin``. Only the command that is run is imported:
with the engine behind it that takes seconds.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
from pathlib import Path
from types import ModuleType


def abouts() -> dict[str, str]:
    """What each command says of itself, by name, sorted; read from the files, which are not imported."""
    files = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    return {file.replace("_", "-"): _about(Path(__file__).with_name(f"{file}.py")) for file in files}


def command(name: str) -> ModuleType:
    """The command of that name."""
    return importlib.import_module(f"{__name__}.{name.replace('-', '_')}")


def _about(file: Path) -> str:
    """The text that is assigned to ``ABOUT`` at the top of that file."""
    for line in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "ABOUT" for to in line.targets):
            return str(ast.literal_eval(line.value))
    raise AttributeError(f"{file.name} has no ABOUT.")
