"""Estimates of a kept result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.core import Estimate

OWN = ("name", "value", "low", "high", "level", "method", "n")
"""The fields of an estimate; in a kept one its labels stand beside them."""


def estimate(kept: Mapping[str, Any], *beside: str) -> Estimate:
    """The estimate that :meth:`riskkit.core.Estimate.as_dict` wrote; what else stands there is named in ``beside``."""
    labels = {name: str(text) for name, text in kept.items() if name not in (*OWN, *beside)}
    return Estimate(**{name: kept[name] for name in OWN}, labels=labels)
