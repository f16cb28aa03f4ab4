"""Everybody's risk from a few trainings on random parts of the people: what is played, and what is said beside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import numpy as np

from riskkit import registry
from riskkit.core import Bools, Estimate, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.crowd import Crowd
from riskkit.games.released import ReleasedAttack
from riskkit.games.subsets import Subsets, combine, lira, rmia
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.questions.parts import deal_parts, release_each
from riskkit.questions.records.certificate import is_certified
from riskkit.questions.records.plan import IDS, MODEL, SEEDS, RecordsPlan
from riskkit.questions.records.result import COMBINED, LIRA, PLANTED_AUC, RMIA, RecordsResult, read
from riskkit.seeds import stream
from riskkit.stats import subsets
from riskkit.stats.campaign import Many
from riskkit.stats.multiplicity import benjamini_hochberg
from riskkit.stats.subsets import CURVE, FPRS, by_luck

COMBINATIONS = (COMBINED, LIRA, RMIA)
"""What is made of all attacks, of which a whole ROC curve is kept."""
INSIDE = "inside"
"""What the trained method itself says of everybody, where the attacker has it."""
LEARNT_FROM = 1_000
"""People who are scored at least, where there are as many, so that weights are learnt from enough of them."""


def attacks() -> tuple[tuple[str, ReleasedAttack], ...]:
    """Every attack on a released file that reads one table and no free text; what is made of others comes last."""
    every, more = registry.plugins("released"), ("needs_text", "needs_children")
    chosen = [
        name
        for name, attack in every.items()
        if getattr(attack, "in_all", True) and not any(getattr(attack, need, False) for need in more)
    ]
    chosen.sort(key=lambda name: bool(getattr(every[name], "parts", ())))
    return tuple((name, registry.parse("released", name)) for name in chosen)


def game(table: Table, people: Crowd, plan: RecordsPlan, positions: Ints) -> Subsets:
    """The game of that plan, which asks about the people at these positions and about enough others to learn from.

    Raises
    ------
    DesignError
        There are too few people.
    """
    order = stream(plan.seed, "records", "learnt").permutation(len(people))
    others = order[~np.isin(order, positions)]
    asked = np.sort(np.concatenate([positions, others[: max(LEARNT_FROM - len(positions), 0)]]))
    return deal_parts(table, people, plan.generator, plan.blocks, plan.n_syn, plan.seed, asked, attacks())


def score_releases(held: tuple[Subsets], units: Sequence[tuple[int, Table]]) -> list[Floats]:
    """Of each training with its release (asked, attacks) what attacks say of everybody.

    The game is in a tuple, for it says how many trainings belong side by side, and nothing is trained here.
    """
    return [play.scores(release, training) for play in held for training, release in units]


def score_planted(held: tuple[Subsets], units: Sequence[tuple[int, Table]]) -> list[Floats]:
    """The same on releases with the planted copies."""
    return [play.canary_scores(release, training) for play in held for training, release in units]


def units_of(play: Subsets) -> int:
    """Units of work: trainings, releases that are scored, and those that are scored with planted copies."""
    return 2 * play.trainings + int(play.canary_coins.shape[1])


def first_look(
    play: Subsets, plan: RecordsPlan, positions: Ints, pool: Pool
) -> tuple[Many, tuple[Estimate, ...], tuple[str, ...]]:
    """Train, score everybody, and put together what the attacks say of the people at these positions.

    Gives their scores by side, what each attack reaches on all of them, and what is to be said.

    Raises
    ------
    DesignError
        No attack can work on these tables.
    """
    made, made_planted, inside = score_all(play, pool, sees_model=plan.sees == MODEL)
    scores, on_planted = by_attack(made), by_attack(made_planted)
    every = {name: own for (name, _), own in zip(play.attacks, scores, strict=True) if np.isfinite(own).all()}
    if inside:
        every[INSIDE] = np.stack(inside, axis=-1)
    if not every:
        raise DesignError.phrase("No attack on a released file can work on these tables.")
    is_in = play.is_in[play.asked]
    combined = combine(np.stack(list(every.values())), is_in, stream(plan.seed, "records", "subsets"))
    refused = tuple(name for name, _ in play.attacks if name not in every)
    copies = {name: own for (name, _), own in zip(play.attacks, on_planted, strict=False)}
    planted = planted_aucs(play, plan, copies, every)
    own_laws = lira(combined, is_in, stream(plan.seed, "records", "subsets", "lira"))
    every = {COMBINED: combined, LIRA: own_laws, RMIA: rmia(combined), **every}
    own = np.searchsorted(play.asked, positions)
    attacks = [
        estimate.label(generator=plan.generator, attack=name)
        for name, values in every.items()
        for estimate in subsets.pool(values[own], is_in[own], plan.level, CURVE if name in COMBINATIONS else FPRS)
        if name != LIRA or estimate.name != "mean_auc"  # of nobody's leak it lies below one half: see lira
    ]
    return sides(combined[own], is_in[own]), (*attacks, *planted), notes_of(play, plan, refused)


def score_all(
    play: Subsets, pool: Pool, *, sees_model: bool = False
) -> tuple[list[Floats], list[Floats], list[Floats]]:
    """What attacks say on each release, and with planted copies; a block of releases is held at a time.

    Last is what each trained method says of everybody, where the attacker sees it.
    """
    made: list[Floats] = []
    planted: list[Floats] = []
    inside: list[Floats] = []
    with_copies = play.canary_coins.shape[1]
    for trainings, _ in play.blocks:
        block = range(len(made), len(made) + trainings)
        if sees_model:
            models = list(pool.map(phrase("Trainings on parts of the people"), Subsets.models, play, block))
            releases = [release for release, _ in models]
            inside += [known for _, known in models]
        else:
            releases = release_each(play, pool, block)
        units = list(zip(block, releases, strict=True))
        made += pool.map(phrase("Attacks on every release"), score_releases, (play,), units)
        copied = units[: max(with_copies - block.start, 0)]
        if copied:
            planted += pool.map(phrase("Attacks on the planted leak"), score_planted, (play,), copied)
    return made, planted, inside


def by_attack(made: Sequence[Floats]) -> Floats:
    """(attacks, people, trainings) scores of each training."""
    return np.stack(list(made), axis=-1).transpose(1, 0, 2) if made else np.empty((0, 0, 0))


# The planted leak: copies of a few people in releases that are there already, by coins of their own.


def planted_aucs(
    play: Subsets, plan: RecordsPlan, scores: Mapping[str, Floats], works: Collection[str]
) -> list[Estimate]:
    """What each attack that works reaches on the people who were planted, and all of them together.

    Attacks are put together as in the run itself: weights are learnt from everybody, of whom nearly all were not
    planted. So it is seen whether a leak of so few people would be found, and of how many.
    """
    is_in = play.is_in[play.asked, : play.canary_coins.shape[1]]
    is_in[play.canaries] = play.canary_coins
    every = {name: own for name, own in scores.items() if name in works and np.isfinite(own).all()}
    if not len(play.canaries) or not every:
        return []
    every[COMBINED] = combine(np.stack(list(every.values())), is_in, stream(plan.seed, "records", "planted"))
    many = sides(every[COMBINED][play.canaries], play.canary_coins)
    luck = np.concatenate([by_luck(many.inside, many.outside), np.ones(len(play.asked) - len(play.canaries))])
    listed = int(benjamini_hochberg(luck, 1 - plan.level).sum())
    own = {"generator": plan.generator, "people": str(len(play.canaries)), "listed": str(listed)}
    return [
        replace(subsets.pool(values[play.canaries], play.canary_coins, plan.level)[0], name=PLANTED_AUC).label(
            attack=name, **own
        )
        for name, values in every.items()
    ]


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
    if plan.sees == MODEL:
        notes.append(
            phrase(
                "The attacker has the trained method too: what it says of everybody is one attack more. The planted "
                "copies are in releases, so there it finds nothing and is not asked."
            )
        )
    if refused:
        notes.append(
            phrase("These attacks cannot work on this table and were left out: {attacks}.", attacks=tuple(refused))
        )
    return tuple(notes)


# Those most exposed once more, on the whole table.

AGAIN, AGAIN_LONG = 100, 5
"""People who are run again at most; the second where a training takes long."""
SIDES, SIDES_LONG = 200, 40
"""Trainings a side of that game."""


def run_again(result: RecordsResult, limit: float | None) -> RecordsPlan | None:
    """The game on the whole table for those who are listed: with and without each of them, on fresh trainings.

    Where there are too many it is for the most exposed of them, and where nobody is listed, for the most exposed. None
    where nobody has a number.
    """
    plan, people = result.plan, [person for person in read(result, limit).ranked() if person.auc is not None]
    listed = [person.row for person in people if person.is_listed]
    generator = registry.parse("generators", plan.generator)
    most, sides = (AGAIN_LONG, SIDES_LONG) if fits.is_long(generator) else (AGAIN, SIDES)
    rows = (listed or [person.row for person in people[:AGAIN_LONG]])[:most]
    if not rows:
        return None
    return RecordsPlan(
        generator=plan.generator,
        records=f"{IDS}:{','.join(map(str, rows))}",
        inside=sides,
        outside=sides,
        shadows=sides // 2,
        again=0,
        n_syn=plan.n_syn,
        seed=plan.seed,
        level=plan.level,
        by=SEEDS,
        fpr=plan.fpr,
        second_table=plan.second_table,
        certificate=is_certified(generator),
    )


def trainings_of(plan: RecordsPlan) -> int:
    """How often such a game trains, where every release needs a training."""
    people = len(plan.named)
    return plan.inside + plan.shadows + people * (plan.outside + plan.shadows)
