"""The lines of docs/operate.md on backup, run as they stand there: copied beside a run, the same store elsewhere."""

import os
import re
import shlex
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from riskkit.jobs import journal
from riskkit.jobs.ledger import LedgerPage
from riskkit.jobs.store import Store
from riskkit.questions.runs import work
from tests.faults.workers import again, asked, busy, kept, longer, made, undisturbed, until

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the page has lines for a POSIX shell")

ROOT = Path(__file__).resolve().parents[2]
LONG = longer(20)


def lines() -> list[str]:
    """The blocks of the page's part on backup: to copy, and to restore."""
    page = (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
    _, _, rest = page.partition("\n## Backup\n")
    return re.findall(r"^```\n(.*?)^```", rest.partition("\n## ")[0], re.MULTILINE | re.DOTALL)


def ran(block: str, home: Path, backup: Path) -> str:
    """What these lines say in that home; ``/backup`` is a folder of the test's, and Python is this one."""
    text = block.replace("/backup", shlex.quote(str(backup))).replace(
        "riskkit ", f"{shlex.quote(sys.executable)} -m riskkit "
    )
    assert str(backup) in text
    done = subprocess.run(
        ["bash", "-e", "-c", text],
        env={**os.environ, "RISKKIT_HOME": str(home), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def listed(home: Path) -> str:
    """What ``riskkit audits list`` says of that home, without how far its run is."""
    command = [sys.executable, "-m", "riskkit", "audits", "list"]
    output = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "RISKKIT_HOME": str(home)}, capture_output=True, text=True, check=True
    ).stdout
    return output.partition("\n")[0]


def test_a_copy_that_was_made_beside_a_run_is_the_same_store_elsewhere(
    tmp_path: Path, impatient: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy, restore = lines()
    home, elsewhere, backup = tmp_path / "home", tmp_path / "elsewhere", tmp_path / "backup"
    backup.mkdir(mode=0o700)
    monkeypatch.setenv("RISKKIT_HOME", str(home))
    run = asked(made(home), LONG)

    def play() -> None:
        quick = LedgerPage.keep

        def keep(page: LedgerPage, results: Mapping[int, Any]) -> Mapping[int, Any]:
            time.sleep(0.5 * len(results))  # so that no machine ends the run before the copy is made
            return quick(page, results)

        LedgerPage.keep = keep  # type: ignore[method-assign, assignment]
        work(run.path)

    with busy(play) as worker:
        until(lambda: len(kept(run)) >= 3)
        ran(copy, home, backup)
        assert os.waitpid(worker, os.WNOHANG) == (0, 0), "it went on while it was copied"
    assert (backup / "store.db").stat().st_mode & 0o077 == 0, "files keep their rights; this one is made anew"
    printed = ran(restore, elsewhere, backup)
    entries, last = len(journal.entries(Store(home).base)), journal.verify(Store(home).base)[1]
    assert f"All {entries:,} entries are as they were written. The last hash is {last}" in printed
    (there,) = (other for audit in Store(elsewhere).audits() for other in audit.runs())
    assert (there.id, [audit.id for audit in Store(elsewhere).audits()]) == (run.id, [run.path.parents[1].name])
    assert there.state == "interrupted"
    done = kept(there)
    assert 3 <= len(done) < 20
    assert done.items() <= kept(run).items(), "what was done is there as it was"
    assert listed(elsewhere) == listed(home)
    monkeypatch.setenv("RISKKIT_HOME", str(elsewhere))
    again(there)
    assert work(there.path), there.progress
    assert there.result_bytes == undisturbed(tmp_path / "peace", LONG)


def test_a_log_that_was_changed_in_the_copy_is_seen_by_the_lines(tmp_path: Path) -> None:
    copy, restore = lines()
    home, backup = tmp_path / "home", tmp_path / "backup"
    backup.mkdir(mode=0o700)
    asked(made(home), LONG)
    ran(copy, home, backup)
    with closing(sqlite3.connect(backup / "store.db")) as connection, connection:
        connection.execute("UPDATE journal SET who = 'somebody else'")
    with pytest.raises(AssertionError):
        ran(restore, tmp_path / "elsewhere", backup)


def test_what_the_old_database_left_would_be_read_into_the_copy(tmp_path: Path) -> None:
    """Why the page wants a new folder: planted, a log of writes that lies beside the copy changes what is in it."""
    home, other = tmp_path / "home", tmp_path / "other"
    made(home)
    with closing(sqlite3.connect(home / "store.db")) as connection:
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("CREATE TABLE planted (x)")
        connection.commit()
        other.mkdir()
        for name in ("store.db", "store.db-wal"):
            shutil.copy(home / name, other / name)
    with closing(sqlite3.connect(other / "store.db")) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    assert "planted" in names
    assert "-wal` that lies beside" in (ROOT / "docs" / "operate.md").read_text(encoding="utf-8")
