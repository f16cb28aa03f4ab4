"""What releases, attackers and measures of a contest are called, for the reader that the names are for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from riskkit.language import again, say
from riskkit.phrases import Phrase, Value
from riskkit.questions.contest.points import UPLOADED
from riskkit.questions.contest.result import ContestResult, Standing
from riskkit.questions.contest.usefulness import LEARNT, About, about
from riskkit.show.names import Names

RELEASES, ATTACKERS = ("anonymiser", "name", "others"), ("attacker", "attackers", "blind", "best")
"""Values of kept sentences that name releases, and attackers."""


def named(name: str, names: Names, *, is_uploaded: bool) -> str:
    """A release: a method by its title, and what was handed in as somebody's own."""
    if not is_uploaded:
        return names.called(name, "generators")
    own = say("your release")
    return own if name == UPLOADED else say("your release {name}", name=names.called(name, "generators"))


def release(standing: Standing, names: Names) -> str:
    """The release of that standing."""
    return named(standing.name, names, is_uploaded=standing.is_uploaded)


def attacker(name: str, names: Names) -> str:
    """An attacker of riskkit by its title; another's own has the name that it was handed in with."""
    return names.called(name, "released")


def measure(name: str, names: Names) -> str:
    """A measure as files call it; a model that somebody brought only where it may be told."""
    part, _, model = name.partition(" ")
    return f"{part} {names.plugin(model)}" if model and part in LEARNT else name


def measures(result: ContestResult, names: Names) -> dict[str, About]:
    """Every measure with its title and its meaning, those of models by the titles of the models."""
    return {name: _learnt(name, result, names) or known for name, known in result.about.items()}


def _learnt(name: str, result: ContestResult, names: Names) -> About | None:
    """An accuracy of a model by title, and of the column that it tells as the reader may see it."""
    part, _, model = name.partition(" ")
    if part not in LEARNT:
        return None
    spoken = about(f"{part} {names.called(model, 'inference')}", names.column(result.plan.secret))
    return replace(spoken, title=again(spoken.title), plain=again(spoken.plain))


def sentence(kept: str, uploaded: Mapping[str, bool], names: Names) -> str:
    """A kept sentence in the reader's language, with what people call the releases and attackers in it.

    ``uploaded`` says of each release by name whether it was handed in. A text that knows its values no more is for
    those who may see everything.
    """
    if not isinstance(kept, Phrase):
        return names.told(kept)
    return as_sentence(again(_with_titles(kept, uploaded, names)))


def _with_titles(text: Phrase, uploaded: Mapping[str, bool], names: Names) -> Phrase:
    def title(key: str, value: str) -> str:
        if isinstance(value, Phrase):
            return _with_titles(value, uploaded, names)
        if key in RELEASES:
            return named(value, names, is_uploaded=uploaded.get(value, False) and key != "name")
        return attacker(value, names) if key in ATTACKERS else value

    values: dict[str, Value] = {}
    for key, value in text.values.items():
        if isinstance(value, tuple):
            values[key] = tuple(title(key, each) for each in value)
        else:
            values[key] = title(key, value) if isinstance(value, str) else value
    return Phrase(text.forms, values)


def as_sentence(text: str) -> str:
    """The same text with a large first letter where it begins with the reader's own release; names are as they are."""
    return text[:1].upper() + text[1:] if text.startswith(say("your release")) else text
