"""What stands between riskkit and a program of the steward's: starts it behind limits, and ends all that it started.

It is a script that :mod:`riskkit.generators.engines.fence` starts, and imports nothing of riskkit: ``fence_host.py
LIMITS PROGRAM ARGUMENT...``, with LIMITS as JSON. It ends as the program ended. Told to end (SIGTERM), or when the
process that started it is gone, it kills the program with every process that came of it, in whatever session. Where
that process is gone, it removes the folder that the program ran in too.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import struct
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

LOOK = 0.2
"""Seconds between two looks at whether riskkit is still there."""
NEW_USER, NEW_NETWORK = 0x10000000, 0x40000000
DIE_WITH_PARENT, SUBREAPER, NO_NEW_RIGHTS = 1, 36, 38
NO_LOCK = 97
"""Exit status where no network was to be had and the system does not allow that."""


class _Over(BaseException):
    """The program is to end now."""


def main() -> None:
    """Run the program to its end, or until it is to end."""
    limits: dict[str, Any] = json.loads(sys.argv[1])
    words = sys.argv[2:]
    _control(SUBREAPER, 1)  # what the program leaves behind becomes a child of this process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    child = os.fork()
    if child == 0:
        _become(words, limits)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for pipe in (0, 1, 2):  # they are the program's, and end with it
        os.dup2(nowhere, pipe)
    os.close(limits["told"])
    threading.Thread(target=_watch, args=(limits["parent"],), daemon=True).start()
    status = 0
    try:
        while True:
            ended, status = os.waitpid(-1, 0)
            if ended == child:
                break
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    except _Over:
        status = signal.SIGTERM
    _end_all(child)
    if limits["folder"] and os.getppid() != limits["parent"]:
        shutil.rmtree(limits["folder"], ignore_errors=True)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        with suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        time.sleep(1.0)
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def _end(number: int, _: FrameType | None) -> None:
    signal.signal(number, signal.SIG_IGN)
    raise _Over


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)


def _end_all(child: int) -> None:
    """Kill everything that came of the program, again and again until nothing is left of it."""
    while True:
        with suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        for number in _offspring(os.getpid()):
            with suppress(OSError):
                os.kill(number, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.005)


def _offspring(of: int) -> list[int]:
    """All processes below one, where the system lists processes as files."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            children.setdefault(int(entry.read_text().rpartition(")")[2].split()[1]), []).append(int(entry.parent.name))
    below = list(children.get(of, ()))
    for number in below:
        below += children.get(number, ())
    return below


def _become(words: list[str], limits: Mapping[str, Any]) -> None:
    """Set the limits, and become the program; what hinders that is told as the number of an error."""
    pipe: int = limits["told"]
    try:
        os.set_inheritable(pipe, False)
        os.setpgid(0, 0)
        os.umask(0o077)
        if not _without_network() and limits["network"] == "must":
            os._exit(NO_LOCK)
        _control(NO_NEW_RIGHTS, 1)
        _control(DIE_WITH_PARENT, signal.SIGKILL)
        _limit(limits)
        for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(words[0], words)
    except BaseException as error:  # noqa: BLE001  it is a child: it must not go on as the one that waits for it
        with suppress(OSError):
            os.write(pipe, struct.pack(">i", getattr(error, "errno", 0) or 0))
    os._exit(127)


def _limit(limits: Mapping[str, Any]) -> None:
    """The most that the program, and each process that comes of it, may take; never more than riskkit itself may."""
    import resource

    processes = limits["processes"] and _threads_of_user() + limits["processes"]
    for name, most in (
        ("RLIMIT_CORE", 0),
        ("RLIMIT_AS", limits["memory"] or None),
        ("RLIMIT_CPU", limits["cpu"] or None),
        ("RLIMIT_FSIZE", limits["file"] or None),
        ("RLIMIT_NPROC", processes or None),
    ):
        if most is None or not hasattr(resource, name):
            continue
        own = getattr(resource, name)
        hard = resource.getrlimit(own)[1]
        end = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(own, (end, end))


def _threads_of_user() -> int:
    """Threads that run in this user's name already: the system counts them all against one limit."""
    user, count = os.getuid(), 0
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if entry.stat().st_uid == user:
                count += sum(1 for _ in (entry / "task").iterdir())
    return count


# --------------------------------------------------------------------------------------------------------------
# Linux


def _control(option: int, value: int) -> bool:
    """Set something of this process that only Linux knows; whether it could be."""
    return sys.platform == "linux" and bool(ctypes.CDLL(None).prctl(option, value, 0, 0, 0) == 0)


def _without_network() -> bool:
    """Leave every network but one of its own, in which nobody is; whether the system allows it.

    Without rights of an administrator it takes a user namespace, in which the user is who they were before.
    """
    if sys.platform != "linux":
        return False
    system, user, group = ctypes.CDLL(None, use_errno=True), os.geteuid(), os.getegid()
    if user != 0 or system.unshare(NEW_NETWORK) != 0:
        if system.unshare(NEW_USER | NEW_NETWORK) != 0:
            return False
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with suppress(OSError):
                Path(f"/proc/self/{name}").write_text(text)
    asked = struct.pack("16sH22x", b"lo", 0x41)  # up and running, so that its own processes can talk to one another
    pipe = system.socket(2, 2, 0)
    if pipe >= 0:
        system.ioctl(pipe, 0x8914, asked)
        os.close(pipe)
    return True


if __name__ == "__main__":
    main()
