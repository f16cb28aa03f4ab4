"""Who members are compared with: people who stand in one table only, so that frequent records make no leak of none."""

from typing import Any

import numpy as np
import pytest

from riskkit.core import Column, Kind, Schema, Table
from riskkit.games import attribute_deal
from riskkit.games.attribute_deal import DistinctSides
from riskkit.judging.measurement import Verdict
from riskkit.questions.attributes.plan import AttributePlan
from riskkit.questions.attributes.play import run_attributes
from tests.judged import judged
from tests.questions.attributes.test_attributes import files, named

SCHEMA = Schema(
    tuple(Column(name, Kind.CATEGORICAL, levels=tuple(f"{index:03d}" for index in range(400))) for name in "xy")
)
FEW = 8
"""Releases that show a planted fault; a smaller one takes all 14."""
PLAN = AttributePlan(("y",), (("x",),), model="tree:leaf=1")


def crowd(n: int, seed: int) -> Table:
    """Few frequent records whose ``y`` follows from ``x``, and many rare ones whose ``y`` is anything."""
    rng = np.random.default_rng(seed)
    x = np.minimum(rng.geometric(0.012, n), 399)
    y = np.where(rng.random(n) < 1 / (1 + x / 40), x, rng.integers(0, 400, n))
    return Table(SCHEMA, np.column_stack([x, y]), np.empty((n, 0)))


def residuals(n_real: int, n_holdout: int, times: int) -> list[dict[str, Any]]:
    """The residual of releases that know nobody: truly 0."""
    out = []
    for seed in range(times):
        tables = files(*(crowd(n, 3 * seed + index) for index, n in enumerate((n_real, 3000, n_holdout))))
        out.append(named(run_attributes(tables, PLAN).as_dict(), "residual", trained_on="release"))
    return out


def check_no_leak_where_there_is_none(times: int = 14) -> None:
    excesses = residuals(1500, 300, times)
    error = np.std([excess["value"] for excess in excesses], ddof=1) / np.sqrt(times)
    assert abs(np.mean([excess["value"] for excess in excesses])) < 3 * error
    assert sum(excess["low"] > 0 or excess["high"] < 0 for excess in excesses) <= 3


def test_people_of_both_tables_make_no_leak_of_none() -> None:
    check_no_leak_where_there_is_none()


def test_leaving_them_out_of_the_control_alone_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = DistinctSides.choose.__func__  # type: ignore[attr-defined]

    def of(cls: type[DistinctSides], real: Any, holdout: Any, members: Any, control: Any, seed: int) -> DistinctSides:
        sides: DistinctSides = whole(cls, real, holdout, members, control, seed)
        return DistinctSides(np.ones_like(sides.members), sides.control, 0, sides.shared_control, 0)

    monkeypatch.setattr(DistinctSides, "choose", classmethod(of))
    with pytest.raises(AssertionError):
        check_no_leak_where_there_is_none(FEW)


def test_keeping_records_of_several_rows_in_the_larger_table_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        attribute_deal, "balanced_records", lambda in_real, in_holdout, rng: np.ones(len(in_real), dtype=bool)
    )
    with pytest.raises(AssertionError):
        check_no_leak_where_there_is_none(FEW)


def test_a_leak_is_not_thinned_by_people_of_both_tables() -> None:
    real, strangers = crowd(1500, 1), crowd(600, 2)
    holdout = real.rows(np.arange(600)).plus(strangers)
    plain = run_attributes(files(real, real, holdout), PLAN).as_dict()
    whole = run_attributes(files(real, real, strangers), PLAN).as_dict()
    diluted, clean = (named(kept, "residual", trained_on="release")["value"] for kept in (plain, whole))
    assert diluted == pytest.approx(clean, abs=0.12)
    assert any("stand in both" in note for note in plain["notes"])
    assert plain["settings"]["shared"] >= 600


def test_where_everybody_stands_in_both_tables_nothing_is_said_of_members() -> None:
    real = crowd(2000, 1)
    plain = run_attributes(files(real, crowd(2000, 2), real), PLAN).as_dict()
    ((finding, judgement),) = judged(plain, PLAN, 0.1)
    assert (judgement.verdict, judgement.code) == (Verdict.UNDECIDED, "not_compared")
    for text in (judgement.why, finding.parts[0].sentence):
        assert "cannot be compared" in text
        assert "Without a holdout" not in text  # there is one
    assert named(plain, "delta", tested_on="control")["n"] > 100
