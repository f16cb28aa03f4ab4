"""Who has not used the dashboard for a while has to come in anew.

Using it is what a person does: a page that is opened, a click, a file that goes up or down. A page that stands open and
draws itself anew while a run goes on uses nothing. When the time is over, requests are refused, open connections end,
and their pages are led to the door, so that no record stays on a screen that nobody looks at.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from google.protobuf.message import DecodeError
from starlette.requests import HTTPConnection
from starlette.types import Message, Receive, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

MINUTES = 60.0
"""How long nobody may use it, unless ``--idle`` says otherwise."""
DOOR = "/"


@dataclass(frozen=True, slots=True)
class Idle:
    """When each visit was last used.

    Parameters
    ----------
    limit
        Seconds without use after which a visit is over.
    clock
        Seconds since 1970: a computer that slept was not used meanwhile.
    """

    limit: float
    clock: Callable[[], float] = time.time
    last: dict[str, float] = field(default_factory=dict)

    def use(self, visit: str) -> None:
        """This visit is used now; those that are over are forgotten."""
        now = self.clock()
        for other in [name for name, when in self.last.items() if when + self.limit <= now]:
            del self.last[other]
        self.last[visit] = now

    def left(self, visit: str, began: float = 0.0) -> float:
        """Seconds until this visit is over; 0 or less where it is. ``began`` counts where it was never used since."""
        return max(self.last.get(visit, 0.0), began) + self.limit - self.clock()


def is_use(asked: HTTPConnection) -> bool:
    """Whether a person asks for this: a page, a download, a change; not the signs of life that a page sends."""
    if asked.scope["type"] != "http":
        return False
    is_read = asked.scope["method"] in ("GET", "HEAD")
    is_page = "text/html" in asked.headers.get("accept", "")
    return not is_read or is_page or str(asked.scope["path"]).startswith("/media/")


def is_act(content: bytes | None) -> bool:
    """Whether a page sends this because a person did something, and not because a part of it draws itself anew."""
    message = BackMsg()
    try:
        message.ParseFromString(content or b"")
    except DecodeError:
        return False
    return message.WhichOneof("type") == "rerun_script" and not message.rerun_script.is_auto_rerun


def hear(receive: Receive, send: Send, left: Callable[[], float], use: Callable[[], None]) -> Receive:
    """What a connection hears from its browser, until its visit is over: then that it was closed.

    Parameters
    ----------
    receive, send
        The connection's own.
    left
        Seconds until the visit is over; infinite where it never is.
    use
        Is told when the visit is used.
    """
    coming: list[asyncio.Future[Message]] = []
    rest = [left()]

    async def over() -> Message:
        for future in coming:
            future.cancel()
        with suppress(RuntimeError, OSError):  # the browser is gone
            away = ForwardMsg()
            away.auth_redirect.url = DOOR
            await send({"type": "websocket.send", "bytes": away.SerializeToString()})
        return {"type": "websocket.disconnect", "code": 1008}

    async def hear() -> Message:
        if not coming:
            coming.append(asyncio.ensure_future(receive()))
        while not (await asyncio.wait(coming, timeout=None if rest[0] == float("inf") else max(rest[0], 0.0)))[0]:
            rest[0] = left()
            if rest[0] <= 0:
                return await over()
        message = coming.pop().result()
        if message["type"] == "websocket.receive":
            rest[0] = left()
            if rest[0] <= 0:
                return await over()
            if is_act(message.get("bytes")):
                use()
        return message

    return hear
