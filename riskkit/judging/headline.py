"""What the verdict on a whole release allows for: each of several questions may show a leak by luck.

Every question holds its own level, and so do all give-aways together. Whoever takes the gravest of all of them says
"leak shown" more often where nobody leaked, and the more often the more was asked. So the verdict on the release needs
a leak that is shown with all runs of all questions allowed for (Holm), at half of its error; the give-aways have the
other half. What a question shows by itself stays as it is, and whatever a question shows stands in the way of "within
the limit". That needs every question, so it needs no allowance.
"""

from __future__ import annotations

from collections.abc import Sequence

from riskkit import wording
from riskkit.core import Floats
from riskkit.judging.judge import judge
from riskkit.judging.measured import Limit, Measured
from riskkit.language import counted, say
from riskkit.stats.multiplicity import holm

ERROR = 0.05
"""In how many audits the verdict on a release may show a leak where there is none."""
OF_QUESTIONS = ERROR / 2
"""What all questions together have of it; the give-aways, one-sided at 95 % together, have the rest."""


def together(runs: Sequence[tuple[Measured, Limit | None]]) -> Floats:
    """(n,) the error of saying that this run shows its leak, with all of them allowed for.

    A run that shows no leak above its limit by itself, or without a limit above guessing, has 1.
    """
    return holm([_alone(measured, limit) for measured, limit in runs])


def _alone(measured: Measured, limit: Limit | None) -> float:
    """The same for one run as if it were the only one."""
    judged = judge(measured, limit)
    if not judged.shows_leak:
        return 1.0
    return measured.p(measured.guess if judged.limit is None else max(judged.limit.value, measured.guess))


def asked(questions: int, runs: int) -> str:
    """How much was asked, in words."""
    words = counted(questions, "{n:,} question", "{n:,} questions")
    if runs == questions:
        return words
    return say("{questions} in {runs}", questions=words, runs=counted(runs, "{n:,} run", "{n:,} runs"))


def allowance(questions: int, runs: int) -> str:
    """The sentence that says how the verdict on a release allows for so much."""
    return say(
        "This verdict allows for {asked} and for the look at the file itself: without such a leak, it shows one in at "
        "most {error} of audits.",
        asked=asked(questions, runs),
        error=wording.percent(ERROR),
    )


def by_luck(same: str, chance: float, questions: int, runs: int) -> str:
    """Why the verdict on a release is undecided although a question shows a leak by itself."""
    return say(
        "Taken alone, a leak is shown by: {same}. With {asked}, luck would show as much in up to {chance} of audits of "
        "a release without such a leak; for a verdict on the release that must be at most {most}.",
        same=same,
        asked=asked(questions, runs),
        chance=wording.tenths(chance),
        most=wording.tenths(OF_QUESTIONS),
    )


def settle(same: str) -> str:
    """What would decide it then."""
    return say(
        "Ask again with more people or more trainings: {same}. A leak that is there then shows more clearly.", same=same
    )
