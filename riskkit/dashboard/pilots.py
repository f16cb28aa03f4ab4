"""What timed pilots said, kept while the dashboard runs, so that twenty people on one page time it once.

A forecast is seconds and counts. It holds nothing of a table, so it is the one thing that sessions share; its key names
the audit, and who has not opened that audit never asks for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")
MOST = 256
"""Forecasts that are kept; the oldest go first."""


class Pilots:
    """Forecasts by their keys. Of several who ask for one at the same time, one makes it and the others wait."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, Lock] = {}
        self._guard = Lock()

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` returns for that key, made once; where it raises, the next who asks makes it."""
        with self._guard:
            making = self._making.setdefault(key, Lock())
        with making:
            with self._guard:
                if key in self._known:
                    found: T = self._known[key]
                    return found
            made = make()
            with self._guard:
                self._known[key] = made
                self._making.pop(key, None)
                while len(self._known) > self._most:
                    self._known.popitem(last=False)
        return made


once = Pilots().once
