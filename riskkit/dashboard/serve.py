"""Start the dashboard: ``python -m riskkit.dashboard`` and any option of ``streamlit run``."""

from __future__ import annotations

import os
import secrets
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import click
import uvicorn
from streamlit import config, file_util, runtime
from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App
from streamlit.web.bootstrap import load_config_options
from streamlit.web.cli import configurator_options

from riskkit.audit.sample import sample_audit
from riskkit.base import places, process
from riskkit.dashboard import closed_tabs, doors, safety
from riskkit.dashboard.access import SharedFile
from riskkit.dashboard.frame import styles
from riskkit.dashboard.idle import MINUTES, Idle
from riskkit.dashboard.login import Offers
from riskkit.errors import RiskkitError
from riskkit.jobs import people
from riskkit.jobs.machine import workers
from riskkit.jobs.store import Store
from riskkit.language import refusal, say
from riskkit.questions.forecasts import loading

loading()  # counts what it took, before this process does anything else
APP = places.project() / "app.py"
PING = 30.0
"""Seconds between two signs of life that a connection gives, and until one without any is closed."""
LAST_WORDS = 5
"""Seconds that answers under way have when the dashboard is stopped."""


@click.command()
@click.option("--no-token", is_flag=True, help="Let in whoever reaches this dashboard on this computer.")
@click.option("--shared", type=click.Path(path_type=Path), help="Let several people log in, as this file says.")
@click.option(
    "--idle", type=click.FloatRange(min=0, min_open=True), default=MINUTES, help="Minutes without use until it locks."
)
@configurator_options
def main(no_token: bool, shared: Path | None, idle: float, **settings: Any) -> None:
    """Serve ``app.py`` behind closed doors.

    A folder named ``pages`` beside it makes Streamlit run a page without ``app.py`` when the very first request after
    a start names that page, as a bookmark does. Ours are listed by ``app.py``; the folder means nothing by itself.
    Where ``RISKKIT_OPEN`` is ``sample``, the sample audit is made sure of first, and is the one that is opened.
    """
    if refusal():
        sys.exit(f"riskkit: {refusal()}")
    PagesManager.uses_pages_directory = False
    closed_tabs.keep_here()
    several = None if shared is None else _several(shared)
    token = None if no_token or several else secrets.token_urlsafe(32)
    offers = Offers()
    app = App(APP, lifespan=_announce(token, several, offers))
    _read(settings)
    if several is not None:
        several.apply()
    unsafe = safety.refusals(places.home(), several)
    if unsafe:
        _end("\n".join([say("The dashboard is not started, because it would not be safe:"), *unsafe]))
    if os.environ.get("RISKKIT_OPEN") == "sample":
        os.environ["RISKKIT_OPEN"] = _sample()
    process.end_loading()
    safety.BEHIND_DOORS.append(True)
    _serve(app, token, several, Idle(60 * idle), offers)


def _several(path: Path) -> SharedFile:
    """What the file of a dashboard for several says."""
    try:
        return SharedFile.read(path)
    except (OSError, ValueError) as error:
        _end(say("{file} cannot be used: {why}", file=path, why=getattr(error, "strerror", None) or error))


def _read(settings: dict[str, Any]) -> None:
    """Have Streamlit read its settings: the file beside ``app.py`` is known now, the environment is in the options."""
    try:
        load_config_options(settings)
    except (RuntimeError, ValueError) as error:  # two that exclude each other, or a file that is no TOML
        _end(say("The settings of the dashboard cannot be used: {why}", why=error))


def _serve(app: App, token: str | None, several: SharedFile | None, idle: Idle, offers: Offers) -> None:
    """Serve that application behind the doors until somebody stops it."""
    port = config.get_option("server.port")
    closed = doors.Doors(
        app,
        token=token,
        hosts={several.host} if several else {_host(), *config.get_option("server.allowedHosts")},
        csp=doors.policy(Path(file_util.get_static_dir(), "index.html").read_text(encoding="utf-8") + styles.UP),
        cookie=f"riskkit-{port}",
        login=replace(several.login, idle=idle, offers=offers) if several else None,
        idle=idle if token else None,
    )
    if closed.login is not None:
        people.tell_apart(closed.login.acting)
    server = uvicorn.Config(
        closed,
        host=config.get_option("server.address"),
        port=port,
        ws="websockets-sansio",
        ws_max_size=config.get_option("server.maxMessageSize") * 1_000_000,
        ws_per_message_deflate=config.get_option("server.enableWebsocketCompression"),
        ws_ping_interval=PING,
        ws_ping_timeout=PING,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        use_colors=False,
        timeout_graceful_shutdown=LAST_WORDS,
    )
    try:
        bound = server.bind_socket()
    except SystemExit:
        _end(say("Port {port} of this computer cannot be used. Choose another: --port.", port=port))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # once all is closed; the rest of the program ends well too
    with suppress(KeyboardInterrupt):
        uvicorn.Server(server).run(sockets=[bound])


def _announce(
    token: str | None, several: SharedFile | None, offers: Offers
) -> Callable[[App], AbstractAsyncContextManager[None]]:
    """What says where the dashboard is, once it is there."""

    @asynccontextmanager
    async def open_to_visitors(_app: App) -> AsyncIterator[None]:
        if several is None:
            sentence, address = say("The dashboard is open to whoever has this address:"), _address(token)
        else:
            offers.watch(runtime.get_instance().media_file_mgr)
            sentence, address = say("The dashboard is open to whoever logs in:"), several.origin
        sys.stdout.write(f"\n  {sentence}\n\n    {address}\n\n")
        sys.stdout.flush()
        async with closed_tabs.housekeeping():
            yield

    return open_to_visitors


def _address(token: str | None) -> str:
    """The address of the first page, with the token that lets a visitor in."""
    path = config.get_option("server.baseUrlPath").strip("/")
    place = f"http://{_host()}:{config.get_option('server.port')}/{path}"
    return place if token is None else f"{place}?{doors.TOKEN}={token}"


def _host() -> str:
    """This computer as its address is written in a browser."""
    address = str(config.get_option("server.address"))
    return f"[{address}]" if ":" in address else address


def _sample() -> str:
    """The id of the sample audit; ends the program with a sentence where it cannot be made.

    It says first what it does: the very first time that takes most of a minute, in which a terminal would stay empty.
    """
    sys.stderr.write("riskkit: looking after the sample audit; the first start takes about a minute.\n")
    sys.stderr.flush()
    try:
        return sample_audit(Store.default(), workers=workers()).id
    except RiskkitError as error:
        _end(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("riskkit: stopped.\n")
        sys.exit(130)


def _end(why: str) -> NoReturn:
    """End the program with the exit code of what is refused."""
    sys.stderr.write(f"riskkit: {why}\n")
    sys.exit(2)


if __name__ == "__main__":
    main()
