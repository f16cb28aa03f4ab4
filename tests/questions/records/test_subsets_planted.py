"""The leak that is planted in trainings on parts of the people: whether it is found, and what is said if it is not."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Floats
from riskkit.games.subsets import deal_subsets
from riskkit.judging.measurement import Verdict
from riskkit.questions.records import subsets
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import run_records
from riskkit.questions.records.present import planted_together
from riskkit.questions.records.result import RecordsResult
from riskkit.released.distances import Dcr, Nndr
from tests.games.records import crowd, tables
from tests.judged import judged

PLAN = RecordsPlan(generator="independent", by="subsets", trainings=32, n_syn=120)


class Blind(Dcr):
    """Says something by chance, whatever it is shown."""

    def score(self, release: Any, targets: Any, reference: Any, rng: np.random.Generator) -> Floats:
        return rng.standard_normal(len(targets))


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subsets, "attacks", lambda: (("dcr", Dcr()), ("nndr", Nndr())))


def test_attacks_that_see_copies_find_those_that_are_planted() -> None:
    planted = planted_together(run_records(tables(crowd(60)), PLAN))
    assert planted is not None
    assert planted.low > 0.8
    assert planted.labels["people"] == planted.labels["listed"] == "12"
    assert planted.n == 32


@pytest.mark.parametrize("audits", [20, pytest.param(200, marks=pytest.mark.slow)])
def test_attacks_that_see_nothing_find_it_by_luck_alone(audits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lower end of what they reach lies above guessing in no more than one of forty."""
    monkeypatch.setattr(subsets, "attacks", lambda: (("blind", Blind()),))
    times = 0
    for seed in range(audits):
        planted = planted_together(run_records(tables(crowd(60)), replace(PLAN, seed=seed)))
        assert planted is not None
        times += planted.low > 0.5
    assert times <= audits * 0.025 + 3 * np.sqrt(audits * 0.025 * 0.975)


class Game:
    """As much of a game as what is planted is measured by."""

    def __init__(self, people: int, planted: int, rng: np.random.Generator) -> None:
        self.asked, self.canaries = np.arange(people), np.arange(planted)
        self.is_in = deal_subsets(people, 64, 32, rng)
        self.canary_coins = deal_subsets(planted, 32, 16, rng)


def test_a_leak_of_the_method_itself_does_not_pass_for_the_planted_one() -> None:
    """Scores that follow who was in the training, of everybody, say nothing of who was planted."""
    above = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        game: Any = Game(100, 20, rng)
        scores = 3 * game.is_in[:, :32] + rng.standard_normal((100, 32))
        (_, together) = subsets.planted_aucs(game, PLAN, {"dcr": scores}, ["dcr"])
        above.append(together.low > 0.5)
    assert np.mean(above) <= 0.08


def test_of_a_weak_leak_of_few_only_some_would_be_listed() -> None:
    """Twenty of a thousand with an AUC of .8: the combination sees them, and lists only the clearest."""
    rng = np.random.default_rng(1)
    game: Any = Game(1000, 20, rng)
    scores = rng.standard_normal((2, 1000, 32))
    scores[0, :20] += 1.2 * game.canary_coins
    together = subsets.planted_aucs(game, PLAN, {"dcr": scores[0], "nndr": scores[1]}, ["dcr", "nndr"])[-1]
    assert 0.6 < together.value < 0.9
    assert int(together.labels["listed"]) < 10


@pytest.mark.parametrize(("attack", "code"), [(Dcr, "parts_of_people"), (Blind, "planted_missed")])
def test_nobody_is_cleared_and_a_missed_leak_is_the_first_reason(
    attack: type, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even at a limit above every interval."""
    monkeypatch.setattr(subsets, "attacks", lambda: (("own", attack()),))
    result = run_records(tables(crowd(60)), PLAN)
    for limit in (None, 0.99999):
        ((_, judgement),) = judged(result.plain(), PLAN, limit)
        assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, code)


def test_a_result_without_a_planted_leak_is_read_and_says_so() -> None:
    """As an earlier version kept it, or where a release has no room."""
    plan = replace(PLAN, n_syn=12)
    result = run_records(tables(crowd(60)), plan)
    assert planted_together(RecordsResult.from_plain(result.plain())) is None
    ((finding, judgement),) = judged(result.plain(), plan, 0.99999)
    assert not finding.measured.control.is_there
    assert judgement.code == "parts_of_people"
