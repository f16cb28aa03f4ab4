"""Gains over both majorities on people counted by hand, and over chance where a level is rare."""

import functools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Estimate, Kind, Schema, Table
from riskkit.errors import DesignError
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from riskkit.table.load import Tables
from tests.judged import judged

PLAN = AttributePlan(("illness",), (("ward",),), model="tree:leaf=1", sweep_model="tree:leaf=1")
SCHEMA = Schema(
    (
        Column("ward", Kind.CATEGORICAL, levels=tuple("abcd")),
        Column("serial", Kind.NUMERIC, low=0.0, high=9999.0, mean=2000.0, sd=900.0),
        Column("illness", Kind.CATEGORICAL, levels=("flu", "gout", "none")),
    )
)
TESTED = {  # ward: how many have flu, gout, none; the release says flu of a, gout of b and none of c and d
    0: (375, 82, 0),
    1: (125, 213, 0),
    2: (53, 40, 65),
    3: (0, 0, 47),
}


def people(counts: dict[int, tuple[int, ...]], first: int = 0) -> Table:
    """So many of each illness in each ward, each with a number of their own from ``first`` on."""
    codes = [(ward, ill) for ward, each in counts.items() for ill, count in enumerate(each) for _ in range(count)]
    return Table(SCHEMA, np.array(codes, dtype=np.int32), first + np.arange(float(len(codes)))[:, None])


def tables() -> Tables:
    """1,000 people who were not in, of whom 553 have flu and 335 gout; in the release gout is the most frequent."""
    release = people({0: (200, 0, 0), 1: (0, 600, 0), 2: (0, 0, 100), 3: (0, 0, 100)}, 3000)
    real = people({0: (200, 20, 0), 1: (20, 200, 0), 2: (10, 10, 80), 3: (0, 0, 60)}, 5000)
    return Tables(real, release, people(TESTED), SCHEMA, (), ())


@functools.cache
def run(baseline: str) -> tuple[dict[str, Any], tuple[Estimate, ...]]:
    done = run_attributes(tables(), replace(PLAN, baseline=baseline))
    return done.as_dict(), done.estimates


def named(baseline: str, name: str, **labels: str) -> Estimate:
    return next(e for e in run(baseline)[1] if e.name == name and labels.items() <= e.labels.items())


RIGHT = 375 + 213 + 65 + 47
"""Of 1,000, guessed rightly by the ward: flu in a, gout in b, none in c and d."""


@pytest.mark.parametrize(("baseline", "majority"), [("tested", 553), ("released", 335)])
def test_the_majority_is_that_of_the_people_tested_or_of_the_released_rows(baseline: str, majority: int) -> None:
    about = {"trained_on": "release", "tested_on": "control"}
    gained = named(baseline, "delta", **about, metric="accuracy")
    assert gained.value == pytest.approx((RIGHT - majority) / 1000)
    assert round(gained.value, 3) == {"tested": 0.147, "released": 0.365}[baseline]
    assert gained.labels["baseline"] == baseline
    assert gained.low < gained.value < gained.high
    arms = {"baseline_tested": 0.553, "baseline_majority": 0.335}
    for trained_on, share in arms.items():  # both are there, whichever gains are over
        assert named(baseline, "accuracy", trained_on=trained_on, tested_on="control").value == pytest.approx(share)


@pytest.mark.parametrize("baseline", ["tested", "released"])
def test_each_measure_is_over_a_baseline_of_its_own(baseline: str) -> None:
    about = {"trained_on": "release", "tested_on": "control"}
    shares = [375 / 553, 213 / 335, (65 + 47) / 112]
    gained = named(baseline, "delta", **about, metric="balanced_accuracy")
    assert gained.value == pytest.approx(np.mean(shares) - 1 / 3)
    assert gained.labels["baseline"] == "chance"
    guessed, true = (457, 338, 205), (553, 335, 112)
    f1 = np.mean([2 * hits / (a + b) for hits, a, b in zip((375, 213, 112), guessed, true, strict=True)])
    constant = 2 * (0.553 if baseline == "tested" else 0.335)
    own = constant / (1 + constant / 2) / 3
    gained = named(baseline, "delta", **about, metric="macro_f1")
    assert gained.value == pytest.approx(f1 - own)
    assert gained.labels["baseline"] == baseline
    auc = named(baseline, "auc", **about)
    assert named(baseline, "delta", **about, metric="auc").value == pytest.approx(auc.value - 0.5)
    assert named(baseline, "auc", trained_on="baseline_tested", tested_on="control").value == 0.5


def test_every_ratio_is_that_of_its_two_gains() -> None:
    for metric in ("accuracy", "balanced_accuracy", "macro_f1", "auc"):
        top, bottom = (
            named("tested", "delta", trained_on=arm, tested_on="control", metric=metric) for arm in ("release", "real")
        )
        ratio = named("tested", "leakage_ratio", metric=metric)
        assert ratio.value == pytest.approx(top.value / bottom.value)
        assert ratio.labels["baseline"] == top.labels["baseline"]


def test_a_level_of_the_release_that_none_of_the_tested_has_is_still_over_chance() -> None:
    """A release of none but an illness nobody has: a constant guess of it would reach 0, not one level in so many."""
    there = tables()
    holdout = people({ward: (flu, gout, 0) for ward, (flu, gout, _) in TESTED.items()})
    release = people({0: (10, 0, 200), 1: (0, 10, 200)})
    done = run_attributes(replace(there, synthetic=release, holdout=holdout), PLAN).estimates
    right, gained = (
        next(e for e in done if e.name == name and labels.items() <= e.labels.items())
        for name, labels in (
            ("balanced_accuracy", {"trained_on": "release", "tested_on": "control"}),
            ("delta", {"trained_on": "release", "tested_on": "control", "metric": "balanced_accuracy"}),
        )
    )
    assert gained.value == pytest.approx(right.value - 1 / 2)


def test_the_setting_is_kept_and_the_sentence_says_which() -> None:
    for baseline, words in (("tested", "of the people tested, to"), ("released", "of the released rows, to")):
        kept, _ = run(baseline)
        assert kept["settings"]["baseline"] == baseline
        plan = replace(PLAN, baseline=baseline)
        ((finding, _),) = judged(kept, plan)
        assert f"the most frequent level {words} 70.0 %" in finding.sentence
        assert "of what the real data would add" in finding.sentence
        assert any("Guessed rightly: the release adds more than half" in sentence for sentence in finding.extra)
        assert any("the verdict rests on members" in sentence for sentence in finding.extra)
        assert dict(finding.game)["Baseline of the gains"].endswith(words.removesuffix(", to").removeprefix("of the "))
        assert AttributePlan.from_dict(plan.as_dict()) == plan
        assert ("--baseline released" in plan.command("real.csv")) == (baseline == "released")


def test_a_baseline_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(DesignError, match="may be 'tested', 'released'"):
        AttributePlan(baseline="mode")
