"""For whom risk is highest, by the values of any column: what is kept of it, and the block of page and report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.plain import from_plain, plain
from riskkit.show.model import Bar, Chart
from riskkit.show.names import Names

CERTIFICATE, ATTACK, PLAYED, GAP, GAIN = "certificate", "attack", "played", "gap", "gain"
"""What is compared: the best attack there can be on each person; how an attack tells a group's members apart; the
attack that was played on each; how many more members than others are hit; what is recovered beyond one guess for all.
"""
MISSING = "missing"
"""The name of the group of those without a value."""
BARS = 8
"""Groups of a picture, those whose excess is highest."""


@dataclass(frozen=True, slots=True)
class RiskGroup:
    """A group by the column ``by``, the ``place``-th of ``of`` there. See :class:`riskkit.stats.subgroups.Subgroup`."""

    by: str
    name: str
    place: int
    of: int
    is_banded: bool
    inside: Estimate
    excess: Estimate
    p: float


@dataclass(frozen=True, slots=True)
class ForWhom:
    """The groups of every column that was looked at, the highest excess in standard errors first.

    ``measure`` is :data:`CERTIFICATE` or another of these, of ``attack``, or of whatever hits people. ``small`` counts
    groups of too few people, by column; ``deals`` how often groups were dealt anew. ``level`` is that of all intervals
    together.
    """

    measure: str
    attack: str
    level: float
    fewest: int
    deals: int
    columns: tuple[str, ...]
    small: Mapping[str, int]
    each: tuple[RiskGroup, ...]

    def without_values(self) -> ForWhom:
        """The same without values of columns, and without counts from which that of a small group could be had."""
        return replace(
            self, each=tuple(_without_name(group, is_counted=group.by not in self.small) for group in self.each)
        )


def _band(name: str) -> str:
    """The name of a band of numbers (:mod:`riskkit.table.features`) in the reader's language."""
    if between := re.fullmatch(r"above (.+) to (.+)", name):
        return say("above {low} to {high}", low=between[1], high=between[2])
    if name.startswith("up to "):
        return say("up to {high}", high=name.removeprefix("up to "))
    if name.startswith("above "):
        return say("above {low}", low=name.removeprefix("above "))
    return say("any value") if name == "any" else name


def _without_name(group: RiskGroup, *, is_counted: bool) -> RiskGroup:
    name = group.name if group.name == MISSING else ""
    if is_counted:
        return replace(group, name=name)
    return replace(group, name=name, inside=replace(group.inside, n=0), excess=replace(group.excess, n=0))


@dataclass(frozen=True, slots=True)
class ShownForWhom:
    """The same in the words and with the names that the reader may see.

    ``about`` is what hits people, in words; without it the attack is named, a plug-in of that ``room``.
    """

    compared: ForWhom = field(repr=False)
    names: Names = field(repr=False)
    about: str = field(default="", repr=False)
    room: str = field(default="released", repr=False)

    @property
    def title(self) -> str:
        """The heading of the block."""
        return say("For whom risk is highest")

    @property
    def sentence(self) -> str:
        """The group whose excess is shown and highest, or that none is, or that nobody can be compared."""
        if not self.compared.each:
            return say(
                "No groups are compared: no column has two groups of at least {fewest} people asked about.",
                fewest=self.compared.fewest,
            )
        groups = counted(len(self.compared.each), "{n:,} group", "{n:,} groups")
        higher = [group for group in self.compared.each if self.is_higher(group)]
        if not higher:
            return say(
                "No group is shown to be at higher risk than the other groups of its column. This allows for all "
                "{groups}.",
                groups=groups,
            )
        worst = max(higher, key=lambda group: group.excess.low)
        figures = {
            "group": self.called(worst),
            "inside": worst.inside.value,
            "rest": worst.inside.value - worst.excess.value,
            "higher": counted(len(higher), "{n:,} group is", "{n:,} groups are"),
            "groups": groups,
        }
        if self.compared.measure == GAP:
            return say(
                "Risk is highest for {group}: the share of members who are found, less that of people outside the "
                "data, is {inside:.1%} there and {rest:.1%} in the other groups of that column. {higher} shown to "
                "be at higher risk than the others, allowing for all {groups}.",
                **figures,
            )
        if self.compared.measure == GAIN:
            return say(
                "Risk is highest for {group}: the share of values recovered, less that of one guess for everybody, is "
                "{inside:.1%} there and {rest:.1%} in the other groups of that column. {higher} shown to be at higher "
                "risk than the others, allowing for all {groups}.",
                **figures,
            )
        return say(
            "Risk is highest for {group}: the AUC is {inside:.2f} there and {rest:.2f} in the other groups of that "
            "column. {higher} shown to be at higher risk than the others, allowing for all {groups}.",
            **figures,
        )

    @property
    def what(self) -> str:
        """What is compared, in words."""
        attack = self.about or self.names.called(self.compared.attack, self.room)
        if self.compared.measure == CERTIFICATE:
            return say("the mean AUC of the best possible attack, over the people of a group")
        if self.compared.measure == PLAYED:
            return say("the mean AUC of the attack {attack}, as it was run on the people of a group", attack=attack)
        if self.compared.measure == GAP:
            return say(
                "the share of members of a group who are found by the strongest test, less that of people of the "
                "same group outside the data; the test is: {look}",
                look=attack,
            )
        if self.compared.measure == GAIN:
            return say(
                "the share of values that the attacker {attack} recovers of the people of a group, less that of one "
                "guess for everybody",
                attack=attack,
            )
        return say(
            "how well the attack {attack} tells members of a group from people of the same group outside the data",
            attack=attack,
        )

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """How it was worked out, a term and its text a line."""
        if not self.compared.each:
            return ()
        small = sum(self.compared.small.values())
        return (
            (say("Compared is"), self.what),
            (say("Groups by"), say(", ").join(map(self.names.column, self.compared.columns))),
            (
                say("Allowed for"),
                say(
                    "all groups at once: people were given groups at random {deals:,} times, and a group counts "
                    "where it lies further from the others than the furthest of nearly all of these",
                    deals=self.compared.deals,
                ),
            ),
            (
                say("Left out"),
                say(
                    "{groups} of fewer than {fewest} people",
                    groups=counted(small, "{n:,} group", "{n:,} groups"),
                    fewest=self.compared.fewest,
                )
                if small
                else "",
            ),
        )

    def chart(self) -> Chart | None:
        """The groups whose excess is highest; None where there is no group."""
        drawn = self.compared.each[:BARS]
        if not drawn:
            return None
        low = min(-0.02, *(group.excess.low for group in drawn))
        high = max(0.05, *(group.excess.high for group in drawn))
        bars = tuple(
            Bar(f"{self.called(group)}{self._people(group)}", self.names.estimate(group.excess)) for group in drawn
        )
        axis = say("AUC less that of the other groups")
        if self.compared.measure in (GAP, GAIN):
            axis = say("Difference of shares, less that of the other groups")
        return Chart(self.sentence, axis, bars, 0.0, (low, high))

    @property
    def head(self) -> tuple[str, ...]:
        """The columns of :attr:`rows`."""
        inside = {GAP: say("Members less others"), GAIN: say("Beyond one guess")}
        return (
            say("Group"),
            say("People"),
            inside.get(self.compared.measure, say("AUC")),
            say("Less the other groups"),
            "p",
        )

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Every group, a line each."""
        return tuple(
            (
                self.called(group),
                self.count(group) or say("at least {fewest}", fewest=self.compared.fewest),
                str(group.inside),
                str(group.excess),
                f"{group.p:.3f}",
            )
            for group in self.compared.each
        )

    def as_dict(self) -> dict[str, Any]:
        """Plain values with the names that may be told."""
        return {
            "measure": self.compared.measure,
            "attack": self.about or (self.names.plugin(self.compared.attack) if self.compared.attack else ""),
            "sentence": self.sentence,
            "fewest": self.compared.fewest,
            "small": sum(self.compared.small.values()),
            "deals": self.compared.deals,
            "columns": [self.names.column(name) for name in self.compared.columns],
            "groups": [self._group(group) for group in self.compared.each],
        }

    def _group(self, group: RiskGroup) -> dict[str, Any]:
        is_told = bool(self.count(group))
        inside, excess = plain(self.names.estimate(group.inside)), plain(self.names.estimate(group.excess))
        if not is_told:
            inside, excess = ({**each, "n": None} for each in (inside, excess))
        return {
            "by": self.names.column(group.by),
            "group": self.called(group),
            "inside": inside,
            "excess": excess,
            "p": group.p,
        }

    def is_higher(self, group: RiskGroup) -> bool:
        """Whether that group is shown to be at higher risk than the others."""
        return group.excess.value > 0 and group.p <= 1 - group.excess.level + 1e-9

    def called(self, group: RiskGroup) -> str:
        """A group by its value, or by its place for those who may not see values."""
        by = self.names.column(group.by)
        if group.name == MISSING:
            return say("{column}: {value}", column=by, value=say("(missing)"))
        if self.names.tells and group.name:
            return say("{column}: {value}", column=by, value=_band(group.name) if group.is_banded else group.name)
        if group.is_banded:
            return say("{column}: band {place} of {bands}", column=by, place=group.place, bands=group.of)
        return say("{column}: value {place} of {values}", column=by, place=group.place, values=group.of)

    def count(self, group: RiskGroup) -> str:
        """How many people it has; empty where the number of a small group could be had from it."""
        return (
            f"{group.inside.n:,}"
            if group.inside.n and (self.names.tells or group.by not in self.compared.small)
            else ""
        )

    def _people(self, group: RiskGroup) -> str:
        count = self.count(group)
        return say(" ({n} people)", n=count) if count else ""


def read(
    result: Mapping[str, Any] | None, names: Names, *, about: str = "", room: str = "released"
) -> ShownForWhom | None:
    """The block of a kept result; None where it has none. ``about`` is what hits people, as the reader may see it."""
    kept = (result or {}).get("for_whom")
    return None if kept is None else ShownForWhom(from_plain(ForWhom, kept), names, about, room)


def without_values(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The block of a kept result without values of columns."""
    out: dict[str, Any] = plain(from_plain(ForWhom, kept).without_values())
    return out
