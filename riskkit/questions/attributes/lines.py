"""What was guessed, as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from riskkit.core import Estimate
from riskkit.language import again, say
from riskkit.questions.attributes import gain_words as attributes_gains
from riskkit.questions.attributes import words
from riskkit.questions.attributes.findings import read
from riskkit.questions.attributes.result import AttributesResult, Swept

_ABOUT = ("secret", "known", "metric", "trained_on", "tested_on")


def lines(result: AttributesResult) -> Iterator[str]:
    """Every estimate, then the sweep."""
    for answer in read(result).answers:
        if read_as := attributes_gains.reading(answer):
            yield say("“{secret}” from {known}: {reading}", secret=answer.secret, known=answer.known, reading=read_as)
            yield ""
    for drawn in result.randomised:
        if drawn.sentence:
            yield f"{again(drawn.sentence)}\n"
    head = f"{'secret':<18} {'known':<26} {'measure':<26} {say('trained on'):<18} {say('tested on'):<10}"
    yield f"{head} value [{result.plan.level:.0%}]"
    yield from map(_estimate, result.estimates)
    yield from map(_cell, result.sweep)


def _estimate(estimate: Estimate) -> str:
    labels, name = estimate.labels, estimate.name
    secret, known, metric, trained_on, tested_on = (labels.get(label, "") for label in _ABOUT)
    what = name if metric in ("", name) else say("{name} of {metric}", name=name, metric=metric)
    over = say(" over {baseline}", baseline=words.OVER[labels["baseline"]]) if "baseline" in labels else ""
    return f"{secret:<18} {known[:26]:<26} {what:<26} {trained_on:<18} {tested_on:<10} {_three(estimate)}{over}"


def _cell(cell: Swept) -> str:
    each = (("delta", cell.delta), ("residual", cell.residual))
    numbers = ", ".join(f"{name} {_three(estimate)}" for name, estimate in each if estimate is not None)
    about = cell.about
    return say(
        "sweep: {secret} from {known}: {told}",
        secret=about.secret,
        known=about.known,
        told=numbers or again(cell.refusal),
    )


def _three(estimate: Estimate) -> str:
    return f"{estimate.value:.3f} [{estimate.low:.3f}, {estimate.high:.3f}]"
