"""A finished contest on households on a page: the sentences, the table of scores, the details folded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from riskkit import wording
from riskkit.dashboard import again, contest_charts, verdicts
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.contest_charts import LETTERS, Line, Scale
from riskkit.dashboard.data_charts import label
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.contest import household_words as said
from riskkit.questions.contest.household_words import Households, Told


def show(audit: Audit, run: Run, result: Mapping[str, Any]) -> None:
    """The whole result, first what was found, last how to get it again."""
    found = said.read(result)
    if found.rows:
        _sentences(found, verdicts.show(audit, run, control=not found.planted))
        draw(picture(found), "contest.households")
        st.caption(said.ABOUT)
        if found.planted:
            st.caption(plain(said.planted(found)))
        _numbers(found)
    else:
        st.warning(say("No release could be played and attacked; the notes say why."), icon=":material/pause_circle:")
    with st.expander(say("Notes, and what this does not show"), expanded=not found.rows):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*found.notes, *said.LIMITS])))
    again.settings(audit, run, result, say("It holds no row and no name of a household."))


def picture(found: Households) -> go.Figure:
    """The scores of every attacker against every anonymiser."""
    lines = [
        Line(row.anonymiser, label(row.anonymiser, LETTERS), row.scores, row.best, row.worst) for row in found.rows
    ]
    scale = Scale(said.CHANCE, 1.0, "{:.2f}", "{:.2f}")
    return contest_charts.table(lines, found.attackers, scale, said.finding(found))


def _sentences(found: Households, judged: Sequence[Judged]) -> None:
    """Every anonymiser, the one that gives away most first: what would be if it had made the release."""
    told = sorted(
        zip(found.rows, found.sentences, verdicts.each(judged[0][0], None), strict=True),
        key=lambda one: -one[0].worst.value,
    )
    for _, sentence, (part, judgement) in told:
        verdicts.of_part(sentence, judgement, part.title)


def _numbers(found: Households) -> None:
    with st.expander(say("All numbers")):
        rows = [
            {"anonymiser": row.anonymiser, **{name: _cell(row, name) for name in found.attackers}} for row in found.rows
        ]
        st.dataframe(
            rows, hide_index=True, column_config={"anonymiser": say("Anonymiser")}, alt=say("Scores with intervals")
        )
        level = next(iter(found.rows[0].scores.values())).level
        st.caption(
            say(
                "Score [low, high]; {level:.4g} % intervals over {asked:,} households of {persons:,} people, "
                "{inside:,} of which were in. Guessing scores 0.50.",
                level=100 * level,
                asked=found.asked,
                persons=found.persons,
                inside=found.inside,
            )
        )


def _cell(row: Told, attacker: str) -> str:
    return wording.number(row.scores[attacker]) if attacker in row.scores else say("was not run")
