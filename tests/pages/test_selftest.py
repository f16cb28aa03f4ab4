"""The self-test on the page Report: run by a button, shown as a table, and said where it failed."""

import pytest

from riskkit.audit import selftest
from riskkit.audit.selftest import PlantedCheck
from riskkit.dashboard.pages.report import SELFTEST
from tests.pages.screens import csv, healthy, loaded, opened, shown

REPORT = "pages/7_report.py"


@pytest.mark.parametrize("right", [True, False])
def test_a_button_runs_it_and_the_result_stays(monkeypatch: pytest.MonkeyPatch, *, right: bool) -> None:
    monkeypatch.setattr(
        selftest, "CHECKS", (PlantedCheck("sound", "a leak of one half", lambda: ("0.50", "0.51", right)),)
    )
    audit = loaded(real=csv(80, 1), synthetic=csv(80, 2))
    screen = healthy(opened(audit, REPORT))
    assert any("Not tested yet" in fold.label for fold in screen.expander)
    screen.button(key=SELFTEST).click().run()
    table = next(frame.value for frame in healthy(screen).dataframe if "expected" in frame.value)
    assert table.iloc[0].tolist() == ["● agrees" if right else "▲ differs", "a leak of one half", "0.50", "0.51"]
    assert ("rely on no number" in shown(screen) or bool(screen.error)) != right
    again = healthy(opened(audit, REPORT))
    text = f"{int(right)} of 1 planted leaks agree"
    assert any(text in fold.label for fold in again.expander)
