"""Before a restricted report a person logs in again, where people log in; the provider is asked for the password."""

import time
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from riskkit.dashboard import login
from riskkit.dashboard.login import Second, standing, with_password
from riskkit.jobs import people
from riskkit.jobs.people import Account

NOW = 1_700_000_000.0


@pytest.fixture
def claims(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What the provider said of whoever's page is drawn; they are told apart."""
    claims_now: dict[str, Any] = {}
    monkeypatch.setattr(people, "_FINDERS", [lambda: Account("a" * 64, "ann@example.org")])
    monkeypatch.setattr(login, "get_script_run_ctx", lambda: SimpleNamespace(user_info=claims_now))
    monkeypatch.setattr(time, "time", lambda: NOW)
    return claims_now


def test_where_nobody_logs_in_none_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(people, "_FINDERS", [])
    assert standing() is Second.NOT_NEEDED


@pytest.mark.parametrize(
    ("sent", "how"),
    [
        ({"auth_time": NOW - 10, "iat": NOW - 10}, Second.SURE),
        ({"auth_time": int(NOW) - 299}, Second.SURE),
        ({"auth_time": NOW + 30}, Second.SURE),  # its clock is ahead
        ({"auth_time": NOW - 301, "iat": NOW - 1}, Second.OLD),  # a login without a password
        ({"auth_time": NOW + 61, "iat": NOW}, Second.OLD),
        ({"auth_time": "now", "iat": NOW}, Second.OLD),
        ({"iat": NOW - 10}, Second.UNSURE),
        ({"iat": NOW - 301}, Second.OLD),
        ({"iat": float("nan")}, Second.OLD),
        ({}, Second.OLD),
    ],
)
def test_the_time_of_the_password_decides(claims: dict[str, Any], sent: dict[str, Any], how: Second) -> None:
    claims.update(sent)
    assert standing() is how


def test_every_login_asks_the_provider_for_the_password() -> None:
    asked = with_password("https://login.example.org/authorize?client_id=riskkit&prompt=select_account&state=a%26b&x=")
    where = urlsplit(asked)
    assert (where.netloc, where.path) == ("login.example.org", "/authorize")
    assert parse_qs(where.query, keep_blank_values=True) == {
        "client_id": ["riskkit"],
        "state": ["a&b"],
        "x": [""],
        "prompt": ["login"],
        "max_age": ["0"],
    }
    assert with_password("/") == "/"
