"""Give-aways: what a released file says of people by itself. They come first, and each can decide a verdict alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from riskkit.base import stages
from riskkit.base.threads import single_thread
from riskkit.core import Estimate, Kind, Scores, Table
from riskkit.errors import Cancelled, ScoreError, TooFewTrainings, sentence_of
from riskkit.games.children_order import OwnOrder, PeopleOrder, children_order
from riskkit.games.disguises import DISGUISES, Views
from riskkit.games.give_aways import (
    Copied,
    count_bag_copies,
    count_child_copies,
    count_copies,
    count_crowd,
    count_near,
    count_near_in_one,
    distances,
    follow_of,
    order_along,
    order_inside,
    order_of,
)
from riskkit.games.identifiers import Carried, carried_identifiers
from riskkit.games.order import RowOrder
from riskkit.games.own_values import OwnValues, Verbatim, own_values, read_near, verbatim
from riskkit.games.recodes import count_recoded
from riskkit.judging.give_aways import GiveAway, State
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.stats import copies
from riskkit.stats.permutation import joint_aucs
from riskkit.stats.records import level_of_each
from riskkit.table.load import Tables
from riskkit.table.people.persons import Persons

LOOKS = 7
"""Copies, as they are written, renumbered and near ones, values, as they are written and nearly, order and identifiers:
each is looked at so that all together, with every column of free text beside them, hold their level."""
SECOND_LOOKS = 4
"""Copies in a second table: of single rows, and of all rows of a person; the order of its people, and of each one's
rows."""
GUESS = 0.5
"""The AUC where values tell nothing."""
DISGUISED = 0.05
"""The part of the error of near copies that copies in each disguise have."""
ASKED = 5_000
"""Rows of either table of which it is looked whether they have a copy in disguise, at most."""
UNSURE = 0.25
"""The chance of so few alike rows and so many copies, whatever the people are, below which copies are in doubt."""
COMMON = 0.05
"""Where fewer of the holdout's people have a row that no real one has, rows are combinations that anybody may have."""
SEED = 1
"""Which rows are compared with each other where there are many; the same for every audit."""


_ORDER = (
    "row_order",
    "copies",
    "recoded_copies",
    "near_copies",
    "gaps",
    "crowd",
    "values",
    "near_values",
    "child_order",
    "child_row_order",
    "child_rows",
    "child_bags",
    "identifiers",
    "texts",
)
"""How the give-aways of several releases follow each other."""


def _state(kind: str) -> State:
    """What an order of that kind does to a verdict."""
    return {"row by row": State.SHOWN, "common order": State.OPEN}.get(kind, State.NOT_SHOWN)


def _order(code: str, order: RowOrder | PeopleOrder | OwnOrder | None) -> GiveAway:
    """What the order of rows, of people of a second table, or of each one's rows gives away."""
    if order is None:
        return GiveAway(code, State.TOO_SMALL)
    figures: dict[str, Any] = {"share": order.share, "z": order.z, "kind": order.kind}
    if isinstance(order, PeopleOrder):
        figures["is_by_place"] = order.is_by_place
    return GiveAway(code, _state(order.kind), figures)


def _copies(code: str, counts: Copied, level: float) -> GiveAway:
    """How much more often members have a copy than others, or what copies say without enough people to compare."""
    figures: dict[str, Any] = {
        "rows": counts.rows,
        "k_in": counts.k_in,
        "n_in": counts.n_in,
        "k_out": counts.k_out,
        "n_out": counts.n_out,
        "alone": counts.alone,
        "has_holdout": counts.has_holdout,
    }
    excess = _excess(counts, level)
    most = math.inf if counts.alike is None else copies.most_by_chance(*counts.alike)
    if counts.alone > most:  # whoever stands in the holdout
        figures["is_many"] = True
    if excess is None:
        return GiveAway(code, _state_without_comparison(counts, most), {**figures, "most": most, "apart": counts.apart})
    state = _side(counts, level)
    if code == "copies" and state is State.NOT_SHOWN and counts.alike is not None:
        further = {**figures, "most": most, "apart": counts.apart}
        if counts.alone > most:  # too few people were not in to show it, and yet chance makes no such copies
            return GiveAway(code, State.SHOWN, further)
        of_real, of_release = counts.alike
        of_release -= counts.again  # a copy that stands there again and again does not tell that people are alike
        if not counts.k_out and counts.alone > copies.most_by_chance(of_real, of_release, UNSURE):
            return GiveAway(code, State.OPEN, {**further, "is_few": True})
    return GiveAway(code, state, figures, excess)


def _side(counts: Copied | Verbatim, level: float) -> State:
    """Whether more of the real table stands in the release, or more of the holdout: then the two may be swapped."""
    inside, outside = (counts.k_in, counts.n_in), (counts.k_out, counts.n_out)
    if copies.is_more(*inside, *outside, level=level):
        return State.SHOWN
    return State.OPEN if copies.is_more(*outside, *inside, level=level) else State.NOT_SHOWN


def _state_without_comparison(counts: Copied, most: float) -> State:
    """What copies do to a verdict where there are too few people who were not in to compare members with.

    Shown where they are more than rows that chance makes alike, or more than the few others there are. Where hardly a
    row of the holdout is none of the real table's, a row says of nobody that they were in: whoever was not has it too.
    """
    is_more = copies.chance_of_copies(counts.k_in, counts.n_in, counts.k_out, counts.n_out) <= copies.TINY
    if counts.alone > most or (counts.has_holdout and is_more):
        return State.SHOWN
    return State.OPEN if counts.alone and counts.apart > COMMON else State.NOT_SHOWN


def _values(code: str, values: OwnValues, auc: Estimate | None) -> GiveAway:
    """The share of people's own values that the release holds; an AUC, so one half is chance."""
    (n_in, k_in), (n_out, k_out) = (values.count(is_in) for is_in in (True, False))
    figures = {"k_in": k_in, "n_in": n_in, "k_out": k_out, "n_out": n_out, "left_out": values.left_out}
    if auc is None:
        few = min(values.is_in.sum(), (~values.is_in).sum()) < copies.FEWEST
        return GiveAway(code, State.TOO_SMALL if few else State.NOT_SHOWN, figures)
    state = State.SHOWN if auc.low > GUESS else State.OPEN if auc.high < GUESS else State.NOT_SHOWN
    return GiveAway(code, state, figures, auc)


def _identifiers(column: Carried) -> GiveAway:
    figures = {
        "column": column.column,
        "shared": column.shared,
        "of": column.of,
        "expected": column.expected,
        "linked": column.linked if column.is_link else 0,
        "here": column.here,
        "elsewhere": column.elsewhere,
        **({"is_disguised": True} if column.is_disguised else {}),
        **({"other": column.other} if column.other else {}),
        **({} if column.is_alike else {"is_alike": False}),
        **({} if column.order is None else {"share": column.order.share, "z": column.order.z}),
    }
    if not column.is_shown:
        return GiveAway("identifiers", State.NOT_SHOWN, figures)
    leads = column.is_link or column.order is not None
    is_open = column.kind is Kind.TEXT and not leads and column.holdout_share is None
    return GiveAway("identifiers", State.OPEN if is_open else State.SHOWN, figures)


def _texts(column: Verbatim, level: float) -> GiveAway:
    """How many more long texts of members stand in the release than of others."""
    figures = {
        "column": column.column,
        "letters": column.letters,
        "k_in": column.k_in,
        "n_in": column.n_in,
        "k_out": column.k_out,
        "n_out": column.n_out,
        "has_holdout": column.has_holdout,
    }
    excess = _excess(column, level)
    if excess is None:
        return GiveAway("texts", State.OPEN if column.k_in else State.NOT_SHOWN, figures)
    return GiveAway("texts", _side(column, level), figures, excess)


def look(tables: Tables, *, level: float = 0.95) -> tuple[GiveAway, ...]:
    """Look for all of them, in every release, as the judge takes them; none where no release is loaded.

    Of several releases of one table each says which it is, and the first is of copies in all of them together: only
    these are counted there, for the order of rows and identifiers are of a file. Over all releases and all looks at
    each of them together they hold the level.
    """
    if tables.synthetic is None:
        return ()
    if tables.stack is None:
        return _look_at_file(tables, level_of_each(level, _looks(tables)))
    every = tables.each_release()
    each = level_of_each(level, 1 + len(every) * _looks(tables))
    counts = count_copies(
        tables.real, tables.synthetic, tables.holdout, stream(SEED, "give-aways", "copies"), tables.persons
    )
    of_files = [
        (give_away, {"release": number, "releases": len(every)})
        for number, release_tables in enumerate(every, start=1)
        for give_away in _look_at_file(release_tables, each)
    ]
    of_files.sort(key=lambda found_in: _ORDER.index(found_in[0].code))
    whole = (_copies("copies", counts, each), {"releases": len(every)})
    return tuple(
        replace(give_away, figures={**give_away.figures, **release}) for give_away, release in (whole, *of_files)
    )


def give_aways_of(tables: Tables) -> tuple[GiveAway, ...]:
    """What the files give away by themselves, each as the judge takes it; none where no release is loaded.

    Where they cannot be looked at, that is one which nobody has ruled out, and the questions are asked all the same.
    """
    try:
        return look(tables)
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  it may leave an audit undecided, and never without a word
        return (GiveAway("unseen", State.OPEN, {"why": sentence_of(error)}),)


def _looks(tables: Tables) -> int:
    """How often one release is looked at."""
    has_second = tables.children is not None and "synthetic" in tables.children.tables
    return LOOKS + len(tables.free_texts) + SECOND_LOOKS * has_second


def _look_at_file(tables: Tables, level: float) -> tuple[GiveAway, ...]:
    """What one release gives away; every look has that level."""
    release = tables.synthetic
    assert release is not None
    stages.say(phrase("Checking for copied rows"))
    counts = count_copies(tables.real, release, tables.holdout, stream(SEED, "give-aways", "copies"), tables.persons)
    copied = _copies("copies", counts, level)
    children = [_copies(code, of_code, level) for code, of_code in _child_copies(tables).items()]
    texts = [_texts(column, level) for column in verbatim(tables.free_texts)]
    stages.say(phrase("Checking the order of rows"))
    order = _row_order(tables, release)
    stages.say(phrase("Checking identifiers"))
    carried = carried_identifiers(tables, stream(SEED, "give-aways", "identifiers"))
    in_second = children_order(tables, stream(SEED, "give-aways", "order of children"))
    orders = (
        () if in_second is None else (_order("child_order", in_second.people), _order("child_row_order", in_second.own))
    )
    disguised = _renumbered_copies(tables, copied, level)
    if all(each.state is not State.SHOWN for each in (copied, *disguised)):
        near = _near_copies(tables, release, level)
        disguised += () if copied.is_swapped and any(each.is_swapped for each in near) else near
    if not any(each.is_swapped for each in (copied, *disguised)):
        disguised += _gaps(tables, release, level)
    if all(each.state is not State.SHOWN for each in (copied, *disguised)):
        disguised += _crowd(tables, release)
    values = _every_value(tables, release, level)
    in_order = order, copied, *values, *orders, *disguised, *children
    return (*in_order, *map(_identifiers, carried), *texts)


def _row_order(tables: Tables, release: Table) -> GiveAway:
    """What the order of the rows gives away; where it gives nothing away, what it does read otherwise.

    That is from the end, beside the real table sorted by a column, and where rows were left out or put in between.
    """
    rng, holdout = partial(stream, SEED, "give-aways"), tables.holdout
    order = _order("row_order", order_of(tables.real, release, rng("order"), holdout))
    if order.state in (State.SHOWN, State.TOO_SMALL):
        return order
    if (inside := order_inside(tables.real, release, rng("order inside"), holdout)) is not None:
        seen = _order("row_order", inside[1])
        return replace(seen, figures={**seen.figures, "sorted_by": inside[0]})
    if order.state is State.OPEN:
        return order
    backwards = release.rows(np.arange(len(release))[::-1])
    if (back := order_along(tables.real, backwards, rng("reverse order"), holdout)) is not None:
        reverse = _order("row_order", back)
        return replace(reverse, figures={**reverse.figures, "is_reversed": True})
    z = follow_of(tables.real, release, rng("following"), holdout)
    return order if z is None else replace(order, state=State.OPEN, figures={**order.figures, "z": z, "kind": "follow"})


def _renumbered_copies(tables: Tables, plain: GiveAway, level: float) -> tuple[GiveAway, ...]:
    """The copies whose values are renumbered; none where copies as they are written are shown.

    Where no column is seen to be renumbered it is there only if it shows something.
    """
    if plain.state is State.SHOWN or tables.synthetic is None:
        return ()
    stages.say(phrase("Checking for copied rows whose values are renumbered"))
    rng = stream(SEED, "give-aways", "renumbered")
    with single_thread():  # its many small products take ten times as long where threads wait for each other
        counts = count_recoded(tables.real, tables.synthetic, tables.holdout, rng, tables.persons)
    if counts is None:
        return ()
    renumbered = _copies("recoded_copies", counts, level)
    is_shown = renumbered.estimate is not None and renumbered.state is State.SHOWN
    return (renumbered,) if is_shown or tables.apart else ()


def _near_copies(tables: Tables, release: Table, level: float) -> tuple[GiveAway, ...]:
    """Rows that nearly copy a person; none where they show nothing, or there is nobody to compare with.

    First as they are written, then in forms that disguised copies have in common with the people. These have little of
    the error of this look: whoever disguises copies so has disguised all of them.
    """
    if tables.holdout is None:
        return ()
    stages.say(phrase("Checking for rows that are nearly copied"))
    error, views = 1 - level, (tables.real, release, tables.holdout)
    written = _near("written", (views,), 1 - error * (1 - len(DISGUISES) * DISGUISED), tables.persons)
    (real, most), (holdout, most_of_holdout) = _near_in_each(tables, release)
    is_many, has_holdout_too = real > most, holdout > most_of_holdout
    if is_many and has_holdout_too and any(near.state is not State.SHOWN for near in written):
        figures = {"rows": real, "most": most, "of_holdout": holdout, "most_of_holdout": most_of_holdout}
        return (GiveAway("near_copies", State.SHOWN, {**figures, "is_many": True}),)
    for near in written:
        if near.state is State.SHOWN or (near.is_swapped and has_holdout_too):
            return (replace(near, figures={**near.figures, "is_many": is_many}),)
    disguised = [
        near
        for way, disguise in DISGUISES.items()
        for near in _near(way, disguise(*views), 1 - error * DISGUISED, tables.persons)
        if near.state is State.SHOWN
    ]
    return (max(disguised, key=_difference),) if disguised else ()  # of several that show as much the plainest


def _near_in_each(tables: Tables, release: Table) -> list[tuple[int, int]]:
    """Of either table by itself the near copies, and the most that chance makes: so a release of both is seen, too."""
    who = tables.persons
    owners = (None, None) if who is None else (who.real, who.holdout_persons)
    counts = [
        count_near_in_one(side, release, stream(SEED, "give-aways", "nearer"), own)
        for side, own in zip((tables.real, tables.holdout), owners, strict=True)
        if side is not None
    ]
    return [(near, copies.most_near(by_chance, larger)) for near, by_chance, larger in counts]


def _near(way: str, forms: Sequence[Views], level: float, persons: Persons | None) -> tuple[GiveAway, ...]:
    """Near copies in one way, if people can be compared: in the form in which most, whoever they are, have one."""
    rng = partial(stream, SEED, "give-aways", "near copies")
    if way != "written":
        forms, persons = _some(forms, persons, rng())
    counts = [count_near(*views, rng(), persons) for views in forms]
    if not counts:
        return ()
    near = _copies("near_copies", max(counts, key=lambda count: count.k_in + count.k_out), level)
    return () if near.estimate is None else (replace(near, figures={**near.figures, "way": way}),)


def _some(
    forms: Sequence[Views], persons: Persons | None, rng: np.random.Generator
) -> tuple[Sequence[Views], Persons | None]:
    """The forms with some rows of people, drawn where there are many: whoever disguises copies disguises all alike."""
    if not forms or max(len(forms[0][0]), len(forms[0][2])) <= ASKED:
        return forms, persons
    real, holdout = (np.sort(rng.permutation(len(forms[0][place]))[:ASKED]) for place in (0, 2))
    if persons is not None:
        persons = Persons(persons.column, persons.real[real], persons.holdout_persons[holdout])
    return [(own.rows(real), release, others.rows(holdout)) for own, release, others in forms], persons


def _gaps(tables: Tables, release: Table, level: float) -> tuple[GiveAway, ...]:
    """That people who were in are farther from the release than others, as where rows near them were taken out.

    Nothing otherwise. It is never shown: a holdout of other people may lie nearer for its own reasons.
    """
    if tables.holdout is None:
        return ()
    rng = stream(SEED, "give-aways", "gaps")
    with suppress(TooFewTrainings, ScoreError):
        scores = distances(tables.real, release, tables.holdout, rng, tables.persons)
        auc = max(joint_aucs(scores, rng, level=level).aucs, key=lambda auc: auc.low)
        if auc.low > GUESS:
            return (GiveAway("gaps", State.OPEN, {"auc": auc}),)
    return ()


def _crowd(tables: Tables, release: Table) -> tuple[GiveAway, ...]:
    """That released rows crowd about one person, as of a method that learnt one row; nothing otherwise.

    It is never shown: a method that makes nearly one row alone may have found it far from people, and be near one.
    """
    whose = None if tables.persons is None else tables.persons.real
    rows, of, people = count_crowd(tables.real, release, stream(SEED, "give-aways", "crowd"), whose)
    if rows <= copies.most_crowd(of, people):
        return ()
    return (GiveAway("crowd", State.OPEN, {"share": rows / of}),)


def _difference(give_away: GiveAway) -> float:
    return give_away.estimate.value if give_away.estimate else 0.0


def _every_value(tables: Tables, release: Table, level: float) -> tuple[GiveAway, ...]:
    """Values that one person alone has; none where there is nobody to compare with.

    Where these show nothing, the same once released numbers are read as those of people that they nearly are, if that
    shows something.
    """
    if tables.holdout is None:
        return ()
    values = _values("values", *_own_values(tables, release, tables.holdout, level))
    if values.state is State.SHOWN:
        return (values,)
    near = read_near(tables.real, release, tables.holdout, stream(SEED, "give-aways", "near values"))
    near_values = _values("near_values", *_own_values(tables, near, tables.holdout, level))
    return (values, near_values) if near_values.state is State.SHOWN else (values,)


def _own_values(tables: Tables, release: Table, holdout: Table, level: float) -> tuple[OwnValues, Estimate | None]:
    """People's own values, and the AUC of their share in the release; None of too few, or where all are alike."""
    stages.say(phrase("Checking for values of one person alone"))
    rng = stream(SEED, "give-aways", "values")
    values = own_values(tables.real, release, holdout, rng, tables.persons)
    people = np.arange(len(values.is_in))
    with suppress(TooFewTrainings, ScoreError):
        scores = Scores(values.share, values.is_in, people, np.zeros_like(people), "values")
        return values, joint_aucs([scores], rng, level=(1 + level) / 2).aucs[0]
    return values, None


def _child_copies(tables: Tables) -> dict[str, Copied]:
    """The copies in a second table, by code: of single rows, and of all rows of a person; none where there is none."""
    children = tables.children
    if children is None or "synthetic" not in children.tables:
        return {}
    return {
        "child_rows": count_child_copies(children, stream(SEED, "give-aways", "children")),
        "child_bags": count_bag_copies(children, stream(SEED, "give-aways", "bags")),
    }


def _excess(counts: Copied | Verbatim, level: float) -> Estimate | None:
    """How many more of the members are copied than of others; None where they are too few to compare."""
    with suppress(TooFewTrainings):
        return copies.copy_rate(counts.k_in, counts.n_in, counts.k_out, counts.n_out, level=level)
    return None
