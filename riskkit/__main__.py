"""``python -m riskkit``, and the program ``riskkit``: the same audits without a browser."""

import signal
import sys


def main() -> int:
    """Run the command that this program was started with; returns the exit code."""
    try:
        from riskkit.gate import main as run  # within the block: Ctrl-C may come while it is loaded

        code = run()
    except KeyboardInterrupt:
        sys.stderr.write("riskkit: stopped.\n")
        code = 130
    if code == 130:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second one would only cut off how Python ends
    return code


if __name__ == "__main__":
    sys.exit(main())
