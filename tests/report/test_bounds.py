"""What scores say of promises, of many records and of attacks against each other, and when they say nothing."""

import numpy as np
import pytest

from riskkit.core import Scores
from riskkit.questions.membership.bounds import bounds, compare_attacks, listed_people, promise
from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import grade, run_membership
from riskkit.questions.membership.question import privacy
from riskkit.questions.membership.result import Outcome
from riskkit.questions.promises import Claim, claim
from riskkit.seeds import stream
from riskkit.stats.multiplicity import benjamini_hochberg, p_value
from tests.statistical.simulate import most
from tests.stats import make
from tests.tables import mixed


def outcome(scores: Scores, record: str = "17", attack: str = "mvl", *, graded: bool = True) -> Outcome:
    labels = {"generator": "stat", "target": "random", "position": record, "record": record, "attack": attack}
    return Outcome(labels, scores, {e.name: e for e in grade(scores)[0]} if graded else {})


def normal(gap: float, n: int, *labels: int) -> Scores:
    inside, outside = stream(1, "bounds", *labels).standard_normal((2, n // 2))
    return make.scores(inside + gap, outside)


def test_the_bounds_are_those_of_the_scores_and_the_gaussian_one_is_only_for_the_declared() -> None:
    shown = bounds(outcome(normal(3.0, 200, 1)), Claim())
    assert [e.name for e in shown] == ["epsilon_lower", "epsilon_any_cut", "epsilon_bayesian"]
    assert all(e.labels["record"] == "17" for e in shown)
    with_gaussian = bounds(outcome(normal(3.0, 200, 1)), Claim(is_gaussian=True))
    assert [e.name for e in with_gaussian][3:] == ["epsilon_gaussian"]
    assert bounds(outcome(make.answers(4, 4, 0, 4)), Claim()) == ()


def test_methods_promise_what_they_declare() -> None:
    assert claim("privbayes:epsilon=2") == Claim(2.0, "replace-one")
    assert claim("stat") == Claim()
    assert claim("gaussian_mean").is_gaussian
    assert not claim("laplace_count").is_gaussian


def test_a_promise_is_refuted_above_what_it_allows_and_three_standard_errors() -> None:
    kept, broken = outcome(normal(0.8, 200, 2)), outcome(normal(3.0, 200, 2))
    private = Claim(1.0, "replace-one")
    held, refuted = promise(kept, private, "replace-one"), promise(broken, private, "replace-one")
    assert held is not None
    assert refuted is not None
    assert (held.is_refuted, refuted.is_refuted) == (False, True)
    assert held.most == pytest.approx(0.7311, abs=5e-5)
    assert promise(broken, private, "add-one") is None, "the promise is not about such worlds"
    assert promise(broken, Claim(), "replace-one") is None


def test_a_kept_promise_is_hardly_ever_said_to_be_refuted() -> None:
    """AUC just at the most that epsilon allows: three standard errors leave one in 700."""
    gap = np.sqrt(2) * 0.6161  # the normal scores whose AUC is .7311
    promises = [promise(outcome(normal(gap, 100, 3, index)), Claim(1.0, "r"), "r") for index in range(120)]
    assert sum(kept is not None and kept.is_refuted for kept in promises) <= 2


def test_ten_outliers_among_many_are_listed_and_hardly_anybody_else() -> None:
    """KA12: ten records at AUC 1 among 200 at one half, 100 trainings each: all ten are listed, at most two more."""
    exposed = [outcome(normal(9.0, 100, 4, index), str(index), graded=False) for index in range(10)]
    safe = [outcome(normal(0.0, 100, 5, index), str(index), graded=False) for index in range(10, 200)]
    (group,) = listed_people([*exposed, *safe])
    assert all(group.is_listed[:10])
    assert sum(group.is_listed[10:]) <= 2
    uncorrected = sum(p <= 0.05 for p in group.p[10:])
    assert uncorrected >= 4, "the twin that takes every p-value for itself (M16) lists many"


def test_nobody_is_listed_where_nothing_leaks() -> None:
    """NEG1: 25 campaigns of 100 innocent records; in at most five does anybody get onto the list."""
    campaigns = [
        listed_people([outcome(normal(0.0, 40, 6, campaign, index), str(index), graded=False) for index in range(100)])[
            0
        ]
        for campaign in range(25)
    ]
    assert sum(any(campaign.is_listed) for campaign in campaigns) <= 5


def null_audit(records: int, attacks: int, methods: int, shared: float, *labels: int) -> list[Outcome]:
    """Attacks on releases that tell nothing; a part of their scores' variance is the same for all of a record."""
    rng = stream(1, "null audit", records, attacks, methods, f"{shared:g}", *labels)
    out = []
    for method in range(methods):
        for record in range(records):
            common = np.sqrt(shared) * rng.standard_normal(20)
            for attack in range(attacks):
                value = common + np.sqrt(1 - shared) * rng.standard_normal(20)
                made = outcome(make.scores(value[:10], value[10:]), str(record), f"a{attack}", graded=False)
                out.append(Outcome({**made.labels, "generator": f"g{method}"}, made.scores, {}))
    return out


def _named(audits: int, attacks: int, methods: int, shared: float) -> tuple[int, int]:
    """In how many audits of ten records anybody is named; by the twin, too, that lists for each attack and method."""
    named, each_for_itself = 0, 0
    for audit in range(audits):
        outcomes = null_audit(10, attacks, methods, shared, audit)
        named += any(any(group.is_listed) for group in listed_people(outcomes))
        lists: dict[tuple[str, str], list[float]] = {}
        for of_record in outcomes:
            lists.setdefault((of_record.labels["generator"], of_record.labels["attack"]), []).append(
                p_value(of_record.scores)
            )
        each_for_itself += any(benjamini_hochberg(p, 0.05).any() for p in lists.values())
    return named, each_for_itself


def test_several_attacks_and_methods_name_nobody_more_often_where_nothing_leaks() -> None:
    named, each_for_itself = _named(90, 3, 2, 0.0)
    assert named <= most(90, 0.05)
    assert each_for_itself > most(90, 0.05), "the twin"


@pytest.mark.slow
@pytest.mark.parametrize(("attacks", "methods", "shared"), [(2, 1, 0.0), (2, 1, 0.5), (3, 1, 0.5), (2, 2, 0.0)])
def test_any_number_of_attacks_names_somebody_in_one_null_audit_of_twenty(
    attacks: int, methods: int, shared: float
) -> None:
    named, each_for_itself = _named(1500, attacks, methods, shared)
    assert named <= most(1500, 0.05)
    assert each_for_itself > most(1500, 0.05), "the twin"


def test_one_record_in_ten_that_leaks_is_named_with_the_attack_that_exposes_it() -> None:
    outcomes = [
        outcome(normal(3.0 if (index, who) == (4, "b") else 0.0, 40, 8, index, ord(who)), str(index), who, graded=False)
        for index in range(10)
        for who in "ab"
    ]
    (group,) = listed_people(outcomes)
    assert group.is_listed == tuple(index == 4 for index in range(10))
    assert group.attacks[4] == "b"
    assert group.p[4] == pytest.approx(2 * p_value(outcomes[9].scores))


def test_the_best_attack_is_compared_with_each_other_one_at_a_level_for_all() -> None:
    strong, weak, none = (outcome(normal(gap, 200, 7), attack=name) for gap, name in ((3, "a"), (1, "b"), (0, "c")))
    comparison = compare_attacks([weak, strong, none])
    assert [(best.labels["attack"], other.labels["attack"]) for best, other, _ in comparison] == [
        ("a", "b"),
        ("a", "c"),
    ]
    assert all(gap.level == pytest.approx(0.975) for _, _, gap in comparison)
    assert comparison[1][2].low > 0
    assert compare_attacks([strong]) == ()


def test_a_result_says_all_of_it_in_plain_values() -> None:
    plan = MembershipPlan(
        generators=("privbayes",),
        targets=("random",),
        attacks=("mvl", "neighbour:own=2"),
        k=2,
        trainings=20,
        generations=1,
        n_syn=60,
        control=False,
        relation="replace-one",
    )
    kept = privacy(run_membership(mixed(120), plan))
    assert {e["name"] for e in kept["bounds"]} == {"epsilon_lower", "epsilon_any_cut", "epsilon_bayesian"}
    assert len(kept["promises"]) <= 4
    assert all(kept["epsilon"] == 1.0 for kept in kept["promises"])
    (group,) = kept["listed"]
    assert [record["record"] for record in group["records"]] == [e["record"] for e in kept["bounds"][:: 2 * 3]]
    assert {record["attack"] for record in group["records"]} <= set(plan.attacks)
