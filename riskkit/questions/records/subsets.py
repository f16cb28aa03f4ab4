"""Everybody's risk from a few trainings on random parts of the people: what is played, and what is said beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats, Generator, Ints, Table
from riskkit.errors import DesignError
from riskkit.games.crowd import Crowd
from riskkit.games.records import Deal
from riskkit.games.released import ReleasedAttack
from riskkit.games.subsets import Subsets, combine, lira, rmia
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.plans import label
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.units import COMBINED
from riskkit.seeds import stream
from riskkit.stats import subsets
from riskkit.stats.campaign import Many

LIRA, RMIA = "lira", "rmia"
"""What is made of all attacks together with many trainings: each person's own two laws, and each beside all others."""
LEARNT_FROM = 1_000
"""People who are scored at least, where there are as many, so that weights are learnt from enough of them."""
FEWEST_PEOPLE = 20
"""People without whom the attacks have nobody to learn from."""


def attacks() -> tuple[tuple[str, ReleasedAttack], ...]:
    """Every attack on a released file that reads one table and no free text; what is made of others comes last."""
    every = registry.plugins("released").items()
    chosen = [name for name, attack in every if getattr(attack, "in_all", True) and not _needs_more(attack)]
    chosen.sort(key=lambda name: bool(getattr(registry.plugins("released")[name], "parts", ())))
    return tuple((name, registry.parse("released", name)) for name in chosen)


def _needs_more(attack: Any) -> bool:
    return getattr(attack, "needs_text", False) or getattr(attack, "needs_children", False)


def game(table: Table, crowd: Crowd | None, plan: RecordsPlan, positions: Ints) -> Subsets:
    """The game of that plan, which asks about the people at these positions and about enough others to learn from.

    Raises
    ------
    DesignError
        There are too few people.
    """
    generator: Generator = registry.parse("generators", plan.generator)
    people = Crowd.group(np.arange(len(table))) if crowd is None else crowd
    if len(people) < FEWEST_PEOPLE:
        raise DesignError.phrase(
            "{people} people are too few to be parted at random; it takes {fewest}. Load more, or run by seeds.",
            people=len(people),
            fewest=FEWEST_PEOPLE,
        )
    deal = Deal(generator, plan.rows_each, plan.seed, (label(plan.generator), "subsets"))
    order = stream(plan.seed, "records", "learnt").permutation(len(people))
    others = order[~np.isin(order, positions)]
    asked = np.sort(np.concatenate([positions, others[: max(LEARNT_FROM - len(positions), 0)]]))
    return Subsets(deal, table, people, plan.trainings, plan.trainings_with, asked, attacks())


def score_trainings(play: Subsets, trainings: Sequence[int]) -> list[Floats]:
    """Of each training what every attack says of each person on its release: one unit of work a training."""
    releases = play.releases(trainings)
    return [play.scores(release, training) for release, training in zip(releases, trainings, strict=True)]


@dataclass(frozen=True, slots=True, eq=False)
class FirstLook:
    """The scores of those asked about by side, what each attack reaches on all of them, and what is to be said."""

    many: Many
    attacks: tuple[Estimate, ...]
    notes: tuple[str, ...]


def first_look(play: Subsets, plan: RecordsPlan, positions: Ints, pool: Pool) -> FirstLook:
    """Train, score everybody, and put together what the attacks say of the people at these positions.

    Raises
    ------
    DesignError
        No attack can work on these tables.
    """
    made = pool.map(phrase("Trainings on parts of the people"), score_trainings, play, list(range(plan.trainings)))
    scores = np.stack(list(made), axis=-1).transpose(1, 0, 2)  # (attacks, people, trainings)
    every = {name: own for (name, _), own in zip(play.attacks, scores, strict=True) if np.isfinite(own).all()}
    if not every:
        raise DesignError.phrase("No attack on a released file can work on these tables.")
    is_in = play.is_in[play.asked]
    combined = combine(np.stack(list(every.values())), is_in, stream(plan.seed, "records", "subsets"))
    refused = tuple(name for name, _ in play.attacks if name not in every)
    every |= {COMBINED: combined, RMIA: rmia(combined)}
    every[LIRA] = lira(combined, is_in, stream(plan.seed, "records", "subsets", LIRA))
    own = np.searchsorted(play.asked, positions)
    attacks = [
        estimate.label(generator=plan.generator, attack=name)
        for name, values in every.items()
        for estimate in subsets.pool(values[own], is_in[own], plan.level)
    ]
    return FirstLook(sides(combined[own], is_in[own]), tuple(attacks), notes_of(play, plan, refused))


def sides(scores: Floats, is_in: Bools) -> Many:
    """The scores (m, trainings) by side, above 0 where a release is among those that speak most for a person.

    The cut is the person's own, at the share of trainings without them; no coin is looked at.
    """
    out = int((~is_in[0]).sum())
    above = scores - np.sort(scores, axis=1)[:, [out - 1]]
    flat = is_in.shape[0], -1
    return Many(above[is_in].reshape(flat), above[~is_in].reshape(flat))


def notes_of(play: Subsets, plan: RecordsPlan, refused: Sequence[str]) -> tuple[str, ...]:
    """What must be said beside the numbers: of which game they are, and which attacks could not be asked."""
    rows = [len(play.world(training)) for training in range(plan.trainings)]
    notes = [
        phrase(
            "The method was trained {trainings:,} times, each time on a random part of the people, {least:,} to "
            "{most:,} rows, and put out {released:,} rows. Each person was part of {inside:,} of the trainings. "
            "It is the risk of a table of about that many rows; a longer table usually exposes each person less.",
            released=plan.rows_each,
            trainings=plan.trainings,
            least=min(rows),
            most=max(rows),
            inside=plan.trainings_with,
        ),
        phrase(
            "{attacks:,} attacks scored everybody on every release. Their scores were combined by weights that were "
            "learnt from other people and other trainings than those they judge.",
            attacks=len(play.attacks) - len(refused),
        ),
    ]
    if refused:
        notes.append(
            phrase("These attacks cannot work on this table and were left out: {attacks}.", attacks=tuple(refused))
        )
    return tuple(notes)
