"""What questions that hold members beside others share: one look without the release, whoever they ask about."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import riskkit as rk
from riskkit.questions.compared import BlindGuess, without_release
from riskkit.questions.singling_out.play import SinglingOutPlan, run_singling_out
from riskkit.table.load import Tables


def group(n: int, seed: int, shift: float = 0.0) -> pd.DataFrame:
    """People of three numbers, the first ``shift`` higher than usual."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(np.round(rng.normal((shift, 0, 0), size=(n, 3)), 2), columns=["a", "b", "c"])


def loaded(shift: float = 0.0) -> Tables:
    """Real table and release of one population; the holdout is of another where there is a shift."""
    return rk.load(group(120, 1001), group(120, 2001), group(120, 3001, shift))


def test_the_look_without_the_release_is_one_for_all_questions_about_the_same_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables, taken = loaded(), []

    def look(*people: Any) -> BlindGuess:
        taken.append(people)
        return without_release(*people)

    monkeypatch.setattr("riskkit.questions.compared.without_release", look)
    answers = [
        rk.singling_out(tables).result,
        rk.linkability(tables, max_rows=40).result,
        rk.reconstruction(tables, secrets=("b", "c"), max_rows=60).result,
    ]
    assert len(taken) == 1
    assert len({each.blind.p for each in answers}) == 1
    assert answers[0].blind.permutations > 0


def test_the_look_without_the_release_is_of_its_own_tables() -> None:
    alike, apart = (run_singling_out(loaded(shift), SinglingOutPlan()) for shift in (0.0, 3.0))
    assert (alike.is_apart, apart.is_apart) == (False, True)
    assert not run_singling_out(loaded(), SinglingOutPlan()).is_apart
