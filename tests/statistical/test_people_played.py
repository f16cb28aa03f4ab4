"""People of 1 to 40 rows in the games that train again and again: how often intervals hold, and what ignoring costs.

Where the method has a certificate, the best attack's AUC on a person is known, and the attack that knows both fits
reaches it. So its intervals can be held to the truth; those of a game in which one of the person's rows leaves, and the
others stay, cannot hold it.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from riskkit.core import Ints, Table
from riskkit.generators.bayesnet import BayesNet
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from riskkit.questions.records.certificate import Terms, certify
from riskkit.questions.records.plan import RecordsPlan
from riskkit.questions.records.play import play_table
from riskkit.questions.records.result import read
from riskkit.stats.summary import auc_interval
from riskkit.table.people.persons import Persons
from tests.questions.records.fuzzed import of_categories
from tests.questions.records.test_people import crowded

RELEASED = 100
METHOD = "bayesnet:smoothing=1"


def clustered(seed: int, people: int = 40) -> tuple[Table, Ints]:
    """People of 1 to 40 rows, most of them with few, whose rows are like each other in three of four columns."""
    rng = np.random.default_rng(seed)
    sizes = np.clip(rng.geometric(0.2, people), 1, 40)
    sizes[0] = 40
    person = np.repeat(np.arange(people), sizes)
    usual = [rng.integers(size, size=people)[person] for size in (3, 4, 6)]
    strays = [np.where(rng.random(len(person)) < 0.8, own, rng.integers(own.max() + 1, size=len(own))) for own in usual]
    order = rng.permutation(len(person))
    return of_categories([own[order] for own in [*strays, rng.integers(3, size=len(person))]]), person[order]


def games(seeds: range, trainings: int = 60) -> tuple[int, int, int]:
    """Of so many tables, one person each: in how many the intervals hold the person's truth, and those of one row."""
    plan = MembershipPlan(
        generators=(METHOD,), attacks=("likelihood",), trainings=trainings, generations=1, n_syn=RELEASED, control=False
    )
    held, held_by_row = 0, 0
    for seed in seeds:
        table, person = clustered(seed)
        who = seed % (int(person.max()) + 1)
        rows = np.flatnonzero(person == who)
        generator = BayesNet(smoothing=1)
        (certificate,) = certify(table, generator, [rows], Terms(RELEASED), seed)
        for ignored in (False, True):
            own = replace(plan, targets=(f"listed:rows={rows[0]}",), seed=seed)
            estimates = run_membership(table, own, None, None if ignored else Persons("who", person)).estimates
            auc = next(e for e in estimates if e.name == "auc")
            inside = auc.low <= certificate.auc.high and certificate.auc.low <= auc.high
            held, held_by_row = held + (inside and not ignored), held_by_row + (inside and ignored)
    return len(seeds), held, held_by_row


@pytest.mark.slow
def test_intervals_hold_the_persons_truth_and_those_of_one_row_do_not() -> None:
    """200 tables. Of a game that leaves one row out and ignores whose it is, far fewer hold what the person risks."""
    tried, held, by_row = games(range(200))
    assert stats.binomtest(held, tried, 0.95, alternative="less").pvalue > 0.01, (tried, held, by_row)
    assert stats.binomtest(by_row, tried, 0.95, alternative="less").pvalue < 1e-6, (tried, held, by_row)


def null(seeds: range) -> tuple[int, int, int]:
    """People of tables that a method never looks at: numbers, those wholly off one half, audits that list anybody."""
    numbers, off, named = 0, 0, 0
    for seed in seeds:
        table, person = clustered(seed, 20)
        plan = RecordsPlan("independent", "random:8", inside=60, outside=60, shadows=30, again=0, n_syn=50, seed=seed)
        result = play_table(crowded(table, person), plan)
        _, low, high = auc_interval(*result.first.arms, 0.95)
        decided = result.first.is_decided()
        numbers, off = numbers + int(decided.sum()), off + int(((low > 0.5) | (high < 0.5))[decided].sum())
        named += bool(read(result.result()).listed)
    return numbers, off, named


@pytest.mark.slow
def test_where_nothing_leaks_one_interval_in_twenty_lies_off_one_half() -> None:
    """40 tables of people with 1 to 40 rows. Those of one table share releases: the bound counts tables."""
    numbers, off, named = null(range(40))
    assert off / numbers <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40), (numbers, off)
    assert stats.binomtest(named, 40, 0.05, alternative="greater").pvalue > 0.01, named
