"""Named random streams: the only place where a random generator is made.

A stream is named, not counted: ``stream(seed, "membership", "stat", "training", 17)``. Adding an attack or
a training therefore moves nobody else's numbers, and the same seed gives the same bytes whatever the number
of workers, their order, or the interruptions.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np


def stream(root: int, *labels: str | int) -> np.random.Generator:
    """A random generator that belongs to ``root`` and these labels alone.

    Parameters
    ----------
    root : int
        The seed of the audit, 0 or greater.
    labels : str or int
        What the stream is for. ``1`` and ``"1"`` name different streams.
    """
    # A separator inside a label is doubled, so that no label reads as two.
    text = "\x1f".join(f"{type(label).__name__}:{label}".replace("\x1f", "\x1f\x1f") for label in labels)
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=np.uint32)
    return np.random.default_rng(np.random.SeedSequence([root, *(int(word) for word in words)]))


def resume(state: Mapping[str, Any]) -> np.random.Generator:
    """The random generator that draws on from there; ``state`` is that of a stream's ``bit_generator``."""
    bits = np.random.PCG64()
    bits.state = state  # type: ignore[assignment]  # its own form of a dictionary
    return np.random.Generator(bits)


def everybodys() -> str:
    """Where the global streams of numpy and Python stand; it changes where somebody draws from them."""
    return str((np.random.get_state(), random.getstate()))  # noqa: NPY002  looked at, never drawn from


@contextmanager
def lend_global_stream(seed: int) -> Iterator[None]:
    """Numpy's global stream, from that seed, for other people's code that draws from it; put back afterwards."""
    before = np.random.get_state()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002
