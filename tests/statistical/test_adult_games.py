"""What the literature's game must show on Adult's 30,162 complete rows."""

from riskkit.questions.membership.plan import MembershipPlan
from riskkit.questions.membership.play import run_membership
from tests.tables import adult, needs_adult

pytestmark = needs_adult


def accuracies(rows: int = 30_162, **plan: object) -> dict[tuple[str, str], tuple[float, float, float]]:
    """(generator, target) -> accuracy, low, high of the only attack."""
    result = run_membership(adult(rows), MembershipPlan(**plan))  # type: ignore[arg-type]
    return {
        (e.labels["generator"], e.labels["target"]): (e.value, e.low, e.high)
        for e in result.estimates
        if e.name == "accuracy"
    }


def test_post_processing_decides_whether_mvl_finds_a_record_in_stat() -> None:
    """Unrounded, STAT publishes the table's exact moments and one record shows in them; rounded and clipped, the
    bias of rounding is a thousand times the effect of one record and the attack gives constant answers."""
    reached = accuracies(
        generators=("stat:post=none", "stat:post=round", "stat"),
        targets=("random", "selective", "adaptive"),
        attacks=("mvl",),
        trainings=20,
        generations=1,
        n_syn=30_162,
    )
    assert len(reached) == 9
    for (generator, target), (value, _, _) in reached.items():
        if generator == "stat":
            assert 0.40 <= value <= 0.60, target
        else:
            assert value >= 0.95, (generator, target)


def test_the_neighbour_attack_is_at_chance_on_stat() -> None:
    reached = accuracies(
        generators=("stat",),
        targets=("random", "selective"),
        attacks=("neighbour",),
        trainings=60,
        generations=2,
        n_syn=1000,
    )
    for target, (value, low, high) in reached.items():
        assert low <= 0.5 <= high, target
        assert abs(value - 0.5) < 0.2, target


def test_the_neighbour_attack_finds_a_group_in_a_bayesian_network() -> None:
    """The twin of the test above: the attack is not blind. Ten made-up people, in or out together, show."""
    reached = accuracies(
        rows=5000,
        generators=("bayesnet",),
        targets=("adaptive",),
        k=10,
        together=True,
        attacks=("neighbour",),
        trainings=20,
        generations=2,
        n_syn=5000,
    )
    ((_, low, _),) = reached.values()
    assert low > 0.5
