"""Whether an attack found a positive control: a leak that was planted for it."""

from __future__ import annotations

from riskkit.core import Estimate


def is_found(auc: Estimate) -> bool:
    """Whether its whole interval lies above chance."""
    return auc.low > 0.5
