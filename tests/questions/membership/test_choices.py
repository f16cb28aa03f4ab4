"""A setting that an attack chooses is chosen on trainings that are not counted, and judged on those that are."""

import json
from typing import Any

import numpy as np
import pytest

from riskkit.attacks.mvl import LAMBDAS
from riskkit.core import Scores
from riskkit.parameters import Choice
from riskkit.plain import from_plain, plain
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.membership.result import Sweep, sweep
from riskkit.questions.membership.words import hindsight, sentence
from tests.oracles import Independent, stand_beside
from tests.stats import make
from tests.tables import mixed

LABELS = {"generator": "stat", "target": "random", "position": "0", "record": "3", "attack": "mvl:tune=true"}


def choice(right: int, of: int = 6) -> Choice:
    """Two values tried on ``of`` own releases a side: the first always right, the second in so many a side."""
    is_in = np.arange(2 * of) < of
    sure = np.where(is_in, 1.0, -1.0)
    often = np.where(np.tile(np.arange(of) < right, 2), sure, -sure)
    return Choice("lam", np.array([0.0, 0.5]), 0, np.stack([sure, often]), is_in)


def counted(*right: int) -> list[Scores]:
    return [make.answers(hits, 10, 10 - hits, 10) for hits in right]


def test_a_sweep_counted_by_hand() -> None:
    swept = sweep(choice(right=3), counted(6, 8), LABELS, 0.95)
    assert isinstance(swept, Sweep)
    assert [e.value for e in swept.own] == [1.0, 0.5]
    assert [e.n for e in swept.own] == [12, 12]
    assert [e.value for e in swept.counted] == pytest.approx([0.6, 0.8])
    assert [e.n for e in swept.counted] == [20, 20]
    read = from_plain(Sweep, json.loads(json.dumps(plain(swept))))
    assert (read.values, read.at, read.labels) == ((0.0, 0.5), 0, LABELS)
    assert read.own == tuple(e for e in swept.own)
    assert sentence(read, "λ").startswith("The attack chose λ = 0, right in")
    assert "of 12 releases of its own; on the 20 trainings that count it is right in 60 % [" in sentence(read, "λ")
    assert "In hindsight λ = 0.5 would have been right in 80 %" in hindsight(read, "λ")
    assert "flatters" in hindsight(read, "λ")


@pytest.mark.parametrize(
    ("hits", "highest", "best"),
    [((6, 8), 1.0, (0.5, 0.8)), ((6, 8), 0.1, (0.0, 0.6)), ((7, 7), 1.0, (0.0, 0.7)), ((6, 8), -1.0, None)],
)
def test_the_best_in_hindsight_is_of_the_values_that_a_source_tried(
    hits: tuple[int, int], highest: float, best: tuple[float, float] | None
) -> None:
    """Of 0 and 0.5: the one right more often among those up to the highest, of equals the smaller."""
    swept = sweep(choice(right=3), counted(*hits), LABELS, 0.95)
    assert swept is not None
    seen = swept.in_hindsight(highest)
    assert (seen is None) == (best is None)
    if seen and best:
        assert seen[0] == best[0]
        assert seen[1].value == pytest.approx(best[1])
        assert seen[1].n == 20


def test_no_number_of_too_few_trainings() -> None:
    few = sweep(choice(right=2, of=4), counted(6, 8), LABELS, 0.95)
    assert few is not None
    assert few.own == ()
    assert sentence(few, "λ").startswith("The attack chose λ = 0; on the 20 trainings")
    assert sweep(choice(right=3), [make.answers(3, 4, 1, 4)] * 2, LABELS, 0.95) is None


def play(seed: int, attack: str = "mvl:tune=true,own=5") -> Any:
    plan = MembershipPlan(
        ("independent",),
        ("listed:rows=3",),
        (attack, "mvl"),
        trainings=20,
        generations=1,
        n_syn=10,
        seed=seed,
        control=False,
    )
    return run_membership(mixed(40), plan)


@pytest.fixture
def ignorant(monkeypatch: pytest.MonkeyPatch) -> None:
    """A generator that knows nothing of the table stands beside the real ones."""
    stand_beside(monkeypatch, {"generators": {"independent": Independent}, "attacks": {}, "targets": {}})


def test_the_sweep_of_a_run_holds_what_the_attack_itself_said(ignorant: None) -> None:
    result = play(1)
    tuned, plain = result.findings
    assert plain.sweep is None
    assert tuned.sweep.values == tuple(LAMBDAS.tolist())
    own = tuned.estimates["accuracy"]
    assert tuned.sweep.counted[tuned.sweep.at].value == own.value
    half = tuned.sweep.counted[int(np.flatnonzero(np.isclose(LAMBDAS, 0.5))[0])]
    assert half.value == plain.estimates["accuracy"].value
    assert len(result.as_dict()["sweeps"]) == 1
    assert "sweeps" not in play(1, attack="neighbour:own=2").as_dict()


def test_where_nothing_leaks_the_chosen_value_is_at_chance_and_picked_ones_are_not(ignorant: None) -> None:
    """40 audits of 20 trainings: four standard errors of a mean accuracy are .071.

    The faults planted, and seen: the value judged where it was chosen (M2), and the value picked on the releases that
    count (M13).
    """
    sweeps = [play(seed).findings[0].sweep for seed in range(40)]
    assert abs(np.mean([s.counted[s.at].value for s in sweeps]) - 0.5) <= 0.071
    assert np.mean([s.own[s.at].value for s in sweeps]) > 0.571
    assert np.mean([max(e.value for e in s.counted) for s in sweeps]) > 0.571
