"""``riskkit work``: what the store starts for each run; not for people."""

from __future__ import annotations

import argparse
from pathlib import Path

from riskkit.audit import temporary
from riskkit.questions.runs import work

ABOUT = ""
"""Nothing: the list of commands leaves it out."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("folder", type=Path)
    parser.add_argument("--alone", action="store_true", help="take up no other run that waits")


def run(options: argparse.Namespace) -> int:
    """Play the run of that folder; returns the exit code."""
    temporary.begin(options.folder.parents[3])
    return 0 if work(options.folder, alone=options.alone) else 1
