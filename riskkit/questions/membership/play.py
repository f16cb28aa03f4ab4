"""Playing a plan: units of work, on one core or several, with the same bytes either way."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from riskkit import registry
from riskkit.base.threads import single_thread
from riskkit.core import Attack, Brief, Estimate, Fitted, FittedAttack, Floats, Knowledge, Scores, Table, Targets
from riskkit.errors import DesignError, ParameterError, RiskkitError, ScoreError, TooFewTrainings, message_of
from riskkit.games.crowd import CrowdPopulation, TargetPeople
from riskkit.games.membership import Game, PartsGame, tried_settings, view_for
from riskkit.games.subsets import Subsets
from riskkit.games.worlds import MADE
from riskkit.jobs.pool import Pool, Steering
from riskkit.language import kept
from riskkit.phrases import counted_phrase, phrase
from riskkit.questions import origin, parts, standard
from riskkit.questions.compared import unit_of
from riskkit.questions.for_whom import by_targets, check_groups
from riskkit.questions.forecasts import Forecast, SharedTrainings
from riskkit.questions.membership.people import several
from riskkit.questions.membership.people import target_rows as row_of_each
from riskkit.questions.membership.plan import Cell, MembershipPlan
from riskkit.questions.membership.result import (
    Counts,
    MembershipResult,
    Outcome,
    PlantedControl,
    Scored,
    Unit,
    grade_control,
    sweep,
)
from riskkit.questions.parts import release_each
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats import epsilon, summary
from riskkit.stats.power import detectable_auc
from riskkit.table.people.persons import Persons

# For whom an attack works best, of targets that were drawn by lot: only they stand for anybody.


def for_whom(table: Table, plan: MembershipPlan, findings: Sequence[Outcome]) -> ForWhom | None:
    """The targets of the first method by groups, under the attack with the highest mean AUC over them.

    Every target has a game of its own, whose releases it shares with nobody. A target whose game says nothing is left
    out. None where targets were picked, or are played as one, or where there is a single one.
    """
    drawn = [rule for rule in plan.targets if getattr(registry.parse("targets", rule), "by_lot", False)]
    if plan.together or plan.k == 1 or not drawn:
        return None
    risk: dict[str, dict[int, float]] = {}
    for finding in findings:
        auc = finding.estimates.get("auc")
        if auc is not None and finding.labels["generator"] == plan.generators[0] and finding.labels["target"] in drawn:
            risk.setdefault(finding.labels["attack"], {})[int(finding.labels["record"])] = auc.value
    if not risk:
        return None
    attack = max(risk, key=lambda name: float(np.mean(list(risk[name].values()))))
    rows, values = (np.array(list(part)) for part in (risk[attack], risk[attack].values()))
    rng = stream(plan.seed, "membership", "groups")
    return by_targets(table, rows, values, attack, plan.groups, rng, plan.level)


WHO: Mapping[str, str] = {
    "record": kept("{attack} on {generator}, {target} target, record {record}"),
    "person": kept("{attack} on {generator}, {target} target, person {record}"),
    "household": kept("{attack} on {generator}, {target} target, household {record}"),
}
"""What a note is about, by the unit."""
FEW = 200
"""Rows by which an attack sees whether it can be played on a generator at all."""


def run_membership(
    table: Table,
    plan: MembershipPlan,
    holdout: Table | None = None,
    persons: Persons | None = None,
    release: Table | None = None,
    **steering: Unpack[Steering],
) -> MembershipResult:
    """Play every game of the plan on the real table.

    Parameters
    ----------
    holdout
        People who were not in. Only attackers of auxiliary knowledge get them.
    persons
        Whose row each row is; where people have several, each is in a world with all of them or not at all.
    release
        What is set beside releases of the methods; no game sees it.

    Raises
    ------
    DesignError
        The plan cannot be played on this table.
    """
    check_groups(table, plan.groups)
    for spelled in plan.generators:
        registry.check_ready(registry.parse("generators", spelled))
    pool = Pool.open(plan.total_units() + origin.units(release, plan.generators), **steering)
    chosen = {target: plan.choose(table, target, persons) for target in plan.targets}
    people = plan.people(table, holdout, persons)
    findings: list[Outcome] = []
    notes = opening_notes(plan, table, chosen, persons)
    with single_thread():  # more threads would change the last bits of sums with the number of cores
        _check(plan, people, chosen)
        halves = halves_of(plan, people, plan.generators, pool)
        for cell in plan.cells():
            game = plan.game(people, cell, chosen[cell.target], halves.get(cell.generator))
            labels = labels_of(plan, cell, chosen[cell.target], persons)
            played = _play(game, plan, labels, pool)
            findings += played
            notes += [note for finding in played for note in finding.notes] + _world_notes(game, plan, labels)
        halves = halves_of(plan, people, plan.planted_kinds(), pool)
        control = [
            planted
            for cell, part in plan.planted_games()
            for planted in _control(
                part.game(people, cell, chosen[cell.target], halves.get(cell.generator)),
                part,
                labels_of(part, cell, chosen[cell.target], persons),
                pool,
            )
        ]
        origins = origin.origins_of(table, release, plan.generators, pool)
    result = result_of(plan, findings, notes, unit(plan, persons), control)
    return replace(result, for_whom=for_whom(table, plan, findings), origins=origins)


def halves_of(
    plan: MembershipPlan, people: CrowdPopulation, generators: Sequence[str], pool: Pool
) -> dict[str, tuple[Subsets, list[Table]]]:
    """By method the trainings on random halves of the people and their releases; none where a game makes its own."""
    if not plan.is_of_halves:
        return {}
    dealt = {generator: plan.deal(people, generator) for generator in generators}
    return {name: (play, release_each(play, pool, range(plan.trainings))) for name, play in dealt.items()}


def opening_notes(
    plan: MembershipPlan, table: Table, chosen: Mapping[str, Targets], persons: Persons | None
) -> list[str]:
    """What is said of all games: which table they are about, and who might have been a target as well."""
    notes: list[str] = [standard.NOTE] * plan.second_table
    if several(persons) is not None:
        return notes
    for target, records in chosen.items():
        rule = registry.parse("targets", target)
        if hasattr(rule, "ties") and (ties := rule.ties(table, records)):
            notes.append(
                counted_phrase(
                    ties,
                    "{n:,} other record stands out as much as the last target of {target}; the earlier row was taken.",
                    "{n:,} other records stand out as much as the last target of {target}; the earliest rows were "
                    "taken.",
                    target=target,
                )
            )
    return notes


def unit(plan: MembershipPlan, persons: Persons | None) -> Unit | None:
    """The unit, and how the scores of a person's rows became one; None where everybody has one row."""
    several = unit_of(persons)
    if several is None:
        return None
    return Unit(several.unit, several.most_rows, several.mean_rows, plan.of_person)


def result_of(
    plan: MembershipPlan,
    findings: Sequence[Outcome],
    notes: Sequence[str],
    unit: Unit | None,
    control: Sequence[PlantedControl] = (),
) -> MembershipResult:
    """All that is kept of these findings, with the findings themselves."""
    sweeps = tuple(finding.sweep for finding in findings if finding.sweep)
    return MembershipResult(
        plan=plan,
        estimates=tuple(estimate for finding in findings for estimate in finding.estimates.values()),
        counts=Counts(unit),
        notes=tuple(dict.fromkeys(notes)),
        control=tuple(control),
        sweeps=sweeps or None,
        scores=tuple(Scored.label(finding.labels, finding.scores) for finding in findings),
        findings=tuple(findings),
    )


def _check(plan: MembershipPlan, people: CrowdPopulation, chosen: Mapping[str, Targets]) -> None:
    """Let the attacks refuse what they cannot be played on, by a few rows, before anything is trained."""
    firsts = {cell.generator: cell for cell in reversed(plan.cells())}
    for cell in firsts.values():
        game = plan.game(people, cell, chosen[cell.target])
        for spelled, attack in zip(plan.attacks, plan.made_attacks(), strict=True):
            if check := getattr(attack, "check", None):
                rng = game.rng("check")
                world = game.worlds.draw(False, rng)
                check(game.generator, world.rows(np.arange(min(FEW, len(world)))), rng)
            if isinstance(game, PartsGame):
                _check_brief(game, plan, attack, spelled)


def _check_brief(game: PartsGame, plan: MembershipPlan, attack: Attack, spelled: str) -> None:
    """Refuse an attack that wants every other row, which it says when it reads its brief."""
    rng = game.rng("check", "brief")
    rows = [game.worlds.draw(True, rng)] * max(attack.shadows, 1)
    try:
        attack.fit(game.brief(plan.knowledge_of(attack), {True: rows, False: rows}, attack.shadows), rng)
    except DesignError as error:
        raise DesignError.phrase(
            "Attack {spelled!r} cannot be played on random halves of the people, for nobody knows who else is in them. "
            "Leave it out, or choose other data sets.",
            spelled=spelled,
        ) from error


def labels_of(plan: MembershipPlan, cell: Cell, chosen: Targets, persons: Persons | None) -> dict[str, str]:
    """What a finding is about. A made-up record has no row number; a person is named by the first of their rows."""
    index = row_of_each(chosen)
    rows = list(index) if plan.together else [index[cell.position]]
    named = ["made up" if row < 0 else str(row) for row in rows]
    record = "made up" if set(named) == {"made up"} else "+".join(named)
    labels = {"generator": cell.generator, "target": cell.target, "position": str(cell.position), "record": record}
    if persons is None or not isinstance(chosen, TargetPeople):
        return labels
    return {**labels, "unit": str(persons.unit)}


def _control(game: Game, plan: MembershipPlan, labels: Mapping[str, str], pool: Pool) -> list[PlantedControl]:
    """What the attacks of that plan make of the leak that was planted for them; a refusal is that none was found."""
    mechanism: Any = game.generator
    best = mechanism.best_auc(game.worlds.rows, game.design.n_syn, len(game.worlds.targets))
    until = pool.clock.done + plan.units_a_game()
    try:
        scores = _scores(game, plan, pool, f"planted leak, {labels['target']} target")
    except DesignError as refusal:
        pool.clock.tick(phrase("Planted leak, {target} target", target=labels["target"]), until - pool.clock.done)
        return [PlantedControl({**labels, "attack": text}, best, None, (message_of(refusal),)) for text in plan.attacks]
    return [grade_control(score, {**labels, "attack": score.attack}, best, plan.level) for score in scores]


def _play(game: Game, plan: MembershipPlan, labels: dict[str, str], pool: Pool) -> list[Outcome]:
    """What the attacks of that plan make of the game."""
    who = phrase("{generator}, {target} target", generator=labels["generator"], target=labels["target"])
    attacks = _ready(game, plan, pool, who)
    played = list(counted_trainings(game, pool, who, attacks))
    findings = [finding(scores, plan, labels) for scores in as_scores(played, game, plan)]
    return _with_sweeps(findings, attacks, played, game, plan.level)


def _with_sweeps(
    findings: list[Outcome], attacks: Sequence[FittedAttack], played: Sequence[Floats], game: Game, level: float
) -> list[Outcome]:
    """The findings; those of attacks that chose a setting say how every value of it did."""
    for position, rows in tried_settings(attacks).items():
        attack: Any = attacks[position]
        each = [_scores_of(played, row, game, findings[position].scores.attack) for row in range(rows.start, rows.stop)]
        findings[position] = replace(
            findings[position], sweep=sweep(attack.choice, each, findings[position].labels, level)
        )
    return findings


def _scores(game: Game, plan: MembershipPlan, pool: Pool, who: str) -> list[Scores]:
    """The scores of each attack on all counted trainings."""
    return as_scores(list(counted_trainings(game, pool, who, _ready(game, plan, pool, who))), game, plan)


def maps_before_counted(plan: MembershipPlan) -> int:
    """How many maps of a game come before its counted trainings: those of own releases, and that of the fits."""
    return sum(_are_made(plan, knowledge) for knowledge in Knowledge) * (not plan.is_of_halves) + 1


def _ready(game: Game, plan: MembershipPlan, pool: Pool, who: str) -> list[FittedAttack]:
    """The attacks, each with its brief read, for which the attackers' own releases are made.

    They learn where their own releases are: sending these to other processes takes longer than to learn of them.
    """
    there = game.own_releases()
    shadows = {each: there or _own_releases(game, plan, each, pool, who) for each in Knowledge}
    readers = [
        (attack, spelled, game.brief(plan.knowledge_of(attack), shadows[plan.knowledge_of(attack)], attack.shadows))
        for attack, spelled in zip(plan.made_attacks(), plan.attacks, strict=True)
    ]
    return list(pool.map(phrase("Attacks learn: {who}", who=who), _fits, game, readers, is_here=True))


def counted_trainings(game: Game, pool: Pool, who: str, attacks: Sequence[FittedAttack]) -> Iterator[Floats]:
    """The counted trainings, shown to these attacks: one array each, in their order."""
    trials = [(number, bool(is_in)) for number, is_in in enumerate(game.coin())]
    yield from pool.map(phrase("Counted trainings: {who}", who=who), _trials, game, trials, attacks)


def _own_releases(
    game: Game, plan: MembershipPlan, knowledge: Knowledge, pool: Pool, who: str
) -> dict[bool, list[Table]]:
    """The releases that attackers of that knowledge make for themselves, by side."""
    if not _are_made(plan, knowledge):
        return {True: [], False: []}
    wanted = plan.shadows(knowledge)
    sides = [(number, is_in, knowledge) for is_in in (True, False) for number in range(wanted)]
    made = list(pool.map(phrase("Attacker's own releases: {who}", who=who), Game.shadows, game, sides))
    return {True: made[:wanted], False: made[wanted:]}


def _are_made(plan: MembershipPlan, knowledge: Knowledge) -> bool:
    """Whether a game makes own releases for attackers of that knowledge, for exact knowledge perhaps none at all."""
    return knowledge is Knowledge.EXACT or (knowledge is Knowledge.AUXILIARY and plan.shadows(knowledge) > 0)


def as_scores(played: Sequence[Floats], game: Game, plan: MembershipPlan) -> list[Scores]:
    """The scores of each attack on the first trainings of a game, as many as were played.

    A group of targets is in or out as one, so a release has one score: the mean over the group, where people have
    several rows over the scores of the people.
    """
    return [_scores_of(played, position, game, spelled) for position, spelled in enumerate(plan.attacks)]


def _scores_of(played: Sequence[Floats], row: int, game: Game, attack: str) -> Scores:
    """The scores that stand in that row of every training."""
    values, coin = np.stack([scores_of_release[row] for scores_of_release in played]), game.coin()[: len(played)]
    trainings, generations, _ = values.shape
    return Scores(
        value=game.worlds.scores(values).ravel(),
        is_in=np.repeat(coin, generations),
        training=np.repeat(np.arange(trainings), generations),
        target=np.zeros(trainings * generations, dtype=np.int64),
        attack=attack,
    )


def finding(scores: Scores, plan: MembershipPlan, game: dict[str, str]) -> Outcome:
    """The estimates of one attack, and what must be said beside them. ``game`` says what was attacked."""
    labels = {**game, "attack": scores.attack}
    estimates, notes = grade(scores, level=plan.level)
    of_whom = {name: labels[name] for name in ("attack", "generator", "target", "record")}
    who = phrase(WHO[labels.get("unit", "record")], **of_whom)
    return Outcome(
        labels,
        scores,
        {estimate.name: estimate.label(**labels) for estimate in estimates},
        tuple(phrase("{who}: {note}", who=who, note=note) for note in notes),
    )


def grade(scores: Scores, *, level: float = 0.95) -> tuple[list[Estimate], list[str]]:
    """Every estimate these scores carry, and a sentence for each that they do not."""
    wanted: tuple[Callable[[], Estimate], ...] = (
        lambda: summary.accuracy(scores, level=level),
        lambda: summary.auc(scores, level=level),
        lambda: summary.advantage(scores, level=level),
        lambda: summary.tpr_at_fpr(scores, 0.1, level=level),
        lambda: epsilon.epsilon_lower(scores, level=level),
    )
    estimates: list[Estimate] = []
    notes: list[str] = []
    for make in wanted:
        try:
            estimates.append(make())
        except (TooFewTrainings, ScoreError) as refusal:
            notes.append(message_of(refusal))
    if summary.is_degenerate(scores):
        notes.append(
            phrase("The attack gave one and the same answer to every release, so its accuracy is a half by balance.")
        )
    return estimates, notes


def _world_notes(game: Game, plan: MembershipPlan, labels: dict[str, str]) -> list[str]:
    """What the worlds hold, and who is like the target."""
    copies, record = game.worlds.copies, labels["record"]
    notes = [_halves_in_words(game, plan)] if plan.is_of_halves else _worlds_in_words(game, plan)
    if copies and plan.is_of_halves:
        notes.append(
            counted_phrase(
                copies,
                "{n:,} other person has the same rows as record {record} and is in by chance too: the game asks "
                "whether one more of them was there.",
                "{n:,} other people have the same rows as record {record} and are in by chance too: the game asks "
                "whether one more of them was there.",
                record=record,
            )
        )
    elif copies and game.worlds.has_several_rows:
        notes.append(
            counted_phrase(
                copies,
                "{n:,} other person has the same rows as person {record}; left out of both data sets, so that the game "
                "asks whether this person is in the data at all.",
                "{n:,} other people have the same rows as person {record}; left out of both data sets, so that the "
                "game asks whether this person is in the data at all.",
                record=record,
            )
        )
    elif copies:
        notes.append(
            counted_phrase(
                copies,
                "Record {record} has {n} exact copy in the real table; left out of both data sets, so that the game "
                "asks whether this person is in the data at all.",
                "Record {record} has {n} exact copies in the real table; left out of both data sets, so that the game "
                "asks whether this person is in the data at all.",
                record=record,
            )
        )
    return notes


def _halves_in_words(game: Game, plan: MembershipPlan) -> str:
    """What trainings on random halves are."""
    return phrase(
        "The method was trained {trainings:,} times, each time on a random half of the people, and put out "
        "{rows:,} rows. Other questions of an audit share these trainings. Of each record {own:,} trainings with "
        "it and {own:,} without were the attackers' own, and {counted:,} were counted. It is the risk of a table "
        "of half the people.",
        trainings=plan.trainings,
        rows=game.design.n_syn,
        own=plan.shadows(Knowledge.AUXILIARY),
        counted=plan.counted,
    )


def _worlds_in_words(game: Game, plan: MembershipPlan) -> list[str]:
    """What the worlds hold, in words, where they are not simply the real table with and without the targets."""
    if not set(plan.as_dict()) & {"worlds", "relation", "rows"} and game.auxiliary is None:
        return []
    who = (
        phrase("other people in every training")
        if plan.worlds == "resampled"
        else phrase("all of them made, the hardest for the method")
        if plan.worlds in MADE
        else phrase("the same people in every training")
    )
    worlds = phrase(
        "The data sets compared ({worlds}, {relation}) hold {rows:,} rows with the target, {who}.",
        worlds=phrase("resampled") if plan.worlds == "resampled" else phrase("fixed"),
        relation=phrase("add-one") if plan.relation == "add-one" else phrase("replace-one"),
        rows=game.worlds.rows,
        who=who,
    )
    if game.auxiliary is None:
        return [worlds]
    auxiliary = phrase(
        "Attackers of auxiliary knowledge have {rows:,} other rows, none in data that count, and made data sets "
        "of their own from them.",
        rows=len(game.auxiliary.pool),
    )
    return [phrase("{first} {second}", first=worlds, second=auxiliary)]


# --------------------------------------------------------------------------------------------------------------
# Units of work


def _fits(game: Game, units: Sequence[tuple[Attack, str, Brief]]) -> list[FittedAttack]:
    return [attack.fit(brief, game.rng("attack", spelled)) for attack, spelled, brief in units]


def _trials(game: Game, units: Sequence[tuple[int, bool]], attacks: Sequence[FittedAttack]) -> list[Floats]:
    return game.trials(units, attacks)


# What a membership game will cost, from a short timed pilot, and the smallest effect it can detect.


# A short timed part of a membership game: what it loads, and what its trainings, releases and looks take.

FEW_TRAININGS = 50
"""Rows of the first training, which is not timed but for what it loads."""


def _brief_on_rows(game: Game, plan: MembershipPlan, release: Table, rng: np.random.Generator) -> Callable[..., Brief]:
    """What each attack is told if its own releases, as many as in the game, are made of rows of this one.

    From releases that are all alike an attack that learns would learn nothing, in no time.
    """
    size = len(release)
    most = plan.shadows() + plan.shadows(Knowledge.AUXILIARY)
    shadows = {side: [release.rows(rng.integers(size, size=size)) for _ in range(most)] for side in (True, False)}
    return lambda attack: game.brief(plan.knowledge_of(attack), shadows, attack.shadows)


def load_seconds(game: Game, plan: MembershipPlan) -> float:
    """Seconds of a training, a release and a look of every attack on few rows: what is loaded and compiled once."""
    rng, start = game.rng("first"), time.perf_counter()
    world = game.worlds.draw(True, rng)
    fitted = game.generator.fit(world.rows(np.arange(min(FEW_TRAININGS, len(world)))), rng)
    release = fitted.sample(min(FEW_TRAININGS * plan.releases, game.design.n_syn), rng)
    brief = _brief_on_rows(game, plan, release, rng)
    with suppress(RiskkitError):  # so few rows may be too few; the run itself would say what is wrong
        for attack in plan.made_attacks():
            fit = attack.fit(brief(attack), rng)
            fit.score(view_for(fit, fitted, release))
    return time.perf_counter() - start


def game_seconds(game: Game, plan: MembershipPlan, workers: int) -> tuple[float, float, float]:
    """Seconds one game of that generator will take, from one training, one release and one look; last, of a training.

    First what workers share, then what one of them does while the others wait: fitting the attacks.
    """
    rng = game.rng("pilot")
    world = game.worlds.draw(True, rng)
    start = time.perf_counter()
    fitted = game.generator.fit(world, rng)
    fit_seconds = time.perf_counter() - start
    release, sample_seconds = release_beside(game, fitted, rng, workers)
    brief = _brief_on_rows(game, plan, release, rng)
    start = time.perf_counter()
    attacks = [attack.fit(brief(attack), rng) for attack in plan.made_attacks()]
    attack_seconds = time.perf_counter() - start
    start = time.perf_counter()
    for attack in attacks:
        attack.score(view_for(attack, fitted, release))
    look_seconds, training = time.perf_counter() - start, fit_seconds + sample_seconds
    if plan.is_of_halves:  # every game of a method looks at the same trainings
        shared = plan.trainings * training * len(plan.generators) / len(plan.cells())
        return shared + plan.counted * look_seconds, attack_seconds, training
    counted = plan.trainings * (fit_seconds + plan.generations * (sample_seconds + look_seconds))
    own = 2 * (plan.shadows() + plan.shadows(Knowledge.AUXILIARY)) * training
    return counted + own, attack_seconds, training


def release_beside(game: Game, fitted: Fitted, rng: np.random.Generator, workers: int) -> tuple[Table, float]:
    """A release, and the seconds it takes while the other workers make theirs.

    A program of the steward's starts anew for every release, and may use several cores: beside others like it, it
    takes longer than alone. So as many are run at once as there will be, where the generator ``runs_anew``.
    """
    most = min(workers, os.cpu_count() or 1) if getattr(game.generator, "runs_anew", False) else 1
    n, others = game.design.n_syn, max(most, 1) - 1
    start = time.perf_counter()
    with ThreadPoolExecutor(max(others, 1)) as beside:
        running = [beside.submit(fitted.sample, n, game.rng("pilot", number)) for number in range(others)]
        release = fitted.sample(n, rng)
        seconds = time.perf_counter() - start
        for sampling in running:
            sampling.result()
    return release, (seconds + time.perf_counter() - start) / 2 if others else seconds


def forecast(
    table: Table,
    plan: MembershipPlan,
    holdout: Table | None = None,
    persons: Persons | None = None,
    release: Table | None = None,
    *,
    workers: int = 1,
) -> Forecast:
    """Time one training of each generator and one look of every attack, and multiply.

    ``detectable_auc`` is the true AUC that the verdict finds with 80 % power, allowing for all its findings and
    counting trainings only; None where so few trainings find nothing.

    Raises
    ------
    DesignError
        The plan cannot be played on this table; the same sentence the run would end with.
    """
    chosen = plan.choose(table, plan.targets[0], persons)
    people = plan.people(table, holdout, persons)
    seconds, first, shared_trainings, compared = np.zeros(2), 0.0, [], []
    with single_thread():
        for generator in plan.generators:
            game = plan.game(people, Cell(generator, plan.targets[0], 0), chosen)
            first += load_seconds(game, plan)
            *of_game, each = game_seconds(game, plan, workers)
            seconds += of_game
            if plan.is_of_halves:
                halves = plan.deal(people, generator)
                shared_trainings.append(SharedTrainings.count(halves, plan.trainings, each / max(workers, 1)))
            if release is not None:
                whole = each / parts.HALF if plan.is_of_halves else each
                compared.append(origin.trainings_of(generator, whole / max(workers, 1)))
        for cell, part in plan.planted_games():
            if (cell.target, cell.position) == (plan.targets[0], 0):
                with suppress(DesignError):  # it costs nothing where the attack cannot be played on it
                    seconds += game_seconds(plan.game(people, cell, chosen), part, workers)[:2]
    shared, alone = (seconds * (len(plan.cells()) // len(plan.generators))).tolist()
    total = plan.total_trainings()
    in_all = first + shared / max(workers, 1) + alone + sum(each.seconds * len(each.names) for each in compared)
    try:
        least = detectable_auc(plan.counted, level=plan.level, looks=plan.looks(), trials=plan.generations)
    except ParameterError:
        least = None
    numbers = {"trainings": total, "seconds_per_training": (shared + alone) / total, "detectable_auc": least}
    return Forecast(in_all, numbers, shared=(*shared_trainings, *compared))
