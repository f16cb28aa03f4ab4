"""What a program of the steward's cannot do behind its fence, and what is left of it when it must end."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from riskkit.generators.engines import fence
from riskkit.generators.external import External
from tests.generators.own_generator import refused, sampled
from tests.tables import mixed

pytestmark = [
    pytest.mark.usefixtures("temp"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes and limits as Linux shows them"),
]
ROOT = Path(__file__).resolve().parents[2]
NO_LOCK = "no network of its own: this system allows no unshare(CLONE_NEWNET), with user namespaces or without"
DRAWS = (
    "import csv,random,sys; rows = list(csv.reader(open(sys.argv[1])));"
    "csv.writer(open(sys.argv[3], 'w')).writerows([rows[0], *random.choices(rows[1:], k=int(sys.argv[2]))])"
)
"""A program that releases rows of its table."""
DAEMON = """
import os, subprocess, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.close(2)
        os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', {mark!r}])
    os._exit(0)
os.wait()
"""
"""Leaves its group and its session, and has no parent any more."""


def own(script: str, **settings: Any) -> External:
    command = f"{shlex.quote(sys.executable)} -c {shlex.quote(script)} {{train}} {{n}} {{out}}"
    return External(command=command, **{"timeout": 60, **settings})


def running(mark: str) -> list[int]:
    """The processes whose last argument is that text."""
    processes = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().endswith(f"\0{mark}\0".encode()):
                processes.append(int(path.parent.name))
        except OSError:
            continue
    return processes


def until_gone(mark: str) -> bool:
    end = time.monotonic() + 10
    while running(mark) and time.monotonic() < end:
        time.sleep(0.05)
    return not running(mark)


@pytest.fixture
def mark(tmp_path: Path) -> Iterator[str]:
    """A text that stands in the command of a daemon and nowhere else; whoever has it ends with the test."""
    text = f"daemon-{tmp_path.name}-{os.getpid()}"
    yield text
    for number in running(text):
        os.kill(number, signal.SIGKILL)


def test_a_program_cannot_reach_the_network(tmp_path: Path) -> None:
    if not fence.has_no_network():
        pytest.skip(NO_LOCK)
    note = tmp_path / "note"
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        tries = (
            "import socket,pathlib; told = []\n"
            f"for where in (('127.0.0.1', {port}), ('192.0.2.1', 80)):\n"
            "    try: socket.create_connection(where, 2); told.append('in')\n"
            "    except OSError as error: told.append(type(error).__name__)\n"
            "with socket.create_server(('127.0.0.1', 0)) as own: socket.create_connection(own.getsockname(), 2)\n"
            f"pathlib.Path({str(note)!r}).write_text(' '.join(told))\n"
        )
        assert len(sampled(own(tries + DRAWS), mixed(50))) == 50
        server.settimeout(0.1)
        with pytest.raises(TimeoutError):
            server.accept()
        socket.create_connection(("127.0.0.1", port), 2).close()  # so it was there to be reached
    assert note.read_text() == "ConnectionRefusedError OSError"


def test_a_program_is_held_to_its_limits_and_not_told_our_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = tmp_path / "note"
    monkeypatch.setenv("RISKKIT_STORE", "postgresql://somebody:secret@host/name")
    looks = (
        "import json,os,pathlib,resource as r; told = {n: r.getrlimit(getattr(r, 'RLIMIT_' + n)) for n in "
        "('AS', 'CORE', 'CPU', 'FSIZE', 'NPROC')}; told['ours'] = [n for n in os.environ if n.startswith('RISKKIT')];"
        "told['mask'] = os.umask(0); told['new'] = [one for one in open('/proc/self/status') if 'NoNewPrivs' in one];"
        f"pathlib.Path({str(note)!r}).write_text(json.dumps(told));"
    )
    assert len(sampled(own(looks + DRAWS, memory=3, timeout=7), mixed(50))) == 50
    document = json.loads(note.read_text())
    cores = os.cpu_count() or 1
    assert (document["AS"], document["CORE"], document["CPU"]) == ([3 << 30] * 2, [0, 0], [7 * cores] * 2)
    assert document["FSIZE"] == [fence.FILE] * 2
    assert fence.PROCESSES < document["NPROC"][0] < 100_000
    assert (document["ours"], document["mask"], document["new"]) == ([], 0o077, ["NoNewPrivs:\t1\n"])


def test_a_program_that_wants_more_memory_or_disk_than_it_may_have_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "reason: MemoryError" in refused(own("x = bytearray(2 << 30);" + DRAWS, memory=1))
    assert len(sampled(own("x = bytearray(1 << 20);" + DRAWS, memory=1), mixed(50))) == 50
    monkeypatch.setattr(fence, "FILE", 1 << 20)
    assert "reason: OSError" in refused(
        own(
            "open('big', 'wb', buffering=0).write(bytes(1 << 20) + b'x') > 1 << 20 or "
            "open('big', 'ab', buffering=0).write(b'x');" + DRAWS
        )
    )


@pytest.mark.parametrize("then", [DRAWS, "import time; time.sleep(60)"], ids=["ends", "takes too long"])
def test_a_daemon_that_left_its_session_is_ended_too(then: str, mark: str, temp: Path) -> None:
    generator = own(DAEMON.format(mark=mark) + then, timeout=60 if then == DRAWS else 2)
    if then == DRAWS:
        assert len(sampled(generator, mixed(50))) == 50
    else:
        assert "longer than 2 seconds" in refused(generator)
    assert running(mark) == []
    assert list(temp.iterdir()) == []


def test_a_program_ends_with_riskkit_and_leaves_no_table_behind(mark: str, tmp_path: Path) -> None:
    """As a cancel ends a worker in the middle of a unit: at once, without a word to the programs it started."""
    home, script = tmp_path / "temporary files", tmp_path / "asks.py"
    home.mkdir()
    generator = own(DAEMON.format(mark=mark) + "import time; time.sleep(60)")
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from riskkit.generators.external import External; from tests.generators.own_generator import sampled\n"
        f"from tests.tables import mixed; sampled(External(command={generator.command!r}), mixed(50))\n"
    )
    env = {**os.environ, "TMPDIR": str(home), "RISKKIT_ALLOW_EXTERNAL": "1"}
    with subprocess.Popen([sys.executable, str(script)], env=env) as process:
        try:
            while not running(mark) and process.poll() is None:
                time.sleep(0.05)
            assert list(home.rglob("train.csv")) != []
        finally:
            process.kill()
    assert until_gone(mark)
    end = time.monotonic() + 10
    while list(home.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert list(home.iterdir()) == []


def test_the_page_can_say_in_whose_name_it_runs() -> None:
    user, has_no_network = External.runs_as()
    assert user
    assert has_no_network is fence.has_no_network()
