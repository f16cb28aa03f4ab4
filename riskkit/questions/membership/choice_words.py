"""A setting that an attack chose on releases of its own, read back from a kept result and told in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from riskkit import wording
from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.questions.membership.findings import ABOUT
from riskkit.show.estimates import estimate


@dataclass(frozen=True, slots=True)
class Chosen:
    """How often an attack was right under every value of a setting: on its own releases and on those that count.

    ``at`` is the place of the value it took for having been right most often on its own; these releases come from
    trainings that are not counted. ``own`` is empty where there were fewer than 5 of them a side.
    """

    labels: Mapping[str, str]
    setting: str
    values: tuple[float, ...]
    at: int
    own: tuple[Estimate, ...]
    counted: tuple[Estimate, ...]

    def sentence(self, called: str) -> str:
        """What became of the choice; ``called`` is what people call the setting."""
        here = self.counted[self.at]
        told = say("The attack chose {called} = {value:g}", called=called, value=self.values[self.at])
        if self.own:
            there = self.own[self.at]
            told += say(
                ", right in {there} of {releases} of its own",
                there=wording.share(there),
                releases=counted(there.n, "{n:,} release", "{n:,} releases"),
            )
        return say(
            "{told}; on the {trainings} that count it is right in {here}",
            told=told,
            trainings=counted(here.n, "{n:,} training", "{n:,} trainings"),
            here=wording.share(here),
        )

    def hindsight(self, called: str) -> str:
        """What picking the value on the counted releases would have said, and why that does not count."""
        best = max(range(len(self.values)), key=lambda at: self.counted[at].value)
        if self.counted[best].value <= self.counted[self.at].value:
            return say("No other {called} would have been right more often on the releases that count.", called=called)
        return say(
            "In hindsight {called} = {best:g} would have been right in {share} of the releases that count. That is the "
            "best of {values} values picked on the very releases it is judged by, so it flatters and is no result.",
            called=called,
            best=self.values[best],
            share=wording.percent(self.counted[best].value),
            values=len(self.values),
        )


def chosen(result: Mapping[str, Any]) -> tuple[Chosen, ...]:
    """The settings that attacks chose in a kept result; none in results of before they were kept."""
    return tuple(
        Chosen(
            {name: str(given[name]) for name in ABOUT},
            str(given["setting"]),
            tuple(given["values"]),
            int(given["chosen"]),
            tuple(map(estimate, given["own"])),
            tuple(map(estimate, given["counted"])),
        )
        for given in result.get("sweeps", ())
    )
