"""The membership game: was this record in?

Both worlds are fixed, ``D_pos = D ∪ X`` and ``D_neg = D \\ X``; only a coin and the generator's seed are random. The
game deals and grades: it trains, samples and lets every attack score the same releases. It computes no statistic.

Three things leak membership without any synthetic row and are closed here: the size of the release is a public
constant, equal on both sides and independent of the table; the domain is the frozen one of the schema; no shadow
training is ever a counted one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from riskkit.core import Bools, Brief, Fitted, FittedAttack, Floats, Generator, Knowledge, Table, Targets
from riskkit.errors import DesignError
from riskkit.seeds import stream


@dataclass(frozen=True, slots=True, eq=False)
class Worlds:
    """The two training tables of a game and what was done to make them.

    ``copies`` counts further rows of the real table that equal a target. They are in neither world: a game in which
    a copy stays behind would not ask whether the person was in.
    """

    pos: Table
    neg: Table
    targets: Table
    copies: int = 0

    def of(self, is_in: bool) -> Table:
        """The world with the targets, or the one without."""
        return self.pos if is_in else self.neg


def fixed_worlds(data: Table, targets: Targets) -> Worlds:
    """D with and without the targets: each is in ``pos`` exactly once and in ``neg`` not at all.

    Raises
    ------
    DesignError
        Two targets are the same record, or nothing is left without them.
    """
    keys = targets.table.keys()
    if len(np.unique(keys)) < len(keys):
        raise DesignError("Two of the targets are the same record; choose different ones.")
    same = np.isin(data.keys(), keys)
    neg = data.rows(~same)
    if not len(neg):
        raise DesignError("No row is left without the targets; choose fewer targets.")
    in_data = int((targets.index >= 0).sum())
    return Worlds(neg.plus(targets.table), neg, targets.table, copies=max(int(same.sum()) - in_data, 0))


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
                raise DesignError(f"{name} is {value}; it must be at least {least}.")


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """One pair of worlds, one generator, one name: everything a unit of work needs.

    ``labels`` name the game's random streams, so that no other game's numbers move when this one is added.
    """

    worlds: Worlds
    generator: Generator
    design: Design
    seed: int
    labels: tuple[str, ...]

    def rng(self, *labels: str | int) -> np.random.Generator:
        """The stream of this game with these labels."""
        return stream(self.seed, "membership", *self.labels, *labels)

    def coin(self) -> Bools:
        """(trainings,) which trainings hold the targets: half of them, in an order nobody knows."""
        side = np.arange(self.design.trainings) < self.design.trainings // 2
        return self.rng("coin").permutation(side)

    def shadow(self, number: int, is_in: bool) -> Table:
        """The attacker's own release ``number`` of that side, from a training of its own."""
        rng = self.rng("shadow", "in" if is_in else "out", number)
        return self._release(self.generator.fit(self.worlds.of(is_in), rng), rng)

    def trial(self, number: int, is_in: bool, attacks: Sequence[FittedAttack]) -> Floats:
        """(n_attacks, generations, n_targets) scores of the releases of counted training ``number``.

        Each release is made once and shown to every attack.
        """
        rng = self.rng("trial", number)
        fitted = self.generator.fit(self.worlds.of(is_in), rng)
        out = np.empty((len(attacks), self.design.generations, len(self.worlds.targets)))
        for generation in range(self.design.generations):
            release = self._release(fitted, rng)
            out[:, generation] = [attack.score(release) for attack in attacks]
        return out

    def _release(self, fitted: Fitted, rng: np.random.Generator) -> Table:
        """A release of exactly the public size; any other would tell the worlds apart by counting rows."""
        release = fitted.sample(self.design.n_syn, rng)
        if len(release) != self.design.n_syn:
            raise DesignError(
                f"Generator {self.generator.name!r} put out {len(release)} rows where {self.design.n_syn} were asked "
                "for. A release must have its public size, or its size alone gives the target away."
            )
        return release

    def brief(self, knowledge: Knowledge, shadows: Mapping[bool, Sequence[Table]], wanted: int) -> Brief:
        """What an attacker of that knowledge may see: never the coin, never a counted release.

        Raises
        ------
        DesignError
            The fixed-worlds game has no auxiliary rows to give.
        """
        if knowledge is Knowledge.AUXILIARY:
            raise DesignError("This game gives exact knowledge or none; it has no auxiliary rows.")
        exact = knowledge is Knowledge.EXACT
        return Brief(
            targets=self.worlds.targets,
            data=self.worlds.neg if exact else None,
            shadows_in=tuple(shadows[True][:wanted]) if exact else (),
            shadows_out=tuple(shadows[False][:wanted]) if exact else (),
        )
