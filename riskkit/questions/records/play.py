"""Playing the model-seeded game for every record: everyone first, then those who matter on fresh trainings."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import Floats, Generator, Ints, Table
from riskkit.errors import ParameterError
from riskkit.games import fits
from riskkit.games.crowd import Crowd
from riskkit.games.records import Deal, FixedTable, OtherPeople
from riskkit.games.several_releases import growing_method, repeat, stages
from riskkit.jobs.pool import Pool, Steering
from riskkit.phrases import phrase
from riskkit.plans import label
from riskkit.questions import origin, standard
from riskkit.questions.compared import group_unit, unit_of
from riskkit.questions.for_whom import by_certificates, by_played_attack
from riskkit.questions.forecasts import Forecast, SharedTrainings
from riskkit.questions.records import subsets
from riskkit.questions.records.certificate import CURVE, Certificate, Terms, certify_blocks, certify_growth
from riskkit.questions.records.people import (
    AskedPeople,
    copies_of_people,
    crowd_of,
    has_several_rows,
    other_people,
    people_asked,
    play_tables,
    stand_in,
)
from riskkit.questions.records.plan import KNOWING, MODEL, TOP, RecordsPlan
from riskkit.questions.records.refusals import check, exact_bound
from riskkit.questions.records.releases import After, counts
from riskkit.questions.records.result import COMBINED, RecordsResult
from riskkit.questions.records.subsets import game
from riskkit.questions.records.units import (
    ATTACK,
    AUXILIARY,
    FIRST,
    FIXED,
    FRESH,
    TRADITIONAL,
    Campaign,
    Field,
    ReleaseCounts,
    judge_scores,
    play,
    units_of,
)
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats.arms import Arm
from riskkit.stats.campaign import Many
from riskkit.stats.intervals import hoeffding
from riskkit.stats.power import detectable_auc_of_records
from riskkit.stats.summary import auc_interval
from riskkit.table.agreements import Agreement, Places, Words
from riskkit.table.load import Tables
from riskkit.targets.vulnerable import isolation

# The attack that is played, by an attacker who sees the first releases alone: after one of them, after two, and so
# on.
#
# The releases are there already, so an attacker who sees fewer costs no training: what it learns and what it is shown
# are the first rows of the same releases.


def ends_of(plan: RecordsPlan) -> tuple[int, ...]:
    """The released rows up to each count of releases but the last; none of one release."""
    return tuple(plan.n_syn * count for count in counts(plan.releases)[:-1])


def after_each(plan: RecordsPlan, first: Many, fewer: Sequence[tuple[Floats, ...]]) -> tuple[tuple[After, ...], ...]:
    """The AUC of the attack that was played on each record after each count of releases; none of one release.

    All of them are of the trainings of the first look. Of a record whose scores never differ nothing is said: its AUC
    is then one half, and may be 1.
    """
    if not fewer:
        return ()
    out = []
    for position, (inside, outside) in enumerate(fewer):
        every = Many(np.vstack([inside, first.inside[position]]), np.vstack([outside, first.outside[position]]))
        decided, intervals = every.is_decided(), zip(*auc_interval(*every.arms, plan.level), strict=True)
        series = [
            After(count, *map(float, interval)) if says else After(count, 0.5, 0.5, 1.0)
            for count, says, interval in zip(counts(plan.releases), decided, intervals, strict=True)
        ]
        out.append(tuple(series))
    return tuple(out)


# What must be said beside the numbers of many records.


def notes_of_worlds(plan: RecordsPlan, total: int, certified: int, people: int, bound: float | None) -> list[str]:
    """What is said of worlds with and without one of so many ``people``, so many of whom have a certificate.

    A table may be drawn from one of ``total`` rows, or have grown; what the noise of the method allows, ``bound``,
    stands in the place of certificates where nobody has one.
    """
    notes: list[str] = []
    if plan.people:
        notes.append(
            phrase(
                "Run on table {table} of {people:,} people drawn from the {rows:,} rows of the real table, the named "
                "among them; the others were the holdout. Another table gives another risk.",
                table=plan.draw,
                people=plan.people,
                rows=total,
            )
        )
    if plan.years:
        notes.append(
            phrase(
                "The table grew from {first:,} to {last:,} rows over {releases:,} releases, each of {n_syn:,} rows. "
                "Asked about are people who were there at the first release: they are in all releases or in none.",
                first=plan.years[0],
                last=plan.years[-1],
                releases=len(plan.years),
                n_syn=plan.n_syn,
            )
        )
    if plan.years and plan.certificate and certified < people:
        notes.append(
            phrase(
                "{without:,} of {people:,} people have no optimal-attack bound: without them the method makes "
                "another model in one of the years. Attacks alone say something of them.",
                without=people - certified,
                people=people,
            )
        )
    if bound is not None:
        notes.append(
            phrase(
                "What the best attack on each record reaches is not known for {generator!r}. What its noise allows is: "
                "no attack on any record has an AUC above {bound:.3f}. This bound is the same for every record.",
                generator=plan.generator,
                bound=bound,
            )
        )
    return notes


def notes_of(plan: RecordsPlan, first: Many, copies: Ints, rows_each: Ints | None = None) -> list[str]:
    """The sentences about who was asked about, in their order."""
    notes: list[str] = [standard.NOTE] * plan.second_table
    if rows_each is not None and plan.together:
        notes.append(
            phrase(
                "{rows:,} rows were tested as one group, in or out together. It is named by the number of its "
                "first row, and stands out by the sum over its rows.",
                rows=int(rows_each.sum()),
            )
        )
    elif rows_each is not None:
        notes.append(
            phrase(
                "{people:,} people were tested, each in or out with all of their rows, {most} at most. A person "
                "is named by the number of the first of their rows, and stands out by the sum of theirs.",
                people=len(rows_each),
                most=int(rows_each.max()),
            )
        )
    if copies.any() and plan.is_by_subsets:
        notes.append(
            phrase(
                "{equal:,} of {people:,} who were asked about have the same rows as somebody else, who is "
                "included by chance too. The game then asks whether one more of them was there, not whether this "
                "person was.",
                equal=int(np.count_nonzero(copies)),
                people=len(copies),
            )
        )
    elif copies.any() and rows_each is not None:
        notes.append(
            phrase(
                "{equal:,} of {people:,} people have the same rows as somebody who stays in both data sets. The "
                "game then asks whether one person more was there, not whether this one was.",
                equal=int(np.count_nonzero(copies)),
                people=len(copies),
            )
        )
    elif copies.any():
        notes.append(
            phrase(
                "{equal:,} of {records:,} records have an equal row that stays in both data sets. The game then "
                "asks whether one row more was there, not whether the person was.",
                equal=int(np.count_nonzero(copies)),
                records=len(copies),
            )
        )
    if silent := int((~first.is_decided()).sum()):
        notes.append(
            phrase(
                "Of {silent:,} records every release gave the same score, so nothing is said of them: neither a "
                "leak nor its absence.",
                silent=silent,
            )
            if rows_each is None
            else phrase(
                "Of {silent:,} people every release gave the same score, so nothing is said of them: neither a "
                "leak nor its absence.",
                silent=silent,
            )
        )
    if first.inside.shape[1] and first.outside.shape[1] and not plan.is_by_subsets:
        notes.append(
            phrase(
                "Of one record, the rate of misses lies within {misses:.4f} of the true one and the rate of false "
                "alarms within {alarms:.4f}, in {level:.0%} of games each, from {inside:,} counted trainings with it "
                "and {outside:,} without (half-width of Propositions 1 and 2 of Krčo and others).",
                misses=hoeffding(first.inside.shape[1], plan.level),
                alarms=hoeffding(first.outside.shape[1], plan.level),
                level=plan.level,
                inside=first.inside.shape[1],
                outside=first.outside.shape[1],
            )
        )
    if plan.screen:
        notes.append(
            phrase(
                "Everyone was tested with {trainings} trainings a side; whoever was not shown to be below "
                "{limit:g} went on, and has numbers from fresh trainings alone.",
                trainings=plan.screen,
                limit=plan.screen_limit,
            )
        )
    return notes


NEIGHBOURS = 5
CERTIFIED_TOGETHER, RANKED_TOGETHER = 50, 500
"""Records of one unit of work of certificates: what is done once for a unit is then shared by many."""
RANK_DRAWN = 5_000
"""Rows drawn for each record of a ranking where certificates are not exact: the order needs fewer than the number."""


def run_records(tables: Tables, plan: RecordsPlan, **steering: Unpack[Steering]) -> RecordsResult:
    """Play the plan on the real table: what :func:`play_table` has, as it is kept.

    The parameters and what is raised are those of :func:`play_table`.
    """
    return play_table(tables, plan, **steering).result()


def play_table(tables: Tables, plan: RecordsPlan, **steering: Unpack[Steering]) -> Campaign:
    """Play the plan on the real table.

    Parameters
    ----------
    tables
        The holdout is needed where the plan draws other people.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables.
    """
    with single_thread():  # more threads would change the last bits of sums with the number of cores
        total, real = len(tables.real), tables.real
        release = origin.release_to_compare(tables, second_table=plan.second_table)
        tables, names = play_tables(plan.summarise(tables), plan)
        outlierness = outlierness_of(tables.real)
        check(tables, plan)
        ranked, compared = math.ceil(len(tables.real) / RANKED_TOGETHER), origin.units(release, (plan.generator,))
        pool = Pool.open(ranked + compared, **steering)
        clock, origins = pool.clock, origin.origins_of(real, release, (plan.generator,), pool)
        crowd = crowd_of(tables)
        order = _rank_rows(tables.real, plan, pool, crowd) if plan.ranks_by_certificate else outlierness
        who = people_asked(crowd, plan, order, names)
        rows, copies = who.first, copies_of_people(tables.real, crowd, who.numbers)
        rows_each = crowd.sizes[who.numbers] if has_several_rows(tables) else None
        asked = partial(
            Campaign,
            plan=plan,
            total=len(crowd),
            rows=names[rows],
            outlierness=crowd.total(outlierness)[who.numbers],
            copies=copies,
            origins=origins,
            rows_each=rows_each,
            several=unit_of(tables.persons)
            if rows_each is None or not plan.together
            else group_unit(int(rows_each[0])),
        )
        if plan.is_by_subsets:
            parts = game(tables.real, crowd, plan, who.numbers)
            clock.total = clock.done + subsets.units_of(parts)
            many, attacks, opening = subsets.first_look(parts, plan, who.numbers, pool)
            return asked(
                first=many,
                again=np.empty(0, dtype=np.int64),
                fresh=None,
                attacks=attacks,
                notes=(*opening, *notes_of(plan, many, copies, rows_each)),
                for_whom=_for_whom(tables.real, rows, plan, many, []),
            )
        field = field_of(tables, plan, who)
        shadows, asks = field.shadows(plan.shadows), first_asks(plan)
        clock.total = clock.done + expected_units(field, plan)
        shelf: dict[tuple[str, str], Places] = {}
        scores_of = play(field, pool, range(len(rows)), shelf, shadows, asks, phrase("Every record"))
        first = _many(scores_of, 0)
        traditional = _many(scores_of, 1) if plan.traditional else None
        after = after_each(plan, first, [scores[-2:] for scores in scores_of] if field.ends else [])
        again, fresh = whom_again(plan, first), None
        if len(again):
            counted = ReleaseCounts(FIXED, FRESH, plan.inside, plan.outside)
            clock.total = clock.done + units_of(field, len(again), [shadows, counted], [counted])
            played = play(field, pool, again.tolist(), shelf, shadows, [counted], phrase("Fresh trainings"))
            fresh = _many(played, 0)
        bound = exact_bound(field.fixed_table.table, plan)
        certificates = _certificates(field, plan, pool) if bound is None else []
        notes = notes_of_worlds(plan, total, len(certificates), len(rows), bound)
        return asked(
            first=first,
            again=again,
            fresh=fresh,
            traditional=traditional,
            certificates=certificates,
            notes=(*notes, *notes_of(plan, first, copies, rows_each)),
            for_whom=_for_whom(tables.real, rows, plan, first, certificates),
            after=after,
            bound=bound,
        )


def _rank_rows(table: Table, plan: RecordsPlan, pool: Pool, crowd: Crowd) -> Floats:
    """(n,) the certificate of every row's person, as each row's part, to rank them by: what stands out is added up."""
    generator: Generator = registry.parse("generators", plan.generator)
    terms = Terms(plan.n_seen, plan.fpr, (), drawn=RANK_DRAWN, level=plan.level)
    blocks = _blocks([crowd.own(person) for person in range(len(crowd))], RANKED_TOGETHER)
    made = pool.map(phrase("Ranking"), certify_blocks, (table, generator), blocks, terms, plan.seed)
    best = np.array([certificate.auc.value for block in made for certificate in block])
    return np.asarray(best[crowd.person] / crowd.sizes[crowd.person])


def _certificates(field: Field, plan: RecordsPlan, pool: Pool) -> list[Certificate]:
    """The certificate of every record that is played, where they are asked for."""
    if not plan.certificate:
        return []
    blocks, table = _blocks(field.people, CERTIFIED_TOGETHER), field.fixed_table.table
    terms = Terms(plan.n_seen, plan.fpr, CURVE, level=plan.level, releases=plan.releases)
    pool.clock.total = pool.clock.done + len(blocks)
    generator: Generator = registry.parse("generators", plan.generator)
    step, asked = phrase("Optimal-attack bounds"), (blocks, terms, plan.seed)
    if plan.years:
        tables = stages(table, plan.years, plan.years[-1])
        grown = pool.map(step, certify_growth, (tables, generator), *asked)
        return [certificate for block in grown for certificate in block if certificate is not None]
    return [
        certificate for block in pool.map(step, certify_blocks, (table, generator), *asked) for certificate in block
    ]


def _for_whom(
    table: Table, rows: Ints, plan: RecordsPlan, first: Many, certificates: Sequence[Certificate]
) -> ForWhom | None:
    """For whom certificates are highest, or without them the attack that was played, by the first look at everyone.

    None where those asked about were picked for standing out.
    """
    if not plan.compares_groups:
        return None
    if len(certificates) < len(rows):
        rng = stream(plan.seed, "records", "groups")
        attack = COMBINED if plan.is_by_subsets else ATTACK
        return by_played_attack(table, rows, first, attack, plan.groups, rng, plan.level)
    best = np.array([certificate.auc.value for certificate in certificates])
    return by_certificates(table, rows, best, plan.groups, stream(plan.seed, "records", "groups"), plan.level)


def _blocks(people: Sequence[Ints], size: int) -> list[list[Ints]]:
    """The people in order, so many together."""
    return [list(people[start : start + size]) for start in range(0, len(people), size)]


def outlierness_of(table: Table) -> Floats:
    """(n,) Achilles' score of every row; 0 in a table too small for neighbours."""
    return isolation(table, NEIGHBOURS) if len(table) > NEIGHBOURS else np.zeros(len(table))


def field_of(tables: Tables, plan: RecordsPlan, who: AskedPeople) -> Field:
    """The games that the plan plays about these people.

    Raises
    ------
    DesignError
        There are too few other people.
    """
    real, holdout = tables.real, tables.holdout
    generator: Generator = registry.parse("generators", plan.generator)

    def deal(game: str) -> Deal:
        drawn = (f"table {plan.draw}",) * (plan.people > 0)
        method = repeat(generator, plan.releases, one_fit=plan.one_fit)
        if plan.years:
            method = growing_method(generator, plan.years)
        return Deal(method, plan.n_seen, plan.seed, (label(plan.generator), game, *drawn))

    replaced = plan.relation == "replace-one"
    other = stand_in(tables, plan.stand_in) if replaced and holdout is not None else None
    games: dict[str, FixedTable | OtherPeople] = {FIXED: FixedTable(deal(FIXED), real, other)}
    knows_others, labels = plan.knowledge == KNOWING[1], (TRADITIONAL, AUXILIARY)
    if holdout is not None and (plan.traditional or knows_others):
        others = other_people(tables, plan, [deal(name) for name in labels], replaced)
        games |= dict(zip(labels, others, strict=False))
    agreement = Agreement.group(real.rows(np.concatenate(who.rows)), stream(plan.seed, "records", "columns"))
    return Field(who.first, agreement, games, who.rows, ends_of(plan))


def first_asks(plan: RecordsPlan) -> list[ReleaseCounts]:
    """What is counted of everyone: the model-seeded game, and the traditional one where it is played."""
    asks = [ReleaseCounts(FIXED, FIRST, plan.screen or plan.inside, plan.screen or plan.outside)]
    return asks + [ReleaseCounts(TRADITIONAL, FIRST, plan.traditional, plan.traditional)] * (plan.traditional > 0)


def expected_units(field: Field, plan: RecordsPlan) -> int:
    """Units of work of the whole plan; how many are played again after a first look is not known before it."""
    shadows, again = field.shadows(plan.shadows), min(plan.again, len(field.rows))
    counted, every = ReleaseCounts(FIXED, FRESH, plan.inside, plan.outside), [shadows, *first_asks(plan)]
    later = units_of(field, again, [shadows, counted], [counted]) if again else 0
    return units_of(field, len(field.rows), every, every) + later


def whom_again(plan: RecordsPlan, first: Many) -> Ints:
    """(k,) whose numbers are taken from fresh trainings, ascending.

    Those of the highest estimates; after a first look also everyone who has not been shown to be below the limit.
    """
    arms: tuple[Arm, Arm] = first.arms
    auc, _, high = auc_interval(*arms, plan.level)
    chosen = np.zeros(len(auc), dtype=bool)
    chosen[np.argsort(-auc, kind="stable")[: plan.again]] = True
    if plan.screen:
        chosen |= high > plan.screen_limit
    return np.flatnonzero(chosen & first.is_decided())


def _many(every: Sequence[tuple[Floats, ...]], ask: int) -> Many:
    return Many(*(np.stack([scores[2 * ask + side] for scores in every]) for side in range(2)))


# What an audit of every record will cost, from a short timed pilot, and the smallest risk it can show.


Made = TypeVar("Made")
PILOT = "pilot"
LOOKS, LONG = 3, 1.0
"""Releases of each kind that are timed, or one where it takes longer than so many seconds."""


def forecast(tables: Tables, plan: RecordsPlan, *, workers: int = 1) -> Forecast:
    """Time a few releases of every kind and one look at them, and multiply.

    ``memory`` are the bytes that shared releases take. ``detectable_auc`` is the true AUC of one record that is told
    from chance with 80 % power, and ``detectable_among`` that of one among all of them, with the error shared by all
    (Bonferroni). Lists have p-values, which are one-sided. ``on_parts`` are the trainings on random parts of the people
    that would serve everybody, where one takes long; else 0.

    Raises
    ------
    DesignError
        The plan cannot be played on these tables; the same sentence the run would end with.
    """
    tables, names = play_tables(plan.summarise(tables), plan)
    check(tables, plan)
    real = tables.real
    if plan.is_by_subsets:
        return _on_parts(tables, plan, names, workers)
    needs_order = plan.records.startswith(TOP) and not plan.ranks_by_certificate
    started = time.perf_counter()
    with single_thread():
        order = outlierness_of(real) if needs_order else np.zeros(len(real))
        ranking = time.perf_counter() - started
        who = people_asked(crowd_of(tables), plan, order, names)
        rows, field = who.first, field_of(tables, plan, who)
        shadows, asks = field.shadows(plan.shadows), first_asks(plan)
        fresh = ReleaseCounts(FIXED, FRESH, plan.inside, plan.outside)
        again = min(plan.again, len(rows))
        pilots = {game: Pilot.time(field, game) for game in dict.fromkeys([FIXED, *(a.game for a in (shadows, *asks))])}
        look = _look(field, plan, pilots[FIXED])
    every = (shadows, *asks)
    rounds = [(len(rows), every), (again, (shadows, fresh))]
    shelves = (*every, fresh) if again else every
    each = [sum(pilots[ask.game].own * ask.own for ask in played) + look for _, played in rounds]
    own = sum(people * seconds for (people, _), seconds in zip(rounds, each, strict=True))
    shared = sum(pilots[ask.game].shared * ask.shared for ask in shelves)
    trainings = sum(ask.shared for ask in shelves) + sum(
        people * ask.own for people, played in rounds for ask in played
    )
    cells = plan.n_seen * len(real.schema.modelled) * np.dtype(field.agreement.kind).itemsize
    counted = min(asks[0].shared, asks[0].own)
    numbers = {
        "records": len(rows),
        "trainings": trainings,
        "seconds_per_record": each[0],
        "memory": int(cells * sum(ask.shared for ask in shelves)),
        **_detectable(counted, counted, 1 - plan.level, len(rows)),
        "on_parts": plan.trainings if fits.is_long(field.fixed_table.deal.generator) else 0,
    }
    return Forecast(ranking + (shared + own) / max(workers, 1), numbers)


def _on_parts(tables: Tables, plan: RecordsPlan, names: Ints, workers: int) -> Forecast:
    """Time a training on a random part of the people, and all attacks on its release; both serve everybody."""
    crowd = crowd_of(tables)
    inside = plan.trainings_with
    asked = people_asked(crowd, plan, np.zeros(len(tables.real)), names).numbers
    play = game(tables.real, crowd, plan, asked)
    with single_thread():
        each, releases = _time(
            lambda training: play.models([training])[0][0] if plan.sees == MODEL else play.releases([training])[0]
        )
        planted = len(play.canaries) > 0
        score, _ = _time(lambda number: (play.canary_scores if number > 1 and planted else play.scores)(releases[0], 0))
    work = plan.trainings * each + (subsets.units_of(play) - plan.trainings) * score
    shared = SharedTrainings.count(play, plan.trainings, each / max(workers, 1))
    numbers = {
        "records": len(asked),
        "trainings": plan.trainings,
        "seconds_per_record": work / len(asked),
        "memory": plan.trainings * len(play.asked) * len(play.attacks) * np.dtype(np.float64).itemsize,
        **_detectable(inside, plan.trainings - inside, 1 - plan.level, len(asked)),
        "on_parts": 0,
    }
    own = plan.sees == MODEL  # with what a model says of these very people it is their own
    every = [] if own else [shared]
    seconds = work / max(workers, 1)
    if origin.release_to_compare(tables, second_table=plan.second_table) is not None:
        compared = origin.trainings_of(plan.generator, each / plan.share / max(workers, 1))
        seconds, every = seconds + compared.seconds * len(compared.names), [*every, compared]
    return Forecast(seconds, numbers, shared=tuple(every))


def _detectable(n_in: int, n_out: int, error: float, records: int) -> dict[str, float]:
    """The smallest true AUC of one record, and of one among so many, that these trainings show; 1 where they show none.

    So few that they show it of nobody bar no run.
    """
    out = {}
    for name, alpha in (("detectable_auc", error), ("detectable_among", error / records)):
        try:
            out[name] = detectable_auc_of_records(n_in, n_out, alpha=alpha)
        except ParameterError:
            out[name] = 1.0
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Pilot:
    """Seconds of one release of a game that all records share, and of one own; and those that were made to find out."""

    shared: float
    own: float
    places: Places
    words: tuple[Words, ...]

    @classmethod
    def time(cls, field: Field, name: str) -> Pilot:
        """Time the game of that name, its own releases for the first record."""
        game = field.games[name]
        shared, places = _time(lambda records: field.agreement.places(*game.shared(PILOT, [records])))
        own, words = _time(lambda records: field.own(name, 0, PILOT, [records]))
        return cls(shared, own, np.stack(places), tuple(np.concatenate(group) for group in zip(*words, strict=True)))


def _time(make: Callable[[int], Made]) -> tuple[float, list[Made]]:
    """Seconds of one, and all that were made; the first loads what is loaded once and is not timed."""
    made = [make(0)]
    started = time.perf_counter()
    while len(made) <= LOOKS and (len(made) == 1 or time.perf_counter() - started < LONG):
        made.append(make(len(made)))
    return (time.perf_counter() - started) / (len(made) - 1), made


def _look(field: Field, plan: RecordsPlan, pilot: Pilot) -> float:
    """Seconds to learn and to score one record, its releases made."""
    releases = min(len(pilot.places), len(pilot.words[0]))
    shadows, shelf = ReleaseCounts(FIXED, PILOT, releases, releases), {(FIXED, PILOT): pilot.places[:releases]}
    words = tuple(group[:releases] for group in pilot.words)
    judge_scores(field, 0, shelf, {shadows: words}, shadows, [])  # compiles, or loads what was compiled
    started = time.perf_counter()
    judge_scores(field, 0, shelf, {shadows: words}, shadows, [shadows])
    return (time.perf_counter() - started) / releases * plan.shadows
