"""Members beside people who were not in, by rules that never see who was: from hits to a result.

What such questions share. Each of them names people by many looks; what is tested and kept is the same.
:mod:`riskkit.questions.beside_section` reads it back.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Floats
from riskkit.errors import DesignError, told
from riskkit.games.evened import evened
from riskkit.games.mixed import Crowd, mix
from riskkit.phrases import phrase
from riskkit.plans import Plan
from riskkit.questions.blind import Blind, without_release
from riskkit.questions.refusals import NO_HOLDOUT, NO_RELEASE, not_in_use
from riskkit.questions.result import Plain
from riskkit.stats.looks import Looks, look_together
from riskkit.stats.scored import Scored, score_together
from riskkit.table.load import Tables
from riskkit.table.points import points_of

BLIND_PEOPLE = 2_000
"""Most people a side by whom it is looked whether the sides differ without the release."""

PRIVATE = frozenset({"records"})
"""What is kept for those who may see rows, and is no part of a result that is passed on."""

Hits = npt.NDArray[np.bool_]


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
class Marks:
    """Whom of the people asked about each look names (n_looks, n_asked).

    Where some people count more than others, ``score`` (n_looks, n_asked) says how much, at most ``span`` (n_looks,).
    """

    named: Hits
    score: Floats | None = None
    span: Floats | None = None

    def together(self, crowd: Crowd, level: float) -> Looks | Scored | str:
        """Members beside others by all looks, or the sentence why that cannot be said."""
        is_in, rng = crowd.is_in[crowd.asked], crowd.rng("labels")
        try:
            if self.score is None or self.span is None:
                return look_together(self.named, is_in, rng, level=level)
            return score_together(self.score, self.span, is_in, rng, level=level)
        except DesignError as refusal:
            return told(refusal)


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


def crowds(tables: Tables, max_rows: int, seed: int) -> tuple[Crowd, Crowd | str]:
    """Everybody who is asked about; and the same with a leak planted, or the sentence why there is none.

    Raises
    ------
    DesignError
        A file is missing, or has no row.
    """
    if tables.synthetic is None:
        raise DesignError(NO_RELEASE)
    if tables.holdout is None:
        raise DesignError(NO_HOLDOUT)
    crowd = mix(tables.real, tables.synthetic, tables.holdout, max_rows=max_rows, seed=seed)
    try:
        return crowd, crowd.planted()
    except DesignError as refusal:
        return crowd, told(refusal)


def result_of(
    name: str,
    plan: Plan,
    level: float,
    crowd: Crowd,
    looks: Sequence[Look],
    marks: Marks,
    control: tuple[Crowd, Marks] | str,
) -> Plain:
    """The result of a run; its ``records`` say who is named by what.

    Parameters
    ----------
    name
        What the estimate of a share is called.
    marks
        Whom of the people asked about each look names.
    control
        The crowd with the planted leak and whom the same looks name there, or the sentence why there is none.
    """
    settings = {
        "question": plan.question,
        "random": "which people of the population were in; the release is fixed",
        "unit": "record",
        **plan.as_dict(),
        "n_members": crowd.count(True),
        "n_holdout": crowd.count(False),
        "n_release": len(crowd.release),
        "looks": len(looks),
    }
    tested = marks.together(crowd, level)
    planted = control if isinstance(control, str) else control[1].together(control[0], level)
    blind = without(crowd, level)
    out: dict[str, Any] = {
        "estimates": [],
        "settings": settings,
        "shown": [],
        "judged": {},
        "blind": blind.as_dict(),
        "notes": [],
        "control": _control(control, planted),
        "records": [],
    }
    if isinstance(tested, str):
        return Plain(plan, {**out, "notes": [tested]}, PRIVATE)
    _, low, high = tested.residual
    shown = _shown(looks, tested)
    by_look = {look: [e.labelled(known=looks[look].known) for e in tested.estimates(look, name)] for look in shown}
    judged = {"strongest": shown[0], "widest": int(np.argmax(high)), "lowest": int(np.argmin(low))}
    rows, is_in = crowd.row[crowd.asked], crowd.is_in[crowd.asked]
    values = {
        **out,
        "estimates": [e.as_dict() for each in by_look.values() for e in each],
        "settings": {**settings, "deals": tested.deals},
        "shown": [_look(looks[at], marks.named[at], is_in, float(tested.p[at])) for at in shown],
        "judged": {
            which: tested.estimates(at, name)[2].labelled(known=looks[at].known).as_dict()
            | {"columns": list(looks[at].columns), "how": looks[at].how}
            | {"span": 1.0 if marks.span is None else float(marks.span[at])}
            for which, at in judged.items()
        },
        "records": [{"known": looks[at].known, "row": np.sort(rows[is_in & marks.named[at]]).tolist()} for at in shown],
    }
    return Plain(plan, values, PRIVATE)


def _shown(looks: Sequence[Look], tested: Looks | Scored) -> list[int]:
    """The strongest look of each group, by its lower end; the strongest of all first."""
    value, low, _ = tested.residual
    order = sorted(range(len(looks)), key=lambda at: (-low[at], -value[at], at))
    first: dict[Hashable, int] = {}
    for at in order:
        first.setdefault(looks[at].group, at)
    return list(first.values())


def _look(look: Look, named: npt.NDArray[np.bool_], is_in: npt.NDArray[np.bool_], p: float) -> dict[str, Any]:
    return {
        "known": look.known,
        "columns": list(look.columns),
        "how": look.how,
        "members": int((named & is_in).sum()),
        "holdout": int((named & ~is_in).sum()),
        "p": p,
    }


def _control(control: tuple[Crowd, Marks] | str, planted: Looks | Scored | str) -> dict[str, Any]:
    """The strongest residual of the planted leak, and what was planted."""
    if isinstance(control, str) or isinstance(planted, str):
        return {"residual": None, "copies": 0, "why": str(control if isinstance(control, str) else planted)}
    at = int(np.argmax(planted.residual[1]))
    crowd = control[0]
    return {
        "residual": planted.estimates(at, "")[2].as_dict(),
        "copies": crowd.copies,
        "rows": len(crowd.release),
        "people": int(crowd.is_in.sum()),
        "why": "",
    }


def without(crowd: Crowd, level: float) -> Blind:
    """How well the sides are told apart without the release, by some of the people asked about."""
    people = crowd.people.rows(crowd.asked)
    is_in, record = crowd.is_in[crowd.asked], np.unique(people.keys(), return_inverse=True)[1].astype(np.int64)
    sides = [np.bincount(record[is_in == side], minlength=record.max() + 1).astype(np.int64) for side in (True, False)]
    stays = (evened(sides[0], sides[1], crowd.rng("blind", "evened")) & ~((sides[0] > 0) & (sides[1] > 0)))[record]
    at = np.concatenate([np.flatnonzero(stays & (is_in == side))[:BLIND_PEOPLE] for side in (True, False)])
    if not is_in[at].any() or is_in[at].all():
        return Blind(None, None, 0, False, phrase("On one side nobody is left whose row stands in one table alone."))
    at.sort()
    return without_release(points_of((people.rows(at),))[0], record[at], is_in[at], crowd.rng, level)
