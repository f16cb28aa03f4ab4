"""A setting that an attack chose on releases of its own, told in sentences."""

from __future__ import annotations

from riskkit import wording
from riskkit.language import counted, say
from riskkit.questions.membership.choices import Sweep


def sentence(sweep: Sweep, called: str) -> str:
    """What became of the choice; ``called`` is what people call the setting."""
    here = sweep.counted[sweep.at]
    sentences = say("The attack chose {called} = {value:g}", called=called, value=sweep.values[sweep.at])
    if sweep.own:
        there = sweep.own[sweep.at]
        sentences += say(
            ", right in {there} of {releases} of its own",
            there=wording.share(there),
            releases=counted(there.n, "{n:,} release", "{n:,} releases"),
        )
    return say(
        "{told}; on the {trainings} that count it is right in {here}",
        told=sentences,
        trainings=counted(here.n, "{n:,} training", "{n:,} trainings"),
        here=wording.share(here),
    )


def hindsight(sweep: Sweep, called: str) -> str:
    """What picking the value on the counted releases would have said, and why that does not count."""
    best = max(range(len(sweep.values)), key=lambda place: sweep.counted[place].value)
    if sweep.counted[best].value <= sweep.counted[sweep.at].value:
        return say("No other {called} would have been right more often on the releases that count.", called=called)
    return say(
        "In hindsight {called} = {best:g} would have been right in {share} of the releases that count. That is the "
        "best of {values} values picked on the very releases it is judged by, so it flatters and is no result.",
        called=called,
        best=sweep.values[best],
        share=wording.percent(sweep.counted[best].value),
        values=len(sweep.values),
    )
