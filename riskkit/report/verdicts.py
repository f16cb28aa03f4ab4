"""From judged runs to the verdict on a question, and from questions and give-aways to the one on the release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from riskkit.judging import headline
from riskkit.judging.give_aways import State
from riskkit.judging.judge import judge
from riskkit.judging.measured import Judgement, Limit
from riskkit.judging.reasons import Reason
from riskkit.judging.verdict import Verdict
from riskkit.language import say
from riskkit.show.model import Answer, GiveAwayLine, RunFinding


def decisive(findings: Sequence[RunFinding], limit: Limit | None) -> tuple[RunFinding, Judgement]:
    """The run a question is judged by: one that shows a leak, else the one with most behind it.

    A run that shows a leak is never outvoted by another that does not. Of several the strongest counts.
    """
    judged = [(finding, judge(finding.measured, limit)) for finding in findings]
    leaks = [pair for pair in judged if pair[1].shows_leak]

    def low(pair: tuple[RunFinding, Judgement]) -> float:
        strongest = pair[0].measured.strongest
        return -math.inf if strongest is None else strongest.low

    def weight(pair: tuple[RunFinding, Judgement]) -> int:
        strongest = pair[0].measured.strongest
        return -1 if strongest is None else strongest.n

    return max(leaks, key=low) if leaks else max(judged, key=weight)


def overall(answers: Iterable[Answer], give_aways: Sequence[GiveAwayLine], doubts: Sequence[Reason] = ()) -> Judgement:
    """The gravest verdict about this release: give-aways come first, then every question that is about it.

    A leak must be shown with all questions allowed for (:mod:`riskkit.judging.headline`); where one is shown by a
    question taken alone and not so, the release is undecided.

    What-ifs never count. A give-away that is shown decides alone; one that is open stands in the way of "within the
    limit", as do ``doubts``: what was noticed of the files, and columns that no question has read.
    """
    shown = [give_away for give_away in give_aways if give_away.state is State.SHOWN]
    if shown:
        why = say(
            "The file gives people away by itself. {sentences}",
            sentences=" ".join(give_away.sentence for give_away in shown),
        )
        return Judgement(Verdict.LEAK, None, why, " ".join(give_away.repair for give_away in shown), "give_away")
    every = list(answers)
    judged = [(answer, answer.judgement) for answer in every if answer.judgement is not None]
    if not judged:
        return _nothing(every)
    asked, chances = _asked(every), _chances(every)
    alone = [(answer, judgement) for answer, judgement in judged if judgement.shows_leak]
    leaks = [pair for pair in alone if chances[pair[0].question] <= headline.OF_QUESTIONS]
    figures = {
        **asked,
        "error": headline.ERROR,
        "chances": {answer.question: float(f"{chances[answer.question]:.2g}") for answer, _ in alone},
    }
    if alone and not leaks:
        same = say(", ").join(answer.title for answer, _ in alone)
        why = headline.by_luck(same, min(chances.values()), **asked)
        return Judgement(Verdict.UNDECIDED, None, why, headline.settle(same), "luck", figures=figures)
    worst = min((judgement.verdict for _, judgement in leaks or judged), key=lambda verdict: verdict.gravity)
    open_ones = [give_away for give_away in give_aways if give_away.state is State.OPEN]
    others = (judgement for _, judgement in judged if judgement.code != "gives_away")
    if open_ones and all(judgement.verdict is Verdict.WITHIN for judgement in others):
        why = " ".join(give_away.sentence for give_away in open_ones)
        return Judgement(
            Verdict.UNDECIDED, None, why, " ".join(give_away.repair for give_away in open_ones), "give_away_open"
        )
    if worst is Verdict.WITHIN and doubts:
        why, settle = (" ".join(texts) for texts in zip(*((doubt.why, doubt.settle) for doubt in doubts), strict=True))
        return Judgement(Verdict.UNDECIDED, None, why, settle, doubts[0].code)
    same = say(", ").join(answer.title for answer, judgement in leaks or judged if judgement.verdict is worst)
    why = {
        Verdict.ABOVE: say("Above the limit: {same}.", same=same),
        Verdict.LEAK: say("A leak is shown by: {same}.", same=same),
        Verdict.UNDECIDED: say("Undecided: {same}.", same=same),
        Verdict.WITHIN: say("Every question asked of this release is within its limit: {same}.", same=same),
    }[worst]
    left = say(", ").join(answer.title for answer in every if answer.judgement is None)
    if left:
        why += " " + say("Nothing is known of this release from: {left}.", left=left)
    if worst is not Verdict.WITHIN and asked["runs"]:
        why += " " + headline.allowance(**asked)
    settle = " ".join(
        say("{title}: {text}", title=answer.title, text=judgement.settle)
        for answer, judgement in judged
        if judgement.settle
    )
    settle = settle if worst is Verdict.UNDECIDED else ""
    return Judgement(worst, None, why, settle, "questions", figures=figures)


def _about(answer: Answer) -> list[RunFinding]:
    """The runs of a question that are about this release and have a number."""
    own = () if answer.finding is None else (answer.finding, *answer.others)
    return [finding for finding in own if finding.measured.strongest is not None]


def _asked(answers: Sequence[Answer]) -> dict[str, int]:
    """How many questions have a number about this release, and by how many runs."""
    runs = [len(_about(answer)) for answer in answers]
    return {"questions": sum(number > 0 for number in runs), "runs": sum(runs)}


def _chances(answers: Sequence[Answer]) -> dict[str, float]:
    """By question the error of saying that it shows a leak, with every run of every question allowed for.

    Each run is judged by the limit of its question; an answer that shows a leak without one has none.
    """
    runs = [(answer, finding.measured) for answer in answers for finding in _about(answer)]
    limits = [None if answer.judgement is None else answer.judgement.limit for answer, _ in runs]
    every = headline.together([(measured, limit) for (_, measured), limit in zip(runs, limits, strict=True)])
    out: dict[str, float] = {}
    for (answer, _), chance in zip(runs, every.tolist(), strict=True):
        out[answer.question] = min(chance, out.get(answer.question, 1.0))
    return out


def _nothing(answers: Sequence[Answer]) -> Judgement:
    """No question is about this release yet."""
    if any(answer.is_what_if for answer in answers):
        why = say(
            "Every question that was asked is about a method, and none of these is known to have made this release."
        )
        settle = say("Say how the release was made, or ask the questions that need nothing but the file.")
        return Judgement(Verdict.UNDECIDED, None, why, settle, "only_what_ifs")
    why, settle = say("No question has been answered yet."), say("Run at least one question to its end.")
    return Judgement(Verdict.UNDECIDED, None, why, settle, "nothing_asked")
