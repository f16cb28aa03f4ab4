"""The blocks of ``docs/notebook.md``, run one after another in a folder of their own."""

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import riskkit as rk
from riskkit import own, registry
from tests.session.people import people

pytestmark = pytest.mark.second
PAGE = Path(__file__).resolve().parents[1] / "docs" / "notebook.md"


def blocks() -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What every block sees; plug-ins it registers are gone afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(own, "_REGISTERED", {})
    registry.plugins.cache_clear()
    people(seed=2).to_csv("holdout.csv", index=False)
    yield {"df": people(), "released_df": people(seed=1), "__name__": "tests.test_notebook"}
    registry.plugins.cache_clear()


def test_every_block_runs_and_does_what_is_said(page: dict[str, Any], tmp_path: Path) -> None:
    assert len(blocks()) == 8
    for block in blocks():
        exec(compile(block, str(PAGE), "exec", dont_inherit=True), page)  # noqa: S102  our own page
    assert isinstance(page["frame"], pd.DataFrame)
    assert list(page["frame"].columns[:5]) == ["name", "value", "low", "high", "n"]
    assert page["figure"].data
    assert len(page["others"]) == 4
    assert page["words"][0] == page["words"][1]
    assert {e.labels["record"] for e in page["exposed"].estimates if "record" in e.labels} == {"3", "17"}
    assert page["exposed"].plan.certificate
    assert {e.labels["attack"] for e in page["own"].estimates} == {"mvl", "equal-rows"}
    assert {e.labels["generator"] for e in page["own"].estimates} == {"with-replacement"}
    assert page["checked"].holds, page["checked"]
    assert page["alone"].read_bytes()
    assert "released" in set(page["verdicts"]["question"])
    audited = page["audited"]
    assert [plan.question for plan in audited.plans] == [
        "membership",
        "released",
        "singling-out",
        "linkability",
        "records",
        "attributes",
    ]
    assert audited.verdict in repr(audited).lower()
    cells = {str(cell) for name in ("df", "released_df") for column in page[name] for cell in page[name][column]}
    assert not [cell for cell in cells if cell in repr(audited) + audited._repr_html_()]
    written = {path.name for path in (tmp_path / "report").iterdir()}
    assert written >= {"report.pdf", "report.html", "report.json", "verdicts.csv", "evidence.zip"}


def test_every_name_of_the_facade_that_the_page_calls_is_there() -> None:
    called = set(re.findall(r"\brk\.([a-z_A-Z]+)", PAGE.read_text(encoding="utf-8")))
    assert called <= set(rk.__all__)
    assert {"load", "membership", "released", "records", "attributes", "explanations", "contest", "audit"} <= called
