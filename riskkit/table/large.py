"""Where large arrays lie: in memory, or in a file that the system reads and writes piece by piece as it is needed.

A table of more rows than fit into memory is worked on block by block; what is made of all its rows lies in files then.
Where an array lies changes no number. A file is this user's alone and has no name as soon as it is there, so nothing is
left of it however the process ends; where the system cannot do that, the file goes with its array.
"""

from __future__ import annotations

import os
import sys
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Array = npt.NDArray[Any]

SHARE = 100
"""An array lies in a file where it would take more than one part in so many of the memory of this process."""
BLOCK = 1 << 16
"""Rows that are worked on at once."""
BLOCK_ROWS = 128
"""Rows compared at once: small enough to stay in the processor's cache with all their columns."""
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")
_GROUPS, _OWN_GROUPS = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")


@cache
def memory() -> int:
    """Bytes that this process may use: those of the machine, or what it is held to; 0 where nobody says."""
    sizes = [_machine_memory(), *_group_limits(), *_process_limits()]
    return min((size for size in sizes if size > 0), default=0)


def is_large(size: int) -> bool:
    """Whether so many bytes are to lie in a file."""
    return 0 < memory() < size * SHARE


def map_file(path: Path) -> memoryview:
    """The bytes of a file, none of them in memory before it is looked at."""
    return memoryview(pa.memory_map(str(path)).read_buffer())


def empty(shape: tuple[int, ...], dtype: npt.DTypeLike) -> Array:
    """An array to be filled, in a file where it is large and there is room for it."""
    size = prod(shape) * np.dtype(dtype).itemsize
    if not is_large(size):
        return np.empty(shape, dtype)
    try:
        return _in_file(shape, dtype, size)
    except OSError:  # no folder for it, or none with so much room
        return np.empty(shape, dtype)


def blocks(rows: int, size: int = 1) -> Iterator[slice]:
    """The rows in blocks, in order; fewer at once where each stands for ``size`` rows of a table."""
    step = max(BLOCK // size, 1)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


def take_rows(array: Array, rows: npt.ArrayLike) -> Array:
    """The rows of an array at these places (k,), or where a mask is true, in this order."""
    places = np.asarray(rows)
    if places.dtype == np.bool_:
        places = np.flatnonzero(places)
    out = empty((len(places), *array.shape[1:]), array.dtype)
    for block in blocks(len(places)):
        out[block] = array[places[block]]
    return out


def join_rows(arrays: Sequence[Array]) -> Array:
    """The rows of all these arrays of one width and type, one array behind the other."""
    out = empty((sum(map(len, arrays)), *arrays[0].shape[1:]), arrays[0].dtype)
    start = 0
    for array in arrays:
        out[start : start + len(array)] = array
        start += len(array)
    return out


def spill(texts: pa.Table) -> pa.Table:
    """The columns of a file that was read, in a file where they are large and there is room for it."""
    if not is_large(texts.nbytes):
        return texts
    try:
        return _table_in_file(texts)
    except OSError:
        return texts


# --------------------------------------------------------------------------------------------------------------
# Files


def _in_file(shape: tuple[int, ...], dtype: npt.DTypeLike, size: int) -> Array:
    """An array in a file of its own; a helper process that is sent the array opens that file."""
    handle, name = tempfile.mkstemp(prefix="riskkit-", suffix=".rows")
    try:
        if hasattr(os, "posix_fallocate"):  # a disk that is full says so here, and not when a row is written
            os.posix_fallocate(handle, 0, size)
        mapped: Any = np.memmap(name, dtype, "r+" if hasattr(os, "posix_fallocate") else "w+", shape=shape)
    except BaseException:
        os.close(handle)
        Path(name).unlink()
        raise
    nameless = f"/proc/{os.getpid()}/fd/{handle}"
    if sys.platform.startswith("linux") and os.access(nameless, os.R_OK | os.W_OK):
        Path(name).unlink()
        mapped.filename = nameless
        weakref.finalize(mapped, os.close, handle)
    else:
        os.close(handle)
        weakref.finalize(mapped, _remove, Path(name))
    return np.asarray(mapped)


def _table_in_file(texts: pa.Table) -> pa.Table:
    """The columns as parts of a file that is opened for reading."""
    handle, name = tempfile.mkstemp(prefix="riskkit-", suffix=".texts")
    os.close(handle)
    file = Path(name)
    try:
        with pa.OSFile(name, "wb") as sink, pa.ipc.new_stream(sink, texts.schema) as stream:
            stream.write_table(texts)
        mapped = pa.memory_map(name)
        out = pa.ipc.open_stream(mapped).read_all()
    except BaseException:
        _remove(file)
        raise
    if sys.platform.startswith("linux"):
        _remove(file)
    else:
        weakref.finalize(mapped, _remove, file)
    return out


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


# --------------------------------------------------------------------------------------------------------------
# How much memory there is


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system that is asked in another way
        return 0


def _group_limits() -> Iterator[int]:
    """What a container, or another group of processes that this one belongs to, is held to."""
    lines: list[str] = []
    with suppress(OSError):
        lines = _OWN_GROUPS.read_text(encoding="utf-8").splitlines()
    groups = [line.split(":", 2)[2].strip("/") for line in lines if line.split(":")[1:2] in ([""], ["memory"])]
    for folder, limit in product(("", *groups), _LIMITS):
        kind, _, name = limit.rpartition("/")
        with suppress(OSError, ValueError):  # there is none, or it is "max"
            yield int((_GROUPS / kind / folder / name).read_text(encoding="ascii"))


def _process_limits() -> Iterator[int]:
    """What ``ulimit`` holds this process to."""
    if sys.platform == "win32":
        return
    import resource

    for limit in (resource.RLIMIT_AS, resource.RLIMIT_DATA):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            yield most
