"""What is worked out for an audit of a released file, unit by unit: every attack on every part of the people.

Units are small, so that a run tells soon how far it is and stops soon, and none is worked out twice: an attack that is
made of others takes what these say, whoever asked for them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from riskkit import registry
from riskkit.core import Codes, Floats, Ints
from riskkit.errors import DesignError, message_of
from riskkit.games.planted_copies import PlantedKind
from riskkit.games.released import Piece, ReleasedAttack, ReleasedGame
from riskkit.jobs.pool import Pool
from riskkit.phrases import phrase
from riskkit.questions.blind import BlindGuess, without_release
from riskkit.questions.released.grades import TESTS, Answer, looks_for
from riskkit.questions.released.plan import asked, spelled_parts

CONTROLS = {PlantedKind.ROWS: "control", PlantedKind.VALUES: "values"}
"""The games with a planted leak, by what was planted; each attack is asked on the release as it is, and on one."""
WHAT = ("attack", CONTROLS[PlantedKind.ROWS])
"""The games in which rows near people are searched for all attacks at once."""
PEOPLE = 2_000
"""People whose nearest released rows are looked up in one unit."""
BLIND = ("", "blind", ())
"""The unit that looks at the people without the release."""
LONG = frozenset({"classifier", "domias", "ept", "gen-lra", "logan-d"})
"""Attacks that take long; who stands here changes the time alone."""
Unit = tuple[str, str, Piece]
"""An attack as it is spelled, the name of a game, and a piece of that game."""
Search = tuple[str, int | None, int, int, int]
"""The name of a game; the deal whose compared people are searched, None for released rows; how many of the nearest are
wanted; first and last person."""


def control_of(text: str) -> str:
    """The game with the leak that this attack is there to see."""
    return CONTROLS[looks_for(text)]


def load() -> None:
    """Load what a process that attacks needs."""
    from riskkit.released import _density_kernels, _tree_kernels  # noqa: F401
    from riskkit.table import _kernels  # noqa: F401

    registry.plugins("released")


def threads(workers: int) -> int:
    """Threads that search side by side in the process that hands out the work."""
    return max(min(workers, os.cpu_count() or 1), 1)


def units(games: Mapping[str, ReleasedGame | str], attacks: Sequence[str]) -> list[Unit]:
    """The units of these attacks on these games; none where a game or an attack on it is refused from the start.

    Those that take long come first, so that no worker is left alone with one at the end.
    """
    every = [
        (text, what, piece)
        for text in asked(attacks)
        for what in ("attack", control_of(text))
        for piece in _pieces(games[what], text)
    ]
    return sorted(every, key=lambda unit: registry.parse("released", unit[0]).name not in LONG)


def searches(games: Mapping[str, ReleasedGame | str], attacks: Sequence[str]) -> list[Search]:
    """The searches for rows near people that serve several attacks.

    None where fewer than two attacks look any up. People whom a leak is planted for are compared with the same rows as
    before, so one search among these serves both games.
    """
    every = [registry.parse("released", text) for text in asked(attacks)]
    wanted = [near for attack in every if (near := getattr(attack, "near", 0))]
    compared = [near for attack in every if (near := getattr(attack, "near_people", 0))]
    playable = {what: game for what, game in games.items() if isinstance(game, ReleasedGame) and what in WHAT}
    own = playable.get("attack")
    deals = len(own.references) if own is not None and len(compared) > 1 else 0
    among: list[tuple[str, int | None, int]] = [(what, None, max(wanted)) for what in playable if len(wanted) > 1]
    among += [("attack", deal, max(compared)) for deal in range(deals)]
    return [
        (what, deal, k, start, start + PEOPLE)
        for what, deal, k in among
        for start in range(0, len(playable[what].targets), PEOPLE)
    ]


def count(games: Mapping[str, ReleasedGame | str], attacks: Sequence[str]) -> int:
    """How many units there are in all."""
    return len(searches(games, attacks)) + 1 + len(units(games, attacks)) + len(TESTS)


def answered(
    games: Mapping[str, ReleasedGame | str], attacks: Sequence[str], level: float, pool: Pool
) -> tuple[list[tuple[Answer, Answer]], BlindGuess]:
    """What every attack says in the game, and in the one with the planted leak; and the look without the release."""
    near = searches(games, attacks)
    distances = (
        list(
            pool.map(
                phrase("Released rows near people"), search, dict(games), near, threads(pool.workers), is_here=True
            )
        )
        if near
        else []
    )
    known = _near(games, list(zip(near, distances, strict=True)))
    every = [BLIND, *units(games, attacks)]
    answers = pool.map(phrase("Attacks on the release"), work, known, every, level)
    blind = next(answers)
    assert isinstance(blind, BlindGuess)
    values = dict(zip(every[1:], answers, strict=True))
    own = {what: [text for text in attacks if what in ("attack", control_of(text))] for what in games}
    answers_of = {what: _told(game, what, own[what], values) for what, game in games.items()}
    return [(answers_of["attack"][text], answers_of[control_of(text)][text]) for text in attacks], blind


def search(games: Mapping[str, ReleasedGame | str], some: Sequence[Search], threads: int) -> list[tuple[Floats, Codes]]:
    """The distances and positions that these searches find, by so many threads of this process.

    To hand a large release to other processes would take longer than to cut it into blocks once for all searches.
    """
    out = []
    for what, deal, k, start, stop in some:
        game, people = games[what], slice(start, stop)
        assert isinstance(game, ReleasedGame)
        if deal is None:
            distances, positions = game.nearest(k, people, threads)
        else:
            distances, positions = game.nearest_people(k, deal, people, threads)
        out.append((distances, positions.astype(np.int32)))  # they are kept, and half is enough
    return out


def _near(
    games: Mapping[str, ReleasedGame | str], searched: Sequence[tuple[Search, tuple[Floats, Codes]]]
) -> dict[str, ReleasedGame | str]:
    """The games with what was found for all their people."""
    parts: dict[tuple[str, int | None], list[tuple[Floats, Codes]]] = {}
    for (what, deal, *_), part in searched:
        parts.setdefault((what, deal), []).append(part)
    every = {key: _joined(of_key) for key, of_key in parts.items()}
    people = tuple(near for (_, deal), near in every.items() if deal is not None)
    out: dict[str, ReleasedGame | str] = {}
    for what, game in games.items():
        if isinstance(game, str):
            out[what] = game
            continue
        rows = slice(None) if game.within is None else game.within
        own = tuple((distances[rows], positions[rows]) for distances, positions in people)
        out[what] = replace(game, near=every.get((what, None)), near_people=own)
    return out


def _joined(parts: Sequence[tuple[Floats, Codes]]) -> tuple[Floats, Ints]:
    """Distances and positions of everybody, from those of people in turn."""
    distances, positions = (np.concatenate(part) for part in zip(*parts, strict=True))
    return distances, positions.astype(np.int64)


def work(games: Mapping[str, ReleasedGame | str], some: Sequence[Unit], level: float) -> list[Any]:
    """The answers of these units: scores, or the sentence why there are none."""
    return [_work(games[what if what in games else "attack"], text, what, piece, level) for text, what, piece in some]


def _work(game: ReleasedGame | str, text: str, what: str, piece: Piece, level: float) -> Floats | str | BlindGuess:
    assert isinstance(game, ReleasedGame)  # no unit is made of a game that is refused
    if (text, what, piece) == BLIND:
        return without_release(game.targets, game.record, game.is_in, game.rng, level, game.owner)
    try:
        return game.piece(registry.parse("released", text), piece, what, text)
    except DesignError as refusal:
        return message_of(refusal)


def _pieces(game: ReleasedGame | str, text: str) -> tuple[Piece, ...]:
    try:
        return () if isinstance(game, str) else game.pieces(registry.parse("released", text))
    except DesignError:
        return ()


def _told(
    game: ReleasedGame | str, what: str, attacks: Sequence[str], values: Mapping[Unit, Floats | str]
) -> dict[str, Answer]:
    """The answer of every attack that is worked out, and of those that are made of them."""
    if isinstance(game, str):
        return dict.fromkeys(attacks, game)
    answers: dict[str, Answer] = {text: _whole(game, what, text, values) for text in asked(attacks)}
    for text in attacks:
        attack: Any = registry.parse("released", text)
        if text not in answers:
            parts = [answers[part] for part in spelled_parts(attack)]
            refused = next((part for part in parts if isinstance(part, str)), None)
            answers[text] = refused or game.joined(attack, [part for part in parts if not isinstance(part, str)])
    return answers


def _whole(game: ReleasedGame, what: str, text: str, values: Mapping[Unit, Floats | str]) -> Answer:
    """The scores of an attack from those of its pieces, or the first refusal."""
    attack: ReleasedAttack = registry.parse("released", text)
    try:
        parts = [values[text, what, piece] for piece in game.pieces(attack)]
    except DesignError as refusal:
        return message_of(refusal)
    refused = next((part for part in parts if isinstance(part, str)), None)
    return refused or game.whole(attack, [part for part in parts if not isinstance(part, str)])
