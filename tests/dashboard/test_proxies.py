"""The proxies of docs/operate.md, played as they stand there: nginx and Caddy before a dashboard for several."""

import asyncio
import ipaddress
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("authlib", reason="Authlib is not installed: pip install 'riskkit[shared]'")

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.conftest import ROOT, START_WITHIN, _free_port
from tests.dashboard.provider import provider
from tests.dashboard.test_doors import CLOSED
from tests.dashboard.test_shared_served import visited
from tests.dashboard.together import Together, together

pytestmark = pytest.mark.second

NAME, BACK, SIZE = "riskkit.example.org", "127.0.0.1:8501", "300MB"
MOST = 1_000_000
"""Bytes that Caddy takes here; the dashboard takes more."""


def upload(length: int) -> bytes:
    """A file of about so many bytes as a browser sends it."""
    head = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\n'
    return head + b"a\n" + b"1\n" * (length // 2) + b"\r\n--x--\r\n"


def block(language: str) -> str:
    """The example of that language on the page."""
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    (match,) = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
    return str(match)


def certificate(folder: Path) -> None:
    """A certificate for this computer that vouches for itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    )


def nginx(folder: Path, port: int, back: int) -> list[str]:
    text = block("nginx").replace("listen 443 ssl", f"listen 127.0.0.1:{port} ssl").replace(NAME, "127.0.0.1")
    own = "".join(
        f"{what}_temp_path {folder / what};\n" for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    head = f"daemon off;\nuser root;\npid {folder / 'pid'};\nerror_log {folder / 'errors'};\nevents {{}}\n"
    body = f"{head}http {{\naccess_log off;\n{own}{_placed(text, folder, back)}\n}}\n"
    (folder / "nginx.conf").write_text(body)
    return ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]


def caddy(folder: Path, port: int, back: int) -> list[str]:
    """As the page has it, but for the size of a body: a few megabytes are sent sooner than some hundred."""
    text = block("caddy").replace(NAME, f"https://127.0.0.1:{port}")
    assert SIZE in text
    text = text.replace(SIZE, "1MB")
    head = f"{{\nadmin off\nauto_https disable_redirects\nstorage file_system {folder / 'caddy'}\n}}\n"
    (folder / "Caddyfile").write_text(head + _placed(text, folder, back))
    return ["caddy", "run", "--adapter", "caddyfile", "--config", str(folder / "Caddyfile")]


def _placed(text: str, folder: Path, back: int) -> str:
    assert BACK in text
    return text.replace(BACK, f"127.0.0.1:{back}").replace("/etc/riskkit/", f"{folder}/")


@contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[None]:
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
        try:
            end = time.monotonic() + START_WITHIN
            while time.monotonic() < end and process.poll() is None:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.1)
            else:
                pytest.fail(f"{command[0]} did not start:\n{log.read_text()[-2000:]}")
            yield
        finally:
            process.terminate()
            process.wait(timeout=30)


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Together]:
    """A dashboard for several with such a proxy before it; its address is the proxy's."""
    made: Callable[[Path, int, int], list[str]] = request.param
    if shutil.which(made.__name__) is None:
        pytest.skip(f"{made.__name__} is not on this machine")
    folder = tmp_path_factory.mktemp("proxy")
    certificate(folder)
    port, back = _free_port(), _free_port()
    with pytest.MonkeyPatch.context() as patch, provider() as login:
        patch.setenv("SSL_CERT_FILE", str(folder / "cert.pem"))
        login.claims["ann"] = {"email": "ann@example.org", "email_verified": True}
        with (
            together(folder / "own", login, port=back, origin=f"https://127.0.0.1:{port}") as started,
            running(made(folder, port, back), port, folder / "proxy.log"),
        ):
            yield started


def answer(
    server: Together, method: str, path: str, headers: dict[str, str], body: bytes = b""
) -> tuple[int, list[tuple[str, str]]]:
    """Status and headers of an answer to a request of whose body no more than this comes."""
    where = urlsplit(server.url)
    with closing(HTTPSConnection(str(where.hostname), where.port, timeout=30)) as line:
        line.putrequest(method, path, skip_host="Host" in headers)
        for name, value in headers.items():
            line.putheader(name, value)
        line.endheaders(body or None)
        response = line.getresponse()
        return response.status, response.getheaders()


def test_a_person_logs_in_through_it_sees_a_page_and_puts_a_file_in(server: Together) -> None:
    ann = server.visitor("ann")

    async def go() -> None:
        tab = await visited(ann, "audits")
        assert b"Log out" in tab.sent_bytes
        path = f"/_stcore/upload_file/{tab.session}/file"
        body = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a.csv"\r\n\r\na\n1\n\r\n--x--\r\n'
        token = ann.cookie("_streamlit_xsrf").strip('"')
        put = ann.ask(path, "PUT", body, Content_Type="multipart/form-data; boundary=x", X_Xsrftoken=token)
        assert put[0] == 204
        await tab.close()

    asyncio.run(go())
    assert all(cookie.secure for cookie in ann.jar if cookie.name.startswith("_streamlit"))


def test_what_every_answer_says_arrives(server: Together) -> None:
    status, output = answer(server, "GET", "/", {})
    headers = {name.lower(): value for name, value in output}
    assert status == 403
    assert headers.keys() >= {*CLOSED, "strict-transport-security"}
    assert [name.lower() for name, _ in output].count("content-security-policy") == 1


def test_it_is_called_by_its_name_alone(server: Together) -> None:
    ann = server.visitor("ann")
    assert ann.ask("/_stcore/health")[1] == b"ok"
    assert ann.ask("/_stcore/health", Host="elsewhere.example")[1] != b"ok"


def test_a_body_that_is_too_large_is_refused(server: Together, request: pytest.FixtureRequest) -> None:
    """By nginx for its length, before it comes; by Caddy, which counts as it reads, when too much has come.

    Then Caddy breaks off on both sides: it answers 413 or 502 by its version, unless the dashboard says first that
    what came of the body cannot be read. A file that is a little smaller arrives.
    """
    ann = server.visitor("ann")

    async def go(length: int, body: bytes) -> int:
        tab = await visited(ann, "")
        headers = {
            "Content-Length": str(length),
            "Cookie": ann.cookies,
            "Content-Type": "multipart/form-data; boundary=x",
        }
        headers["X-Xsrftoken"] = ann.cookie("_streamlit_xsrf").strip('"')
        path = f"/_stcore/upload_file/{tab.session}/file"
        status, _ = await asyncio.to_thread(answer, server, "PUT", path, headers, body)
        await tab.close()
        return status

    if "nginx" in request.node.name:
        assert asyncio.run(go(400_000_000, b"")) == 413
        return
    large, small = upload(MOST * 11 // 10), upload(MOST * 9 // 10)
    assert asyncio.run(go(len(large), large)) in (400, 413, 502)
    assert asyncio.run(go(len(small), small)) == 204
