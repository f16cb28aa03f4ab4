"""A verbatim copy in another spelling leaks as much as one in the same."""

import numpy as np

from riskkit.questions.released.plan import ReleasedPlan
from riskkit.questions.released.play import run_released
from tests.table.files import loaded

N = 300
WORDS = {"True": "1.0", "False": "0.0"}


def people(seed: int) -> dict[str, list[str]]:
    """Fourteen answers and an age."""
    rng = np.random.default_rng(seed)
    answers = {f"answer {index}": rng.choice(["True", "False"], N).tolist() for index in range(14)}
    return {"age": [str(age) for age in rng.integers(18, 90, N)], **answers}


def auc(release: dict[str, list[str]]) -> float:
    """What the nearest released row tells, of people who were in beside others."""
    result = run_released(loaded(people(1), release, people(2)), ReleasedPlan(attacks=("dcr",)))
    (estimate,) = [estimate for estimate in result.estimates if estimate.name == "auc"]
    return estimate.value


def test_a_copy_with_true_and_false_as_decimals_leaks_everything() -> None:
    """Of 300 distinct people each is at distance 0 of the release, and no other person is."""
    same = people(1)
    spelled = {name: [WORDS.get(value, value) for value in values] for name, values in same.items()}
    assert auc(spelled) == auc(same) == 1.0
