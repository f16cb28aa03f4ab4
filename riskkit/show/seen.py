"""How many releases of one table an attacker sees, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riskkit.language import say


def releases(plan: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """The line of a game that says so, from the settings of its plan; none of one release."""
    count = int(plan.get("releases", 1))
    if count == 1:
        return ()
    if plan.get("yearly"):
        grown = say("{count:,} releases of this table as it grew, each from a fit of its own", count=count)
        return ((say("The attacker sees"), grown),)
    view = (
        say("{count:,} releases of this table, all sampled from one fit", count=count)
        if plan.get("one_fit")
        else say("{count:,} releases of this table, each from a fit of its own", count=count)
    )
    return ((say("The attacker sees"), view),)
