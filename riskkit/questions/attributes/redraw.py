"""Secrets drawn anew before the training: does the generator give away a person's own, beyond what holds of all?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from riskkit import registry
from riskkit.core import Estimate, Ints, Table
from riskkit.errors import DesignError, ScoreError, TooFewTrainings, message_of
from riskkit.games.attribute import AttributeQuestion
from riskkit.games.randomised_secret import RandomisedSecret, Trials, gather
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.plain import entry
from riskkit.questions.attributes import words
from riskkit.questions.attributes.outcome import About
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.units import Finding
from riskkit.seeds import stream
from riskkit.stats.inference import randomised_estimates
from riskkit.stats.records import level_of_each
from riskkit.table.load import Tables

MOST_OF_TABLE = 0.1
"""At most that share of the rows gets another secret: what the release says of the population must stay."""
STAGE = phrase("Training with secrets drawn anew")


@dataclass(frozen=True, slots=True, eq=False)
class Randomised:
    """What became of the drawn secrets of one question.

    ``estimates`` stand among those of the result. ``is_shown`` says whether guesses are above chance, allowing for all
    questions. ``refusal`` is the sentence why there is nothing, else empty.
    """

    secret: str
    words: str = field(metadata=entry("known"))
    model: str
    generator: str
    targets: int
    estimates: tuple[Estimate, ...] = field(default=(), metadata=entry(is_kept=False))
    sentence: str = ""
    is_shown: bool = field(default=False, metadata=entry("shown"))
    refusal: str = ""

    @property
    def about(self) -> About:
        """The question."""
        return About(self.secret, self.words, self.model)


def trainings(plan: AttributePlan, units: int) -> int:
    """How many trainings the plan asks for, of that many questions in detail."""
    return plan.randomised * units if plan.generator else 0


def play_randomised(
    tables: Tables, plan: AttributePlan, findings: Sequence[Finding], pool: Pool
) -> tuple[Randomised, ...]:
    """One answer for each finding that was asked in detail; none where no generator is named.

    Raises
    ------
    Cancelled
        Somebody stopped it.
    """
    asked = [finding for finding in findings if finding.unit.detailed]
    if not plan.generator:
        return ()
    dealt = [_game_of(tables, plan, finding) for finding in asked]
    games = [game for game in dealt if isinstance(game, RandomisedSecret)]
    pool.clock.tick(STAGE, trainings(plan, len(asked) - len(games)))
    units = [(place, number) for place in range(len(games)) for number in range(plan.randomised)]
    played = list(pool.map(STAGE, _trials, games, units)) if units else []
    of_game = iter(played[start : start + plan.randomised] for start in range(0, len(played), plan.randomised))
    level = level_of_each(plan.level, max(len(games), 1))
    return tuple(
        _answer(finding, game, next(of_game) if isinstance(game, RandomisedSecret) else [], plan, level)
        for finding, game in zip(asked, dealt, strict=True)
    )


def game_of(tables: Tables, plan: AttributePlan, secret: str, known: tuple[str, ...], model: str) -> RandomisedSecret:
    """The game of one question.

    Raises
    ------
    DesignError
        The question cannot be asked of the real table.
    """
    assert tables.synthetic is not None
    question = AttributeQuestion(secret, known, registry.parse("inference", model))
    generator = registry.parse("generators", plan.generator)
    targets = chosen_people(tables.real, plan)
    labels = (plan.generator, secret, *known)
    return RandomisedSecret(tables.real, generator, question, targets, tables.release_rows, plan.seed, labels)


def chosen_people(real: Table, plan: AttributePlan) -> Ints:
    """The rows that get another secret, the same for every question and whatever the order of the file."""
    most = max(min(plan.targets, int(MOST_OF_TABLE * len(real))), 1)
    order: npt.NDArray[np.intp] = np.argsort(real.keys(), kind="stable")
    drawn = stream(plan.seed, "attributes", "randomised").permutation(len(real))[:most]
    return np.sort(order[drawn]).astype(np.int64)


def _game_of(tables: Tables, plan: AttributePlan, finding: Finding) -> RandomisedSecret | str:
    """The game of that finding, or the sentence why there is none."""
    if finding.refusal:
        return finding.refusal
    if tables.persons is not None and tables.persons.has_several_rows:
        return phrase(
            "Each row would get a secret of its own, and people have several rows here. Leave the generator out."
        )
    try:
        return game_of(tables, plan, finding.unit.secret, finding.known, finding.model)
    except DesignError as refusal:
        return message_of(refusal)


def _trials(games: Sequence[RandomisedSecret], units: Sequence[tuple[int, int]]) -> list[Trials | str]:
    """The trials of each unit, or the sentence why it has none."""
    out: list[Trials | str] = []
    for place, number in units:
        try:
            out.append(games[place].trial(number))
        except DesignError as refusal:
            out.append(message_of(refusal))
    return out


def _answer(
    finding: Finding,
    game: RandomisedSecret | str,
    played: Sequence[Trials | str],
    plan: AttributePlan,
    level: float,
) -> Randomised:
    """The estimates of one question and their sentence, or why there are none."""
    targets = 0 if isinstance(game, str) else len(game.targets)
    about = (finding.unit.secret, finding.words, finding.model, plan.generator, targets)
    refused = [part for part in (game, *played) if isinstance(part, str)]
    if refused:
        return Randomised(*about, refusal=refused[0])
    trials = gather([part for part in played if isinstance(part, Trials)])
    is_category = finding.kind == "category"
    grades = trials.success, trials.chance, trials.training
    try:
        estimates = randomised_estimates(*grades, is_category=is_category, level=plan.level)
        is_shown = randomised_estimates(*grades, is_category=is_category, level=level)[-1].low > 0
    except (ScoreError, TooFewTrainings) as refusal:
        return Randomised(*about, refusal=message_of(refusal))
    labels = {"secret": finding.unit.secret, "known": finding.words, "model": finding.model}
    labels |= {"trained_on": "rerun", "tested_on": "targets", "generator": plan.generator}
    sentence = words.randomised_sentence(
        finding.unit.secret, plan.generator, estimates, targets=targets, is_category=is_category, is_shown=is_shown
    )
    return Randomised(*about, tuple(each.label(**labels) for each in estimates), sentence, is_shown)
