"""Who may come in, and what every answer tells the browser: the outermost layer of the server, before Streamlit.

A request comes in when it calls this computer by a name the dashboard has, comes from a page of the dashboard or from
none, and brings the token of this start, in the address the first time and in a cookie after; where several people
share the dashboard, the cookie of their login (:mod:`riskkit.dashboard.login`) instead. A wrong cookie of the same name
beside the right one shuts nobody out. All that Streamlit serves is behind this:
pages, connections, uploads, downloads and the files of the browser's part. What is refused is answered here: Streamlit
never sees it, and so never looks anything up on its account.

A browser keeps cookies of one name apart by path and domain and sends them all; other programs of the same computer, or
a server beside this one, may have set some. Whoever reads a request as a mapping sees the last alone, so a wrong one
would shadow the right one.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import partial
from html import escape
from itertools import islice, product
from urllib.parse import quote, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection, cookie_parser
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_app_utils import validate_xsrf_token
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from riskkit.dashboard.idle import Idle, hear, is_use
from riskkit.dashboard.login import LOGIN, Login, with_password
from riskkit.language import say, tag

MOST = 16
"""So many choices are tried: of right cookies there is one, or that of an earlier login beside it."""


def choose(
    scope: Scope, is_right: Callable[[str, str], bool | None], opens: Callable[[HTTPConnection], bool]
) -> HTTPConnection:
    """The request with one cookie of each name: those that open the door, whatever lies beside them.

    Parameters
    ----------
    is_right
        Whether a cookie of that name may have that value; None where nobody here knows.
    opens
        Whether a request comes in. Where no choice does, the request stays as it is.
    """
    asked = HTTPConnection(scope)
    brought: dict[str, list[str]] = {}
    for header in asked.headers.getlist("cookie"):
        for chunk in header.split(";"):
            for name in cookie_parser(chunk):
                brought.setdefault(name, []).append(chunk.strip())
    if all(len(chunks) == 1 for chunks in brought.values()):
        return asked
    candidates = [_right(name, chunks, is_right) for name, chunks in brought.items()]
    return next(filter(opens, islice(_requests(scope, candidates), MOST)), asked)


def _right(name: str, chunks: list[str], is_right: Callable[[str, str], bool | None]) -> list[str]:
    """The cookies of that name that may be right; the last where none is or nobody knows. The last come first."""
    right = [chunk for chunk in dict.fromkeys(reversed(chunks)) if is_right(name, cookie_parser(chunk)[name])]
    return right or chunks[-1:]


def _requests(scope: Scope, candidates: list[list[str]]) -> Iterator[HTTPConnection]:
    """The request with every choice of cookies."""
    rest = [(name, value) for name, value in scope["headers"] if name.lower() != b"cookie"]
    for chosen in product(*candidates):
        headers = Headers(raw=[*rest, (b"cookie", "; ".join(chosen).encode("latin-1"))])
        yield HTTPConnection({**scope, "headers": headers.raw})


TOKEN = "token"
"""The name of the token in the address."""
ANSWERS = ("http.response.start", "websocket.http.response.start", "websocket.accept")
"""The messages that begin an answer and carry its headers."""
_HOST = re.compile(r"(?P<name>[a-z0-9.-]+|\[[0-9a-f:]+\])(:[0-9]{1,5})?", re.IGNORECASE)
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def policy(page: str) -> str:
    """The content security policy of a page: everything from this server, nothing from elsewhere, in nobody's frame.

    Streamlit writes its styles into the page as it runs, draws some pictures and a font from ``data:`` addresses, and
    holds a script in its page, which is known by its hash. A chart saved as PNG is drawn by the browser from a
    ``blob:`` of its own making. Nothing more was missed by any page.
    """
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in _SCRIPT.findall(page)]
    scripts = " ".join(["'self'", *(f"'sha256-{digest}'" for digest in hashes)])
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src {scripts}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        )
    )


def headers(csp: str) -> dict[str, str]:
    """What every answer says to a browser."""
    return {
        "content-security-policy": csp,
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cross-origin-opener-policy": "same-origin",
        "cross-origin-resource-policy": "same-origin",
        "permissions-policy": "camera=(), microphone=(), geolocation=(), usb=(), display-capture=()",
    }


@dataclass(frozen=True, slots=True)
class Doors:
    """An ASGI application with closed doors in front.

    Parameters
    ----------
    app
        What is behind the doors.
    token
        Who brings it comes in; None lets everybody in who reaches this computer's dashboard.
    hosts
        The names under which the dashboard may be called, without a port.
    csp
        The content security policy, see :func:`policy`.
    cookie
        The name of the cookie. Cookies of all ports of a computer lie together, so two dashboards need two names.
    login
        Where several people share the dashboard: who of them comes in, instead of whoever brings the token.
    idle
        When whoever brings the token last used the dashboard; None where they may stay away as long as they like. A
        login knows that of each person itself.
    """

    app: ASGIApp
    token: str | None
    hosts: Collection[str]
    csp: str
    cookie: str
    login: Login | None = None
    idle: Idle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what may not come in, pass on the rest; every answer gets the headers."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return

        async def closed(message: Message) -> None:
            if message["type"] in ANSWERS:
                self._close(message)
                if scope["path"] == LOGIN:
                    _with_password(message)
            await send(message)

        asked = choose(scope, partial(self._is_right, HTTPConnection(scope).headers), self._is_known)
        refusal = self._refusal(asked)
        if refusal is None:
            if is_use(asked):
                self._use(asked)
            if scope["type"] == "websocket":
                receive = hear(receive, closed, lambda: self._left(asked), lambda: self._use(asked))
            await self.app(asked.scope, receive, closed)
        elif scope["type"] == "http" or "websocket.http.response" in scope.get("extensions", {}):
            await refusal(scope, receive, closed)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _close(self, message: Message) -> None:
        """Put the headers on an answer; no other origin may read it, and only files that never change are kept."""
        message.setdefault("headers", [])
        answer = MutableHeaders(scope=message)
        for name in [name for name in answer if name.startswith("access-control-")]:
            del answer[name]
        for name, value in headers(self.csp).items():
            answer[name] = value
        if self.login is not None and self.login.origin.startswith("https:"):  # Streamlit leaves it out
            kept = [value for name, value in answer.items() if name == "set-cookie"]
            del answer["set-cookie"]
            for value in kept:
                answer.append("set-cookie", f"{value}; Secure")
        if "immutable" not in answer.get("cache-control", ""):
            answer["cache-control"] = "no-store"

    def _refusal(self, asked: HTTPConnection) -> Response | None:
        """The answer to a request that may not come in; None where it may."""
        if not self._is_called_by_name(asked):
            return _refusal(asked, say("This dashboard answers only to {names}.", names=", ".join(sorted(self.hosts))))
        if not _is_from_here(asked):
            return _refusal(asked, say("Another page asked for this. The dashboard answers its own pages only."))
        if self.login is not None:
            return self.login.refusal(asked)
        if self.token is None:
            return None
        if self._has(asked.query_params.get(TOKEN)) and asked.scope.get("method") in ("GET", "HEAD"):
            self._use(asked)
            return self._let_in(asked)
        if not self._is_known(asked):
            return _refusal(asked, missing())
        return None if self._left(asked) > 0 else _refusal(asked, locked_sentence())

    def _is_right(self, headers: Headers, name: str, value: str) -> bool | None:
        """Whether that is a right cookie of that name; of a page's own token whether the page says the same."""
        if name == XSRF_COOKIE_NAME:
            protocols = [*headers.get("sec-websocket-protocol", "").split(","), ""]
            return validate_xsrf_token(headers.get("x-xsrftoken") or protocols[1].strip(), value)
        if self.login is not None:
            return self.login.is_signed(name, value)
        return self._has(value) if name == self.cookie else None

    def _is_known(self, asked: HTTPConnection) -> bool:
        """Whether the cookies of a request are those of somebody who has come in."""
        if self.login is not None:
            return self.login.person(asked.cookies) is not None
        return self.token is None or self._has(asked.cookies.get(self.cookie))

    def _left(self, asked: HTTPConnection) -> float:
        """Seconds until whoever asks has to come in anew, if nobody uses the dashboard."""
        if self.login is not None:
            return self.login.left(asked.cookies)
        return float("inf") if self.idle is None else self.idle.left(TOKEN)

    def _use(self, asked: HTTPConnection) -> None:
        """Somebody who has come in uses the dashboard now."""
        if self.login is not None:
            self.login.use(asked.cookies)
        elif self.idle is not None:
            self.idle.use(TOKEN)

    def _is_called_by_name(self, asked: HTTPConnection) -> bool:
        """A page from elsewhere can give this computer a name of its own; the request then says that name."""
        called = asked.headers.getlist("host")
        name = _HOST.fullmatch(called[0]) if len(called) == 1 else None
        return name is not None and name["name"].lower() in self.hosts

    def _has(self, brought: str | None) -> bool:
        """Whether that is the token; how long the comparison takes does not tell how much of it is right."""
        return brought is not None and hmac.compare_digest(brought.encode(), str(self.token).encode())

    def _let_in(self, asked: HTTPConnection) -> Response:
        """Keep the token in a cookie that no script reads and no other site sends, and go on without it."""
        rest = urlencode([(name, value) for name, value in asked.query_params.multi_items() if name != TOKEN])
        path = f"/{quote(asked.scope['path'].lstrip('/'))}"
        onward = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
        onward.set_cookie(self.cookie, str(self.token), httponly=True, samesite="strict", path="/")
        return onward


def _with_password(message: Message) -> None:
    """Have the provider that an answer leads to ask for a password, and not take an older login for one."""
    answer = MutableHeaders(scope=message)
    if "location" in answer:
        answer["location"] = with_password(answer["location"])


def missing() -> str:
    """What somebody without a token is told."""
    return say(
        "This dashboard is private. Open the address that was printed where it was started; it ends in “{word}=” and a "
        "long word, which changes with every start.",
        word=TOKEN,
    )


def locked_sentence() -> str:
    """What whoever has the token is told when nobody used the dashboard for too long."""
    return say(
        "Nobody used this dashboard for a while, so it is locked. Runs go on. Open the address again that was printed "
        "where it was started; it ends in “{word}=” and a long word.",
        word=TOKEN,
    )


def _is_from_here(asked: HTTPConnection) -> bool:
    """Whether a page of the dashboard asks, or nobody's page: an address that was typed, a program.

    A browser says which page asks (``Origin``), always where a connection is opened, and whether that page is one of
    another site (``Sec-Fetch-Site``). A person who follows a link may come from anywhere, into a window of their own.
    """
    origins = asked.headers.getlist("origin")
    if asked.scope["type"] == "websocket" and not origins:
        return False
    host = asked.headers["host"].lower()
    if any(origin.lower() not in (f"http://{host}", f"https://{host}") for origin in origins):
        return False
    is_foreign = asked.headers.get("sec-fetch-site", "none") not in ("none", "same-origin")
    return not is_foreign or asked.headers.get("sec-fetch-dest") == "document"


def _refusal(asked: HTTPConnection, why: str) -> Response:
    """A sentence for people, as a page where a page was asked for.

    The page links to itself: who follows a link from another site brings no cookie, and does from here.
    """
    if asked.scope["type"] != "http" or "text/html" not in asked.headers.get("accept", ""):
        return PlainTextResponse(f"{why}\n", status_code=403)
    again = say("Try again")
    page = f"<!DOCTYPE html><html lang={tag()}><meta charset=utf-8><title>riskkit</title><p>{escape(why)}"
    return HTMLResponse(f'{page}<p><a href="">{escape(again)}</a></html>', status_code=403)
