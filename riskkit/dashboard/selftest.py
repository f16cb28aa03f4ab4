"""The self-test on the page Report: what the installed engine makes of leaks of known size."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from riskkit.audit import selftest
from riskkit.audit.selftest_kept import keep, last
from riskkit.jobs.store import Store
from riskkit.language import say

KEY = "selftest.run"


def fold(store: Store) -> None:
    """The last self-test of this installation, folded, and the button that runs it again."""
    kept = _read(last(store.home))
    with st.expander(_title(kept)):
        st.caption(
            say(
                "Leaks of known size are planted in made-up tables, and what this installation measures is set beside "
                "what is true. It takes about half a minute. The result goes into the evidence pack."
            )
        )
        if st.button(say("Run the self-test"), key=KEY, icon=":material/fact_check:"):
            kept = _run(store)
        if kept is not None:
            _table(kept)


def _title(kept: dict[str, Any] | None) -> str:
    if kept is None:
        return say("Does this installation measure correctly? Not tested yet")
    right = sum(check["passed"] for check in kept["checks"])
    return say(
        "Does this installation measure correctly? {right} of {every} planted leaks agree",
        right=right,
        every=len(kept["checks"]),
    )


def _run(store: Store) -> dict[str, Any] | None:
    bar = st.progress(0.0, text=say("Starting"))

    def show(done: int, total: int, plain: str) -> None:
        bar.progress(done / total, text=plain or say("Done"))

    result = selftest.selftest(show)
    bar.empty()
    return _read(keep(result, store.home))


def _read(content: bytes | None) -> dict[str, Any] | None:
    if content is None:
        return None
    kept: dict[str, Any] = json.loads(content)
    return kept


def _table(kept: dict[str, Any]) -> None:
    if not kept["passed"]:
        st.error(
            say(
                "A planted leak was measured wrongly. Install riskkit again in an environment of its own. Until "
                "then, rely on no number from this installation."
            ),
            icon=":material/error:",
        )
    rows = [
        {
            "agrees": f"● {say('agrees')}" if check["passed"] else f"▲ {say('differs')}",
            "plain": check["plain"],
            "expected": check["expected"],
            "measured": check["measured"],
        }
        for check in kept["checks"]
    ]
    columns: dict[str, Any] = {
        "agrees": st.column_config.TextColumn(say("Result"), width="small"),
        "plain": say("What was planted"),
        "expected": say("Expected"),
        "measured": say("Measured"),
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=say("Every check of the self-test"))
