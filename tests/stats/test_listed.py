"""Lists of people with few there by luck: by hand, by simulation, and the faults that would fill them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from riskkit.core import Scores
from riskkit.errors import ScoreError
from riskkit.seeds import stream
from riskkit.stats import listed as module
from riskkit.stats.listed import conformal_p, listed


def drawn(leaking: int, n_in: int = 200, n_out: int = 200, attacks: int = 6, seed: int = 0, shift: float = 6) -> Any:
    """Attacks of which the first sees the first so many members; all others see nothing."""
    rng = np.random.default_rng(seed)
    is_in = np.arange(n_in + n_out) < n_in
    values = rng.normal(size=(attacks, len(is_in)))
    values[0, :leaking] += shift
    people = np.arange(len(is_in))
    return [Scores(scored, is_in, people, people * 0, str(number)) for number, scored in enumerate(values)]


def test_a_p_value_is_the_share_of_others_that_score_as_high_with_oneself() -> None:
    p = conformal_p(np.array([5.0, 2.0, 0.0]), np.array([1.0, 2.0, 3.0, 4.0]))
    assert p == pytest.approx([1 / 5, 4 / 5, 5 / 5])


def test_those_who_leak_are_listed_by_the_attack_that_sees_them() -> None:
    members = listed(drawn(100, n_in=400, n_out=400), stream(1))
    assert members.asked == 400
    assert set(range(100)) <= set(members.at.tolist())
    assert (members.at >= 100).mean() < 0.1
    assert set(members.attack.tolist()) == {0}
    assert (np.diff(members.at) > 0).all()


def test_equal_rows_are_listed_once() -> None:
    scores = drawn(60)
    doubled = [
        Scores(np.repeat(s.value, 2), np.repeat(s.is_in, 2), np.repeat(s.training, 2), np.zeros(800, int), s.attack)
        for s in scores
    ]
    members = listed(doubled, stream(1))
    assert members.asked == 200
    assert (members.at % 2 == 0).all()


class InOrder:
    """Deals nobody: the first half of a side is the one, the other half the other."""

    def permutation(self, people: Any) -> Any:
        return people


def plain(seen: list[range], each: int = 40) -> list[Scores]:
    """So many members and others; an attack scores those members above all others whom it sees, the rest below."""
    people, is_in = np.arange(2 * each), np.arange(2 * each) < each
    scored = [np.where(is_in, np.where(np.isin(people, members), 2.0, 0.0), 1.0) for members in seen]
    return [Scores(value, is_in, people, people * 0, str(number)) for number, value in enumerate(scored)]


@pytest.mark.parametrize(("leaking", "a_half"), [(9, 0), (10, 10)])
def test_each_half_gives_away_half_of_the_error(leaking: int, a_half: int) -> None:
    """By hand: of 20 in a half with p = 1/21 so many k are listed as 1/21 <= .2/2 k/20 allows: ten, and no fewer."""
    both = [*range(leaking), *range(20, 20 + leaking)]
    members = listed(plain([range(0), both]), InOrder(), q=0.2)  # type: ignore[list-item, arg-type]
    assert len(members) == 2 * a_half
    assert members.fewest == 2 * 10


def test_an_attack_lists_nobody_in_the_half_that_chose_it() -> None:
    """One sees the members of one half alone, the other those of the other half: each is chosen where it sees none."""
    assert len(listed(plain([range(20), range(20, 40)]), InOrder(), q=0.2)) == 0  # type: ignore[arg-type]
    assert len(listed(plain([range(0), range(40)]), InOrder(), q=0.2)) == 40  # type: ignore[arg-type]


def luck(leaking: int, runs: int = 200, **settings: Any) -> float:
    """The mean share of a list that is there by luck."""
    shares = []
    for seed in range(runs):
        members = module.listed(drawn(leaking, seed=seed, **settings), stream(seed))
        shares.append(float((members.at >= leaking).mean()) if len(members) else 0.0)
    return float(np.mean(shares))


@pytest.mark.second
@pytest.mark.parametrize("leaking", [0, 80])
def test_few_are_listed_by_luck_however_many_attacks_look(leaking: int) -> None:
    """Of 200 lists the mean share is at most 5 %; its own error is below 1.6 points, that of a yes or no."""
    assert luck(leaking) <= 0.05 + 3 * 0.016


@pytest.mark.second
def test_a_p_value_that_forgets_oneself_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted fault: the share of others alone is 0 for whoever tops them, and every list takes that one in."""

    def forgetful(inside: Any, outside: Any) -> Any:
        return np.array([(outside >= score).mean() for score in inside])

    monkeypatch.setattr(module, "conformal_p", forgetful)
    assert luck(0, runs=60) > 0.2


def test_too_few_people_and_no_attack_are_refused() -> None:
    with pytest.raises(ScoreError, match="too few"):
        listed(drawn(0, n_in=9, n_out=50), stream(1))
    with pytest.raises(ScoreError, match="No attack"):
        listed([], stream(1))
