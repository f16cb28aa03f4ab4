"""For whom risk is highest: people in groups by the columns that were declared, or by those of few levels and bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.base import stages
from riskkit.core import Bools, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.bags import Whose, people_of
from riskkit.phrases import phrase
from riskkit.questions.refusals import not_in_use
from riskkit.show.for_whom import ATTACK, CERTIFICATE, GAIN, GAP, PLAYED, ForWhom, RiskGroup
from riskkit.stats.campaign import Many
from riskkit.stats.roc import placements
from riskkit.stats.subgroups import FEWEST, Subgroup, Subgroups, gaps, subgroups, subgroups_of_trainings
from riskkit.table.equal import records
from riskkit.table.features import Grouping, default_columns, group_column

MOST_COLUMNS = 12
"""Columns by which people are grouped where nobody said."""
REAL, HOLDOUT = "real", "holdout"


def check_groups(table: Table, wanted: Sequence[str]) -> None:
    """Refuse columns by which nobody can be grouped, before anything is spent.

    Raises
    ------
    DesignError
        A column does not exist or is not in use.
    """
    used = {column.name for column in table.schema.modelled}
    for name in wanted:
        table.schema.column(name)
        if name not in used:
            raise DesignError(not_in_use(name))


def by_certificates(
    table: Table, rows: Ints, best: Floats, wanted: Sequence[str], rng: np.random.Generator, level: float
) -> ForWhom:
    """By the AUC (m,) of the best attack on the people of these rows; of several rows of a person, the first."""
    groupings = _groupings({REAL: table}, wanted)
    groups = subgroups(best, {grouping.by: grouping.number[REAL][rows] for grouping in groupings}, rng, level=level)
    return _show(CERTIFICATE, "", groups, groupings, level)


def by_scores(
    tables: tuple[Table, Table],
    scores: tuple[Floats, Bools, Ints, Ints],
    attack: str,
    wanted: Sequence[str],
    rng: np.random.Generator,
    level: float,
) -> ForWhom:
    """By how well an attack tells members of a group from people of it who were not in.

    Parameters
    ----------
    tables
        The real one, and that of the people who were not in.
    scores
        Of each person (n,) the score, whether they were in, which record they are, and the row in their own table.
        Equal records count once.
    """
    value, is_in, record, row = scores
    first = np.unique(record, return_index=True)[1]
    value, is_in, row = value[first], is_in[first], row[first]
    groupings = _groupings(dict(zip((REAL, HOLDOUT), tables, strict=True)), wanted)
    group = {}
    for grouping in groupings:
        number = np.empty(len(row), dtype=np.int64)
        number[is_in], number[~is_in] = grouping.number[REAL][row[is_in]], grouping.number[HOLDOUT][row[~is_in]]
        group[grouping.by] = number
    groups = subgroups(value, group, rng, is_in=is_in, level=level)
    return _show(ATTACK, attack, groups, groupings, level)


def by_played_attack(
    table: Table, rows: Ints, scores: Many, attack: str, wanted: Sequence[str], rng: np.random.Generator, level: float
) -> ForWhom:
    """By the AUC of the attack that was played on the people of these rows, all of them on shared releases.

    People of whom every release gave the same score are left out: nothing is said of them.
    """
    decided = np.flatnonzero(scores.is_decided())
    placed = placements(*scores.only(decided).arms)
    groupings = _groupings({REAL: table}, wanted)
    group = {grouping.by: grouping.number[REAL][rows[decided]] for grouping in groupings}
    groups = subgroups_of_trainings(placed.auc, (placed.inside, placed.outside), group, rng, level=level)
    return _show(PLAYED, attack, groups, groupings, level)


def by_targets(
    table: Table, rows: Ints, auc: Floats, attack: str, wanted: Sequence[str], rng: np.random.Generator, level: float
) -> ForWhom:
    """By the AUC (m,) of an attack on the people of these rows, each in a game whose releases are its own."""
    groupings = _groupings({REAL: table}, wanted)
    group = {grouping.by: grouping.number[REAL][rows] for grouping in groupings}
    return _show(PLAYED, attack, subgroups(auc, group, rng, level=level), groupings, level)


def by_gains(
    table: Table, gain: Floats, about: str, wanted: Sequence[str], rng: np.random.Generator, level: float
) -> ForWhom:
    """By what an attacker of explanations recovers of each row beyond one guess for everybody.

    ``gain`` (models, n) is that of every row under every model; the models are the same for all.
    """
    groupings = _groupings({REAL: table}, wanted)
    group = {grouping.by: grouping.number[REAL] for grouping in groupings}
    mean = gain.mean(axis=0)
    if len(gain) == 1:
        groups = subgroups(mean, group, rng, level=level)
    else:
        groups = subgroups_of_trainings(mean, (gain.T,), group, rng, level=level)
    return _show(GAIN, about, groups, groupings, level)


@dataclass(frozen=True, slots=True, eq=False)
class SideRows:
    """Rows of one side: which ``row`` of the ``table`` each is, how much it is hit (k,), and ``whose`` it is."""

    table: Table
    row: Ints
    hit: Floats
    whose: Whose

    @classmethod
    def take(cls, table: Table, row: Ints, hit: Floats, person: Ints | None) -> SideRows:
        """These rows of that table, whose rows are of these people (n,)."""
        return cls(table, row, hit, Whose.group(records(table)[0], person).rows(row))

    def records(self) -> tuple[Ints, Floats, Ints]:
        """Of each record the row of the first person who has it, how much it is hit, and how many people have it."""
        _, first, record = np.unique(self.whose.record, return_index=True, return_inverse=True)
        hit = np.bincount(record, self.hit) / np.bincount(record)
        return self.row[first], hit, people_of(record, self.whose.person, len(first))


def by_hits(
    members: SideRows, others: SideRows, about: str, wanted: Sequence[str], rng: np.random.Generator, level: float
) -> ForWhom:
    """By how much more often members of a group are hit than people of it who were not in; people count, not rows."""
    groupings = _groupings({REAL: members.table, HOLDOUT: others.table}, wanted)
    sides = [members.records(), others.records()]
    row = [own[0] for own in sides]
    group = {
        grouping.by: np.concatenate([grouping.number[REAL][row[0]], grouping.number[HOLDOUT][row[1]]])
        for grouping in groupings
    }
    hit, people = (np.concatenate([own[part] for own in sides]) for part in (1, 2))
    groups = gaps(hit, people, group, rng, is_in=np.repeat([True, False], list(map(len, row))), level=level)
    return _show(GAP, about, groups, groupings, level)


def _groupings(tables: Mapping[str, Table], wanted: Sequence[str]) -> list[Grouping]:
    stages.say(phrase("For whom risk is highest"))
    names = tuple(dict.fromkeys(wanted)) or default_columns(tables[REAL].schema, MOST_COLUMNS)
    return [group_column(name, tables, REAL) for name in names]


def _show(measure: str, attack: str, groups: Subgroups, groupings: Sequence[Grouping], level: float) -> ForWhom:
    named = {grouping.by: grouping for grouping in groupings}
    each = tuple(_group(group, named[group.by]) for group in groups.each)
    return ForWhom(measure, attack, level, FEWEST, groups.deals, groups.columns, dict(groups.small), each)


def _group(subgroup: Subgroup, grouping: Grouping) -> RiskGroup:
    name, real = grouping.names[subgroup.code], len(grouping.names) - grouping.is_banded
    return RiskGroup(
        subgroup.by, name, subgroup.code + 1, real, grouping.is_banded, subgroup.inside, subgroup.excess, subgroup.p
    )
