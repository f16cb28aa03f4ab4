"""A dashboard for several that runs, with a login of its own, and people who visit it without a browser."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookiejar import Cookie, CookieJar
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request, build_opener

import pytest

from riskkit.base.process import forgetful
from tests.conftest import ROOT, START_WITHIN, _free_port
from tests.dashboard.provider import CLIENT, SECRET, Provider
from tests.dashboard.tabs import Tab

ADMIN = "root@example.org"
FILE = """
[auth]
redirect_uri = "{origin}/oauth2callback"
cookie_secret = "{cookies}"
client_id = "{client}"
client_secret = "{secret}"
server_metadata_url = "{provider}/.well-known/openid-configuration"

[riskkit]
admins = ["{admin}"]
"""


@dataclass
class Visitor:
    """Somebody with a browser's cookies, and what the organisation calls them."""

    url: str
    name: str
    jar: CookieJar = field(default_factory=CookieJar)

    def __post_init__(self) -> None:
        self.jar.set_cookie(
            Cookie(
                0,
                "who",
                self.name,
                None,
                False,
                "127.0.0.1",
                False,
                False,
                "/",
                True,
                False,
                None,
                False,
                None,
                None,
                {},
            )
        )

    @property
    def browser(self) -> OpenerDirector:
        return build_opener(HTTPCookieProcessor(self.jar))

    def ask(self, path: str, method: str = "GET", body: bytes | None = None, **headers: str) -> tuple[int, bytes]:
        """The status and the text of an answer."""
        named = {"Accept": "text/html,*/*", **{name.replace("_", "-"): value for name, value in headers.items()}}
        try:
            with self.browser.open(Request(f"{self.url}{path}", body, named, method=method), timeout=60) as answer:
                return answer.status, answer.read()
        except HTTPError as error:
            return error.code, error.read()

    def log_in(self) -> Visitor:
        status, text = self.ask("/")
        assert status == 200, text
        assert any(cookie.name == "_streamlit_user" for cookie in self.jar)
        self.ask("/_stcore/health")
        return self

    def cookie(self, name: str) -> str:
        return next((str(cookie.value) for cookie in self.jar if cookie.name == name), "")

    @property
    def cookies(self) -> str:
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.jar)

    def tab(self, query: str = "") -> Tab:
        return Tab(self.url, query, self.cookies, protocols=(self.cookie("_streamlit_xsrf").strip('"'),))


@dataclass(frozen=True)
class Together:
    """The running dashboard: its address, its folder, and the file that its login is in."""

    url: str
    home: Path
    file: Path

    def visitor(self, name: str) -> Visitor:
        return Visitor(self.url, name).log_in()


@contextmanager
def together(
    folder: Path, login: Provider, *options: str, port: int = 0, origin: str = "", is_timed: bool = True
) -> Iterator[Together]:
    """A dashboard for several in that folder, logged in to by that provider; ``origin`` is that of its proxy.

    ``options`` are those of the server; unless it ``is_timed``, its page Audit times nothing.
    """
    home, port, log = folder / "home", port or _free_port(), folder / "log"
    origin = origin or f"http://127.0.0.1:{port}"
    home.mkdir(mode=0o700, parents=True)
    file = folder / "login.toml"
    file.touch(0o600)
    file.write_text(
        FILE.format(origin=origin, cookies="c" * 48, client=CLIENT, secret=SECRET, provider=login.address, admin=ADMIN)
    )
    command = [sys.executable, "-m", "riskkit.dashboard" if is_timed else "tests.untimed"]
    command += ["--shared", str(file), "--server.port", str(port), *options]
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, cwd=ROOT, env={**forgetful(), "RISKKIT_HOME": str(home)}, stdout=out, stderr=out
        )
        try:
            _answers(port, process, log)
            yield Together(origin, home, file)
        finally:
            process.terminate()
            process.wait(timeout=30)


def _answers(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_WITHIN
    while time.monotonic() < end and process.poll() is None:
        with socket.socket() as probe:
            if b"logs in" in log.read_bytes() and probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail(f"The dashboard did not start:\n{log.read_text(errors='replace')[-3000:]}")
