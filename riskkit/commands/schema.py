"""``riskkit schema``: what a program that reads results may rely on, as JSON Schema."""

from __future__ import annotations

import argparse
from pathlib import Path

ABOUT = "print the JSON Schema of report.json, or of what commands print with --json"
"""The command in a line."""
SCHEMAS = Path(__file__).parents[1] / "schemas"
"""A file for each, named by what it describes and its version."""
NAMES = {"report": "report-1", "answer": "answer-1"}
"""What can be asked for, and its present version."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument(
        "name",
        nargs="?",
        choices=tuple(NAMES),
        default="report",
        help="report: report.json (default); answer: what a question, check and study print with --json",
    )


def run(options: argparse.Namespace) -> int:
    """Print the schema; returns the exit code."""
    print((SCHEMAS / f"{NAMES[options.name]}.json").read_text(encoding="utf-8"), end="")
    return 0
