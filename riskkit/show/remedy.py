"""What would lower a risk: the least change of a setting by which a limit holds for everybody, for all surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riskkit.core import Estimate
from riskkit.language import joined, phrase, say
from riskkit.plain import entry, plain
from riskkit.show.blocks import Axis, Point, Points, Reference
from riskkit.show.model import Bar, Chart

NOT_SHOWN = (
    phrase(
        "It is about the best possible attack, on people of this very table, for one release of a method without "
        "noise, and for any number of releases of one fit of a method with noise."
    ),
    phrase("The usefulness of a release is measured on new releases. It is an average and promises nothing of one."),
)
"""What such a search does not show."""
BARS = 12
"""Values that its chart has, at most: the first, the last, what is named, and some between."""


@dataclass(frozen=True, slots=True)
class TriedValue:
    """One value of the setting.

    ``highest`` is the highest certificate of anybody, its ends at a level that allows for everybody. ``above`` says how
    many people have one above the limit: a number, or words where so few are not counted out. ``useful`` is the mean
    usefulness of its releases, None where the measure says nothing of this table.
    """

    value: float
    highest: Estimate
    above: int | str = field(metadata=entry("people_above"))
    useful: Estimate | None

    @property
    def people(self) -> str:
        """How many people lie above the limit, as it is printed."""
        return self.above if isinstance(self.above, str) else f"{self.above:,}"


@dataclass(frozen=True, slots=True)
class Lowered:
    """One search, in the words that the reader may see.

    ``tried`` begins where the setting protects least. ``chosen`` is the least change that holds the ``limit``, ``now``
    the setting as it is, ``best`` the value of the lowest certificate; ``rises`` are the pairs of neighbouring values
    between which the highest certificate rises though the setting protects more.
    """

    method: str
    setting: str
    measure: str
    limit: float
    people: int
    tried: tuple[TriedValue, ...]
    now: TriedValue | None
    chosen: TriedValue | None
    best: TriedValue
    rises: tuple[tuple[float, float], ...]

    @property
    def title(self) -> str:
        """What the block is called."""
        return say("What would lower it: {setting} of {method}", setting=self.setting, method=self.method)

    @property
    def sentence(self) -> str:
        """The least change that is enough, or that none is."""
        if self.chosen is None:
            return say(
                "No value of {setting} brings everybody's optimal-attack bound below {limit:g}. The lowest "
                "highest optimal-attack bound is {highest:.4f}, with {setting} at {value:g}. People above the "
                "limit then: {people} of {all:,}.",
                setting=self.setting,
                limit=self.limit,
                highest=self.best.highest.high,
                value=self.best.value,
                people=self.best.people,
                all=self.people,
            )
        return say(
            "With {setting} at {value:g}, everybody's optimal-attack bound is below {limit:g}. The highest is at "
            "most {highest:.4f}.",
            setting=self.setting,
            value=self.chosen.value,
            limit=self.limit,
            highest=self.chosen.highest.high,
        )

    @property
    def cost(self) -> str:
        """The usefulness there, beside that of the setting as it is; nothing where the measure says nothing."""
        there = self.chosen or self.best
        if there.useful is None:
            return ""
        if self.now is None or self.now.useful is None or self.now is there:
            return say("Usefulness ({measure}): {there}.", measure=self.measure, there=there.useful)
        return say(
            "Usefulness ({measure}): {there}, and {now} with the setting as it is ({value:g}).",
            measure=self.measure,
            there=there.useful,
            now=self.now.useful,
            value=self.now.value,
        )

    @property
    def order(self) -> str:
        """Whether more of the setting protected more wherever it was tried."""
        if not self.rises:
            return say(
                "Wherever it was tried, the highest optimal-attack bound does not rise as the setting protects more."
            )
        pairs = joined([say("from {one:g} to {other:g}", one=start, other=other) for start, other in self.rises])
        return say(
            "The highest optimal-attack bound does not fall everywhere: it rises {pairs}. The value named holds "
            "the limit together with all values tried beyond it; between two that were tried it can be otherwise.",
            pairs=pairs,
        )

    @property
    def head(self) -> tuple[str, str, str, str]:
        """What the columns of :attr:`rows` are called."""
        return self.setting, say("Highest optimal-attack bound"), say("People above the limit"), self.measure

    @property
    def rows(self) -> Sequence[tuple[str, str, str, str]]:
        """Each value tried as a line of a table: value, highest certificate, people above the limit, usefulness."""
        return [self.row(tried) for tried in self.tried]

    def row(self, tried: TriedValue) -> tuple[str, str, str, str]:
        """One value as such a line; what it is named for stands behind it."""
        useful, mark = "–" if tried.useful is None else str(tried.useful), self.marked(tried)
        value = say("{value:g} ({mark})", value=tried.value, mark=mark) if mark else f"{tried.value:g}"
        return value, f"{tried.highest.high:.4f}", tried.people, useful

    def marked(self, tried: TriedValue) -> str:
        """What a value is, where it is more than one that was tried."""
        if tried is self.chosen:
            return say("least change")
        return say("as it is") if tried is self.now else ""

    def chart(self) -> Chart:
        """The highest certificate at every value that was tried, beside the limit, from where it protects least."""
        bars = tuple(Bar(self._who(tried), tried.highest, self._kind(tried)) for tried in self._shown())
        return Chart(self.sentence, say("Highest bound on every attack (AUC; guessing 0.50)"), bars, 0.5, (0.4, 1.0))

    def points(self) -> Points:
        """Usefulness against the highest certificate of every value, beside the limit; further right it costs less.

        Where the measure says nothing of this table there is no point.
        """
        looks = {"control": "stopped", "held": "", "above": "above"}
        drawn = tuple(
            Point(self.row(tried)[0], tried.useful, tried.highest, (str(tried.highest),), looks[self._kind(tried)])
            for tried in self.tried
            if tried.useful is not None
        )
        return Points(
            "lowered",
            self.sentence,
            say("Value of the setting"),
            Axis(self.measure),
            Axis(say("Highest bound on every attack (AUC; guessing 0.50)"), (0.5, 1.0)),
            drawn,
            is_measured_across=True,
            reference=Reference(say("limit"), self.limit),
        )

    def _shown(self) -> list[TriedValue]:
        """All values, or those named and as many more as fit, spread over the rest."""
        every = self.tried
        named = [position for position, tried in enumerate(every) if tried is self.chosen or tried is self.now]
        rest = [position for position in range(len(every)) if position not in named]
        room = min(BARS - len(named), len(rest))
        spread = {rest[round(place)] for place in np.linspace(0, len(rest) - 1, room)} if room > 0 else set()
        return [every[position] for position in sorted({*named, *spread})]

    def _who(self, tried: TriedValue) -> str:
        mark = self.marked(tried)
        value = say("{setting} {value:g}", setting=self.setting, value=tried.value)
        return say("{value}: {mark}", value=value, mark=mark) if mark else value

    def _kind(self, tried: TriedValue) -> str:
        """Green where it is the least change, hollow where it holds the limit too; else not below the limit."""
        if tried is self.chosen:
            return "control"
        return "held" if tried.highest.high < self.limit else "above"

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "method": self.method,
            "setting": self.setting,
            "measure": self.measure,
            "limit": self.limit,
            "people": self.people,
            "now": None if self.now is None else self.now.value,
            "chosen": None if self.chosen is None else self.chosen.value,
            "sentence": self.sentence,
            "tried": plain(self.tried),
            "rises": plain(self.rises),
        }
