"""The foot of every result: what gives the same numbers again, and the result to take away."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.show.epsilon_words import with_readings
from riskkit.show.for_whom import passed_on


def settings(audit: Audit, run: Run, result: Mapping[str, Any], holds: str, beside: str = "") -> None:
    """Command line, plan, time and download of a run.

    ``result`` is what may be taken away, without values of groups of people, and ``holds`` says what it holds and what
    not; ``beside`` is a remark on the command line.
    """
    if result.get("for_whom") is not None:
        result = {**result, "for_whom": passed_on(result["for_whom"])}
    with st.expander(say("Settings, to copy and to download")):
        st.markdown(say("This command gives the same numbers; run it in the folder of your files:"))
        st.code(run.plan.command(**{"real": "real.csv", **audit.named}), language="bash", wrap_lines=True)
        if beside:
            st.caption(beside)
        st.markdown(say("The plan:"))
        st.code(json.dumps(run.plan.as_dict(), ensure_ascii=False, indent=1), language="json")
        st.caption(
            say(
                "It took {seconds:,.1f} s with {processes}.",
                seconds=result.get("seconds", 0),
                processes=counted(run.workers, "{n:,} process", "{n:,} processes"),
            )
        )
        st.download_button(
            say("Download the result (JSON)"),
            data=lambda: json.dumps(with_readings(result), ensure_ascii=False, sort_keys=True, indent=1),
            file_name=f"{run.question}_{run.id[:12]}.json",
            mime="application/json",
            key=f"{run.question}.download",
            on_click="ignore",
            help=say("Every estimate, setting and note. {holds}", holds=holds),
        )
