"""Start the dashboard: ``python -m riskkit.dashboard.serve`` and any option of ``streamlit run``."""

import sys

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web import cli

from riskkit import places
from riskkit.language import refused

APP = places.project() / "app.py"


def main() -> None:
    """Become Streamlit, serving ``app.py``.

    A folder named ``pages`` beside it makes Streamlit run a page without ``app.py`` when the very first request after
    a start names that page, as a bookmark does. Ours are listed by ``app.py``; the folder means nothing by itself.
    """
    if refused():
        sys.exit(f"riskkit: {refused()}")
    PagesManager.uses_pages_directory = False
    sys.argv = ["streamlit", "run", str(APP), *sys.argv[1:]]
    cli.main()


if __name__ == "__main__":
    main()
