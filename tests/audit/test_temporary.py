"""Temporary files lie in a private folder, which goes with its process; of one that was killed the next removes it."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from riskkit.audit import temporary

pytestmark = pytest.mark.skipif(os.name != "posix", reason="locks and rights as POSIX systems have them")
ROOT = Path(__file__).resolve().parents[2]
BEGINS = (
    "import sys, tempfile; from pathlib import Path; from riskkit.audit import temporary;"
    "own = temporary.begin(Path(sys.argv[1])); assert temporary.begin(Path(sys.argv[1])) == own;"
    "upload = tempfile.NamedTemporaryFile(delete=False); upload.write(b'x'); upload.close();"
    "print(upload.name, flush=True); sys.stdin.read()"
)


@contextmanager
def process(home: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that has begun, and the upload it holds."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", BEGINS, str(home)], stdin=pipe, stdout=pipe, text=True, cwd=ROOT, umask=0
    ) as started:
        try:
            assert started.stdout is not None
            yield started, Path(started.stdout.readline().strip())
        finally:
            started.kill()


def test_a_folder_is_private_and_goes_with_its_process(tmp_path: Path) -> None:
    with process(tmp_path) as (started, upload):
        assert upload.is_file()
        assert upload.parent.parent == tmp_path / temporary.FOLDER
        for folder in (upload.parent, upload.parent.parent):
            assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        temporary.sweep(upload.parent.parent)
        assert upload.is_file(), "its process is there"
        started.communicate("")
    assert list((tmp_path / temporary.FOLDER).iterdir()) == []


def test_what_a_killed_process_left_goes_when_the_next_begins(tmp_path: Path) -> None:
    with process(tmp_path) as (started, upload):
        started.send_signal(signal.SIGKILL)
        started.wait()
        assert upload.is_file()
    with process(tmp_path) as (_, other):
        assert not upload.parent.exists()
        assert other.is_file()


def test_a_living_process_empties_its_folder_every_hour(tmp_path: Path) -> None:
    for name, age in (("old", 2.0), ("new", 0.5), ("riskkit-program", 9.0), (temporary.HELD, 9.0)):
        path = tmp_path / name
        path.mkdir() if name == "riskkit-program" else path.touch()
        os.utime(path, (time.time() - age * temporary.HOUR,) * 2)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "in it").touch()
    os.utime(tmp_path / "folder", (time.time() - 2 * temporary.HOUR,) * 2)
    temporary.empty(tmp_path, temporary.HOUR)
    assert {path.name for path in tmp_path.iterdir()} == {"new", "riskkit-program", temporary.HELD}


def test_it_looks_again_every_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that says so after each wait: three hours."""
    own, root, waits = tmp_path / "own", tmp_path / "root", list[float]()
    own.mkdir()
    root.mkdir()

    def wait(seconds: float) -> None:
        waits.append(seconds)
        assert not (own / "left").exists()
        if len(waits) == 3:
            raise SystemExit
        (own / "left").touch()
        os.utime(own / "left", (0, 0))

    monkeypatch.setattr(time, "sleep", wait)
    with pytest.raises(SystemExit):
        temporary._hourly(root, own)
    assert waits == [temporary.HOUR] * 3


def test_a_folder_that_has_no_lock_yet_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "young").mkdir()
    (tmp_path / "old").mkdir()
    os.utime(tmp_path / "old", (0, 0))
    temporary.sweep(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["young"]
