"""Who of an arm is compared: by hand, each side by its own list."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from riskkit.games.attribute import CONTROL, MEMBERS, RELEASE
from riskkit.games.attribute_deal import DistinctSides
from riskkit.questions.attributes.sides import compare_sides
from riskkit.stats.guesses import CategoryGuesses


def test_each_side_is_compared_by_those_of_its_own_who_stand_in_one_table() -> None:
    """Row 3 of the members was not asked about; of three of the control the last stays."""
    apart = DistinctSides(np.array([True, False, True, True]), np.array([False, False, True]), 1, 2, 0)
    rows: dict[str, Any] = {MEMBERS: np.array([0, 1, 2]), CONTROL: np.array([0, 1, 2])}
    answers: Any = SimpleNamespace(arm=lambda _, side: SimpleNamespace(tested_on=side, rows=rows[side]))
    sides = {(RELEASE, side): CategoryGuesses([10, 11, 12], [10, 10, 10]) for side in rows}
    stay = compare_sides(sides, answers, SimpleNamespace(apart=apart))  # type: ignore[arg-type]
    assert stay[RELEASE, MEMBERS].truth.tolist() == [10, 12]
    assert stay[RELEASE, CONTROL].truth.tolist() == [12]
    assert compare_sides(sides, answers, SimpleNamespace(apart=None)) == {}  # type: ignore[arg-type]
