"""A finished membership run on a page: a sentence, pictures, and the details folded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from riskkit import language, wording
from riskkit.dashboard import (
    again,
    charts,
    choices,
    comparison,
    estimates,
    for_whom,
    forms,
    promises,
    record,
    score_charts,
    verdicts,
    views,
)
from riskkit.dashboard.frame import plain
from riskkit.dashboard.verdicts import Judged
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import kept, say
from riskkit.questions.membership import pictures, words
from riskkit.questions.membership.control import PlantedControl
from riskkit.questions.membership.findings import Headline, headline, posteriors
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import MembershipResult, Outcome

LIMITS = (
    kept("These numbers are about the records that were attacked. Other people may be exposed more or less."),
    kept(
        "These numbers are about the method with these settings, trained anew on your table. A file made in another "
        "way may leak more."
    ),
    kept("These numbers are about the attacks that were played. A stronger attacker may succeed where these did not."),
    kept("Right answers, AUC and false alarms are averages over releases: any one release may give a record away."),
)
"""What a membership result does not show."""


@estimates.unless_purged
def show(audit: Audit, run: Run) -> None:
    """The whole result, first what was found, last how to get it again."""
    result = MembershipResult.of(run.result)
    outcomes, planted = result.outcomes, result.control
    earlier(audit, run)
    judged = verdicts.show(audit, run, control=not planted)
    best = headline(_about(judged, outcomes), planted)
    if best is None:
        _too_few(result)
    else:
        _planted(planted)
        promises.show(judged)
        shown = _pictures(outcomes, best, run.plan)
        for_whom.show(judged)
        verdicts.what_ifs(judged)
        choices.show(result, shown)
        comparison.groups(audit, run)
        _numbers(outcomes, best)
        comparison.privacy(shown, run.plan)
        comparison.people(outcomes)
    _notes(result)
    if run.revision == audit.revision:
        record.values(audit, run.plan, outcomes)
    again.settings(audit, run, run.result, say("It holds row numbers of targets and scores, but no value of a row."))


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


def _planted(planted: Sequence[PlantedControl]) -> None:
    """Whether the attacks found what was planted for them: one line each, with the sign that says it at a glance."""
    lines = words.controls(planted, lambda attack: forms.named("attacks", attack))
    attacks = dict.fromkeys(leak.labels["attack"] for leak in planted)
    for attack, line in zip(attacks, lines, strict=True):
        missed = any(not leak.is_found for leak in planted if leak.labels["attack"] == attack)
        st.caption(plain(f"{'○' if missed else '✓'} {line}"), help=words.GLOSSARY["control"])


def _pictures(outcomes: Sequence[Outcome], best: Headline, plan: MembershipPlan) -> list[Outcome]:
    """Success of all attacks; then, of one game, the ROC curves and the scores; the outcomes of that game.

    The method that the sentence is about comes first; what was asked of others stands grey beside it.
    """
    names = views.names()
    views.draw(pictures.success(outcomes, best, names), "membership")
    left, right = st.columns(2, gap="large")
    shown = _one_game(outcomes, best, left)
    with left:
        log = st.toggle(
            say("Log axes"), key="membership.log", help=say("Enlarges the corner where few are accused falsely.")
        )
        views.draw(pictures.roc(shown, plan, names, is_log=log), "membership")
    with right:
        picked = _one_attack(shown, best)
        bars = st.toggle(
            say("Histogram"), key="membership.bars", help=say("Counts trainings by score, in place of every release.")
        )
        charts.show(score_charts.histogram(picked) if bars else score_charts.scores(picked), "membership.scores")
    comparison.attacks(shown, plan.level)
    return shown


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


def _numbers(outcomes: Sequence[Outcome], best: Headline) -> None:
    """All estimates in one table, and what a positive answer means."""
    with st.expander(say("All numbers")):
        measures = [name for name in words.TITLES if any(name in outcome.estimates for outcome in outcomes)]
        table = [
            {
                "attack": forms.named("attacks", outcome.labels["attack"]),
                "generator": forms.named("generators", outcome.labels["generator"]),
                "record": words.record(outcome.labels),
                **{name: _cell(outcome, name) for name in measures},
                "trainings": max((estimate.n for estimate in outcome.estimates.values()), default=0),
            }
            for outcome in outcomes
        ]
        st.dataframe(table, hide_index=True, column_config=_columns(measures), alt=say("All estimates with intervals"))
        level = best.outcome.estimates["auc"].level
        st.caption(
            say(
                "Value [low, high] at {level:.0%}, counting trainings. These intervals are for one look each; the "
                "verdict above allows for looking at all of them.",
                level=level,
            )
        )
    if "tpr_at_fpr" in best.outcome.estimates:
        _base_rate(best.outcome)


def _cell(outcome: Outcome, name: str) -> str:
    return wording.number(outcome.estimates[name]) if name in outcome.estimates else say("too few trainings")


def _columns(measures: Sequence[str]) -> dict[str, Any]:
    chance = {"accuracy": 0.5, "auc": 0.5, "advantage": 0.0, "tpr_at_fpr": 0.1}
    heads = {
        name: f"{words.TITLES[name]}{say(' (chance {chance:.2f})', chance=chance[name]) if name in chance else ''}"
        for name in measures
    }
    return {
        "attack": say("Attack"),
        "generator": say("Generator"),
        "record": say("Record"),
        "trainings": st.column_config.NumberColumn(say("Trainings"), help=words.GLOSSARY["training"]),
        **{name: st.column_config.TextColumn(head, help=words.GLOSSARY[name]) for name, head in heads.items()},
    }


def _base_rate(outcome: Outcome) -> None:
    """What an accusation is worth, for attackers who suspected more or less beforehand."""
    with st.expander(say("What it means when the attack says “in”")):
        tpr = outcome.estimates["tpr_at_fpr"]
        st.markdown(
            plain(
                say(
                    "At a cut that accuses {accused} of the releases made without it, {record} is named in {found} "
                    "of those made with it. How much an accusation is worth depends on how likely the attacker "
                    "thought it before that the record was in:",
                    accused=wording.percent(words.reference(tpr)),
                    record=words.record(outcome.labels),
                    found=wording.share(tpr),
                )
            )
        )
        rows = [
            {"before": wording.percent(prior), "after": wording.share(posterior), "trainings": posterior.n}
            for prior, posterior in posteriors(tpr)
        ]
        st.dataframe(
            rows,
            hide_index=True,
            column_config={
                "before": say("Likely in before the release"),
                "after": say("Likely in when the attack says so"),
                "trainings": st.column_config.NumberColumn(say("Trainings"), help=words.GLOSSARY["training"]),
            },
            alt=say("What a positive answer means at three base rates"),
        )


def _notes(result: MembershipResult) -> None:
    """What must be said beside the numbers, and what they do not show."""
    with st.expander(say("Notes, and what this does not show"), expanded=not result.estimates):
        lines = [*map(language.again, result.notes), *map(language.say, LIMITS)]
        st.markdown("\n".join(f"- {plain(line)}" for line in lines))
