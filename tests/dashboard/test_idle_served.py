"""A dashboard that runs and that nobody uses: it locks, its pages are led away, and a password is asked for again."""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import OpenerDirector

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.exceptions import WebSocketException

from benchmarks.sessions import Stuck
from riskkit.audit.output_files import REPORTS, restricted_log
from riskkit.jobs.store import Audit, Store
from tests.conftest import dashboard
from tests.dashboard.provider import Provider, provider
from tests.dashboard.tabs import Tab
from tests.dashboard.together import Together, Visitor, together
from tests.pages.screens import csv

pytestmark = pytest.mark.second

SHORT = "0.1"
"""Minutes after which these dashboards lock: longer than a page takes that was drawn before."""
PATIENCE = 60.0


async def stands(come_in: Callable[[], Tab]) -> Tab:
    """A tab that shows a page; where its time was over before the page stood, somebody comes in anew."""
    end = time.monotonic() + 2 * PATIENCE
    while time.monotonic() < end:
        tab = come_in()
        await tab.open()
        with suppress(Stuck, WebSocketException):
            await tab.click("audits")
            return tab
        await tab.close()
    raise AssertionError("no page stood before its time was over")


async def led_away(tab: Tab) -> str:
    """Where the page of a tab is led when its time is over, without having done anything."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for message in tab.messages:
            if message.WhichOneof("type") == "auth_redirect":
                return message.auth_redirect.url
        await asyncio.sleep(0.2)
    return "nowhere"


def test_an_open_page_is_led_to_the_door_and_the_printed_address_opens_it_again(tmp_path: Path) -> None:
    with dashboard(tmp_path / "home", "--idle", SHORT) as server:
        visitors: list[OpenerDirector] = []

        def come_in() -> Tab:
            visitors.append(server.visitor())
            return Tab(server.url, "", server.cookie)

        async def go() -> str:
            tab = await stands(come_in)
            where = await led_away(tab)
            await tab.close()
            return where

        assert asyncio.run(go()) == "/"
        with pytest.raises(HTTPError) as refused:
            visitors[-1].open(f"{server.url}/", timeout=30)
        assert refused.value.code == 403
        assert b"so it is locked" in refused.value.read()
        with server.visitor().open(f"{server.url}/_stcore/health", timeout=30) as answer:
            assert answer.status == 200


# --- with a login -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def login() -> Iterator[Provider]:
    pytest.importorskip("authlib", reason="Authlib is not installed: pip install 'riskkit[shared]'")
    with provider() as started:
        started.claims["ann"] = {"email": "ann@example.org", "email_verified": True}
        yield started


def test_a_login_that_nobody_uses_ends_and_the_password_is_asked_for(login: Provider, tmp_path: Path) -> None:
    with together(tmp_path / "own", login, "--idle", SHORT) as server:
        ann = Visitor(server.url, "ann")

        def come_in() -> Tab:
            assert ann.log_in().ask("/_stcore/health", Accept="*/*")[0] == 200
            assert (login.asked["prompt"], login.asked["max_age"]) == ("login", "0")
            return ann.tab()

        async def go() -> str:
            tab = await stands(come_in)
            where = await led_away(tab)
            await tab.close()
            return where

        assert asyncio.run(go()) == "/"
        assert ann.ask("/_stcore/health", Accept="*/*")[0] == 403
        before = login.issued
        assert ann.log_in().ask("/_stcore/health", Accept="*/*")[0] == 200
        assert login.issued > before


@pytest.fixture(scope="module")
def server(login: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    with together(tmp_path_factory.mktemp("second") / "own", login) as started:
        yield started


@pytest.fixture(scope="module")
def audit(server: Together) -> Audit:
    """Ann's."""
    asyncio.run(_greeted(server.visitor("ann")))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RISKKIT_HOME", str(server.home))
        made = Store.default().create("Ann's study")
        for slot, seed in (("real", 1), ("synthetic", 2)):
            made.load(slot, csv(seed=seed), name=f"{slot}.csv")
        Store.default().give(made.id, "ann@example.org")
    return made


async def _greeted(visitor: Visitor) -> None:
    tab = visitor.tab()
    await tab.open()
    await tab.click("audits")
    await tab.close()


def restricted(visitor: Visitor, audit: Audit) -> Tab:
    """The page Report when somebody has said all that a restricted report wants, and pressed its button."""

    async def go() -> Tab:
        tab = visitor.tab(f"audit={audit.id}")
        await tab.open()
        await tab.click("report")
        kind = WidgetState(id=tab.ids("button_group")["report.kind"])
        kind.string_array_value.data.append("Restricted")
        await tab.act("report", states=[kind])
        texts, box = tab.ids("text_input"), tab.ids("checkbox")["report.agreed"]
        states = [
            kind,
            *(WidgetState(id=texts[name], string_value="the board") for name in ("report.asked_by", "report.purpose")),
            WidgetState(id=box, bool_value=True),
            WidgetState(id=tab.ids("button")["report.write"], trigger_value=True),
        ]
        await tab.act("report", states=states)
        await tab.close()
        return tab

    return asyncio.run(go())


@pytest.mark.parametrize(
    ("age", "is_written", "sentence"),
    [(3600, False, b"log in again"), (5, True, b""), (None, True, b"It does not say whether it did")],
)
def test_a_restricted_report_is_written_only_a_moment_after_the_password(
    server: Together, login: Provider, audit: Audit, age: int | None, is_written: bool, sentence: bytes
) -> None:
    """``age`` is how many seconds ago the provider says that Ann gave it; None where it does not say."""
    ann = {name: value for name, value in login.claims["ann"].items() if name != "auth_time"}
    login.claims["ann"] = ann if age is None else {**ann, "auth_time": int(time.time()) - age}
    before = written(audit)
    tab = restricted(server.visitor("ann"), audit)
    assert sentence in tab.sent_bytes
    assert (written(audit) > before) is is_written


def written(audit: Audit) -> int:
    """How many restricted reports of that audit were written: each has a line; two of one second share a folder."""
    lines, folder = restricted_log(audit.path / REPORTS), audit.path / REPORTS
    assert bool(lines) == (folder.is_dir() and any(path.is_dir() for path in folder.iterdir()))
    return len(lines)
