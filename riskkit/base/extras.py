"""Libraries that an installation may do without: which extra of the package brings them, and who needs them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

from riskkit.errors import MissingLibrary
from riskkit.phrases import phrase

TITLES = {
    "app": {
        "streamlit": "Streamlit",
        "plotly": "plotly",
        "click": "click",
        "starlette": "Starlette",
        "uvicorn": "uvicorn",
    },
    "shared": {"authlib": "Authlib", "httpx2": "httpx2"},
    "deep": {"torch": "PyTorch", "ctgan": "the ctgan package", "rdt": "the rdt package"},
    "explain": {"shap": "the shap library"},
    "statistics": {"pyreadstat": "the pyreadstat library"},
    "bench": {"riskkit_bench": "riskkit-bench"},
}
"""What each extra of the package brings, by module."""


def require(extra: str, who: str) -> None:
    """Make sure that all libraries of an extra are there, without importing any.

    Raises
    ------
    MissingLibrary
        One is not; says that ``who`` needs it, and what to install.
    """
    for module, title in TITLES[extra].items():
        if not _is_there(module):
            raise MissingLibrary.phrase(
                "{who} needs {title}, which is not installed: pip install 'riskkit[{extra}]'",
                who=who,
                title=phrase(title),
                extra=extra,
            )


def _is_there(module: str) -> bool:
    if module in sys.modules:
        return sys.modules[module] is not None
    return find_spec(module) is not None
