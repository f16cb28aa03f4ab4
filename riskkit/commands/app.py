"""``riskkit app``: the dashboard on this computer."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from riskkit import language
from riskkit.base import places, process
from riskkit.base.extras import require
from riskkit.errors import DesignError

ABOUT = "start the dashboard on this computer"
"""The command in a line."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--port", type=int, default=8501, help="where it listens (default: %(default)s)")
    parser.add_argument(
        "--language",
        choices=[tag for tag in language.languages() if tag != language.MARKS],
        help="the language of pages and reports (default: that of RISKKIT_LANGUAGE, or English)",
    )
    parser.add_argument(
        "--no-token",
        action="store_true",
        help="let in whoever reaches the dashboard on this computer, every account of it among them",
    )
    parser.add_argument(
        "--shared", type=Path, metavar="FILE", help="let several people log in, as this file says (docs/operate.md)"
    )
    parser.add_argument(
        "--idle",
        type=float,
        metavar="MINUTES",
        help="lock the dashboard when nobody used it for so long (default: 60); runs go on",
    )
    parser.add_argument(
        "--allow-external", action="store_true", help="let whoever uses the dashboard run programs on this computer"
    )
    parser.add_argument(
        "--external-python",
        action="append",
        default=[],
        metavar="PACKAGE.MODULE:NAME",
        help="offer this Python object with fit and sample as a generator; may be given several times",
    )


def run(options: argparse.Namespace) -> int:
    """Become Streamlit, with the finished sample audit open to look at.

    The engine is loaded once, by the server: what of it is needed here is imported where it is asked for.
    """
    require("app", "The dashboard")
    if options.shared is not None:
        require("shared", "A dashboard for several")
        if options.no_token or options.allow_external or options.external_python:
            raise DesignError(
                "A dashboard for several has a login in place of the token, and runs no programs: what one person "
                "starts could read the audits of all. Leave the other options out."
            )
    elif options.allow_external or options.external_python:
        from riskkit.generators import external

        # The worker of a run is a child of the server, so it is allowed what the server is.
        if options.allow_external:
            external.allow()
        if options.external_python:
            external.offer(options.external_python)
            here = os.environ.get("PYTHONPATH", "")  # the server moves to a folder of its own
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(Path.cwd()), here)))
    if options.shared is None:
        os.environ["RISKKIT_OPEN"] = "sample"
    if options.language:
        os.environ["RISKKIT_LANGUAGE"] = options.language
    shared = None if options.shared is None else options.shared.resolve()
    os.chdir(places.project())  # where Streamlit's settings lie
    command = [sys.executable, "-m", "riskkit.dashboard", "--server.port", str(options.port)]
    if options.no_token:
        command.append("--no-token")
    if shared is not None:
        command += ["--shared", str(shared)]
    if options.idle is not None:
        command += ["--idle", str(options.idle)]
    if sys.platform == "win32":  # no process can replace another there
        return subprocess.call(command)
    return os.execve(command[0], command, process.forgetful())
