"""A dashboard for several is not started where its file opens a door; and who somebody is, as their provider says."""

import asyncio
import json
import time
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from itsdangerous import URLSafeTimedSerializer
from starlette.datastructures import Headers
from starlette.types import Message, Receive, Scope, Send
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from riskkit.commands import app
from riskkit.dashboard import login as logins
from riskkit.dashboard.access import SharedFile
from riskkit.dashboard.doors import Doors
from riskkit.dashboard.login import Login
from riskkit.errors import DesignError, MissingLibrary
from riskkit.jobs import people
from riskkit.jobs.people import Account
from riskkit.jobs.store import Store

AUTH = {
    "redirect_uri": "https://riskkit.example.org/oauth2callback",
    "cookie_secret": "c" * 48,
    "client_id": "riskkit",
    "client_secret": "s",
    "server_metadata_url": "https://login.example.org/.well-known/openid-configuration",
}
OWN: dict[str, Any] = {"admins": ["root@example.org"]}
CLAIMS = {"iss": "https://login.example.org", "sub": "17", "email": "ann@example.org", "email_verified": True}
ORIGIN = "https://riskkit.example.org"
LOGIN = Login("c" * 48, ORIGIN, ("root@example.org",))


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RISKKIT_HOME", str(tmp_path / "home"))


@pytest.fixture
def wrong(tmp_path: Path) -> Callable[..., list[str]]:
    """The sentences on a file that says this."""

    def refusals(auth: dict[str, Any] | None = None, own: dict[str, Any] | None = None, mode: int = 0o600) -> list[str]:
        path = tmp_path / "login.toml"
        parts = (("auth", {**AUTH, **(auth or {})}), ("riskkit", {**OWN, **(own or {})}))
        path.write_text(
            "\n".join(
                f"[{part}]\n" + "\n".join(f"{k} = {json.dumps(v)}" for k, v in settings.items())
                for part, settings in parts
            )
        )
        path.chmod(mode)
        return list(SharedFile.read(path).refusals())

    return refusals


def test_a_file_that_says_all_is_taken(wrong: Callable[..., list[str]]) -> None:
    assert wrong() == []
    assert wrong(own={"address": "0.0.0.0"}) == []  # noqa: S104  a proxy with a name and https stands in front
    local = {"redirect_uri": "http://localhost:8501/oauth2callback"}
    assert wrong(auth=local) == []


@pytest.mark.parametrize(
    ("auth", "own", "mode", "text"),
    [
        ({"client_secret": ""}, {}, 0o600, "client_secret in [auth]"),
        ({"cookie_secret": "x" * 31}, {}, 0o600, "can be guessed"),
        ({"redirect_uri": "http://riskkit.example.org/oauth2callback"}, {}, 0o600, "must begin with https://"),
        ({"server_metadata_url": "http://login.example.org/x"}, {}, 0o600, "must begin with https://"),
        ({"redirect_uri": "https://riskkit.example.org/back"}, {}, 0o600, "must end with the path"),
        ({"redirect_uri": "http://127.0.0.1:1/oauth2callback"}, {"address": "0.0.0.0"}, 0o600, "other computers"),  # noqa: S104
        ({"expose_tokens": "id"}, {}, 0o600, "expose_tokens"),
        ({}, {"admins": []}, 0o600, "no administrator"),
        ({}, {}, 0o640, "chmod 600"),
    ],
)
def test_a_file_that_opens_a_door_is_refused(
    wrong: Callable[..., list[str]], auth: dict[str, Any], own: dict[str, Any], mode: int, text: str
) -> None:
    (sentence,) = wrong(auth, own, mode)
    assert text in sentence


def cookie(claims: dict[str, Any], *, secret: str = "c" * 48, origin: str = ORIGIN) -> dict[str, str]:
    """What Streamlit keeps of a login."""
    text = json.dumps({**claims, "origin": origin, "is_logged_in": True, "provider": "default"})
    name = USER_COOKIE_NAME
    return {name: URLSafeTimedSerializer(secret, salt=name).dumps(text)}


def test_a_login_counts_for_half_a_day_for_its_own_origin_and_until_its_person_logs_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann = LOGIN.person(cookie(CLAIMS))
    assert ann is not None
    assert (ann.name, ann.is_admin) == ("ann@example.org", False)
    assert LOGIN.person(cookie(CLAIMS, secret="d" * 48)) is None
    assert LOGIN.person(cookie(CLAIMS, origin="https://elsewhere.example")) is None
    assert LOGIN.person({}) is None
    assert LOGIN.person(cookie({"email": "ann@example.org"})) is None, "nobody vouches for it"
    kept = cookie(CLAIMS)
    real = time.time
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: real() + logins.LASTS - 5)
        assert LOGIN.person(kept) == ann
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: real() + logins.LASTS + 5)
        assert LOGIN.person(kept) is None
    people.log_out(Store.default().base, ann)
    assert LOGIN.person(kept) is None
    with monkeypatch.context() as patch:
        patch.setattr(time, "time", lambda: real() + 2)
        assert LOGIN.person(cookie(CLAIMS)) == ann


def called(cookies: str) -> tuple[int, list[str]]:
    """The status of a page that is asked for with these cookies, and the cookies that came through the doors."""
    came: list[str] = []
    statuses: list[int] = []

    async def behind(scope: Scope, receive: Receive, send: Send) -> None:
        came.extend(Headers(scope=scope).getlist("cookie"))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Message) -> None:
        statuses.extend([message["status"]] if "status" in message else [])

    async def receive() -> Message:
        raise AssertionError("nothing is read")

    headers = [(b"host", b"riskkit.example.org"), (b"cookie", cookies.encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": headers}
    asyncio.run(Doors(behind, None, ("riskkit.example.org",), "", "riskkit-8501", LOGIN)(scope, receive, send))
    return statuses[0], came


def test_a_wrong_or_ended_login_beside_the_right_one_shuts_nobody_out() -> None:
    (right,), (forged,) = (cookie(CLAIMS, secret=letter * 48).values() for letter in "cd")
    (elsewhere,) = cookie(CLAIMS, origin="https://elsewhere.example").values()
    (gone,) = cookie({**CLAIMS, "sub": "18"}).values()
    people.log_out(Store.default().base, Account(people.person_id(CLAIMS["iss"], "18"), "18", is_admin=False))
    name = USER_COOKIE_NAME
    for wrong in (forged, elsewhere, gone, "", "x.y.z"):
        for cookies in (f"{name}={right}; {name}={wrong}", f"{name}={wrong}; {name}={right}; {name}={wrong}"):
            assert called(cookies) == (200, [f"{name}={right}"])
        assert called(f"{name}={wrong}; {name}={wrong}")[0] == 403


@pytest.mark.parametrize(
    ("claims", "name", "is_admin"),
    [
        ({"email": "root@example.org", "email_verified": True}, "root@example.org", True),
        ({"email": "root@example.org", "email_verified": False}, "17", False),
        ({"email": "root@example.org"}, "17", False),
        ({"email_verified": True}, "17", False),
    ],
)
def test_an_address_that_nobody_verified_is_no_name(claims: dict[str, Any], name: str, is_admin: bool) -> None:
    person = LOGIN.named({"iss": "https://login.example.org", "sub": "17", **claims})
    assert person is not None
    assert (person.name, person.is_admin) == (name, is_admin)


def test_two_providers_that_use_one_name_mean_two_people() -> None:
    first, other = (LOGIN.named({**CLAIMS, "iss": issuer}) for issuer in ("https://a.example", "https://b.example"))
    assert first is not None
    assert other is not None
    assert first.id != other.id


def options(**more: Any) -> Namespace:
    return Namespace(
        **{"port": 1, "no_token": False, "shared": Path("x"), "allow_external": False, "external_python": [], **more}
    )


@pytest.mark.parametrize("more", [{"no_token": True}, {"allow_external": True}, {"external_python": ["a:b"]}])
def test_a_dashboard_for_several_has_its_login_and_runs_no_programs(
    more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app, "require", lambda *_: None)
    with pytest.raises(DesignError, match="runs no programs"):
        app.run(options(**more))


def test_what_a_login_needs_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("riskkit.base.extras._is_there", lambda module: module != "authlib")
    with pytest.raises(MissingLibrary, match=r"needs Authlib, which is not installed: pip install 'riskkit\[shared\]'"):
        app.run(options())
