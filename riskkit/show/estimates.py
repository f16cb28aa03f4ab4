"""Estimates of a kept result."""

from __future__ import annotations

from riskkit.plain import ESTIMATE as OWN
from riskkit.plain import estimate

__all__ = ["OWN", "estimate"]
