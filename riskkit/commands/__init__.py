"""The commands of :mod:`riskkit.cli`; the folder is the list.

A command is one file with ``ABOUT``, what the list of commands says of it (nothing: it is not for people);
``add_options(parser)``; and ``run(options)``, which does it and returns the exit code. Files that begin with an
underscore are shared.
"""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def commands() -> dict[str, ModuleType]:
    """Every command by name, sorted."""
    names = sorted(info.name for info in pkgutil.iter_modules(__path__) if not info.name.startswith("_"))
    return {name: importlib.import_module(f"{__name__}.{name}") for name in names}
