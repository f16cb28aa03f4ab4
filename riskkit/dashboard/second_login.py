"""A second login before a restricted report: whoever asks for it has given their password a moment ago.

Only where people log in. A dashboard of one person asks for none: it writes the report into a folder that only the
account opens which started it, and who sits at that account's screen needs no dashboard to read the same.
"""

from __future__ import annotations

import time
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from riskkit.jobs import people
from riskkit.language import say

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
