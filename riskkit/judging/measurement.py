"""What a question hands to the judge, whatever the limit; and what the judge hands back."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from riskkit import wording
from riskkit.core import Estimate, decimal
from riskkit.judging.reasons import Reason
from riskkit.language import Readings, say
from riskkit.phrases import phrase
from riskkit.stats.multiplicity import p_of_interval

# The four words an audit can end with, and a fifth for what is not judged.


class Verdict(StrEnum):
    """What measurements say of a limit, or without one of guessing. None says that a release may be published."""

    ABOVE = "above the limit"
    """The interval of the strongest attack lies wholly above the limit."""
    LEAK = "leak shown"
    """No limit is set, and the interval of the strongest attack lies wholly above guessing."""
    UNDECIDED = "undecided"
    """Everything else."""
    WITHIN = "within the limit"
    """Every interval lies wholly below the limit, and every planted control was found."""
    DESCRIBED = "described"
    """Nothing is judged: figures that describe a table stand beside the verdict and are no part of it."""

    @property
    def shows_leak(self) -> bool:
        """Whether a leak is shown that nobody declared tolerable."""
        return self in (Verdict.ABOVE, Verdict.LEAK)

    @property
    def gravity(self) -> int:
        """How grave it is beside the others; 0 is the gravest."""
        return list(Verdict).index(self)


TITLES: Mapping[Verdict, tuple[str, str]] = Readings(
    {
        Verdict.ABOVE: ("▲", phrase("Above the limit")),
        Verdict.LEAK: ("▲", phrase("Leak shown")),
        Verdict.UNDECIDED: ("◌", phrase("Undecided")),
        Verdict.WITHIN: ("●", phrase("Within the limit")),
        Verdict.DESCRIBED: ("–", phrase("Described")),
    }
)
"""Icon and word of every verdict; a page may add a colour, never leave these out."""


def title(verdict: Verdict) -> str:
    """Icon and word, as every surface shows a verdict: ``▲ Above the limit``."""
    icon, word = TITLES[verdict]
    return f"{icon} {word}"


@dataclass(frozen=True, slots=True)
class Limit:
    """The most leak that is tolerable, on the scale of a question: one number, used in both directions.

    ``source`` says which person or body set it, ``date`` since when.
    """

    value: float
    source: str
    date: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"value": self.value, "source": self.source, "date": self.date}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> Limit:
        """The limit that :meth:`as_dict` wrote."""
        source = str(kept["source"])
        own = (NOBODY, *(published.limit.source for published in SOURCES))
        return cls(
            float(kept["value"]), next((each for each in own if each == source), source), str(kept.get("date", ""))
        )


# Limits that people set: how much leak is tolerable for each question, who says so, and since when.
#
# A limit is a decision of people; an audit can only say on which side of it the release lies. None is anybody's
# default. Where nobody set one, a leak above guessing can still be shown, but never its absence.


@dataclass(frozen=True, slots=True)
class Scale:
    """What a question's limit is a limit on. ``low`` is guessing, ``high`` the most there can be."""

    title: str
    low: float
    high: float
    plain: str


DESCRIPTION = "description"
"""The scale of what describes a table and is never judged: no limit can be set on it."""
EPSILON = "epsilon"
"""The scale of lower bounds on epsilon, whose high ends are ceilings."""
SCALES: Mapping[str, Scale] = Readings(
    {
        "auc": Scale(
            phrase("AUC"), 0.5, 1.0, phrase("How often an attacker picks the right one of two; 0.50 is guessing.")
        ),
        "residual": Scale(
            phrase("residual gain over others"),
            0.0,
            1.0,
            phrase(
                "Of the secrets that cannot be guessed for others, the share that is guessed because the person is in "
                "the data: (members - others) / (1 - others)."
            ),
        ),
        "excess": Scale(
            phrase("difference from others"),
            0.0,
            1.0,
            phrase(
                "The share of people in the real table whom an attacker names rightly, less that of people outside it."
            ),
        ),
        "gain": Scale(
            phrase("gain"), 0.0, 1.0, phrase("How much better an attacker is than one constant guess for everybody.")
        ),
        "hits": Scale(phrase("hit rate"), 0.0, 1.0, phrase("Named rows of the sample, as a share of the rows named.")),
        EPSILON: Scale(
            phrase("ε"),
            0.0,
            10.0,
            phrase(
                "What the method is shown to exceed, as a lower bound of its ε; 0 is a method that says nothing of "
                "anybody."
            ),
        ),
        "score": Scale(
            phrase("score"),
            0.5,
            1.0,
            phrase("How correctly and how surely an attacker says which households are in the data; 0.50 is guessing."),
        ),
        DESCRIPTION: Scale(
            phrase("description"), 0.0, 1.0, phrase("Figures that describe a table. They are not judged.")
        ),
    }
)
"""The scales by the name that a question's measurement has."""


@dataclass(frozen=True, slots=True)
class LimitSource:
    """A limit that somebody published. ``note`` says what it was set for, which is seldom what is measured here."""

    key: str
    scale: str
    limit: Limit
    note: str


SOURCES: tuple[LimitSource, ...] = (
    LimitSource(
        "ema-0.09",
        "residual",
        Limit(
            0.09,
            phrase("European Medicines Agency, Policy 0070, and Health Canada, Public Release of Clinical Information"),
            "2016, 2019",
        ),
        phrase(
            "Set as the largest tolerable chance of re-identification of a patient in published clinical reports. "
            "Used for a residual it is an analogy that the reader has to accept."
        ),
    ),
    LimitSource(
        "published-control",
        "auc",
        Limit(0.6, phrase("The limit by which this program judged its published games"), "2026"),
        phrase(
            "Not a norm: it states what was tested, not what is tolerable. It takes about 260 trainings to tell "
            "an AUC of 0.60 from guessing in 8 of 10 audits; 60 trainings mostly miss it."
        ),
    ),
)
"""What is on the list. Everything on it is somebody's judgement for some purpose; none is a proof of anonymity."""
NOBODY = phrase("set by the user of this report")
"""The source of a limit of which nobody said who set it."""


def own(value: float, who: str = "", date: str = "") -> Limit:
    """A limit the user sets; ``who`` decided it."""
    return Limit(value, who or NOBODY, date)


def source(key: str) -> LimitSource | None:
    """The published limit of that key."""
    return next((published for published in SOURCES if published.key == key), None)


def limits_as_dict(limits: Mapping[str, Limit]) -> dict[str, dict[str, Any]]:
    """Limits as plain values, for the store and for JSON."""
    return {question: limit.as_dict() for question, limit in limits.items()}


def limits_from_dict(stored: Mapping[str, Any]) -> dict[str, Limit]:
    """The limits that :func:`limits_as_dict` wrote."""
    return {str(question): Limit.from_dict(limit) for question, limit in stored.items()}


@dataclass(frozen=True, slots=True)
class Control:
    """The positive control: a leak that we planted ourselves, to see whether the attacks find one.

    ``is_there`` where one was planted; it counts as found for limits below ``found_below``. ``weakest`` is the number
    that decides it, None where there is none. ``missed`` says why the absence of a leak cannot be shown whatever that
    number, and ``remedy`` what would change that.
    """

    is_there: bool
    found_below: float
    sentence: str
    weakest: Estimate | None = None
    missed: str = ""
    remedy: str = ""

    @classmethod
    def none(cls, sentence: str, *, missed: str = "", remedy: str = "") -> Control:
        """No leak was planted."""
        return cls(False, -math.inf, sentence, missed=missed, remedy=remedy)


ENDS: Mapping[str, tuple[float, float]] = {
    "residual": (-math.inf, 1.0),
    "gain": (-math.inf, 1.0),
    "excess": (-1.0, 1.0),
}
"""Between which a value of a scale can lie, where that is not 0 and 1."""


SHARES, EXCESS = ("residual", "hits"), "excess"
"""Scales whose numbers are shares of people, and the one of differences of two such shares."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one verdict stands on.

    ``strongest`` has the highest lower end, ``widest`` the highest upper end of all that were looked at, both at the
    level that allows for ``looks``; None where nothing has a number. ``guess`` is what guessing reaches. With
    ``is_bound``, ``widest`` is the most that the best attack there can be reaches. ``lowest`` has the lowest lower
    end where an attack that is always wrong tells as much as one that is always right.

    ``is_complete``: everything that was asked gave a number; ``silent`` says in words what did not, where that is
    known. ``reasons`` are what stands in the way of one verdict or another. ``made`` of ``unit`` were played, where
    that is known without a number; ``seconds_each`` is what one more costs, 0 where no more of them can be made.
    ``chance`` is what :meth:`p` is, where the question kept what that takes.
    """

    scale: str
    guess: float
    strongest: Estimate | None
    widest: Estimate | None
    who: str
    looks: int
    control: Control
    unit: str = "training"
    lowest: Estimate | None = None
    is_complete: bool = True
    silent: str = ""
    reasons: tuple[Reason, ...] = ()
    seconds_each: float = 0.0
    made: int = 0
    is_bound: bool = False
    chance: Callable[[float], float | None] | None = field(default=None, compare=False, repr=False)

    @property
    def has_nothing_to_show(self) -> bool:
        """Whether its number is a bound of ε that bounds nothing: words stand in place of it."""
        of_epsilon = None if self.scale != EPSILON else self.strongest
        return of_epsilon is not None and of_epsilon.value < wording.SHOWN_AS_NOTHING

    def in_words(self, limit: float | None = None) -> str:
        """The one number of a question, as page, paper and command write it, in the unit of its scale."""
        strongest, marks = self.strongest, (self.guess, *(() if limit is None else (limit,)))
        if strongest is None:
            return "–"
        if self.scale == EXCESS:
            return wording.points_in_tenths(strongest, *marks)
        return (wording.share_in_tenths if self.scale in SHARES else wording.number)(strongest, *marks)

    def level_in_words(self, level: float) -> str:
        """A limit, or what guessing reaches, in the unit of that number."""
        if self.scale == EXCESS:
            return say("{points} points", points=decimal(100 * level, 1))
        return wording.tenths(level) if self.scale in SHARES else wording.level(level, self.strongest)

    def p(self, bar: float) -> float:
        """The chance that any of the looks shows so much, were the truth of none above ``bar``.

        Where its question does not say, it follows from the interval of the strongest, as if the error of that had been
        divided among the looks: too large at worst.
        """
        if self.strongest is None or self.strongest.value <= bar:
            return 1.0
        own = None if self.chance is None else self.chance(bar)
        if own is not None:
            return own
        return p_of_interval(self.strongest, bar, max(self.looks, 1), ENDS.get(self.scale, (0.0, 1.0)))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a limit makes of measurements.

    ``limit`` is None where nobody set one. ``why`` is the reason in a sentence and ``settle`` what would decide it;
    ``code`` names the reason for programs. ``reason`` is the reason alone, where ``why`` goes on with what the numbers
    could have shown.
    """

    verdict: Verdict
    limit: Limit | None
    why: str
    settle: str = ""
    code: str = ""
    figures: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""

    @property
    def shows_leak(self) -> bool:
        """Whether a leak is shown that nobody declared tolerable."""
        return self.verdict.shows_leak

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON: the word that every surface shows."""
        return {
            "word": str(self.verdict),
            "limit": None if self.limit is None else self.limit.as_dict(),
            "why": self.why,
            "settle": self.settle,
            "code": self.code,
        }
