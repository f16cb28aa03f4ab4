"""The pictures of membership games as blocks: how well attacks do, their ROC curves, and groups of targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.questions.membership import words
from riskkit.questions.membership.bounds import most_named
from riskkit.questions.membership.findings import Headline
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.result import Outcome
from riskkit.questions.promises import Claim, claim, fits_of
from riskkit.show.blocks import Axis, Curve, Line, Reference, RocBand, RocCurve, RocLine
from riskkit.show.model import Bar, Chart
from riskkit.show.names import Names

Named = Sequence[tuple[str, Outcome]]
"""Outcomes with what people call them."""
RIGHT = say("Share of releases answered rightly")


def attack(outcome: Outcome, names: Names) -> str:
    """What people call its attack."""
    return names.called(outcome.labels["attack"], "attacks")


def method(outcome: Outcome, names: Names) -> str:
    """What people call its generator."""
    return names.called(outcome.labels["generator"], "generators")


def record(outcome: Outcome, names: Names) -> str:
    """What it is about, as the reader may see it."""
    return words.record({**outcome.labels, "record": names.record(outcome.labels["record"])})


def who(outcome: Outcome, names: Names, shared: Sequence[str] = ()) -> str:
    """An outcome for people, without what all outcomes of the picture share."""
    about = record(outcome, names)
    parts = {
        "record": f"{about[:1].upper()}{about[1:]}",
        "attack": attack(outcome, names),
        "generator": say("on {generator}", generator=method(outcome, names)),
    }
    return " · ".join(text for name, text in parts.items() if name not in shared)


def named(outcomes: Sequence[Outcome], names: Names) -> Named:
    """Every outcome with a name that tells it from the others, and no longer than that takes."""
    shared = [
        name
        for name, labels in (("generator", ("generator",)), ("record", ("target", "position", "record")))
        if len({tuple(outcome.labels[label] for label in labels) for outcome in outcomes}) == 1
    ]
    return [(who(outcome, names, shared), outcome) for outcome in outcomes]


def measure_of(best: Headline) -> str:
    """The measure of the sentence: right answers, but AUC where that alone is above guessing."""
    accuracy = best.outcome.estimates.get("accuracy")
    is_readable = accuracy is not None and (words.is_above_chance(accuracy) or not words.is_above_chance(best.auc))
    return "accuracy" if is_readable else "auc"


def success(outcomes: Sequence[Outcome], best: Headline, names: Names) -> Chart:
    """How well each attack does on the method that the sentence is about; below, grey, what was asked of others."""
    measure, about = measure_of(best), best.outcome.labels["generator"]
    known = [
        (called, out, out.estimates[measure]) for called, out in named(outcomes, names) if measure in out.estimates
    ]
    own = [(called, estimate) for called, outcome, estimate in known if outcome.labels["generator"] == about]
    others = [(called, estimate) for called, outcome, estimate in known if outcome.labels["generator"] != about]
    bars = [*(Bar(*row) for row in own), *(Bar(*row, "other") for row in others)]
    axis = say("AUC: the release with the record scores higher") if measure == "auc" else RIGHT
    caption = say("Grey: other methods, which the sentence is not about.") if others else ""
    sentence = _successful([estimate for _, estimate in own])
    return Chart(sentence, axis, tuple(bars), 0.5, (0.0, 1.0), key="success", caption=caption)


def _successful(estimates: Sequence[Estimate]) -> str:
    above = sum(map(words.is_above_chance, estimates))
    best = max(estimates, key=lambda e: e.value)
    intervals = counted(len(estimates), "{n:,} interval", "{n:,} intervals")
    if above and best.name == "auc":
        return counted(
            above,
            "The strongest attack picks the right release in {best} of pairs; {n} of {intervals} lies wholly above "
            "guessing",
            "The strongest attack picks the right release in {best} of pairs; {n} of {intervals} lie wholly above "
            "guessing",
            best=wording.share(best),
            intervals=intervals,
        )
    if above:
        return counted(
            above,
            "The most successful attack is right in {best} of releases; {n} of {intervals} lies wholly above guessing",
            "The most successful attack is right in {best} of releases; {n} of {intervals} lie wholly above guessing",
            best=wording.share(best),
            intervals=intervals,
        )
    return say("No attack's interval lies wholly above guessing (50 %)")


def promised(plan: MembershipPlan, outcome: Outcome) -> Claim | None:
    """What the method promises of worlds as they were played; None where it promises nothing."""
    kept = claim(outcome.labels["generator"], fits_of(plan.as_dict()))
    return kept if kept.holds_for(plan.relation) else None


def roc(game: Sequence[Outcome], plan: MembershipPlan, names: Names, *, is_log: bool = False) -> RocCurve:
    """Share named against share falsely accused, a line an attack, of outcomes of one game.

    Beside it stand the interval of the line with the largest area, and the most that the promise of the method allows.
    """
    rows = named(game, names)
    lines = []
    for called, outcome in rows:
        curve, area = outcome.curve(), outcome.estimates.get("auc")
        if curve is not None:
            about = say("AUC {area}", area=area) if area else ""
            lines.append(RocLine(called, tuple(curve.fpr.tolist()), tuple(curve.tpr.tolist()), about))
    return RocCurve(
        "roc",
        _told_apart(rows),
        Axis(say("False alarms (share of releases without the record)")),
        Axis(say("Named (share of releases with the record)")),
        tuple(lines),
        (),
        1 / max(min(outcome.scores.trainings(False) for outcome in game), 1),
        is_log,
        _band(rows),
        _most(promised(plan, game[0])),
    )


def _told_apart(rows: Named) -> str:
    known = [(called, outcome.estimates["auc"]) for called, outcome in rows if "auc" in outcome.estimates]
    if not known:
        return say("Share of releases named at each share of false alarms")
    called, area = max(known, key=lambda pair: pair[1].value)
    if not words.is_above_chance(area):
        return say("No attack tells the releases apart; the highest AUC is {area}, chance 0.50", area=area)
    return say("{who} tells them apart best: AUC {area}, chance 0.50", who=called, area=area)


def _band(rows: Named) -> RocBand | None:
    """The interval of the line with the largest area, at each share of false alarms by itself."""
    drawn = [(called, outcome) for called, outcome in rows if outcome.curve() is not None]
    known = [place for place, (_, outcome) in enumerate(drawn) if "auc" in outcome.estimates]
    if not known:
        return None
    place = max(known, key=lambda position: drawn[position][1].estimates["auc"].value)
    called, outcome = drawn[place]
    level = outcome.estimates["auc"].level
    band = outcome.band(level)
    if band is None:
        return None
    title = say("{level:.0%} interval of {who}, point by point", level=level, who=called)
    return RocBand(title, place, tuple(band.fpr.tolist()), tuple(band.low.tolist()), tuple(band.high.tolist()))


def _most(kept: Claim | None) -> RocLine | None:
    """The most that a promise allows."""
    if kept is None:
        return None
    epsilon = kept.epsilon or 0.0
    fpr = np.concatenate([[0.0], np.geomspace(1e-4, 1, 200)])
    most = most_named(fpr, epsilon, kept.delta)
    return RocLine(say("most that ε = {epsilon:g} allows", epsilon=epsilon), tuple(fpr.tolist()), tuple(most.tolist()))


def targets(curves: Mapping[str, Mapping[int, Estimate]]) -> Curve:
    """Right answers against how many targets went in or out together; one line an attack, by what people call it."""
    lines = []
    for called, points in curves.items():
        counts = sorted(points)
        lines.append(Line(called, tuple(counts), tuple(points[count] for count in counts)))
    return Curve(
        "targets",
        _from_how_many(curves),
        Axis(say("Targets in or out together (log scale)")),
        Axis(RIGHT, (0.0, 1.0)),
        tuple(lines),
        say("targets"),
        Reference(say("chance 0.50"), 0.5),
    )


def _from_how_many(curves: Mapping[str, Mapping[int, Estimate]]) -> str:
    """From how many targets on an attack is told from guessing, in the runs that were played."""
    above = [
        (count, called) for called, points in curves.items() for count, e in points.items() if words.is_above_chance(e)
    ]
    if not above:
        return say("No attack is distinguished from guessing (50 %), however many targets go in together")
    count, called = min(above)
    return say(
        "{who} does better than guessing from {targets} on, in the runs that were played",
        who=called,
        targets=counted(count, "{n:,} target", "{n:,} targets"),
    )
