"""``riskkit worker``: plays the runs that wait, and takes up those whose worker died."""

from __future__ import annotations

import argparse
import os
import signal
import threading

from riskkit.commands import _options
from riskkit.jobs.store import Store
from riskkit.jobs.worker import serve

ABOUT = "work on the runs that wait, and take up those whose worker died"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--once", action="store_true", help="stop when nothing waits any more")
    _options.add_externals(parser)
    parser.add_argument("--dask", metavar="ADDRESS", help="train on the Dask cluster there (tcp://host:8786)")


def run(options: argparse.Namespace) -> int:
    """Play until there is nothing left, or until told to end; returns the exit code."""
    _options.allow_externals(options)
    if options.dask:
        os.environ["RISKKIT_DASK"] = options.dask
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    finished, failed = serve(Store.default(), once=options.once, over=over, tell=print)
    print(f"{finished} {'run' if finished == 1 else 'runs'} finished" + (f", {failed} failed." if failed else "."))
    return 0
