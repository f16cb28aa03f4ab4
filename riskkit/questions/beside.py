"""Members beside people who were not in, by rules that never see who was: from hits to a result, and from it a finding.

What such questions share. Each of them names people by many looks; what is kept, tested and judged is the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from riskkit.core import Estimate, Floats
from riskkit.discreet import Discreet
from riskkit.errors import DesignError
from riskkit.games.evened import evened
from riskkit.games.mixed import EXCHANGED, Crowd, mix
from riskkit.judging.measured import Control, Measured
from riskkit.judging.reasons import Reason
from riskkit.language import counted, say
from riskkit.plans import Plan
from riskkit.questions.blind import Blind, without_release
from riskkit.questions.known import again
from riskkit.questions.refusals import NO_HOLDOUT, NO_RELEASE, not_in_use
from riskkit.show.estimates import estimate
from riskkit.show.model import AtRisk, Bar, Given
from riskkit.show.names import Names
from riskkit.show.reasons import apart
from riskkit.stats.looks import Looks, look_together
from riskkit.stats.scored import Scored, score_together
from riskkit.table.load import Tables
from riskkit.table.points import points_of

BLIND_PEOPLE = 2_000
"""Most people a side by whom it is looked whether the sides differ without the release."""

PRIVATE = frozenset({"records"})
"""What is kept for those who may see rows, and is no part of a result that is passed on."""

NO_HOWS: Mapping[str, str] = {}
Hits = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BesideResult(Discreet):
    """A finished plan. ``result`` is what is kept; its ``records`` say who is named by what."""

    plan: Plan
    result: Mapping[str, Any]

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All estimates, those of the strongest look first."""
        return tuple(estimate(one) for one in self.result["estimates"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What must be said beside the numbers."""
        return tuple(self.result["notes"])

    def as_dict(self) -> dict[str, Any]:
        """All but who is named, as plain values; whatever the workers, the same."""
        return {name: value for name, value in self.result.items() if name not in PRIVATE}

    def kept(self) -> dict[str, Any]:
        """:meth:`as_dict` and who is named beside it; never for a report that is passed on."""
        return dict(self.result)


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
            return str(refusal)


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
        return crowd, str(refusal)


def kept_result(
    name: str,
    plan: Plan,
    level: float,
    crowd: Crowd,
    looks: Sequence[Look],
    marks: Marks,
    control: tuple[Crowd, Marks] | str,
) -> dict[str, Any]:
    """The result of a run as it is kept, plain values.

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
        "question": plan.question, "random": "which people of the population were in; the release is fixed",
        "unit": "record", **plan.as_dict(), "n_members": crowd.count(True), "n_holdout": crowd.count(False),
        "n_release": len(crowd.release), "looks": len(looks),
    }  # fmt: skip
    found = marks.together(crowd, level)
    planted = control if isinstance(control, str) else control[1].together(control[0], level)
    blind = without(crowd, level)
    out: dict[str, Any] = {
        "estimates": [], "settings": settings, "shown": [], "judged": {}, "blind": blind.as_dict(), "notes": [],
        "control": _control(control, planted), "records": [],
    }  # fmt: skip
    if isinstance(found, str):
        return {**out, "notes": [found]}
    _, low, high = found.residual
    shown = _shown(looks, found)
    by_look = {at: [e.labelled(known=looks[at].known) for e in found.estimates(at, name)] for at in shown}
    judged = {"strongest": shown[0], "widest": int(np.argmax(high)), "lowest": int(np.argmin(low))}
    rows, is_in = crowd.row[crowd.asked], crowd.is_in[crowd.asked]
    return {
        **out,
        "estimates": [e.as_dict() for each in by_look.values() for e in each],
        "settings": {**settings, "deals": found.deals},
        "shown": [_look(looks[at], marks.named[at], is_in, float(found.p[at])) for at in shown],
        "judged": {
            which: found.estimates(at, name)[2].labelled(known=looks[at].known).as_dict()
            | {"columns": list(looks[at].columns), "how": looks[at].how}
            | {"span": 1.0 if marks.span is None else float(marks.span[at])}
            for which, at in judged.items()
        },
        "records": [{"known": looks[at].known, "row": np.sort(rows[is_in & marks.named[at]]).tolist()} for at in shown],
    }


def _shown(looks: Sequence[Look], found: Looks | Scored) -> list[int]:
    """The strongest look of each group, by its lower end; the strongest of all first."""
    value, low, _ = found.residual
    order = sorted(range(len(looks)), key=lambda at: (-low[at], -value[at], at))
    first: dict[Hashable, int] = {}
    for at in order:
        first.setdefault(looks[at].group, at)
    return list(first.values())


def _look(look: Look, named: npt.NDArray[np.bool_], is_in: npt.NDArray[np.bool_], p: float) -> dict[str, Any]:
    return {
        "known": look.known, "columns": list(look.columns), "how": look.how, "members": int((named & is_in).sum()),
        "holdout": int((named & ~is_in).sum()), "p": p,
    }  # fmt: skip


def _control(control: tuple[Crowd, Marks] | str, planted: Looks | Scored | str) -> dict[str, Any]:
    """The strongest residual of the planted leak, and what was planted."""
    if isinstance(control, str) or isinstance(planted, str):
        return {"residual": None, "copies": 0, "why": str(control if isinstance(control, str) else planted)}
    at = int(np.argmax(planted.residual[1]))
    crowd = control[0]
    return {
        "residual": planted.estimates(at, "")[2].as_dict(), "copies": crowd.copies, "rows": len(crowd.release),
        "people": int(crowd.is_in.sum()), "why": "",
    }  # fmt: skip


def without(crowd: Crowd, level: float) -> Blind:
    """How well the sides are told apart without the release, by some of the people asked about."""
    people = crowd.people.rows(crowd.asked)
    is_in, record = crowd.is_in[crowd.asked], np.unique(people.keys(), return_inverse=True)[1].astype(np.int64)
    sides = [np.bincount(record[is_in == side], minlength=record.max() + 1).astype(np.int64) for side in (True, False)]
    stays = (evened(sides[0], sides[1], crowd.rng("blind", "evened")) & ~((sides[0] > 0) & (sides[1] > 0)))[record]
    at = np.concatenate([np.flatnonzero(stays & (is_in == side))[:BLIND_PEOPLE] for side in (True, False)])
    if not is_in[at].any() or is_in[at].all():
        return Blind(None, None, 0, False, "On one side nobody is left whose row stands in one table alone.")
    at.sort()
    return without_release(points_of((people.rows(at),))[0], record[at], is_in[at], crowd.rng, level)


# --------------------------------------------------------------------------------------------------------------
# Read back


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One look as it was kept, as the reader may see it: share of members, of others, and the one less the other."""

    known: str
    members: Estimate
    others: Estimate
    residual: Estimate
    how: str = ""

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """All three."""
        return self.members, self.others, self.residual


def answers(result: Mapping[str, Any], names: Names, hows: Mapping[str, str] = NO_HOWS) -> tuple[Answer, ...]:
    """What is shown of a result, the strongest first; ``hows`` are the words of the codes of methods."""
    every = [estimate(one) for one in result["estimates"]]
    out: list[Answer] = []
    seen: Counter[str] = Counter()
    for at, look in enumerate(result["shown"]):
        known = called(look, names, hows)
        seen[known] += 1
        if seen[known] > 1:  # several sets of as many columns, of which a reader may be told no more
            known = f"{known} ({seen[known]})"
        three = (names.estimate(one).labelled(known=known) for one in every[3 * at : 3 * at + 3])
        members, others, residual = three
        out.append(Answer(known, members, others, residual, str(look["how"])))
    return tuple(out)


def called(look: Mapping[str, Any], names: Names, hows: Mapping[str, str] = NO_HOWS) -> str:
    """The columns of a look, as the reader may see them, and its method."""
    columns = [str(name) for name in look["columns"]]
    known = names.known(again(str(look["known"]), columns), columns)
    return f"{known} ({say(hows[look['how']])})" if look["how"] in hows else known


def measured(result: Mapping[str, Any], names: Names, given: Given, hows: Mapping[str, str] = NO_HOWS) -> Measured:
    """What the judge takes: the look with the highest lower end and that with the highest upper end."""
    judged = {which: _named(kept, names, hows) for which, kept in result["judged"].items()}
    strongest = judged.get("strongest")
    reasons: tuple[Reason, ...] = ()
    blind = result["blind"]
    if strongest is not None and blind["apart"]:
        strongest = _beyond(strongest, estimate(blind["auc"]), float(result["judged"]["strongest"]["span"]))
        reasons = (Reason("sides_differ_too" if strongest.low > 0 else "sides_differ"),)
    found = Measured(
        scale="excess",
        guess=0.0,
        strongest=strongest,
        widest=judged.get("widest"),
        who="" if strongest is None else strongest.labels["known"],
        looks=int(result["settings"]["looks"]),
        control=_found_control(result["control"]),
        unit="record",
        lowest=judged.get("lowest"),
        reasons=reasons,
    )
    return apart(found, given, names)


def _named(kept: Mapping[str, Any], names: Names, hows: Mapping[str, str]) -> Estimate:
    return names.estimate(estimate(kept, "columns", "how", "span")).labelled(known=called(kept, names, hows))


def _beyond(strongest: Estimate, blind: Estimate, span: float) -> Estimate:
    """What is left of it where the sides are told apart without the release.

    A rule that names people has an AUC of one half and half the difference of its two shares; of that counts what goes
    beyond the AUC without the release. A score of at most ``span`` is ``span`` times the chance to be named.
    """
    less = [span * max(2 * end - 1, 0.0) for end in (blind.value, blind.high)]
    return replace(
        strongest, value=strongest.value - less[0], low=strongest.low - less[1],
        method=f"{strongest.method}, less what is told apart without the release",
    )  # fmt: skip


def _found_control(kept: Mapping[str, Any]) -> Control:
    if kept["residual"] is None:
        return Control.none(say("No leak could be planted to see whether it would be found."))
    planted = estimate(kept["residual"])
    told = say(
        "Of {people:,} people who were not in, {copies:,} were planted in this very release, with {changed} of their "
        "values changed; the difference is then {planted}.",
        people=kept["people"], copies=kept["copies"], changed=percent(EXCHANGED), planted=planted,
    )  # fmt: skip
    return Control(True, planted.low, told, planted)


def percent(value: float) -> str:
    """A share in per cent to one decimal: of many people few are singled out, and these few count."""
    return say("{share:.1f} %", share=100 * value + 0.0)


def share(estimate: Estimate) -> str:
    """``1.3 % [0.9 %, 1.7 %]``."""
    return f"{percent(estimate.value)} [{percent(estimate.low)}, {percent(estimate.high)}]"


def lines(every: Sequence[Answer]) -> tuple[str, ...]:
    """A line for each look that is shown."""
    return tuple(
        say(
            "{known}: {members} of members, {others} of others; difference {residual}.",
            known=answer.known, members=share(answer.members), others=share(answer.others),
            residual=share(answer.residual),
        )
        for answer in every
    )  # fmt: skip


def bars(every: Sequence[Answer]) -> tuple[Bar, ...]:
    """Two bars a look: members, and the others in grey."""
    out = []
    for answer in every:
        out.append(Bar(say("were in: {known}", known=answer.known), answer.members))
        out.append(Bar(say("were not in: {known}", known=answer.known), answer.others, "baseline"))
    return tuple(out)


def at_risk(result: Mapping[str, Any], names: Names, every: Sequence[Answer]) -> tuple[AtRisk, ...]:
    """Members by row and the first look that names each, for those who may see rows; luck names some of them too."""
    if not names.tells:
        return ()
    seen: set[int] = set()
    out = []
    for kept, answer in zip(result.get("records", ()), every, strict=False):
        for row in kept["row"]:
            if row not in seen:
                seen.add(row)
                out.append(AtRisk(say("record {row}", row=row), answer.known, answer.residual))
    return tuple(out)


def counted_are(result: Mapping[str, Any]) -> str:
    """Who was asked about, and by how many looks."""
    settings = result["settings"]
    return say(
        "{n_members:,} people who were in and {n_holdout:,} who were not, by {looks}",
        n_members=settings["n_members"],
        n_holdout=settings["n_holdout"],
        looks=counted(settings["looks"], "{n:,} look", "{n:,} looks"),
    )
