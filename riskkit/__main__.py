"""``riskkit``, and the program ``riskkit``: the same audits without a browser.

Nothing is loaded before :func:`main`: Ctrl-C may come while anything is, and has its answer there.
"""

import os
import signal
import sys
from typing import Any


def main(*, working: bool = False) -> int:
    """Run the command that this program was started with; returns the exit code.

    A *working* process does it for another (:mod:`riskkit.commands._watch`), and is told first where to leave the code.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody has told it not to listen
        signal.signal(signal.SIGINT, _stop_loading)
    if working:
        open(sys.argv[1], "x").close()  # noqa: PTH123 - from now on a signal is answered here; pathlib is not loaded
    from riskkit.base import process, terminal

    terminal.begin()  # loading takes a second and more, in which nobody should wonder
    process.begin_loading()
    try:
        from riskkit import cli
        from riskkit.commands import _watch

        code = _watch.work(cli.main, *sys.argv[1:]) if working else _watch.watch(cli.main, sys.argv[1:])
    except KeyboardInterrupt:
        process.say_stopped()
        code = 130
    finally:
        terminal.end()
        process.end()
    if code == 130:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        process.stop(signal.SIGINT)  # Python would first tidy up all that it loaded, which takes most of a second
    return code


def _stop_loading(number: int, frame: Any) -> None:  # noqa: ARG001
    """Say so and end at once: nothing is under way yet.

    A ``KeyboardInterrupt`` would now and then be lost: while Python imports, it calls back where nobody can catch one.
    """
    terminal = sys.modules.get("riskkit.base.terminal")
    try:
        if terminal is not None and hasattr(terminal, "end"):
            terminal.end()
        os.write(2, b"riskkit: stopped.\n")
    finally:
        os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
