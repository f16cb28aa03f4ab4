"""The membership game where people have several rows: who is attacked, and worlds with and without all their rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riskkit.core import Ints, Table, Targets
from riskkit.errors import DesignError
from riskkit.games.bags import OfPerson
from riskkit.games.crowd import Crowd, rows_in_order
from riskkit.games.crowd_worlds import (
    CrowdPopulation,
    PeopleResampled,
    TargetPeople,
    around,
    crowd_population,
)
from riskkit.games.worlds import Source
from riskkit.phrases import phrase
from riskkit.seeds import stream
from riskkit.table.persons import Persons

if TYPE_CHECKING:
    from riskkit.questions.membership.plan import MembershipPlan


def several(persons: Persons | None) -> Persons | None:
    """The people, where somebody has several rows; else None, and a row is a person."""
    return persons if persons is not None and persons.has_several_rows else None


def chosen_people(table: Table, persons: Persons, rule: Any, k: int, rng: np.random.Generator) -> TargetPeople:
    """The people that rule attacks: of its order of rows the first ``k`` different people.

    So a person stands out as much as the one of their rows that stands out most: that row is what a release would show
    of them. A rule that draws by lot draws people, each as likely as the others, however many rows they have.

    Raises
    ------
    DesignError
        There are fewer people than are asked for, or two listed rows are of one person.
    """
    crowd = Crowd.of(persons.real)
    if getattr(rule, "by_lot", False):
        drawn = rule.choose(table.rows(crowd.first), k, rng)
        return _with_rows(table, crowd, drawn.index)
    state, wanted, most = rng.bit_generator.state, k, len(np.unique(table.keys()))
    while True:
        rng.bit_generator.state = state
        found: Targets = rule.choose(table, wanted, rng)
        if (found.index < 0).any():  # made-up people have one row
            return TargetPeople(found.index, found.table, np.arange(len(found)))
        people = list(dict.fromkeys(crowd.person[found.index].tolist()))
        if len(people) >= k:
            return _with_rows(table, crowd, np.array(people[:k]))
        if getattr(rule, "fixed_count", None):
            raise DesignError(phrase("Two of the rows that are named are of one person; name one row of each person."))
        if wanted >= most:
            raise DesignError(
                phrase(
                    "{k:,} targets were asked for, and the real table has {people:,} people who differ: ask for fewer "
                    "targets.",
                    k=k,
                    people=len(people),
                )
            )
        wanted = min(4 * wanted, most)


def _with_rows(table: Table, crowd: Crowd, people: Ints) -> TargetPeople:
    rows = rows_in_order(crowd, people)
    return TargetPeople(rows, table.rows(rows), np.repeat(np.arange(len(people)), crowd.sizes[people]))


def population_of(
    plan: MembershipPlan, table: Table, persons: Persons, holdout: Table | None, rng: np.random.Generator
) -> CrowdPopulation:
    """Who may be in a world, and whom the attacker knows."""
    if not plan.needs_auxiliary():
        return crowd_population(table, persons.real)
    beside = None if holdout is None else (holdout, persons.of_holdout)
    return crowd_population(table, persons.real, holdout=beside, share=plan.auxiliary, rng=rng)


def sources(
    plan: MembershipPlan, people: CrowdPopulation, targets: TargetPeople, labels: Sequence[str | int]
) -> tuple[Source, PeopleResampled | None]:
    """Where the counted worlds come from and, where an attacker has people of its own, where its worlds do."""
    how, own = OfPerson(plan.of_person), people.attackers(targets)
    free = int(people.crowd.sizes[people.counted(targets)[0]].sum())
    rows = plan.rows or plan.most_rows(free + len(targets), None if own is None else len(own[0]), len(targets))
    source: Source
    if plan.worlds == "fixed":
        rng = stream(plan.seed, "membership", "worlds", *labels)
        source = people.fixed(targets, rows, plan.relation, how, rng)
    else:
        source = people.resampled(targets, rows, plan.relation, how)
    return source, None if own is None else around(own, targets, source.rows, plan.relation, how)


def named(chosen: Targets) -> list[int]:
    """The row of each target, of a person with several the first; -1 of a made-up one."""
    rows: list[int] = (chosen.first if isinstance(chosen, TargetPeople) else chosen.index).tolist()
    return rows
