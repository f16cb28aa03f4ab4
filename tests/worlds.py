"""Worlds of a membership game over tables in which everybody has one row."""

import numpy as np

from riskkit.core import Table, Targets
from riskkit.games.bags import OfPerson
from riskkit.games.crowd import CrowdPopulation, FixedWorlds, PeopleResampled, TargetPeople, crowd_population


def fixed_worlds(
    data: Table,
    targets: Targets,
    *,
    rows: int = 0,
    relation: str = "add-one",
    rng: np.random.Generator | None = None,
) -> FixedWorlds:
    people, drawn = crowd_population(data, np.arange(len(data))), rng or np.random.default_rng(0)
    return people.fix(TargetPeople.take(targets), rows, relation, OfPerson.MEAN, drawn)


def resampled_worlds(data: Table, targets: Targets, *, rows: int, relation: str = "add-one") -> PeopleResampled:
    people = crowd_population(data, np.arange(len(data)))
    return people.resample(TargetPeople.take(targets), rows, relation, OfPerson.MEAN)


def population(real: Table, holdout: Table | None, share: float, rng: np.random.Generator) -> CrowdPopulation:
    beside = None if holdout is None else (holdout, np.arange(len(holdout)) + len(real))
    return crowd_population(real, np.arange(len(real)), holdout=beside, share=share, rng=rng)


def around(people: CrowdPopulation, targets: Targets) -> tuple[Table, Table | None]:
    """The rows that worlds are made of, those of the targets among them, and the attacker's own without them."""
    asked = TargetPeople.take(targets)
    own, known = people.attackers(asked), people.known
    data = people.real if known is None else people.real.rows(~known | people._like(asked))
    assert len(data) == people.around(asked)
    return data, None if own is None else own[0]
