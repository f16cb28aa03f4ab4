"""The page of attacks on the released file alone: the form, and what they found with a choice of attack."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from riskkit import language
from riskkit.dashboard.forms import launch
from riskkit.dashboard.forms.plan_forms import Form
from riskkit.dashboard.frame import results, state, switches, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, say
from riskkit.questions.released import findings, present
from riskkit.questions.released.plan import ReleasedPlan, farthest_reach, what_it_can_show
from riskkit.questions.released.play import attacks_for
from riskkit.questions.released.result import GUESS, Attacked, ReleasedResult
from riskkit.show.blocks import Sentence
from riskkit.show.model import Block
from riskkit.show.names import Names

OF_HOLDOUTS = ("attacks", "reference", "reference_share", "max_rows", "level", "groups")
"""Settings of attacks, and of numbers, that need a holdout."""


def page() -> QuestionPage:
    """The page of attacks on the released file, which stands behind a switch of the page Membership."""
    return QuestionPage(
        name=ReleasedPlan.question,
        needs=("real", "synthetic"),
        show=show,
        heading=say("Set up the attacks"),
        form=_plan,
        expect=_before,
    )


def _plan(audit: Audit) -> ReleasedPlan:
    """The plan of the form.

    Raises
    ------
    ParameterError, DesignError
        The settings make no plan; drawn beside a field as well where it is one of a plug-in's.
    """
    if "holdout" not in audit.files:
        launch.miss_holdout(say(findings.WITHOUT_HOLDOUT))
        with st.expander(say("How to make a holdout"), icon=":material/route:"):
            st.markdown("\n\n".join(map(plain, present.path())))
        with st.expander(say("More settings")):
            asked = Form(ReleasedPlan, audit)
            asked.rest(*OF_HOLDOUTS)
        return asked.made()
    asked = Form(ReleasedPlan, audit, state.columns(audit))
    st.markdown(say("**Attacks**"))
    asked.methods("attacks", attacks_for(state.tables(audit)))
    if asked.ask("reference", key=("compared",)) != asked.default.reference:
        ends: dict[str, Any] = {"min_value": 0.0, "max_value": 0.9, "step": 0.05, "format": None}
        asked.ask("reference_share", key=("reference",), is_slider=True, **ends)
    with st.expander(say("More settings")):
        asked.rest("reference_share")
    return asked.made()


def _before(audit: Audit, plan: ReleasedPlan) -> None:
    """What these records could show, and how long it takes; nothing can be shown without a holdout."""
    if "holdout" not in audit.files:
        return
    attacks = counted(len(plan.attacks), "{n:,} attack", "{n:,} attacks")
    launch.expect(
        audit,
        plan,
        counts=say("{attacks}, each also on a planted leak.", attacks=attacks),
        power=lambda _: _power(audit, plan),
    )


def _power(audit: Audit, plan: ReleasedPlan) -> None:
    n_in, n_out = _records(audit, plan)
    power = what_it_can_show(n_in, n_out, *farthest_reach(plan))
    st.markdown(plain(findings.shows(power, len(plan.attacks), n_in, n_out)))


def _records(audit: Audit, plan: ReleasedPlan) -> tuple[int, int]:
    """Records that would be asked about on either side."""

    def count() -> tuple[int, int]:
        game = plan.game(state.tables(audit))
        return game.records(True), game.records(False)

    name = f"released.{plan.reference}.{plan.reference_share}.{plan.max_rows}.{plan.seed}"
    return state.cached(name, audit, count)


# --------------------------------------------------------------------------------------------------------------
# What was found


def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    kept = run.result
    result = ReleasedResult.from_plain(kept)
    judged = verdicts.show(audit, run)
    finding, judgement = judged[0]
    limit, names = verdicts.limit_of(audit, run), views.names()
    attack = next((attack for attack in result.attacks if attack.attack == result.strongest), None)

    def beside(block: Block) -> None:
        assert isinstance(block, Sentence)
        text = block.text.replace(judgement.why, "").strip()  # what the verdict says of itself is said once
        if text:
            with st.expander(say("Compared with guessing without the release")):
                views.draw(replace(block, text=text), run.question)

    def disagreement(block: Block) -> None:
        assert isinstance(block, Sentence)
        title = say("Distances and attacks disagree")
        st.info(plain(block.text), title=title, icon=":material/compare_arrows:")

    def curves(_: Block) -> None:
        nonlocal attack
        attack = _looked_at(result, names)
        left, right = st.columns(2, gap="large")
        with left:
            is_log = switches.toggle(
                say("Log axes"),
                True,
                key="released.log",
                help=say("Enlarges the corner where few are accused falsely."),
            )
            views.draw_all(present.roc(attack, names, is_log=is_log), run.question)
        with right:
            views.draw_all(present.scores(attack, names), run.question)

    def numbers(block: Block) -> None:
        assert attack is not None
        views.draw(block, run.question)
        results.for_whom(judged)
        views.draw_all(present.base_rates(attack, result.base_rates, names), run.question)
        _control(result, names, GUESS if limit is None else limit.value)

    drawn = {"beside": beside, "disagreement": disagreement, "curves": curves, "numbers": numbers}
    views.show(finding, {**drawn, "base_rates": views.nowhere})
    lines = [line for line in map(language.again, result.notes) if judgement.why not in line]
    lines += map(say, findings.LIMITS) if result.has_attacks else ()
    if lines:
        results.notes(lines, is_open=not result.has_attacks)
    holds = say("It holds no value of a row, no row number, no score of a record.")
    results.settings(audit, run, {**result.as_dict(), "seconds": kept["seconds"]}, holds)


def _looked_at(result: ReleasedResult, names: Names) -> Attacked:
    """The attack whose curve and scores are shown, the strongest unless another is picked."""
    attacks = result.attacks
    strongest = [attack.attack for attack in attacks].index(result.strongest)
    index = st.selectbox(
        say("Attack"),
        range(len(attacks)),
        strongest,
        lambda place: present.who(attacks[place].attack, names),
        key="released.attack",
    )
    return attacks[index]


def _control(result: ReleasedResult, names: Names, bar: float) -> None:
    """Which attacks found the leak that was planted for them; open where none did."""
    group, is_found = present.control(result, names, bar)
    with st.expander(group.title, expanded=not is_found):
        views.draw_all(group.blocks, "released")
