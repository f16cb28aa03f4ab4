"""Temporary files of a process in a folder of its own within the store, which only this user may open.

What a browser uploads is put there before it is read, and so is what a steward's program is given to learn from. The
folder goes when its process ends; where the process was killed, the next that starts removes it, and a server looks
every hour. A folder belongs to a living process as long as that holds a lock on a file in it.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

FOLDER, HELD = "temporary", ".held"
NEW = 60.0
"""Seconds in which a new folder may have no lock yet."""
HOUR = 3600.0
IN_USE = "riskkit-"
"""How the folders begin that a program of the steward's runs in; each is removed when its program has ended."""
_OWN: dict[int, Path] = {}


def begin(home: Path) -> Path:
    """Give this process its folder, remove those of processes that are gone, and look again every hour.

    From then on :mod:`tempfile`, and with it the server that takes uploads, uses that folder.
    """
    if os.getpid() in _OWN:
        return _OWN[os.getpid()]
    root = home / FOLDER
    root.mkdir(parents=True, exist_ok=True, mode=0o700)
    sweep(root)
    own = root / secrets.token_hex(8)
    own.mkdir(mode=0o700)
    handle = os.open(own / HELD, os.O_CREAT | os.O_RDWR, 0o600)
    _lock(handle)  # held until this process ends, however it ends
    _OWN[os.getpid()] = own
    tempfile.tempdir = str(own)
    atexit.register(_end, os.getpid())
    threading.Thread(target=_hourly, args=(root, own), daemon=True).start()
    return own


def _end(process: int) -> None:
    if process == os.getpid():
        shutil.rmtree(_OWN.pop(process), ignore_errors=True)


def _hourly(root: Path, own: Path) -> None:
    while own.exists():
        time.sleep(HOUR)
        empty(own, HOUR)
        sweep(root)


def empty(own: Path, age: float) -> None:
    """Remove what has lain in the folder of a living process for longer than that and is not in use."""
    for path in own.iterdir():
        with suppress(OSError):
            if path.name == HELD or path.name.startswith(IN_USE) or time.time() - path.stat().st_mtime < age:
                continue
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def sweep(root: Path) -> None:
    """Remove the folders of processes that are gone."""
    for folder in root.iterdir():
        with suppress(OSError):
            if _is_dead(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_dead(folder: Path) -> bool:
    if not (folder / HELD).exists():
        return time.time() - folder.stat().st_mtime > NEW
    handle = os.open(folder / HELD, os.O_RDWR)
    try:
        return _lock(handle)
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    """Take the lock of a file that is open; False where another process holds it."""
    if sys.platform == "win32":  # there a file that is open cannot be removed, which does as well
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
