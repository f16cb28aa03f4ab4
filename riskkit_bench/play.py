"""Playing a bench: jobs in order, each the cells of one method or release on one table that are not there yet.

A job asks existing questions, with their units kept in a book of its own, so that a killed one goes on where it was.
The cells of a job do not hang on which others are played with them: the streams of attacks and trainings are named.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.base import stages
from riskkit.core import Generator, Table
from riskkit.errors import DesignError, ProgramFailed, ScoreError, TooFewTrainings, message_of
from riskkit.games.attribute import AttributeQuestion
from riskkit.games.randomised_secret import RandomisedSecret, Trials, gather
from riskkit.generators.engines import resident
from riskkit.jobs.machine import environment
from riskkit.jobs.pool import Pool, Progress, keeping
from riskkit.phrases import phrase
from riskkit.plans import label
from riskkit.questions import promises
from riskkit.questions.attributes.redraw import MOST_OF_TABLE
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import FEW, run_membership
from riskkit.questions.membership.play import forecast as forecast_games
from riskkit.questions.records import subsets
from riskkit.questions.records.certificate import Terms, certify, is_certified
from riskkit.questions.records.plan import MODEL, SUBSETS, RecordsPlan
from riskkit.questions.records.plan import RELEASE as RELEASE_ALONE
from riskkit.questions.records.play import forecast as forecast_records
from riskkit.questions.records.play import run_records
from riskkit.questions.records.result import read as read_records
from riskkit.questions.released.plan import ReleasedPlan, forecast_released
from riskkit.questions.released.play import run_released
from riskkit.seeds import stream
from riskkit.stats.inference import randomised_estimates
from riskkit.table.features import Secret
from riskkit.table.load import Tables
from riskkit_bench.book import BenchBook
from riskkit_bench.desk import Desk, desks, released
from riskkit_bench.figures import DIGITS, FPR, people_figures, pooled_figures, record_figures, round_ends, three
from riskkit_bench.origin import is_external, origin
from riskkit_bench.plan import BenchPlan, MethodPart, ReleasePart, Stored
from riskkit_bench.results import (
    CERTIFICATE,
    FILE,
    GAME,
    INSIDE,
    PARTS,
    RELEASE,
    SECRET,
    TOGETHER,
    USE,
    BenchCell,
    PersonAuc,
    Results,
    key_of,
)
from riskkit_bench.usefulness import MEASURES, measure

BOUND = "certificate"
"""What stands in the place of an attack where the cell is a bound."""
WORST = 10
"""People of whom such a cell has numbers, those exposed most."""
RELATION = "add-one"
"""How the two worlds of a game differ."""


@dataclass(frozen=True, eq=False)
class Job:
    """The cells of one kind for one method or release on one table, by attack, with the name of each."""

    desk: Desk
    method: str
    kind: str
    keys: Mapping[str, str]
    part: MethodPart | ReleasePart

    @property
    def name(self) -> str:
        """What progress calls it."""
        return f"{self.desk.part.name}, {self.method}, {self.kind}"

    def cell(self, attack: str, **figures: Any) -> BenchCell:
        """The cell of that attack with these figures."""
        return BenchCell(self.keys[attack], self.desk.part.name, self.method, self.kind, attack, **figures)


def jobs(plan: BenchPlan, folder: Path) -> Iterator[Job]:
    """Every job of the plan, in its order; tables are read when they are wanted.

    Raises
    ------
    DesignError, InputError
        A table cannot be used as the plan says.
    """
    for desk in desks(plan, folder).values():
        for part in plan.method:
            if not part.is_on(desk.part.name):
                continue
            yield from _method_jobs(plan, desk, replace(part, use=part.spelling))
    for release in plan.release:
        desk = released(plan, release, folder)
        asked = {"table": desk.sha256, "kind": RELEASE, "asked": plan.file.asked, "seed": plan.seed, **_levels(plan)}
        yield Job(desk, release.name, RELEASE, _keys(plan.attacks("released"), **asked), release)
        yield Job(desk, release.name, USE, _keys(MEASURES, table=desk.sha256, kind=USE, seed=plan.seed), release)


def _method_jobs(plan: BenchPlan, desk: Desk, part: MethodPart) -> Iterator[Job]:
    """The games, the bound, the attacks on one release of a method on a table, and what that release is good for."""
    made = {"table": desk.sha256, "method": part.use, "seed": plan.seed}
    if mark := origin(part).mark:
        made["made_by"] = mark
    asked = {**made, **_levels(plan)}
    if plan.has_game(part, desk.part.name):
        sizes = {"people": plan.people(part), "chosen": plan.game.chosen, "trainings": plan.trainings(part)}
        yield Job(desk, part.use, CERTIFICATE, _keys((BOUND,), kind=CERTIFICATE, **asked, **sizes), part)
        yield Job(desk, part.use, GAME, _keys(plan.attacks("attacks"), kind=GAME, **asked, **sizes), part)
    if plan.has_parts(part):
        scored = [name for name, _ in subsets.attacks() if name in plan.attacks("released")]
        parts = _keys((TOGETHER, *scored), kind=PARTS, trainings=plan.parts.trainings, pooled=True, **asked)
        yield Job(desk, part.use, PARTS, parts, part)
        if plan.has_inside(part):
            inside = _keys((subsets.INSIDE,), kind=INSIDE, trainings=plan.parts.trainings, pooled=True, **asked)
            yield Job(desk, part.use, INSIDE, inside, part)
    if plan.has_secret(part, desk.part.name):
        drawn = {"secret": desk.part.secret, "trainings": plan.secret.trainings, "level": plan.level}
        yield Job(desk, part.use, SECRET, _keys(plan.secret.models, kind=SECRET, **made, **drawn), part)
    yield Job(desk, part.use, FILE, _keys(plan.attacks("released"), kind=FILE, asked=plan.file.asked, **asked), part)
    yield Job(desk, part.use, USE, _keys(MEASURES, kind=USE, **made), part)


def _keys(attacks: Sequence[str], **parts: Any) -> dict[str, str]:
    return {attack: key_of(attack=attack, **parts) for attack in attacks}


def _levels(plan: BenchPlan) -> dict[str, float]:
    return {"level": plan.level, "sure": plan.sure}


def run_bench(
    of: Stored,
    known: Results,
    folder: Path,
    *,
    shard: tuple[int, int] = (1, 1),
    workers: int = 1,
    work: Path,
    only: Collection[str] | None = None,
    save: Callable[[Results], None] = lambda _: None,
    progress: Callable[[Progress], None] = lambda _: None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Results:
    """Play what is not there yet, and return all cells that the plan asks for.

    Parameters
    ----------
    known
        What was played before; its cells are taken as they are.
    folder
        Where the tables are.
    shard
        ``(i, n)``: every n-th job alone, from the i-th.
    work
        Folder for the units of jobs that are not finished.
    only
        Keys of cells: no other is played; None plays all.
    save
        Called with all cells after every job.

    Raises
    ------
    Cancelled
        ``cancelled`` said so; what is done is kept.
    DesignError, InputError
        A table cannot be used as the plan says, or a job cannot be played: then it says which, and what was played
        before it is kept.
    ProgramFailed
        A program of somebody else failed: it has no cell in that job, and all other jobs were played.
    ParameterError
        A method that is to be played is not ready: a library or an environment is not there, or riskkit was not
        started to run programs.
    """
    every = list(jobs(of.plan, folder))
    wanted = [key for job in every for key in job.keys.values()]
    own = [job for job in every if isinstance(job.part, MethodPart)]
    tables = {job.desk.part.name: job.desk.about() for job in reversed(own)}
    tables |= {
        f"{job.desk.part.name}/{job.method}": job.desk.about() for job in every if isinstance(job.part, ReleasePart)
    }
    results = replace(known, tables=tables).only(wanted)
    asked = set(wanted if only is None else only)
    _are_ready(every, asked - {cell.key for cell in results.cells}, shard)
    failed: list[str] = []
    for number, job in enumerate(every):
        there = {cell.key for cell in results.cells}
        missing = tuple(attack for attack, key in job.keys.items() if key in asked - there)
        if not missing or number % shard[1] != shard[0] - 1:
            continue

        def tell(now: Progress, job: Job = job, number: int = number) -> None:
            progress(replace(now, stage=f"{number + 1} of {len(every)} jobs ({job.name}): {now.stage}"))

        book = BenchBook(work / key_of(cells=[job.keys[attack] for attack in missing])[:24], _clock(workers))
        try:
            with keeping(book), _name_job(job):
                how = {"workers": workers, "progress": tell, "cancelled": cancelled}
                cells = _with_costs(of.plan, job, missing, how, book)
        except ProgramFailed as error:
            failed.append(message_of(error))
            continue
        results = results.with_cells(cells)
        save(results)
        book.close()
    if failed:
        raise ProgramFailed("\n".join(failed))
    return results


def _are_ready(every: Sequence[Job], missing: set[str], shard: tuple[int, int]) -> None:
    """Let methods that will be played say what they lack, before the first is."""
    uses = {
        job.part.use
        for number, job in enumerate(every)
        if isinstance(job.part, MethodPart) and number % shard[1] == shard[0] - 1 and missing & set(job.keys.values())
    }
    for use in sorted(uses):
        registry.check_ready(registry.parse("generators", use))


@contextmanager
def _name_job(job: Job) -> Iterator[None]:
    """Say of which job it is where one cannot be played: a plan has hundreds, and its programs are other people's."""
    try:
        yield
    except DesignError as error:
        kind = ProgramFailed if isinstance(error, ProgramFailed) else DesignError
        raise kind(phrase("{job}: {problem}", job=job.name, problem=message_of(error))) from error


def _with_costs(
    plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any], book: BenchBook
) -> list[BenchCell]:
    """The cells of a job with what each cost, also before it was killed and gone on with.

    Programs of others are ended with the job, so that what they took counts too.
    """
    plays = {GAME: _games, FILE: _file, RELEASE: _file, CERTIFICATE: _bound_cells, USE: _use}
    plays |= {PARTS: _parts, INSIDE: _parts, SECRET: _secrets}
    cells = plays[job.kind](plan, job, missing, how)
    if isinstance(job.part, MethodPart) and is_external(job.part.use):
        resident.end_all()
    has_number = [cell.has_number for cell in cells]
    asked = sum(has_number) or len(cells)
    each, made = round(book.cost / asked, 2), environment()
    cost = [each if there or asked == len(cells) else 0.0 for there in has_number]
    return [replace(cell, seconds=seconds, made_with=made) for cell, seconds in zip(cells, cost, strict=True)]


def _clock(workers: int) -> Callable[[], float]:
    """What a job has cost since now: of one process its processor time, of several their time together."""
    if workers == 1:
        processor = _processor()
        return lambda: _processor() - processor
    started = time.perf_counter()
    return lambda: (time.perf_counter() - started) * workers


def _processor() -> float:
    """Processor seconds of this process and of those it started that have ended."""
    taken = os.times()
    return taken.user + taken.system + taken.children_user + taken.children_system


# --------------------------------------------------------------------------------------------------------------
# Games


def game_plan(plan: BenchPlan, part: MethodPart, attacks: tuple[str, ...]) -> MembershipPlan:
    """The question that is asked of a method: each person in a game of their own."""
    return MembershipPlan(
        generators=(part.use,),
        targets=(plan.game.chosen,),
        attacks=attacks,
        k=plan.people(part),
        trainings=plan.trainings(part),
        generations=1,
        seed=plan.seed,
        level=plan.level,
        control=False,
    )


def _games(plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any]) -> list[BenchCell]:
    """The attacks on that method, each person played by themselves, all attacks on the same releases."""
    assert isinstance(job.part, MethodPart)
    asked = replace(game_plan(plan, job.part, missing), n_syn=len(job.desk.tables.real))
    refused = _refusals(asked, job.desk)
    able = tuple(attack for attack in missing if attack not in refused)
    cells = [job.cell(attack, why=why) for attack, why in refused.items()]
    if not able:
        return cells
    try:
        result = run_membership(job.desk.tables.real, replace(asked, attacks=able), job.desk.tables.holdout, **how)
    except ProgramFailed:
        raise
    except DesignError as error:  # of which attack is not known
        if len(able) == 1:
            return [*cells, job.cell(able[0], why=message_of(error))]
        return [*cells, *(cell for attack in able for cell in _games(plan, job, (attack,), how))]
    for attack in able:
        mine = [finding for finding in result.findings if finding.labels["attack"] == attack]
        shadows = registry.parse("attacks", attack).shadows
        made = len(mine) * (asked.trainings + 2 * shadows)
        named = [(int(finding.labels["record"]), finding.scores) for finding in mine]
        cells.append(job.cell(attack, trainings=made, **people_figures(plan, job.desk, named)))
    return cells


def _refusals(asked: MembershipPlan, desk: Desk) -> dict[str, str]:
    """The attacks that cannot be played on the method, with the reason, found by a few rows before any training."""
    real = desk.tables.real
    chosen = asked.choose(real, asked.targets[0])
    people = asked.people(real, desk.tables.holdout)
    game = asked.game(people, asked.cells()[0], chosen)
    out = {}
    for spelled, attack in zip(asked.attacks, asked.made_attacks(), strict=True):
        if check := getattr(attack, "check", None):
            rng = game.rng("check")
            world = game.worlds.draw(False, rng)
            try:
                check(game.generator, world.rows(np.arange(min(FEW, len(world)))), rng)
            except DesignError as error:
                out[spelled] = message_of(error)
    return out


# --------------------------------------------------------------------------------------------------------------
# Bounds


def _bound_cells(plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any]) -> list[BenchCell]:  # noqa: ARG001
    """The best AUC that any attack on the method can have: exact, of drawn rows, or by the noise that it adds."""
    assert isinstance(job.part, MethodPart)
    real = job.desk.tables.real
    generator: Generator = registry.parse("generators", job.part.use)
    noisy = promises.certificate(job.part.use, RELATION, len(real), len(real.schema.modelled))
    if noisy is not None:
        most = round(noisy, DIGITS)
        return [job.cell(BOUND, auc=(most,) * 3, sure=(most,) * 3, why="by the noise that it adds")]
    if not is_certified(generator):
        return [job.cell(BOUND, why="No bound is known for this method.")]
    chosen = game_plan(plan, job.part, plan.attacks("attacks")).choose(real, plan.game.chosen)
    _, place, count = np.unique(real.keys(), return_inverse=True, return_counts=True)
    alone = [int(row) for row in chosen.index if row >= 0 and count[place[row]] == 1]
    if not alone:
        return [job.cell(BOUND, why="every person that is asked about has a double")]
    made = certify(real, generator, alone, Terms(len(real), FPR, (), level=plan.sure), plan.seed)
    people = tuple(PersonAuc(int(job.desk.rows[record.record]), round_ends(record.auc)) for record in made)
    ends = tuple(round(float(np.mean([person.auc[end] for person in people])), DIGITS) for end in range(3))
    return [job.cell(BOUND, auc=ends, sure=ends, people=people, why=made[0].method)]


# --------------------------------------------------------------------------------------------------------------
# Everybody


def _everybody(plan: BenchPlan, job: Job) -> RecordsPlan:
    """The question that is asked of a method: of how many people an attacker can tell that they were in."""
    assert isinstance(job.part, MethodPart)
    return RecordsPlan(
        generator=job.part.use,
        by=SUBSETS,
        trainings=plan.parts.trainings,
        n_syn=len(job.desk.tables.real),
        seed=plan.seed,
        level=plan.level,
        sees=MODEL if job.kind == INSIDE else RELEASE_ALONE,
    )


def _parts(plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any]) -> list[BenchCell]:
    """What each attack reaches on everybody; of all together how many people are listed, and those exposed most."""
    asked = _everybody(plan, job)
    try:
        finding = read_records(run_records(job.desk.tables, asked, **how))
    except ProgramFailed:
        raise
    except DesignError as error:  # such as a method that puts out as many rows as it was given
        return [job.cell(attack, why=message_of(error)) for attack in missing]
    ranked = [person for person in finding.ranked() if person.is_listed][:WORST]
    people = tuple(
        PersonAuc(int(job.desk.rows[person.row]), round_ends(person.auc)) for person in ranked if person.auc is not None
    )
    everybody = {"exposed": (len(finding.listed), len(finding.people)), "people": people}
    cells = []
    for attack in missing:
        figures = pooled_figures(plan, finding.result, attack) | {"trainings": asked.trainings}
        cells.append(job.cell(attack, **figures, **(everybody if attack in (TOGETHER, subsets.INSIDE) else {})))
    return cells


# --------------------------------------------------------------------------------------------------------------
# Secrets


def _secrets(plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any]) -> list[BenchCell]:
    """What each model gains over chance on secrets that were drawn anew before each training."""
    return [job.cell(model, **_gain(plan, job, model, how)) for model in missing]


def _gain(plan: BenchPlan, job: Job, model: str, how: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of one model, or why it has none."""
    assert isinstance(job.part, MethodPart)
    real, secret = job.desk.tables.real, job.desk.part.secret
    generator: Generator = registry.parse("generators", job.part.use)
    known = tuple(column.name for column in real.schema.modelled if column.name != secret)
    people = stream(plan.seed, "bench", "secrets", job.desk.part.name).permutation(len(real))
    targets = np.sort(people[: max(int(MOST_OF_TABLE * len(real)), 1)])
    stage, units = phrase("Training with secrets drawn anew"), plan.secret.trainings
    try:
        question = AttributeQuestion(secret, known, registry.parse("inference", model))
        game = RandomisedSecret(real, generator, question, targets, len(real), plan.seed, ("bench", job.part.use))
        trials = gather(list(Pool.open(units, **how).map(stage, _trials, game, range(units))))
        is_category = Secret.take(real, secret).kind == "category"
        grades = trials.success, trials.chance, trials.training
        *_, gain = randomised_estimates(*grades, is_category=is_category, level=plan.level)
    except ProgramFailed:
        raise
    except (DesignError, ScoreError, TooFewTrainings) as error:
        return {"why": message_of(error)}
    return {"gain": three(gain), "n": len(trials), "trainings": units}


def _trials(game: RandomisedSecret, numbers: Sequence[int]) -> list[Trials]:
    return [game.trial(number) for number in numbers]


# --------------------------------------------------------------------------------------------------------------
# Released files


def _file(plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any]) -> list[BenchCell]:
    """The attacks on one released file: one that the method makes of the table, or a published one."""
    tables, trainings = _with_release(plan, job), int(isinstance(job.part, MethodPart))
    asked = ReleasedPlan(attacks=missing, max_rows=plan.file.asked, seed=plan.seed, level=plan.level)
    result = run_released(tables, asked, **how)
    scores = {score.attack: score.scores for score in result.scores}
    controls = {planted.attack: planted.auc for planted in result.control}
    cells = []
    for attack in missing:
        if attack not in scores:
            reasons = [str(note) for note in result.notes if str(note).startswith(attack)]
            cells.append(job.cell(attack, why=reasons[0] if reasons else "the attack has no number here"))
            continue
        control = controls.get(attack)
        figures = record_figures(plan, scores[attack])
        control_auc = None if control is None else round(control.value, DIGITS)
        cells.append(job.cell(attack, trainings=trainings, control=control_auc, **figures))
    return cells


def _use(plan: BenchPlan, job: Job, missing: tuple[str, ...], how: Mapping[str, Any]) -> list[BenchCell]:  # noqa: ARG001
    """What the release that is attacked is good for."""
    measured = measure(_with_release(plan, job), plan.seed)
    cells = []
    for name in missing:
        value, others = (None if number is None else round(number, DIGITS) for number in measured[name])
        figures = {"why": "there is nothing to measure it by"} if value is None else {"use": (value, others)}
        cells.append(job.cell(name, trainings=int(isinstance(job.part, MethodPart)), **figures))
    return cells


def _with_release(plan: BenchPlan, job: Job) -> Tables:
    """The tables of the job, with one release of the method as long as the real one, or with the published one."""
    if not isinstance(job.part, MethodPart):
        return job.desk.tables
    method = label(job.part.use, [each.spelling for each in plan.method])
    return replace(job.desk.tables, synthetic=_release(plan.seed, job.desk, job.part.use, method))


@lru_cache(maxsize=1)  # what it is good for is measured after the attacks on it
def _release(seed: int, desk: Desk, use: str, method: str) -> Table:
    stages.say(phrase("Training once"))
    real, rng = desk.tables.real, stream(seed, "bench", "file", desk.part.name, method)
    generator: Generator = registry.parse("generators", use)
    return generator.fit(real, rng).sample(len(real), rng)


# --------------------------------------------------------------------------------------------------------------
# Forecast


def forecast(of: Stored, known: Results, folder: Path) -> list[tuple[str, int, float]]:
    """What is not there yet: each job with its cells and the seconds that it will take, by a short timed pilot.

    Raises
    ------
    DesignError, InputError
        A table cannot be used as the plan says.
    """
    there = {cell.key for cell in known.cells}
    out = []
    for job in jobs(of.plan, folder):
        missing = tuple(attack for attack, key in job.keys.items() if key not in there)
        if missing:
            with _name_job(job):
                out.append((job.name, len(missing), _seconds(of.plan, job, missing)))
    return out


def _seconds(plan: BenchPlan, job: Job, missing: tuple[str, ...]) -> float:
    """Seconds that a job will take; a bound takes next to none, and a measure of use little more than its training."""
    if job.kind in (CERTIFICATE, USE):
        return 0.0
    tables = job.desk.tables
    if job.kind == SECRET:
        assert isinstance(job.part, MethodPart)
        return plan.secret.trainings * job.part.seconds
    if job.kind in (PARTS, INSIDE):
        try:
            return forecast_records(tables, _everybody(plan, job)).seconds
        except DesignError:  # the cell will say why
            return 0.0
    if job.kind == GAME:
        assert isinstance(job.part, MethodPart)
        asked = replace(game_plan(plan, job.part, missing), n_syn=len(tables.real))
        refused = _refusals(asked, job.desk)
        able = tuple(attack for attack in missing if attack not in refused)
        return forecast_games(tables.real, replace(asked, attacks=able), tables.holdout).seconds if able else 0.0
    return forecast_released(
        _with_release(plan, job), ReleasedPlan(attacks=missing, max_rows=plan.file.asked, seed=plan.seed)
    ).seconds
