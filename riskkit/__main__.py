"""``python -m riskkit``, and the program ``riskkit``: the same audits without a browser.

Nothing is loaded before :func:`main`: Ctrl-C may come while anything is, and has its answer there.
"""

import sys


def main(*, working: bool = False) -> int:
    """Run the command that this program was started with; returns the exit code.

    A *working* process does it for another (:mod:`riskkit.commands._watch`), and is told first where to leave the code.
    """
    try:
        if working:
            open(sys.argv[1], "x").close()  # noqa: PTH123 - from now on a signal is answered here; pathlib is not loaded
        code = _run(working=working)
    except KeyboardInterrupt:
        code = _stopped()
    if code == 130:
        _end_at_once()
    return code


def _run(*, working: bool) -> int:
    from riskkit.base import process, terminal

    terminal.begin()  # loading takes a second and more, in which nobody should wonder
    process.begin_loading()
    try:
        from riskkit import cli
        from riskkit.commands import _watch

        return _watch.work(cli.main, *sys.argv[1:]) if working else _watch.watch(cli.main, sys.argv[1:])
    finally:
        terminal.end()
        process.end()


def _stopped() -> int:
    from riskkit.base import process, terminal

    terminal.end()  # its line first, for it would be cleared behind the last words
    sys.stderr.write(process.STOPPED)
    return 130


def _end_at_once() -> None:
    """Python would first tidy up all that it loaded, which takes most of a second."""
    import signal

    from riskkit.base import process

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    process.stop(signal.SIGINT)


if __name__ == "__main__":
    sys.exit(main())
