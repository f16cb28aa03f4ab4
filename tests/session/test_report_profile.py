"""A report from Python: laid out by a profile, and counted by nobody."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from riskkit.errors import ParameterError
from riskkit.session.whole import Audit
from tests.report.audited import made


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Audit:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    tables: Any = None  # a report is made from what was found
    return Audit(tables, (), made.audit(made.released(np.random.default_rng(1))), {})


def test_python_chooses_the_profile_and_leaves_no_trace(audit: Audit, tmp_path: Path) -> None:
    folder = audit.report(tmp_path / "out", profile="ico")
    document = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert document["profile"]["name"] == "ico"
    assert document["reports"] is None
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "The motivated intruder test, recorded" in page
    assert "It is not counted how many shareable reports there are" in page
    assert not (tmp_path / "home").exists()


def test_a_profile_that_is_not_there_is_refused_before_anything_is_written(audit: Audit, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="did you mean 'ico'"):
        audit.report(tmp_path / "out", profile="icoo")
    assert not (tmp_path / "out").exists()
