"""For whom risk is highest, by the values of any column: what is kept of it, and the block of page and report."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from riskkit.core import Estimate
from riskkit.language import counted, say
from riskkit.plain import plain, typed
from riskkit.show.model import Bar, Chart, Class
from riskkit.show.names import Names

CERTIFICATE, ATTACK = "certificate", "attack"
"""What is compared: the best attack there can be on each person, or how an attack tells a group's members apart."""
MISSING = "missing"
"""The name of the group of those without a value."""
BARS = 8
"""Groups of a picture, those whose excess is highest."""


@dataclass(frozen=True, slots=True)
class Group:
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

    ``measure`` is :data:`CERTIFICATE` or :data:`ATTACK`, of ``attack``. ``small`` counts groups of too few people, by
    column; ``deals`` how often groups were dealt anew. ``level`` is that of all intervals together.
    """

    measure: str
    attack: str
    level: float
    fewest: int
    deals: int
    columns: tuple[str, ...]
    small: Mapping[str, int]
    each: tuple[Group, ...]

    def without_values(self) -> ForWhom:
        """The same without values of columns, and without counts from which that of a small group could be had."""
        return replace(self, each=tuple(_unnamed(one, is_counted=one.by not in self.small) for one in self.each))


def _band(name: str) -> str:
    """The name of a band of numbers (:mod:`riskkit.table.groups`) in the reader's language."""
    if between := re.fullmatch(r"above (.+) to (.+)", name):
        return say("above {low} to {high}", low=between[1], high=between[2])
    if name.startswith("up to "):
        return say("up to {high}", high=name.removeprefix("up to "))
    if name.startswith("above "):
        return say("above {low}", low=name.removeprefix("above "))
    return say("any value") if name == "any" else name


def _unnamed(one: Group, *, is_counted: bool) -> Group:
    name = one.name if one.name == MISSING else ""
    if is_counted:
        return replace(one, name=name)
    return replace(one, name=name, inside=replace(one.inside, n=0), excess=replace(one.excess, n=0))


@dataclass(frozen=True, slots=True)
class Shown:
    """The same in the words and with the names that the reader may see."""

    found: ForWhom = field(repr=False)
    names: Names = field(repr=False)

    @property
    def title(self) -> str:
        """The heading of the block."""
        return say("For whom risk is highest")

    @property
    def sentence(self) -> str:
        """The group whose excess is shown and highest, or that none is."""
        groups = counted(len(self.found.each), "{n:,} group", "{n:,} groups")
        higher = [one for one in self.found.each if self.is_higher(one)]
        if not higher:
            return say(
                "No group is shown to be at higher risk than the other groups of its column. This allows for all "
                "{groups}.",
                groups=groups,
            )
        worst = max(higher, key=lambda one: one.excess.low)
        return say(
            "Risk is highest for {group}: the AUC is {inside:.2f} there and {rest:.2f} in the other groups of that "
            "column. {higher} shown to be at higher risk than the others, allowing for all {groups}.",
            group=self.called(worst),
            inside=worst.inside.value,
            rest=worst.inside.value - worst.excess.value,
            higher=counted(len(higher), "{n:,} group is", "{n:,} groups are"),
            groups=groups,
        )

    @property
    def terms(self) -> tuple[tuple[str, str], ...]:
        """How it was worked out, a term and its text a line."""
        compared = (
            say("the mean AUC of the best attack there can be, over the people of a group")
            if self.found.measure == CERTIFICATE
            else say(
                "how well the attack {attack} tells members of a group from people of the same group who were not in",
                attack=self.names.called(self.found.attack, "released"),
            )
        )
        small = sum(self.found.small.values())
        return (
            (say("Compared is"), compared),
            (say("Groups by"), say(", ").join(map(self.names.column, self.found.columns))),
            (
                say("Allowed for"),
                say(
                    "all groups at once: people were dealt their groups anew {deals:,} times, and a group counts where "
                    "it lies further from the others than the furthest of nearly all deals",
                    deals=self.found.deals,
                ),
            ),
            (
                say("Left out"),
                say(
                    "{groups} of fewer than {fewest} people",
                    groups=counted(small, "{n:,} group", "{n:,} groups"),
                    fewest=self.found.fewest,
                )
                if small
                else "",
            ),
        )

    def chart(self) -> Chart | None:
        """The groups whose excess is highest; None where there is no group."""
        drawn = self.found.each[:BARS]
        if not drawn:
            return None
        low = min(-0.02, *(one.excess.low for one in drawn))
        high = max(0.05, *(one.excess.high for one in drawn))
        bars = tuple(Bar(f"{self.called(one)}{self._people(one)}", self.names.estimate(one.excess)) for one in drawn)
        return Chart(self.sentence, say("AUC less that of the other groups"), bars, 0.0, (low, high))

    @property
    def head(self) -> tuple[str, ...]:
        """The columns of :attr:`rows`."""
        return say("Group"), say("People"), say("AUC"), say("Less the other groups"), "p"

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Every group, a line each."""
        return tuple(
            (
                self.called(one),
                self.count(one) or say("at least {fewest}", fewest=self.found.fewest),
                str(one.inside),
                str(one.excess),
                f"{one.p:.3f}",
            )
            for one in self.found.each
        )

    def lines(self) -> list[str]:
        """The block as lines of text, for a terminal."""
        if not self.found.each:
            return []
        widths = [max(len(row[at]) for row in (self.head, *self.rows[:BARS])) for at in range(len(self.head))]
        table = [
            "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in (self.head, *self.rows[:BARS])
        ]
        return [f"\n{self.title}", self.sentence, *table]

    def as_dict(self) -> dict[str, Any]:
        """Plain values with the names that may be told."""
        return {
            "measure": self.found.measure,
            "attack": self.names.plugin(self.found.attack) if self.found.attack else "",
            "sentence": self.sentence,
            "fewest": self.found.fewest,
            "small": sum(self.found.small.values()),
            "deals": self.found.deals,
            "columns": [self.names.column(name) for name in self.found.columns],
            "groups": [self._group(one) for one in self.found.each],
        }

    def _group(self, one: Group) -> dict[str, Any]:
        is_told = bool(self.count(one))
        inside, excess = plain(self.names.estimate(one.inside)), plain(self.names.estimate(one.excess))
        if not is_told:
            inside, excess = ({**each, "n": None} for each in (inside, excess))
        return {
            "by": self.names.column(one.by),
            "group": self.called(one),
            "inside": inside,
            "excess": excess,
            "p": one.p,
        }

    def is_higher(self, one: Group) -> bool:
        """Whether that group is shown to be at higher risk than the others."""
        return one.excess.value > 0 and one.p <= 1 - one.excess.level + 1e-9

    def called(self, one: Group) -> str:
        """A group by its value, or by its place for those who may not see values."""
        by = self.names.column(one.by)
        if one.name == MISSING:
            return say("{column}: {value}", column=by, value=say("(missing)"))
        if self.names.tells and one.name:
            return say("{column}: {value}", column=by, value=_band(one.name) if one.is_banded else one.name)
        if one.is_banded:
            return say("{column}: band {place} of {bands}", column=by, place=one.place, bands=one.of)
        return say("{column}: value {place} of {values}", column=by, place=one.place, values=one.of)

    def count(self, one: Group) -> str:
        """How many people it has; empty where the number of a small group could be had from it."""
        return f"{one.inside.n:,}" if one.inside.n and (self.names.tells or one.by not in self.found.small) else ""

    def _people(self, one: Group) -> str:
        count = self.count(one)
        return say(" ({n} people)", n=count) if count else ""


def lines(found: ForWhom | None) -> list[str]:
    """The block as lines of text for whoever has the tables; none where there is none."""
    if found is None or not found.each:
        return []
    return Shown(found, Names(Class.RESTRICTED, b"", (), {}, tells_columns=True)).lines()


def read(result: Mapping[str, Any] | None, names: Names) -> Shown | None:
    """The block of a kept result; None where it has none."""
    kept = (result or {}).get("for_whom")
    if kept is None:
        return None
    found: ForWhom = typed(ForWhom, kept)
    return Shown(found, names) if found.each else None
