"""The whole program works where no network is, and asks for none: every system call of the server and its workers.

Journeys of this folder, and visitors with foreign origins, are played once more in a network namespace that has this
computer alone; ``strace`` writes down whom the server and its workers call.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

JOURNEYS = (
    "tests/journeys/test_report.py::test_from_the_example_to_a_report_to_sign",
    "tests/journeys/test_first_audit.py::test_a_cp932_file_is_read_with_its_words_right",
    "tests/dashboard/test_doors_served.py::test_a_connection_is_opened_by_the_dashboards_own_pages_only",
)
"""Files are loaded, games played, reports downloaded; connections come from foreign pages."""
ALONE = """
import fcntl, os, socket, struct, sys
up = struct.pack("16sh", b"lo", 1 | 64)  # the way to oneself, up and running
fcntl.ioctl(socket.socket(), 0x8914, up)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Runs Python with these arguments where this computer is the only one; 0x8914 sets the flags of an interface."""
CALL = re.compile(r"\b(?P<call>bind|connect|sendto|sendmsg|sendmmsg)\(.*?(?P<family>AF_\w+)(?P<rest>.*)")
QUIET = ("AF_UNIX", "AF_NETLINK", "AF_UNSPEC")
"""Families that stay in this computer: other programs of it, its kernel, and none."""


def calls(trace: str) -> list[tuple[str, str]]:
    """Every call with an address, as its name and the line."""
    return [(call["call"], line) for line in trace.splitlines() if (call := CALL.search(line))]


def outside(trace: str) -> list[str]:
    """The lines that call, or wait for, another computer."""
    here = re.compile(r'inet_addr\("127\.0\.0\.1"\)|inet_pton\(AF_INET6, "::1"')
    return [
        line
        for _, line in calls(trace)
        if not any(f"sa_family={family}" in line or f"nl_family={family}" in line for family in QUIET)
        and not here.search(line)
    ]


@pytest.mark.parametrize(
    ("line", "is_outside"),
    [
        ('7 connect(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("8.8.8.8")}, 16) = -1', True),
        (
            '7 connect(3, {sa_family=AF_INET6, sin6_port=htons(80), inet_pton(AF_INET6, "2001:db8::1", &a)}, 28) = 0',
            True,
        ),
        (
            '7 sendto(3, "..", 32, 0, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("9.9.9.9")}, 16) = 32',
            True,
        ),
        ('7 bind(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("0.0.0.0")}, 16) = 0', True),
        ('7 bind(3, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("127.0.0.1")}, 16) = 0', False),
        ('7 connect(3, {sa_family=AF_UNIX, sun_path="/run/x"}, 9) = 0', False),
        ("7 sendto(3, [{..}], 20, 0, {sa_family=AF_NETLINK, nl_pid=0}, 12) = 20", False),
    ],
)
def test_a_call_outside_is_known(line: str, is_outside: bool) -> None:
    assert bool(outside(line)) is is_outside


def test_whole_journeys_without_a_network_call_nobody(tmp_path: Path, chromium: str) -> None:
    assert chromium
    for tool in ("unshare", "strace"):
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    alone = ["unshare", "--map-root-user", "--net", sys.executable, "-c", ALONE]
    tried = subprocess.run([*alone, "-c", "pass"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this system gives no network namespace: {tried.stderr.strip()[-200:]}")
    trace = tmp_path / "trace"
    played = subprocess.run(
        [
            *alone,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-p",
            "no:xdist",
            "-m",
            "",
            "--timeout",
            "550",
            *JOURNEYS,
        ],
        cwd=ROOT,
        env={**os.environ, "RISKKIT_TRACE": str(trace), "PYTEST_ADDOPTS": ""},
        capture_output=True,
        text=True,
    )
    assert played.returncode == 0, played.stdout[-3000:] + played.stderr[-1000:]
    assert f"{len(JOURNEYS)} passed" in played.stdout
    written = trace.read_text(encoding="utf-8", errors="replace")
    assert any(call == "bind" and "AF_INET" in line for call, line in calls(written)), "the server was watched"
    assert outside(written) == []
