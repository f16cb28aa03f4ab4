"""Recipes for methods of other packages: each is one small file, with what it needs and how it is fitted and sampled.

They come with riskkit-bench, the other package of this repository. A file ``riskkit_bench/recipes/NAME.py`` has
literals at its top, which are read and never run here, and two functions, which run in an environment of the method's
own (``_adapter.py`` beside it)::

    TITLE = "Adversarial random forest (arfpy)"
    LICENCE = "MIT"
    PINS = ("arfpy==0.1.1", "numpy==2.4.6", ...)   # the whole environment
    NEEDS = "What it needs of a table."
    CHANCE = "What of its chance a seed settles."

    def fit(table, columns, seed): ...              # returns a model
    def sample(model, rows, seed): ...              # returns a DataFrame

Where a method cannot be had, the file has ``ABSENT`` with the reason in place of pins and functions. ``ENVIRONMENT`` is
the name of the environment, where several recipes share one.
"""

from __future__ import annotations

import ast
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from riskkit.base import places
from riskkit.base.extras import require
from riskkit.errors import ParameterError, nearest
from riskkit.phrases import phrase

_BENCH = find_spec("riskkit_bench")
FOLDER = Path(_BENCH.origin if _BENCH and _BENCH.origin else __file__).with_name("recipes")
"""Where the recipes lie; not there where riskkit-bench is not installed."""
ADAPTER = FOLDER / "_adapter.py"
MADE = "made.json"
"""What an environment holds once it is complete: the pins that it was made of."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A method of another package: what it is, under which licence, what it is made of, or why it cannot be had."""

    name: str
    title: str
    licence: str
    pins: tuple[str, ...] = ()
    needs: str = ""
    chance: str = ""
    environment: str = ""
    absent: str = ""

    @property
    def file(self) -> Path:
        """The file that fits and samples."""
        return FOLDER / f"{self.name.replace('-', '_')}.py"

    @property
    def folder(self) -> Path:
        """Where its environment lies."""
        return places.home() / "generators" / (self.environment or self.name)

    @property
    def python(self) -> Path:
        """The Python of its environment."""
        return self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    @property
    def sha(self) -> str:
        """Of the pins: an environment that was made of others is another one."""
        return hashlib.sha256("\n".join(self.pins).encode()).hexdigest()

    @property
    def is_made(self) -> bool:
        """Whether its environment is there, made of these pins."""
        try:
            made: Any = json.loads((self.folder / MADE).read_bytes())
        except (OSError, ValueError):
            return False
        return isinstance(made, dict) and made.get("sha") == self.sha and self.python.exists()

    def words(self) -> list[str]:
        """The command of its adapter."""
        return [str(self.python), "-P", str(ADAPTER), str(self.file)]


@cache
def recipes() -> Mapping[str, Recipe]:
    """All recipes by name, sorted; none where riskkit-bench is not installed."""
    files = sorted(file for file in FOLDER.glob("*.py") if not file.stem.startswith("_"))
    return {made.name: made for made in map(_read, files)}


def installed_recipes() -> Mapping[str, Recipe]:
    """All recipes by name, sorted.

    Raises
    ------
    MissingLibrary
        riskkit-bench, which brings them, is not installed.
    """
    require("bench", phrase("A method of another package"))
    return recipes()


def recipe(name: str) -> Recipe:
    """The recipe of that name.

    Raises
    ------
    ParameterError, MissingLibrary
        There is none, its method cannot be had, or riskkit-bench is not installed.
    """
    known = installed_recipes()
    if name not in known:
        there = tuple(known_recipe.name for known_recipe in known.values() if not known_recipe.absent)
        raise ParameterError.phrase(
            "There is no recipe {name!r}{near}; choose one of {there}.",
            name=name,
            near=nearest(name, there),
            there=there,
        )
    if known[name].absent:
        raise ParameterError.phrase(
            "The method {name} cannot be used here. {reason}", name=name, reason=known[name].absent
        )
    return known[name]


def _read(file: Path) -> Recipe:
    """The literals at the top of a recipe."""
    values: dict[str, Any] = {}
    for line in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name) and line.targets[0].id.isupper():
            values[line.targets[0].id.lower()] = ast.literal_eval(line.value)
    pins = tuple(str(values.pop("pins", "")).split())
    known = {name: str(values[name]) for name in values.keys() & Recipe.__dataclass_fields__.keys()}
    return Recipe(file.stem.replace("_", "-"), pins=pins, **known)
