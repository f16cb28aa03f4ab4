"""What was guessed, as lines of text for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from riskkit.language import again, say
from riskkit.questions.attributes import gain_words as attributes_gains
from riskkit.questions.attributes import words
from riskkit.questions.attributes.findings import read

_ABOUT = ("secret", "known", "metric", "trained_on", "tested_on")


def lines(said: Mapping[str, Any]) -> Iterator[str]:
    """Every estimate, then the sweep; ``said`` is a result as JSON has it."""
    for answer in read(said).answers:
        if read_as := attributes_gains.reading(answer):
            yield say("“{secret}” from {known}: {reading}", secret=answer.secret, known=answer.known, reading=read_as)
            yield ""
    for drawn in said["randomised"]:
        if drawn["sentence"]:
            yield f"{again(drawn['sentence'])}\n"
    head = f"{'secret':<18} {'known':<26} {'measure':<26} {say('trained on'):<18} {say('tested on'):<10}"
    yield f"{head} value [{said['settings']['level']:.0%}]"
    yield from map(_estimate, said["estimates"])
    yield from map(_cell, said["sweep"])


def _estimate(one: Mapping[str, Any]) -> str:
    secret, known, metric, trained_on, tested_on = (str(one.get(name, "")) for name in _ABOUT)
    what = one["name"] if metric in ("", one["name"]) else say("{name} of {metric}", name=one["name"], metric=metric)
    over = say(" over {baseline}", baseline=words.OVER[one["baseline"]]) if "baseline" in one else ""
    return f"{secret:<18} {known[:26]:<26} {what:<26} {trained_on:<18} {tested_on:<10} {_three(one)}{over}"


def _cell(cell: Mapping[str, Any]) -> str:
    told = ", ".join(f"{name} {_three(cell[name])}" for name in ("delta", "residual") if cell[name])
    return say(
        "sweep: {secret} from {known}: {told}",
        secret=cell["secret"],
        known=cell["known"],
        told=told or again(cell["refusal"]),
    )


def _three(one: Mapping[str, Any]) -> str:
    return f"{one['value']:.3f} [{one['low']:.3f}, {one['high']:.3f}]"
