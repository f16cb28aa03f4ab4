"""Play the sample audit anew and write what it found: what a fresh riskkit opens without playing.

    make sample
    python -m sample_data.play [FOLDER]

A minute or two. It is due after every change by which a number, a plan or the form of a result becomes another one, and
with every new version; tests/audit/test_shipped.py says so.
"""

import sys
import tempfile
from pathlib import Path

from riskkit.audit import sample
from riskkit.jobs.machine import workers
from riskkit.jobs.store import Store


def play(folder: Path) -> None:
    """Write a file for each run of the sample into the folder."""
    with tempfile.TemporaryDirectory() as home:
        (Path(home) / "audits").mkdir()
        store = Store(Path(home))
        for audit, place in (
            (sample.demo(store, workers=workers(), folder=Path(home)), folder / "leaky"),
            (sample.load_sample(store), folder),
            (sample.homes(store, workers=workers(), folder=Path(home)), folder / "homes"),
        ):
            for run in audit.runs():
                print(sample.write(run, place))


if __name__ == "__main__":
    play(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent / "finished")
