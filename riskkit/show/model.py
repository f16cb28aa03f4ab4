"""The findings of a whole audit: what page, PDF, CSV, JSON and command line show, and nothing else shows numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from riskkit import wording
from riskkit.core import Estimate
from riskkit.judging.give_aways import GiveAway, State
from riskkit.judging.measurement import Judgement, Limit, Measured
from riskkit.judging.provenance import UNKNOWN, Cover, Provenance
from riskkit.judging.reasons import Reason
from riskkit.language import phrase
from riskkit.show.profile import Profile

if TYPE_CHECKING:  # they draw charts of this room
    from riskkit.show.blocks import Dots
    from riskkit.show.for_whom import ShownForWhom
    from riskkit.show.promise import Promised
    from riskkit.show.remedy import Lowered

RELEASE, FURTHER = "synthetic", "release_"
"""The slot of the released file, and how those of further releases of the same table begin."""
LOOKS = ("members", "others", "baseline", "ceiling", "control", "before", "after")
"""The kinds of lines that look the same in every chart."""
DIFFERENCE = "difference"
"""The kind of line that a verdict on two sides stands on: the one less the other, by chance 0."""
WHAT_IF = "what if"
"""The state of a question that was asked of methods alone which are not known to have made this release."""


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
    calculated with. ``provenance`` says how the release was made, and ``give_aways`` what the file says by itself.
    ``has_several_rows`` where people stand in several rows. ``remedies`` are the searches for what would lower a risk,
    as they are kept. ``people`` counts those of the real table. ``kept`` draws what the release keeps of
    it (:mod:`riskkit.audit.usefulness`). ``beside`` are the questions that do not apply to the files. ``uncured`` are
    those about its method that showed a leak before somebody changed its file.
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
    provenance: Provenance = UNKNOWN
    give_aways: tuple[GiveAway, ...] = ()
    has_several_rows: bool = False
    remedies: tuple[Mapping[str, Any], ...] = ()
    people: int = 0
    kept: Dots | None = None
    beside: frozenset[str] = frozenset()
    uncured: tuple[str, ...] = ()

    @property
    def released_rows(self) -> int:
        """Rows of the release, of several those of the longest; 0 where none is loaded."""
        return max((file.rows for file in releases_of(self.files)), default=0)


def releases_of(files: Iterable[File]) -> list[File]:
    """The files of releases among these; one, where the table was released once."""
    return [file for file in files if file.slot == RELEASE or file.slot.startswith(FURTHER)]


class Block(Protocol):
    """One piece of what a question shows; :mod:`riskkit.show.blocks` has the kinds there are."""

    @property
    def key(self) -> str:
        """Its name among the blocks of a view."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a chart of intervals; ``control`` is what the same reaches on the planted leak, ``limit`` its limit.

    ``kind`` is one of :data:`LOOKS`, :data:`DIFFERENCE`, ``above`` or ``held`` (whatever its interval
    says), or empty. ``about`` is written once over all that share it.
    """

    who: str
    estimate: Estimate
    kind: str = ""
    control: Estimate | None = None
    about: str = ""
    limit: float | None = None

    @property
    def name(self) -> str:
        """What it is, where it stands by itself."""
        return f"{self.who}: {self.about}" if self.about else self.who


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of intervals: what was measured of whom, beside guessing. ``sentence`` says what it shows.

    ``ends`` are those of its axis; ``as_shares`` says that its values are shares of people, told in per cent on an axis
    that ends where they do. Between the ends of ``luck`` a value may be luck; guessing reaches their middle.
    """

    sentence: str
    axis: str
    bars: tuple[Bar, ...]
    guess: float | None
    ends: tuple[float, float] = (0.0, 1.0)
    as_shares: bool = False
    key: str = "chart"
    caption: str = ""
    luck: tuple[float, float] | None = None

    def label(self, bar: Bar) -> str:
        """A value and its interval as they stand beside their line."""
        if not self.as_shares:
            return wording.number(bar.estimate)
        written = wording.points_in_tenths if bar.kind == DIFFERENCE else wording.share_in_tenths
        return written(bar.estimate)

    def headed(self) -> list[tuple[str, Bar]]:
        """Each line behind what is written over it: what it is about, where the one before is not."""
        before = ["", *(bar.about for bar in self.bars)]
        return [("" if bar.about == last else bar.about, bar) for bar, last in zip(self.bars, before, strict=False)]

    def guess_of(self, bar: Bar) -> float | None:
        """What guessing reaches on that line; None where nothing says it."""
        return 0.0 if bar.kind == DIFFERENCE else self.guess

    def role(self, bar: Bar) -> str:
        """What a line is to its reader: a kind that has a look of its own, ``above`` guessing, or empty."""
        if bar.kind in LOOKS:
            return bar.kind
        guess = self.guess_of(bar)
        is_above = guess is not None and bar.estimate.low > guess
        return "above" if bar.kind == "above" or (is_above and bar.kind != "held") else ""


def example(
    sentence: str,
    axis: str,
    rows: Mapping[str, tuple[float, float, float]],
    guess: float | None = None,
    *,
    ends: tuple[float, float] = (0.0, 1.0),
    as_shares: bool = False,
) -> Chart:
    """A picture of made-up numbers (value, low, high), which its sentence calls an example."""
    method = {True: wording.COUNTED, False: "made up"}
    bars = tuple(Bar(who, Estimate("example", *own, 0.95, method[own[1] == own[2]], 0)) for who, own in rows.items())
    return Chart(sentence, axis, bars, guess, ends, as_shares, key="example")


def sides(about: str, members: Estimate, others: Estimate, difference: Estimate | None = None) -> tuple[Bar, ...]:
    """Members above others: the one picture of what is found of people in the data beside people outside of it."""
    both = (
        Bar(phrase("members"), members, "members", about=about),
        Bar(phrase("others"), others, "others", about=about),
    )
    if difference is None:
        return both
    return (*both, Bar(phrase("difference; by chance 0"), difference, DIFFERENCE, about=about))


def example_sides(
    sentence: str,
    axis: str,
    about: str,
    members: tuple[float, float, float],
    others: tuple[float, float, float],
) -> Chart:
    """The same of made-up shares (value, low, high)."""
    shown = (Estimate("example", *numbers, 0.95, "made up", 0) for numbers in (members, others))
    return Chart(sentence, axis, sides(about, *shown), None, as_shares=True, key="example")


@dataclass(frozen=True, slots=True)
class AtRisk:
    """One record and the strongest attack on it. ``reference``: a row number, or a pseudonym where none may be told."""

    reference: str
    who: str
    estimate: Estimate


@dataclass(frozen=True, slots=True)
class Part:
    """One of several things that a run asked, judged by itself: a secret from a known set, say.

    ``of_release`` is False of one that speaks of a method that did not make this release.
    """

    title: str
    sentence: str
    measured: Measured
    of_release: bool = True


class Growing(Protocol):
    """What draws risk against the number of releases, with those above a limit that may move."""

    def chart(self, limit: float | None) -> Chart:
        """The chart; its sentence says after which release half of the people stand above the limit."""


class ExposureCounts(Protocol):
    """What counts people above a limit that may move."""

    def sentence(self, limit: float | None) -> str:
        """How many are exposed above the limit; above guessing without one."""


@dataclass(frozen=True, slots=True)
class RunFinding:
    """What one finished run found, in the words and with the names that the reader may see.

    ``what_if`` says what would have to be otherwise for it to be about this release, as far as is known; it is
    empty where the finding is about this release. ``parts`` are judged one by one where a run asks several things;
    ``counts`` say the sentence anew where it counts people above the limit. ``plain`` says the same in one breath;
    empty where the sentence is that short itself. ``brief`` is that without its numbers, for a list where these stand
    beside it; empty where ``plain`` has room there. ``charted`` draws the chart with a limit that may move.
    ``promises`` are those of private methods, beside what was seen of them. ``for_whom`` compares groups of people;
    ``lowered`` are the searches for the least change that would lower it. ``mendings`` are changes of the release that
    would, each the columns to make coarser as ``riskkit mend`` takes them. ``named`` counts those ``at_risk`` beside as
    many others. ``tested`` counts the people it asks about one by one; 0 where it asks about all together. ``change``
    says which of the things it tried lowers a leak; empty where its question says it of all runs alike. ``view`` is
    what its question shows of it, block by block.
    """

    id: str
    question: str
    sentence: str
    game: tuple[tuple[str, str], ...]
    measured: Measured
    estimates: tuple[Estimate, ...]
    limits: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str
    notes: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    chart: Chart | None = None
    at_risk: tuple[AtRisk, ...] = ()
    what_if: str = ""
    parts: tuple[Part, ...] = ()
    counts: ExposureCounts | None = None
    plain: str = ""
    brief: str = ""
    promises: tuple[Promised, ...] = ()
    growing: Growing | None = None
    charted: Callable[[float | None], Chart] | None = field(default=None, compare=False, repr=False)
    for_whom: ShownForWhom | None = None
    lowered: tuple[Lowered, ...] = ()
    mendings: tuple[tuple[str, ...], ...] = ()
    named: str = ""
    tested: int = 0
    change: str = ""
    view: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class WhatIf:
    """A finding about a method that did not make this release, and what its limit makes of it: never of the release."""

    finding: RunFinding
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class Answer:
    """What the audit says to one question.

    ``finding`` is the run the verdict stands on, ``others`` the rest about this release that finished on the same data,
    ``what_ifs`` those about methods that did not make it. ``judgement`` is None where nothing says anything of the
    release. ``state`` says how it stands where no run has finished; ``stopped`` counts the runs on the same data that
    ended before their end. ``applies`` where the files have what it is about.
    """

    question: str
    title: str
    asks: str
    state: str
    finding: RunFinding | None = None
    others: tuple[RunFinding, ...] = ()
    judgement: Judgement | None = None
    stopped: int = 0
    what_ifs: tuple[WhatIf, ...] = ()
    applies: bool = True

    @property
    def is_answered(self) -> bool:
        """Whether a run about this release has finished on the data as it is."""
        return self.finding is not None

    @property
    def is_what_if(self) -> bool:
        """Whether it was asked of methods alone that are not known to have made this release."""
        return self.state == WHAT_IF

    @property
    def shown(self) -> RunFinding | None:
        """What is shown of the question: the run the verdict stands on, else the first what-if."""
        return next(iter(self.findings), None)

    @property
    def findings(self) -> tuple[RunFinding, ...]:
        """Everything that finished on the data as it is, what the verdict stands on first and what-ifs last."""
        own = () if self.finding is None else (self.finding, *self.others)
        return (*own, *(what_if.finding for what_if in self.what_ifs))


@dataclass(frozen=True, slots=True)
class GiveAwayLine:
    """One give-away as every surface shows it; ``release`` is the number of the release, 0 where it is of all.

    ``brief`` is its sentence without the numbers that it stands on, where there is a shorter one.
    """

    code: str
    state: State
    sentence: str
    repair: str
    release: int = 0
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Reports:
    """A shareable report among all that were made about one real table.

    ``number`` counts them from 1 in the order they were first made; ``before`` of them, with other settings or of other
    releases, came earlier.
    """

    number: int
    before: int


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything a report says.

    ``made`` is a time in UTC. ``basis`` is the hash of files and runs, ``id`` that of them and the limits. ``asked_by``
    and ``purpose`` say who asked for a restricted report, and what for. ``made_by`` is how the release was made, in
    words; ``give_aways`` come first of all that is shown. ``profile`` says how they are laid out, and changes no number
    and no hash; ``doubts`` stand in the way of "within the limit" whatever the question; ``reports`` counts the
    shareable reports about this real table, None where nobody counts. ``titles`` are what people call a plug-in.
    ``cover`` is what the steward says of the release, ``people`` how many the real table has, ``kept`` what the release
    keeps of it. ``uncured`` is as in :class:`Given`. ``unguessed`` are columns that look sensitive and that attribute
    inference did not guess.
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
    made_by: str = ""
    give_aways: tuple[GiveAwayLine, ...] = ()
    doubts: tuple[Reason, ...] = ()
    profile: Profile | None = None
    reports: Reports | None = None
    titles: Mapping[str, str] = field(default_factory=dict)
    cover: Cover = field(default_factory=Cover)
    people: int = 0
    kept: Dots | None = None
    uncured: tuple[str, ...] = ()
    unguessed: tuple[str, ...] = ()

    @property
    def is_restricted(self) -> bool:
        """Whether it holds what only readers of the real table may see."""
        return self.kind is Class.RESTRICTED

    def answered(self) -> tuple[Answer, ...]:
        """The questions about which anything finished, what-ifs included."""
        return tuple(answer for answer in self.answers if answer.shown is not None)
