"""A tab without a browser that keeps all it is sent, puts files in and presses buttons."""

import asyncio
from dataclasses import dataclass, field
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, Request

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.sessions import Session

BOUNDARY = "edge-of-a-part"


@dataclass
class Tab(Session):
    """A tab that keeps all it was sent since :meth:`forget`, and the widgets of the page that stands."""

    messages: list[ForwardMsg] = field(default_factory=list)
    widgets: dict[str, Any] = field(default_factory=dict)
    session: str = ""

    def _take(self, message: ForwardMsg) -> None:
        self.messages.append(message)
        if message.WhichOneof("type") == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
        super()._take(message)

    @property
    def sent_bytes(self) -> bytes:
        return b"".join(message.SerializeToString() for message in self.messages)

    def forget(self) -> None:
        self.messages.clear()

    def ids(self, kind: str) -> dict[str, str]:
        """The ids of the widgets of that kind that were drawn, by the key that ends each."""
        ids = [getattr(m.delta.new_element, kind).id for m in self.messages if m.WhichOneof("type") == "delta"]
        return {name.rpartition("-")[2]: name for name in ids if name}

    async def act(self, page: str, **message_fields: Any) -> None:
        """Draw the page with these states of widgets, by id, and wait until it stands."""
        self._forget_timers()
        self.forget()
        self.waiting, self.page, self.is_begun = asyncio.get_running_loop().create_future(), page, True
        message = BackMsg()
        message.rerun_script.query_string, message.rerun_script.page_name = self.query, page
        for state in message_fields["states"]:
            message.rerun_script.widget_states.widgets.add().CopyFrom(state)
        await self.socket.send(message.SerializeToString())
        await asyncio.wait_for(self.waiting, 120)

    def put(self, browser: OpenerDirector, file: str, name: str, content: bytes) -> int:
        """Send a file as the uploader of a page does; the status of the answer."""
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'.encode()
        body = head + content + f"\r\n--{BOUNDARY}--\r\n".encode()
        address = f"{self.url}/_stcore/upload_file/{self.session}/{file}"
        asked = Request(address, body, {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}, method="PUT")
        handlers: list[object] = vars(browser)["handlers"]
        jar = next(handler.cookiejar for handler in handlers if isinstance(handler, HTTPCookieProcessor))
        token = next(str(cookie.value) for cookie in jar if cookie.name == "_streamlit_xsrf")
        asked.add_header("X-Xsrftoken", token.strip('"'))
        with browser.open(asked, timeout=60) as answer:
            return int(answer.status)
