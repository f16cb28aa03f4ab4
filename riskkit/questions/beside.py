"""Members beside people who were not in, by rules that never see who was: from hits to a result.

What such questions share. Each of them names people by many looks; what is tested and kept is the same.
:mod:`riskkit.questions.beside_result` is what is kept of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from riskkit.base import stages
from riskkit.core import Floats
from riskkit.errors import DesignError, message_of
from riskkit.games.bags import evened
from riskkit.games.mixed import MixedCrowd, mix
from riskkit.phrases import phrase
from riskkit.questions.beside_result import BesideResult, Counts, Judged, NamedRows, Planted, ShownLook
from riskkit.questions.blind import BlindGuess, without_release
from riskkit.questions.for_whom import SideRows, check_groups, of_hits
from riskkit.questions.refusals import NO_HOLDOUT, NO_RELEASE, not_in_use
from riskkit.show.for_whom import ForWhom
from riskkit.stats.looks import Looks, ScoredLooks, look_together, score_together
from riskkit.table.load import Tables
from riskkit.table.points import points_of

BLIND_PEOPLE = 2_000
"""Most people a side by whom it is looked whether the sides differ without the release."""

Hits = npt.NDArray[np.bool_]
R = TypeVar("R", bound=BesideResult)


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


def crowds(tables: Tables, plan: Any) -> tuple[MixedCrowd, MixedCrowd | str]:
    """Everybody whom the plan asks about; and the same with a leak planted, or the sentence why there is none.

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
        return crowd, crowd.planted()
    except DesignError as refusal:
        return crowd, message_of(refusal)


def result_of(
    kind: type[R],
    name: str,
    plan: Any,
    tables: Tables,
    crowd: MixedCrowd,
    looks: Sequence[Look],
    marks: LookMarks,
    control: tuple[MixedCrowd, LookMarks] | str,
) -> R:
    """The result of a run; its ``records`` say who is named by what.

    Parameters
    ----------
    kind
        The type of the result.
    name
        What the estimate of a share is called.
    tables
        Of which the crowd was mixed.
    marks
        Whom of the people asked about each look names.
    control
        The crowd with the planted leak and whom the same looks name there, or the sentence why there is none.
    """
    stages.say(phrase("Labels dealt anew"))
    tested = marks.together(crowd, plan.level)
    planted = control if isinstance(control, str) else control[1].together(control[0], plan.level)
    stages.say(phrase("What the numbers mean"))
    counts = Counts(crowd.count(True), crowd.count(False), len(crowd.release), len(looks))
    result = kind(
        plan=plan, counts=counts, blind=without(crowd, plan.level), control=_control(control, planted), notes=()
    )
    if isinstance(tested, str):
        return replace(result, notes=(tested,))
    _, low, high = tested.residual
    shown = _shown(looks, tested)
    judged = {"strongest": shown[0], "widest": int(np.argmax(high)), "lowest": int(np.argmin(low))}
    rows, is_in = crowd.row[crowd.asked], crowd.is_in[crowd.asked]
    return replace(
        result,
        counts=replace(counts, deals=tested.deals),
        estimates=tuple(e.labelled(known=looks[n].known) for n in shown for e in tested.estimates(n, name)),
        shown=tuple(_look(looks[n], marks.named[n], is_in, float(tested.p[n])) for n in shown),
        judged={
            which: Judged(
                tested.estimates(n, name)[2].labelled(known=looks[n].known),
                looks[n].columns,
                looks[n].how,
                marks.span(n),
            )
            for which, n in judged.items()
        },
        for_whom=None if result.blind.apart else _for_whom(tables, plan, crowd, looks[shown[0]], marks, shown[0]),
        records=tuple(NamedRows(looks[n].known, np.sort(rows[is_in & marks.named[n]])) for n in shown),
    )


def _for_whom(tables: Tables, plan: Any, crowd: MixedCrowd, look: Look, marks: LookMarks, place: int) -> ForWhom:
    """For whom that look, the strongest, finds more members than others; whoever was chosen by sides stays so."""
    assert tables.holdout is not None
    hit = marks.named[place].astype(np.float64) if marks.score is None else marks.score[place]
    persons, is_in, row = tables.persons, crowd.is_in[crowd.asked], crowd.row[crowd.asked]
    members = SideRows.of(tables.real, row[is_in], hit[is_in], None if persons is None else persons.real)
    others = SideRows.of(tables.holdout, row[~is_in], hit[~is_in], None if persons is None else persons.of_holdout)
    return of_hits(members, others, look.known, plan.by, crowd.rng("groups"), plan.level)


def _shown(looks: Sequence[Look], tested: Looks | ScoredLooks) -> list[int]:
    """The strongest look of each group, by its lower end; the strongest of all first."""
    value, low, _ = tested.residual
    order = sorted(range(len(looks)), key=lambda n: (-low[n], -value[n], n))
    first: dict[Hashable, int] = {}
    for n in order:
        first.setdefault(looks[n].group, n)
    return list(first.values())


def _look(look: Look, named: Hits, is_in: Hits, p: float) -> ShownLook:
    return ShownLook(look.known, look.columns, look.how, int((named & is_in).sum()), int((named & ~is_in).sum()), p)


def _control(control: tuple[MixedCrowd, LookMarks] | str, planted: Looks | ScoredLooks | str) -> Planted:
    """The strongest residual of the planted leak, and what was planted."""
    if isinstance(control, str) or isinstance(planted, str):
        return Planted(None, 0, str(control if isinstance(control, str) else planted))
    strongest = planted.estimates(int(np.argmax(planted.residual[1])), "")[2]
    crowd = control[0]
    return Planted(strongest, crowd.copies, "", len(crowd.release), int(crowd.is_in.sum()))


def without(crowd: MixedCrowd, level: float) -> BlindGuess:
    """How well the sides are told apart without the release, by some of the people asked about."""
    people = crowd.people.rows(crowd.asked)
    is_in, record = crowd.is_in[crowd.asked], np.unique(people.keys(), return_inverse=True)[1].astype(np.int64)
    sides = [np.bincount(record[is_in == side], minlength=record.max() + 1).astype(np.int64) for side in (True, False)]
    stays = (evened(sides[0], sides[1], crowd.rng("blind", "evened")) & ~((sides[0] > 0) & (sides[1] > 0)))[record]
    rows = np.concatenate([np.flatnonzero(stays & (is_in == side))[:BLIND_PEOPLE] for side in (True, False)])
    if not is_in[rows].any() or is_in[rows].all():
        return BlindGuess(
            None, None, 0, False, phrase("On one side nobody is left whose row stands in one table alone.")
        )
    rows.sort()
    return without_release(points_of((people.rows(rows),))[0], record[rows], is_in[rows], crowd.rng, level)
