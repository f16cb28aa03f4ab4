"""Start the dashboard: ``python -m riskkit.dashboard.serve`` and any option of ``streamlit run``."""

import os
import sys

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

from riskkit import places
from riskkit.audit.sample import sample_audit
from riskkit.errors import RiskkitError
from riskkit.jobs import startup  # noqa: F401  first of all: it counts what loading takes, and nothing else
from riskkit.jobs.machine import workers
from riskkit.jobs.store import Store
from riskkit.language import refused

APP = places.project() / "app.py"


def main() -> None:
    """Become Streamlit, serving ``app.py``.

    A folder named ``pages`` beside it makes Streamlit run a page without ``app.py`` when the very first request after
    a start names that page, as a bookmark does. Ours are listed by ``app.py``; the folder means nothing by itself.
    Where ``RISKKIT_OPEN`` is ``sample``, the sample audit is made sure of first, and is the one that is opened.
    """
    if refused():
        sys.exit(f"riskkit: {refused()}")
    if os.environ.get("RISKKIT_OPEN") == "sample":
        os.environ["RISKKIT_OPEN"] = _sample()
    PagesManager.uses_pages_directory = False
    sys.argv = ["streamlit", "run", str(APP), *sys.argv[1:]]
    cli.main()


def _sample() -> str:
    """The id of the sample audit; ends the program with a sentence where it cannot be made.

    It says first what it does: the very first time that takes most of a minute, in which a terminal would stay empty.
    """
    sys.stderr.write("riskkit: looking after the sample audit; the first start takes about a minute.\n")
    sys.stderr.flush()
    try:
        return sample_audit(Store.default(), workers=workers()).id
    except RiskkitError as error:
        sys.stderr.write(f"riskkit: {error}\n")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.stderr.write("riskkit: stopped.\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
