"""Where the files beside the engine lie: the door ``app.py``, ``pages``, ``sample_data``, ``studies``.

In a clone they stand beside the package ``riskkit``; a wheel holds the same files in the folder ``project`` inside it.
"""

from pathlib import Path

_BUILT_IN = Path(__file__).with_name("project")


def project() -> Path:
    """The folder that holds ``app.py``, ``pages``, ``sample_data``, ``studies`` and Streamlit's settings."""
    return _BUILT_IN if _BUILT_IN.is_dir() else Path(__file__).resolve().parents[1]
