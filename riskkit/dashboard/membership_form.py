"""The form of a membership game: who made the release, who is attacked, how, in which worlds, and what it costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from riskkit import registry, wording
from riskkit.dashboard import asking, both_tables, charts, forms, frame, heavy, plan_forms, running, state, steps
from riskkit.dashboard.frame import plain
from riskkit.errors import ParameterError
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.membership import words
from riskkit.questions.membership.outliers import OutlierMap
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.question import forecast
from riskkit.show import epsilon_words

CHEAP_CELLS = 100_000
"""Cells of a real table up to which a game is timed without being asked for."""
LISTED = "listed"
"""The target rule that clicked rows become."""
NAMED = 12
"""Chosen rows that are named one by one."""
TABLED = 200
"""Records in the table beside the map."""
WORLDS = wording.choices(MembershipPlan, "worlds")
RELATIONS = wording.choices(MembershipPlan, "relation")
KNOWING = wording.choices(MembershipPlan, "knowledge")

BY_HAND = frozenset(
    {
        "generators",
        "targets",
        "attacks",
        "k",
        "together",
        "trainings",
        "generations",
        "n_syn",
        "worlds",
        "relation",
        "knowledge",
        "rows",
        "auxiliary",
        "second_table",
    }
)
"""Settings that the form asks for in its own words; it draws all others from the plan."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Where one audit's setup keeps its widgets, so that no setting leaks into another audit."""

    audit: str

    def of(self, *parts: str) -> str:
        """The key of a widget."""
        return ".".join(("membership", self.audit, *parts))

    @property
    def rows(self) -> str:
        """The text field of the listed rows: the one place that holds which rows were chosen."""
        return self.of("targets", LISTED, "rows")


def _rooms(audit: Audit, keys: Keys) -> dict[str, tuple[str, ...]]:
    """What was chosen in every room, spelled.

    Raises
    ------
    ParameterError
        A field of a plug-in holds what it may not hold; drawn beside it as well.
    """
    default = MembershipPlan()
    asked = {
        "generators": (say("Method that makes the release"), default.generators),
        "targets": (say("Who is attacked"), default.targets),
        "attacks": (say("How they are attacked"), default.attacks),
    }
    chosen: dict[str, tuple[str, ...]] = {}
    wrong = 0
    for room, (label, names) in asked.items():
        st.markdown(f"**{label}**")
        spelled = steps.room(room, label, steps.offered(room), names, keys.of)
        wrong += spelled.count("")
        chosen[room] = tuple(spelled)
        if room == "targets":
            _how_many(keys)
            _map(audit, keys)
    if wrong:
        raise ParameterError(say("A setting above is not valid. Correct it to go on."))
    return chosen


def _how_many(keys: Keys) -> None:
    """How many targets each rule chooses, and whether they go in one by one."""
    left, right = st.columns(2, gap="large", vertical_alignment="bottom")
    rows = chosen_rows(keys)
    if rows:
        left.markdown(_told(rows))
    if not rows or len(st.session_state[keys.of("targets")]) > 1:
        left.number_input(
            say("Targets a rule chooses"),
            1,
            1000,
            1,
            key=keys.of("k"),
            persist_state="session",
            help=say("Each target has a game of its own, unless the targets go in or stay out as one group."),
        )
    right.toggle(
        say("In or out as one group"),
        key=keys.of("together"),
        persist_state="session",
        help=say("The targets are all in or all out, as a family or a ward would be: one game for all of them."),
    )


def _told(rows: Sequence[int]) -> str:
    """Which rows were chosen."""
    named = ", ".join(map(str, rows[:NAMED])) + (
        say(" and {more} more", more=len(rows) - NAMED) if len(rows) > NAMED else ""
    )
    return say("Chosen rows: **{named}**.", named=named)


def chosen_rows(keys: Keys) -> tuple[int, ...]:
    """The rows that were clicked or typed, where that rule is in use."""
    if LISTED not in st.session_state.get(keys.of("targets"), ()):
        return ()
    try:
        return forms.numbers(str(st.session_state.get(keys.rows, "")))
    except ParameterError:
        return ()


def choose_rows(keys: Keys, rows: Sequence[int]) -> None:
    """Make these rows the targets, in place of what was chosen by rule; with none, the rule comes back."""
    st.session_state[keys.rows] = ", ".join(map(str, rows))
    rules = list(st.session_state.get(keys.of("targets"), ()))
    if rows:
        st.session_state[keys.of("targets")] = rules if LISTED in rules else [LISTED]
        return
    default = [name for name in MembershipPlan().targets if name in registry.plugins("targets")]
    st.session_state[keys.of("targets")] = [name for name in rules if name != LISTED] or default


def _map(audit: Audit, keys: Keys) -> None:
    """The rows that stand out, as a chart and as a table that share one selection."""
    if LISTED not in registry.plugins("targets"):
        return
    if not st.toggle(say("Choose rows on a map"), key=keys.of("map"), persist_state="session"):
        return
    outlier_map = state.outliers(audit)
    rows = chosen_rows(keys)
    left, right = st.columns([3, 2], gap="large")
    with left:
        over = st.columns(2)
        view = over[0].segmented_control(
            say("View"),
            [say("By rank"), say("By place")],
            default=say("By rank"),
            key=keys.of("view"),
            required=True,
            help=say(
                "By rank: how far each row lies from the middle. By place: along the table's two main directions."
            ),
        )
        way = over[1].segmented_control(
            say("Choose by"),
            [say("Clicking"), say("A box")],
            default=say("Clicking"),
            key=keys.of("way"),
            required=True,
            help=say("Clicking: adds a point, or takes it away again. A box: drag it over the points to add."),
        )
        charts.show(
            charts.outliers(outlier_map, rows, by_rank=view != "By place", by_box=way == "A box"),
            _chart_key(keys),
            "membership.outliers",
            on_select=lambda: _from_chart(keys, outlier_map.row.tolist(), rows),
            selection_mode=("points", "box"),
        )
    with right:
        st.caption(say("Click or box points in the chart, or tick rows here: both show the same choice."))
        _table(outlier_map, rows, keys)
        if rows:
            st.button(say("Clear the choice"), key=keys.of("clear"), on_click=choose_rows, args=(keys, ()))


def _table(outlier_map: OutlierMap, rows: Sequence[int], keys: Keys) -> None:
    """The outliers as a table. Row numbers and distances only: values stay out of sight."""
    order = outlier_map.row[:TABLED].tolist()
    st.session_state[keys.of("table")] = {"selection": {"rows": [order.index(row) for row in rows if row in order]}}
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
        on_select=lambda: _from_table(keys, order, rows),
        selection_mode="multi-row",
        key=keys.of("table"),
        alt=say("Rows that stand out most"),
    )


def _chart_key(keys: Keys) -> str:
    """A new key after each choice: a chart tells nothing when the same point is clicked twice running."""
    return keys.of("chart", str(st.session_state.get(keys.of("choices"), 0)))


def _from_chart(keys: Keys, order: Sequence[int], before: Sequence[int]) -> None:
    """One point is added or taken away, several are added."""
    points = _selection(_chart_key(keys)).get("points", [])
    picked = list(dict.fromkeys(order[int(point["point_index"])] for point in points))
    away = set(picked) if len(picked) == 1 else set()
    kept = [row for row in before if row not in away]
    choose_rows(keys, [*kept, *(row for row in picked if row not in before)])
    st.session_state[keys.of("choices")] = st.session_state.get(keys.of("choices"), 0) + 1


def _from_table(keys: Keys, order: Sequence[int], before: Sequence[int]) -> None:
    """The ticked rows, and those chosen elsewhere that the table is too short for."""
    ticked = [order[place] for place in _selection(keys.of("table")).get("rows", [])]
    choose_rows(keys, [*(row for row in before if row not in order), *ticked])


def _selection(key: str) -> Mapping[str, Any]:
    selection: Mapping[str, Any] = st.session_state.get(key, {}).get("selection", {})
    return selection


def form(audit: Audit) -> MembershipPlan:
    """Who plays and how much, and the plan of it all.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan.
    """
    keys = Keys(audit.id)
    rooms: Mapping[str, Any] = _rooms(audit, keys)
    default = MembershipPlan()
    st.markdown(say("**How much is played**"))
    first, second, third = st.columns(3, gap="large")
    trainings = first.number_input(
        say("Trainings"),
        2,
        100_000,
        default.trainings,
        2,
        key=keys.of("trainings"),
        persist_state="session",
        help=say("{training} Half of them hold the target.", training=words.GLOSSARY["training"]),
    )
    generations = second.number_input(
        say("Generations per training"),
        1,
        1000,
        default.generations,
        key=keys.of("generations"),
        persist_state="session",
        help=words.GLOSSARY["generation"],
    )
    size = int(audit.files["synthetic"]["rows"]) if "synthetic" in audit.files else default.n_syn
    n_syn = third.number_input(
        say("Rows of a release"),
        1,
        10_000_000,
        max(size, 1),
        key=keys.of("n_syn"),
        persist_state="session",
        help=say("The public size of every release, the same with and without the target."),
    )
    with st.expander(say("More settings")):
        more = plan_forms.rest(MembershipPlan, BY_HAND, keys.of, audit.provenance.asked, names=state.columns(audit))
    made = MembershipPlan(
        **rooms,
        **_worlds(audit, keys.of),
        k=int(st.session_state.get(keys.of("k"), default.k)),
        together=bool(st.session_state.get(keys.of("together"), False)),
        trainings=int(trainings),
        generations=int(generations),
        n_syn=int(n_syn),
        **more,
    )
    both_tables.check(audit, made.generators, across=made.second_table)
    return made


def _worlds(audit: Audit, key: Callable[..., str]) -> dict[str, Any]:
    """The fields of a plan that say which worlds there are. ``key`` names widgets."""
    default = MembershipPlan()
    across = both_tables.ask(audit, key)
    with st.expander(say("Worlds, and what attackers know")):
        left, right = st.columns(2, gap="large")
        worlds = left.selectbox(
            say("Who is in the data beside the target"),
            list(WORLDS),
            format_func=WORLDS.__getitem__,
            key=key("worlds"),
            persist_state="session",
            help=say(
                "The same people: how exposed the target is in this very table. Other people, drawn anew from "
                "the table for every training: the usual game of the literature. It averages over tables, so it "
                "can overlook a record that is exposed in yours."
            ),
        )
        relation = right.selectbox(
            say("The data without the target has"),
            list(RELATIONS),
            format_func=RELATIONS.__getitem__,
            key=key("relation"),
            persist_state="session",
            help=say(
                "The release has the same number of rows in both cases. Methods that promise differential "
                "privacy with a public number of rows promise it for somebody else in the target's place."
            ),
        )
        knowing = list(KNOWING) if worlds == "fixed" else ["auxiliary"]
        knowledge = left.selectbox(
            say("What attackers know"),
            knowing,
            format_func=KNOWING.__getitem__,
            key=key("knowledge", str(worlds)),
            persist_state="session",
            help=say(
                "Attackers who know other people train on worlds made of these people, who are in no world that "
                "counts. If other people are in the data for every training, no attacker can know them all."
            ),
        )
        rows = right.number_input(
            say("Rows of the data with the target"),
            0,
            10_000_000,
            None,
            placeholder=plan_forms.left_out(MembershipPlan, "rows"),
            key=key("world_rows"),
            persist_state="session",
            help=say(
                "0 takes all rows. Where people are drawn anew, 0 takes half of the rows, so that there are "
                "others to draw."
            ),
        )
        share = default.auxiliary
        if knowledge == "auxiliary" and "holdout" not in audit.files:
            share = left.slider(
                say("Share of the table that attackers have"),
                0.05,
                0.95,
                default.auxiliary,
                0.05,
                key=key("auxiliary"),
                persist_state="session",
                help=say(
                    "There is no holdout, so the people attackers know are split off from the table and are in "
                    "no world that counts. With a holdout, attackers know the holdout."
                ),
            )
    return {
        "worlds": str(worlds),
        "relation": str(relation),
        "knowledge": str(knowledge),
        "rows": default.rows if rows is None else int(rows),
        "auxiliary": float(share),
        "second_table": across,
    }


def expect(audit: Audit, plan: MembershipPlan) -> None:
    """What these trainings could show, how many a wanted effect needs, and how long it takes.

    It is timed at once where that is quick, else when asked for.
    """
    keys = Keys(audit.id)
    own = say("including the attackers' own")
    if plan.control:
        own = say("including the attackers' own and those with a planted leak")
    total = say(
        "{trainings} in all, {own}",
        trainings=counted(plan.total_trainings(), "{n:,} training", "{n:,} trainings"),
        own=own,
    )
    slow: set[str] = st.session_state.setdefault(keys.of("slow"), set())
    facts, tables, workers = audit.files["real"], state.tables(audit), running.workers()
    light = slow.isdisjoint(plan.generators) and not heavy.is_heavy(plan.generators)
    asking.expect(
        audit,
        plan,
        lambda: heavy.foretold(forecast, plan.generators, tables, plan, workers=workers),
        telling=say("Timing one training of each method"),
        is_cheap=facts["rows"] * facts["columns"] <= CHEAP_CELLS and light,
        slow=lambda: slow.update(plan.generators),
        takes=lambda foretold: say(
            "This takes **{duration}**: {total}.", duration=asking.duration(foretold.seconds), total=total
        ),
        unknown=say("{total}. How long they take is not known yet.", total=total),
        power=lambda _: _power(keys, plan),
    )


def _power(keys: Keys, plan: MembershipPlan) -> None:
    try:
        shows = words.detectable(plan.trainings, level=plan.level, looks=plan.looks(), trials=plan.generations)
        st.markdown(plain(f"{shows} {epsilon_words.most(plan.trainings)}"))
    except ParameterError as error:
        frame.sentence_error(error)
    auc = st.number_input(
        say("I want to detect an AUC of"),
        0.51,
        0.99,
        0.7,
        0.05,
        "%.2f",
        key=keys.of("wanted"),
        persist_state="session",
        help=words.GLOSSARY["auc"],
    )
    needed = words.trainings_needed(float(auc), level=plan.level, looks=plan.looks(), trials=plan.generations)
    st.button(
        say("Use {trainings}", trainings=counted(needed, "{n:,} training", "{n:,} trainings")),
        key=keys.of("use"),
        disabled=needed == plan.trainings,
        on_click=lambda: st.session_state.update({keys.of("trainings"): needed}),
        help=say("This many trainings show that AUC in 8 of 10 audits, allowing for everything that is looked at."),
    )
