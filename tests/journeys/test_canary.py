"""Files of unique tokens go through the dashboard and its workers: no log and no temporary folder holds one.

The audit's own folder and the database hold them, which is where they belong; so does what the user sees and keeps.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")

from riskkit.dashboard.pages.data_files import TITLES
from riskkit.jobs.store import Audit, Store
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.browsing import window_of
from tests.conftest import Server, dashboard
from tests.journeys.test_first_audit import PLAY_WITHIN, drop, go, settled
from tests.journeys.test_report import downloaded
from tests.pages.runs import ended
from tests.report.audited.test_canary import files, held_in, texts, tokens

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

BREAKS = MembershipPlan(
    generators=("stat",), targets=("listed:rows=99999",), attacks=("mvl",), trainings=12, generations=1, n_syn=60
)
"""A game for a row that is not there: its worker fails."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where everything of this file lies."""
    return tmp_path_factory.mktemp("canary")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Server]:
    """A dashboard whose temporary files, and those of its workers, go into a folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("tmp", "user", "home"):
            (folder / name).mkdir()
        patch.setenv("TMPDIR", str(folder / "tmp"))
        patch.setenv("HOME", str(folder / "user"))
        patch.setenv("RISKKIT_HOME", str(folder / "home"))
        with dashboard(folder / "home") as started:
            yield started


@pytest.fixture
def tab(browser: Browser, served: Server) -> Iterator[Page]:
    """A tab at that dashboard."""
    with window_of(browser, served.url) as context:
        opened = served.let_in(context).new_page()
        opened.set_default_timeout(PLAY_WITHIN)
        yield opened


def outside(folder: Path, audit: Audit) -> dict[str, str]:
    """All that lies outside the audit's own files and the tables of the store, by name; logs of runs among it."""
    home = folder / "home"
    vault = {path for path in audit.path.rglob("*") if path.is_file() and path.name != "log"}
    kept = {path for path in home.glob("*") if path.is_file() and ".db" in path.name}
    files_there = [path for path in folder.rglob("*") if path.is_file() and path not in vault | kept]
    return {
        str(path.relative_to(folder)): path.read_bytes().decode("latin-1")
        for path in files_there
        if path.relative_to(folder).parts[0] not in ("vault", "kept")
    }


def handed_in(tab: Page, folder: Path, slot: str, path: Path) -> None:
    """Drop a file into its slot until it is in the audit: a rerun of the page may swallow it."""
    for _ in range(3):
        drop(tab, TITLES[slot], path.name, path.read_bytes())
        settled(tab)
        if any(slot in audit.files for audit in Store(folder / "home").audits()):
            return
    raise AssertionError(f"{path.name} was not taken in: {tab.get_by_test_id('stMain').inner_text()[:600]}")


@pytest.mark.slow
def test_logs_and_temporary_folders_hold_no_value_no_name_and_no_category(tab: Page, folder: Path) -> None:
    (folder / "vault").mkdir()
    paths = files(folder / "vault")
    real = set().union(*(tokens(path) for path in paths.values()))
    tab.goto("/")
    for slot, path in paths.items():
        handed_in(tab, folder, slot, path)
    tab.get_by_role("button", name="Run the audit").wait_for()
    (audit,) = (audit_there for audit_there in Store(folder / "home").audits() if set(paths) <= set(audit_there.files))
    assert ended(audit.start(ReleasedPlan(attacks=("dcr", "nn-kde")), workers=2), 600) == "finished"
    broken = audit.start(BREAKS, workers=1)
    assert ended(broken, 600) == "failed"
    for title in ("Membership", "Report", "Audits", "Report"):
        go(tab, title)
        settled(tab)
    (folder / "kept").mkdir()
    for button, name in (("PDF", "a.pdf"), ("Evidence pack (ZIP)", "b.zip"), ("JSON", "c.json")):
        _, source = downloaded(tab, button)
        (folder / "kept" / name).write_bytes(source)
        for text in texts(folder / "kept" / name):
            assert not held_in(text, real), name
    texts_outside = outside(folder, audit)
    assert any(name.endswith("home.log") for name in texts_outside), "the log of the dashboard was looked at"
    assert any(name.endswith("/log") for name in texts_outside), "and those of its workers"
    for name, text in texts_outside.items():
        held = held_in(text, real)
        assert not held, f"{name} holds {len(held)}, such as {held[:3]}"
    for run in audit.runs():
        for line in run.log():
            assert not held_in(line, real), line
    own = "".join(path.read_bytes().decode("latin-1") for path in audit.path.rglob("*.*") if path.is_file())
    assert len(held_in(own, real)) > 100, "where the values belong, the search does find them"
