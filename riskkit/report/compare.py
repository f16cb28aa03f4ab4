"""Two kept results of one question beside each other: which numbers belong together, and what was asked differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import again, counted, phrase, say
from riskkit.plain import estimate
from riskkit.questions import questions
from riskkit.stats.epsilon import BOUNDS

ABSENT = phrase("not set")
Labels = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The same number of two results. ``labels`` say which of those with the same name it is."""

    name: str
    labels: Mapping[str, str]
    left: Estimate
    right: Estimate

    @property
    def is_bound(self) -> bool:
        """Whether the numbers are bounds, whose high end is a ceiling and no end of an interval."""
        return self.name in BOUNDS

    @property
    def is_apart(self) -> bool:
        """Whether the two intervals have no value in common; of bounds nothing is said."""
        has_gap = self.left.high < self.right.low or self.right.high < self.left.low
        return has_gap and not self.is_bound


@dataclass(frozen=True, slots=True)
class SharedNumbers:
    """All that two results share, in the order of the first, and how many numbers only one of them has."""

    pairs: tuple[Pair, ...]
    only_left: int
    only_right: int

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the numbers that both have."""
        return tuple(dict.fromkeys(pair.name for pair in self.pairs))


def beside(left: Mapping[str, Any], right: Mapping[str, Any]) -> SharedNumbers:
    """The estimates of two kept results of one question, paired.

    Two estimates belong together when they have the same name and the same labels. A label that says the same all
    through either result (its only generator, its only record) tells nothing apart and may differ: it is then among
    :func:`differences`.
    """
    pairs: list[Pair] = []
    lost = [0, 0]
    first, second = ([estimate(stored) for stored in result["estimates"]] for result in (left, right))
    for name in dict.fromkeys(figure.name for figure in (*first, *second)):
        ours, theirs = ([figure for figure in side if figure.name == name] for side in (first, second))
        telling = _telling(ours) | _telling(theirs)
        known = {_key(figure, telling): figure for figure in theirs}
        for own in ours:
            other = known.pop(_key(own, telling), None)
            if other is None:
                lost[0] += 1
            else:
                pairs.append(Pair(name, dict(_key(own, telling)), own, other))
        lost[1] += len(known)
    return SharedNumbers(tuple(pairs), *lost)


def _telling(estimates: Sequence[Estimate]) -> set[str]:
    """The labels that tell these estimates of one name apart."""
    names = {label for figure in estimates for label in figure.labels}
    return {label for label in names if len({figure.labels.get(label) for figure in estimates}) > 1}


def _key(figure: Estimate, telling: Iterable[str]) -> Labels:
    wanted = set(telling)
    return tuple((name, text) for name, text in sorted(figure.labels.items()) if name in wanted)


def reference(question: str, name: str) -> float | None:
    """What guessing reaches on that measure, or None where it depends on what is asked."""
    known = questions().get(question)
    return known.references.get(name) if known else None


def sentence(compared: SharedNumbers) -> str:
    """How many of the numbers differ by more than their intervals allow, and how many would by chance.

    Two intervals that lie apart cannot both hold one common value, so where nothing differs that happens to at most
    the sum of what the two levels leave out, whatever the two results have in common.
    """
    if not compared.pairs:
        return say("These two results have no number in common.")
    pairs = [pair for pair in compared.pairs if not pair.is_bound]
    if not pairs:
        return say("These two results have only bounds in common, and bounds say nothing about a difference.")
    apart = sum(pair.is_apart for pair in pairs)
    by_chance = sum((1 - pair.left.level) + (1 - pair.right.level) for pair in pairs) / len(pairs)
    count = counted(len(pairs), "{n:,} number", "{n:,} numbers")
    if not apart:
        return say("None of {count} differs by more than the two intervals allow.", count=count)
    return say(
        "For {apart:,} of {count} the two intervals lie apart. If nothing differed, at most {by_chance} of them "
        "would, on average.",
        apart=apart,
        count=count,
        by_chance=wording.percent(by_chance),
    )


def differences(left: Mapping[str, Any], right: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """What differs between two sets of settings: name, the one, the other; names of nested ones joined by a dot."""
    ours, theirs = dict(_flat(left)), dict(_flat(right))
    every = dict.fromkeys([*ours, *theirs])
    return tuple(
        (name, ours.get(name, again(ABSENT)), theirs.get(name, again(ABSENT)))
        for name in every
        if ours.get(name) != theirs.get(name)
    )


def _flat(settings: Mapping[str, Any], before: str = "") -> Iterable[tuple[str, str]]:
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", setting_in_words(value)


def setting_in_words(value: Any) -> str:
    """A setting as people read it."""
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, list | tuple):
        return ", ".join(map(setting_in_words, value)) or say("none")
    return say("none") if value is None or value == "" else str(value)
