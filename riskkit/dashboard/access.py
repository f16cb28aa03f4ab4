"""A dashboard for several: the file that says who logs them in, who may do what, and where it answers.

::

    [auth]                                      # as Streamlit has it: https://docs.streamlit.io/develop/concepts/connections/authentication
    redirect_uri = "https://riskkit.example.org/oauth2callback"
    cookie_secret = "64 random letters"
    client_id = "riskkit"
    client_secret = "what the provider gave"
    server_metadata_url = "https://login.example.org/.well-known/openid-configuration"

    [riskkit]
    admins = ["ann@example.org"]
    address = "127.0.0.1"                       # where the proxy finds it; "0.0.0.0" within a container
"""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from streamlit import config

from riskkit.dashboard.login import Login
from riskkit.language import say

NEEDED = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
SHORTEST = 32
"""Letters of a secret that cannot be guessed."""
LOCAL = ("localhost", "127.0.0.1", "::1")
CALLBACK = "/oauth2callback"


@dataclass(frozen=True, slots=True)
class SharedFile:
    """What such a file says."""

    path: Path
    auth: dict[str, Any]
    own: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> SharedFile:
        """The file at that place.

        Raises
        ------
        OSError, ValueError
            It cannot be read, or is no TOML with two such parts.
        """
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        auth, own = content.get("auth"), content.get("riskkit", {})
        if not isinstance(auth, dict) or not isinstance(own, dict):
            raise ValueError(say("it needs a part [auth]"))
        return cls(path.resolve(), auth, own)

    @property
    def origin(self) -> str:
        """Scheme, name and port under which browsers call the dashboard."""
        called = urlsplit(str(self.auth.get("redirect_uri", "")))
        return f"{called.scheme}://{called.netloc}"

    @property
    def host(self) -> str:
        """The name in it."""
        return urlsplit(self.origin).hostname or ""

    @property
    def address(self) -> str:
        """Where the server listens."""
        return str(self.own.get("address", "127.0.0.1"))

    @property
    def login(self) -> Login:
        """Whom it lets in."""
        return Login(str(self.auth["cookie_secret"]), self.origin, tuple(map(str, self.own.get("admins", ()))))

    def apply(self) -> None:
        """Have Streamlit log people in by this file and no other, and listen where it says."""
        for name, value in (
            ("secrets.files", [str(self.path)]),
            ("server.address", self.address),
            ("server.allowedHosts", [self.host]),
        ):
            config.set_option(name, value)

    def refusals(self) -> Iterator[str]:
        """A sentence for everything in it that is unsafe."""
        missing = [name for name in NEEDED if not self.auth.get(name)]
        if missing:
            yield say("{file} does not say {names} in [auth].", file=self.path, names=", ".join(missing))
            return
        if sys.platform != "win32" and (self.path.stat().st_mode & 0o077 or self.path.stat().st_uid != os.getuid()):
            yield say("{file} holds secrets and is open to other accounts: chmod 600 {file}", file=self.path)
        if len(str(self.auth["cookie_secret"])) < SHORTEST:
            yield say(
                "cookie_secret in {file} can be guessed: give {letters} random letters or more, such as those of "
                "python -c 'import secrets; print(secrets.token_urlsafe(48))'",
                file=self.path,
                letters=SHORTEST,
            )
        if self.auth.get("expose_tokens"):
            yield say(
                "expose_tokens in {file} would hand keys of your organisation to pages. Take it out.", file=self.path
            )
        for name in ("redirect_uri", "server_metadata_url"):
            if not _is_safe(str(self.auth[name])):
                yield say(
                    "{name} in {file} must begin with https://: names and logins would cross the network in the clear.",
                    name=name,
                    file=self.path,
                )
        if urlsplit(str(self.auth["redirect_uri"])).path != CALLBACK:
            yield say("redirect_uri in {file} must end with the path {path}.", file=self.path, path=CALLBACK)
        if self.host in LOCAL and self.address not in LOCAL:
            yield say(
                "address in {file} lets other computers in, and redirect_uri names this computer alone. Name the "
                "dashboard as its proxy calls it, with https://.",
                file=self.path,
            )
        admins = self.own.get("admins")
        if not isinstance(admins, list) or not admins or not all(isinstance(name, str) for name in admins):
            yield say(
                '{file} names no administrator: [riskkit] admins = ["name@example.org"]. Somebody must be able to '
                "delete what others left.",
                file=self.path,
            )
        if config.get_option("server.baseUrlPath"):
            yield say("server.baseUrlPath is set: a dashboard for several needs a name of its own, without a path.")


def _is_safe(address: str) -> bool:
    """Whether nobody on the way can read what is sent there."""
    called = urlsplit(address)
    return called.scheme == "https" or (called.scheme == "http" and called.hostname in LOCAL)
