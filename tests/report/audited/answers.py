"""What the findings of a made audit come to, question by question."""

from functools import cache

import numpy as np

from riskkit.judging.measurement import Judgement
from riskkit.show.model import Answer, Findings, Given, Played, RunFinding
from tests.report.audited import made


def answer(findings: Findings, question: str) -> Answer:
    return next(answer for answer in findings.answers if answer.question == question)


def judged(findings: Findings, question: str) -> Judgement:
    judgement = answer(findings, question).judgement
    assert judgement is not None
    return judgement


def first(audit: Given) -> tuple[Judgement, RunFinding]:
    """What the first question of an audit comes to."""
    findings = made.findings(audit)
    finding = findings.answers[0].finding
    assert finding is not None
    return judged(findings, findings.answers[0].question), finding


@cache
def clean() -> Played:
    """Attacks on a released file that show nothing, and found what was planted."""
    return made.released(np.random.default_rng(2), n=400)


def leaking(**more) -> Played:
    """A membership run that shows a leak."""
    return made.membership(np.random.default_rng(1), shifts=(3.0,), **more)
