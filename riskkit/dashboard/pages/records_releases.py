"""Risk against the number of releases, on the page of a finished run for many records."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import streamlit as st

from riskkit import wording
from riskkit.core import Estimate
from riskkit.dashboard.forms import launch
from riskkit.dashboard.frame import views
from riskkit.jobs.store import Audit
from riskkit.language import say
from riskkit.questions.records.releases import Growth, sentences
from riskkit.questions.records.result import GUESS, RecordsFinding
from riskkit.show.blocks import Axis, Curve, Line, Reference

key = partial(launch.key, "records")


def show(audit: Audit, finding: RecordsFinding) -> None:
    """The picture with its sentence; nothing of one release."""
    if not finding.growth and not finding.played_growth:
        return
    st.header(say("With every further release"), anchor=False)
    views.picture(against_releases(finding), key(audit, "releases"))
    about = say("For the best possible attack, and for the attack that was run.")
    if not finding.played_growth:
        about = say("For the best possible attack.")
    elif not finding.growth:
        about = say("For the attack that was run, on the trainings of the first round.")
    elif finding.growth[0].people < finding.played_growth[0].people:
        who = say(
            "{certified:,} people have an optimal-attack bound; the attack was run on {played:,}.",
            certified=finding.growth[0].people,
            played=finding.played_growth[0].people,
        )
        about = f"{about} {who}"
    rows = say("It sees all releases up to that one. Each release has {rows:,} rows.", rows=finding.result.plan.n_syn)
    st.caption(f"{about} {rows}")


def against_releases(finding: RecordsFinding) -> Curve:
    """The share of people above the limit and the AUC of the median person, after each count of releases."""
    best, played = finding.growth, finding.played_growth
    grown = best or played
    headlines = [sentences(best, is_set=finding.is_set)] if best else []
    headlines += [sentences(played, is_set=finding.is_set, is_played=True)] if played else []
    lines = [_line(say("AUC of the median person"), grown, [count.median for count in grown])]
    if finding.is_set:
        above = say("share of people above {limit:g}", limit=finding.limit)
        lines.append(_line(above, grown, [count.share for count in grown]))
    if best and played:
        lines.append(_line(say("AUC of the median person, attack run"), played, [count.median for count in played]))
    reference = Reference(say("limit {limit:g}", limit=finding.limit), finding.limit)
    return Curve(
        "releases",
        " ".join(headlines),
        Axis(say("Releases of this table")),
        Axis(say("AUC, and share of people"), (0.0, 1.0)),
        tuple(lines),
        unit=say("releases"),
        reference=reference if finding.is_set else Reference(say("guessing"), GUESS),
    )


def _line(who: str, grown: Sequence[Growth], values: Sequence[float]) -> Line:
    """Those values after each count of releases; they describe these people and have no interval."""
    described = [
        Estimate("share", value, value, value, 1.0, wording.COUNTED, count.people)
        for count, value in zip(grown, values, strict=True)
    ]
    return Line(who, tuple(count.releases for count in grown), tuple(described), intervals="")
