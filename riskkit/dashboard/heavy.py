"""Methods of which one training takes seconds: how the pages time them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from riskkit import registry
from riskkit.dashboard import pilots

Cost = TypeVar("Cost")


def is_heavy(generators: Iterable[str]) -> bool:
    """Whether one training of one of them takes seconds, or loads what no page should hold in memory."""
    return any(getattr(registry.parse("generators", text), "heavy", False) for text in generators)


def foretold(forecast: Callable[..., Cost], generators: Iterable[str], *asked: Any, **how: Any) -> Cost:
    """What that forecast says; of a heavy method from a process of its own, so that the server never loads torch."""
    if not is_heavy(generators):
        return forecast(*asked, **how)
    with pilots.of_its_own() as pool:
        return pool.submit(forecast, *asked, **how).result()
