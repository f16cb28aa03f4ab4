"""``riskkit sample``: the finished sample audit."""

from __future__ import annotations

import argparse

from riskkit.audit.sample import sample_audit
from riskkit.jobs.machine import workers
from riskkit.jobs.store import Store

ABOUT = "make sure the finished sample audit is there"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(_: argparse.Namespace) -> int:
    """Make or find it; returns the exit code."""
    audit = sample_audit(Store.default(), workers=workers())
    print(f"The sample audit is ready: {audit.name}.")
    return 0
