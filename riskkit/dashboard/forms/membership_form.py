"""The form of a membership game: who made the release, who is attacked, how, in which worlds, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from riskkit import registry
from riskkit.dashboard.forms import games, launch, plugin_forms
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import chart_tools, shell, state, switches
from riskkit.dashboard.frame.shell import plain
from riskkit.errors import ParameterError
from riskkit.figures import canvas
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions import standard
from riskkit.questions.membership import words
from riskkit.questions.membership.people import OutlierMap
from riskkit.questions.membership.plan import ROOMS, MembershipPlan
from riskkit.show import promise

LISTED = "listed"
"""The target rule that clicked rows become."""
NAMED = 12
"""Chosen rows that are named one by one."""
TABLED = 200
"""Records in the table beside the map."""
ROWS = ("targets", LISTED, "rows")
"""The text field of the listed rows: the one place that holds which rows were chosen."""
LATER = ("worlds", "relation", "knowledge", "rows", "auxiliary", "second_table")
"""Settings that are asked for under the others."""
Asked = Form[MembershipPlan]


def form(audit: Audit) -> MembershipPlan:
    """Who plays and how much, and the plan of it all.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan.
    """
    asked = Form(MembershipPlan, audit, state.columns(audit))
    for room in ROOMS:
        st.markdown(f"**{asked.label(room)}**")
        asked.methods(room)
        if room == "targets":
            _how_many(asked)
            _map(asked)
    st.markdown(say("**How much is run**"))
    first, second, third = st.columns(3, gap="large")
    asked.ask("trainings", first, min_value=2, max_value=100_000, step=2)
    asked.ask("generations", second, min_value=1, max_value=1000)
    size = int(audit.files["synthetic"]["rows"]) if "synthetic" in audit.files else asked.default.n_syn
    asked.ask("n_syn", third, value=max(size, 1), max_value=10_000_000)
    with st.expander(say("More settings")):
        asked.rest(*LATER, values=audit.provenance.settings)
    _worlds(asked)
    made = asked.made()
    standard.check(state.tables(audit), made.generators, second_table=made.second_table)
    return made


def _how_many(asked: Asked) -> None:
    """How many targets each rule chooses, and whether they go in one by one."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    rows = chosen_rows(asked)
    if rows:
        named = ", ".join(map(str, rows[:NAMED])) + (
            say(" and {more} more", more=len(rows) - NAMED) if len(rows) > NAMED else ""
        )
        left.markdown(say("Chosen rows: **{named}**.", named=named))
    if not rows or len(st.session_state[asked.key("targets")]) > 1:
        asked.ask("k", left, max_value=1000)
    asked.values["k"] = int(st.session_state.get(asked.key("k"), asked.default.k))
    asked.ask("together", right)


def chosen_rows(asked: Asked) -> tuple[int, ...]:
    """The rows that were clicked or typed, where that rule is in use."""
    if LISTED not in st.session_state.get(asked.key("targets"), ()):
        return ()
    try:
        return plugin_forms.numbers(str(st.session_state.get(asked.key(*ROWS), "")))
    except ParameterError:
        return ()


def choose_rows(asked: Asked, rows: Sequence[int]) -> None:
    """Make these rows the targets, in place of what was chosen by rule; with none, the rule comes back."""
    st.session_state[asked.key(*ROWS)] = ", ".join(map(str, rows))
    rules = list(st.session_state.get(asked.key("targets"), ()))
    if rows:
        st.session_state[asked.key("targets")] = rules if LISTED in rules else [LISTED]
        return
    default = [name for name in asked.default.targets if name in registry.plugins("targets")]
    st.session_state[asked.key("targets")] = [name for name in rules if name != LISTED] or default


def _map(asked: Asked) -> None:
    """The rows that stand out, as a chart and as a table that share one selection."""
    if LISTED not in registry.plugins("targets"):
        return
    if not switches.toggle(say("Choose rows on a map"), key=asked.key("map"), persist_state="session"):
        return
    outlier_map = state.outliers(asked.audit)
    rows = chosen_rows(asked)
    left, right = st.columns([3, 2], gap="large")
    with left:
        over = st.columns(2)
        view = over[0].segmented_control(
            say("View"),
            [say("By rank"), say("By place")],
            default=say("By rank"),
            key=asked.key("view"),
            required=True,
            help=say(
                "By rank: how far each row lies from the middle. By place: along the table's two main directions."
            ),
        )
        way = over[1].segmented_control(
            say("Choose by"),
            [say("Clicking"), say("A box")],
            default=say("Clicking"),
            key=asked.key("way"),
            required=True,
            help=say("Clicking: adds a point, or takes it away again. A box: drag it over the points to add."),
        )
        chart_tools.show(
            canvas.outliers(outlier_map, rows, by_rank=view != "By place", by_box=way == "A box"),
            _chart_key(asked),
            "membership.outliers",
            on_select=lambda: _from_chart(asked, outlier_map.row.tolist(), rows),
            selection_mode=("points", "box"),
        )
    with right:
        st.caption(say("Click or box points in the chart, or tick rows here: both show the same choice."))
        _table(outlier_map, rows, asked)
        if rows:
            st.button(say("Clear the choice"), key=asked.key("clear"), on_click=choose_rows, args=(asked, ()))


def _table(outlier_map: OutlierMap, rows: Sequence[int], asked: Asked) -> None:
    """The outliers as a table. Row numbers and distances only: values stay out of sight."""
    order = outlier_map.row[:TABLED].tolist()
    st.session_state[asked.key("table")] = {"selection": {"rows": [order.index(row) for row in rows if row in order]}}
    st.dataframe(
        [
            {"row": row, "distance": distance}
            for row, distance in zip(order, outlier_map.distance.tolist(), strict=False)
        ],
        hide_index=True,
        height=360,
        column_config={
            "row": st.column_config.NumberColumn(say("Row"), format="%d", help=words.GLOSSARY["row"]),
            "distance": st.column_config.NumberColumn(
                "M",
                format="%.2f",
                help=say("Distance from the middle of the table, allowing for how columns vary together."),
            ),
        },
        on_select=lambda: _from_table(asked, order, rows),
        selection_mode="multi-row",
        key=asked.key("table"),
        alt=say("Rows that stand out most"),
    )


def _chart_key(asked: Asked) -> str:
    """A new key after each choice: a chart tells nothing when the same point is clicked twice running."""
    return asked.key("chart", str(st.session_state.get(asked.key("choices"), 0)))


def _from_chart(asked: Asked, order: Sequence[int], before: Sequence[int]) -> None:
    """One point is added or taken away, several are added."""
    points = _selection(_chart_key(asked)).get("points", [])
    picked = list(dict.fromkeys(order[int(point["point_index"])] for point in points))
    away = set(picked) if len(picked) == 1 else set()
    kept = [row for row in before if row not in away]
    choose_rows(asked, [*kept, *(row for row in picked if row not in before)])
    st.session_state[asked.key("choices")] = st.session_state.get(asked.key("choices"), 0) + 1


def _from_table(asked: Asked, order: Sequence[int], before: Sequence[int]) -> None:
    """The ticked rows, and those chosen elsewhere that the table is too short for."""
    ticked = [order[place] for place in _selection(asked.key("table")).get("rows", [])]
    choose_rows(asked, [*(row for row in before if row not in order), *ticked])


def _selection(key: str) -> Mapping[str, Any]:
    selection: Mapping[str, Any] = st.session_state.get(key, {}).get("selection", {})
    return selection


def _worlds(asked: Asked) -> None:
    """Which worlds there are, and what attackers know."""
    games.ask_across(asked)
    with st.expander(say("Data sets compared, and what attackers know")):
        left, right = st.columns(2, gap="large")
        worlds = asked.ask("worlds", left)
        asked.ask("relation", right)
        knowing: dict[str, Any] = {}
        if worlds == "resampled":
            knowing = {"options": ["auxiliary"], "value": "auxiliary"}
        elif worlds == "halves":
            knowing = {"options": ["own"]}
        elif worlds != "fixed":  # the rows were made: nobody has others of them
            knowing = {"options": ["own", "exact"]}
        knowledge = asked.ask("knowledge", left, key=("knowledge", str(worlds)), **knowing)
        asked.ask("rows", right, key=("world_rows",), value=None, max_value=10_000_000)
        if knowledge == "auxiliary" and "holdout" not in asked.audit.files:
            ends: dict[str, Any] = {"min_value": 0.05, "max_value": 0.95, "step": 0.05, "format": None}
            asked.ask("auxiliary", left, is_slider=True, **ends)


def expect(audit: Audit, plan: MembershipPlan) -> None:
    """What these trainings could show, how many a wanted effect needs, and how long it takes."""
    key = partial(launch.key, plan.question, audit)
    own = say("including the attackers' own")
    if plan.control:
        own = say("including the attackers' own and those with a planted leak")
    total = say(
        "{trainings} in all, {own}.",
        trainings=counted(plan.total_trainings(), "{n:,} training", "{n:,} trainings"),
        own=own,
    )
    launch.expect(audit, plan, counts=total, power=lambda _: _power(key, plan))


def _power(key: Callable[..., str], plan: MembershipPlan) -> None:
    try:
        shows = words.detectable(plan.counted, level=plan.level, looks=plan.looks(), trials=plan.generations)
        st.markdown(plain(shows), help=plain(promise.most(plan.counted)))
    except ParameterError as error:
        shell.sentence_error(error)
    auc = st.number_input(
        say("I want to detect an AUC of"),
        0.51,
        0.99,
        0.7,
        0.05,
        "%.2f",
        key=key("wanted"),
        persist_state="session",
        help=words.GLOSSARY["auc"],
    )
    needed = words.trainings_needed(float(auc), level=plan.level, looks=plan.looks(), trials=plan.generations)
    st.button(
        say("Use {trainings}", trainings=counted(needed, "{n:,} training", "{n:,} trainings")),
        key=key("use"),
        disabled=needed == plan.trainings,
        on_click=lambda: st.session_state.update({key("trainings"): needed}),
        help=say("This many trainings show that AUC in 8 of 10 audits, corrected for everything that is tested."),
    )
