"""The command line: the same engine and the same numbers as the pages. Its commands are the files of ``commands``.

Every command prints a table for people, or with ``--json`` one JSON object: ``estimates``, ``settings``, ``files``
and ``notes``. Exit code 0: done; 2: the files or the question cannot be used, with the sentence that says why.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence

from riskkit.commands import commands
from riskkit.errors import DesignError, RiskkitError
from riskkit.language import refused
from riskkit.version import __version__


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    try:
        if refused():
            raise DesignError(refused())
        run: Callable[[argparse.Namespace], int] = options.run
        return run(options)
    except RiskkitError as error:
        print(f"riskkit: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("riskkit: stopped.", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m riskkit", description="Audit the privacy risk of a synthetic table before it is released."
    )
    parser.add_argument("--version", action="version", version=f"riskkit {__version__}")
    every = parser.add_subparsers(required=True, metavar="COMMAND")
    for name, command in commands().items():
        own = every.add_parser(name, help=command.ABOUT) if command.ABOUT else every.add_parser(name)
        command.add_options(own)
        own.set_defaults(run=command.run)
    return parser
