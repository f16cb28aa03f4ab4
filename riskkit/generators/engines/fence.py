"""The fence around the steward's programs: a process before each that limits what it takes, and ends all it started."""

from __future__ import annotations

import getpass
import json
import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from riskkit.generators.engines import fence_host

FILE = 4 << 30
"""Bytes of a file that a program may write: a release has 300 MB at most, a model that it keeps may have more."""
PROCESSES = 512
"""Processes and threads beyond those that run in the user's name already."""
GONE_WITHIN = 5.0
"""Seconds that the fence has to end a program with all that came of it."""
OURS = "RISKKIT_"
"""How the names of our settings begin. Programs do not get them: they hold the address of the store, or a password."""


@dataclass(frozen=True, slots=True)
class FenceLimits:
    """What a program may take: bytes of address space and seconds of a processor, each of its processes; 0 is no limit.

    ``folder`` is removed where riskkit is killed while the program runs: it may hold real records. ``is_heard`` lets a
    Python object say on standard error what went wrong: for tables that nobody has to protect.
    """

    memory: int = 0
    cpu: int = 0
    folder: str = ""
    network: str = "may"
    is_heard: bool = False


def start(words: Sequence[str], limits: FenceLimits, **how: Any) -> subprocess.Popen[bytes]:
    """Start the program behind the fence; ``how`` is as :class:`subprocess.Popen` takes it.

    Raises
    ------
    OSError, ValueError
        It cannot be started.
    """
    environment = {name: value for name, value in how.pop("env", os.environ).items() if not name.startswith(OURS)}
    if sys.platform == "win32":  # there are no such limits; a job would be needed
        return subprocess.Popen(words, env=environment, **how)
    reader, tell = os.pipe()
    try:
        taken = {
            "memory": limits.memory,
            "cpu": limits.cpu,
            "file": FILE,
            "processes": PROCESSES,
            "folder": limits.folder,
            "network": limits.network,
            "parent": os.getpid(),
            "told": tell,
        }
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(fence_host.__file__)), json.dumps(taken), *words],
            env=environment,
            start_new_session=True,
            pass_fds=(tell,),
            **how,
        )
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(tell)
    with os.fdopen(reader, "rb") as pipe:
        error = pipe.read(4)  # nothing, once the program has taken the place of the process that would tell
    if len(error) == 4:
        with process:  # closes its pipes
            pass
        (number,) = struct.unpack(">i", error)
        raise OSError(number, os.strerror(number))
    return process


def end(process: subprocess.Popen[bytes]) -> int:
    """End a program and everything that came of it, and wait until it is gone; its exit status."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        return process.wait(GONE_WITHIN)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


@cache
def has_no_network() -> bool:
    """Whether programs can be kept from the network here; tried once."""
    if sys.platform != "linux":
        return False
    try:
        process = start([sys.executable, "-I", "-S", "-c", ""], FenceLimits(network="must"), stdin=subprocess.DEVNULL)
        return process.wait() == 0
    except OSError:
        return False


def user() -> str:
    """The account in whose name programs run."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # nobody in the list of accounts, as in many containers
        return str(os.getuid()) if hasattr(os, "getuid") else "?"
