"""What must hold before the dashboard starts: settings, the folder of the audits, core dumps.

Streamlit's settings may come from the files ``config.toml``, from the environment and from options. Whichever opens a
door is refused at start, by its name, with the place it comes from and what to do.
"""

from __future__ import annotations

import ipaddress
import os
import sys
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamlit import config, runtime
from streamlit.runtime.runtime import RuntimeState

from riskkit.dashboard.access import SharedFile
from riskkit.language import kept, say

HERE = ("localhost", "127.0.0.1", "::1", "[::1]")
"""The names of this computer for itself."""


@dataclass(frozen=True, slots=True)
class SafetyRule:
    """A setting of Streamlit, the values that keep the door closed, what is behind it and what to set."""

    setting: str
    is_safe: Callable[[Any], bool]
    why: str
    wanted: str


def is_here(address: object) -> bool:
    """Whether that address is this computer's own, which no other can reach."""
    try:
        return address == "localhost" or ipaddress.ip_address(str(address)).is_loopback
    except ValueError:
        return False


def _is_off(value: object) -> bool:
    return not value


def _is_on(value: object) -> bool:
    return value is True


RULES = (
    SafetyRule(
        "server.address",
        is_here,
        kept(
            "other computers could reach the dashboard, which knows one user only; a dashboard for several needs a "
            "login: --shared FILE"
        ),
        "127.0.0.1",
    ),
    SafetyRule(
        "server.allowedHosts",
        lambda names: bool(names) and set(names) <= set(HERE),
        kept("a page from elsewhere could give this computer a name of its own and use the dashboard"),
        '["localhost", "127.0.0.1"]',
    ),
    SafetyRule("server.enableXsrfProtection", _is_on, kept("another page could upload files"), "true"),
    SafetyRule("server.enableCORS", _is_on, kept("other pages could read the dashboard"), "true"),
    SafetyRule("server.corsAllowedOrigins", _is_off, kept("other pages could read the dashboard"), "[]"),
    SafetyRule(
        "server.xsrfCookieSameSite",
        lambda value: str(value).lower() in ("strict", "lax"),
        kept("another page's requests would bring the cookie"),
        '"strict"',
    ),
    SafetyRule("server.trustedUserHeaders", _is_off, kept("a request could claim to come from any user"), "{}"),
    SafetyRule(
        "server.sslCertFile", _is_off, kept("the dashboard does not speak HTTPS, a proxy in front of it does"), '""'
    ),
    SafetyRule("server.enableStaticServing", _is_off, kept("files beside the dashboard would be served"), "false"),
    SafetyRule("server.enableAgentApi", _is_off, kept("programs could use the dashboard without its pages"), "false"),
    SafetyRule(
        "server.scriptHealthCheckEnabled", _is_off, kept("whoever opens an address could make pages run"), "false"
    ),
    SafetyRule(
        "server.fileWatcherType",
        lambda value: value == "none",
        kept("a file that changes would change the running dashboard"),
        '"none"',
    ),
    SafetyRule(
        "client.allowedOrigins",
        _is_off,
        kept("a page that shows the dashboard in a frame could take uploads"),
        "[]",
    ),
    SafetyRule(
        "client.showErrorDetails",
        lambda value: value == "none",
        kept("the text of an error can hold a value of your data"),
        '"none"',
    ),
    SafetyRule(
        "client.toolbarMode",
        lambda value: value in ("viewer", "minimal"),
        kept("the menu would offer a developer's tools"),
        '"viewer"',
    ),
    SafetyRule(
        "browser.gatherUsageStats", _is_off, kept("browsers would tell Streamlit's makers of each visit"), "false"
    ),
    SafetyRule("global.developmentMode", _is_off, kept("any page could use the dashboard"), "false"),
    SafetyRule("runner.magicEnabled", _is_off, kept("a page could show what it holds by accident"), "false"),
    SafetyRule(
        "logger.level",
        lambda value: str(value).lower() != "debug",
        kept("the log would hold what people type and load"),
        '"info"',
    ),
)
"""All settings that are looked at."""


def refusals(home: Path, shared: SharedFile | None = None) -> list[str]:
    """A sentence for everything that is unsafe; empty where the dashboard may start.

    Parameters
    ----------
    home
        The folder of the audits; it may not be there yet.
    shared
        What logs people in, where the dashboard is for several. It says itself where the dashboard answers.
    """
    theirs = () if shared is None else ("server.address", "server.allowedHosts")
    refused = () if shared is None else shared.refusals()
    return [*refused, *_settings(theirs), *_home(home), *_core_dumps()]


BEHIND_DOORS: list[bool] = []
"""Filled by whoever puts the doors in front of the pages."""


def is_served_openly() -> bool:
    """Whether Streamlit serves the pages by itself, with no doors in front: ``streamlit run app.py``."""
    return not BEHIND_DOORS and runtime.exists() and isinstance(runtime.get_instance().state, RuntimeState)


def _settings(besides: Collection[str]) -> Iterator[str]:
    for rule in RULES:
        if rule.setting not in besides and not rule.is_safe(config.get_option(rule.setting)):
            yield say(
                "{setting} is unsafe ({source}): {why}. Set it to {wanted}.",
                setting=rule.setting,
                source=source_of(rule.setting),
                why=say(rule.why),
                wanted=rule.wanted,
            )


def source_of(setting: str) -> str:
    """Where a setting comes from: a variable of the environment, an option, a file, or nowhere."""
    option, where = config.get_config_options()[setting], config.get_where_defined(setting)
    if Path(where).is_file():
        return where
    if option.env_var in os.environ:
        return option.env_var
    return say("not set") if option.is_default else f"--{setting}"


def _home(home: Path) -> Iterator[str]:
    """Other accounts of this computer may not look into the folder of the audits, nor may it be theirs."""
    if sys.platform == "win32" or not home.exists():
        return
    is_theirs = home.stat().st_uid != os.getuid()
    if is_theirs or home.stat().st_mode & 0o077:
        yield say(
            "The folder of the audits is open to other accounts of this computer: {folder}. Make it yours alone: "
            "chmod 700 {folder}",
            folder=home,
        )


def _core_dumps() -> Iterator[str]:
    """A program that dies can leave all it held in a file, the data among it."""
    if sys.platform == "win32":
        return
    import resource

    if resource.getrlimit(resource.RLIMIT_CORE)[0] != 0:
        yield say("Core dumps are on: a crash would write your data into a file. Switch them off: ulimit -c 0")
