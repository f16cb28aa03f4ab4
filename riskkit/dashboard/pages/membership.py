"""The page of membership: a switch of its two questions, and of the game its sentence, pictures and folded details."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from riskkit.core import Estimate
from riskkit.dashboard.forms import games, membership_form, plugin_forms
from riskkit.dashboard.frame import results, switches, verdicts, views
from riskkit.dashboard.frame.shell import plain
from riskkit.dashboard.frame.verdicts import Judged
from riskkit.dashboard.pages import record, released
from riskkit.dashboard.pages.question_page import QuestionPage
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.judging.measurement import TITLES
from riskkit.language import Readings, phrase, say
from riskkit.questions.membership import view
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import Headline, MembershipResult, Outcome, allowing, headline
from riskkit.questions.runs import plan_of
from riskkit.show.blocks import Group, Sentence, Swarm
from riskkit.show.model import Block, RunFinding
from riskkit.show.names import Names

QUESTIONS = Readings(membership=phrase("Rerun the generator"), released=phrase("The released file alone"))
"""Question and its name on the switch."""
ABOUT = Readings(
    membership=phrase(
        "The method is trained again and again, with one record and without it. Can attackers tell which is which?"
    ),
    released=phrase("Nothing is trained. Can attackers who see only the released file tell members from the holdout?"),
)
KEY = "membership.question"
WRITTEN = "membership.question.written"
"""What this page wrote into the address last: anything else there is of a link that was followed."""


def page() -> QuestionPage:
    """The page of the game of membership."""
    question = MembershipPlan.question
    return QuestionPage(
        name=question,
        show=show,
        heading=say("Set up a game"),
        form=membership_form.form,
        expect=membership_form.expect,
        after=lambda audit: games.repeat_study(audit, question),
    )


def pick(audit: Audit) -> QuestionPage:
    """The page of the question that is chosen with the switch."""
    return released.page() if _shown_question(audit) == "released" else page()


def _shown_question(audit: Audit) -> str:
    """The question that is shown; the address keeps it."""
    if KEY not in st.session_state or _is_linked():
        named = st.query_params.get("question", "")
        run = audit.run(st.query_params.get("run", ""))
        if named not in QUESTIONS and run is not None:
            named = run.question
        st.session_state[KEY] = named if named in QUESTIONS else st.session_state.get(KEY, next(iter(QUESTIONS)))
    verdict_of = verdicts.verdict_of_each(audit)

    def marked(name: str) -> str:
        """The question, with the mark of its verdict where that was seen."""
        return f"{QUESTIONS[name]} {TITLES[verdict_of[name]][0]}" if name in verdict_of else QUESTIONS[name]

    picked = st.segmented_control(
        say("What is asked"),
        list(QUESTIONS),
        key=KEY,
        required=True,
        format_func=marked,
        help=" ".join(f"**{QUESTIONS[name]}.** {about}" for name, about in ABOUT.items()),
        on_change=_turn,
        persist_state="session",
    )
    asked = str(picked)
    st.query_params["question"] = st.session_state[WRITTEN] = asked
    return asked


def _is_linked() -> bool:
    """Whether the address is of a link to a question or a run, and not what this page wrote there."""
    named = st.query_params.get("question", "")
    return "run" in st.query_params if not named else named != st.session_state.get(WRITTEN)


def _turn() -> None:
    """The run in the address answered the other question."""
    st.query_params.pop("run", None)


# --------------------------------------------------------------------------------------------------------------
# What was found


def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = MembershipResult.from_plain(run.result)
    judged = verdicts.show(audit, run, control=not result.control)
    finding, _ = judged[0]
    best = headline(_about(judged, result.outcomes), result.control)
    if best is None:
        st.markdown(
            say(
                "There is no number to show: an interval needs at least 5 trainings with the record and 5 without it. "
                "Ask for more trainings below."
            )
        )
        if not result.notes:
            st.caption(say("The run left no note."))
    else:
        _view(audit, run, result, best, judged)
    results.notes([*finding.notes, *finding.limits], is_open=not result.estimates)
    if run.revision == audit.revision:
        record.values(audit, plan_of(run), result.outcomes)
    results.settings(audit, run, run.result, say("It holds row numbers of targets and scores, but no value of a row."))


def _view(audit: Audit, run: Run, result: MembershipResult, best: Headline, judged: Sequence[Judged]) -> None:
    """The view of the run; curves, and what is read from one game, are of the game that is picked."""
    finding, plan, names = judged[0][0], plan_of(run), views.names()
    aucs, game = finding.chart, []
    draw = partial(views.draw_all, question=run.question)

    def success(block: Block) -> None:
        results.promises(judged)
        draw((block,))

    def curves(_: Block) -> None:
        game.extend(_curves(allowing(result.outcomes, best.auc.level), best, plan, names))
        for group in view.comparison(game, plan, names):
            with st.expander(plain(group.title)):
                lines = (block.text for block in group.blocks if isinstance(block, Sentence))
                st.markdown("\n".join(f"- {plain(line)}" for line in lines))
                st.caption(group.caption)
        results.for_whom(judged)
        verdicts.what_ifs(judged, _numbers_of_method)
        for chosen in view.choices(result.sweeps or (), game, names):
            st.markdown(f"**{plain(chosen.title)}**")
            draw(chosen.blocks)
        _over_targets(audit, run)

    def numbers(block: Block) -> None:
        assert isinstance(block, Group)
        draw((replace(block, blocks=block.blocks if aucs is None else (aucs, *block.blocks)),))

    def epsilon(_: Block) -> None:
        draw(view.epsilon(game, plan, names))

    elsewhere = [block.key for block in finding.view if block is aucs or block.key.startswith(("compared", "choices"))]
    instead = {"success": success, "curves": curves, "numbers": numbers, "epsilon": epsilon}
    controls = [block for block in finding.view if block.key.startswith("control ")]
    views.show(finding, instead | dict.fromkeys([*elsewhere, *(block.key for block in controls)], views.nowhere))
    with st.expander(say("Planted leaks: did these attacks find them?")):
        draw(controls)


def _numbers_of_method(finding: RunFinding) -> None:
    """All numbers of a method that did not make this release, and who may be named."""
    for block in views.every(finding):
        if isinstance(block, Group) and block.key in ("numbers", "named"):
            views.draw_all((*block.blocks, Sentence("about", block.caption, is_small=True)), finding.question)


def _about(judged: Sequence[Judged], outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    """The outcomes that the verdict on top is about: pictures show its very numbers; all where it has none."""
    strongest = judged[0][0].measured.strongest
    method = "" if strongest is None else strongest.labels["generator"]
    return [outcome for outcome in outcomes if outcome.labels["generator"] == method] or outcomes


def _curves(outcomes: Sequence[Outcome], best: Headline, plan: MembershipPlan, names: Names) -> list[Outcome]:
    """The ROC curves of the game that is picked, and the scores of one of its attacks; the outcomes of that game."""
    left, right = st.columns(2, gap="large")
    game = _one_game(outcomes, best, left)
    with left:
        log = switches.toggle(
            say("Log axes"), key="membership.log", help=say("Enlarges the corner where few are accused falsely.")
        )
    with right:
        attack = _one_attack(game, best)
        bars = switches.toggle(
            say("Histogram"), key="membership.bars", help=say("Counts trainings by score, in place of every release.")
        )
    for place, block in zip((left, right), view.curves(game, attack, plan, names, is_log=log), strict=True):
        with place:
            views.draw(block.spread if bars and isinstance(block, Swarm) else block, MembershipPlan.question)
    return game


def _one_game(outcomes: Sequence[Outcome], best: Headline, place: Any) -> list[Outcome]:
    """The outcomes of the game that is looked at, the strongest finding's unless another is picked."""
    games = list(dict.fromkeys(outcome.game for outcome in outcomes))
    position = games.index(best.outcome.game)
    if len(games) > 1:
        firsts = [next(outcome for outcome in outcomes if outcome.game == game) for game in games]
        labels = [view.who(outcome, views.names(), ("attack",)) for outcome in firsts]
        position = place.selectbox(
            say("Game"), range(len(games)), position, lambda index: labels[index], key="membership.game"
        )
    return [outcome for outcome in outcomes if outcome.game == games[position]]


def _one_attack(outcomes: Sequence[Outcome], best: Headline) -> Outcome:
    """The attack whose scores are looked at, the strongest unless another is picked."""
    attacks = [outcome.labels["attack"] for outcome in outcomes]
    position = attacks.index(best.outcome.labels["attack"])
    if len(attacks) > 1:
        named = [plugin_forms.full_title("attacks", attack) for attack in attacks]
        position = st.selectbox(
            say("Scores of"), range(len(outcomes)), position, lambda index: named[index], key="membership.attack"
        )
    return outcomes[position]


def _over_targets(audit: Audit, run: Run) -> None:
    """Success against the number of targets that went in together, over the finished runs of this audit."""
    plan: MembershipPlan = plan_of(run)
    if not plan.together:
        return
    names = views.names()
    curves: dict[str, dict[int, Estimate]] = {}
    for other in audit.runs(run.question):
        if other.state == "finished" and other.revision == run.revision and _alike(plan_of(other), plan):
            for outcome in MembershipResult.from_plain(other.result).outcomes:
                if "accuracy" in outcome.estimates:
                    called = say(
                        "{attack} on {generator}, {target}",
                        attack=view.attack(outcome, names),
                        generator=view.method(outcome, names),
                        target=outcome.labels["target"],
                    )
                    size = plan_of(other).count(outcome.labels["target"])
                    curves.setdefault(called, {})[size] = outcome.estimates["accuracy"]
    several = {called: points for called, points in curves.items() if len(points) > 1}
    if several:
        views.draw(view.targets(several), "membership")


def _alike(plan: MembershipPlan, other: MembershipPlan) -> bool:
    """Whether two plans differ in nothing that a curve over targets may not mix."""
    same = ("together", "n_syn", "generations", "worlds", "relation", "knowledge", "rows", "auxiliary")
    return all(getattr(plan, name) == getattr(other, name) for name in same)
