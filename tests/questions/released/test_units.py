"""What an audit of a released file works out: nothing twice, and the same numbers however it is shared out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from riskkit import registry
from riskkit.core import Floats, Scores
from riskkit.games.released import EVERYBODY, ReleasedGame
from riskkit.jobs.pool import Clock, Pool
from riskkit.questions.released import grades
from riskkit.questions.released.grades import ask_attacks, count
from riskkit.questions.released.plan import SUITE, ReleasedPlan, attacks_to_run
from riskkit.questions.released.play import run_released
from riskkit.released.ensemble import Ensemble
from riskkit.table import neighbours
from tests.questions.released.test_released import copied

LEVEL = 0.95
QUICK = ("dcr", "dcr-diff", "mc", "dpi:k=3", "nndr", "gen-lra", "nn-kde", "domias")


def game(n: int = 60, **settings: Any) -> ReleasedGame:
    return ReleasedPlan(attacks=("dcr",), **settings).game(copied(0.4, n))


def answers(game: ReleasedGame, attacks: Sequence[str], workers: int = 1) -> list[Scores]:
    """What these attacks say in that game, as an audit asks them."""
    games: dict[str, ReleasedGame | str] = {"attack": game, "control": "Nothing can be planted here."}
    pool = Pool(workers, Clock(count(games, attacks), lambda _: None), lambda: False)
    answers_and_planted, _ = ask_attacks(games, attacks, LEVEL, pool)
    assert all(planted == games["control"] for _, planted in answers_and_planted)
    return [scores for scores, _ in answers_and_planted if isinstance(scores, Scores)]


def test_no_attack_is_asked_twice_on_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: Counter[tuple[Any, ...]] = Counter()
    whole = ReleasedGame.piece

    def piece(self: ReleasedGame, attack: Any, piece: Any, *labels: str) -> Floats:
        calls[attack.name, piece, labels[0]] += 1
        return whole(self, attack, piece, *labels)

    monkeypatch.setattr(ReleasedGame, "piece", piece)
    run_released(copied(0.4, 40), ReleasedPlan(attacks=SUITE))
    assert set(calls.values()) == {1}
    assert {name for name, *_ in calls} == {*SUITE, *Ensemble.parts} - {"ensemble"}
    assert {what for *_, what in calls} == {"attack", "control", "values"}


def test_an_attack_that_is_made_of_others_ranks_what_these_say() -> None:
    """Mean ranks within each part, counted here from the scores of the seven, which are asked by name."""
    played = game()
    *seven, ensemble = answers(played, (*Ensemble.parts, "ensemble"))
    assert [each.attack for each in seven] == list(Ensemble.parts)
    (reference,) = played.references
    for part in (0, 1):
        own = reference.part == part
        mean = np.mean([rankdata(each.value[own]) for each in seven], axis=0)
        np.testing.assert_allclose(ensemble.value[own], (rankdata(mean) - 0.5) / own.sum())
    (alone,) = answers(played, ("ensemble",))
    assert alone.value.tobytes() == ensemble.value.tobytes()


def test_an_attack_whose_part_is_refused_is_refused_for_the_same_reason() -> None:
    games: dict[str, ReleasedGame | str] = {what: game(reference="aside", reference_share=0.0) for what in grades.WHAT}
    pool = Pool(1, Clock(count(games, ("ensemble",)), lambda _: None), lambda: False)
    ((refusal, _),), _ = ask_attacks(games, ("ensemble",), LEVEL, pool)
    assert isinstance(refusal, str)
    assert "no share of the holdout was set aside" in refusal


@pytest.mark.parametrize("settings", [{}, {"reference": "aside"}])
def test_one_search_for_all_gives_every_attack_the_bytes_of_its_own(settings: dict[str, Any]) -> None:
    played = game(**settings)
    shared = answers(played, QUICK)
    for text, scores in zip(QUICK, shared, strict=True):
        alone = played.scores(registry.parse("released", text), "attack", text)
        assert scores.value.tobytes() == alone.value.tobytes(), text


def test_released_rows_are_searched_once_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    played, seen = game(), []
    search = neighbours._search

    def counted(kernel: Any, squares: bool, threads: Any, queries: Any, among: Any, *each: Any) -> None:
        seen.append((kernel.__name__, len(queries), among is played.release))
        search(kernel, squares, threads, queries, among, *each)

    monkeypatch.setattr(neighbours, "_search", counted)
    answers(played, ("dcr", "dcr-diff", "mc", "dpi", "gen-lra"))
    of_release = [asked for name, asked, is_release in seen if name == "nearest_of" and is_release]
    assert of_release == [len(played.targets)]


def test_what_an_attack_says_it_looks_up_is_what_it_looks_up(monkeypatch: pytest.MonkeyPatch) -> None:
    played, wanted, compared = game(), list[int](), list[int]()
    nearest = neighbours.nearest

    def counted(queries: Any, among: Any, k: int = 1, **how: Any) -> Any:
        wanted.extend([k] * (among is played.release))
        compared.extend([k] * any(among is rows for rows in played.references[0].rows))
        return nearest(queries, among, k, **how)

    for module in ("_distances", "density"):
        monkeypatch.setattr(f"riskkit.released.{module}.nearest", counted)
    for text in QUICK:
        wanted.clear()
        compared.clear()
        attack: Any = registry.parse("released", text)
        played.scores(attack)
        assert max(wanted, default=0) == getattr(attack, "near", 0), text
        assert max(compared, default=0) == getattr(attack, "near_people", 0), text


def test_people_compared_with_are_searched_once_for_both_games(monkeypatch: pytest.MonkeyPatch) -> None:
    played, seen = game(), Counter[int]()
    games: dict[str, ReleasedGame | str] = {"attack": played, "control": played.plant()}
    search = neighbours._search

    def counted(kernel: Any, squares: bool, threads: Any, queries: Any, among: Any, *each: Any) -> None:
        (reference,) = played.references
        seen.update(
            [len(queries)] * (kernel.__name__ == "nearest_of" and any(among is rows for rows in reference.rows))
        )
        search(kernel, squares, threads, queries, among, *each)

    monkeypatch.setattr(neighbours, "_search", counted)
    pool = Pool(1, Clock(count(games, QUICK), lambda _: None), lambda: False)
    both, _ = ask_attacks(games, ("dcr-diff", "dpi:k=3"), LEVEL, pool)
    assert sum(people * times for people, times in seen.items()) == len(played.targets)
    monkeypatch.undo()
    for text, each in zip(("dcr-diff", "dpi:k=3"), both, strict=True):
        for what, scores in zip(grades.WHAT, each, strict=True):
            own = games[what]
            assert isinstance(own, ReleasedGame)
            assert isinstance(scores, Scores)
            assert scores.value.tobytes() == own.scores(registry.parse("released", text), what, text).value.tobytes()


def test_a_forecast_and_a_run_ask_for_the_same_attacks() -> None:
    assert attacks_to_run(("ensemble", "dcr")) == Ensemble.parts
    assert attacks_to_run(("dpi:k=5", "ensemble")) == ("dpi:k=5", *Ensemble.parts)
    assert replace(ReleasedPlan(), attacks=("dcr",)).attacks == attacks_to_run(("dcr",))


def test_the_pieces_of_a_game_hold_everybody_once() -> None:
    played = game()
    attack: Any = registry.parse("released", "dcr-diff")
    sizes = [len(played.piece(attack, piece)) for piece in played.pieces(attack)]
    assert len(sizes) == 2
    assert sum(sizes) == len(played.targets)
    assert played.pieces(registry.parse("released", "dcr")) == (EVERYBODY,)
