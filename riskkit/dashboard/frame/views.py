"""A view on a page: each of its blocks with streamlit, in the order it has."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import groupby
from typing import Any

import streamlit as st

from riskkit.audit.report_facts import titles
from riskkit.dashboard.frame import chart_tools
from riskkit.dashboard.frame.shell import plain
from riskkit.figures import blocks
from riskkit.language import say, unbroken
from riskkit.report.views import whole
from riskkit.show import in_words
from riskkit.show.blocks import Group, Numbers, Picture, Sentence, flat
from riskkit.show.model import Block, RunFinding
from riskkit.show.names import Names

Instead = Mapping[str, Callable[[Block], None]]
"""What a page draws itself in the place of a block, by the key of the block."""
NOTHING: Instead = {}
LINE = 110
"""Letters of a grey line, about twenty words."""
SENTENCE_END = re.compile(r"(?<=\.)\s+|(?<=。)")


def nowhere(_: Block) -> None:
    """In the place of a block that stands elsewhere on the page."""


def names() -> Names:
    """How a page names columns and plug-ins: all that stand in the audit that it is open on."""
    return Names.all_told(titles())


def show(finding: RunFinding, instead: Instead = NOTHING) -> None:
    """Everything that the question shows of a run, and a table of the numbers that are nowhere else."""
    draw_all(every(finding), finding.question, instead)


def every(finding: RunFinding) -> tuple[Block, ...]:
    """The blocks of a run, with a table of the numbers that stand in none of them."""
    return whole(finding, titles())


def unsaid(finding: RunFinding) -> list[str]:
    """Further lines of a finding, without the sentences of its view."""
    sentences = {block.text for block in flat(finding.view) if isinstance(block, Sentence)}
    return [line for line in finding.extra if line not in sentences]


def draw_all(view: Iterable[Block], question: str, instead: Instead = NOTHING) -> None:
    """These blocks of the view of that question; sentences with what they are about are lines of a list."""

    def is_line(block: Block) -> bool:
        return isinstance(block, Sentence) and bool(block.about) and block.key not in instead

    for are_lines, several in groupby(view, is_line):
        if are_lines:
            lines = (block for block in several if isinstance(block, Sentence))
            st.markdown("\n".join(f"- **{plain(line.about)}.** {plain(line.text)}" for line in lines))
            continue
        for block in several:
            instead[block.key](block) if block.key in instead else draw(block, question, instead)


def draw(block: Block, question: str, instead: Instead = NOTHING) -> None:
    """One block; what is in a group may be drawn by the page itself, too."""
    if isinstance(block, Group):
        if block.is_folded:
            with st.expander(block.title):
                _inside(block, question, instead)
        else:
            if block.title:
                st.header(unbroken(block.title), anchor=False)
            _inside(block, question, instead)
    elif isinstance(block, Sentence):
        (st.caption if block.is_small else st.markdown)(plain(block.text), help=block.meaning or None)
    elif isinstance(block, Numbers):
        table(block)
    elif isinstance(block, Picture):
        picture(block, f"{question}.{block.key}")


def picture(block: Picture, key: str) -> None:
    """A picture under its sentence; those who cannot see it hear its numbers."""
    words = f"{block.sentence}. {in_words.picture_in_words(block)}"
    chart_tools.draw(blocks.figure(block), key, f"**{plain(block.sentence)}**", words)
    if block.caption:
        aside(block.caption)


def aside(text: str) -> None:
    """How to read what stands above, in grey; of a long text its first sentence where that is short, and the whole
    behind the sign for help."""
    if len(text) <= LINE:
        st.caption(plain(text))
        return
    first = SENTENCE_END.split(text, maxsplit=1)[0]
    st.caption(plain(first) if len(first) <= LINE else say("How to read it"), help=plain(text))


def table(block: Numbers) -> None:
    """A table; hovering over a column says what it means."""
    rows = [{column.key: cell for column, cell in zip(block.columns, row, strict=True)} for row in block.texts()]
    columns: dict[str, Any] = {
        column.key: st.column_config.Column(column.title, help=column.meaning or None) for column in block.columns
    }
    st.dataframe(rows, hide_index=True, column_config=columns, alt=block.title)


def _inside(group: Group, question: str, instead: Instead) -> None:
    has_titles = group.is_folded and sum(isinstance(block, Numbers) for block in group.blocks) > 1
    if group.is_beside:
        for place, block in zip(st.columns(len(group.blocks), gap="large"), group.blocks, strict=True):
            with place:
                draw_all((block,), question, instead)
    elif has_titles:
        for block in group.blocks:
            if isinstance(block, Numbers):
                st.markdown(f"**{plain(block.title)}**", help=block.meaning or None)
            draw_all((block,), question, instead)
    else:
        draw_all(group.blocks, question, instead)
    if group.caption:
        aside(group.caption)
