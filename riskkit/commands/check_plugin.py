"""``riskkit check-plugin``: whether a plug-in of yours keeps what those of this house promise."""

from __future__ import annotations

import argparse
import importlib
import sys
from typing import Any

from riskkit import registry
from riskkit.errors import DesignError, describe_error
from riskkit.session.contracts import check_plugin

ABOUT = "check a plug-in of yours: an attack, a generator, ...; exit code 1: it breaks a promise"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("plugin", metavar="MODULE:NAME", help="the class, as Python imports it from here")
    parser.add_argument(
        "--room", default="", choices=registry.ROOMS, help="where it belongs; found from what the class has"
    )


def run(options: argparse.Namespace) -> int:
    """Check it; returns the exit code: 0 where every promise is kept, else 1."""
    checked = check_plugin(_load(options.plugin), options.room)
    print(checked)
    return 0 if checked.holds else 1


def _load(text: str) -> Any:
    """The class that is named so, from a package that is installed or lies in this folder."""
    module, colon, name = text.partition(":")
    if not (colon and module and name):
        raise DesignError(f"{text!r} names no class; write it as my_package.attacks:Mine.")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        return getattr(importlib.import_module(module), name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise DesignError(f"{text} cannot be loaded: {describe_error(error)}.") from error
