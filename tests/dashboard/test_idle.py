"""A dashboard that nobody uses is locked: what counts as use, when it is over, and what a page sees then."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from starlette.requests import HTTPConnection
from starlette.types import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from riskkit.dashboard import idle
from riskkit.dashboard.doors import Doors, policy
from riskkit.dashboard.idle import Idle

KEY, HERE = "the-token-of-this-start", "127.0.0.1:8501"


@dataclass
class Clock:
    now: float = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def act(*, is_auto: bool = False) -> bytes:
    """What a page sends for a click, or because a part of it draws itself anew."""
    message = BackMsg()
    message.rerun_script.page_name = "audits"
    message.rerun_script.is_auto_rerun = is_auto
    return message.SerializeToString()


def beat() -> bytes:
    message = BackMsg()
    message.app_heartbeat = True
    return message.SerializeToString()


@dataclass
class Locked:
    """Doors that lock after a minute, over a clock that the test moves; what a visitor gets from them."""

    clock: Clock = field(default_factory=Clock)
    sent: list[Message] = field(default_factory=list)
    came: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.idle = Idle(60.0, self.clock)
        self.doors = Doors(self.app, KEY, ("127.0.0.1",), policy(""), "riskkit-8501", idle=self.idle)

    async def app(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        while True:
            message = await receive()
            self.came.append(message)
            if message["type"] == "websocket.disconnect":
                return

    def scope(self, kind: str, path: str, **headers: str) -> dict[str, Any]:
        named = {"host": HERE, "cookie": f"riskkit-8501={KEY}", **headers}
        raw = [(name.encode(), value.encode()) for name, value in named.items()]
        bare, _, query = path.partition("?")
        made = {"type": kind, "path": bare, "query_string": query.encode(), "headers": raw, "extensions": {}}
        return made if kind == "websocket" else {**made, "method": "GET"}

    def get(self, path: str = "/", accept: str = "text/html", **headers: str) -> tuple[int, str]:
        """Status and text of an answer."""
        answers: list[Message] = []

        async def send(message: Message) -> None:
            answers.append(message)

        async def receive() -> Message:
            raise AssertionError

        asyncio.run(self.doors(self.scope("http", path, accept=accept, **headers), receive, send))
        return answers[0]["status"], b"".join(answer.get("body", b"") for answer in answers).decode()

    def connected(self, steps: list[Callable[[], bytes | None]]) -> None:
        """An open connection whose page sends what each step returns; at None it is silent for good."""

        async def go() -> None:
            async def send(message: Message) -> None:
                self.sent.append(message)

            rest = iter([lambda: b"", *steps])

            async def receive() -> Message:
                content = next(rest)()
                if content is None:
                    await asyncio.sleep(3600)
                kind = "websocket.connect" if not self.came else "websocket.receive"
                return {"type": kind, "bytes": content}

            scope = self.scope("websocket", "/_stcore/stream", origin=f"http://{HERE}")
            await asyncio.wait_for(self.doors(scope, receive, send), 30)

        asyncio.run(go())


def test_the_cookie_counts_as_long_as_somebody_uses_the_dashboard_and_not_longer() -> None:
    locked = Locked()
    assert locked.get()[0] == 403, "nobody opened the address"
    assert locked.get(f"/?token={KEY}")[0] == 303
    for _ in range(3):
        locked.clock.now += 50
        assert locked.get()[0] == 200
    locked.clock.now += 60
    status, output = locked.get()
    assert status == 403
    assert "Nobody used this dashboard for a while, so it is locked" in output
    assert KEY not in output
    assert locked.get("/_stcore/health", "*/*")[0] == 403
    assert locked.get("/", cookie="riskkit-8501=x")[1].count("This dashboard is private") == 1
    assert locked.get(f"/?token={KEY}")[0] == 303, "the address lets in again"
    assert locked.get()[0] == 200


@pytest.mark.parametrize(
    ("method", "path", "accept", "used"),
    [
        ("GET", "/audits", "text/html,*/*", True),
        ("GET", "/media/a.pdf", "*/*", True),
        ("PUT", "/_stcore/upload_file/s/f", "*/*", True),
        ("GET", "/_stcore/health", "*/*", False),
        ("GET", "/_stcore/host-config", "*/*", False),
        ("GET", "/static/js/index.js", "*/*", False),
    ],
)
def test_signs_of_life_are_no_use(method: str, path: str, accept: str, used: bool) -> None:
    headers = [(b"accept", accept.encode())]
    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    assert idle.is_use(HTTPConnection(scope)) is used


def test_a_click_is_use_and_a_part_that_draws_itself_anew_is_none() -> None:
    assert idle.is_act(act())
    assert not idle.is_act(act(is_auto=True))
    assert not idle.is_act(beat())
    assert not idle.is_act(b"\xff\xff")
    assert not idle.is_act(None)


def step(locked: Locked, seconds: float, content: bytes) -> Callable[[], bytes]:
    """The page sends that, so many seconds later."""

    def taken() -> bytes:
        locked.clock.now += seconds
        return content

    return taken


def test_an_open_page_that_draws_itself_anew_is_led_to_the_door_when_the_time_is_over() -> None:
    locked = Locked()
    locked.get(f"/?token={KEY}")
    anew = [step(locked, 20, act(is_auto=True)) for _ in range(9)]
    locked.connected([step(locked, 20, act()), *anew])
    kinds = [message["type"] for message in locked.came]
    assert kinds == ["websocket.connect", *["websocket.receive"] * 3, "websocket.disconnect"], "a click and two parts"
    (away,) = locked.sent
    message = ForwardMsg()
    message.ParseFromString(away["bytes"])
    assert message.auth_redirect.url == "/"


def test_clicks_keep_a_connection_open() -> None:
    locked = Locked()
    locked.get(f"/?token={KEY}")
    locked.connected([*(step(locked, 50, act()) for _ in range(5)), step(locked, 60, act())])
    assert [message["type"] for message in locked.came].count("websocket.receive") == 5


def test_a_silent_page_is_led_to_the_door_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing comes from it: the wait for it ends when the time is over."""
    locked = Locked()
    locked.get(f"/?token={KEY}")
    waited: list[float | None] = []
    real = asyncio.wait

    async def wait(coming: Any, *, timeout: float | None = None) -> Any:
        waited.append(timeout)
        done = await real(coming, timeout=0.01)
        if not done[0]:
            locked.clock.now += timeout or 0.0
        return done

    monkeypatch.setattr(asyncio, "wait", wait)
    locked.connected([step(locked, 10, act(is_auto=True)), lambda: None])
    assert waited[-1] == 50.0
    assert [message["type"] for message in locked.came][-1] == "websocket.disconnect"
    assert len(locked.sent) == 1


def test_visits_that_are_over_are_forgotten() -> None:
    clock = Clock()
    visits = Idle(60.0, clock)
    for name in range(1000):
        clock.now += 1
        visits.use(str(name))
    assert len(visits.last) == 60
    assert visits.left("0") <= 0
    assert visits.left("999") == 60
    assert visits.left("another", clock.now - 10) == 50, "a login that has not been used yet counts from its beginning"
