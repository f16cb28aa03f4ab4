"""MAMA-MIA: does the release hold more of the target's values, in the marginals its method counts, than others do?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from riskkit.core import Brief, Codes, Floats, Generator, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.parameters import CheckedPlugin, parameter
from riskkit.table.encode import bin_columns
from riskkit.table.noisy_counts import Family, MarginalsPicked, pairs

BINS = 10
"""Parts of a number, of a method that does not cut numbers itself."""
FLOOR = 0.5
"""Rows that stand in every cell of the known people at least: a cell nobody else is in says much, not all."""


@dataclass(frozen=True)
class MamaMia(CheckedPlugin):
    """The sum over marginals of the density of the release at the target over that of known people.

    A method that counts some sets of columns together leaks most in these. Which sets it picks is learnt from ``runs``
    of the same method on the people that the attacker knows: a set weighs by how often it is picked, and one that is
    picked less than ``keep`` times as often as the first is left out. Of a method that picks none all pairs of
    columns count, as for Private-GSD in the source. The cut lies half way between what the known people themselves
    score with and without the target.

    References
    ----------
    .. [1] Golob, Pentyala, Maratkhan and De Cock 2024, Privacy vulnerabilities in marginals-based synthetic data,
       arXiv 2410.05506; winner of SNAKE 2023.
    """

    name: ClassVar[str] = "mama_mia"
    title: ClassVar[str] = "Marginals the method counts (MAMA-MIA)"
    card: ClassVar[str] = (
        "Learns from trainings of its own which columns the method counts together, and compares there how often the "
        "target's values stand in the release and among other people. Needs other people of the population and the "
        "method, no release of its own. Strong on methods that copy few marginals (mst, privbayes, aim_tree, "
        "private_gsd); blind to copies of whole rows that no marginal shows. After Golob and others 2024."
    )
    knowledge: ClassVar[Knowledge] = Knowledge.EXACT
    control: ClassVar[str] = "bootstrap"
    shadows: ClassVar[int] = 0

    runs: int = parameter(
        10,
        label="Attacker's trainings",
        help="How often the method is trained on known people to see which columns it counts together.",
        low=1,
        high=1000,
        unit="trainings",
    )
    keep: float = parameter(
        0.5,
        label="Least share of the first",
        help="A set of columns counts if it is picked at least so often, compared with the set picked most often.",
        low=0.0,
        high=1.0,
    )

    def fit(self, brief: Brief, rng: np.random.Generator) -> FittedMamaMia:
        """Learn the picks, and count them among the known people.

        Raises
        ------
        DesignError
            The brief lacks the generator, or the people that the attacker knows.
        """
        people = brief.data if brief.data is not None else brief.reference
        if people is None or brief.generator is None:
            raise DesignError.phrase(
                "The attack on marginals needs other people and the generator; give it exact knowledge."
            )
        bins = getattr(brief.generator, "bins", BINS)
        picks = self.picks(brief.generator, people, rng)
        sets, weight = tuple(picks), np.array(list(picks.values()))
        target = bin_columns(brief.targets, bins)[0]
        share = np.maximum(shares(target, people, sets, bins), FLOOR / len(people))
        ruler = FittedMamaMia(target, sets, weight[:, None] / share, np.zeros(len(brief.targets)), bins)
        middle = (ruler.score(people) + ruler.score(people.plus(brief.targets))) / 2
        return FittedMamaMia(target, sets, ruler.weight, middle, bins)

    def picks(self, generator: Generator, people: Table, rng: np.random.Generator) -> dict[Family, float]:
        """The sets of columns that the method counts together, by how often it picks them, as a share of all."""
        counted: Counter[Family] = Counter()
        for _ in range(self.runs):
            fitted = generator.fit(people, rng)
            if not isinstance(fitted, MarginalsPicked):
                counted.update(pairs(len(people.schema.modelled)))
                break
            counted.update(set(fitted.families()))
        most = max(counted.values())
        kept = {family: times for family, times in sorted(counted.items()) if times >= self.keep * most}
        return {family: times / sum(kept.values()) for family, times in kept.items()}


@dataclass(frozen=True, slots=True, eq=False)
class FittedMamaMia:
    """The targets as codes, the sets of columns, what a share in each counts, and the score at the cut.

    ``target`` (n_targets, d), ``weight`` (n_sets, n_targets), ``cut`` (n_targets,).
    """

    target: Codes
    sets: tuple[Family, ...]
    weight: Floats
    cut: Floats
    bins: int

    def score(self, release: Table) -> Floats:
        """(n_targets,) the weighted sum of density ratios, less the cut."""
        ratios: Floats = (self.weight * shares(self.target, release, self.sets, self.bins)).sum(axis=0)
        return ratios - self.cut


def shares(target: Codes, table: Table, sets: tuple[Family, ...], bins: int) -> Floats:
    """(n_sets, n_targets) the share of the rows that have the target's values in all columns of a set."""
    codes = bin_columns(table, bins)[0]
    out = np.empty((len(sets), len(target)))
    for place, values in enumerate(target):
        agrees = codes == values
        out[:, place] = [agrees[:, family].all(axis=1).mean() for family in sets]
    return out


PLUGIN = MamaMia
