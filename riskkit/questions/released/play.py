"""Attacking a released file: every attack on the same records, a planted leak beside each, one verdict over all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Unpack

import numpy as np
import numpy.typing as npt

from riskkit import registry
from riskkit.base import stages
from riskkit.base.threads import single_thread
from riskkit.core import Estimate, Floats
from riskkit.errors import DesignError, message_of
from riskkit.games.copies import Panel, panel
from riskkit.games.planted_copies import PlantedKind
from riskkit.games.released import ReleasedGame, ask
from riskkit.jobs.engines import start
from riskkit.jobs.machine import release
from riskkit.jobs.pool import Pool, Steering, aside
from riskkit.phrases import phrase
from riskkit.questions.compared import Several, unit_of
from riskkit.questions.for_whom import by_scores, check_groups
from riskkit.questions.refusals import NO_RELEASE
from riskkit.questions.released.grades import (
    CONTROLS,
    FPRS,
    ask_attacks,
    control_of,
    controls,
    count,
    estimates,
    grade_attacks,
    load,
    test_attacks,
    threads,
    together,
)
from riskkit.questions.released.plan import (
    NO_HOLDOUT,
    SUITE,
    TWO_TABLES,
    ReleasedPlan,
    attacks_to_run,
    what_it_can_show,
)
from riskkit.questions.released.result import (
    BaseRate,
    Counts,
    Jointly,
    People,
    Posterior,
    ReleasedResult,
    Scored,
    Sides,
    people,
)
from riskkit.released._attack import DENSITY_ROWS
from riskkit.seeds import stream
from riskkit.show.for_whom import ForWhom
from riskkit.stats.permutation import Joint
from riskkit.stats.privacy import posteriors
from riskkit.table.canonical import canonical
from riskkit.table.kinds.judge import text_columns
from riskkit.table.load import Tables
from riskkit.table.points import WIDTH, points_of_arrays, width

# Columns of free text, and second tables: which attacks read them, and what an audit says where none does.


def text_attacks() -> tuple[str, ...]:
    """The attacks that read nothing but free text, by name."""
    return tuple(name for name, attack in registry.plugins("released").items() if getattr(attack, "needs_text", False))


def attacks_for(tables: Tables) -> tuple[str, ...]:
    """The attacks of a plan that names none: the suite, those on texts where a column is kept as text, and the looks at
    two tables where a second one is loaded."""
    on_texts = text_attacks() if text_columns(tables.schema) else ()
    return (*SUITE, *on_texts, *(two_table_attacks() if tables.children is not None else ()))


def two_table_attacks() -> tuple[str, ...]:
    """The attacks that read a second table, by name."""
    return tuple(
        name for name, attack in registry.plugins("released").items() if getattr(attack, "needs_children", False)
    )


def children_notes(tables: Tables, plan: ReleasedPlan) -> list[str]:
    """What is to be said of a second table: that no attack read it."""
    every = [registry.parse("released", text) for text in attacks_to_run(plan.attacks)]
    if tables.children is None or any(getattr(attack, "needs_children", False) for attack in every):
        return []
    note = "No attack that was asked reads the second table: nothing is said of what its rows reveal."
    return [f"{note} Ask {TWO_TABLES} as well."]


def read_texts(attacks: Iterable[str]) -> bool:
    """Whether one of these attacks, as they are spelled, reads free text; one that is no longer here does not."""
    known = registry.plugins("released")
    return any(getattr(known.get(text.partition(":")[0]), "reads_text", False) for text in attacks)


def text_notes(tables: Tables, plan: ReleasedPlan, released: int) -> list[str]:
    """What is to be said of free text: that no attack read it, or how many of the ``released`` rows were compared."""
    if not tables.free_texts:
        return []
    every = [registry.parse("released", text) for text in attacks_to_run(plan.attacks)]
    readers = [attack for attack in every if getattr(attack, "reads_text", False)]
    if not readers:
        return [
            phrase(
                "No attack that was asked reads the free text in {names}: nothing is said of what its texts reveal. "
                "Ask {able} as well.",
                names=tuple(map(repr, tables.free_texts)),
                able=text_attacks(),
            )
        ]
    compared = [(attack.title, int(getattr(attack, "rows", released))) for attack in readers]
    return [
        phrase(
            "{title} compares with {rows:,} of the {released:,} released rows, drawn at random.",
            title=title,
            rows=rows,
            released=released,
        )
        for title, rows in compared
        if rows < released
    ]


def run_released(tables: Tables, plan: ReleasedPlan, **steering: Unpack[Steering]) -> ReleasedResult:
    """Run every attack of the plan on the release.

    Raises
    ------
    DesignError
        There is no release, or no record is left to ask about.
    """
    with single_thread():  # more threads would change the last bits of sums with the number of cores
        if tables.synthetic is None:
            raise DesignError(NO_RELEASE)
        _give_back(tables)
        rng = stream(plan.seed, "released", "panel")
        check_groups(tables.real, plan.groups)
        if tables.holdout is None:
            about = panel(tables.real, tables.synthetic, None, rng, tables.persons)
            return _without_holdout(plan, about, unit_of(tables.persons))
        workers = steering.get("workers", 1)
        has_time = workers > 1 and not tables.is_large
        with start(workers, load):
            describe = partial(panel, tables.real, tables.synthetic, tables.holdout, rng, tables.persons)
            describing = aside(partial(describe, 1 if has_time else threads(workers)), is_aside=has_time)
            try:
                stages.say(phrase("Dealing people"))
                game = plan.game(tables)
                stages.say(phrase("Planting a leak"))
                asked_for = {control_of(text) for text in plan.attacks} | {CONTROLS[PlantedKind.ROWS]}
                games = {"attack": game} | {
                    name: _planted_game(game, what) for what, name in CONTROLS.items() if name in asked_for
                }
            except DesignError:
                describing()  # what cannot be described either is refused for that, as if it had been described first
                raise
        _give_back(tables)
        pool = Pool.open(count(games, plan.attacks), **steering)
        answers, blind = ask_attacks(games, plan.attacks, plan.level, pool)
        in_game, in_planted = zip(*answers, strict=True)
        grade = partial(grade_attacks, in_game, plan)
        grades = aside(grade) if has_time else grade
        joint, control = test_attacks(answers, plan, pool)
        planted = {text: games[control_of(text)] for text in plan.attacks}
        findings = grades()
        leaks = controls(findings, in_planted, planted, control)
        each = together(findings, plan, joint, blind)
        scores = [finding.scores for finding in findings if finding.scores is not None]
        stages.say(phrase("People whom the file names"))
        named, records = people(scores, game.row, plan.seed, apart=blind.apart)
        about = describing()
    every = estimates(findings, each)
    notes = [
        *_notes(game),
        *_learned_notes(game, plan),
        *text_notes(tables, plan, len(game.release)),
        *children_notes(tables, plan),
        *(note for finding in findings for note in finding.notes),
    ]
    second = None if tables.children is None else {slot: len(rows) for slot, rows in tables.children.tables.items()}
    stages.say(phrase("What the numbers mean"))
    result = ReleasedResult(
        plan=plan,
        counts=Counts(_sides(game), unit_of(tables.persons), second),
        estimates=every,
        blind=blind,
        together=Jointly(0 if joint is None else joint.permutations, each),
        control=leaks,
        power=_power(game, joint),
        base_rates=_base_rates(every),
        panel=about,
        named=named,
        notes=tuple(dict.fromkeys(notes)),
        scores=tuple(Scored(each.attack, each.value, each.is_in, each.training, game.row) for each in scores),
        records=records,
    )
    return replace(result, for_whom=_for_whom(result, tables))


def _give_back(tables: Tables) -> None:
    """Give back what reading or dealing large tables took, before more is taken."""
    if tables.is_large:
        release()


def _for_whom(result: ReleasedResult, tables: Tables) -> ForWhom | None:
    """For whom the strongest attack works best; None where the sides are told apart without the release, or none has
    a number."""
    own = next((each for each in result.scores if each.attack == result.strongest), None)
    if own is None or result.is_apart or tables.holdout is None:
        return None
    rng, plan = stream(result.plan.seed, "released", "groups"), result.plan
    scores = own.value, own.is_in, own.record, own.row
    return by_scores((tables.real, tables.holdout), scores, own.attack, plan.groups, rng, plan.level)


def _without_holdout(plan: ReleasedPlan, about: Panel, several: Several | None) -> ReleasedResult:
    """What can be said of a release where nobody is known who was not in."""
    return ReleasedResult(
        plan=plan,
        counts=Counts(None, several),
        estimates=(),
        blind=None,
        together=Jointly(0, ()),
        control=(),
        power=None,
        base_rates=(),
        panel=about,
        named=People(),
        notes=(NO_HOLDOUT,),
    )


def _planted_game(game: ReleasedGame, what: PlantedKind) -> ReleasedGame | str:
    """The game with the planted leak, or the sentence why none can be planted."""
    try:
        return game.plant(what)
    except DesignError as refusal:
        return message_of(refusal)


# --------------------------------------------------------------------------------------------------------------
# What stands beside them


def _sides(game: ReleasedGame) -> Sides:
    left = game.left_out
    return Sides(
        n_in=game.records(True),
        n_out=game.records(False),
        n_reference=game.n_reference,
        dropped_both=left.real + left.holdout,
        dropped_real=left.real,
        dropped_holdout=left.holdout,
        dropped_to_even=left.evened,
    )


def _notes(game: ReleasedGame) -> list[str]:
    left = game.left_out
    notes: list[str] = []
    if left.real:
        notes.append(
            phrase(
                "{real:,} rows of the real table and {holdout:,} of the holdout are equal to one another; they "
                "are left out on both sides, because such a person is a member and yet stands among the others.",
                real=left.real,
                holdout=left.holdout,
            )
        )
    if left.evened:
        notes.append(
            phrase(
                "{rows:,} rows of records that the larger table holds several times are left out, because such "
                "records would stand in it more often by its size alone.",
                rows=left.evened,
            )
        )
    if max(len(game.release), game.n_reference) > DENSITY_ROWS:
        notes.append(
            phrase(
                "Densities are taken of {rows:,} rows of a larger table, drawn at random; distances of all rows.",
                rows=DENSITY_ROWS,
            )
        )
    if game.release.sizes and width(game.release) > WIDTH:
        notes.append(
            phrase(
                "The columns have {width:,} numbers and categories together. Densities and learned attacks tell "
                "the {most} most frequent apart and take a column's rare ones for one; distances tell all apart.",
                width=width(game.release),
                most=WIDTH,
            )
        )
    if left.spared:
        notes.append(
            phrase("{rows:,} rows are over the maximum that is asked about; drawn at random.", rows=left.spared)
        )
    return notes


def _learned_notes(game: ReleasedGame, plan: ReleasedPlan) -> list[str]:
    """What is to be said of attacks that learn from some of the rows that there are."""
    compared = [len(rows) for reference in game.references for rows in reference.rows]
    notes: list[str] = []
    for text in attacks_to_run(plan.attacks):
        attack = registry.parse("released", text)
        tables = [len(game.release), *(compared if attack.needs_reference or getattr(attack, "compare", False) else ())]
        if getattr(attack, "learns", False) and max(tables) > attack.rows:
            what = phrase(
                "{title} learns from {rows:,} rows of a larger table, drawn at random.",
                title=attack.title,
                rows=attack.rows,
            )
            notes.append(what)
    return notes


def _power(game: ReleasedGame, joint: Joint | None) -> dict[str, float] | None:
    """What these attacks together could show on these records."""
    if joint is None:
        return None
    try:
        return what_it_can_show(game.records(True), game.records(False), *joint.reach)
    except DesignError:
        return None


def _base_rates(estimates: Sequence[Estimate]) -> tuple[BaseRate, ...]:
    """What an accusation at 10 % false alarms means, by how likely the record was in beforehand."""
    named = [e for e in estimates if e.name == "tpr_at_fpr" and e.labels["fpr"] == f"{FPRS[0]:g}"]
    return tuple(
        BaseRate(share.labels["attack"], FPRS[0], prior, Posterior(after.value, after.low, after.high))
        for share in named
        for prior, after in posteriors(share)
    )


# Attacks on a released file for those who have arrays and no tables.


def score_arrays(
    attack: str,
    release: npt.ArrayLike,
    targets: npt.ArrayLike,
    reference: npt.ArrayLike | None = None,
    rng: np.random.Generator | int | None = None,
    **parameters: object,
) -> Floats:
    """What an attack on a released file says of each target, higher meaning "in"; numbers are taken as they are.

    Nothing is scaled or left out, and there is no game around it: no holdout, no interval, no verdict. The result does
    not depend on the order of rows and columns.

    Parameters
    ----------
    attack : str
        Its name, as ``riskkit.plugins("released")`` has it: ``dcr``, ``dcr-diff``, ``domias``, ...
    release, targets, reference : array_like (rows, columns)
        Numbers; NaN is missing. ``reference`` are other rows of the population, for attacks that compare.
    rng : numpy Generator or int, optional
        For attacks that draw; a seed, 0 by default.
    **parameters
        Settings of the attack.

    Returns
    -------
    (n_targets,) scores in the order of ``targets``.

    Raises
    ------
    ParameterError
        There is no such attack or setting.
    DesignError
        The arrays do not fit together, or the attack needs a reference.
    """
    made = registry.make("released", attack, **parameters)
    arrays = [release, targets] + ([] if reference is None else [reference])
    parts, undo = canonical(points_of_arrays(arrays))
    if made.needs_reference and reference is None:
        raise DesignError(f"{attack} compares with reference rows; give them as reference.")
    own = rng if isinstance(rng, np.random.Generator) else stream(rng or 0, "score_arrays", attack)
    in_order: Floats = ask(made, parts[0], parts[1], parts[2] if len(parts) > 2 else None, own)[undo[1]]
    return in_order
