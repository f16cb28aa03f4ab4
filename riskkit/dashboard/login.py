"""Several people on one dashboard: who has logged in, and what of the server is theirs.

The login is Streamlit's own (OpenID Connect, by Authlib): its routes ask the organisation's provider, and keep what
that says of a person in a signed cookie. Here nothing is shown before it, a login ends after half a day or when its
person logs out anywhere, and downloads and uploads belong to the person whose page made them.

A restricted report wants a second login: whoever asks for it has given their password a moment ago. A dashboard of one
person asks for none: it writes the report into a folder that only the account opens which started it, and who sits at
that account's screen needs no dashboard to read the same.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import streamlit as st
from itsdangerous import BadData, URLSafeTimedSerializer
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from streamlit import runtime
from streamlit.auth_util import encode_provider_token, get_cookie_with_chunks
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.web.server.starlette.starlette_server_config import TOKENS_COOKIE_NAME, USER_COOKIE_NAME

from riskkit.dashboard.idle import Idle
from riskkit.errors import DesignError
from riskkit.jobs import people
from riskkit.jobs.people import Account
from riskkit.jobs.store import Store
from riskkit.language import say

LASTS = 12 * 3600
"""Seconds after which a person has to log in again."""
LOGIN = "/auth/login"
OPEN = (LOGIN, "/oauth2callback")
"""What is asked for on the way to a login."""
AUTH_NAMES = (USER_COOKIE_NAME, TOKENS_COOKIE_NAME)
"""How the names of a login's cookies begin; a long one stands in several."""
_UPLOAD = re.compile(r"/_stcore/upload_file/(?P<session>[^/]+)/.*")
_MEDIA = re.compile(r"/media/(?P<file>[^/.]+)(\.[^/]*)?")


class Offers:
    """Whose page each session of Streamlit is, and which files it offers: a download is for that person alone.

    Streamlit keeps files for whoever can name them. What it is asked to keep is noted here beside it, and forgotten
    when it forgets: when a page is made anew, and when its session ends.
    """

    def __init__(self) -> None:
        self.owner: dict[str, Account] = {}
        self.files: dict[str, set[str]] = {}
        self.before: dict[str, set[str]] = {}
        self.later: dict[str, str] = {}

    def page(self, session: str, person: Account) -> None:
        """The page of that session is made for this person."""
        self.owner[session] = person

    def are_to(self, person: Account, file: str) -> bool:
        """Whether a page of that person offers that file."""
        return any(file in files and self.is_of(session, person) for session, files in list(self.files.items()))

    def is_of(self, session: str, person: Account) -> bool:
        """Whether that session is a page of that person."""
        owner = self.owner.get(session)
        return owner is not None and owner.id == person.id

    def keep(self, session: str, file: str) -> None:
        """A page of that session offers the file; nobody's does where no page is being made."""
        self.files.setdefault(session, set()).add(file)

    def watch(self, manager: MediaFileManager) -> None:
        """Note what this manager keeps from now on, and have a file that is made when it is asked for be made by the
        person whose page offers it.

        Streamlit makes such a file for whoever names it, in a thread that knows no session.
        """
        add, add_later, make, forget = (
            manager.add,
            manager.add_deferred,
            manager.execute_deferred,
            manager.clear_session_refs,
        )

        def note(*what: Any, **how: Any) -> str:
            address = add(*what, **how)
            self.keep(_session(), _file(address))
            return address

        def note_later(*what: Any, **how: Any) -> str:
            offer = add_later(*what, **how)
            self.later[offer] = _session()
            self.keep(_session(), offer)
            return offer

        def make_for_owner(offer: str) -> str:
            session = self.later.get(offer, "")
            person = self.owner.get(session)
            if person is None:
                raise DesignError(say("Nobody has logged in. Open the dashboard anew."))
            with people.acting_as(person):
                address = make(offer)
            self.keep(session, _file(address))
            return address

        def forget_session(session_id: str | None = None) -> None:
            session = _session() if session_id is None else session_id
            for offer in self.before.pop(session, set()):  # a click on the page before may still be on its way
                self.later.pop(offer, None)
            self.before[session] = self.files.pop(session, set())
            if not runtime.get_instance().is_active_session(session):
                self.owner.pop(session, None)
            forget(session_id)

        for name, noting in (
            ("add", note),
            ("add_deferred", note_later),
            ("execute_deferred", make_for_owner),
            ("clear_session_refs", forget_session),
        ):
            setattr(manager, name, noting)


def _session() -> str:
    """The session whose page is being made; empty where none is."""
    context = get_script_run_ctx()
    return "" if context is None else context.session_id


def _file(address: str) -> str:
    """What a file is called in its address; empty where that is none of a file."""
    named = _MEDIA.fullmatch(address)
    return "" if named is None else named["file"]


@dataclass(frozen=True, slots=True)
class Login:
    """Whom a login lets in.

    Parameters
    ----------
    secret
        What cookies are signed with.
    origin
        Scheme, name and port under which browsers call the dashboard.
    admins
        The names of those who may delete anybody's audit and choose for how long files are kept.
    idle
        When each login was last used; None where none ends for that.
    offers
        Whose page each session is, and which files it offers.
    """

    secret: str
    origin: str
    admins: Collection[str]
    idle: Idle | None = None
    offers: Offers = field(default_factory=Offers, compare=False)

    def person(self, cookies: Mapping[str, str]) -> Account | None:
        """Who has logged in, by the cookies of a request; None where nobody has, or it has ended."""
        person, _ = self._visit(cookies)
        return person

    def left(self, cookies: Mapping[str, str]) -> float:
        """Seconds until the login of a request ends, if nobody uses it; 0 where it has."""
        _, rest = self._visit(cookies)
        return rest

    def use(self, cookies: Mapping[str, str]) -> None:
        """Whoever sends these cookies uses the dashboard now."""
        if self.idle is not None:
            self.idle.use(_name(cookies))

    def _visit(self, cookies: Mapping[str, str]) -> tuple[Account | None, float]:
        """Who has logged in, and for how many more seconds."""
        since: list[float] = []

        def part(name: str) -> bytes | None:
            signed = self._signed(name, cookies.get(name, ""))
            if signed is None:
                return None
            since.append(signed[1])
            return signed[0].encode()

        whole = get_cookie_with_chunks(part, USER_COOKIE_NAME)
        try:
            claims = json.loads(whole or b"null")
        except ValueError:
            return None, 0.0
        if not isinstance(claims, dict) or claims.get("origin") != self.origin or not claims.get("is_logged_in"):
            return None, 0.0
        began = min(since)
        rest = began + LASTS - time.time()
        if self.idle is not None:
            rest = min(rest, self.idle.left(_name(cookies), began))
        person = self.named(claims)
        if person is None or rest <= 0 or began <= people.last_left(Store.default().base, person):
            return None, 0.0
        return person, rest

    def is_signed(self, name: str, value: str) -> bool | None:
        """Whether a cookie is one that was signed here and has not ended; None of a name that is no login's."""
        return self._signed(name, value) is not None if name.startswith(AUTH_NAMES) else None

    def _signed(self, name: str, value: str) -> tuple[str, float] | None:
        """What a cookie says and since when; None where it was not signed here, or has ended."""
        try:
            text, moment = URLSafeTimedSerializer(self.secret, salt=name).loads(
                value, max_age=LASTS, return_timestamp=True
            )
        except BadData:
            return None
        return str(text), moment.timestamp()

    def named(self, claims: Mapping[str, Any]) -> Account | None:
        """The person of whom the provider says this.

        The name is their e-mail address where the provider has verified it, else what the provider calls them: an
        address that anybody may claim would let them pass for somebody else when an audit is shared.
        """
        issuer, subject = str(claims.get("iss") or ""), str(claims.get("sub") or "")
        if not issuer or not subject:
            return None
        is_sure = claims.get("email_verified") in (True, "true") and claims.get("email")
        name = str(claims["email"]) if is_sure else subject
        return Account(people.person_id(issuer, subject), name, is_admin=name in self.admins)

    def acting(self) -> Account:
        """Whoever's page is being made; the doors have looked at the login with every message of it."""
        context = get_script_run_ctx()
        claims: Mapping[str, Any] = {} if context is None else context.user_info
        person = self.named(claims) if claims.get("is_logged_in") else None
        if context is None or person is None:
            raise DesignError(say("Nobody has logged in. Open the dashboard anew."))
        self.offers.page(context.session_id, person)
        return person

    def refusal(self, asked: HTTPConnection) -> Response | None:
        """The answer to a request that may not come in; None where it may."""
        path = str(asked.scope["path"])
        if asked.scope["type"] == "http" and path in OPEN:
            return None
        person = self.person(asked.cookies)
        if person is None:
            return self._to_login(asked)
        if path == "/auth/logout":
            people.log_out(Store.default().base, person)
        if path.startswith(("/_stcore/metrics", "/_stcore/agent")):
            return PlainTextResponse(f"{say('Nobody may see this.')}\n", status_code=403)
        if not self._is_theirs(path, person):
            return PlainTextResponse(f"{say('There is no such file.')}\n", status_code=404)
        if asked.scope["type"] == "websocket":
            people.meet(Store.default().base, person)
        return None

    def _to_login(self, asked: HTTPConnection) -> Response:
        """The way to the provider for a page, a sentence for anything else."""
        wants_page = "text/html" in asked.headers.get("accept", "") and asked.scope.get("method") == "GET"
        if asked.scope["type"] != "http" or not wants_page:
            return PlainTextResponse(f"{say('Log in first: open the dashboard in a browser.')}\n", status_code=403)
        return RedirectResponse(f"{LOGIN}?{urlencode({'provider': encode_provider_token('default')})}", 303)

    def _is_theirs(self, path: str, person: Account) -> bool:
        """Whether a download or an upload belongs to a page of that person; all else is everybody's."""
        if path.startswith("/media/"):
            file = _MEDIA.fullmatch(path)
            return file is not None and self.offers.are_to(person, file["file"])
        if path.startswith("/_stcore/upload_file/"):
            upload = _UPLOAD.fullmatch(path)
            return upload is not None and self.offers.is_of(upload["session"], person)
        return True


def _name(cookies: Mapping[str, str]) -> str:
    """What a login is known by while it lasts: the hash of its cookie, which is another after every login."""
    parts = sorted((name, value) for name, value in cookies.items() if name.startswith(USER_COOKIE_NAME))
    return hashlib.sha256(repr(parts).encode()).hexdigest()


FRESH = 300.0
"""Seconds after a login in which a restricted report may be written."""
SKEW = 60.0
"""Seconds that the provider's clock may be ahead of ours."""


class Second(StrEnum):
    """How it stands with the second login of whoever acts."""

    NOT_NEEDED = "not needed"
    SURE = "sure"
    """The provider says that the password was given a moment ago."""
    UNSURE = "unsure"
    """They logged in a moment ago; the provider was asked to ask for the password, and does not say whether it did."""
    OLD = "old"


def standing() -> Second:
    """How it stands now.

    Raises
    ------
    DesignError
        People are told apart, and nobody has logged in.
    """
    if people.acting() is None:
        return Second.NOT_NEEDED
    context = get_script_run_ctx()
    claims = {} if context is None else context.user_info
    logged_in, issued = claims.get("auth_time"), claims.get("iat")
    if logged_in is not None:
        return Second.SURE if _is_fresh(logged_in) else Second.OLD
    return Second.UNSURE if _is_fresh(issued) else Second.OLD


def _is_fresh(when: object) -> bool:
    if not isinstance(when, int | float):
        return False
    return -SKEW <= time.time() - when <= FRESH


def control() -> bool:
    """Whether a restricted report may be written now; where not, the way to the second login."""
    how = standing()
    if how is Second.OLD:
        st.caption(
            say(
                "A restricted report asks for a second login: log in again, come back to this page, and write it "
                "within {minutes} minutes.",
                minutes=int(FRESH / 60),
            )
        )
        st.button(say("Log in again"), key="report.login", icon=":material/login:", on_click=st.login)
    elif how is Second.UNSURE:
        st.caption(
            say(
                "Your organisation's login was asked to ask for your password. It does not say whether it did; the "
                "time of your login is taken for it."
            )
        )
    return how is not Second.OLD


def with_password(address: str) -> str:
    """The address that a visitor is sent to for a login, with the wish that the provider asks for their password.

    ``max_age`` obliges a provider to say when that was (``auth_time``, OpenID Connect Core 3.1.2.1).
    """
    parts = urlsplit(address)
    if not parts.netloc:  # no provider's
        return address
    kept = [(name, value) for name, value in parse_qsl(parts.query, True) if name not in ("prompt", "max_age")]
    return urlunsplit(parts._replace(query=urlencode([*kept, ("prompt", "login"), ("max_age", "0")])))
