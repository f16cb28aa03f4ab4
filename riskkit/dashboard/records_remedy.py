"""What would lower it: the least change of a setting that holds everybody's certificate below a limit, on a page."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from riskkit import registry
from riskkit.dashboard import asking, state, verdicts
from riskkit.dashboard.attributes_charts import CEILING, CONTROL
from riskkit.dashboard.charts import CHANCE, IN, empty
from riskkit.dashboard.charts import show as draw
from riskkit.dashboard.frame import plain
from riskkit.errors import RiskkitError
from riskkit.jobs.pool import Progress
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.contest.usefulness import measures
from riskkit.questions.records import remedy_words as words
from riskkit.questions.records.remedy import Point, Remedy, Search, knobs, remedy

key = partial(asking.key, "records")

LARGEST = 5_000
"""The most rows of a table that a page searches itself; for more it names the command."""
QUICK_ROWS = 5_000
"""Rows drawn for a certificate where no exact way is known: its interval is wider for it, and the limit still holds."""
USUAL = 0.8
"""The limit asked about while nobody has set one."""


@st.fragment
def show(audit: Audit, run: Run) -> None:
    """What to change, the button, and what was found; nothing for a method without a certificate."""
    method = str(run.plan.generator)
    if run.revision != audit.revision or "real" not in audit.files or run.plan.yearly:
        return
    try:
        rows = len(state.tables(audit).real)
        there = {knob.name: knob for knob in knobs(method, rows)}
    except RiskkitError:  # a method of somebody's own that is not here
        return
    if not there:
        return
    with st.expander(say("What would lower it")):
        st.markdown(
            say(
                "A setting of the method is changed as little as it takes, until the best attack there can be lies "
                "below the limit for everybody. Beside it stands what that costs in usefulness."
            )
        )
        search = _asked(audit, run, method, list(there))
        if rows > LARGEST:
            st.markdown(say("This table has {rows:,} rows. Search it on the command line:", rows=rows))
            st.code(_command(search), language="bash")
            return
        if st.button(say("Find the least change"), key=key(audit, "remedy", "go"), icon=":material/arrow_downward:"):
            _search(audit, search)
        mark, found = st.session_state.get(key(audit, "remedy", "kept"), (None, None))
        if found is not None and mark == search:
            _draw(audit, found)


def _asked(audit: Audit, run: Run, method: str, names: list[str]) -> Search:
    """What the form asks."""
    limit = verdicts.limit_of(audit, run)
    left, middle, right = st.columns(3, vertical_alignment="bottom")
    start = USUAL if limit is None else min(max(limit.value, 0.51), 0.99)
    wanted = left.number_input(
        say("Limit for every certificate (AUC)"), 0.51, 0.99, start, 0.01, key=key(audit, "remedy", "limit")
    )
    setting = middle.selectbox(
        say("Setting to change"),
        names,
        format_func=lambda name: words.called(method, name),
        key=key(audit, "remedy", "setting"),
    )
    measure = right.selectbox(
        say("Measure of usefulness"),
        list(measures()),
        index=list(measures()).index("pairs"),
        format_func=words.measured,
        key=key(audit, "remedy", "measure"),
    )
    relation = str(getattr(registry.parse("generators", method), "guarantee", "add-one"))
    plan = run.plan
    return Search(
        method, str(setting), float(wanted), str(measure), plan.n_syn, 5, relation, plan.seed, plan.level, QUICK_ROWS
    )


def _command(search: Search) -> str:
    return (
        f"python -m riskkit remedy --real REAL.csv --generator {search.generator} --limit {search.limit:g} "
        f"--setting {search.setting} --measure {search.measure} --n-syn {search.n_syn} --seed {search.seed}"
    )


def _search(audit: Audit, search: Search) -> None:
    """Search, with a bar that says how far it is."""
    bar = st.progress(0.0, say("Trying values of the setting"))

    def told(at: Progress) -> None:
        bar.progress(min(at.done / max(at.total, 1), 1.0), say("Trying values of the setting"))

    try:
        found = remedy(state.tables(audit).real, search, progress=told)
    except RiskkitError as refusal:
        bar.empty()
        st.error(plain(str(refusal)))
        return
    bar.empty()
    st.session_state[key(audit, "remedy", "kept")] = (search, found)


def _draw(audit: Audit, found: Remedy) -> None:
    """The sentences, the picture and its numbers."""
    draw(frontier(found), key(audit, "remedy", "frontier"))
    st.markdown("\n\n".join(plain(text) for text in (words.cost(found), words.order(found)) if text))
    st.dataframe(
        [dict(zip(("value", "highest", "above", "useful"), words.line(point), strict=True)) for point in found.points],
        hide_index=True,
        column_config={
            "value": plain(words.called(found.search.generator, found.search.setting)),
            "highest": say("Highest certificate"),
            "above": say("People above the limit"),
            "useful": words.measured(found.search.measure),
        },
        alt=say("Every value of the setting that was tried"),
    )
    st.caption(" ".join(words.LIMITS))


def frontier(found: Remedy) -> go.Figure:
    """Usefulness against the highest certificate: right is more exposed, up is more useful; the chosen one is named."""
    figure = empty(words.headline(found).rstrip("."), height=360)
    points = [point for point in found.points if point.useful is not None]
    named = [point for point in (found.chosen, found.at(found.now)) if point is not None and point.useful is not None]
    figure.add_vline(x=found.search.limit, line={"color": CEILING, "width": 2, "dash": "dash"})
    figure.add_annotation(x=found.search.limit, y=1, yref="paper", yanchor="bottom", text=say("limit"), showarrow=False)
    _points(figure, [point for point in points if point not in named], CHANCE, 8, say("tried"))
    for point, name, colour in (
        (found.at(found.now), say("as it is"), IN),
        (found.chosen, say("least change"), CONTROL),
    ):
        if point is not None and point.useful is not None:
            _points(figure, [point], colour, 13, name)
    figure.update_xaxes(title=say("Highest certificate (AUC; chance 0.50)"), range=[0.48, 1.02], tickformat=".1f")
    figure.update_yaxes(title=words.measured(found.search.measure))
    return figure.update_layout(legend={"orientation": "h", "y": -0.25}, showlegend=True)


def _points(figure: go.Figure, points: list[Point], colour: str, size: int, name: str) -> None:
    """Dots with the interval of their usefulness."""
    useful = [point.useful for point in points if point.useful is not None]
    figure.add_scatter(
        x=[point.highest.value for point in points],
        y=[one.value for one in useful],
        mode="markers",
        name=name,
        marker={"color": colour, "size": size},
        error_y={
            "type": "data",
            "symmetric": False,
            "color": colour,
            "thickness": 1,
            "array": [one.high - one.value for one in useful],
            "arrayminus": [one.value - one.low for one in useful],
        },
        customdata=[[f"{point.value:g}"] for point in points],
        meta=[say("Value of the setting")],
        hovertemplate="%{customdata[0]}: %{x:.3f}, %{y:.3f}<extra></extra>",
    )
