"""Give-aways: what a released file says of people by itself. They come first, and each can decide a verdict alone."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riskkit.base import stages
from riskkit.core import Estimate, Kind, Scores, Table
from riskkit.errors import Cancelled, ScoreError, TooFewTrainings, sentence_of
from riskkit.games.children_order import ChildrenOrder, OwnOrder, PeopleOrder, children_order
from riskkit.games.give_aways import Copied, count_bag_copies, count_child_copies, count_copies, order_of
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

LOOKS = 6
"""Copies, as they are written and renumbered, values, as they are written and nearly, order and identifiers: each is
looked at so that all together, with every column of free text beside them, hold their level."""
SECOND_LOOKS = 4
"""Copies in a second table: of single rows, and of all rows of a person; the order of its people, and of each one's
rows."""
GUESS = 0.5
"""The AUC where values tell nothing."""
COMMON = 0.05
"""Where fewer of the holdout's people have a row that no real one has, rows are combinations that anybody may have."""
SEED = 1
"""Which rows are compared with each other where there are many; the same for every audit."""


@dataclass(frozen=True, slots=True, eq=False)
class FileGiveAways:
    """What was looked for in a released file.

    ``excess`` is how much more often members have a copy than others, None without people to compare them with;
    ``order`` is None where a file is too short. ``texts`` are columns of free text, each with how many more long
    texts of members stand in the release. ``children`` are copies in a second table, by code, and those of renumbered
    values; ``children_order`` is what the order of the second table shows. ``values`` are those that one person alone
    has, with how well their share in the release tells members from others; None without a holdout. ``near_values`` are
    the same once released numbers are read as those they nearly are; None where they show nothing more.

    Of several releases of one table ``releases`` are those of each file, and the rest is of all of them together: only
    copies are counted there, for the order of rows and identifiers are of a file.
    """

    copied: Copied
    excess: Estimate | None
    order: RowOrder | None
    identifiers: tuple[Carried, ...]
    texts: tuple[tuple[Verbatim, Estimate | None], ...] = ()
    children: tuple[tuple[str, Copied, Estimate | None], ...] = ()
    children_order: ChildrenOrder | None = None
    values: tuple[OwnValues, Estimate | None] | None = None
    near_values: tuple[OwnValues, Estimate | None] | None = None
    releases: tuple[FileGiveAways, ...] = ()

    def each(self) -> tuple[GiveAway, ...]:
        """Every one of them, as the judge takes it; those of one of several releases say which it is."""
        if not self.releases:
            return self._search_file()
        whole, many = _copies("copies", self.copied, self.excess), len(self.releases)
        every = [
            replace(give_away, figures={**give_away.figures, "release": number, "releases": many})
            for number, file in enumerate(self.releases, start=1)
            for give_away in file._search_file()
        ]
        every.sort(key=lambda give_away: _ORDER.index(give_away.code))
        return (replace(whole, figures={**whole.figures, "releases": many}), *every)

    def _search_file(self) -> tuple[GiveAway, ...]:
        """Those of one file."""
        texts = (_texts(*column) for column in self.texts)
        children = (_copies(*tables) for tables in self.children)
        copies = _copies("copies", self.copied, self.excess)
        orders = () if self.children_order is None else _child_order(self.children_order)
        values = [
            _values(code, *values)
            for code, values in (("values", self.values), ("near_values", self.near_values))
            if values is not None
        ]
        return (self._order(), copies, *values, *orders, *children, *map(_identifiers, self.identifiers), *texts)

    def _order(self) -> GiveAway:
        if self.order is None:
            return GiveAway("row_order", State.TOO_SMALL)
        return GiveAway(
            "row_order",
            _state(self.order.kind),
            {"share": self.order.share, "z": self.order.z, "kind": self.order.kind},
        )


_ORDER = (
    "row_order",
    "copies",
    "recoded_copies",
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


def _child_order(order: ChildrenOrder) -> tuple[GiveAway, GiveAway]:
    """What the order of a second table gives away: of its people, and of each one's rows."""
    return _order_seen("child_order", order.people), _order_seen("child_row_order", order.own)


def _order_seen(code: str, order: PeopleOrder | OwnOrder | None) -> GiveAway:
    if order is None:
        return GiveAway(code, State.TOO_SMALL)
    figures: dict[str, Any] = {"share": order.share, "z": order.z, "kind": order.kind}
    if isinstance(order, PeopleOrder):
        figures["is_by_place"] = order.is_by_place
    return GiveAway(code, _state(order.kind), figures)


def _copies(code: str, counts: Copied, excess: Estimate | None) -> GiveAway:
    figures: dict[str, Any] = {
        "rows": counts.rows,
        "k_in": counts.k_in,
        "n_in": counts.n_in,
        "k_out": counts.k_out,
        "n_out": counts.n_out,
        "alone": counts.alone,
        "has_holdout": counts.has_holdout,
    }
    if excess is None:
        most = math.inf if counts.alike is None else copies.most_by_chance(*counts.alike)
        return GiveAway(code, _state_without_comparison(counts, most), {**figures, "most": most, "apart": counts.apart})
    return GiveAway(code, _side(counts, excess.level), figures, excess)


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
    }
    if not column.is_shown:
        return GiveAway("identifiers", State.NOT_SHOWN, figures)
    is_open = column.kind is Kind.TEXT and not column.is_link and column.holdout_share is None
    return GiveAway("identifiers", State.OPEN if is_open else State.SHOWN, figures)


def _texts(column: Verbatim, excess: Estimate | None) -> GiveAway:
    figures = {
        "column": column.column,
        "letters": column.letters,
        "k_in": column.k_in,
        "n_in": column.n_in,
        "k_out": column.k_out,
        "n_out": column.n_out,
        "has_holdout": column.has_holdout,
    }
    if excess is None:
        return GiveAway("texts", State.OPEN if column.k_in else State.NOT_SHOWN, figures)
    return GiveAway("texts", _side(column, excess.level), figures, excess)


def look(tables: Tables, *, level: float = 0.95) -> FileGiveAways | None:
    """Look for all of them, in every release; None where no release is loaded.

    Over all releases and all looks at each of them together they hold the level.
    """
    if tables.synthetic is None:
        return None
    if tables.stack is None:
        return _file_give_aways(tables, level_of_each(level, _looks(tables)))
    every = tables.each_release()
    each = level_of_each(level, 1 + len(every) * _looks(tables))
    counts = count_copies(
        tables.real, tables.synthetic, tables.holdout, stream(SEED, "give-aways", "copies"), tables.persons
    )
    excess = None if tables.holdout is None else _excess(counts, each)
    return FileGiveAways(
        counts, excess, None, (), releases=tuple(_file_give_aways(release_tables, each) for release_tables in every)
    )


def give_aways_of(tables: Tables) -> tuple[GiveAway, ...]:
    """What the files give away by themselves, each as the judge takes it; none where no release is loaded.

    Where they cannot be looked at, that is one which nobody has ruled out, and the questions are asked all the same.
    """
    try:
        looked_at = look(tables)
        return () if looked_at is None else looked_at.each()
    except Cancelled:
        raise
    except Exception as error:  # noqa: BLE001  it may leave an audit undecided, and never without a word
        return (GiveAway("unseen", State.OPEN, {"why": sentence_of(error)}),)


def _looks(tables: Tables) -> int:
    """How often one release is looked at."""
    has_second = tables.children is not None and "synthetic" in tables.children.tables
    return LOOKS + len(tables.free_texts) + SECOND_LOOKS * has_second


def _file_give_aways(tables: Tables, each: float) -> FileGiveAways:
    """What one release gives away; every look has the level ``each``."""
    release = tables.synthetic
    assert release is not None
    stages.say(phrase("Checking for copied rows"))
    counts = count_copies(tables.real, release, tables.holdout, stream(SEED, "give-aways", "copies"), tables.persons)
    of_children = _child_copies(tables)
    excess = None
    if tables.holdout is not None:
        excess = _excess(counts, each)
    texts = tuple((column, _excess(column, each)) for column in verbatim(tables.free_texts))
    stages.say(phrase("Checking the order of rows"))
    order = order_of(tables.real, release, stream(SEED, "give-aways", "order"), tables.holdout)
    stages.say(phrase("Checking identifiers"))
    carried = carried_identifiers(tables, stream(SEED, "give-aways", "identifiers"))
    in_second = children_order(tables, stream(SEED, "give-aways", "order of children"))
    children = tuple(
        (code, of_code, _excess(of_code, each) if of_code.has_holdout else None)
        for code, of_code in of_children.items()
    )
    renumbered = _renumbered_copies(tables, _copies("copies", counts, excess), each)
    every, values = (*renumbered, *children), _own_values(tables, release, each)
    near = None if values is None else _near_values(tables, release, _values("values", *values), each)
    return FileGiveAways(counts, excess, order, carried, texts, every, in_second, values, near)


def _renumbered_copies(tables: Tables, plain: GiveAway, each: float) -> tuple[tuple[str, Copied, Estimate | None], ...]:
    """The copies whose values are renumbered; none where copies as they are written are shown.

    Where no column is seen to be renumbered it is there only if it shows something.
    """
    if plain.state is State.SHOWN or tables.synthetic is None:
        return ()
    stages.say(phrase("Checking for copied rows whose values are renumbered"))
    rng = stream(SEED, "give-aways", "renumbered")
    counts = count_recoded(tables.real, tables.synthetic, tables.holdout, rng, tables.persons)
    if counts is None:
        return ()
    excess = _excess(counts, each) if counts.has_holdout else None
    is_shown = excess is not None and _copies("recoded_copies", counts, excess).state is State.SHOWN
    return (("recoded_copies", counts, excess),) if is_shown or tables.apart else ()


def _own_values(tables: Tables, release: Table, level: float) -> tuple[OwnValues, Estimate | None] | None:
    """People's own values and the AUC of their share in the release; None where there is nobody to compare with."""
    if tables.holdout is None:
        return None
    stages.say(phrase("Checking for values of one person alone"))
    rng = stream(SEED, "give-aways", "values")
    values = own_values(tables.real, release, tables.holdout, rng, tables.persons)
    people = np.arange(len(values.is_in))
    with suppress(TooFewTrainings, ScoreError):  # too few, or all alike
        scores = Scores(values.share, values.is_in, people, np.zeros_like(people), "values")
        return values, joint_aucs([scores], rng, level=(1 + level) / 2).aucs[0]
    return values, None


def _near_values(
    tables: Tables, release: Table, plain: GiveAway, level: float
) -> tuple[OwnValues, Estimate | None] | None:
    """The same where released numbers that are nearly those of people are read as these; None where that shows nothing,
    or values as they are written do."""
    if plain.state is State.SHOWN or tables.holdout is None:
        return None
    near = read_near(tables.real, release, tables.holdout, stream(SEED, "give-aways", "near values"))
    values = _own_values(tables, near, level)
    is_shown = values is not None and _values("near_values", *values).state is State.SHOWN
    return values if is_shown else None


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
