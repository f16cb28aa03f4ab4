"""Several secrets at once where it is known what leaks: releases that tell nothing, online shoppers, Adult."""

import gzip
from typing import Any

import numpy as np
import pytest

from riskkit.errors import DesignError
from riskkit.games.mixture import MixedCrowd
from riskkit.questions.reconstruction.play import ReconstructionPlan, run_reconstruction
from tests.statistical.test_criteria import (
    ADULT,
    NULLS,
    _nothing,
    needs_adult,
    needs_shoppers,
    people,
    shoppers,
    together,
)

SECRETS = ReconstructionPlan(secrets=("Month", "VisitorType", "Revenue"))
pytestmark = pytest.mark.slow


@needs_shoppers
def test_the_more_is_replaced_the_less_is_put_together() -> None:
    residuals = [run_reconstruction(shoppers(f"2021_flip{share}"), SECRETS).estimates[2] for share in (10, 20, 30)]
    assert residuals[0].value > residuals[1].value > residuals[2].value
    assert residuals[2].low > 0


@needs_shoppers
def test_a_release_without_a_trace_is_no_leak() -> None:
    residual = run_reconstruction(shoppers("2023_ctgan"), SECRETS).estimates[2]
    assert residual.low <= 0 <= residual.high


@needs_adult
def test_adults_ctgan_leaves_no_residual() -> None:
    files = [
        gzip.decompress((ADULT / f"{name}.csv.gz").read_bytes()) for name in ("train_reconstructed", "synth_ctgan")
    ]
    tables = together(*files, (ADULT / "control.csv").read_bytes())
    names = [column.name for column in tables.schema.modelled]
    wanted = tuple(name for name in names if name in ("occupation", "marital", "marital_status", "income", "education"))
    result = run_reconstruction(tables, ReconstructionPlan(secrets=wanted))
    assert result.estimates[2].low <= 0 <= result.estimates[2].high
    assert result.control.residual is not None
    assert result.control.residual.low > 0


def test_of_500_releases_that_tell_nothing_few_show_a_leak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower end above 0 has a chance of 2.5 % at most; more than 25 of 500 (5 %) have one below 1e-3."""

    def none(_: MixedCrowd) -> Any:
        raise DesignError("Nothing is planted here.")

    monkeypatch.setattr("riskkit.questions.compared.without", _nothing)
    monkeypatch.setattr(MixedCrowd, "plant", none)
    monkeypatch.setattr("riskkit.stats.looks.DEALS", 399)
    monkeypatch.setattr("riskkit.stats.looks.BEYOND", 10)
    monkeypatch.setattr("riskkit.games.reconstruction.TREES", 5)
    shown = 0
    for seed in range(NULLS):
        rng = np.random.default_rng(seed)
        tables = together(people(rng, 120), people(rng, 200), people(rng, 90))
        plan = ReconstructionPlan(secrets=("job", "pay"), groups=4, seed=seed)
        shown += bool(run_reconstruction(tables, plan).estimates[2].low > 0)
    assert shown <= NULLS * 0.05
