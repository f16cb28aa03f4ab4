"""What tests of faults share."""

import pytest

from riskkit.jobs import runs


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is dead is known to be dead at once."""
    monkeypatch.setattr(runs, "BEGIN_WITHIN", 0.0)
    monkeypatch.setattr("riskkit.jobs.leases.STALE_AFTER", 0.0)
