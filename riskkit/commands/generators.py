"""``python -m riskkit generators``: methods that are not riskkit's own, and whether an audit can use them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from riskkit import registry
from riskkit.commands import _recipes, _trial
from riskkit.generators.external import External

ABOUT = "use generators that are not riskkit's: try one of your own, add and check those of other packages"
"""The command in a line."""
SETTINGS = ("timeout", "memory", "outside")
"""Settings of a generator of one's own that a trial takes too."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command, one group for each thing that can be done."""
    does = parser.add_subparsers(required=True, metavar="WHAT", help="what to do")
    own = does.add_parser("try", help="run it once on sample data, and say what is wrong with its release")
    own.set_defaults(action=_trial.run)
    own.add_argument(
        "command",
        nargs="?",
        default="",
        metavar="COMMAND",
        help="your program in quotes, with {train}, {n}, {seed} and {out} in the places of file, number of rows, seed "
        "and file to write; one of two tables has {train_children} and {out_children} too",
    )
    own.add_argument("--python", default="", metavar="PACKAGE.MODULE:NAME", help="instead: a Python object of yours")
    own.add_argument("--rows", type=int, default=500, metavar="N", help="rows of the sample data, and of the release")
    own.add_argument("--seed", type=int, default=1, help="of the numbers that it draws, where it takes a seed")
    for setting in registry.settings(External):
        if setting.name in SETTINGS:
            own.add_argument(
                f"--{setting.name}",
                type=setting.type,
                default=setting.default,
                choices=setting.choices,
                help=f"{setting.label}. {setting.help}",
            )
    own.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    # Methods of other packages
    own = does.add_parser("list", help="methods of other packages, which of them are here, and which cannot be had")
    own.set_defaults(action=_recipes.show)
    own.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    own = does.add_parser("add", help="make the environment of such a method, once you agree to its licence")
    own.set_defaults(action=_recipes.add)
    own.add_argument("name", metavar="NAME", help="as generators list names it")
    own.add_argument("--yes", action="store_true", help="agree to the licence beforehand")
    own.add_argument("--again", action="store_true", help="make it anew where it is there")
    own.add_argument("--interpreter", default=sys.executable, metavar="PYTHON", help="the Python that it is made with")
    own = does.add_parser("check", help="train such a method on sample data and play one game with it")
    own.set_defaults(action=_recipes.check)
    own.add_argument("name", metavar="NAME", help="as generators list names it")
    own.add_argument("--rows", type=int, default=500, metavar="N", help="rows of the sample data, and of a release")
    own.add_argument("--timeout", type=int, default=600, metavar="SECONDS", help="the longest that one training takes")
    own.add_argument("--memory", type=int, default=16, metavar="GB", help="address space that it may take; 0: no limit")
    own.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(options: argparse.Namespace) -> int:
    """Do it; returns the exit code."""
    action: Callable[[argparse.Namespace], int] = options.action
    return action(options)
