"""The command line: the same engine and the same numbers as the pages. Its commands are the files of ``commands``.

Every command that asks prints a table for people, or with ``--json`` one JSON object of one shape
(:mod:`riskkit.session.shape`). Exit codes are those of ``docs/exit-codes.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from typing import NoReturn

from riskkit import ending, loading, private
from riskkit.commands import abouts, command
from riskkit.commands._saying import saying
from riskkit.errors import DesignError, RiskkitError, unexpected
from riskkit.language import counting, refused
from riskkit.version import __version__

_COMMANDS = "riskkit.commands."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    private.close()
    try:
        with _printed():
            words = list(sys.argv[1:] if arguments is None else arguments)
            options = _parser(words).parse_args(words)
            if refused():
                raise DesignError(refused())
            return _run(options)
    except RiskkitError as error:
        print(f"riskkit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(ending.STOPPED)
        return 130


@contextmanager
def _printed() -> Iterator[None]:
    """Print all of it; whoever closed standard output, or filled its disk, is told so, for not all was said.

    Raises
    ------
    DesignError
        Standard output took no more.
    """
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError, AttributeError):  # what is left goes nowhere, also when Python ends
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        why = getattr(error, "strerror", None) or "it is closed"
        raise DesignError(
            f"Standard output took no more ({why.lower()}), so what is there is not all. Print to a file or a program "
            "that reads to the end."
        ) from None


def _run(options: argparse.Namespace) -> int:
    """Run the command that was chosen. Its exit code is what it returns, and nothing that it plays can raise another.

    Raises
    ------
    DesignError
        Something else than an error of ours was raised, most likely by a plug-in; its kind and place are told.
    """
    run: Callable[[argparse.Namespace], int] = options.run
    loading.end()
    try:
        with saying(options), counting(""):  # a command that reads a column of households says so of itself
            return run(options)
    except (RiskkitError, KeyboardInterrupt):
        raise
    except BaseException as stray:
        if isinstance(stray, BrokenPipeError) and _is_of_printing(stray):
            raise
        raise DesignError(
            f"It stopped on {unexpected(stray)}. What was said is not shown, because that may be values of the table."
        ) from stray


def _is_of_printing(error: BrokenPipeError) -> bool:
    """Whether a command raised it by a call of its own, which is to print; pipes to other processes are elsewhere."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).startswith(_COMMANDS)


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


def _say_defaults(parser: argparse.ArgumentParser) -> None:
    """Have the help of every option that takes a value and may be left out say what it is then."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                _say_defaults(below)
        elif (
            action.option_strings and action.nargs != 0 and not action.required and "(default: " not in str(action.help)
        ):
            none = action.default in (None, "", [])
            action.help = f"{action.help} (default: {'none' if none else '%(default)s'})"


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
            _say_defaults(own)
            own.set_defaults(run=module.run)
            parser.known = list(own._option_string_actions)
    return parser
