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
from riskkit.language import again as in_language
from riskkit.language import say
from riskkit.questions.contest import household_words as words
from riskkit.questions.contest.household_result import CHANCE, HouseholdsResult


def show(audit: Audit, run: Run, kept: Mapping[str, Any]) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = HouseholdsResult.of(kept)
    if result.standings:
        _sentences(result, verdicts.show(audit, run, control=not result.controls))
        draw(picture(result), "contest.households")
        st.caption(words.ABOUT)
        if result.controls:
            st.caption(plain(words.planted(result)))
        _numbers(result)
    else:
        st.warning(say("No release could be played and attacked; the notes say why."), icon=":material/pause_circle:")
    with st.expander(say("Notes, and what this does not show"), expanded=not result.standings):
        lines = dict.fromkeys([*map(in_language, result.notes), *words.LIMITS])
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    again.settings(audit, run, kept, say("It holds no row and no name of a household."))


def picture(result: HouseholdsResult) -> go.Figure:
    """The scores of every attacker against every anonymiser."""
    lines = [
        Line(row.name, label(row.name, LETTERS), result.scores(row.name), row.best, row.worst)
        for row in result.standings
    ]
    scale = Scale(CHANCE, 1.0, "{:.2f}", "{:.2f}")
    return contest_charts.table(lines, result.attackers, scale, words.finding(result))


def _sentences(result: HouseholdsResult, judged: Sequence[Judged]) -> None:
    """Every anonymiser, the one that gives away most first: what would be if it had made the release."""
    rows = sorted(
        zip(result.standings, result.sentences, verdicts.each(judged[0][0], None), strict=True),
        key=lambda row: -row[0].worst.value,
    )
    for _, sentence, (part, judgement) in rows:
        verdicts.of_part(in_language(sentence), judgement, part.title)


def _numbers(result: HouseholdsResult) -> None:
    with st.expander(say("All numbers")):
        rows = []
        for standing in result.standings:
            scores = result.scores(standing.name)
            cells = {
                name: wording.number(scores[name]) if name in scores else say("was not run")
                for name in result.attackers
            }
            rows.append({"anonymiser": standing.name, **cells})
        st.dataframe(
            rows, hide_index=True, column_config={"anonymiser": say("Anonymiser")}, alt=say("Scores with intervals")
        )
        asked = result.households
        st.caption(
            say(
                "Score [low, high]; {level:.4g} % intervals over {asked:,} households of {persons:,} people, "
                "{inside:,} of which were in. Guessing scores 0.50.",
                level=100 * result.estimates[0].level,
                asked=asked.asked,
                persons=asked.rows,
                inside=asked.inside,
            )
        )
