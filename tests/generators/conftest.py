"""Fixtures for tests of generators."""

import tempfile
from pathlib import Path

import pytest

from riskkit.generators import bayesnet, external
from riskkit.generators.engines import network

# Before a test imports it: what its checks compared is shown where they fail.
pytest.register_assert_rewrite("tests.generators.own_generator")


@pytest.fixture(params=["dense", "sparse"])
def counting(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Count as always, or as if every joint table were too large to hold."""
    if request.param == "sparse":
        for module in (network, bayesnet):
            monkeypatch.setattr(module, "is_dense", lambda cells, rows: False)
    return str(request.param)


OBJECTS = [
    f"tests.generators.own_models:{name}"
    for name in (
        "Bootstrap",
        "Plain",
        "Loud",
        "Sleeps",
        "WithTorch",
        "FixedLikeSdv",
        "factory",
        "instance",
        "Breaks",
        "BreaksLater",
        "NeedsMetadata",
        "Listed",
        "MakesUp",
        "Short",
        "maker_of_nothing",
        "number",
        "nowhere",
    )
] + ["no_such_package.x:Y"]
"""The Python objects of these tests, each named as one must be to be used."""


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Allowed, with a folder for temporary files that only this test uses."""
    monkeypatch.setenv(external.ALLOWED, "1")
    monkeypatch.setenv(external.OFFERED, ",".join(OBJECTS))
    own = tmp_path / "temporary"
    own.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    return own
