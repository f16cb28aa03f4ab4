"""``python -m riskkit``, and the program ``riskkit``: the same audits without a browser."""

import signal
import sys

from riskkit import ending, loading, terminal


def main() -> int:
    """Run the command that this program was started with; returns the exit code."""
    terminal.begin()  # loading takes a second and more, in which nobody should wonder
    ending.very_first(terminal.end)
    loading.begin()
    try:
        from riskkit.gate import main as run  # within the block: Ctrl-C may come while it is loaded

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write(ending.STOPPED)
        code = 130
    finally:
        terminal.end()
        ending.by_itself()
    if code == 130:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        ending.now(signal.SIGINT)  # Python would first tidy up all that it loaded, which takes most of a second
    return code


if __name__ == "__main__":
    outcome = main()
    if sys.argv[1:2] == ["work"]:
        ending.at_once(outcome)  # the page that cancelled its run sees it there until then
    sys.exit(outcome)
