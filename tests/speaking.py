"""Another language for one test, which must not stay for the tests after it."""

import pkgutil
from functools import cache
from importlib import import_module

import pytest

import riskkit

ROOMS = (
    "riskkit.audit",
    "riskkit.commands",
    "riskkit.dashboard",
    "riskkit.judging",
    "riskkit.questions",
    "riskkit.report",
    "riskkit.show",
)


def speak(patch: pytest.MonkeyPatch, language: str) -> None:
    """Speak ``language`` (a tag, or ``MARKS``) until ``patch`` is undone.

    A title that a module holds is said once, when the module is loaded. So all that hold such titles are loaded first,
    in English: one loaded meanwhile would keep the other language in this process.
    """
    load_rooms()
    patch.setenv("RISKKIT_LANGUAGE", language)


@cache
def load_rooms() -> None:
    """Load every module of the rooms that speak to people."""
    for name in ROOMS:
        room = import_module(name)
        for part in pkgutil.walk_packages(room.__path__, f"{name}."):
            import_module(part.name)
    for part in pkgutil.iter_modules(riskkit.__path__):
        if not part.ispkg and not part.name.startswith("__"):
            import_module(f"riskkit.{part.name}")
