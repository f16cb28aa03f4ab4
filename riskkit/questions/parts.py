"""Trainings on random parts of the people, which the questions of one audit share: what one trains, no other does.

Each person is in as many trainings as anybody, by coins of their own, so one set of trainings is a game of every
person. A training is named by what it follows from beside the table: the method, the rows of a release, the seed, how
trainings were dealt, and its number. Whoever asks for that name on the same data gets the release that is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from riskkit import registry
from riskkit.core import Ints, Table
from riskkit.errors import DesignError
from riskkit.games.crowd import Crowd
from riskkit.games.records import Deal
from riskkit.games.released import ReleasedAttack
from riskkit.games.subsets import Subsets
from riskkit.jobs.pool import Pool
from riskkit.judging.provenance import Effort
from riskkit.phrases import phrase
from riskkit.plans import label
from riskkit.stats.arms import FEWEST_TRAININGS

BLOCK = 64
"""Trainings on parts of the people that are dealt together: where a run has more, a later one goes on from these."""
HALF = 0.5
"""The share of trainings with a person where several questions share them."""
FEWEST_PEOPLE = 20
"""People without whom the attacks have nobody to learn from."""
TRAININGS: Mapping[Effort, int] = {Effort.QUICK: 32, Effort.STANDARD: 64, Effort.THOROUGH: 256}
"""How often a method that trains long is trained for all questions of an audit together."""


def trainings_with(trainings: int, share: float) -> int:
    """In how many of so many trainings each person is; some are on either side."""
    return min(max(round(share * trainings), FEWEST_TRAININGS), trainings - FEWEST_TRAININGS)


def blocks_of(trainings: int, share: float) -> tuple[tuple[int, int], ...]:
    """The blocks that trainings are dealt in: how many, and with each person how many.

    A run of more trainings begins with the blocks of one of fewer, if these are whole.
    """
    ends = [*range(BLOCK, trainings, BLOCK), trainings]
    sizes = np.diff(ends, prepend=0).tolist()
    inside = np.diff([trainings_with(end, share) for end in ends], prepend=0).tolist()
    return tuple(zip(sizes, inside, strict=True))


def rows_of_each(n_syn: int, blocks: Sequence[tuple[int, int]]) -> int:
    """Rows of the release of each training: as large a part of a release's rows."""
    trainings, inside = blocks[0]
    return max(round(n_syn * inside / trainings), 1)


def deal_parts(
    table: Table,
    people: Crowd,
    generator: str,
    blocks: tuple[tuple[int, int], ...],
    n_syn: int,
    seed: int,
    asked: Ints,
    attacks: tuple[tuple[str, ReleasedAttack], ...] = (),
) -> Subsets:
    """The trainings of that method on parts of these people, where a release of all of them has ``n_syn`` rows.

    Parameters
    ----------
    asked, attacks
        Whom attacks on the released file score, and which; see :class:`riskkit.games.subsets.Subsets`.

    Raises
    ------
    DesignError
        There are too few people.
    """
    if len(people) < FEWEST_PEOPLE:
        raise DesignError.phrase(
            "{people} people are too few to be parted at random; it takes {fewest}. Load more, or run by seeds.",
            people=len(people),
            fewest=FEWEST_PEOPLE,
        )
    made = registry.parse("generators", generator)
    deal = Deal(made, rows_of_each(n_syn, blocks), seed, (label(generator), "subsets"))
    return Subsets(deal, table, people, blocks, asked, attacks)


def make_releases(play: Subsets, trainings: Sequence[int]) -> list[Table]:
    """The release of each of these trainings: one unit of work a training, which any other run finds again."""
    return play.releases(trainings)


def release_each(play: Subsets, pool: Pool, trainings: Sequence[int]) -> list[Table]:
    """The releases of these trainings: those that are there already, and the others from a training now."""
    names = [play.name(training) for training in trainings]
    stage = phrase("Trainings on parts of the people")
    return list(pool.map(stage, make_releases, play, trainings, names=names))
