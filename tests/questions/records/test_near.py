"""The released rows nearest to a person, counted by hand."""

import numpy as np
import pytest

from riskkit.core import Table
from riskkit.errors import DesignError
from riskkit.questions.records.result import nearest_released
from tests.questions.records.test_what_if import people


def test_the_nearest_rows_and_what_they_share() -> None:
    real = people()
    release = Table(real.schema, np.array([[3], [2], [2]], dtype=np.int32), np.array([[90.0], [20.0], [90.0]]))
    near = nearest_released(real, release, 5, 2)
    assert [released.row for released in near] == [2, 0]
    assert near[0].distance == 0
    assert near[0].same == ("age", "job")
    assert near[1].distance == pytest.approx(1.0)
    assert near[1].same == ("age",)
    assert len(nearest_released(real, release, 5, 9)) == 3


def test_there_must_be_such_a_row() -> None:
    with pytest.raises(DesignError, match="no row 6"):
        nearest_released(people(), people(), 6)
