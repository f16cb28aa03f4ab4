"""The findings of a whole audit: what page, PDF, CSV, JSON and command line show, and nothing else shows numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from riskkit.core import Estimate
from riskkit.stats.verdict import Verdict


class Class(StrEnum):
    """Who may read a report."""

    SHAREABLE = "shareable"
    """Aggregates: no value, no name and no row number of the real table, small counts withheld."""
    RESTRICTED = "restricted"
    """Also names, row numbers and the command lines; for those who may see the real table."""


@dataclass(frozen=True, slots=True)
class File:
    """What was loaded into a slot; ``name`` is empty where it may not be told."""

    slot: str
    name: str
    sha256: str
    rows: int
    columns: int


@dataclass(frozen=True, slots=True)
class Played:
    """One run as it was kept.

    ``plan`` and ``result`` are its JSON; ``result`` is None where it has not finished. ``is_current`` says whether it
    was played on the data as it is now, ``error`` why it failed. Of ``total`` pieces of work (``unit``) ``done`` are
    done; the rest takes about ``seconds_left``, None where that is not known.
    """

    question: str
    id: str
    state: str
    plan: Mapping[str, Any]
    result: Mapping[str, Any] | None
    command: str = ""
    workers: int = 1
    error: str = ""
    is_current: bool = True
    unit: str = "unit"
    done: int = 0
    total: int = 0
    seconds_left: float | None = None


@dataclass(frozen=True, slots=True)
class Given:
    """All that a report is made from.

    ``columns`` are (name, kind, role) in the order of the real table. ``preparation`` are the problems of reading, as
    :meth:`riskkit.errors.Problem.as_dict` writes them. ``titles`` are what people call a plug-in, by its name; an
    attacker, generator or model of another name is somebody's own. ``knows`` says what the attacker of a membership
    attack has, ``distances`` names the attacks on a released file that measure how near rows lie and nothing else.
    ``key`` makes references to records that nobody can turn back without it. ``versions`` are those of what was
    calculated with.
    """

    audit: str
    files: tuple[File, ...]
    columns: tuple[tuple[str, str, str], ...]
    preparation: tuple[Mapping[str, Any], ...]
    runs: tuple[Played, ...]
    titles: Mapping[str, str]
    knows: Mapping[str, str]
    key: bytes
    versions: Mapping[str, str]
    distances: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit somebody set: the most leak that is tolerable, on the scale of a question, and who says so since when."""

    value: float
    source: str
    date: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"value": self.value, "source": self.source, "date": self.date}


@dataclass(frozen=True, slots=True)
class Control:
    """The planted leak. ``is_there`` where one was planted; it counts as found for limits below ``found_below``.

    ``weakest`` is the number that decides it; None where there is none. ``missed`` says why the absence of a leak
    cannot be shown whatever that number, and ``remedy`` what would change that.
    """

    is_there: bool
    found_below: float
    sentence: str
    weakest: Estimate | None = None
    missed: str = ""
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run's verdict stands on, whatever the limit.

    ``strongest`` has the highest lower end, ``widest`` the highest upper end of all that were looked at, both at the
    level that allows for ``looks``; None where nothing has a number. With ``is_bound``, ``widest`` is the most that the
    best attack there can be reaches. ``lowest`` is the lowest lower end where an attack
    that is always wrong tells as much as one that is always right. ``is_complete``: everything that was asked gave a
    number; ``silent`` says in words what did not, where that is known.
    ``blocked`` and ``no_absence`` say why nothing, or no absence of a leak, can be shown. ``made`` of ``unit`` were
    played, where that is known without a number; ``seconds_each`` is what one more costs, 0 where no more of them can
    be made.
    """

    scale: str
    guess: float
    strongest: Estimate | None
    widest: Estimate | None
    who: str
    looks: int
    control: Control
    unit: str = "training"
    lowest: float | None = None
    is_complete: bool = True
    silent: str = ""
    blocked: str = ""
    no_absence: str = ""
    seconds_each: float = 0.0
    made: int = 0
    is_bound: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a limit makes of measurements. ``limit`` is None where nobody set one; ``settle``: what would decide it."""

    verdict: Verdict
    limit: Limit | None
    why: str
    settle: str = ""

    @property
    def is_leak(self) -> bool:
        """Whether a leak is shown."""
        return self.verdict is Verdict.LEAK


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a chart of intervals."""

    who: str
    estimate: Estimate
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of intervals: what was measured of whom, beside guessing. ``sentence`` says what it shows."""

    sentence: str
    axis: str
    bars: tuple[Bar, ...]
    guess: float | None
    ends: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """A heatmap of estimates; None where there is no number. ``marked`` are the fields whose leak is shown."""

    sentence: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Estimate | None, ...], ...]
    marked: tuple[tuple[bool, ...], ...]


@dataclass(frozen=True, slots=True)
class Spot:
    """One release method on the frontier of privacy and usefulness."""

    who: str
    usefulness: float
    hits: Estimate
    is_uploaded: bool
    is_beaten: bool


@dataclass(frozen=True, slots=True)
class Frontier:
    """Usefulness against the hits of the best attacker; ``guess`` is what guessing hits."""

    sentence: str
    spots: tuple[Spot, ...]
    guess: float


@dataclass(frozen=True, slots=True)
class AtRisk:
    """One record and the strongest attack on it. ``reference``: a row number, or a pseudonym where none may be told."""

    reference: str
    who: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class RunFinding:
    """What one finished run found, in the words and with the names that the reader may see."""

    id: str
    question: str
    sentence: str
    game: tuple[tuple[str, str], ...]
    measured: Measured
    estimates: tuple[Estimate, ...]
    limits: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str
    seconds: float
    workers: int
    notes: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    chart: Chart | None = None
    grid: Grid | None = None
    frontier: Frontier | None = None
    at_risk: tuple[AtRisk, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the audit says to one question.

    ``finding`` is the run the verdict stands on, ``others`` the rest that finished on the same data. ``judgement`` is
    None where the question says nothing of the release. ``state`` says how it stands where no run has finished;
    ``stopped`` counts the runs on the same data that ended before their end.
    """

    question: str
    title: str
    asks: str
    state: str
    finding: RunFinding | None = None
    others: tuple[RunFinding, ...] = ()
    judgement: Judgement | None = None
    stopped: int = 0

    @property
    def is_answered(self) -> bool:
        """Whether a run of this question has finished on the data as it is."""
        return self.finding is not None


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything a report says.

    ``made`` is a time in UTC. ``basis`` is the hash of files and runs, ``id`` that of them and the limits. ``asked_by``
    and ``purpose`` say who asked for a restricted report, and what for.
    """

    basis: str
    id: str
    title: str
    made: str
    by: str
    kind: Class
    tells_columns: bool
    audit: str
    files: tuple[File, ...]
    schema: tuple[tuple[str, str, str], ...]
    preparation: tuple[Mapping[str, Any], ...]
    answers: tuple[Answer, ...]
    overall: Judgement
    limits: Mapping[str, Limit]
    version: str
    versions: Mapping[str, str] = field(default_factory=dict)
    asked_by: str = ""
    purpose: str = ""

    @property
    def is_restricted(self) -> bool:
        """Whether it holds what only readers of the real table may see."""
        return self.kind is Class.RESTRICTED

    def answered(self) -> tuple[Answer, ...]:
        """The questions that have an answer."""
        return tuple(answer for answer in self.answers if answer.is_answered)
