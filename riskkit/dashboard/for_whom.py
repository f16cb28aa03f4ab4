"""For whom risk is highest, on a page: the block that reports show too."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from riskkit.dashboard import blocks
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.language import say


def show(judged: Sequence[Judged]) -> None:
    """The groups of every finding that compares some: the sentence, the picture, every group and how it was done."""
    for index, block in enumerate(finding.for_whom for finding, _ in judged if finding.for_whom is not None):
        with st.expander(plain(block.title), icon=":material/groups:"):
            picture = block.chart()
            if picture is None:
                st.markdown(plain(block.sentence))
                continue
            draw(blocks.intervals(picture), f"for_whom.{index}")
            rows = [dict(zip(block.head, row, strict=True)) for row in block.rows]
            st.dataframe(
                rows, hide_index=True, alt=say("Every group, with its number and how far it lies above the others")
            )
            st.markdown("\n".join(f"- **{plain(term)}**: {plain(text)}" for term, text in block.terms if text))
