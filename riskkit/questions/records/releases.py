"""Risk against the number of releases: how far the best attack gets after one of them, after two, after all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from riskkit.core import Estimate
from riskkit.language import again, counted, phrase, say
from riskkit.show.model import Bar, Chart
from riskkit.show.names import Names

GUESS = 0.5
"""What guessing reaches."""

ALL_UP_TO, GROWTH = 12, 1.25
"""Every count up to the first is looked at; then each is about so many times the one before."""


class After(NamedTuple):
    """The AUC of the best attack on one record that sees so many releases."""

    releases: int
    auc: float
    low: float
    high: float


def counts(releases: int) -> tuple[int, ...]:
    """The numbers of releases that are looked at, up to that many, ascending."""
    out = list(range(1, min(releases, ALL_UP_TO) + 1))
    while out[-1] < releases:
        out.append(min(round(out[-1] * GROWTH), releases))
    return tuple(out)


@dataclass(frozen=True, slots=True)
class Growth:
    """What so many releases come to, over all people with a certificate.

    ``median`` is the median of their AUCs, between those of their lower and of their upper ends; of ``people``, so many
    are ``above`` the ``limit`` by their values.
    """

    releases: int
    median: float
    low: float
    high: float
    above: int
    people: int
    limit: float

    @property
    def share(self) -> float:
        """The share of people above the limit."""
        return self.above / self.people


def growth(each: Sequence[Sequence[After]], limit: float) -> tuple[Growth, ...]:
    """The figures after each count of releases; ``each`` has one series for a person, all of the same counts."""
    if not each or not each[0]:
        return ()
    three = np.array([[step[1:] for step in series] for series in each])
    medians, above = np.median(three, axis=0).tolist(), (three[:, :, 0] > limit).sum(axis=0).tolist()
    return tuple(
        Growth(step.releases, median, low, high, count, len(each), limit)
        for step, (median, low, high), count in zip(each[0], medians, above, strict=True)
    )


def half_above(growths: Sequence[Growth]) -> tuple[int, int] | None:
    """After how many releases half of the people are above the limit, and the count that was looked at before it.

    None where they never are. Where the two are one apart it is that very release, else at the latest that one.
    """
    before = 0
    for step in growths:
        if 2 * step.above >= step.people:
            return step.releases, before
        before = step.releases
    return None


def sentences(growths: Sequence[Growth], *, is_set: bool, is_played: bool = False) -> str:
    """After which release half of these people stand above the limit, if one is set; and how the median moves.

    It is about the best attack there can be, or about the one that ``is_played``.
    """
    first, last = growths[0], growths[-1]
    if is_played:
        median = say(
            "The attack that was run reaches {first:.2f} on the median person after one release, and {last:.2f} "
            "after {releases:,}.",
            first=first.median,
            last=last.median,
            releases=last.releases,
        )
        return (
            say("By the attack that was run: {half} {median}", half=_half(growths), median=median) if is_set else median
        )
    median = say(
        "The best attack reaches {first:.2f} on the median person after one release, and {last:.2f} after "
        "{releases:,}.",
        first=first.median,
        last=last.median,
        releases=last.releases,
    )
    return f"{_half(growths)} {median}" if is_set else median


def _half(growths: Sequence[Growth]) -> str:
    last, half = growths[-1], half_above(growths)
    if half is None:
        return say(
            "After {releases:,} releases fewer than half of these people stand above {limit:g}.",
            releases=last.releases,
            limit=last.limit,
        )
    release, before = half
    if release == 1:
        return say("After one release half of these people stand above {limit:g}.", limit=last.limit)
    if release == before + 1:
        return say(
            "After release {release:,} half of these people stand above {limit:g}.", release=release, limit=last.limit
        )
    return say(
        "After release {before:,}, and at the latest after release {release:,}, half of these people stand above "
        "{limit:g}.",
        before=before,
        release=release,
        limit=last.limit,
    )


AXIS = phrase("AUC of the best attack, median person (0.50 is guessing)")
PLAYED_AXIS = phrase("AUC of the attack that was run, median person (0.50 is guessing)")
BARS = 12
"""Counts of releases that a chart of a report has, at most: the first, the last, and some between."""


@dataclass(frozen=True, slots=True)
class ShownGrowth:
    """Risk against the number of releases for a report, at any limit, in the words that the reader may see."""

    each: Sequence[Sequence[After]] = field(repr=False)
    names: Names = field(repr=False)
    is_played: bool = False

    def chart(self, limit: float | None) -> Chart:
        """The median person's best AUC after each count, and how many stand above the limit where one is set."""
        growths = growth(self.each, GUESS if limit is None else limit)
        is_set = limit is not None and not any(
            self.names.withholds(step.above) or self.names.withholds(step.people - step.above) for step in growths
        )
        sentence = sentences(growths, is_set=is_set, is_played=self.is_played)
        places = sorted({round(place) for place in np.linspace(0, len(growths) - 1, min(BARS, len(growths)))})
        bars = tuple(Bar(self._who(growths[place], limit), _median(growths[place])) for place in places)
        return Chart(sentence, again(PLAYED_AXIS) if self.is_played else again(AXIS), bars, GUESS, (0.4, 1.0))

    def _who(self, step: Growth, limit: float | None) -> str:
        releases = counted(step.releases, "{n:,} release", "{n:,} releases")
        if limit is None:
            return releases
        above = self.names.count(step.above)
        if self.names.withholds(step.people - step.above):
            return releases
        return say(
            "{releases}: {above} of {people:,} above {limit:g}",
            releases=releases,
            above=above,
            people=step.people,
            limit=limit,
        )


def _median(step: Growth) -> Estimate:
    labels = {"releases": str(step.releases)}
    low, high = min(step.low, step.median), max(step.high, step.median)
    return Estimate("certificate", step.median, low, high, 0.95, "median of best attacks", 0, labels)
