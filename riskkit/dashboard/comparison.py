"""Below the pictures of a membership run: attacks against each other, epsilon, who may be named, and groups.

All of it is read from the scores of the run; nothing is played again.
"""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard import forms, views
from riskkit.dashboard.frame import plain
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import counted, joined, say
from riskkit.questions.membership import pictures, words
from riskkit.questions.membership.bounds import FDR, bounds, compared, listed
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import MembershipResult, Outcome
from riskkit.questions.promises import claim, fits_of

NAMES = {
    "epsilon_lower": say("At the attack's own cut"),
    "epsilon_any_cut": say("At the best of several cuts"),
    "epsilon_bayesian": say("Bayesian interval"),
    "epsilon_gaussian": say("If the method is Gaussian"),
}
"""What the bounds on epsilon are called."""
SHOWN = 50
"""Records that are listed one by one."""


def attacks(outcomes: Sequence[Outcome], level: float) -> None:
    """The attack with the highest AUC of one game against each of the others, on the same releases."""
    gaps = compared(outcomes, level)
    if not gaps:
        return
    best = gaps[0][0]
    who = forms.named("attacks", best.labels["attack"])
    lines = []
    for _, other, gap in gaps:
        than = forms.named("attacks", other.labels["attack"])
        about = {"who": who, "than": than, "gap": gap, "trainings": trainings(gap)}
        lines.append(
            say(
                "{who} does better than {than}: its AUC is higher by {gap} (0.00 is no difference; {trainings}).",
                **about,
            )
            if gap.low > 0
            else say(
                "{who} does not clearly do better than {than}: its AUC is higher by {gap} (0.00 is no "
                "difference; {trainings}).",
                **about,
            )
        )
    st.markdown(say("**On the same releases**"))
    st.markdown("\n".join(f"- {plain(line)}" for line in lines))
    st.caption(
        say(
            "The first attack was picked because its AUC is the highest, which flatters it a little; the "
            "intervals allow for all comparisons."
        )
    )


def trainings(estimate: Estimate) -> str:
    """``40 trainings``."""
    return counted(estimate.n, "{n:,} training", "{n:,} trainings")


def privacy(outcomes: Sequence[Outcome], plan: MembershipPlan) -> None:
    """What one game says of epsilon."""
    rows = []
    for outcome in outcomes:
        for e in bounds(outcome, claim(outcome.labels["generator"], fits_of(plan.as_dict())), plan.level):
            shown = str(e) if e.name == "epsilon_bayesian" else wording.number(e)
            rows.append({**_about(outcome), say("reading"): NAMES[e.name], "ε": shown, say("trainings"): e.n})
    if not rows:
        return
    with st.expander(say("What it says of ε")):
        st.dataframe(rows, hide_index=True, alt=say("Bounds on epsilon"))
        st.caption(
            say(
                "A bound says that ε is at least this large, for tables that differ as in this game; where no "
                "bound can be shown, nothing is known of ε. The Bayesian interval assumes that all error rates "
                "were equally likely beforehand; it is not a bound that the audit proves."
            )
        )


def people(outcomes: Sequence[Outcome]) -> None:
    """Who may be named after looking at all of them."""
    groups = listed(outcomes)
    if not groups:
        return
    with st.expander(say("Which records may be named")):
        for group in groups:
            named = [record for record, is_in in zip(group.records, group.is_listed, strict=True) if is_in]
            by = dict.fromkeys(by for by, is_in in zip(group.attacks, group.is_listed, strict=True) if is_in)
            method = forms.named("generators", group.generator)
            who = joined(named[:SHOWN]) + (
                say(" and {more} more", more=len(named) - SHOWN) if len(named) > SHOWN else ""
            )
            sentence = say(
                "{method}: {named} of {records} records", method=method, named=len(named), records=len(group.records)
            )
            exposing = joined(forms.named("attacks", attack) for attack in by)
            through = say(" They are exposed by {attacks}.", attacks=exposing) if named else ""
            st.markdown(plain(f"{sentence}{f': {who}' if named else ''}.{through}"))
        st.caption(
            say(
                "On average, at most {fdr:.0%} of those named are there by chance, over all records and attacks "
                "of this run (Bonferroni over attacks; Benjamini and Hochberg over records). Their AUCs above "
                "are too high where they were picked for being high: run them again with another seed.",
                fdr=FDR,
            )
        )


def groups(audit: Audit, run: Run) -> None:
    """Success against the number of targets that went in together, over the finished runs of this audit."""
    plan: MembershipPlan = run.plan
    if not plan.together:
        return
    names = views.names()
    curves: dict[str, dict[int, Estimate]] = {}
    for other in audit.runs(run.question):
        if other.state == "finished" and other.revision == run.revision and _alike(other.plan, plan):
            for outcome in MembershipResult.of(other.result).outcomes:
                if "accuracy" in outcome.estimates:
                    called = say(
                        "{attack} on {generator}, {target}",
                        attack=pictures.attack(outcome, names),
                        generator=pictures.method(outcome, names),
                        target=outcome.labels["target"],
                    )
                    size = other.plan.count(outcome.labels["target"])
                    curves.setdefault(called, {})[size] = outcome.estimates["accuracy"]
    several = {called: points for called, points in curves.items() if len(points) > 1}
    if several:
        views.draw(pictures.targets(several), "membership")


def _alike(plan: MembershipPlan, other: MembershipPlan) -> bool:
    """Whether two plans differ in nothing that a curve over targets may not mix."""
    same = ("together", "n_syn", "generations", "worlds", "relation", "knowledge", "rows", "auxiliary")
    return all(getattr(plan, name) == getattr(other, name) for name in same)


def _about(outcome: Outcome) -> dict[str, str]:
    return {
        say("attack"): forms.named("attacks", outcome.labels["attack"]),
        say("generator"): forms.named("generators", outcome.labels["generator"]),
        say("record"): words.record(outcome.labels),
    }
