"""Where the files beside the engine lie: the door ``app.py``, ``pages``, ``sample_data``, ``studies``; and the user's.

In a clone they stand beside the package ``riskkit``; a wheel holds the same files in the folder ``project`` inside it.
"""

import os
import sys
from pathlib import Path

_BUILT_IN = Path(__file__).parents[1] / "project"


def project() -> Path:
    """The folder that holds ``app.py``, ``pages``, ``sample_data``, ``studies`` and Streamlit's settings."""
    return _BUILT_IN if _BUILT_IN.is_dir() else Path(__file__).resolve().parents[2]


def home() -> Path:
    """``RISKKIT_HOME``, else the place this system keeps a user's data."""
    folder = os.environ.get("RISKKIT_HOME")
    if folder:
        return Path(folder)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "riskkit"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "riskkit"
    return Path(os.environ.get("XDG_DATA_HOME", Path.home() / ".local" / "share")) / "riskkit"
