"""What private methods promise against what is seen of them, on a page: the block that reports show too."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from riskkit.dashboard import blocks
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.language import say
from riskkit.show.promised_chart import chart


def show(judged: Sequence[Judged]) -> None:
    """Every method that promises epsilon: what it promises, allows and shows; in red where these cannot all be true."""
    for index, promised in enumerate(promised for finding, _ in judged for promised in finding.promises):
        if promised.is_contradicted:
            st.error(plain(promised.verdict), icon=":material/error:")
        with st.expander(
            plain(say("What {method} promises, and what is seen", method=promised.method)),
            expanded=promised.is_contradicted,
        ):
            picture = chart(promised)
            if picture is not None:
                draw(blocks.intervals(picture), f"promised.{index}")
            st.markdown("\n".join(f"- **{plain(term)}**: {plain(text)}" for term, text in promised.terms if text))
            if not promised.is_contradicted:
                st.caption(plain(promised.verdict))
