"""What stands beside the picture of many records: how many lie above the limit, and on what each risk stands."""

from __future__ import annotations

import streamlit as st

from riskkit.dashboard.frame import plain
from riskkit.language import counted, say
from riskkit.questions.records import words
from riskkit.questions.records.findings import RecordsFinding


def three(finding: RecordsFinding, limit: float | None) -> None:
    """Who lies above a limit that was moved; at the limit that was set, the sentence of the page has said it."""
    if not finding.is_set or finding.limit == limit:
        return
    above = finding.above
    count = f"{above.value:,.0f} [{above.low:,.0f}, {above.high:,.0f}]"
    st.markdown(
        say(
            "At {limit:.2f}: **{count}** of {counted:,} people estimated above, **{listed:,}** named with confidence, "
            "**{played:,}** played.",
            limit=finding.limit,
            count=count,
            counted=finding.counted,
            listed=len(finding.listed),
            played=len(finding.people),
        ),
        help=words.GLOSSARY["listed"],
    )


def sentences(finding: RecordsFinding) -> None:
    """What the best attack there can be reaches, whom an average would have missed, and on what each risk stands."""
    parts = [*_best(finding), *_missed(finding)]
    if parts:
        st.markdown(plain(" ".join(parts)), help=words.GLOSSARY["certificate" if finding.has_best else "traditional"])
    n = finding.people[0].n if finding.people else 0
    trainings = counted(n, "{n:,} training", "{n:,} trainings")
    stands_on = [say("Each risk is based on {trainings}; chance is 0.50.", trainings=trainings)]
    stands_on += [
        say("The interval of the count is at {level:.4g} %.", level=100 * finding.above.level)
    ] * finding.is_set
    st.caption(" ".join(stands_on), help=words.GLOSSARY["auc"])


def _best(finding: RecordsFinding) -> list[str]:
    if not finding.has_best:
        return []
    more = sum(person.could_be(finding.limit) for person in finding.people)
    parts = [
        say(
            "The best attack there can be lies above {limit:g} for {more:,} who are not listed.",
            limit=finding.limit,
            more=more,
        )
    ]
    if finding.ceiling is not None:
        parts.append(say("For the most exposed record it reaches {ceiling:.2f}.", ceiling=finding.ceiling))
    return parts


def _missed(finding: RecordsFinding) -> list[str]:
    above = [person for person in finding.people if person.is_above(finding.limit)]
    if not (finding.has_traditional and above):
        return []
    return [
        say(
            "Averaging over tables would have missed {missed:,} of the {above:,} seen above {limit:g}.",
            above=len(above),
            limit=finding.limit,
            missed=sum(person.is_missed(finding.limit) for person in above),
        )
    ]
