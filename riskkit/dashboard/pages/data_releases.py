"""Places for further releases of the same table, for a steward who published several."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from riskkit.dashboard.frame import switches
from riskkit.jobs.store import RELEASE_SLOTS, Audit
from riskkit.language import say

TITLES = {slot: say("Release {number:,}", number=number) for number, slot in enumerate(RELEASE_SLOTS[1:], start=2)}
"""What the file of a further release is called, by slot."""
HELP = say("The same table, released again. An attacker has all of its releases.")
IN_A_ROW = 3


def further(audit: Audit, place: Callable[[Audit, str], None]) -> None:
    """The further releases that are loaded, and a place for the next; ``place`` draws a file or where to drop one."""
    there = RELEASE_SLOTS[1 : audit.releases]
    hint = say("For example a release every year, or several samples of one method, each in a file of its own.")
    if not there and not switches.checkbox(say("Several releases"), key=f"further_{audit.id}", help=hint):
        return
    every = RELEASE_SLOTS[1 : audit.releases + 1]
    for start in range(0, len(every), IN_A_ROW):
        for column, slot in zip(st.columns(IN_A_ROW, gap="medium"), every[start : start + IN_A_ROW], strict=False):
            with column:
                place(audit, slot)
