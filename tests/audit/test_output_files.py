"""An export that is interrupted leaves what was there before, and never half a file under a file's name."""

import io
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest

from riskkit.audit.output_files import restricted_log, write, write_restricted
from riskkit.errors import DesignError
from riskkit.report.to_pdf import to_pdf
from riskkit.show.model import Class
from tests.report.audited import made

FILES = {f"file{number}.bin": bytes([number]) * 3_000_000 for number in range(6)}
ROOT = Path(__file__).resolve().parents[2]


def test_all_files_arrive_whole_and_private(tmp_path: Path) -> None:
    write(FILES, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == FILES
    if os.name == "posix":
        assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()} == {0o600}


@pytest.mark.parametrize("fails_at", range(4))
def test_a_full_disk_leaves_the_report_of_before(
    fails_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(dict.fromkeys(FILES, b"before"), tmp_path)
    calls, fsync = [0], os.fsync

    def full(handle: int) -> None:
        calls[0] += 1
        if calls[0] > fails_at:
            raise OSError(28, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DesignError, match="No space left"):
        write(FILES, tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == dict.fromkeys(FILES, b"before")


@pytest.mark.second
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is a signal of POSIX systems")
def test_a_killed_export_leaves_no_half_file(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from riskkit.audit.output_files import write\n"
        f"files = {{f'file{{n}}.bin': bytes([n]) * 3_000_000 for n in range(6)}}\n"
        f"print('go', flush=True)\nwhile True: write(files, Path({str(tmp_path)!r}))"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    for delay in (0.01, 0.06):
        with subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(delay)
            process.send_signal(signal.SIGKILL)
        seen = {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
        assert all(content == FILES[name] for name, content in seen.items())


def test_a_restricted_report_is_not_written_without_a_name_and_a_purpose(tmp_path: Path) -> None:
    findings = made.findings(made.audit(), kind=Class.RESTRICTED)
    reports = tmp_path / "reports"
    for by, purpose in (("", "the board"), ("A. Steward", " ")):
        with pytest.raises(DesignError, match="what for"):
            write_restricted({"a": b"1"}, reports / "one", replace(findings, asked_by=by, purpose=purpose), reports)
    assert not reports.exists()


def test_name_and_purpose_stand_in_the_log_and_on_the_cover(tmp_path: Path) -> None:
    findings = replace(
        made.findings(made.audit(), kind=Class.RESTRICTED), asked_by="A. Steward", purpose="the board of March"
    )
    for name in ("one", "two"):
        write_restricted({"a": b"1"}, tmp_path / "reports" / name, findings, tmp_path / "reports")
    assert len(restricted_log(tmp_path / "reports")) == 2
    assert restricted_log(tmp_path) == []
    cover = pypdf.PdfReader(io.BytesIO(to_pdf(findings))).pages[0].extract_text()
    assert "A. Steward · the board of March" in " ".join(cover.replace("\u200b", "").split())
