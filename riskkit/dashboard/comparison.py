"""What the finished runs of an audit show together: success against the number of targets that went in together."""

from __future__ import annotations

from riskkit.core import Estimate
from riskkit.dashboard import views
from riskkit.jobs.runs import Run
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.membership import pictures
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import MembershipResult


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
