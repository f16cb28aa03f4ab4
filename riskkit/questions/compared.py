"""Members beside people who were not in, by rules that never see who was: what such questions share.

A rule, called a look, names people; the base asks whether it names more members than others, allows for the number of
looks, plants a leak that they ought to find, and asks whether the sides differ without the release. A question of this
kind has rules of its own and nothing else: :mod:`riskkit.questions.singling_out`, ``linkability`` and
``reconstruction``. :mod:`riskkit.questions.compared_present` says what came of it.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit import language
from riskkit.base import stages
from riskkit.core import Bools, Estimate, Floats, Ints, Scores, Table
from riskkit.errors import DesignError, message_of
from riskkit.games.bags import balanced_records
from riskkit.games.blind import blind
from riskkit.games.mixture import MixedCrowd, mix
from riskkit.parameters import Option
from riskkit.phrases import Phrase, phrase
from riskkit.plain import entry
from riskkit.questions.for_whom import SideRows, by_hits, check_groups
from riskkit.questions.forecasts import PILOT, Forecast, cut, pilot
from riskkit.questions.refusals import NO_HOLDOUT, NO_RELEASE, not_in_use
from riskkit.questions.result import Typed
from riskkit.show.for_whom import ForWhom
from riskkit.show.run_finding import GROUP
from riskkit.stats import permutation, records
from riskkit.stats.looks import Looks, ScoredLooks, look_together, score_together
from riskkit.stats.permutation import ends_by_test
from riskkit.table.evidence.other_people import SharedPeople
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons
from riskkit.table.points import RowPoints, points_of

# What is known of a person: names of columns on a command line, and in words, of many the first.
#
# A result keeps them in English; :func:`again` says them in the language of the page.


def columns_from(texts: Sequence[str]) -> tuple[str, ...]:
    """The columns in ``age,sex,"a, b"``; one with a comma stands in quotes."""
    rows = csv.reader(texts, skipinitialspace=True)
    return tuple(name.strip() for row in rows for name in row if name.strip())


def _spell(column: str) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow([column])
    return out.getvalue()


LIST = Option(metavar="COLUMN,...", write=_spell, several=columns_from)
"""How a command line lists columns."""
SHORT = 6
"""Names of columns that are written out."""
_GROUPED = re.compile(r"(?P<known>.*) \(numbers in (?P<groups>\d+) groups\)", re.DOTALL)


def shorten_names(columns: Sequence[str]) -> Phrase:
    """The names of columns; of many the first, and how many more there are."""
    if len(columns) <= SHORT:
        return phrase("{columns}", columns=tuple(columns))
    return phrase("{columns} and {more} more", columns=tuple(columns[: SHORT - 2]), more=len(columns) - SHORT + 2)


def grouped_names(columns: Sequence[str], groups: int) -> Phrase:
    """The same of columns whose numbers are known as one of so many groups."""
    return phrase("{known} (numbers in {groups} groups)", known=shorten_names(columns), groups=groups)


def halves(half: Sequence[str], other: Sequence[str]) -> Phrase:
    """The columns of one file, and those of the other."""
    return phrase("{one} | {other}", one=shorten_names(half), other=shorten_names(other))


def again(text: str, columns: Sequence[str]) -> str:
    """What one of these wrote of the columns, in the language of this process; any other text as it is."""
    made = [shorten_names(columns)]
    if match := _GROUPED.fullmatch(text):
        made.append(grouped_names(columns, int(match["groups"])))
    made += [halves(columns[:place], columns[place:]) for place in range(1, len(columns))]
    return next((language.again(candidate) for candidate in made if candidate == text), text)


# How well members and holdout are told apart without the release: what a leak must be more than.


DEALS = 2_499
"""Most times that the look without the release learns from labels dealt anew."""


@dataclass(frozen=True, slots=True, eq=False)
class BlindGuess:
    """How well the sides are told apart without the release.

    ``apart`` where that is shown; ``p`` is the chance to see it where there is no difference, from ``permutations``
    deals of the labels. ``why`` says why there is no number.
    """

    auc: Estimate | None
    p: float | None
    permutations: int
    apart: bool
    why: str = ""
    scores: Scores | None = field(default=None, metadata=entry(is_kept=False))

    @property
    def chance(self) -> float:
        """The p-value; 1 where there is no number."""
        return 1.0 if self.p is None else self.p


def without_release(
    targets: RowPoints,
    record: Ints,
    is_in: Bools,
    rng: Callable[..., np.random.Generator],
    level: float,
    owner: Ints | None = None,
) -> BlindGuess:
    """How well the sides are told apart by one who learns from half of the people asked about, and sees no release.

    Parameters
    ----------
    targets, record, is_in : (n,)
        The people, which record each is, and the truth; no record is of both sides.
    rng
        The stream of some labels.
    level
        The chance not to tell apart what is not.
    owner : (n_rows,), optional
        Where people have several rows: the place of each row's person among ``record`` and ``is_in``.
    """
    learner = blind(targets, record, rng("blind"), owner)
    scores = Scores(learner.score(is_in), is_in, record, record * 0, "without the release")
    try:
        auc = records.auc(scores, level=2 * level - 1)
    except DesignError as refusal:
        return BlindGuess(None, None, 0, False, message_of(refusal))
    p, deals = permutation.p_of_relearnt(learner.scores, is_in, record, DEALS, rng("blind", "labels"))
    apart = p <= 1 - level
    return BlindGuess(ends_by_test(auc, auc.high, apart), p, deals, apart, "", scores)


# What a question counts where a column says whose row a row is: people or households, each with all their rows.


@dataclass(frozen=True, slots=True)
class Several:
    """The unit where people or households have several rows: most and mean rows of one of the real table."""

    unit: str
    most_rows: int
    mean_rows: float


def group_unit(rows: int) -> Several:
    """The unit where a group of so many rows was named."""
    return Several(GROUP, rows, float(rows))


def unit_of(persons: Persons | None) -> Several | None:
    """The unit; None where each has one row."""
    if persons is None or not persons.has_several_rows:
        return None
    rows = np.unique(persons.real, return_counts=True)[1]
    return Several(str(persons.unit), int(rows.max()), round(float(rows.mean()), 2))


@dataclass(frozen=True, slots=True)
class Counts:
    """Who was asked about, rows of the release, and looks; ``deals`` of the labels, None where nothing was tested."""

    n_members: int
    n_holdout: int
    n_release: int
    looks: int
    deals: int | None = field(default=None, metadata=entry(is_left_out=True))


@dataclass(frozen=True, slots=True)
class ShownLook:
    """A look that is shown: its columns and the code of its method, people named on either side, and its p-value."""

    known: str
    columns: tuple[str, ...]
    how: str
    members: int
    holdout: int
    p: float


@dataclass(frozen=True, slots=True)
class Judged:
    """A look that the judge takes: the share of members less that of others; a person counts at most ``span``."""

    residual: Estimate = field(metadata=entry(is_spread=True))
    columns: tuple[str, ...]
    how: str
    span: float

    @property
    def known(self) -> str:
        """What is known, in words."""
        return self.residual.labels["known"]


@dataclass(frozen=True, slots=True)
class Planted:
    """The strongest residual of the planted leak: ``copies`` of ``people`` among ``rows``; ``why`` there is none."""

    residual: Estimate | None
    copies: int
    why: str
    rows: int | None = field(default=None, metadata=entry(is_left_out=True))
    people: int | None = field(default=None, metadata=entry(is_left_out=True))


@dataclass(frozen=True, slots=True, eq=False)
class NamedRows:
    """The rows of members whom a look names (n,)."""

    known: str
    row: Ints


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedResult(Typed):
    """A finished plan.

    Of ``shown``, the strongest look of each group, ``estimates`` has three each, in order: share of members, of others,
    and the one less the other. ``judged`` are the looks with the highest lower end (``strongest``), the highest upper
    (``widest``) and the lowest lower end (``lowest``) of all; empty where nothing could be tested. By the strongest
    ``for_whom`` compares groups of people.
    """

    plan: Any
    counts: Counts = field(metadata=entry("settings"))
    blind: BlindGuess
    control: Planted
    notes: tuple[str, ...]
    estimates: tuple[Estimate, ...] = ()
    shown: tuple[ShownLook, ...] = ()
    judged: Mapping[str, Judged] = field(default_factory=dict)
    for_whom: ForWhom | None = field(default=None, metadata=entry(is_left_out=True))
    records: tuple[NamedRows, ...] = field(default=(), metadata=entry(of_people=True))

    @property
    def is_apart(self) -> bool:
        """See :attr:`riskkit.questions.result.Typed.is_apart`."""
        return self.blind.apart


ATTACK, CONTROL = "attack", "control"
"""The crowd as it is, and that with the planted leak."""
BLIND_PEOPLE = 2_000
"""Most people a side by whom it is looked whether the sides differ without the release."""

Hits = npt.NDArray[np.bool_]
R = TypeVar("R", bound=ComparedResult)


@dataclass(frozen=True, slots=True)
class Look:
    """One rule that names people: ``known`` in words, and the ``columns`` it is about.

    Of the looks of one ``group`` the strongest is shown. ``how`` is the code of its method, where there are several.
    """

    known: str
    columns: tuple[str, ...]
    group: Hashable
    how: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LookMarks:
    """Whom of the people asked about each look names (n_looks, n_asked).

    Where some people count more than others, ``score`` (n_looks, n_asked) says how much, and ``most`` of the same shape
    how much it would be were all of a person right.
    """

    named: Hits
    score: Floats | None = None
    most: Floats | None = None

    def span(self, look: int) -> float:
        """How many people of the middle the one who counts most is worth, by that look."""
        return 1.0 if self.most is None else float(self.most[look].max() / self.most[look].mean())

    def together(self, crowd: MixedCrowd, level: float) -> Looks | ScoredLooks | str:
        """Members beside others by all looks, or the sentence why that cannot be said."""
        is_in, rng = crowd.is_in[crowd.asked], crowd.rng("labels")
        try:
            if self.score is None or self.most is None:
                return look_together(self.named, is_in, rng, level=level)
            return score_together(self.score, self.most, is_in, rng, level=level)
        except DesignError as refusal:
            return message_of(refusal)


def columns_of(tables: Tables, wanted: Sequence[str]) -> tuple[str, ...]:
    """The columns by which people are known: those of that name, or all in use.

    Raises
    ------
    DesignError
        A column that does not exist or is not in use.
    """
    used = tuple(column.name for column in tables.schema.modelled)
    for name in wanted:
        tables.schema.column(name)
        if name not in used:
            raise DesignError(not_in_use(name))
    return tuple(name for name in used if name in wanted) if wanted else used


@dataclass(frozen=True, slots=True, eq=False)
class Crowds:
    """Everybody whom a plan asks about (``attack``), and the same with a leak planted (``control``).

    Where no leak could be planted there is no ``control``, and ``why`` says so in a sentence.
    """

    by: Mapping[str, MixedCrowd]
    why: str = ""

    @classmethod
    def mix(cls, tables: Tables, plan: Any) -> Crowds:
        """The people of these tables.

        Raises
        ------
        DesignError
            A file is missing, or has no row, or people cannot be grouped by a column.
        """
        if tables.synthetic is None:
            raise DesignError(NO_RELEASE)
        if tables.holdout is None:
            raise DesignError(NO_HOLDOUT)
        check_groups(tables.real, plan.by)
        crowd = mix(
            tables.real,
            tables.synthetic,
            tables.holdout,
            max_rows=plan.max_rows,
            seed=plan.seed,
            in_both=tables.in_both,
        )
        try:
            return cls({ATTACK: crowd, CONTROL: crowd.plant()})
        except DesignError as refusal:
            return cls({ATTACK: crowd}, message_of(refusal))

    @property
    def attack(self) -> MixedCrowd:
        """Everybody as they are."""
        return self.by[ATTACK]


def result_of(
    kind: type[R],
    name: str,
    plan: Any,
    tables: Tables,
    crowds: Crowds,
    looks: Sequence[Look],
    marks: Mapping[str, LookMarks],
) -> R:
    """The result of a run; its ``records`` say who is named by what.

    Parameters
    ----------
    kind
        The type of the result.
    name
        What the estimate of a share is called.
    tables
        Of which the crowds were mixed.
    marks
        Whom each look names in each crowd.
    """
    stages.say(phrase("Labels permuted"))
    crowd, attack = crowds.attack, marks[ATTACK]
    tested = attack.together(crowd, plan.level)
    control = _control(crowds, marks, plan.level)
    stages.say(phrase("What the numbers mean"))
    counts = Counts(crowd.count(True), crowd.count(False), len(crowd.release), len(looks))
    assert tables.synthetic is not None
    assert tables.holdout is not None
    guess = without.__wrapped__ if tables.is_large else without  # what is kept keeps its tables in memory
    blind = guess(tables.real, tables.synthetic, tables.holdout, tables.in_both, plan.seed, plan.level)
    result = kind(plan=plan, counts=counts, blind=blind, control=control, notes=())
    if isinstance(tested, str):
        return replace(result, notes=(tested,))
    _, low, high = tested.residual
    shown = _shown_looks(looks, tested)
    judged = {"strongest": shown[0], "widest": int(np.argmax(high)), "lowest": int(np.argmin(low))}
    rows, is_in = crowd.row[crowd.asked], crowd.is_in[crowd.asked]
    return replace(
        result,
        counts=replace(counts, deals=tested.deals),
        estimates=tuple(e.label(known=looks[n].known) for n in shown for e in tested.estimates(n, name)),
        shown=tuple(_look(looks[n], attack.named[n], is_in, float(tested.p[n])) for n in shown),
        judged={
            which: Judged(
                tested.estimates(n, name)[2].label(known=looks[n].known),
                looks[n].columns,
                looks[n].how,
                attack.span(n),
            )
            for which, n in judged.items()
        },
        for_whom=None if result.blind.apart else _for_whom(tables, plan, crowd, looks[shown[0]], attack, shown[0]),
        records=tuple(NamedRows(looks[n].known, np.sort(rows[is_in & attack.named[n]])) for n in shown),
    )


def _for_whom(tables: Tables, plan: Any, crowd: MixedCrowd, look: Look, marks: LookMarks, place: int) -> ForWhom:
    """For whom that look, the strongest, finds more members than others; whoever was chosen by sides stays so."""
    assert tables.holdout is not None
    hit = marks.named[place].astype(np.float64) if marks.score is None else marks.score[place]
    persons, is_in, row = tables.persons, crowd.is_in[crowd.asked], crowd.row[crowd.asked]
    members = SideRows.take(tables.real, row[is_in], hit[is_in], None if persons is None else persons.real)
    others = SideRows.take(
        tables.holdout, row[~is_in], hit[~is_in], None if persons is None else persons.holdout_persons
    )
    return by_hits(members, others, look.known, plan.by, crowd.rng("groups"), plan.level)


def _shown_looks(looks: Sequence[Look], tested: Looks | ScoredLooks) -> list[int]:
    """The strongest look of each group, by its lower end; the strongest of all first."""
    value, low, _ = tested.residual
    order = sorted(range(len(looks)), key=lambda n: (-low[n], -value[n], n))
    first: dict[Hashable, int] = {}
    for n in order:
        first.setdefault(looks[n].group, n)
    return list(first.values())


def _look(look: Look, named: Hits, is_in: Hits, p: float) -> ShownLook:
    return ShownLook(look.known, look.columns, look.how, int((named & is_in).sum()), int((named & ~is_in).sum()), p)


def _control(crowds: Crowds, marks: Mapping[str, LookMarks], level: float) -> Planted:
    """The strongest residual of the planted leak, and what was planted."""
    if CONTROL not in crowds.by:
        return Planted(None, 0, str(crowds.why))
    crowd = crowds.by[CONTROL]
    planted = marks[CONTROL].together(crowd, level)
    if isinstance(planted, str):
        return Planted(None, 0, str(planted))
    strongest = planted.estimates(int(np.argmax(planted.residual[1])), "")[2]
    return Planted(strongest, crowd.copies, "", len(crowd.release), int(crowd.is_in.sum()))


@lru_cache(maxsize=1)  # the next question of an audit is asked of the same tables
def without(
    real: Table, release: Table, holdout: Table, in_both: SharedPeople | None, seed: int, level: float
) -> BlindGuess:
    """How well the sides are told apart without the release, by :data:`BLIND_PEOPLE` a side whoever is asked about."""
    crowd = mix(real, release, holdout, max_rows=BLIND_PEOPLE, seed=seed, in_both=in_both)
    people = crowd.people.rows(crowd.asked)
    is_in, record = crowd.is_in[crowd.asked], np.unique(people.keys(), return_inverse=True)[1].astype(np.int64)
    sides = [np.bincount(record[is_in == side], minlength=record.max() + 1).astype(np.int64) for side in (True, False)]
    evened = balanced_records(sides[0], sides[1], crowd.rng("blind", "evened"))
    rows = np.flatnonzero((evened & ~((sides[0] > 0) & (sides[1] > 0)))[record])
    if not is_in[rows].any() or is_in[rows].all():
        return BlindGuess(
            None, None, 0, False, phrase("On one side nobody is left whose row stands in one table alone.")
        )
    return without_release(points_of((people.rows(rows),))[0], record[rows], is_in[rows], crowd.rng, level)


def forecast(run: Callable[..., Any], tables: Tables, plan: Any, *, workers: int = 1) -> Forecast:
    """How long ``run`` takes with that plan, and how many are asked about on either side at most.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    most = int(getattr(plan, "max_rows", 0)) or len(tables.real)  # what only counts looks at all rows
    n_in, n_out = (0 if table is None else min(len(table), most) for table in (tables.real, tables.holdout))
    size = max([n_in, n_out, *(len(table) for table in (tables.synthetic,) if table is not None)])
    seed = getattr(plan, "seed", 0)  # a plan that draws nothing has none
    # Of fewer rows the work grows faster than of many, and a trial would foretell several times too much.
    trial = pilot(lambda rows: partial(run, cut(tables, rows, seed), plan), size, PILOT)
    return Forecast(trial.loads + trial.whole / max(workers, 1), {"n_in": n_in, "n_out": n_out})
