"""The command line: the same engine and the same numbers as the pages. Its commands are the files of ``commands``.

Every command that asks prints a table for people, or with ``--json`` one JSON object of one shape
(:mod:`riskkit.session.shape`). Exit codes are those of ``docs/exit-codes.md``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import NoReturn

from riskkit.commands import abouts, command
from riskkit.errors import DesignError, RiskkitError, unexpected
from riskkit.language import refused
from riskkit.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    try:
        words = list(sys.argv[1:] if arguments is None else arguments)
        options = _parser(words).parse_args(words)
        if refused():
            raise DesignError(refused())
        return _run(options)
    except RiskkitError as error:
        print(f"riskkit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("riskkit: stopped.", file=sys.stderr)
        return 130


def _run(options: argparse.Namespace) -> int:
    """Run the command that was chosen. Its exit code is what it returns, and nothing that it plays can raise another.

    Raises
    ------
    DesignError
        Something else than an error of ours was raised, most likely by a plug-in; its kind and place are told.
    """
    run: Callable[[argparse.Namespace], int] = options.run
    try:
        return run(options)
    except (RiskkitError, KeyboardInterrupt):
        raise
    except BaseException as stray:
        raise DesignError(
            f"It stopped on {unexpected(stray)}. What was said is not shown, because that may be values of the table."
        ) from stray


class _Parser(argparse.ArgumentParser):
    """Names the nearest right option beside one that there is not; ``known`` are those of the command."""

    known: Sequence[str] = ()

    def error(self, message: str) -> NoReturn:
        """Print usage and what is wrong, and end with exit code 2."""
        _, sign, rest = message.partition("unrecognized arguments: ")
        wrong = [word.partition("=")[0] for word in rest.split() if word.startswith("--")] if sign else []
        near = [
            f"{word}: did you mean {like[0]}?" for word in wrong if (like := get_close_matches(word, self.known, 1))
        ]
        super().error(" ".join([message, *near]))


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command line; of all commands only the one that these words name gets its options."""
    parser = _Parser(
        prog="python -m riskkit", description="Audit the privacy risk of a synthetic table before it is released."
    )
    parser.add_argument("--version", action="version", version=f"riskkit {__version__}")
    every = parser.add_subparsers(required=True, metavar="COMMAND")
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, about in abouts().items():
        own = every.add_parser(name, help=about) if about else every.add_parser(name)
        if name == chosen:
            module = command(name)
            module.add_options(own)
            own.set_defaults(run=module.run)
            parser.known = list(own._option_string_actions)
    return parser
