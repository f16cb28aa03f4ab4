"""Combinations of keys, table by table: classes, minimal uniques, what would raise k, what a release repeats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from riskkit.base.threads import single_thread
from riskkit.core import Bools, Estimate, Floats, Ints, Table
from riskkit.errors import DesignError
from riskkit.jobs.pool import Clock, Pool, Progress
from riskkit.phrases import phrase
from riskkit.questions.keys import classes as suda
from riskkit.questions.keys import replication
from riskkit.questions.keys.classes import classes_of, coarser, diversity, levels_of
from riskkit.questions.keys.plan import KeysPlan, columns_of
from riskkit.questions.keys.population import individual_risk, population_uniques
from riskkit.questions.keys.result import (
    BANDS,
    Counts,
    KeysResult,
    MatchRisk,
    RareSet,
    Replicated,
    SecretDiversity,
    SpecialRow,
    Specials,
    TableRisk,
)
from riskkit.table.load import Tables
from riskkit.table.stack import slots_of

MOST_SETS = 10_000
"""Sets of keys that are looked at for minimal uniques; of many keys only smaller sets."""
SETS, PEOPLE, OF_PERSON, WAYS = 20, 50, 5, 12
"""Sets, people, sets of a person, and ways to raise k that are listed."""
APART = 0.1
"""How far weights and population may be apart before that is said."""
LARGEST = 11
"""The size from which on classes are one in the picture."""
FRACTION, NUMBER, WEIGHTS = "fraction", "number", "weights"
"""Where the size of the population comes from."""


@dataclass(frozen=True, slots=True, eq=False)
class Arena:
    """All that units read: the plan, the tables by slot, their levels of keys and of secrets in one numbering.

    ``weights`` (real rows,) are None where nobody knows the population.
    """

    plan: KeysPlan
    counts: Counts
    tables: dict[str, Table]
    keys: dict[str, Ints]
    secrets: dict[str, Ints]
    weights: Floats | None
    is_both: tuple[Bools, Bools]

    @property
    def releases(self) -> list[str]:
        """The slots of releases."""
        return [slot for slot in self.tables if slot not in ("real", "holdout")]


def run_keys(
    tables: Tables,
    plan: KeysPlan,
    *,
    workers: int = 1,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> KeysResult:
    """The result of that plan.

    Raises
    ------
    Cancelled
        ``cancelled`` said so.
    DesignError
        A table has no row, a column that is named is not in use, or the population is smaller than the table.
    """
    with single_thread():
        arena = _arena(tables, plan)
        last = next(iter(arena.releases), "real")
        units = [("risk", slot) for slot in ("real", *arena.releases)]
        units += [("specials", "real"), ("coarser", last), *(("replicated", slot) for slot in arena.releases)]
        pool = Pool(workers, Clock(len(units), progress), cancelled)
        parts = dict(zip(units, pool.map(phrase("Counting combinations"), _play, arena, units), strict=True))
    specials, people, scores, smallest = parts["specials", "real"]
    risks = [parts[unit] for unit in units if unit[0] == "risk"]
    return KeysResult(
        plan=plan,
        counts=arena.counts,
        tables=tuple(risk for risk, _ in risks),
        secrets=tuple(secret for _, secrets in risks for secret in secrets),
        specials=specials,
        coarser=parts["coarser", last],
        replicated=tuple(parts[unit] for unit in units if unit[0] == "replicated"),
        people=people,
        scores=scores,
        smallest=smallest,
        notes=tuple(_notes(arena)),
    )


def _arena(tables: Tables, plan: KeysPlan) -> Arena:
    keys, secrets = columns_of(plan, tables.schema)
    own = {"real": tables.real}
    each = [part.synthetic for part in tables.each_release()]
    own |= {slot: table for slot, table in zip(slots_of(len(each)), each, strict=True) if table is not None}
    own |= {} if tables.holdout is None else {"holdout": tables.holdout}
    if empty := [slot for slot, table in own.items() if not len(table)]:
        raise DesignError.phrase("The table {slot} has no row; load another file.", slot=empty[0])
    people, source = _population(tables, plan)
    most = plan.size
    while most > 1 and suda.count_sets(len(keys), most) > MOST_SETS:
        most -= 1
    counts = Counts(len(tables.real), tables.release_rows, keys, secrets, people, source, min(most, len(keys)))
    weights = tables.weights
    if weights is None and people is not None:
        weights = np.full(len(tables.real), people / len(tables.real))
    both = tables.in_both
    is_both = (
        np.zeros(len(tables.real), dtype=np.bool_) if both is None else both.real,
        np.zeros(len(own.get("holdout", ())), dtype=np.bool_) if both is None else both.holdout,
    )
    every = list(own.values())
    return Arena(
        plan,
        counts,
        own,
        dict(zip(own, levels_of(every, keys), strict=True)),
        dict(zip(own, levels_of(every, secrets), strict=True)),
        weights,
        is_both,
    )


def _population(tables: Tables, plan: KeysPlan) -> tuple[float | None, str]:
    """How many people the population has, and who says so."""
    rows = len(tables.real)
    if plan.fraction:
        return rows / plan.fraction, FRACTION
    if plan.population:
        if plan.population < rows:
            raise DesignError.phrase(
                "A population of {people:,} is smaller than the real table, which has {rows:,} rows.",
                people=plan.population,
                rows=rows,
            )
        return float(plan.population), NUMBER
    if tables.weights is None:
        return None, ""
    return max(float(tables.weights.sum()), float(rows)), WEIGHTS


def _notes(arena: Arena) -> list[str]:
    counts, notes = arena.counts, list[str]()
    if counts.people is None:
        notes.append(
            phrase(
                "Nobody said of how large a population the table is a sample, so nothing can be said of it: name "
                "a column of weights, the share of the population, or the number of its people."
            )
        )
    total = 0.0 if arena.weights is None else float(arena.weights.sum())
    if counts.people is not None and abs(total / counts.people - 1) > APART:
        notes.append(
            phrase(
                "The sampling weights add up to {weights:,.0f} people, and the population was said to have "
                "{people:,.0f}. The risk of a match follows the weights, everything else what was said.",
                weights=total,
                people=counts.people,
            )
        )
    if counts.most < min(arena.plan.size, len(counts.key_columns)):
        notes.append(
            phrase(
                "There are {keys} keys, so minimal uniques were searched for by at most {most} of them at a time.",
                keys=len(counts.key_columns),
                most=counts.most,
            )
        )
    return notes


def _play(arena: Arena, units: Sequence[tuple[str, str]]) -> list[Any]:
    plays: dict[str, Callable[[Arena, str], Any]] = {
        "risk": _risk,
        "specials": _specials,
        "coarser": lambda arena, slot: coarser(arena.tables[slot], arena.counts.key_columns, WAYS),
        "replicated": _replication,
    }
    return [plays[what](arena, slot) for what, slot in units]


def _risk(arena: Arena, slot: str) -> tuple[TableRisk, tuple[SecretDiversity, ...]]:
    """Classes of one table, and what they tell of each secret."""
    classes = classes_of(arena.keys[slot])
    size, rows = np.bincount(classes), len(classes)
    own = size[classes]
    people = arena.counts.people
    journalist = uniques = None
    if people is not None:
        weights = arena.weights if slot == "real" else np.full(rows, max(people / rows, 1.0))
        journalist = MatchRisk.from_risks(individual_risk(own, np.bincount(classes, weights=weights)[classes]))
        uniques = population_uniques(size.astype(np.int64), max(people, float(rows)))
    bands = [(size >= low) & ((size <= high) | (high == 0)) for low, high in BANDS]
    risk = TableRisk(
        table=slot,
        rows=rows,
        classes=len(size),
        smallest=int(size.min()),
        alone=int((size == 1).sum()),
        bands=tuple((int(band.sum()), int(size[band].sum())) for band in bands),
        sizes=tuple((np.bincount(np.minimum(own, LARGEST), minlength=LARGEST + 1)[1:] / rows).tolist()),
        prosecutor=MatchRisk.from_risks(1 / own),
        journalist=journalist,
        uniques=uniques,
    )
    schema = arena.tables[slot].schema
    secrets = tuple(
        SecretDiversity(slot, name, diversity(classes, levels, is_ordered=schema.column(name).is_numeric))
        for name, levels in zip(arena.counts.secret_columns, arena.secrets[slot].T, strict=True)
    )
    return risk, secrets


def _specials(arena: Arena, slot: str) -> tuple[Specials, tuple[SpecialRow, ...], Floats, Ints]:
    """Minimal uniques of the table, the people with the highest scores, and score and smallest set of each row."""
    names, levels = arena.counts.key_columns, arena.keys[slot]
    uniques = suda.minimal_uniques(levels, arena.counts.most)
    score, smallest = uniques.score(), uniques.smallest()
    size = np.bincount(classes_of(levels))
    alone, pairs = int((size == 1).sum()), int((size == 2).sum())
    people = arena.counts.people
    fraction = 0.0 if people is None else len(levels) / people
    dis = suda.dis_scores(score, alone, pairs, len(names), fraction)
    ranked = sorted(zip(uniques.subsets, uniques.rows, strict=True), key=lambda pair: (-len(pair[1]), pair[0]))
    specials = Specials(
        rows=int((score > 0).sum()),
        dis=None if people is None else suda.share_right(alone, pairs, fraction),
        by_size=tuple(np.bincount(smallest, minlength=arena.counts.most + 1)[1:].tolist()),
        contributions=tuple(uniques.contributions().tolist()),
        sets=tuple(RareSet(tuple(names[column] for column in subset), len(rows)) for subset, rows in ranked[:SETS]),
    )
    first = np.argsort(-score, kind="stable")[:PEOPLE]
    rows = tuple(
        SpecialRow(
            int(row),
            float(score[row]),
            float(dis[row]),
            tuple(tuple(names[column] for column in subset) for subset in uniques.of_row(int(row))[:OF_PERSON]),
        )
        for row in first
        if score[row] > 0
    )
    return specials, rows, score, smallest


def _replication(arena: Arena, slot: str) -> Replicated:
    """What synthpop counts on that release, and the same beside people who were not in."""
    there = ["real", slot] + (["holdout"] if "holdout" in arena.tables else [])
    stacked = classes_of(np.concatenate([arena.keys[name] for name in there]))
    parts = np.split(stacked, np.cumsum([len(arena.keys[name]) for name in there])[:-1])
    rows = replication.KeyedRows(parts[0], parts[1], parts[2] if len(parts) > 2 else None)
    secrets, estimates = {}, list[Estimate]()
    if rows.others is not None:
        estimates += replication.beside_others(rows, arena.is_both, arena.plan.level)
    for place, name in enumerate(arena.counts.secret_columns):
        own, made = (arena.secrets[table][:, place] for table in ("real", slot))
        secrets[name] = replication.attribute(rows, own, made)
        if rows.others is not None:
            every = (own, made, arena.secrets["holdout"][:, place])
            shares = replication.disclosure_beside_others(rows, every, arena.is_both, arena.plan.level)
            estimates += [estimate.label(secret=name) for estimate in shares]
    return Replicated(slot, replication.identity(rows), secrets, tuple(estimates))
