"""A finished membership run on a page: a sentence, pictures, and the details folded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from riskkit.dashboard import again, comparison, estimates, for_whom, forms, promises, record, verdicts, views
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.membership import pictures, view
from riskkit.questions.membership.findings import Headline, headline
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import MembershipResult, Outcome
from riskkit.show.blocks import Group, Sentence, Swarm
from riskkit.show.model import Block, RunFinding
from riskkit.show.names import Names


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = MembershipResult.of(run.result)
    earlier(audit, run)
    judged = verdicts.show(audit, run, control=not result.control)
    finding, _ = judged[0]
    best = headline(_about(judged, result.outcomes), result.control)
    if best is None:
        _too_few(result)
    else:
        _view(audit, run, result, best, judged)
    _notes(finding, is_open=not result.estimates)
    if run.revision == audit.revision:
        record.values(audit, run.plan, result.outcomes)
    again.settings(audit, run, run.result, say("It holds row numbers of targets and scores, but no value of a row."))


def _view(audit: Audit, run: Run, result: MembershipResult, best: Headline, judged: Sequence[Judged]) -> None:
    """The view of the run; curves, and what is read from one game, are of the game that is picked."""
    finding, plan, names = judged[0][0], run.plan, views.names()
    aucs, game = finding.chart, []
    draw = partial(views.draw_all, question=run.question)

    def success(block: Block) -> None:
        promises.show(judged)
        draw((block,))

    def curves(_: Block) -> None:
        game.extend(_curves(result.outcomes, best, plan, names))
        _compared(view.compared(game, plan, names))
        for_whom.show(judged)
        verdicts.what_ifs(judged, _of_method)
        for chosen in view.choices(result.sweeps or (), game, names):
            st.markdown(f"**{plain(chosen.title)}**")
            draw(chosen.blocks)
        comparison.groups(audit, run)

    def numbers(block: Block) -> None:
        assert isinstance(block, Group)
        draw((replace(block, blocks=block.blocks if aucs is None else (aucs, *block.blocks)),))

    def epsilon(_: Block) -> None:
        draw(view.epsilon(game, plan, names))

    elsewhere = [block.key for block in finding.view if block is aucs or block.key.startswith(("compared", "choices"))]
    instead = {"success": success, "curves": curves, "numbers": numbers, "epsilon": epsilon}
    views.show(finding, instead | dict.fromkeys(elsewhere, views.nowhere))


def _of_method(finding: RunFinding) -> None:
    """All numbers of a method that did not make this release, and who may be named."""
    for block in views.every(finding):
        if isinstance(block, Group) and block.key in ("numbers", "named"):
            views.draw_all((*block.blocks, Sentence("about", block.caption, is_small=True)), finding.question)


def _about(judged: Sequence[Judged], outcomes: Sequence[Outcome]) -> Sequence[Outcome]:
    """The outcomes that the verdict on top is about: pictures show its very numbers; all where it has none."""
    strongest = judged[0][0].measured.strongest
    method = "" if strongest is None else strongest.labels["generator"]
    return [outcome for outcome in outcomes if outcome.labels["generator"] == method] or outcomes


def earlier(audit: Audit, run: Run) -> None:
    """Say so where the data is no longer that of the run."""
    if run.revision != audit.revision:
        st.warning(
            say(
                "These results are of an earlier version of the data: a file or a column was changed since. Run again "
                "to see the table as it is now."
            ),
            icon=":material/history:",
        )


def _too_few(result: MembershipResult) -> None:
    """No number where there are too few trainings; the engine's sentence says how many are needed."""
    st.markdown(
        say(
            "There is no number to show: an interval needs at least 5 trainings with the record and 5 without it. Ask "
            "for more trainings below."
        )
    )
    if not result.notes:
        st.caption(say("The run left no note."))


def _curves(outcomes: Sequence[Outcome], best: Headline, plan: MembershipPlan, names: Names) -> list[Outcome]:
    """The ROC curves of the game that is picked, and the scores of one of its attacks; the outcomes of that game."""
    left, right = st.columns(2, gap="large")
    game = _one_game(outcomes, best, left)
    with left:
        log = st.toggle(
            say("Log axes"), key="membership.log", help=say("Enlarges the corner where few are accused falsely.")
        )
    with right:
        attack = _one_attack(game, best)
        bars = st.toggle(
            say("Histogram"), key="membership.bars", help=say("Counts trainings by score, in place of every release.")
        )
    for place, block in zip((left, right), view.curves(game, attack, plan, names, is_log=log), strict=True):
        with place:
            views.draw(block.spread if bars and isinstance(block, Swarm) else block, MembershipPlan.question)
    return game


def _compared(groups: Iterable[Group]) -> None:
    """The strongest attack of a game against each of the others."""
    for group in groups:
        st.markdown(f"**{plain(group.title)}**")
        lines = (block.text for block in group.blocks if isinstance(block, Sentence))
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
        st.caption(group.caption)


def _one_game(outcomes: Sequence[Outcome], best: Headline, place: Any) -> list[Outcome]:
    """The outcomes of the game that is looked at, the strongest finding's unless another is picked."""
    games = list(dict.fromkeys(outcome.game for outcome in outcomes))
    position = games.index(best.outcome.game)
    if len(games) > 1:
        firsts = [next(outcome for outcome in outcomes if outcome.game == game) for game in games]
        labels = [pictures.who(outcome, views.names(), ("attack",)) for outcome in firsts]
        position = place.selectbox(
            say("Game"), range(len(games)), position, lambda index: labels[index], key="membership.game"
        )
    return [outcome for outcome in outcomes if outcome.game == games[position]]


def _one_attack(outcomes: Sequence[Outcome], best: Headline) -> Outcome:
    """The attack whose scores are looked at, the strongest unless another is picked."""
    attacks = [outcome.labels["attack"] for outcome in outcomes]
    position = attacks.index(best.outcome.labels["attack"])
    if len(attacks) > 1:
        named = [forms.named("attacks", attack) for attack in attacks]
        position = st.selectbox(
            say("Scores of"), range(len(outcomes)), position, lambda index: named[index], key="membership.attack"
        )
    return outcomes[position]


def _notes(finding: RunFinding, *, is_open: bool) -> None:
    """What must be said beside the numbers, and what they do not show."""
    with st.expander(say("Notes, and what this does not show"), expanded=is_open):
        st.markdown("\n".join(f"- {plain(line)}" for line in dict.fromkeys([*finding.notes, *finding.limits])))
