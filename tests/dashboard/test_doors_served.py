"""The doors of a dashboard that runs: every route, pages from elsewhere in a real browser, nothing asked outside."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

pytest.importorskip("playwright.sync_api", reason="browser test: playwright is not installed")
from playwright.sync_api import Error as PlaywrightError
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

from benchmarks.sessions import Session
from tests.conftest import ROOT, START_WITHIN, Server, _free_port, dashboard, menu
from tests.dashboard.test_doors import CLOSED

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.second

ROUTES = [
    ("GET", "/", 200),
    ("GET", "/membership", 200),
    ("GET", "/favicon.png", 200),
    ("GET", "/static/js/{script}", 200),
    ("GET", "/static/js/none.js", 200),
    ("GET", "/_stcore/health", 200),
    ("GET", "/_stcore/host-config", 200),
    ("GET", "/_stcore/metrics", 200),
    ("GET", "/media/none.pdf", 404),
    ("GET", "/component/none/index.html", 404),
    ("GET", "/_stcore/../app.py", 400),
    ("POST", "/_stcore/health", 405),
    ("PUT", "/_stcore/upload_file/session/file", 403),  # no token against foreign forms
    ("OPTIONS", "/_stcore/upload_file/session/file", 204),
    ("POST", "/_stcore/agent/interact", 403),
]
"""What Streamlit answers to, files, errors and all, and the status for a visitor who is let in."""
FOREIGN = ["http://elsewhere.example", "https://share.streamlit.io", "null", None]
"""The origins of connections that are none of the dashboard's pages; the last does not say."""


def asked(server: Server, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    """The status, headers and text of an answer; the address goes out as it stands."""
    where = urlsplit(server.url)
    with closing(HTTPConnection(str(where.hostname), where.port, timeout=30)) as line:
        line.request(method, path, headers=headers)
        answer = line.getresponse()
        sent = {name.lower(): value for name, value in answer.getheaders()}
        return answer.status, sent, answer.read().decode(errors="replace")


def opened(server: Server, origin: str | None, cookie: str) -> ClientConnection:
    """A connection as a page of that origin opens one."""
    return connect(
        f"{server.url.replace('http', 'ws')}/_stcore/stream",
        origin=None if origin is None else Origin(origin),
        additional_headers={"Cookie": cookie} if cookie else {},
        subprotocols=[Subprotocol("streamlit")],
    )


@pytest.mark.parametrize(("method", "path", "status"), ROUTES)
def test_every_route_is_closed_and_every_answer_says_so(server: Server, method: str, path: str, status: int) -> None:
    _, _, page = asked(server, "GET", "/", Cookie=server.cookie)
    script = re.search(r"/static/js/(index\S+\.js)", page)
    assert script
    address = path.format(script=script[1])
    code, sent, text = asked(server, method, address)
    assert (code, sent.keys() >= CLOSED) == (403, True)
    assert "Open the address that was printed" in text
    code, sent, text = asked(server, method, address, Cookie=server.cookie)
    assert (code, sent.keys() >= CLOSED) == (status, True)
    assert not [name for name in sent if name.startswith("access-control") or name == "server"]
    is_kept = path in ("/favicon.png", "/static/js/{script}")  # files of the browser's part
    assert "immutable" in sent["cache-control"] if is_kept else sent["cache-control"] == "no-store"


def test_a_page_that_shows_the_dashboard_in_a_frame_may_send_it_nothing(server: Server) -> None:
    _, _, text = asked(server, "GET", "/_stcore/host-config", Cookie=server.cookie)
    assert '"allowedOrigins":[]' in text


def test_a_connection_is_opened_by_the_dashboards_own_pages_only(server: Server) -> None:
    with opened(server, server.url, server.cookie) as line:
        sent = line.response.headers if line.response else {}
        assert {name.lower() for name in sent} >= CLOSED
    for origin in (*FOREIGN, f"{server.url}0", server.url.replace("127.0.0.1", "localhost")):
        with pytest.raises(InvalidStatus) as refused, opened(server, origin, server.cookie):
            pass
        assert refused.value.response.status_code == 403
        assert {name.lower() for name in refused.value.response.headers} >= CLOSED
    with pytest.raises(InvalidStatus), opened(server, server.url, ""):
        pass


def test_another_name_is_refused_on_every_route(server: Server) -> None:
    for method, path, _ in ROUTES[:6]:
        code, _, text = asked(server, method, path, Host="elsewhere.example", Cookie=server.cookie)
        assert (code, text) == (403, "This dashboard answers only to 127.0.0.1, localhost.\n")


def test_an_explicit_option_takes_the_token_off_and_nothing_else(tmp_path: Path) -> None:
    with dashboard(tmp_path / "home", "--no-token") as free:
        assert "token" not in free.address
        assert asked(free, "GET", "/")[0] == 200
        assert asked(free, "GET", "/", Host="elsewhere.example")[0] == 403
        with opened(free, free.url, ""):
            pass
        with pytest.raises(InvalidStatus), opened(free, "http://elsewhere.example", ""):
            pass


def test_the_printed_address_is_opened_once_and_a_stranger_is_told_what_to_do(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(f"{server.url}/membership")
    tab.get_by_text("This dashboard is private. Open the address that was printed where it was started").wait_for()
    tab.goto(server.address)
    menu(tab).first.wait_for(timeout=60_000)
    assert "token" not in tab.url
    assert tab.evaluate("document.cookie").find("riskkit-") == -1, "no script reads it"
    (kept,) = (cookie for cookie in context.cookies() if cookie["name"].startswith("riskkit-"))
    assert (kept["httpOnly"], kept["sameSite"]) == (True, "Strict")
    tab.goto(f"{server.url}/membership")
    menu(tab).first.wait_for(timeout=60_000)
    context.close()


def test_pages_that_streamlit_serves_by_itself_show_nothing(browser: Browser, tmp_path: Path) -> None:
    """There are no doors in front of them."""
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    environment = {**os.environ, "RISKKIT_HOME": str(tmp_path)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            tab = browser.new_page()
            end = time.monotonic() + START_WITHIN
            while time.monotonic() < end:
                with suppress(PlaywrightError):
                    tab.goto(f"http://127.0.0.1:{port}/audits")
                    break
                time.sleep(0.5)
            tab.get_by_text("Start it with: riskkit app").wait_for(timeout=START_WITHIN * 1000)
            assert tab.get_by_role("button").filter(has_text="sample").count() == 0
            assert tab.get_by_role("heading", name="Audits").count() == 0
            tab.close()
        finally:
            process.terminate()


ATTEMPTS = """async (url) => {
  const tried = {};
  const reads = (path, how) => fetch(url + path, how).then(answer => answer.status).catch(() => 'kept out');
  const how = {credentials: 'include'};
  tried.page = await reads('/', how);
  tried.config = await reads('/_stcore/host-config', how);
  tried.upload = await reads('/_stcore/upload_file/a/b', {...how, method: 'PUT', body: 'x'});
  tried.line = await new Promise(done => {
    const line = new WebSocket(url.replace('http', 'ws') + '/_stcore/stream', ['streamlit']);
    line.onopen = () => done('open'); line.onerror = () => done('kept out');
  });
  tried.script = await new Promise(done => {
    const one = document.createElement('script');
    one.onload = () => done('run'); one.onerror = () => done('kept out');
    one.src = url + document.querySelector('iframe').dataset.script; document.body.append(one);
  });
  return tried;
}"""
"""What a page from elsewhere tries, with the cookie of whoever looks at it."""


@contextmanager
def elsewhere(text: str) -> Iterator[int]:
    """A page of another server on this computer, which is what another account of it could run; its port."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", _free_port()), Page) as served:
        Thread(target=served.serve_forever, daemon=True).start()
        yield served.server_port
        served.shutdown()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_page_from_elsewhere_sees_and_does_nothing(browser: Browser, server: Server, host: str) -> None:
    """With the visitor's cookie: it goes with what a page of the same computer asks, whatever its port."""
    _, _, page = asked(server, "GET", "/", Cookie=server.cookie)
    script = re.search(r"/static/js/index\S+\.js", page)
    assert script
    context = server.let_in(browser.new_context())
    tab = context.new_page()
    with elsewhere(f"<iframe src='{server.url}/' data-script='{script[0]}'></iframe>") as port:
        tab.goto(f"http://{host}:{port}/")
        tab.wait_for_timeout(1000)
        (frame,) = (frame for frame in tab.frames if frame != tab.main_frame)
        assert "chrome-error" in frame.url
        tried = tab.evaluate(ATTEMPTS, server.url)
    context.close()
    assert set(tried.values()) == {"kept out"}, tried


SEEN = """
import os, sys

def seen(event, given):
    if event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.connect", "socket.sendto", "socket.sendmsg"):
        with open(os.environ["SEEN"], "a") as file:
            file.write(f"{event} {given[1:] if event.startswith('socket.c') else given}\\n")

sys.addaudithook(seen)
"""
"""Python's own word of every name that is looked up and every connection that is made, by server and workers."""


def test_no_visitor_makes_the_server_look_anything_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hook").mkdir()
    (tmp_path / "hook" / "sitecustomize.py").write_text(SEEN, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "hook"))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    try_it = "import socket; socket.getaddrinfo('127.0.0.1', 1)"
    subprocess.run([sys.executable, "-c", try_it], check=True, cwd=ROOT)
    assert (tmp_path / "seen").read_text().startswith("socket.getaddrinfo"), "the hook sees"
    (tmp_path / "seen").unlink()
    with dashboard(tmp_path / "home") as watched:
        for origin in FOREIGN:
            for cookie in ("", watched.cookie):
                with pytest.raises(InvalidStatus), opened(watched, origin, cookie):
                    pass

        async def visited() -> None:
            visitor = Session(watched.url, "", watched.cookie)
            await visitor.open()
            for page in ("", "membership", "report"):
                await visitor.click(page)
            await visitor.close()

        with ThreadPoolExecutor(1) as aside:  # the browser's driver has a loop of its own in this thread
            aside.submit(asyncio.run, visited()).result()
    assert not (tmp_path / "seen").exists(), (tmp_path / "seen").read_text()
