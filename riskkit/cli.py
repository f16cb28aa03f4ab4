"""The command line: the same engine and the same numbers as the pages. Its commands are the files of ``commands``.

Every command that asks prints a table for people, or with ``--json`` one JSON object of one shape
(:func:`riskkit.session.verdicts.answer_shape`). Exit codes are those of ``docs/exit-codes.md``.
"""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

from riskkit.base import process
from riskkit.commands import abouts, command
from riskkit.commands._progress import saying
from riskkit.errors import DesignError, RiskkitError, describe_error, nearest
from riskkit.language import counting, refusal
from riskkit.version import __version__

_COMMANDS = "riskkit.commands."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    process.close()
    try:
        with _print_all():
            words = list(sys.argv[1:] if arguments is None else arguments)
            options = _parser(words).parse_args(words)
            if refusal():
                raise DesignError(refusal())
            return _run(options)
    except RiskkitError as error:
        print(f"riskkit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        process.say_stopped()
        return 130


@contextmanager
def _print_all() -> Iterator[None]:
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
    process.end_loading()
    try:
        with saying(options), counting(""):  # a command that reads a column of households says so of itself
            return run(options)
    except (RiskkitError, KeyboardInterrupt):
        raise
    except BaseException as stray:
        if isinstance(stray, BrokenPipeError) and _is_of_printing(stray):
            raise
        raise DesignError(
            f"It stopped on {describe_error(stray)}. What was said is not shown, because that may be values of the "
            "table."
        ) from stray


def _is_of_printing(error: BrokenPipeError) -> bool:
    """Whether a command raised it by a call of its own, which is to print; pipes to other processes are elsewhere."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    return str(frame.f_globals.get("__name__", "")).startswith(_COMMANDS)


class _Parser(argparse.ArgumentParser):
    """Names the nearest right option beside one that there is not; ``known`` are those of the command.

    ``options`` are all that were added, also to a group of them.
    """

    known: Sequence[str] = ()

    def __init__(self, **how: Any) -> None:
        self.options: list[argparse.Action] = []
        super().__init__(**how)

    def add_argument(self, *names: str, **how: Any) -> argparse.Action:
        """Add an option."""
        self.options.append(super().add_argument(*names, **how))
        return self.options[-1]

    def add_mutually_exclusive_group(self, **how: Any) -> Any:
        """Add a group of options of which one can be given."""
        group: Any = super().add_mutually_exclusive_group(**how)
        add = group.add_argument

        def add_argument(*names: str, **how: Any) -> argparse.Action:
            self.options.append(add(*names, **how))
            return self.options[-1]

        group.add_argument = add_argument
        return group

    def add_subparsers(self, **how: Any) -> Any:
        """Add the options of what stands below the command."""
        self.options.append(super().add_subparsers(**how))
        return self.options[-1]

    def say_defaults(self) -> None:
        """Have the help of every option that takes a value and may be left out say what it is then."""
        for option in self.options:
            if isinstance(option.choices, Mapping):
                for below in option.choices.values():
                    below.say_defaults()
            elif (
                option.option_strings
                and option.nargs != 0
                and not option.required
                and "(default: " not in str(option.help)
            ):
                none = option.default in (None, "", [])
                option.help = f"{option.help} (default: {'none' if none else '%(default)s'})"

    def error(self, message: str) -> NoReturn:
        """Print usage and what is wrong, and end with exit code 2."""
        _, sign, rest = message.partition("unrecognized arguments: ")
        wrong = [word.partition("=")[0] for word in rest.split() if word.startswith("--")] if sign else []
        super().error(message + "".join(f"; {word}{near}" for word in wrong if (near := nearest(word, self.known))))


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command line; of all commands only the one that these words name gets its options."""
    parser = _Parser(prog="riskkit", description="Audit the privacy risk of a synthetic table before it is released.")
    parser.add_argument("--version", action="version", version=f"riskkit {__version__}")
    every = parser.add_subparsers(required=True, metavar="COMMAND")
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, about in abouts().items():
        own = every.add_parser(name, help=about) if about else every.add_parser(name)
        if name == chosen:
            module = command(name)
            module.add_options(own)
            own.say_defaults()
            own.set_defaults(run=module.run)
            parser.known = [name for option in own.options for name in option.option_strings]
    return parser
