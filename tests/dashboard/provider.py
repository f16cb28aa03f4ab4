"""An organisation's login, small enough for a test: an OpenID Connect provider that takes a visitor at their word."""

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

CLIENT, SECRET = "riskkit", "the secret of the client"


@dataclass
class Provider:
    """Signs who somebody is. ``claims`` is what it says beside the subject, by person; codes work once.

    ``asked`` is what the last visitor was sent with.
    """

    address: str
    key: Any
    claims: dict[str, dict[str, Any]] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: dict[str, str] = field(default_factory=dict)
    issued: int = 0

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.address,
            "authorization_endpoint": f"{self.address}/authorize",
            "token_endpoint": f"{self.address}/token",
            "jwks_uri": f"{self.address}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
        }

    def code(self, who: str, asked: dict[str, str]) -> str:
        made = secrets.token_urlsafe(16)
        self.codes[made] = {**asked, "who": who}
        return made

    def token(self, fields: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """What is handed over for a code: nothing where client, code or the proof that goes with it is another."""
        from joserfc import jwt

        asked = self.codes.pop(fields.get("code", ""), None)
        kept = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if asked is None or authorization.removeprefix("Basic ") not in (kept, _quoted()):
            return None
        proof = hashlib.sha256(fields.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(proof).rstrip(b"=").decode() != asked.get("code_challenge"):
            return None
        now = int(time.time())
        claims = {"iss": self.address, "aud": CLIENT, "sub": asked["who"], "iat": now, "exp": now + 300}
        claims |= {"nonce": asked.get("nonce", ""), **self.claims.get(asked["who"], {})}
        self.issued += 1
        signed = jwt.encode({"alg": "RS256", "kid": "1"}, claims, self.key)
        return {"access_token": "a", "token_type": "Bearer", "expires_in": 300, "id_token": signed}


def _quoted() -> str:
    """Client and secret as they are written where both are quoted first, as the standard wants it."""
    from urllib.parse import quote

    return base64.b64encode(f"{quote(CLIENT)}:{quote(SECRET)}".encode()).decode()


@contextmanager
def provider() -> Iterator[Provider]:
    """Such a provider on a free port of this machine."""
    from joserfc.jwk import RSAKey

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            where = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(where.query).items()}
            if where.path == "/authorize":
                made.asked = asked
                who = SimpleCookie(self.headers.get("Cookie", ""))["who"].value
                back = urlencode({"code": made.code(who, asked), "state": asked["state"]})
                self.send_response(302)
                self.send_header("Location", f"{asked['redirect_uri']}?{back}")
                self.end_headers()
            elif where.path == "/keys":
                self._say({"keys": [{**made.key.as_dict(private=False), "kid": "1", "use": "sig", "alg": "RS256"}]})
            else:
                self._say(made.configuration())

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            token = made.token(fields, self.headers.get("Authorization", ""))
            self._say(token or {"error": "invalid_grant"}, 200 if token else 400)

        def _say(self, what: dict[str, Any], status: int = 200) -> None:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(what).encode())

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Provider(f"http://127.0.0.1:{server.server_port}", RSAKey.generate_key(2048, {"kid": "1"}))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
