"""Who comes in and who does not, and what every answer says: the doors in front of an application that answers all."""

import asyncio
import base64
import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from riskkit.dashboard import doors
from riskkit.dashboard.doors import Doors

KEY = "the-token-of-this-start"
HERE = "127.0.0.1:8501"
CLOSED = {
    "content-security-policy",
    "x-frame-options",
    "x-content-type-options",
    "referrer-policy",
    "cross-origin-opener-policy",
    "cross-origin-resource-policy",
    "permissions-policy",
    "cache-control",
}
ROUTES = [
    ("GET", "/"),
    ("GET", "/membership"),
    ("GET", "/static/js/index.js"),
    ("GET", "/favicon.png"),
    ("GET", "/media/report.pdf"),
    ("HEAD", "/media/report.pdf"),
    ("GET", "/_stcore/health"),
    ("GET", "/_stcore/host-config"),
    ("GET", "/_stcore/metrics"),
    ("PUT", "/_stcore/upload_file/session/file"),
    ("DELETE", "/_stcore/upload_file/session/file"),
    ("OPTIONS", "/_stcore/upload_file/session/file"),
    ("POST", "/_stcore/agent/mcp"),
    ("WEBSOCKET", "/_stcore/stream"),
]
"""A request of every kind that Streamlit answers."""


@dataclass
class Behind:
    """The application behind the doors: counts who came in, and answers with headers of its own."""

    status: int = 200
    answer: dict[str, str] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)
    cookies: list[str] = field(default_factory=list)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append(scope["type"])
        self.cookies += Headers(raw=scope.get("headers", [])).getlist("cookie")
        own = [(name.encode(), value.encode()) for name, value in self.answer.items()]
        if scope["type"] == "websocket":
            await send({"type": "websocket.accept", "headers": own} if own else {"type": "websocket.accept"})
        elif scope["type"] == "http":
            await send({"type": "http.response.start", "status": self.status, "headers": own})
            await send({"type": "http.response.body", "body": b"behind the doors"})


@dataclass(frozen=True)
class Answer:
    """What a visitor gets: the status (101 for an open connection), headers by name, text."""

    status: int
    headers: dict[str, str]
    text: str


def ask(
    behind: Behind,
    method: str = "GET",
    address: str = "/",
    *,
    token: str | None = KEY,
    can_deny: bool = True,
    headers: list[tuple[str, str]] | None = None,
    **more: str,
) -> Answer:
    """The answer to one request; ``more`` are its headers, which ``headers`` may give as they stand."""
    is_socket = method == "WEBSOCKET"
    named = {"host": HERE, **({"origin": f"http://{HERE}"} if is_socket else {}), **more}
    sent = headers if headers is not None else [(name.replace("_", "-"), value) for name, value in named.items()]
    path, _, query = address.partition("?")
    scope: dict[str, Any] = {
        "type": "websocket" if is_socket else "http",
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent],
        "extensions": {"websocket.http.response": {}} if can_deny else {},
        **({} if is_socket else {"method": method}),
    }
    messages: list[Message] = []

    async def send(message: Message) -> None:
        messages.append(message)

    async def receive() -> Message:
        raise AssertionError("nothing is read before the doors are open")

    closed = Doors(behind, token, ("localhost", "127.0.0.1"), doors.policy("<script>1</script>"), "riskkit-8501")
    asyncio.run(closed(scope, receive, send))
    first = messages[0]
    if first["type"] == "websocket.close":
        return Answer(first["code"], {}, "")
    raw = [(name.decode(), value.decode("latin-1")) for name, value in first.get("headers", [])]
    assert len(raw) == len(dict(raw)), "no header twice"
    status = 101 if first["type"] == "websocket.accept" else first["status"]
    return Answer(status, dict(raw), b"".join(message.get("body", b"") for message in messages).decode())


COOKIE = f"other=1; riskkit-8501={KEY}"


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_nobody_comes_in_without_the_token_by_any_route(method: str, path: str) -> None:
    for more in (
        {},
        {"cookie": "riskkit-8501=another"},
        {"cookie": f"riskkit-8502={KEY}"},
        {"cookie": "riskkit-8501="},
    ):
        behind = Behind()
        answer = ask(behind, method, path, **more)
        assert (answer.status, behind.seen) == (403, [])
        assert answer.headers.keys() >= CLOSED
        assert "Open the address that was printed where it was started" in answer.text


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_the_cookie_lets_in_by_every_route(method: str, path: str) -> None:
    behind = Behind()
    answer = ask(behind, method, path, cookie=COOKIE)
    assert (answer.status, len(behind.seen)) == (101 if method == "WEBSOCKET" else 200, 1)
    assert answer.headers.keys() >= CLOSED


@pytest.mark.parametrize(("method", "path"), [("GET", "/"), ("WEBSOCKET", "/_stcore/stream")])
@pytest.mark.parametrize("wrong", ["another", "", '"', KEY[:-1]])
def test_a_wrong_cookie_beside_the_right_one_shuts_nobody_out(method: str, path: str, wrong: str) -> None:
    for cookies in (f"{COOKIE}; riskkit-8501={wrong}", f"riskkit-8501={wrong}; {COOKIE}; riskkit-8501={wrong}"):
        behind = Behind()
        answer = ask(behind, method, path, cookie=cookies)
        assert answer.status == (101 if method == "WEBSOCKET" else 200)
        assert behind.cookies == [COOKIE] or behind.cookies == ["; ".join(reversed(COOKIE.split("; ")))]
    twice = [("host", HERE), ("origin", f"http://{HERE}"), ("cookie", COOKIE), ("cookie", f"riskkit-8501={wrong}")]
    assert ask(Behind(), method, path, headers=twice).status in (101, 200)
    assert ask(Behind(), method, path, cookie=f"riskkit-8501={wrong}; riskkit-8501={wrong}x").status == 403


def test_of_two_tokens_of_a_page_streamlit_gets_the_one_that_the_page_says() -> None:
    own, other = generate_xsrf_token_string(), generate_xsrf_token_string()
    cookies = f"{COOKIE}; _streamlit_xsrf={own}; _streamlit_xsrf={other}"
    upload, line = Behind(), Behind()
    ask(upload, "PUT", "/_stcore/upload_file/session/file", cookie=cookies, x_xsrftoken=own)
    ask(line, "WEBSOCKET", "/_stcore/stream", cookie=cookies, sec_websocket_protocol=f"streamlit, {own}, session")
    assert upload.cookies == line.cookies == [f"{COOKIE}; _streamlit_xsrf={own}"]


def test_the_address_with_the_token_gives_the_cookie_and_leads_on_without_it() -> None:
    behind = Behind()
    answer = ask(behind, "GET", f"/membership?audit=a%26b&token={KEY}&run=1")
    assert (answer.status, behind.seen) == (303, [])
    assert answer.headers["location"] == "/membership?audit=a%26b&run=1"
    name, *flags = [part.strip() for part in answer.headers["set-cookie"].split(";")]
    assert name == f"riskkit-8501={KEY}"
    assert {flag.lower() for flag in flags} == {"httponly", "samesite=strict", "path=/"}


@pytest.mark.parametrize("path", ["//evil.example/", "/\\evil.example/", "///evil.example"])
def test_no_address_leads_elsewhere(path: str) -> None:
    where = urlsplit(ask(Behind(), "GET", f"{path}?token={KEY}").headers["location"])
    assert (where.scheme, where.netloc) == ("", "")
    assert "\\" not in where.path


@pytest.mark.parametrize(
    ("method", "address"),
    [("GET", "/?token=another"), ("GET", "/?token="), ("GET", "/?token=%ff%00ü"), ("PUT", f"/x?token={KEY}")],
)
def test_a_wrong_token_or_one_that_comes_with_a_change_lets_nobody_in(method: str, address: str) -> None:
    behind = Behind()
    assert ask(behind, method, address).status == 403
    assert behind.seen == []


def test_a_connection_takes_no_token_from_its_address() -> None:
    assert ask(Behind(), "WEBSOCKET", f"/_stcore/stream?token={KEY}").status == 403


def test_the_token_is_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(secret: bytes, handed: bytes) -> bool:
        compared.append((secret, handed))
        return False

    monkeypatch.setattr(hmac, "compare_digest", compare)
    assert ask(Behind(), cookie=COOKIE).status == 403
    assert compared == [(KEY.encode(), KEY.encode())]


def test_without_a_token_the_other_doors_stay_closed() -> None:
    assert ask(Behind(), token=None).status == 200
    assert ask(Behind(), token=None, host="evil.example").status == 403
    assert ask(Behind(), token=None, origin="http://evil.example").status == 403
    assert ask(Behind(), "WEBSOCKET", token=None, headers=[("host", HERE)]).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:9000", "127.0.0.1:1"])
def test_this_computer_is_called_by_its_names(host: str) -> None:
    assert ask(Behind(), host=host, cookie=COOKIE).status == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "WEBSOCKET"])
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8501",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "evil.example@localhost",
        "localhost@evil.example",
        "localhost:8501:1",
        "localhost/",
        "",
        "[::1]",
        "0.0.0.0",  # noqa: S104  not ours
        "localhost.",
        "127.1",
    ],
)
def test_a_request_that_calls_another_name_is_refused(method: str, host: str) -> None:
    behind = Behind()
    answer = ask(behind, method, host=host, origin=f"http://{host}", cookie=COOKIE)
    assert (answer.status, behind.seen) == (403, [])
    assert "answers only to 127.0.0.1, localhost" in answer.text
    assert "evil" not in answer.text


def test_a_request_with_no_name_or_two_is_refused() -> None:
    for headers in ([("cookie", COOKIE)], [("host", HERE), ("host", HERE), ("cookie", COOKIE)]):
        assert ask(Behind(), headers=headers).status == 403


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        "http://127.0.0.1",
        "http://127.0.0.1:8502",
        "http://localhost:8501",
        "file://",
        "ftp://127.0.0.1:8501",
        "https://share.streamlit.io",
        f"http://{HERE}/",
        f"http://{HERE}.evil.example",
    ],
)
def test_a_page_from_elsewhere_is_refused(origin: str) -> None:
    for method in ("GET", "PUT", "WEBSOCKET"):
        behind = Behind()
        assert ask(behind, method, origin=origin, cookie=COOKIE).status == 403
        assert behind.seen == []


def test_a_connection_that_does_not_say_which_page_opens_it_is_refused() -> None:
    assert ask(Behind(), "WEBSOCKET", headers=[("host", HERE), ("cookie", COOKIE)]).status == 403
    assert ask(Behind(), headers=[("host", HERE), ("cookie", COOKIE)]).status == 200


def test_a_server_that_cannot_say_why_closes_the_connection() -> None:
    assert ask(Behind(), "WEBSOCKET", can_deny=False).status == 1008


@pytest.mark.parametrize(
    ("site", "goal", "status"),
    [
        ("same-origin", "empty", 200),
        ("none", "document", 200),
        ("cross-site", "document", 200),  # a link was followed
        ("cross-site", "iframe", 403),
        ("cross-site", "image", 403),
        ("cross-site", "script", 403),
        ("same-site", "iframe", 403),  # another program of this computer, on another port
        ("same-site", "empty", 403),
    ],
)
def test_another_page_gets_nothing_into_itself(site: str, goal: str, status: int) -> None:
    assert ask(Behind(), cookie=COOKIE, sec_fetch_site=site, sec_fetch_dest=goal).status == status


@pytest.mark.parametrize("status", [200, 204, 301, 404, 405, 413, 500])
def test_what_is_behind_cannot_open_what_is_closed(status: int) -> None:
    """Its own headers of the same names give way, and those that let other pages read an answer go."""
    open_doors = {
        "X-Frame-Options": "ALLOWALL",
        "content-security-policy": "default-src *",
        "Access-Control-Allow-Origin": "*",
        "access-control-allow-credentials": "true",
        "cache-control": "public, max-age=9",
        "content-type": "text/html",
    }
    for method in ("GET", "WEBSOCKET"):
        headers = ask(Behind(status, open_doors), method, cookie=COOKIE).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "*" not in headers["content-security-policy"]
        assert not [name for name in headers if name.startswith("access-control")]
        assert headers["cache-control"] == "no-store"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["content-type"] == "text/html"


def test_files_of_the_browsers_part_are_kept() -> None:
    """They have a name of their own in every version, hold nothing of anybody's, and make the first page quick."""
    kept = "public, immutable, max-age=31536000"
    assert ask(Behind(answer={"cache-control": kept}), cookie=COOKIE).headers["cache-control"] == kept


def test_people_are_told_in_a_page_what_to_do() -> None:
    page = ask(Behind(), "GET", "/membership?audit=<b>", accept="text/html,*/*").text
    assert page.startswith("<!DOCTYPE html>")
    assert "This dashboard is private. Open the address that was printed where it was started" in page
    assert '<a href="">Try again</a>' in page
    assert "audit" not in page


def test_the_policy_knows_the_script_that_stands_in_the_page() -> None:
    page = "<script>\n window.one = 1\n</script><script src='x.js'></script><script type='module'></script>"
    digest = base64.b64encode(hashlib.sha256(b"\n window.one = 1\n").digest()).decode()
    assert f"script-src 'self' 'sha256-{digest}';" in doors.policy(page)
    assert "script-src 'self';" in doors.policy("<p>")
    assert "unsafe-eval" not in doors.policy(page)


def test_start_and_end_are_passed_on() -> None:
    behind = Behind()

    async def nothing() -> Message:
        return {}

    async def nowhere(message: Message) -> None:
        raise AssertionError(message)

    asyncio.run(Doors(behind, KEY, ("localhost",), "", "c")({"type": "lifespan"}, nothing, nowhere))
    assert behind.seen == ["lifespan"]
