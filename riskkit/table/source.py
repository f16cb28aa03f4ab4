"""Bytes of a file that somebody hands in, never more of them than it may have."""

from __future__ import annotations

import os
from pathlib import Path


def at_most(path: Path, most: int) -> bytes:
    """The bytes of a file, or ``most + 1`` of them where it has more: whoever asks then knows that it is too large.

    What states no size, such as a device or a pipe, is not believed to be empty, and a file that grows meanwhile is not
    followed.

    Raises
    ------
    OSError
        It cannot be read.
    """
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        return file.read(min(size or most, most) + 1)
