"""The membership game: was this record in?

One world holds the targets, the other does not; :mod:`riskkit.games.worlds` says where they come from. A coin and the
generator's seed are random, and where worlds are resampled the people around the targets. The game deals and grades: it
trains, samples and lets every attack score the same releases. It computes no statistic.

Three things leak membership without any synthetic row and are closed here: the size of the release is a public
constant, equal on both sides and independent of the table; the domain is the frozen one of the schema; no shadow
training is ever a counted one. An attacker of auxiliary knowledge makes its own worlds of people who are in no world
that is counted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from riskkit.core import Bools, Brief, Fitted, FittedAttack, Floats, Generator, Knowledge, Table
from riskkit.errors import DesignError
from riskkit.games import fits
from riskkit.games.crowd import PeopleResampled, WorldSource
from riskkit.parameters import Choice
from riskkit.seeds import stream
from riskkit.table.noisy_counts import MODEL


@dataclass(frozen=True, slots=True)
class Design:
    """How much is played.

    ``trainings`` in all are counted, half of them with the targets (of an odd number one more without);
    ``generations`` releases come from each; ``n_syn`` rows make a release, a public constant.
    """

    trainings: int = 20
    generations: int = 5
    n_syn: int = 1000

    def __post_init__(self) -> None:
        for name, value, least in (
            ("trainings", self.trainings, 2),
            ("generations", self.generations, 1),
            ("n_syn", self.n_syn, 1),
        ):
            if value < least:
                raise DesignError.phrase(
                    "{name} is {value}; it must be at least {least}.", name=name, value=value, least=least
                )


@runtime_checkable
class Chooser(Protocol):
    """An attack that chose one of its settings on releases of its own, and can still say what each value would say."""

    choice: Choice

    def score_each(self, release: Table) -> Floats:
        """(n_values, n_targets) scores under every value; under the one it took, the score itself."""


def tried_settings(attacks: Sequence[FittedAttack]) -> dict[int, slice]:
    """Of the attacks that chose a setting: where the scores under each value stand among the rows of a trial."""
    start, cut = len(attacks), {}
    for number, attack in enumerate(attacks):
        if isinstance(attack, Chooser):
            cut[number] = slice(start, start + len(attack.choice.values))
            start = cut[number].stop
    return cut


def view_for(attack: FittedAttack, fitted: Fitted, release: Table) -> Any:
    """What that attack is shown: the release, or the model that made it where the attack ``sees`` the model."""
    return fitted if getattr(attack, "sees", "") == MODEL else release


def release_scores(attacks: Sequence[FittedAttack], fitted: Any, release: Table) -> Floats:
    """(n_rows, n_targets) what the attacks say of that release, or of the model that made it."""
    each = [attack.score_each(release) if isinstance(attack, Chooser) else None for attack in attacks]
    own = [
        attack.score(view_for(attack, fitted, release)) if scores is None else scores[attack.choice.at]  # type: ignore[attr-defined]
        for attack, scores in zip(attacks, each, strict=True)
    ]
    return np.vstack([own, *(scores for scores in each if scores is not None)])


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """One source of worlds, one generator, one name: everything a unit of work needs.

    ``labels`` name the game's random streams, so that no other game's numbers move when this one is added. From
    ``auxiliary`` come the worlds of an attacker who knows other people of the population; None where none is played.
    """

    worlds: WorldSource
    generator: Generator
    design: Design
    seed: int
    labels: tuple[str, ...]
    auxiliary: PeopleResampled | None = None

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "membership", *self.labels, *labels)

    @property
    def at_once(self) -> int:
        """How many trainings belong side by side."""
        return fits.batch_size(self.generator)

    def coin(self) -> Bools:
        """(trainings,) which trainings hold the targets: half of them, in an order nobody knows."""
        side = np.arange(self.design.trainings) < self.design.trainings // 2
        return self.rng("coin").permutation(side)

    def shadows(self, each: Sequence[tuple[int, bool, Knowledge]]) -> list[Table]:
        """The attacker's own releases of these numbers and sides, each from a training of its own.

        Of exact knowledge one is a release of the counted worlds, of auxiliary knowledge one of the attacker's own.

        Raises
        ------
        DesignError
            There are no worlds that an attacker of that knowledge could make.
        """
        worlds, rngs = [], []
        for number, is_in, knowledge in each:
            side = "in" if is_in else "out"
            if knowledge is Knowledge.AUXILIARY:
                rng = self.rng("shadow", "auxiliary", side, number)
                worlds.append(self._auxiliary().draw(is_in, rng))
            else:
                self._common_rows()
                rng = self.rng("shadow", side, number)
                worlds.append(self.worlds.draw(is_in, rng))
            rngs.append(rng)
        made = fits.fit_worlds(self.generator, worlds, rngs)
        return [self._release(fitted, rng) for fitted, rng in zip(made, rngs, strict=True)]

    def trials(self, each: Sequence[tuple[int, bool]], attacks: Sequence[FittedAttack]) -> list[Floats]:
        """For each of these counted trainings (n_rows, generations, n_targets) scores of its releases.

        Each release is made once and shown to every attack. There is one row an attack, in order; after them an attack
        that chose a setting has one for each value it tried, as :func:`tried_settings` cuts them.
        """
        rngs = [self.rng("trial", number) for number, _ in each]
        worlds = [self.worlds.draw(is_in, rng) for (_, is_in), rng in zip(each, rngs, strict=True)]
        made = fits.fit_worlds(self.generator, worlds, rngs)
        return [self._judge(fitted, rng, attacks) for fitted, rng in zip(made, rngs, strict=True)]

    def _judge(self, fitted: Fitted, rng: np.random.Generator, attacks: Sequence[FittedAttack]) -> Floats:
        rows = len(attacks) + sum(len(attack.choice.values) for attack in attacks if isinstance(attack, Chooser))
        out = np.empty((rows, self.design.generations, len(self.worlds.targets)))
        for generation in range(self.design.generations):
            release = self._release(fitted, rng)
            out[:, generation] = release_scores(attacks, fitted, release)
        return out

    def _release(self, fitted: Fitted, rng: np.random.Generator) -> Table:
        """A release of the public size."""
        return fits.check_size(self.generator, fitted.sample(self.design.n_syn, rng), self.design.n_syn)

    def own_releases(self) -> dict[bool, list[Table]] | None:
        """The releases that attackers learn from, by side, where they are there already; None where they are made."""
        return None

    def brief(self, knowledge: Knowledge, shadows: Mapping[bool, Sequence[Table]], wanted: int) -> Brief:
        """What an attacker of that knowledge may see: never the coin, never a counted release.

        ``shadows`` are its own releases by side, of which it gets the first ``wanted``.

        Raises
        ------
        DesignError
            The game has nothing to give to such an attacker: no auxiliary rows, or no rows that stay the same.
        """
        if knowledge is Knowledge.NONE:
            return Brief(targets=self.worlds.targets)
        exact = knowledge is Knowledge.EXACT
        return Brief(
            targets=self.worlds.targets,
            data=self._common_rows() if exact else None,
            reference=None if exact else self._auxiliary().pool,
            shadows_in=tuple(shadows[True][:wanted]),
            shadows_out=tuple(shadows[False][:wanted]),
            generator=self.generator,
        )

    def _common_rows(self) -> Table:
        """The rows that every world holds."""
        if self.worlds.common is None:
            raise DesignError.phrase(
                "Nobody can know every other row where the rows are drawn anew for every training. Let the "
                "attacker know auxiliary rows, or choose fixed data sets."
            )
        return self.worlds.common

    def _auxiliary(self) -> PeopleResampled:
        """Where the worlds of an attacker come from who knows other people."""
        if self.auxiliary is None:
            raise DesignError.phrase("This game gives exact knowledge or none; it has no auxiliary rows.")
        return self.auxiliary


@dataclass(frozen=True, slots=True, eq=False)
class PartsGame(Game):
    """The same on releases that are there: each of a training on a random part of the people, the target's coin too.

    Such a coin says of each training whether it holds the target, whoever else was asked about on the same releases.
    The first ``own`` trainings of either side are the attackers' own, all others are counted. If nothing leaks, the
    releases do not depend on the coin, and any choice by the coin alone leaves those that are counted as they were.

    ``released`` has one release a training, of which ``holds`` (trainings,) are those with the target. The rows of
    ``worlds`` are other people to compare with; none is known to be in.
    """

    released: tuple[Table, ...] = ()
    holds: Bools = field(default_factory=lambda: np.empty(0, dtype=bool))
    own: int = 0

    def _own(self) -> Bools:
        """(trainings,) which of them are the attackers' own."""
        own = np.zeros(len(self.holds), dtype=bool)
        for side in (True, False):
            own[np.flatnonzero(self.holds == side)[: self.own]] = True
        return own

    def coin(self) -> Bools:
        """(counted,) which of the counted trainings hold the target."""
        return self.holds[~self._own()]

    def own_releases(self) -> dict[bool, list[Table]]:
        """See :meth:`Game.own_releases`."""
        own, sides = self._own(), (True, False)
        return {side: [self.released[place] for place in np.flatnonzero(own & (self.holds == side))] for side in sides}

    def trials(self, each: Sequence[tuple[int, bool]], attacks: Sequence[FittedAttack]) -> list[Floats]:
        """For each of these counted trainings (n_rows, 1, n_targets) scores of its release."""
        counted = np.flatnonzero(~self._own())
        made = [self.released[counted[number]] for number, _ in each]
        return [release_scores(attacks, release, release)[:, None] for release in made]

    def brief(self, knowledge: Knowledge, shadows: Mapping[bool, Sequence[Table]], wanted: int) -> Brief:
        """What an attacker may see: everybody else's rows, of whom it does not know who was in, and own releases."""
        if knowledge is Knowledge.NONE:
            return Brief(targets=self.worlds.targets)
        others: Any = self.worlds
        return Brief(
            targets=self.worlds.targets,
            reference=others.pool,
            shadows_in=tuple(shadows[True][:wanted]),
            shadows_out=tuple(shadows[False][:wanted]),
            generator=self.generator,
        )
