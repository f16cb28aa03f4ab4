"""A dashboard for several that runs, behind a provider of its own: whose page, download, upload and run is whose.

Every refusal is beside the same request by the owner, which is answered: a matrix of nothing but refusals would also
come of a server that is down.
"""

import asyncio
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from http.client import HTTPException

import pytest

pytest.importorskip("authlib", reason="Authlib is not installed: pip install 'riskkit[shared]'")

from streamlit.proto.BackMsg_pb2 import BackMsg
from websockets.exceptions import ConnectionClosed

from benchmarks.sessions import Stuck
from riskkit.dashboard.frame.shell import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit, Store
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.released.plan import ReleasedPlan
from tests.dashboard.provider import Provider, provider
from tests.dashboard.tabs import Tab
from tests.dashboard.together import Together, Visitor, together
from tests.pages.runs import faked, finished
from tests.pages.screens import csv

pytestmark = pytest.mark.second

PAGES = ("", "data", "membership", "records", "attributes", "explanations", "contest", "report", "audits", "households")
ROUTES = (
    ("GET", "/media/{media}"),
    ("HEAD", "/media/{media}"),
    ("PUT", "/_stcore/upload_file/{session}/file"),
    ("DELETE", "/_stcore/upload_file/{session}/file"),
)
MARKS = (b"Zebrafinch", b"quokkafile", b"Numbatcolumn")
"""Name of Ann's audit, of its files and of a column: of what only she may see."""


@pytest.fixture(scope="module")
def login() -> Iterator[Provider]:
    with provider() as started:
        for name in ("ann", "bob", "root"):
            started.claims[name] = {"email": f"{name}@example.org", "email_verified": True}
        started.claims["mallory"] = {"email": "ann@example.org", "email_verified": False}
        yield started


@pytest.fixture(scope="module")
def server(login: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    with together(tmp_path_factory.mktemp("shared") / "own", login, is_timed=False) as started:
        yield started


@dataclass
class Anns:
    """Ann, her audit, a finished run in it and one that waits."""

    ann: Visitor
    audit: Audit
    run: Run
    waits: Run


@pytest.fixture(scope="module")
def anns(server: Together) -> Anns:
    ann = server.visitor("ann")
    assert asyncio.run(shown(ann, "")) != b""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RISKKIT_HOME", str(server.home))
        store = Store.default()
        audit = store.create("Zebrafinch study")
        for slot, seed in (("real", 1), ("synthetic", 2), ("holdout", 3)):
            names = ("age", "ward", "Numbatcolumn", "score")
            audit.load(slot, csv(seed=seed, names=names), name=f"quokkafile_{slot}.csv")
        run = finished(audit, ReleasedPlan(attacks=("dcr",)))
        waits = faked(audit, "interrupted", AttributePlan(secrets=("ward",)), run="f" * 32)
        store.give(audit.id, "ann@example.org")
    return Anns(ann, audit, run, waits)


async def visited(visitor: Visitor, page: str, query: str = "") -> Tab:
    """A tab of that person on that page."""
    tab = visitor.tab(query)
    await tab.open()
    await tab.click(page)
    return tab


async def shown(visitor: Visitor, page: str, query: str = "") -> bytes:
    """All that a person is sent for that page."""
    tab = await visited(visitor, page, query)
    await tab.close()
    return tab.sent_bytes


def address(anns: Anns) -> str:
    """All of Ann's ids that an address of any page can name."""
    pair = f"{anns.audit.id}-{anns.run.id}"
    return f"audit={anns.audit.id}&run={anns.run.id}&left={pair}&right={pair}"


@pytest.mark.parametrize(("method", "path"), [("GET", "/_stcore/health"), ("GET", "/media/x.pdf"), ("GET", "/audits")])
def test_nothing_is_answered_before_a_login(server: Together, method: str, path: str) -> None:
    nobody = Visitor(server.url, "nobody")
    status, text = nobody.ask(path, method, Accept="*/*")
    assert (status, b"Log in first" in text) == (403, True)


def test_a_cookie_that_somebody_made_up_lets_nobody_in(server: Together, anns: Anns) -> None:
    kept = anns.ann.cookie("_streamlit_user")
    body, _, _ = kept.partition(".")
    for made in (f"{body}.x.y", kept[:-2], f"x{kept}", "", "chunks-99999999"):
        status, _ = Visitor(server.url, "n").ask("/_stcore/health", Accept="*/*", Cookie=f"_streamlit_user={made}")
        assert status == 403
    status, _ = Visitor(server.url, "n").ask("/_stcore/health", Accept="*/*", Cookie=f"_streamlit_user={kept}")
    assert status == 200


@pytest.mark.parametrize("page", PAGES)
def test_no_page_shows_anything_of_another_persons_audit(server: Together, anns: Anns, page: str) -> None:
    mine = asyncio.run(shown(anns.ann, page, address(anns)))
    assert any(mark in mine for mark in MARKS), "her own page says it"
    for name in ("bob", "root", "mallory"):
        theirs = asyncio.run(shown(server.visitor(name), page, address(anns)))
        assert b"Log out" in theirs, "the page was drawn"
        assert [mark for mark in MARKS if mark in theirs] == []


def test_downloads_and_uploads_are_their_owners(server: Together, anns: Anns) -> None:
    """A download that lies there, one that is made when it is asked for, and a file that is put into a page."""

    async def offered() -> None:
        tab = await visited(anns.ann, "report", address(anns))
        bobs = await visited(bob, "report")
        try:
            offers = {m.delta.new_element.download_button.deferred_file_id for m in tab.messages} - {""}
            assert len(offers) >= 4, "PDF, HTML, pack, JSON, CSV"
            json_file = await made(tab, min(offers))
            assert anns.ann.ask(json_file)[0] == 200
            assert bob.ask(json_file)[0] == 404
            again = await made(bobs, min(offers))  # Bob's tab asks for Ann's offer
            assert bob.ask(again)[0] == 404
            for method, route in ROUTES:
                path = route.format(media=json_file.rpartition("/")[2], session=tab.session)
                assert bob.ask(path, method, b"" if method == "PUT" else None)[0] == 404, (method, path)
                assert anns.ann.ask(path, method, b"" if method == "PUT" else None)[0] != 404, (method, path)
        finally:
            await tab.close()
            await bobs.close()

    bob = server.visitor("bob")
    asyncio.run(offered())


async def made(tab: Tab, offer: str) -> str:
    """The address of a file that is made when it is asked for; where it is refused, one that nobody has."""
    message = BackMsg()
    message.backend_operation_request.request_id, message.backend_operation_request.session_id = "1", tab.session
    message.backend_operation_request.deferred_file.file_id = offer
    before = len(tab.messages)
    await tab.socket.send(message.SerializeToString())
    end = time.monotonic() + 60
    while time.monotonic() < end:
        for known in tab.messages[before:]:
            link = re.search(rb"/media/[\w.]+", known.SerializeToString())
            if known.WhichOneof("type") == "backend_operation_response":
                return link[0].decode() if link else "/media/none.json"
        await asyncio.sleep(0.05)
    raise AssertionError("no answer")


def test_a_tab_does_not_take_over_that_of_another_person(server: Together, anns: Anns) -> None:
    async def go() -> None:
        tab = await visited(anns.ann, "audits", address(anns))
        bob = server.visitor("bob")
        thief = bob.tab()
        thief.protocols += (tab.session,)
        await thief.open()
        await thief.click("audits")
        assert thief.session != tab.session
        assert [mark for mark in MARKS if mark in thief.sent_bytes] == []
        await thief.close()
        await tab.close()

    asyncio.run(go())


def test_what_is_shared_is_there_and_goes_with_the_next_step_when_it_is_no_more(
    server: Together, anns: Anns, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(server.home))
    bob = server.visitor("bob")

    async def go() -> None:
        await shown(bob, "")
        anns.audit.share("bob@example.org")
        tab = await visited(bob, "audits", address(anns))
        assert b"Zebrafinch" in tab.sent_bytes
        anns.audit.stop_sharing("bob@example.org")
        tab.forget()
        await tab.click("report")
        assert [mark for mark in MARKS if mark in tab.sent_bytes] == []
        await tab.close()

    asyncio.run(go())


def test_an_administrator_sees_that_it_is_there_and_whose_and_nothing_in_it(server: Together, anns: Anns) -> None:
    page = asyncio.run(shown(server.visitor("root"), "audits"))
    ann = plain("ann@example.org").encode()
    assert ann in page
    assert anns.audit.id[:8].encode() in page
    assert [mark for mark in MARKS if mark in page] == []
    assert ann not in asyncio.run(shown(server.visitor("bob"), "audits"))


def test_logging_out_ends_every_browser_of_that_person_and_nobody_elses(server: Together, anns: Anns) -> None:
    first, second, bob = server.visitor("carol"), server.visitor("carol"), server.visitor("bob")

    async def go() -> None:
        tab = await visited(second, "")
        assert first.ask("/auth/logout", Accept="*/*")[0] in (200, 403)
        assert second.ask("/_stcore/health", Accept="*/*")[0] == 403
        assert bob.ask("/_stcore/health", Accept="*/*")[0] == 200
        with pytest.raises((Stuck, ConnectionClosed)):
            await tab.click("audits")
        await tab.close()
        time.sleep(1.1)  # a login is known to the second
        assert server.visitor("carol").ask("/_stcore/health", Accept="*/*")[0] == 200

    asyncio.run(go())


def test_the_organisations_answer_is_looked_at(server: Together, login: Provider) -> None:
    """A token for another program, from another issuer, of another login: none lets in."""
    for name, claim in (("eve1", {"aud": "other"}), ("eve2", {"iss": "http://x.test"}), ("eve3", {"nonce": "old"})):
        login.claims[name] = claim
        visitor = Visitor(server.url, name)
        before = login.issued
        visitor.ask("/auth/login?provider=x", Accept="*/*")
        with suppress(HTTPException, OSError):  # urllib gives up on going round in circles
            visitor.ask("/")
        assert login.issued > before, "the provider handed it out"
        assert visitor.ask("/_stcore/health", Accept="*/*")[0] == 403
