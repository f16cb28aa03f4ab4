"""For whom risk is highest: people in groups by the columns that were declared, or by those of few levels and bands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from riskkit.core import Bools, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.questions.refusals import not_in_use
from riskkit.show.for_whom import ATTACK, CERTIFICATE, ForWhom, Group
from riskkit.stats.subgroups import FEWEST, Subgroup, Subgroups, subgroups
from riskkit.table.groups import Grouping, grouped, guessed

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


def of_certificates(
    table: Table, rows: Ints, best: Floats, wanted: Sequence[str], rng: np.random.Generator, level: float
) -> ForWhom:
    """By the AUC (m,) of the best attack on the people of these rows; of several rows of a person, the first."""
    groupings = _groupings({REAL: table}, wanted)
    found = subgroups(best, {grouping.by: grouping.number[REAL][rows] for grouping in groupings}, rng, level=level)
    return _shown(CERTIFICATE, "", found, groupings, level)


def of_scores(
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
    found = subgroups(value, group, rng, is_in=is_in, level=level)
    return _shown(ATTACK, attack, found, groupings, level)


def _groupings(tables: Mapping[str, Table], wanted: Sequence[str]) -> list[Grouping]:
    names = tuple(dict.fromkeys(wanted)) or guessed(tables[REAL].schema, MOST_COLUMNS)
    return [grouped(name, tables, REAL) for name in names]


def _shown(measure: str, attack: str, found: Subgroups, groupings: Sequence[Grouping], level: float) -> ForWhom:
    named = {grouping.by: grouping for grouping in groupings}
    each = tuple(_group(one, named[one.by]) for one in found.each)
    return ForWhom(measure, attack, level, FEWEST, found.deals, found.columns, dict(found.small), each)


def _group(subgroup: Subgroup, grouping: Grouping) -> Group:
    name, real = grouping.names[subgroup.code], len(grouping.names) - grouping.is_banded
    return Group(
        subgroup.by, name, subgroup.code + 1, real, grouping.is_banded, subgroup.inside, subgroup.excess, subgroup.p
    )
