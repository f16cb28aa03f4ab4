"""Who is attacked in a membership game where people have several rows, and worlds with and without all their rows;
and a map of a table to choose targets on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from riskkit.core import Floats, Ints, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.bags import OfPerson, Whose
from riskkit.games.crowd import (
    Crowd,
    CrowdPopulation,
    PeopleResampled,
    TargetPeople,
    WorldSource,
    around,
    crowd_population,
    rows_in_order,
)
from riskkit.games.worlds import MADE, made_rows
from riskkit.parameters import parameter
from riskkit.seeds import stream
from riskkit.table.encode import onehot
from riskkit.table.people.persons import Persons
from riskkit.targets._count import check_count
from riskkit.targets._mahalanobis import ellipsoid

if TYPE_CHECKING:
    from riskkit.questions.membership.plan import MembershipPlan

SUM, ROW = "sum", "row"
"""A person stands out by the sum over their rows, or by the row that stands out most."""


def several(persons: Persons | None) -> Persons | None:
    """The people, where somebody has several rows; else None, and a row is a person."""
    return persons if persons is not None and persons.has_several_rows else None


def standing_out() -> Any:
    """The field of a plan that says by what a person with several rows stands out."""
    return parameter(
        SUM,
        label="What makes a person with several rows stand out",
        help="sum: how much their rows stand out, added up; row: the one that stands out most.",
        choices={SUM: "All their rows together", ROW: "The row that stands out most"},
    )


def chosen_people(
    table: Table, persons: Persons, rule: Any, k: int, rng: np.random.Generator, stands_out: str = SUM
) -> TargetPeople:
    """The people that rule attacks.

    Where it says how much a row stands out, a person stands out by the sum over their rows: of 600 of 2,000 patients
    with 1 to 23 rows (diabetes130) it has a rank correlation of .79 with the certificate of bayesnet where the highest
    of them has .69 (selective), .62 where it has .44 (vulnerable). With ``stands_out`` :data:`ROW`, and of a rule that
    only orders rows, it is the first ``k`` different people of the order. A rule that draws by lot draws people, each
    as likely as the others, however many rows they have.

    Raises
    ------
    DesignError
        There are fewer people than are asked for, or two listed rows are of one person.
    """
    crowd = Crowd.group(persons.real)
    if getattr(rule, "by_lot", False):
        drawn = rule.choose(table.rows(crowd.first), k, rng)
        return _with_rows(table, crowd, drawn.index)
    if stands_out == SUM and hasattr(rule, "standing"):
        check_count(table.rows(crowd.first), k)
        return _with_rows(table, crowd, _by_sum(table, crowd, rule.standing(table), k))
    state, wanted, most = rng.bit_generator.state, k, len(np.unique(table.keys()))
    while True:
        rng.bit_generator.state = state
        targets: Targets = rule.choose(table, wanted, rng)
        if (targets.index < 0).any():  # made-up people have one row
            return TargetPeople(targets.index, targets.table, np.arange(len(targets)))
        people = list(dict.fromkeys(crowd.person[targets.index].tolist()))
        if len(people) >= k:
            return _with_rows(table, crowd, np.array(people[:k]))
        if getattr(rule, "fixed_count", None):
            raise DesignError.phrase("Two of the rows that are named are of one person; name one row of each person.")
        if wanted >= most:
            raise _too_few(k, len(people))
        wanted = min(4 * wanted, most)


def _by_sum(table: Table, crowd: Crowd, standing: Floats, k: int) -> Ints:
    """The ``k`` different people whose rows' sum is largest; of people of the same rows the first, ties to the earlier.

    Raises
    ------
    DesignError
        There are fewer who differ.
    """
    bag = Whose.group(table.keys(), crowd.person).record[crowd.first]
    order = np.argsort(-np.round(crowd.total(standing), 9), kind="stable")
    first = np.sort(np.unique(bag[order], return_index=True)[1])
    if len(first) < k:
        raise _too_few(k, len(first))
    people: Ints = order[first[:k]]
    return people


def _too_few(k: int, people: int) -> DesignError:
    return DesignError.phrase(
        "{k:,} targets were asked for, and the real table has {people:,} people who differ: ask for fewer targets.",
        k=k,
        people=people,
    )


def _with_rows(table: Table, crowd: Crowd, people: Ints) -> TargetPeople:
    rows = rows_in_order(crowd, people)
    return TargetPeople(rows, table.rows(rows), np.repeat(np.arange(len(people)), crowd.sizes[people]))


def population_of(
    plan: MembershipPlan, table: Table, persons: Persons | None, holdout: Table | None, rng: np.random.Generator
) -> CrowdPopulation:
    """Who may be in a world, and whom the attacker knows; each row is a person where nobody has several."""
    whose = several(persons) or Persons.of_rows(len(table), 0 if holdout is None else len(holdout))
    if not plan.needs_auxiliary():
        return crowd_population(table, whose.real)
    beside = None if holdout is None else (holdout, whose.holdout_persons)
    return crowd_population(table, whose.real, holdout=beside, share=plan.auxiliary, rng=rng)


def sources(
    plan: MembershipPlan, people: CrowdPopulation, targets: TargetPeople, labels: Sequence[str | int]
) -> tuple[WorldSource, PeopleResampled | None]:
    """Where the counted worlds come from and, where an attacker has people of its own, where its worlds do.

    People are drawn by record, not by generator: all generators of a plan meet the same worlds.
    """
    how = OfPerson(plan.of_person)
    if plan.worlds in MADE:
        if len(people.crowd) < len(people.real):
            raise DesignError.phrase("Data sets are made of people with one row each; choose others, or no person.")
        made = made_rows(people.real, targets.table, plan.worlds)
        people = crowd_population(made, np.arange(len(made)))
        targets = replace(targets, index=np.full(len(targets), -1))  # none of them is a row of the made table
    own = people.attackers(targets)
    rows = plan.rows or plan.most_rows(people.around(targets), None if own is None else len(own[0]), len(targets))
    source: WorldSource
    if plan.worlds not in ("resampled", "halves"):
        rng = stream(plan.seed, "membership", "worlds", *labels)
        source = people.fix(targets, rows, plan.relation, how, rng)
    else:
        source = people.resample(targets, rows, plan.relation, how)
    return source, None if own is None else around(own, targets, source.rows, plan.relation, how)


def target_rows(chosen: Targets) -> list[int]:
    """The row of each target, of a person with several the first; -1 of a made-up one."""
    rows: list[int] = (chosen.first if isinstance(chosen, TargetPeople) else chosen.index).tolist()
    return rows


# A map of the real table to choose targets on: who stands out, and where.


MOST = 5_000
"""Records on a map at most; more neither draw well nor can be told apart."""


@dataclass(frozen=True, slots=True, eq=False)
class OutlierMap:
    """The records that stand out most, farthest first. All arrays are (m,).

    ``row`` is the row of the real table, counted from 0. ``distance`` is its Mahalanobis distance M. ``across`` and
    ``up`` are its place along the two main directions of the table, in standard deviations. ``total`` rows were
    measured, of which the median M is ``median``.
    """

    row: Ints
    distance: Floats
    across: Floats
    up: Floats
    total: int
    median: float


def outlier_map(table: Table, most: int = MOST) -> OutlierMap:
    """Measure every row and keep the ``most`` that stand out most; of equals the earlier row comes first."""
    shape = ellipsoid(table)
    distance = shape.distance(table)
    row = np.argsort(-distance, kind="stable")[:most]
    # The directions of the ellipsoid come in order of their variance, the largest last.
    main = np.zeros((len(row), 2))
    directions = shape.whiten[:, ::-1][:, :2]
    main[:, : directions.shape[1]] = (onehot(table.rows(row)) - shape.centre) @ directions
    return OutlierMap(row, distance[row], main[:, 0], main[:, 1], len(table), float(np.median(distance)))
